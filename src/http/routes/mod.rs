//! The routes, one file a noun; handlers are thin: they show through the readings and change through the actions.

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
use super::state::{App, Shared};
use crate::domain::invalid::Invalid;

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

pub(super) fn refusal(field: &str, code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::invalid(vec![Invalid::new(field, code, message)])
}
