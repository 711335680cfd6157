//! The headers that every answer carries, errors and redirects included (ASVS 3.4), put on where it leaves. A route that knows
//! better sets `Cache-Control` or `Content-Security-Policy` itself and keeps it.

use std::sync::LazyLock;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, SERVER, STRICT_TRANSPORT_SECURITY,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The policy of a page: it may use our own scripts, styles and pictures, show what was chosen or recorded in it, and
/// call us. No inline code, and nothing from elsewhere.
pub const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; \
     connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
);

/// The policy of a page with inline styles, which are identified by their SHA-256 in Base64.
pub fn styled_policy(hash: &str) -> HeaderValue {
    let styles = format!("{STYLES} 'sha256-{hash}'");
    changed(&PAGE_POLICY, STYLES, &styles).unwrap_or(PAGE_POLICY)
}

/// The policy of a page that these sites may show in a frame; `None` where they are no header, which their check prevents.
pub fn framed_policy(policy: &HeaderValue, sites: &str) -> Option<HeaderValue> {
    changed(policy, NOBODY, &format!("{FRAMED} {sites}"))
}

fn changed(policy: &HeaderValue, from: &str, to: &str) -> Option<HeaderValue> {
    HeaderValue::try_from(policy.to_str().ok()?.replace(from, to)).ok()
}

const STYLES: &str = "style-src 'self'";
/// Who may show an answer in a frame: no site, or the page itself and the sites that follow.
const NOBODY: &str = "frame-ancestors 'none'";
const FRAMED: &str = "frame-ancestors 'self'";

/// The policy of everything else, should a browser show it as a page: it may do nothing.
pub const DATA_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
);

/// Unless a route says otherwise, an answer may hold personal data (ASVS 14.3.2).
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

const ALWAYS: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    (
        "permissions-policy",
        "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), serial=(), usb=()",
    ),
];

pub const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
/// On the pages of reporters, who may record a voice.
pub const WITH_MICROPHONE: HeaderValue = HeaderValue::from_static(
    "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(self), serial=(), usb=()",
);

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const NOT_LISTED: HeaderValue = HeaderValue::from_static("noindex, nofollow");

/// For a year browsers insist on https.
pub const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// Only where the operator says that every subdomain answers over https: the program may serve one path of a larger site.
pub const HSTS_SUBDOMAINS: HeaderValue =
    HeaderValue::from_static("max-age=31536000; includeSubDomains");

/// First parts below the base path that no search engine should list.
const UNLISTED: [&str; 6] = ["api", "admin", "login", "setup", "seguito", "modulo"];

/// Headers for which the map's table has room: a smaller one would be laid out anew for each answer.
const ROOM: usize = 24;

/// Headers of an answer, unless its route sets others.
static DATA: LazyLock<HeaderMap> = LazyLock::new(|| {
    let always = ALWAYS.map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    let own = [
        (CONTENT_SECURITY_POLICY, DATA_POLICY),
        (CACHE_CONTROL, NO_STORE),
    ];
    let mut data = HeaderMap::with_capacity(ROOM);
    data.extend(always.into_iter().chain(own));
    data
});

/// Completes what a route set; `promise` is none where browsers reach the program in the clear, and must not be told to insist on
/// https. It is put into a copy of the others, which costs less than to add those one by one.
pub fn complete(promise: Option<HeaderValue>, unlisted: bool, headers: &mut HeaderMap) {
    let own = std::mem::replace(headers, DATA.clone());
    if is_page(&own) {
        headers.insert(CONTENT_SECURITY_POLICY, PAGE_POLICY);
    }
    let policy = own
        .get(CONTENT_SECURITY_POLICY)
        .and_then(|policy| policy.to_str().ok());
    if policy.is_some_and(|policy| policy.contains(FRAMED)) {
        // This header knows no list; browsers that know the policy pass it over.
        headers.remove(X_FRAME_OPTIONS);
    }
    headers.extend(own);
    if let Some(promise) = promise {
        headers.insert(STRICT_TRANSPORT_SECURITY, promise);
    }
    if unlisted {
        headers.insert(ROBOTS, NOT_LISTED);
    }
    headers.remove(SERVER);
}

pub fn is_page(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    kind.is_some_and(|kind| kind.starts_with(b"text/html"))
}

