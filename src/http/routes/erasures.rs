//! What is erased: reports that an editor names, one by one or those of a person; and what the age of reports erases.
//! Must never erase by a search of its own, answer before the erasure is on disk, nor name a report as going that stays.

use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reports::{Waiting, or_current, version};
use super::{Answer, ReportHead, refusal};
use crate::actions::edit_reports::{erase_report, erase_reports, present};
use crate::actions::retention::notice;
use crate::actions::sealing::{open_listed, open_report};
use crate::actions::{self, Act};
use crate::backup::sweep_left_behind;
use crate::domain::moment::rfc3339;
use crate::domain::report::Report;
use crate::domain::retention::{DAY_MS, WARNING_MS};
use crate::http::admin::{Administrator, Reader};
use crate::http::json::Json;
use crate::http::path::ReportId;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Shared};
use crate::search::{Request, Terms};
use crate::store::{ListFilter, Snapshot};

/// Reports erased by one call, and most that are listed.
const MOST: usize = 200;

/// What was erased.
#[derive(Debug, Serialize, ToSchema)]
pub struct Erasure {
    /// How many reports; those that were gone already are not among them.
    pub erased: usize,
    /// Whether every byte of them is gone from the data folder, its backups apart. Else they go as soon as the readings
    /// that are under way end, within a minute.
    pub settled: bool,
}

/// Reports to erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureList {
    /// Their ids, 1 to 200.
    #[schema(min_items = 1, max_items = 200)]
    ids: Vec<String>,
}

/// The reports of one person.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamePerson {
    /// Those with the same e-mail address or phone number, newest first, the one that was asked about included; 200 at
    /// most.
    pub data: Vec<SamePersonRow>,
    /// Whether there are more.
    pub more: bool,
}

/// A report of the same person.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamePersonRow {
    #[serde(flatten)]
    head: ReportHead,
    /// Whether the e-mail address is the same.
    pub email: bool,
    /// Whether the phone number is the same.
    pub telefono: bool,
}

/// Erases a report for good, with its note, history and deliveries; with `If-Match` only on that version.
#[utoipa::path(delete, operation_id = "erase_report", path = "/reports/{id}", tag = "segnalazioni",
    params(ReportId, ("If-Match" = Option<String>, Header, description = "Version that may be erased, in quotes")),
    responses((status = 200, body = Erasure)))]
pub async fn erase(
    admin: Administrator,
    ReportId(id): ReportId,
    headers: HeaderMap,
) -> Answer<Erasure> {
    let version = headers
        .contains_key(header::IF_MATCH)
        .then(|| version(&headers))
        .transpose()?;
    let (reader, target) = (Reader::clone(&admin), id.clone());
    let done = erased(admin, move |act| erase_report(act, &target, version)).await;
    or_current(&reader, id, done).await.map(axum::Json)
}

/// Erases the reports of these ids for good, all or none.
#[utoipa::path(post, operation_id = "erase_reports", path = "/reports/erasures", tag = "segnalazioni", request_body = ErasureList,
    responses((status = 200, body = Erasure)))]
pub async fn erase_many(admin: Administrator, Json(list): Json<ErasureList>) -> Answer<Erasure> {
    if !(1..=MOST).contains(&list.ids.len()) {
        let message = format!("Indica da 1 a {MOST} segnalazioni.");
        return Err(refusal("ids", "range", message));
    }
    let done = erased(admin, move |act| erase_reports(act, &list.ids));
    done.await.map(axum::Json)
}

/// The reports with the same e-mail address or phone number as this one.
#[utoipa::path(get, operation_id = "same_person", path = "/reports/{id}/same-person", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = SamePerson)))]
pub async fn same_person(admin: Administrator, ReportId(id): ReportId) -> Answer<SamePerson> {
    let waiting = Waiting::default();
    let cancel = waiting.token();
    let found = admin.read(move |app, snapshot| {
        let row = present(snapshot, &id)?;
        let person = open_report(snapshot, &app.vault, &row)?;
        let (all, contacts) = (ListFilter::default(), [&person.email, &person.telefono]);
        let mut seqs = vec![row.seq];
        for terms in contacts
            .map(|text| Terms::new(text, false))
            .iter()
            .flatten()
        {
            let request = Request {
                terms,
                filter: &all,
                cancel: &cancel,
            };
            seqs.extend(app.search.all(snapshot, &request)?);
        }
        seqs.sort_unstable();
        seqs.dedup();
        rows_of(app, snapshot, &person, &seqs)
    });
    found.await.map(axum::Json)
}

