//! The built files of the interface: scripts, pictures, fonts, from memory and compressed in advance.
//!
//! What can be served is a table made at build time; a path is looked up in it as it stands, so no path leads to a file
//! of the machine (ASVS 5.3.2). Names carry a hash of the content, so browsers may keep them. This file never decodes a
//! path and never touches the disk.

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

include!(concat!(env!("OUT_DIR"), "/ui/table.rs"));

/// Where assets live, with the slash behind.
pub const PREFIX: &str = "/paibeta/assets/";

/// A name that changes with the content may be kept for a year without asking.
pub(super) const IMMUTABLE: HeaderValue =
    HeaderValue::from_static("public, max-age=31536000, immutable");

/// One embedded file.
#[derive(Debug, Clone, Copy)]
struct Asset {
    /// Path below [`PREFIX`].
    name: &'static str,
    content_type: &'static str,
    /// Hexadecimal digest of the content.
    hash: &'static str,
    raw: &'static [u8],
    /// Compressed, where that is worth it.
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

/// Answer to `GET /paibeta/assets/{*path}`. `path` is the whole path of the request, as it came.
pub fn asset(path: &str, headers: &HeaderMap) -> Response {
    answer(ASSETS, path, headers)
}

fn answer(table: &[Asset], path: &str, headers: &HeaderMap) -> Response {
    let wanted = path.strip_prefix(PREFIX);
    let found = wanted.and_then(|name| table.iter().find(|asset| asset.name == name));
    match found {
        Some(asset) => asset.answer(headers),
        None => (StatusCode::NOT_FOUND, "Non trovato\n").into_response(),
    }
}

impl Asset {
    fn answer(&self, headers: &HeaderMap) -> Response {
        let encoding = Encoding::choose(headers, self.brotli.is_some(), self.gzip.is_some());
        let (body, name, suffix) = match encoding {
            Encoding::Brotli => (self.brotli, Some("br"), "-br"),
            Encoding::Gzip => (self.gzip, Some("gzip"), "-gz"),
            Encoding::Identity => (None, None, ""),
        };
        let tag = format!("\"{}{suffix}\"", self.hash);
        let unchanged = matches_tag(headers, &tag);
        let mut response = Response::new(Body::empty());
        let out = response.headers_mut();
        out.insert(CACHE_CONTROL, IMMUTABLE);
        out.insert(VARY, HeaderValue::from_static("accept-encoding"));
        // The tag is hexadecimal digits and a suffix from above: always a valid header.
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            out.insert(ETAG, tag);
        }
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        out.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if let Some(name) = name {
            out.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        *response.body_mut() = Body::from(Bytes::from_static(body.unwrap_or(self.raw)));
        response
    }
}

/// A form in which a body can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
    Identity,
}

impl Encoding {
    /// The best of what there is and the client takes (RFC 9110 §12.5.3): the highest quality, and among equals brotli
    /// before gzip before nothing. A client that takes none of them gets the plain form all the same.
    fn choose(headers: &HeaderMap, brotli: bool, gzip: bool) -> Self {
        let accepted = Accepted::read(headers);
        let mut best = (Self::Identity, accepted.identity());
        for (encoding, there, names) in [
            (Self::Gzip, gzip, ["gzip", "x-gzip"]),
            (Self::Brotli, brotli, ["br", "br"]),
        ] {
            let quality = accepted.quality(names);
            if there && quality > 0 && quality >= best.1 {
                best = (encoding, quality);
            }
        }
        best.0
    }
}

/// The codings of `Accept-Encoding` with their qualities in thousandths.
struct Accepted<'a>(Vec<(&'a str, u16)>);

impl<'a> Accepted<'a> {
    fn read(headers: &'a HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT_ENCODING).iter();
        let elements = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','));
        Self(elements.filter_map(coding).collect())
    }

    /// Quality of a coding: its own, or that of `*`, or 0.
    fn quality(&self, names: [&str; 2]) -> u16 {
        let own = self.find(|name| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
        own.or_else(|| self.find(|name| name == "*")).unwrap_or(0)
    }

    /// The plain form is always acceptable unless it is excluded; unnamed it ranks below everything that is named.
    fn identity(&self) -> u16 {
        self.find(|name| name.eq_ignore_ascii_case("identity"))
            .unwrap_or(0)
    }

    fn find(&self, matches: impl Fn(&str) -> bool) -> Option<u16> {
        self.0
            .iter()
            .find(|(name, _)| matches(name))
            .map(|(_, quality)| *quality)
    }
}

