//! A request id on every answer; one log line and one count for every request: route, status, time.
//! Must never log or count by an address, a browser, a query or a body: on the public routes they are the reporter's.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use uuid::Uuid;

use super::request_id::CURRENT;
use super::state::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Logs a request under an id of our own making; what the caller sends as one is not trusted.
pub async fn trace<F: Future<Output = Response>>(
    app: &App,
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let (id, started) = (Uuid::new_v4(), Instant::now());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = CURRENT.scope(id, answer(request)).await;
    let (status, took) = (response.status().as_u16(), started.elapsed());
    let id = id.simple().to_string();
    let (route, method) = (route.as_ref().map(MatchedPath::as_str), method.as_str());
    let (shown, ms) = (route.unwrap_or("-"), took.as_millis());
    tracing::debug!(request = id, method, route = shown, status, ms, "answered");
    app.metrics.answered(route, method, status, took);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