/// Those of the arrival numbers whose report is of this person, newest first.
fn rows_of(
    app: &App,
    snapshot: &Snapshot<'_>,
    person: &Report,
    seqs: &[i64],
) -> ApiResult<SamePerson> {
    let mut data = Vec::new();
    let same = |one: &str, other: &str| !one.is_empty() && one.eq_ignore_ascii_case(other);
    for seq in seqs.iter().rev() {
        let Some(row) = snapshot.listed_at(*seq)? else {
            continue;
        };
        let found = open_listed(snapshot, &app.vault, &row)?;
        let email = same(&person.email, &found.email);
        let telefono = same(&person.telefono, &found.telefono);
        if !email && !telefono {
            continue;
        }
        if data.len() == MOST {
            return Ok(SamePerson { data, more: true });
        }
        data.push(SamePersonRow {
            head: ReportHead::of(row, found.nome, found.cognome),
            email,
            telefono,
        });
    }
    Ok(SamePerson { data, more: false })
}

/// Erases, and sees to it that nothing is left in memory and in the log of writes. It goes on to its end also when whoever
/// asked hangs up.
async fn erased(
    admin: Administrator,
    work: impl FnOnce(&Act<'_>) -> actions::Result<Vec<i64>> + Send + 'static,
) -> ApiResult<Erasure> {
    let whole = tokio::spawn(async move {
        let seqs = admin.change(work).await?;
        admin.forget_erased(&seqs);
        let settled = settle(&admin).await?;
        Ok(Erasure {
            erased: seqs.len(),
            settled,
        })
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// Sees to it that nothing of what was erased is left on the disk; answers whether it is so already.
pub(super) async fn settle(app: &Shared) -> ApiResult<bool> {
    let settling = app.compute(|app| {
        let outcome: actions::Result<()> = app.store.settle_erasures();
        if let Err(error) = outcome {
            // The reports are gone from the database; the timed work does the rest.
            tracing::warn!(%error, "an erasure could not be settled: tried again");
        }
        // A killed restore or backup may have left a whole archive, with what is erased now.
        let swept = app.data.as_deref().map_or(Ok(()), sweep_left_behind);
        if let Err(error) = &swept {
            tracing::warn!(%error, "what a killed program left stays behind: tried again");
        }
        Ok::<_, ApiError>(app.store.erasures_are_settled() && swept.is_ok())
    });
    settling.await
}

/// How long reports are kept, and what that erases.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days for which closed reports are kept; 0: without limit.
    pub days: u32,
    /// Days for which the panel warns.
    pub warning_days: i64,
    /// Reports that will be erased within those days.
    pub warned: i64,
    /// When the first of them goes; RFC 3339, UTC.
    #[schema(required)]
    pub next: Option<String>,
    /// Reports that are old enough and stay, because nobody has opened them or they are not closed.
    pub spared: i64,
    /// Reports erased by their age so far.
    pub expired: i64,
    /// Reports erased because an editor asked for it so far.
    pub erased: i64,
}

/// How long reports are kept, and what that erases.
#[utoipa::path(get, path = "/retention", tag = "impostazioni", responses((status = 200, body = Retention)))]
pub async fn retention(admin: Administrator) -> Answer<Retention> {
    let retention = admin.read(|app, snapshot| {
        let now = app.clock.now_ms();
        let notice = notice(snapshot, now)?;
        let outlook = notice.as_ref().map(|notice| snapshot.outlook(notice, now));
        let outlook = outlook.transpose()?.flatten().unwrap_or_default();
        let erasures = snapshot.erasures()?;
        Ok::<_, ApiError>(Retention {
            days: notice.map_or(0, |notice| notice.days),
            warning_days: WARNING_MS / DAY_MS,
            warned: outlook.warned,
            next: outlook.next.map(rfc3339),
            spared: outlook.spared,
            expired: erasures.by_age,
            erased: erasures.on_request,
        })
    });
    retention.await.map(axum::Json)
}

/// Reports that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct Expiring {
    /// The first to go first; 200 at most.
    pub data: Vec<ExpiringRow>,
}

/// A report that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpiringRow {
    #[serde(flatten)]
    head: ReportHead,
    /// When it goes; RFC 3339, UTC.
    pub scadenza: String,
}

/// The reports that their age erases within the time of the warning.
#[utoipa::path(get, path = "/retention/reports", tag = "segnalazioni", responses((status = 200, body = Expiring)))]
pub async fn expiring_reports(admin: Administrator) -> Answer<Expiring> {
    let list = admin.read(|app, snapshot| {
        let mut data = Vec::new();
        let now = app.clock.now_ms();
        let soon = match notice(snapshot, now)? {
            Some(notice) => snapshot.soon_to_go(&notice, now, MOST)?,
            None => Vec::new(),
        };
        for (seq, goes_at) in soon {
            let Some(row) = snapshot.listed_at(seq)? else {
                continue;
            };
            let found = open_listed(snapshot, &app.vault, &row)?;
            data.push(ExpiringRow {
                head: ReportHead::of(row, found.nome, found.cognome),
                scadenza: rfc3339(goes_at),
            });
        }
        Ok::<_, ApiError>(Expiring { data })
    });
    list.await.map(axum::Json)
}
