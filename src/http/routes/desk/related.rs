//! Reports that are related to a report: by the same person, or perhaps about the same matter.

use crate::http::path::ReportId;
use crate::http::routes::{Answer, Json, Reader};
use crate::readings::desk::related::{self, Related};

/// The reports that are related to a report.
#[utoipa::path(get, operation_id = "related_reports", path = "/reports/{id}/related", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = Related)))]
pub async fn related(admin: Reader, ReportId(id): ReportId) -> Answer<Related> {
    let read = admin.read(move |reading, snapshot| related::related(reading, snapshot, &id));
    read.await.map(Json)
}
