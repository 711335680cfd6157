//! What is answered in the clear where the program speaks TLS elsewhere: the way there (`PRODUCT.md §15`).
//! Must never redirect to a host that the request names, nor act on what was sent unencrypted.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, LOCATION};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};

/// Redirects a request for a page to the same page below `origin` (`https://host[:port]`). Everything else is refused: a form
/// that came here has already travelled in the clear, and its sender has to see that it failed.
pub fn router(origin: String) -> Router {
    Router::new().fallback(lead).with_state(origin)
}

async fn lead(State(origin): State<String>, request: Request) -> Response {
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    // An address that begins with something else, such as `*`, names no page.
    let page = request.uri().path_and_query().map(ToString::to_string);
    let page = page.filter(|page| asks && page.starts_with('/'));
    let target = page.and_then(|page| HeaderValue::try_from(origin + &page).ok());
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    match target {
        Some(target) => {
            headers.insert(LOCATION, target);
            *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        }
        None => *response.status_mut() = StatusCode::FORBIDDEN,
    }
    response.into_response()
}
