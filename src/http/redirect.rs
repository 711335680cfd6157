//! The redirect to https for requests in the clear, when the program speaks TLS on another port (`PRODUCT.md §15`).
//! Must never redirect to a host that the request names, nor act on what was sent unencrypted.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONNECTION;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};

/// Redirects a request for a page to the same page below `origin` (`https://host[:port]`). Everything else is refused: a form
/// that came here has already travelled in the clear, and its sender has to see that it failed.
pub fn router(origin: String) -> Router {
    Router::new().fallback(lead).with_state(origin)
}

async fn lead(State(origin): State<String>, request: Request) -> Response {
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    // An address that begins with something else, such as `*`, names no page.
    let page = request.uri().path_and_query().map(ToString::to_string);
    let close = [(CONNECTION, "close")];
    match page.filter(|page| asks && page.starts_with('/')) {
        Some(page) => (close, Redirect::permanent(&(origin + &page))).into_response(),
        None => (StatusCode::FORBIDDEN, close).into_response(),
    }
}
