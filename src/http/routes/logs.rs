//! The administrators' access log.
//! Must never be readable without a session.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::rfc3339;
use crate::domain::invalid::Invalid;
use crate::http::admin::Admin;
use crate::http::problem::{ApiError, ApiResult, Problem};
use crate::http::query::Strict;
use crate::http::state::Shared;

/// Most entries to an answer.
const LIMIT_MAX: usize = 200;

/// How many entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// 1 to 200; 200 when absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// The newest entries.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccessLog {
    /// Newest first.
    pub data: Vec<AccessLogEntry>,
}

/// Something an administrator did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessLogEntry {
    /// When; RFC 3339, UTC.
    pub timestamp: String,
    /// What, such as `LOGIN_SUCCESS`.
    pub action: String,
    /// Address; empty for a command on the server.
    pub ip: String,
    /// Browser; empty for a command on the server.
    pub user_agent: String,
    /// The report concerned, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_id: Option<String>,
}

/// The newest entries of the log.
#[utoipa::path(get, path = "/logs", tag = "registro", params(LogQuery),
    responses((status = 200, body = AccessLog), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn get(
    State(app): State<Shared>,
    _admin: Admin,
    Strict(query): Strict<LogQuery>,
) -> ApiResult<axum::Json<AccessLog>> {
    let limit = query.limit.unwrap_or(LIMIT_MAX);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::invalid(vec![Invalid::new(
            "limit",
            "range",
            "Inserisci un numero tra 1 e 200.",
        )]));
    }
    let entries = app
        .read(move |_, snapshot| snapshot.access_log(limit))
        .await?;
    let data = entries.into_iter().map(|entry| {
        Ok(AccessLogEntry {
            timestamp: rfc3339(entry.at)?,
            action: entry.action,
            ip: entry.ip,
            user_agent: entry.user_agent,
            report_id: entry.report,
        })
    });
    Ok(axum::Json(AccessLog {
        data: data.collect::<ApiResult<_>>()?,
    }))
}
