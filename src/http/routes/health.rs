//! Liveness for supervisors and proxies.
//! Must never say more than yes or no.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::state::{Mode, Shared};

/// `ok` when reports can be saved, else 503 and `ko`.
pub async fn healthz(State(app): State<Shared>) -> (StatusCode, &'static str) {
    if app.mode == Mode::Live && app.store.failing() {
        app.store.probe();
        (StatusCode::SERVICE_UNAVAILABLE, "ko\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}
