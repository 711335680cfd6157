//! The routes, one file a noun; handlers are thin: they read through the store and change through the actions.

pub mod access;
pub mod archive;
pub mod desk;
pub mod intake;
pub mod outbox;
pub mod pages;
pub mod people;
pub mod public;
pub mod reporter;
pub mod settings;
pub mod system;
pub mod versions;

use axum::http::{HeaderName, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::admin::{Administrator, Editor, OwnAccount, Reader};
use super::json::Json;
use super::problem::{ApiError, ApiResult, Kind};
use super::query::PageQuery;
use super::state::{App, Shared};
use crate::domain::invalid::Invalid;
use crate::store::Place;

type Answer<T> = ApiResult<Json<T>>;

/// A list of rows, in the order that the call describes.
#[derive(Serialize, ToSchema)]
pub struct List<T> {
    data: Vec<T>,
}

/// The id of a new item.
#[derive(Serialize, ToSchema)]
pub struct Created<T> {
    /// Its id.
    id: T,
}

/// The token of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The token, which follows `#` or `?email=` in the link.
    token: String,
}

fn list_of<T>(rows: impl IntoIterator<Item = T>) -> List<T> {
    let data = rows.into_iter().collect();
    List { data }
}

/// The headers of an answer that is kept as a file; its name is ASCII without quotes.
fn as_file(kind: &'static str, name: &str) -> [(HeaderName, String); 2] {
    [
        (header::CONTENT_TYPE, kind.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ]
}

/// A cursor names the number at the edge of a page: `p12` for what comes behind it, `s12` for what stands before it; `number` reads it.
fn place(page: &PageQuery, number: impl Fn(&str) -> Option<i64>) -> ApiResult<Place> {
    let Some(cursor) = &page.cursor else {
        return Ok(Place::Top);
    };
    let place = match cursor.split_at_checked(1) {
        Some(("p", digits)) => number(digits).map(Place::After),
        Some(("s", digits)) => number(digits).map(Place::Before),
        _ => None,
    };
    place.ok_or_else(no_page)
}

fn plain_number(digits: &str) -> Option<i64> {
    digits.parse().ok().filter(|number: &i64| *number >= 0)
}

fn no_page() -> ApiError {
    refusal("cursor", "format", "Pagina non valida.")
}

pub(super) fn refusal(field: &str, code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::invalid(vec![Invalid::new(field, code, message)])
}
