//! The built interface, embedded and compressed in advance, sent in the form that the client takes.
//! A path is looked up in the embedded table as it stands, so no path leads to a file of the machine (ASVS 5.3.2).

use std::borrow::Cow;
use std::io::{self, Read as _};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use rust_embed::Embed;
use sha2::{Digest as _, Sha256};

use super::BASE;

/// `ui/dist`; what compresses well stands there as `.br` and `.gz` alone (`ui/tools/compress.mjs`).
#[derive(Embed)]
#[folder = "ui/dist"]
struct Dist;

/// A name that changes with the content may be kept for a year without asking.
pub(super) const IMMUTABLE: HeaderValue =
    HeaderValue::from_static("public, max-age=31536000, immutable");

/// Keep it, and ask each time whether it is still good.
pub(super) const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Codings in order of preference, with what ends the name of a file in them; the last is none.
const CODINGS: [(&str, &str); 3] = [("br", ".br"), ("gzip", ".gz"), PLAIN];
const PLAIN: (&str, &str) = ("plain", "");

fn coding(asked: &HeaderMap) -> usize {
    let taken = |(name, _): &(&str, &str)| accepts(asked, name);
    CODINGS.iter().position(taken).unwrap_or(CODINGS.len() - 1)
}

/// A page or a stylesheet as built, with its slots; empty for a name that the build does not have.
pub(super) fn text(name: &str) -> String {
    let file = Dist::get(name).map(|file| file.data);
    String::from_utf8_lossy(&file.unwrap_or_default()).into_owned()
}

/// An asset that is stored compressed only, at its full length, for the rare client that accepts no coding.
fn inflated(name: &str) -> Option<Embedded> {
    let (packed, hash) = embedded(&format!("{name}.gz"))?;
    let mut plain = Vec::new();
    let read = GzDecoder::new(&*packed).read_to_end(&mut plain);
    read.inspect_err(|error| tracing::error!(%error, %name, "an embedded file cannot be read"))
        .ok()?;
    Some((plain.into(), hash))
}

type Embedded = (Bytes, [u8; 32]);

fn embedded(name: &str) -> Option<Embedded> {
    let file = Dist::get(name)?;
    let hash = file.metadata.sha256_hash();
    Some(match file.data {
        Cow::Borrowed(bytes) => (Bytes::from_static(bytes), hash),
        Cow::Owned(bytes) => (bytes.into(), hash),
    })
}

/// Answer to `GET /paibeta/assets/{*path}`. `path` is the whole path of the request, as it came.
pub fn asset(path: &str, headers: &HeaderMap) -> Response {
    let name = path.strip_prefix(BASE).unwrap_or_default();
    let name = name.strip_prefix('/').unwrap_or_default();
    let kind = content_type(name);
    let answer = kind.and_then(|kind| file(name, kind, IMMUTABLE, headers));
    answer.unwrap_or_else(|| (StatusCode::NOT_FOUND, "Non trovato\n").into_response())
}

/// An embedded file in the form that the client takes; `None` for a name that the build does not have.
pub(super) fn file(
    name: &str,
    content_type: &str,
    caching: HeaderValue,
    asked: &HeaderMap,
) -> Option<Response> {
    let (coding, ending) = CODINGS[coding(asked)];
    let packed = embedded(&format!("{name}{ending}")).map(|found| (coding, found));
    let plain = || embedded(name).or_else(|| inflated(name));
    let (coding, (content, hash)) = packed.or_else(|| Some((PLAIN.0, plain()?)))?;
    let hash = hex::encode(&hash[..16]);
    Some(coded(asked, caching, content_type, &hash, coding, content))
}

