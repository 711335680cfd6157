//! What the panel tells of the program itself: which one runs, made when, on real reports or invented ones.
//! Must never tell a stranger: what is installed, and how old it is, helps whoever looks for a way in.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::status::{Database, Status};
use crate::http::admin::Admin;
use crate::http::state::Shared;

/// The program that answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemInfo {
    /// Version of the program.
    pub version: &'static str,
    /// Short name of the sources it was made from; `unknown` outside of a repository.
    pub commit: &'static str,
    /// When it was made; RFC 3339, UTC.
    pub built: &'static str,
    /// State of the archive: `demo` is a demonstration.
    pub database: Database,
}

/// The program that answers.
#[utoipa::path(get, operation_id = "system_info", path = "/system", tag = "impostazioni",
    responses((status = 200, body = SystemInfo)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> axum::Json<SystemInfo> {
    let Status {
        database, version, ..
    } = Status::of(&app);
    axum::Json(SystemInfo {
        version,
        commit: env!("BUILD_COMMIT"),
        built: env!("BUILD_DATE"),
        database,
    })
}
