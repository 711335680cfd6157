//! How the installation is, for the panel's system page: the checks of `segnalazioni doctor`.
//! Must never be readable without a session: the checks name folders and servers.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::rfc3339;
use crate::doctor::{Check, State as Verdict};
use crate::http::admin::Admin;
use crate::http::checkup;
use crate::http::problem::ApiResult;
use crate::http::state::Shared;

/// The last examination of the installation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Examination {
    /// Whether one is under way.
    pub running: bool,
    /// When the last one began; RFC 3339, UTC. Null before the first since the start of the server.
    #[schema(required)]
    pub at: Option<String>,
    /// The worst of what it found; null before the first.
    #[schema(required)]
    pub worst: Option<Verdict>,
    /// What it found.
    pub checks: Vec<Check>,
}

/// What the last examination of the installation found, and whether one is under way. Starts none.
#[utoipa::path(get, operation_id = "examination", path = "/system/doctor", tag = "impostazioni",
    responses((status = 200, body = Examination)))]
pub async fn get(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Examination>> {
    Ok(axum::Json(travelling(app.checkup.state())?))
}

/// Begins an examination, unless one is under way, and answers at once. It asks the mail server, the webhook's server and the
/// public address, each for 10 seconds at most, reads the archive for 20 at most, and sends nothing.
#[utoipa::path(post, operation_id = "examine", path = "/system/doctor", tag = "impostazioni",
    responses((status = 200, body = Examination)))]
pub async fn post(State(app): State<Shared>, _admin: Admin) -> ApiResult<axum::Json<Examination>> {
    if let Some(turn) = app.checkup.begin() {
        let now = app.clock.now_ms();
        // Nobody waits for it: its outcome is read by the next call. A panic is logged by the process's hook.
        drop(tokio::task::spawn_blocking(move || turn.examine(now)));
    }
    Ok(axum::Json(travelling(app.checkup.state())?))
}

fn travelling(state: checkup::State) -> ApiResult<Examination> {
    let (at, checks) = state
        .last
        .map_or((None, Arc::default()), |(at, checks)| (Some(at), checks));
    Ok(Examination {
        running: state.running,
        at: at.map(rfc3339).transpose()?,
        worst: checks.iter().map(|check| check.state).max(),
        checks: checks.to_vec(),
    })
}