fn coded(
    asked: &HeaderMap,
    caching: HeaderValue,
    content_type: &str,
    hash: &str,
    coding: &'static str,
    content: Bytes,
) -> Response {
    let tag = format!("\"{hash}-{coding}\"");
    let mut response = kept(asked, &tag, caching, content_type, content);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if coding != PLAIN.0 {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

/// A text made while the program runs, in every form in which it is sent.
pub struct Text {
    pub(super) hash: String,
    content_type: &'static str,
    /// In the order of [`CODINGS`].
    forms: [Bytes; 3],
}

impl Text {
    pub(super) fn new(text: String, content_type: &'static str) -> io::Result<Self> {
        let (mut brotli, mut gzip) = (Vec::new(), Vec::new());
        // A few milliseconds for the largest stylesheet.
        let effort = BrotliEncoderParams {
            quality: 9,
            lgwin: 16,
            ..BrotliEncoderParams::default()
        };
        BrotliCompress(&mut text.as_bytes(), &mut brotli, &effort)?;
        GzEncoder::new(text.as_bytes(), Compression::best()).read_to_end(&mut gzip)?;
        Ok(Self {
            hash: digest(&text),
            content_type,
            forms: [brotli.into(), gzip.into(), text.into()],
        })
    }

    /// The text in the form that the client takes, to be kept by this rule.
    pub(super) fn answer(&self, asked: &HeaderMap, caching: HeaderValue) -> Response {
        let coding = coding(asked);
        let (name, content) = (CODINGS[coding].0, self.forms[coding].clone());
        coded(asked, caching, self.content_type, &self.hash, name, content)
    }
}

pub(super) fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..16])
}

/// A content; without its body when the browser has it under this tag.
pub fn kept(
    asked: &HeaderMap,
    tag: &str,
    caching: HeaderValue,
    content_type: &str,
    content: impl Into<Bytes>,
) -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, caching);
    // Hexadecimal digits and a word in quotes, and a type of ours: always valid headers.
    for (name, value) in [(ETAG, tag), (CONTENT_TYPE, content_type)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    if matches_tag(asked, tag) {
        headers.remove(CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    *response.body_mut() = content.into().into();
    response
}

fn content_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.strip_prefix("assets/")?.rsplit_once('.')?;
    Some(match extension {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        _ => return None,
    })
}

/// Whether the client names this coding without excluding it (`q=0`). Finer qualities are not weighed.
pub(super) fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter();
    let mut elements = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    elements.any(|element| {
        let (name, quality) = element.split_once(';').unwrap_or((element, "q=1"));
        let excluded = quality.trim().trim_end_matches(['0', '.']);
        let excluded = excluded.eq_ignore_ascii_case("q=");
        name.trim().eq_ignore_ascii_case(coding) && !excluded
    })
}

/// Whether the client has what carries this tag: `If-None-Match` of RFC 9110 §13.1.2, by weak comparison.
fn matches_tag(headers: &HeaderMap, tag: &str) -> bool {
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

    #[test]
    fn every_embedded_asset_has_a_type() {
        let assets = Dist::iter().filter(|name| name.starts_with("assets/"));
        let mut seen = 0;
        for file in assets {
            let name = file.strip_suffix(".br").or(file.strip_suffix(".gz"));
            assert!(content_type(name.unwrap_or(&file)).is_some(), "{file}");
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn a_coding_is_taken_when_it_is_named_and_not_excluded() {
        for (line, expected) in [
            ("br", true),
            ("gzip, deflate, BR", true),
            ("gzip;q=1, br ; q=0.5", true),
            ("gzip", false),
            ("*", false),
            ("br;q=0", false),
            ("br;Q=0", false),
            ("br; q=0.000", false),
            ("", false),
        ] {
            let value = HeaderValue::from_str(line).unwrap();
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, value)]);
            assert_eq!(accepts(&headers, "br"), expected, "{line}");
        }
    }

    #[test]
    fn only_assets_are_served_and_each_under_its_own_name() {
        for path in [
            "/paibeta/assets/",
            "/paibeta/assets/../public.css",
            "/paibeta/public.html",
            "/paibeta/.vite/manifest.json",
            "/assets/x.js",
        ] {
            let answer = asset(path, &HeaderMap::new());
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        }
        let script = Dist::iter().find(|name| name.ends_with(".js.br")).unwrap();
        let path = format!("{BASE}/{}", script.trim_end_matches(".br"));
        assert_eq!(asset(&path, &HeaderMap::new()).status(), StatusCode::OK);
        let compressed = asset(&format!("{path}.br"), &HeaderMap::new());
        assert_eq!(compressed.status(), StatusCode::NOT_FOUND);
    }
}
