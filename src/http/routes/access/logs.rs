//! The administrators' access log: read it, with its statistics, and empty it.
//! Must never be readable without a session, nor be emptied without an entry that says so.

use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::access::log_access::clear_logs;
use crate::clock::days_back;
use crate::domain::moment::rfc3339;
use crate::http::query::{Strict, limit};
use crate::http::routes::{Administrator, Answer, ApiError, ApiResult, Json, Shared};
use crate::store::{AccessEntry, Action, LogCounts, LogKind};

const LIMIT: usize = 200;
/// Entries of refusals in an answer of all actions: a flood of them must not push out what was done.
const REFUSALS: usize = 20;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
const WEEK_DAYS: u16 = 7;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// 1 to 200; 200 when absent. Of all actions: so many of what was done, and as many, 20 at most, of who was not let in.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// Only this action.
    #[param(inline)]
    action: Option<Action>,
    /// Only this kind of record.
    #[param(inline)]
    kind: Option<LogKind>,
}

/// The newest entries, and figures over the whole log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccessLog {
    /// Newest first.
    pub data: Vec<AccessEntry>,
    /// Over the whole log, whatever the filter.
    pub statistics: LogStatistics,
}

/// Figures over the whole log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogStatistics {
    /// Of every action.
    pub all: LogCounts,
    /// Of failed logins.
    pub failed_logins: LogCounts,
    /// Last right password; RFC 3339, UTC.
    pub last_login: Option<String>,
}

/// The newest entries of the log, and its statistics.
#[utoipa::path(get, operation_id = "logs", path = "/logs", tag = "registro", params(LogQuery),
    responses((status = 200, body = AccessLog)))]
pub async fn get(admin: Administrator, Strict(query): Strict<LogQuery>) -> Answer<AccessLog> {
    let limit = limit(query.limit, LIMIT)?;
    flush_denials(&admin).await?;
    let log = admin.read(move |app, snapshot| {
        let now = app.clock.now_ms();
        let week = days_back(now, WEEK_DAYS, &app.time_zone);
        let counts = |action| snapshot.access_counts(now - DAY_MS, week, action);
        let all = query.action.is_none() && query.kind.is_none();
        let refused = if all { limit.min(REFUSALS) } else { limit };
        Ok::<_, ApiError>(AccessLog {
            data: snapshot.access_log(limit, refused, query.action, query.kind)?,
            statistics: LogStatistics {
                all: counts(None)?.unwrap_or_default(),
                failed_logins: counts(Some(Action::LoginFailed))?.unwrap_or_default(),
                last_login: snapshot.last_access(Action::LoginSuccess)?.map(rfc3339),
            },
        })
    });
    log.await.map(Json)
}

/// Empties the log; the one entry left says who did.
#[utoipa::path(delete, operation_id = "clear_logs", path = "/logs", tag = "registro",
    responses((status = 204, description = "Registro svuotato")))]
pub async fn delete(admin: Administrator) -> ApiResult<NoContent> {
    flush_denials(&admin).await?;
    admin.change(clear_logs).await.map(|()| NoContent)
}

/// Writes down what is counted in memory so far; on a full disk the log is read without it.
async fn flush_denials(app: &Shared) -> ApiResult<()> {
    let settled = app
        .compute(|app| app.denials.flush(&app.store, &app.vault))
        .await;
    settled.or_else(|error| error.tolerated_while_reading("refusals were not logged"))
}
