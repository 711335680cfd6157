//! Erasures: reports that an editor names, one by one or all of a person, and reports that are erased because of their
//! age. Must never erase by a search of its own, answer before the erasure is on disk, nor name a report as going that
//! stays.

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::edit_reports::{ExpectedVersion, erase_report, erase_reports};
use crate::actions::{self, Act};
use crate::http::erasing::{complete_erasure, forget};
use crate::http::path::ReportId;
use crate::http::routes::desk::reports::or_current;
use crate::http::routes::versions::expected_version;
use crate::http::routes::{
    Administrator, Answer, ApiError, ApiResult, Json, List, Reader, list_of, refusal,
};
use crate::readings::archive::retention::{self, ExpiringRow, Retention};

/// Reports erased by one call, and most that are listed.
const MOST: usize = 200;

/// The outcome of an erasure.
#[derive(Debug, Serialize, ToSchema)]
pub struct Erasure {
    /// The number of reports erased now, without those that were already gone.
    pub erased: usize,
    /// Whether every byte of them has been removed from the data folder, apart from its backups. If false, the rest is
    /// removed within a minute, once running reads have ended.
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

/// Permanently erases a report with its note, history and deliveries; with `If-Match` only in that version.
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

/// Permanently erases the reports with these ids, either all of them or none.
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

/// How long reports are kept, and which will be erased.
#[utoipa::path(get, path = "/retention", tag = "impostazioni", responses((status = 200, body = Retention)))]
pub async fn retention(admin: Administrator) -> Answer<Retention> {
    let retention = admin.read(retention::retention);
    retention.await.map(Json)
}

/// The reports that will be erased because of their age within the warning period, in order of erasure, 200 at most.
#[utoipa::path(get, path = "/retention/reports", tag = "segnalazioni", responses((status = 200, body = List<ExpiringRow>)))]
pub async fn expiring_reports(admin: Administrator) -> Answer<List<ExpiringRow>> {
    let list = admin.read(|reading, snapshot| retention::expiring(reading, snapshot, MOST));
    list.await.map(list_of).map(Json)
}
