//! What is erased: reports that an editor names, one by one or those of a person; and what the age of reports erases.
//! Must never erase by a search of its own, answer before the erasure is on disk, nor name a report as going that stays.

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::retention::notice;
use crate::actions::desk::edit_reports::{ExpectedVersion, erase_report, erase_reports};
use crate::actions::{self, Act};
use crate::backup::sweep_left_behind;
use crate::domain::moment::rfc3339;
use crate::domain::retention::{DAY_MS, WARNING_MS};
use crate::http::path::ReportId;
use crate::http::routes::desk::reports::{expected_version, or_current};
use crate::http::routes::{
    Administrator, Answer, ApiError, ApiResult, Json, List, Reader, Shared, list_of, refusal,
};
use crate::readings::ReportHead;
use crate::store::{Erasures, Outlook};

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

/// Erases a report for good, with its note, history and deliveries; with `If-Match` only on that version.
#[utoipa::path(delete, operation_id = "erase_report", path = "/reports/{id}", tag = "segnalazioni",
    params(ReportId, ("If-Match" = Option<String>, Header, description = "Version that may be erased, in quotes; several, separated by commas, or `*` for any")),
    responses((status = 200, body = Erasure)))]
pub async fn erase(
    admin: Administrator,
    ReportId(id): ReportId,
    headers: HeaderMap,
) -> Answer<Erasure> {
    let expected = expected_version(&headers).unwrap_or(ExpectedVersion::Any);
    let (reader, target) = (Reader::clone(&admin), id.clone());
    let done = erased(admin, move |act| erase_report(act, &target, &expected)).await;
    or_current(&reader, id, done).await.map(Json)
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
    done.await.map(Json)
}

/// Lets go of what is kept in memory of erased reports.
pub(in crate::http::routes) async fn forget(app: &Shared, seqs: Vec<i64>) -> ApiResult<()> {
    app.compute(move |app| {
        app.forget_erased(&seqs);
        Ok::<_, ApiError>(())
    })
    .await
}

/// Erases, also from memory and the log of writes. Runs to its end even if the client hangs up.
async fn erased(
    admin: Administrator,
    work: impl FnOnce(&Act<'_>) -> actions::Result<Vec<i64>> + Send + 'static,
) -> ApiResult<Erasure> {
    let whole = tokio::spawn(async move {
        let seqs = admin.change(work).await?;
        let erased = seqs.len();
        forget(&admin, seqs).await?;
        let settled = complete_erasure(&admin).await?;
        Ok(Erasure { erased, settled })
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// Sees to it that nothing of what was erased is left on the disk; answers whether it is so already.
pub(in crate::http::routes) async fn complete_erasure(app: &Shared) -> ApiResult<bool> {
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
    #[serde(flatten)]
    pub outlook: Outlook,
    #[serde(flatten)]
    pub erasures: Erasures,
}

/// How long reports are kept, and what that erases.
#[utoipa::path(get, path = "/retention", tag = "impostazioni", responses((status = 200, body = Retention)))]
pub async fn retention(admin: Administrator) -> Answer<Retention> {
    let retention = admin.read(|app, snapshot| {
        let now = app.clock.now_ms();
        let notice = notice(snapshot, now)?;
        let outlook = notice.as_ref().map(|notice| snapshot.outlook(notice, now));
        let outlook = outlook.transpose()?.flatten();
        Ok::<_, ApiError>(Retention {
            days: notice.map_or(0, |notice| notice.days),
            warning_days: WARNING_MS / DAY_MS,
            outlook: outlook.unwrap_or_default(),
            erasures: snapshot.erasures()?.unwrap_or_default(),
        })
    });
    retention.await.map(Json)
}

/// A report that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpiringRow {
    #[serde(flatten)]
    head: ReportHead,
    /// When it goes; RFC 3339, UTC.
    pub scadenza: String,
}

/// The reports that their age erases within the time of the warning, the first to go first; 200 at most.
#[utoipa::path(get, path = "/retention/reports", tag = "segnalazioni", responses((status = 200, body = List<ExpiringRow>)))]
pub async fn expiring_reports(admin: Administrator) -> Answer<List<ExpiringRow>> {
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
            data.push(ExpiringRow {
                head: ReportHead::open(app.reading(), snapshot, row)?,
                scadenza: rfc3339(goes_at),
            });
        }
        Ok::<_, ApiError>(data)
    });
    list.await.map(list_of).map(Json)
}
