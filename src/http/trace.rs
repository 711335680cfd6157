//! A request id on every answer; one log line and one count for every request: route, status, time.
//! Must never log or count by an address, a browser, a query or a body: on the public routes they are the reporter's.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;
use uuid::Uuid;

use super::state::Shared;

tokio::task_local! {
    /// Id of the request that this task is answering.
    static CURRENT: String;
}

/// Id of the request being answered, for a problem that a person may report.
pub fn request_id() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Logs a request under an id of our own making; what the caller sends as one is not trusted.
pub async fn trace(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let id = Uuid::new_v4().simple().to_string();
    let span = tracing::info_span!("request", %id);
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let route = route.as_deref();
    async move {
        let started = Instant::now();
        let mut response = CURRENT.scope(id.clone(), next.run(request)).await;
        let (status, took) = (response.status().as_u16(), started.elapsed());
        let (shown, ms) = (route.unwrap_or("-"), took.as_millis());
        tracing::debug!(%method, route = shown, status, ms, "answered");
        app.metrics.answered(route, method.as_str(), status, took);
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }
    .instrument(span)
    .await
}
