//! The version that a change names, and the version that an answer carries.

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use super::Json;
use crate::actions::desk::edit_reports::ExpectedVersion;

/// The versions that `If-Match` names (RFC 9110 §13.1.1), if it is present. A foreign tag matches nothing.
pub fn expected_version(headers: &HeaderMap) -> Option<ExpectedVersion> {
    headers.get(header::IF_MATCH)?;
    let lines = headers.get_all(header::IF_MATCH).iter();
    let tags = lines.flat_map(|line| line.to_str().unwrap_or_default().split(','));
    let tags: Vec<&str> = tags.map(str::trim).collect();
    if tags == ["*"] {
        return Some(ExpectedVersion::Any);
    }
    let versions = tags.iter().map(|tag| tag.trim_matches('"').parse());
    Some(ExpectedVersion::OneOf(versions.flatten().collect()))
}

/// An answer with its version as the entity tag.
pub fn tagged(version: i64, read: impl Serialize) -> Response {
    let tag = format!("\"{version}\"");
    ([(header::ETAG, tag)], Json(read)).into_response()
}
