//! The administrators' access log: read it, with its statistics, and empty it.
//! Must never be readable without a session, nor be emptied without an entry that says so.

use axum::response::NoContent;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::actions::access::log_access::clear_logs;
use crate::http::query::{Strict, limit};
use crate::http::routes::{Administrator, Answer, ApiResult, Json, Shared};
use crate::readings::access::{self, AccessLog};
use crate::store::{Action, LogKind};

const LIMIT: usize = 200;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// Number of entries, 1 to 200; 200 when absent. Without a filter the answer holds that many actions and, besides,
    /// at most 20 refused logins.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// Only this action.
    #[param(inline)]
    action: Option<Action>,
    /// Only this kind of record.
    #[param(inline)]
    kind: Option<LogKind>,
}

/// The newest entries of the log, and its statistics.
#[utoipa::path(get, operation_id = "logs", path = "/logs", tag = "registro", params(LogQuery),
    responses((status = 200, body = AccessLog)))]
pub async fn get(admin: Administrator, Strict(query): Strict<LogQuery>) -> Answer<AccessLog> {
    let limit = limit(query.limit, LIMIT)?;
    flush_denials(&admin).await?;
    let LogQuery { action, kind, .. } = query;
    let log =
        admin.read(move |reading, snapshot| access::log(reading, snapshot, limit, action, kind));
    log.await.map(Json)
}

/// Empties the log. One entry remains, which says who emptied it.
#[utoipa::path(delete, operation_id = "clear_logs", path = "/logs", tag = "registro",
    responses((status = 204, description = "The access log is empty")))]
pub async fn delete(admin: Administrator) -> ApiResult<NoContent> {
    flush_denials(&admin).await?;
    admin.change(clear_logs).await.map(|()| NoContent)
}

/// Writes down what is counted in memory so far; on a full disk the log is read without it.
async fn flush_denials(app: &Shared) -> ApiResult<()> {
    let settled = app
        .compute(|app| app.visitors.denials.flush(&app.store, &app.vault))
        .await;
    settled.or_else(|error| error.tolerated_while_reading("refusals were not logged"))
}
