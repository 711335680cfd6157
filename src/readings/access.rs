//! The administrators' access log, with figures over all of it.

use serde::Serialize;
use utoipa::ToSchema;

use super::Reading;
use crate::actions;
use crate::clock::days_back;
use crate::domain::moment::rfc3339;
use crate::store::{AccessEntry, Action, LogCounts, LogKind, Snapshot};

/// Entries of refusals in an answer of all actions: a flood of them must not push out what was done.
const REFUSALS: usize = 20;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
const WEEK_DAYS: u16 = 7;

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
    /// Counts over all actions.
    pub all: LogCounts,
    /// Counts of failed logins.
    pub failed_logins: LogCounts,
    /// When a correct password was last entered; RFC 3339, UTC.
    pub last_login: Option<String>,
}

/// The newest entries of the log, of one action or kind where one is asked for, and its statistics.
pub fn log(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    limit: usize,
    action: Option<Action>,
    kind: Option<LogKind>,
) -> actions::Result<AccessLog> {
    let now = reading.clock.now_ms();
    let week = days_back(now, WEEK_DAYS, &reading.time_zone);
    let counts = |action| snapshot.access_counts(now - DAY_MS, week, action);
    let all = action.is_none() && kind.is_none();
    let refused = if all { limit.min(REFUSALS) } else { limit };
    Ok(AccessLog {
        data: snapshot.access_log(limit, refused, action, kind)?,
        statistics: LogStatistics {
            all: counts(None)?.unwrap_or_default(),
            failed_logins: counts(Some(Action::LoginFailed))?.unwrap_or_default(),
            last_login: snapshot.last_access(Action::LoginSuccess)?.map(rfc3339),
        },
    })
}