pub fn is_unlisted(path: &str) -> bool {
    let below = path.strip_prefix("/paibeta/").unwrap_or_default();
    let first = below.split('/').next().unwrap_or_default();
    UNLISTED.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::caught;
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::http::{Method, StatusCode};
    use axum::middleware::{Next, from_fn};
    use axum::response::{Html, Redirect};
    use axum::routing::get;
    use tower::ServiceExt as _;

    fn app() -> Router {
        Router::new()
            .route("/paibeta/", get(async || Html("<p>ciao</p>")))
            .route("/paibeta/admin/list", get(async || Html("<p>ciao</p>")))
            .route("/paibeta/admin", get(async || Redirect::to("/paibeta/")))
            .route(
                "/paibeta/api/status",
                get(async || ([(CONTENT_TYPE, "application/json")], "{}")),
            )
            .route(
                "/paibeta/api/broken",
                get(async || (StatusCode::INTERNAL_SERVER_ERROR, [(SERVER, "x/1")], "")),
            )
            .route(
                "/paibeta/api/panics",
                get(async || -> &str { panic!("on purpose") }),
            )
            .route(
                "/paibeta/unchanged",
                get(async || {
                    let own = [
                        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
                        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
                    ];
                    (StatusCode::NOT_MODIFIED, own)
                }),
            )
            .layer(from_fn(async |request, next: Next| {
                caught(next.run(request)).await
            }))
    }

    async fn headers(
        promise: Option<HeaderValue>,
        method: Method,
        path: &str,
    ) -> (StatusCode, HeaderMap) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(Body::empty());
        let mut response = app()
            .oneshot(request.expect("a request"))
            .await
            .expect("an answer");
        complete(promise, is_unlisted(path), response.headers_mut());
        (response.status(), response.headers().clone())
    }

    fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
        let mut values = headers.get_all(name).iter();
        let value = values
            .next()
            .map_or("", |value| value.to_str().expect("text"));
        assert!(values.next().is_none(), "{name} twice");
        value
    }

    #[tokio::test]
    async fn every_answer_carries_them_whatever_the_method_and_the_outcome() {
        let methods = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
        ];
        let paths = [
            ("/paibeta/", StatusCode::OK),
            ("/paibeta/admin", StatusCode::SEE_OTHER),
            ("/paibeta/api/status", StatusCode::OK),
            ("/paibeta/api/broken", StatusCode::INTERNAL_SERVER_ERROR),
            ("/paibeta/api/panics", StatusCode::INTERNAL_SERVER_ERROR),
            ("/paibeta/unchanged", StatusCode::NOT_MODIFIED),
            ("/paibeta/none", StatusCode::NOT_FOUND),
        ];
        for method in methods {
            for (path, when_read) in paths {
                let name: Method = method.parse().expect("a method");
                let (status, headers) = headers(Some(HSTS), name, path).await;
                let read = matches!(method, "GET" | "HEAD") || path.ends_with("none");
                let expected = if read {
                    when_read
                } else {
                    StatusCode::METHOD_NOT_ALLOWED
                };
                assert_eq!(status, expected, "{method} {path}");
                for (name, value) in [
                    ("x-content-type-options", "nosniff"),
                    ("referrer-policy", "no-referrer"),
                    ("cross-origin-opener-policy", "same-origin"),
                    ("cross-origin-resource-policy", "same-origin"),
                    ("cross-origin-embedder-policy", "require-corp"),
                    ("x-frame-options", "DENY"),
                    (
                        "permissions-policy",
                        "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), serial=(), \
                         usb=()",
                    ),
                    ("strict-transport-security", "max-age=31536000"),
                    ("server", ""),
                    ("access-control-allow-origin", ""),
                ] {
                    assert_eq!(text(&headers, name), value, "{method} {path} {name}");
                }
                let cached = if read && path.ends_with("unchanged") {
                    "no-cache"
                } else {
                    "no-store"
                };
                assert_eq!(text(&headers, "cache-control"), cached, "{method} {path}");
                assert!(
                    !text(&headers, "content-security-policy").is_empty(),
                    "{method} {path}"
                );
            }
        }
    }

    #[tokio::test]
    async fn pages_may_run_and_everything_else_is_boxed_in() {
        for (path, policy) in [
            (
                "/paibeta/",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; \
                 connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; \
                 frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            ),
            (
                "/paibeta/api/status",
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
            ),
        ] {
            let (_, headers) = headers(None, Method::GET, path).await;
            assert_eq!(text(&headers, "content-security-policy"), policy);
        }
        for (path, policy) in [
            ("/paibeta/admin/list", PAGE_POLICY),
            // A 304 updates the headers that the browser has kept: a page must stay a page.
            ("/paibeta/unchanged", PAGE_POLICY),
            ("/paibeta/admin", DATA_POLICY),
            ("/paibeta/none", DATA_POLICY),
            ("/paibeta/api/panics", DATA_POLICY),
        ] {
            let (_, headers) = headers(None, Method::GET, path).await;
            assert_eq!(
                headers.get(CONTENT_SECURITY_POLICY),
                Some(&policy),
                "{path}"
            );
        }
    }

    #[tokio::test]
    async fn plain_http_makes_no_promise_of_https() {
        let (_, headers) = headers(None, Method::GET, "/paibeta/").await;
        assert_eq!(text(&headers, "strict-transport-security"), "");
    }

    #[test]
    fn search_engines_list_the_chat_only() {
        for (path, unlisted) in [
            ("/paibeta/api/status", true),
            ("/paibeta/api", true),
            ("/paibeta/admin", true),
            ("/paibeta/admin/segnalazioni/7", true),
            ("/paibeta/login", true),
            ("/paibeta/setup", true),
            ("/paibeta", false),
            ("/paibeta/", false),
            ("/paibeta/assets/admin-1a2b.js", false),
            ("/paibeta/administrators", false),
            ("/admin", false),
        ] {
            assert_eq!(is_unlisted(path), unlisted, "{path}");
        }
    }

    #[tokio::test]
    async fn the_panel_is_unlisted() {
        let (_, headers) = headers(None, Method::GET, "/paibeta/admin/list").await;
        assert_eq!(text(&headers, "x-robots-tag"), "noindex, nofollow");
    }
}
