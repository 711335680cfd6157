//! Refuses changes that another site's page asks the browser for (CSRF; ASVS 3.5.1).
//! Must never trust a request merely because it carries the cookie.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::ApiError;
use super::state::Shared;

/// Lets a request through unless a browser says that it comes from elsewhere. A caller that sends neither
/// `Sec-Fetch-Site` nor `Origin` is no browser, and cannot be made to carry somebody's cookie.
pub async fn refuse_cross_site(
    State(app): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    if is_ours(
        request.method(),
        request.headers(),
        app.public_origin.as_deref(),
    ) {
        next.run(request).await
    } else {
        ApiError::cross_site().into_response()
    }
}

fn is_ours(method: &Method, headers: &HeaderMap, public_origin: Option<&str>) -> bool {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return true;
    }
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            public_origin == Some(origin)
                || authority(origin).is_some_and(|host| text(header::HOST.as_str()) == Some(host))
        }
        (None, None) => true,
    }
}

fn authority(origin: &str) -> Option<&str> {
    origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn verdict(method: &Method, pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect::<HeaderMap>();
        is_ours(method, &headers, Some("https://segnala.example"))
    }

    #[test]
    fn only_our_own_pages_may_change_things() {
        let host = ("host", "127.0.0.1:8080");
        for (expected, pairs) in [
            (true, vec![host]),
            (true, vec![host, ("sec-fetch-site", "same-origin")]),
            (true, vec![host, ("sec-fetch-site", "none")]),
            (true, vec![host, ("origin", "http://127.0.0.1:8080")]),
            (true, vec![host, ("origin", "https://segnala.example")]),
            (
                true,
                vec![
                    host,
                    ("sec-fetch-site", "same-origin"),
                    ("origin", "http://127.0.0.1:8080"),
                ],
            ),
            (false, vec![host, ("sec-fetch-site", "cross-site")]),
            (false, vec![host, ("sec-fetch-site", "same-site")]),
            (false, vec![host, ("sec-fetch-site", "")]),
            (
                false,
                vec![
                    host,
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://127.0.0.1:8080"),
                ],
            ),
            (false, vec![host, ("origin", "null")]),
            (false, vec![host, ("origin", "http://127.0.0.1:8081")]),
            (false, vec![host, ("origin", "http://127.0.0.2:8080")]),
            (
                false,
                vec![host, ("origin", "http://segnala.example.evil.test")],
            ),
            (false, vec![host, ("origin", "127.0.0.1:8080")]),
            (false, vec![("origin", "http://127.0.0.1:8080")]),
        ] {
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(verdict(&method, &pairs), expected, "{method} {pairs:?}");
            }
            assert!(verdict(&Method::GET, &pairs));
        }
    }
}
