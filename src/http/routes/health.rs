//! Liveness for supervisors and proxies, and with `?deliveries` whether mail and webhook arrive.
//! Must never say more than yes or no: anybody may ask, and how much arrives is nobody's business.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::actions::delivery_standing::standing;
use crate::http::problem::ApiResult;
use crate::http::state::{Mode, Shared};

/// The parameter that asks for deliveries.
const DELIVERIES: &str = "deliveries";

/// How deliveries stand.
#[derive(Debug, Serialize)]
struct Health {
    deliveries: &'static str,
}

/// `ok` when reports can be saved, else 503 and `ko`. With `?deliveries` a JSON object instead, and 503 also when a
/// delivery was given up, keeps failing or waits too long.
pub async fn healthz(State(app): State<Shared>, RawQuery(query): RawQuery) -> ApiResult<Response> {
    if app.mode == Mode::Live && app.store.failing() {
        app.store.probe();
        return Ok((StatusCode::SERVICE_UNAVAILABLE, "ko\n").into_response());
    }
    let query = query.unwrap_or_default();
    let mut names = query.split('&').map(|pair| pair.split('=').next());
    if names.any(|name| name == Some(DELIVERIES)) {
        return deliveries(&app).await;
    }
    Ok((StatusCode::OK, "ok\n").into_response())
}

async fn deliveries(app: &Shared) -> ApiResult<Response> {
    let standing = app.read(|app, snapshot| standing(snapshot, app.clock.now_ms()));
    let (status, word) = if standing.await?.failing {
        (StatusCode::SERVICE_UNAVAILABLE, "ko")
    } else {
        (StatusCode::OK, "ok")
    };
    Ok((status, Json(Health { deliveries: word })).into_response())
}
