//! Changes of many reports at once, how far they have come, and taking them back.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::bulk::{
    self, BulkChange, BulkChanged, BulkTarget, NAMED, STEP, begin_batch, begin_undo, change_step,
    undo_step,
};
use crate::http::path::BatchId;
use crate::http::routes::desk::reports::ListMoment;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, List, Reader, list_of, refusal,
};
use crate::http::selection::{CancelOnDrop, ReportQuery, Selection};
use crate::store::{BatchRow, ListFilter};

/// Which reports to change, and how: `ids` or `filter`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkAsked {
    /// These reports, 2,000 at most.
    ids: Option<Vec<BulkId>>,
    /// Every report of this filter.
    filter: Option<ReportQuery>,
    /// Of when the list was that the caller has seen: what arrived later stays as it is, what was changed later is refused.
    shown: Option<ListMoment>,
    /// Ids of reports of the filter that stay as they are, 2,000 at most.
    #[serde(default)]
    except: Vec<String>,
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
    #[serde(flatten)]
    outcome: BulkChanged,
}

/// Changes status, department, urgency, labels or person of many reports, in steps.
#[utoipa::path(post, path = "/reports/bulk", tag = "segnalazioni", request_body = BulkAsked,
    responses((status = 200, body = BulkOutcome)))]
pub async fn change_many(admin: Editor, Json(asked): Json<BulkAsked>) -> Answer<BulkOutcome> {
    let change = asked.change;
    let among = (asked.shown, asked.except);
    let (targets, filter) = targets(&admin, asked.ids, asked.filter, among).await?;
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(async move {
        let (total, wish) = (targets.len(), change.clone());
        let session = admin.token_hash;
        let begun = admin.change(move |act| begin_batch(act, total, &wish, &session));
        let (batch, mut all) = (begun.await?, BulkChanged::default());
        for step in targets.chunks(STEP) {
            let (step, change) = (step.to_vec(), change.clone());
            let done = admin.change(move |act| change_step(act, batch, &step, &filter, &change));
            let Some(done) = done.await? else {
                break;
            };
            all.add(done);
        }
        let outcome = outcome(&admin, all).await?;
        Ok(Json(BulkOutcome { batch, outcome }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// Takes a change of many reports back; those that were changed since stay as they are.
#[utoipa::path(post, path = "/reports/bulk/{batch}/undo", tag = "segnalazioni", params(BatchId),
    responses((status = 200, body = BulkOutcome)))]
pub async fn undo(admin: Editor, BatchId(batch): BatchId) -> Answer<BulkOutcome> {
    let whole = tokio::spawn(async move {
        let session = admin.token_hash;
        admin
            .change(move |act| begin_undo(act, batch, &session))
            .await?;
        let mut all = BulkChanged::default();
        while let Some(done) = admin.change(move |act| undo_step(act, batch)).await? {
            all.add(done);
        }
        let outcome = outcome(&admin, all).await?;
        Ok(Json(BulkOutcome { batch, outcome }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// The changes of many reports that can be taken back, the latest first, and how far each has come; only the own ones for who
/// does not see all departments.
#[utoipa::path(get, path = "/reports/bulk", tag = "segnalazioni", responses((status = 200, body = List<BatchRow>)))]
pub async fn batches(admin: Editor) -> Answer<List<BatchRow>> {
    let session = admin.token_hash;
    let read =
        admin.read(move |app, snapshot| bulk::batches(snapshot, app.clock.now_ms(), &session));
    read.await.map(list_of).map(Json)
}

/// The reports that are meant, by name or by filter, and the filter that each must still pass at its turn.
pub async fn targets(
    editor: &Editor,
    ids: Option<Vec<BulkId>>,
    filter: Option<ReportQuery>,
    (shown, except): (Option<ListMoment>, Vec<String>),
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    match (ids, filter) {
        (Some(ids), None) if except.is_empty() => Ok((named(ids)?, ListFilter::default())),
        (None, Some(query)) => {
            if except.len() > NAMED {
                let message = format!("Escludi al massimo {NAMED} segnalazioni.");
                return Err(refusal("except", "range", message));
            }
            let selection = query.row_by_row(editor)?.listed(editor);
            let selection = selection.of(editor.person())?;
            select_targets(editor, selection, shown, except).await
        }
        _ => Err(refusal("ids", "required", "Indica «ids» oppure «filter».")),
    }
}

fn named(ids: Vec<BulkId>) -> ApiResult<Vec<BulkTarget>> {
    if !(1..=NAMED).contains(&ids.len()) {
        let message = format!("Indica da 1 a {NAMED} segnalazioni.");
        return Err(refusal("ids", "range", message));
    }
    let mut seen = HashSet::new();
    let pairs = ids.into_iter().map(|one| match one {
        BulkId::Plain(id) => (id, None),
        BulkId::Shown(shown) => (shown.id, Some(shown.version)),
    });
    let once = pairs.filter(|(id, _)| seen.insert(id.clone()));
    Ok(once
        .map(|(id, version)| BulkTarget::Named(id, version))
        .collect())
}

/// All reports of a selection but these, without those that arrived after it was shown.
async fn select_targets(
    reader: &Reader,
    selection: Selection,
    shown: Option<ListMoment>,
    except: Vec<String>,
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let read = reader.read(move |app, snapshot| {
        let seqs = selection.all(app, snapshot, &cancel)?;
        // A caller who does not see all departments would learn arrival numbers by it.
        let newest = shown.and_then(|shown| shown.newest);
        let newest = newest.filter(|_| snapshot.visible_departments().is_all());
        let newest = newest.unwrap_or(i64::MAX);
        let at = shown.map_or(i64::MAX, |shown| shown.at);
        let rows = except.iter().map(|id| snapshot.listed_of(id));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let left: HashSet<i64> = rows.into_iter().flatten().map(|row| row.seq).collect();
        let wanted = |seq: &i64| *seq <= newest && !left.contains(seq);
        let seqs = seqs.into_iter().filter(wanted);
        Ok::<_, ApiError>((
            seqs.map(|seq| BulkTarget::Found(seq, at)).collect(),
            selection.filter,
        ))
    });
    read.await
}

/// The same, with whose the refused reports are.
pub async fn outcome(reader: &Reader, mut outcome: BulkChanged) -> ApiResult<BulkChanged> {
    let read = reader.read(move |app, snapshot| {
        for refused in &mut outcome.refused {
            if let Some(row) = snapshot.listed_of(&refused.id)? {
                let listed = open_listed(snapshot, &app.vault, &row)?;
                refused.name = format!("{} {}", listed.nome, listed.cognome);
            }
        }
        Ok::<_, ApiError>(outcome)
    });
    read.await
}