/// `name;q=0.5` with the quality in thousandths; `None` when the quality is not one.
fn coding(element: &str) -> Option<(&str, u16)> {
    let (name, parameters) = element.split_once(';').unwrap_or((element, "q=1"));
    let (key, value) = parameters.split_once('=')?;
    if !key.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    Some((name.trim(), thousandths(value.trim())?))
}

/// `qvalue` of RFC 9110 §12.4.2: 0 to 1 with three decimals at most.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded: u16 = format!("{decimals:0<3}").parse().ok()?;
    match whole {
        "0" => Some(padded),
        "1" if padded == 0 => Some(1000),
        _ => None,
    }
}

/// Whether the client has what carries this tag: `If-None-Match` of RFC 9110 §13.1.2, by weak comparison.
pub(super) fn matches_tag(headers: &HeaderMap, tag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lines = headers.get_all(IF_NONE_MATCH).iter();
    let mut known = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    known.any(|candidate| candidate.trim() == "*" || strong(candidate) == strong(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    const TABLE: &[Asset] = &[
        Asset {
            name: "public-1a2b3c4d.js",
            content_type: "text/javascript; charset=utf-8",
            hash: "aa",
            raw: b"plain",
            brotli: Some(b"brotli"),
            gzip: Some(b"gzip"),
        },
        Asset {
            name: "fonts/sans-1a2b3c4d.woff2",
            content_type: "font/woff2",
            hash: "bb",
            raw: b"font",
            brotli: None,
            gzip: None,
        },
    ];
    const SCRIPT: &str = "/paibeta/assets/public-1a2b3c4d.js";

    fn headers(pairs: &[(axum::http::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value.parse().expect("a header value"));
        }
        headers
    }

    async fn body(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), 1 << 20)
            .await
            .expect("a body");
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn the_client_gets_the_smallest_form_it_takes() {
        for (accepts, expected) in [
            (vec![], "plain"),
            (vec![""], "plain"),
            (vec!["gzip, deflate, br, zstd"], "brotli"),
            (vec!["gzip", "br"], "brotli"),
            (vec!["gzip"], "gzip"),
            (vec!["x-gzip"], "gzip"),
            (vec!["BR"], "brotli"),
            (vec!["GZip ; Q=0.5"], "gzip"),
            (vec!["*"], "brotli"),
            (vec!["*;q=0.1"], "brotli"),
            (vec!["br;q=0, *"], "gzip"),
            (vec!["br;q=0.5, gzip"], "gzip"),
            (vec!["br;q=0.500, gzip;q=0.5"], "brotli"),
            (vec!["br;q=0.001, gzip;q=0.002"], "gzip"),
            (vec!["br;q=0, gzip;q=0.000"], "plain"),
            (vec!["br;q=0.5, identity"], "plain"),
            (vec!["br, identity"], "brotli"),
            (vec!["br;q=0.5, identity;q=0.4"], "brotli"),
            (vec!["deflate"], "plain"),
            (vec!["identity;q=0"], "plain"),
            // A quality that is none excludes its coding.
            (vec!["br;q=2, gzip"], "gzip"),
            (vec!["br;q=0.1234, gzip"], "gzip"),
            (vec!["br;q=-1"], "plain"),
            (vec!["br;q="], "plain"),
            (vec!["br;level=9"], "plain"),
        ] {
            let lines: Vec<_> = accepts
                .iter()
                .map(|line| (ACCEPT_ENCODING, *line))
                .collect();
            let response = answer(TABLE, SCRIPT, &headers(&lines));
            let encoding = response.headers().get(CONTENT_ENCODING).cloned();
            let got = body(response).await;
            assert_eq!(got, expected, "{accepts:?}");
            let named = match expected {
                "brotli" => Some("br"),
                "gzip" => Some("gzip"),
                _ => None,
            };
            assert_eq!(
                encoding.as_ref().and_then(|value| value.to_str().ok()),
                named,
                "{accepts:?}"
            );
        }
    }

    #[tokio::test]
    async fn what_does_not_shrink_is_sent_as_it_is() {
        let response = answer(
            TABLE,
            "/paibeta/assets/fonts/sans-1a2b3c4d.woff2",
            &headers(&[(ACCEPT_ENCODING, "br, gzip")]),
        );
        assert_eq!(response.headers()[CONTENT_TYPE], "font/woff2");
        assert_eq!(response.headers()[ETAG], "\"bb\"");
        assert!(!response.headers().contains_key(CONTENT_ENCODING));
        assert_eq!(body(response).await, "font");
    }

    #[tokio::test]
    async fn an_asset_may_be_kept_and_is_not_sent_twice() {
        let br = (ACCEPT_ENCODING, "br");
        let first = answer(TABLE, SCRIPT, &headers(std::slice::from_ref(&br)));
        assert_eq!(
            first.headers()[CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
        assert_eq!(first.headers()[VARY], "accept-encoding");
        assert_eq!(
            first.headers()[CONTENT_TYPE],
            "text/javascript; charset=utf-8"
        );
        assert_eq!(first.headers()[ETAG], "\"aa-br\"");
        for (tags, unchanged) in [
            ("\"aa-br\"", true),
            ("W/\"aa-br\"", true),
            ("\"x\", \"aa-br\"", true),
            ("*", true),
            ("\"aa\"", false),
            ("\"aa-gz\"", false),
            ("aa-br", false),
        ] {
            let response = answer(
                TABLE,
                SCRIPT,
                &headers(&[br.clone(), (IF_NONE_MATCH, tags)]),
            );
            assert_eq!(
                response.status() == StatusCode::NOT_MODIFIED,
                unchanged,
                "{tags}"
            );
            assert_eq!(response.headers()[ETAG], "\"aa-br\"");
            assert_eq!(response.headers()[VARY], "accept-encoding");
            assert_eq!(response.headers()[CACHE_CONTROL], IMMUTABLE);
            assert_eq!(body(response).await.is_empty(), unchanged, "{tags}");
        }
    }

    #[tokio::test]
    async fn no_path_leads_anywhere_else() {
        for path in [
            "/paibeta/assets/",
            "/paibeta/assets",
            "/paibeta/assets/public-1a2b3c4d.js/",
            "/paibeta/assets/public-1a2b3c4d.js%00",
            "/paibeta/assets/PUBLIC-1a2b3c4d.js",
            "/paibeta/assets//public-1a2b3c4d.js",
            "/paibeta/assets/./public-1a2b3c4d.js",
            "/paibeta/assets/fonts/../public-1a2b3c4d.js",
            "/paibeta/assets/fonts%2fsans-1a2b3c4d.woff2",
            "/paibeta/assets/fonts\\sans-1a2b3c4d.woff2",
            "/paibeta/assets/../public.html",
            "/paibeta/assets/%2e%2e/public.html",
            "/paibeta/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
            "/paibeta/assets/..%c0%af..%c0%afetc/passwd",
            "/paibeta/assets/%ff",
            "/paibeta/assets//etc/passwd",
            "/paibeta/assets/public.html",
            "/paibeta/assets/manifest.json",
            "/assets/public-1a2b3c4d.js",
            "/paibeta//assets/public-1a2b3c4d.js",
        ] {
            let response = answer(TABLE, path, &HeaderMap::new());
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(body(response).await, "Non trovato\n");
        }
    }

    #[tokio::test]
    async fn the_pages_find_every_asset_they_ask_for() {
        let mut asked = 0;
        for page in [PUBLIC_HTML, ADMIN_HTML] {
            for part in page.split(PREFIX).skip(1) {
                let name = part.split('"').next().expect("the end of the attribute");
                let path = format!("{PREFIX}{name}");
                let response = asset(&path, &headers(&[(ACCEPT_ENCODING, "br, gzip")]));
                assert_eq!(response.status(), StatusCode::OK, "{name}");
                asked += 1;
            }
        }
        assert!(asked >= 2, "each page has its script");
        assert!(ASSETS.iter().all(|asset| {
            asset
                .brotli
                .is_none_or(|brotli| brotli.len() < asset.raw.len())
        }));
        let scripts = ASSETS
            .iter()
            .filter(|asset| asset.content_type.starts_with("text/javascript"));
        assert!(
            scripts
                .filter(|script| script.raw.len() > 1024)
                .all(|script| script.brotli.is_some() && script.gzip.is_some())
        );
    }
}
