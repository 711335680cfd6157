//! Changes of many reports at once, how far they have come, and taking them back.
//! Must never hold the writer for longer than a step, nor leave unsaid which reports stayed as they were.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reports::{ReportQuery, Selection, Shown, Waiting};
use super::{Answer, refusal};
use crate::actions::bulk::{
    BulkChange, Outcome, Refused, STEP, Target, UNDO_MS, begin_batch, begin_undo, change_step,
    undo_step,
};
use crate::actions::sealing::open_listed;
use crate::domain::moment::rfc3339;
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::path::BatchId;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Shared};
use crate::search::Request;
use crate::store::{ListFilter, Snapshot};

/// Reports that may be named in one call.
const MOST: usize = 2_000;

/// Which reports to change, and how: `ids` or `filter`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkAsked {
    /// These reports, 2,000 at most.
    #[serde(default)]
    ids: Option<Vec<BulkId>>,
    /// Every report of this filter.
    #[serde(default)]
    filter: Option<ReportQuery>,
    /// Of when the list of the filter was that whoever asks has seen: what arrived later stays as it is, what was changed later
    /// is refused.
    #[serde(default)]
    shown: Option<Shown>,
    /// What is to change.
    change: BulkChange,
}

/// A report to change: its id, or its id and the version that was shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BulkId {
    /// As it stands.
    Plain(String),
    /// Only on this version.
    Shown(ShownReport),
}

/// A report as it was shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownReport {
    /// 36-character id.
    id: String,
    /// Its version.
    version: i64,
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkOutcome {
    /// The number under which it can be taken back, for ten minutes.
    pub batch: i64,
    /// How many reports changed.
    pub changed: usize,
    /// Those that did not, because they are gone or somebody else has changed them.
    pub refused: Vec<Refused>,
}

/// Changes of many reports.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkList {
    /// Those that can be taken back, the latest first.
    pub data: Vec<BulkProgress>,
}

/// How far a change of many reports has come.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkProgress {
    /// Its number.
    pub batch: i64,
    /// When it was begun; RFC 3339, UTC.
    pub at: String,
    /// Reports that it was asked for.
    pub total: i64,
    /// Those that had their turn.
    pub done: i64,
}

/// Changes status, department, urgency or labels of many reports, in steps.
#[utoipa::path(post, path = "/reports/bulk", tag = "segnalazioni", request_body = BulkAsked,
    responses((status = 200, body = BulkOutcome)))]
pub async fn change_many(admin: Admin, Json(asked): Json<BulkAsked>) -> Answer<BulkOutcome> {
    let BulkAsked {
        ids,
        filter,
        shown,
        change,
    } = asked;
    let (targets, filter) = match (ids, filter) {
        (Some(ids), None) => (named(ids)?, ListFilter::default()),
        (None, Some(query)) => found(&admin, query.selection(&admin)?, shown).await?,
        _ => return Err(refusal("ids", "required", "Indica «ids» oppure «filter».")),
    };
    // It goes on to its end also when whoever asked hangs up.
    let whole = tokio::spawn(async move {
        let (total, wish) = (targets.len(), change.clone());
        let begun = admin.change(move |act| begin_batch(act, total, &wish));
        let (batch, mut all) = (begun.await?, Outcome::default());
        for step in targets.chunks(STEP) {
            let (step, change) = (step.to_vec(), change.clone());
            let done = admin.change(move |act| change_step(act, batch, &step, &filter, &change));
            let Some(done) = done.await? else {
                break;
            };
            all.changed += done.changed;
            all.refused.extend(done.refused);
        }
        outcome(&admin, batch, all).await
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// Takes a change of many reports back, as far as nobody has changed them since.
#[utoipa::path(post, path = "/reports/bulk/{batch}/undo", tag = "segnalazioni", params(BatchId),
    responses((status = 200, body = BulkOutcome)))]
pub async fn undo(admin: Admin, BatchId(batch): BatchId) -> Answer<BulkOutcome> {
    let whole = tokio::spawn(async move {
        admin.change(move |act| begin_undo(act, batch)).await?;
        let mut all = Outcome::default();
        while let Some(done) = admin.change(move |act| undo_step(act, batch)).await? {
            all.changed += done.changed;
            all.refused.extend(done.refused);
        }
        outcome(&admin, batch, all).await
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// The changes of many reports that can be taken back, and how far each has come.
#[utoipa::path(get, path = "/reports/bulk", tag = "segnalazioni", responses((status = 200, body = BulkList)))]
pub async fn batches(admin: Admin) -> Answer<BulkList> {
    let read = admin.read(|app, snapshot| {
        let rows = snapshot.batches(app.clock.now_ms() - UNDO_MS)?.into_iter();
        let data = rows.map(|row| BulkProgress {
            batch: row.id,
            at: rfc3339(row.at),
            total: row.total,
            done: row.done,
        });
        Ok::<_, ApiError>(BulkList {
            data: data.collect(),
        })
    });
    read.await.map(axum::Json)
}

fn named(ids: Vec<BulkId>) -> ApiResult<Vec<Target>> {
    if !(1..=MOST).contains(&ids.len()) {
        let message = format!("Indica da 1 a {MOST} segnalazioni.");
        return Err(refusal("ids", "range", message));
    }
    let targets = ids.into_iter().map(|one| match one {
        BulkId::Plain(id) => Target::Named(id, None),
        BulkId::Shown(shown) => Target::Named(shown.id, Some(shown.version)),
    });
    Ok(targets.collect())
}

/// All reports of a selection, without those that arrived after it was shown.
async fn found(
    app: &Shared,
    selection: Selection,
    shown: Option<Shown>,
) -> ApiResult<(Vec<Target>, ListFilter)> {
    let waiting = Waiting::default();
    let cancel = waiting.token();
    let read = app.read(move |app, snapshot| {
        let filter = selection.filter;
        let seqs = match &selection.terms {
            Some(terms) => {
                let (filter, cancel) = (&filter, &cancel);
                let request = Request {
                    terms,
                    filter,
                    cancel,
                };
                app.search.all(snapshot, &request)?
            }
            None => snapshot.seqs_of_kind(&filter, snapshot.ends(&filter)?)?,
        };
        let (newest, at) = shown.map_or((i64::MAX, i64::MAX), |shown| (shown.newest, shown.at));
        let seqs = seqs.into_iter().filter(|seq| *seq <= newest);
        Ok::<_, ApiError>((seqs.map(|seq| Target::Found(seq, at)).collect(), filter))
    });
    read.await
}

async fn outcome(app: &Shared, batch: i64, all: Outcome) -> Answer<BulkOutcome> {
    let Outcome { changed, refused } = all;
    let read = app.read(move |app, snapshot| {
        let refused = refused.into_iter().map(|one| with_name(app, snapshot, one));
        Ok::<_, ApiError>(BulkOutcome {
            batch,
            changed,
            refused: refused.collect::<ApiResult<_>>()?,
        })
    });
    read.await.map(axum::Json)
}

fn with_name(app: &App, snapshot: &Snapshot<'_>, refused: Refused) -> ApiResult<Refused> {
    let Some(row) = snapshot.listed_of(&refused.id)? else {
        return Ok(refused);
    };
    let listed = open_listed(snapshot, &app.vault, &row)?;
    let name = format!("{} {}", listed.nome, listed.cognome);
    Ok(Refused { name, ..refused })
}
