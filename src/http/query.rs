//! Query strings: an unknown or malformed parameter is refused at its name, like a field of a body.
//! Must never ignore a parameter: a mistyped filter would show other reports than asked for.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::problem::{ApiError, ApiResult, Kind};
use super::typed::{Node, typed};
use crate::domain::invalid::Invalid;

/// Rows to a page (PRODUCT.md §4).
const PAGE: usize = 50;
/// Most rows to an answer.
const LIMIT_MAX: usize = 200;

/// The parameters of a query string, empty ones left out: a form sends those for what was left open.
pub struct Strict<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        read(pairs(parts)?).map(Self)
    }
}

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// Cursor of another page, out of an answer.
    pub cursor: Option<String>,
    /// Rows to the page, 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

impl Page {
    /// Rows to the page.
    pub fn limit(&self) -> ApiResult<usize> {
        limit(self.limit, PAGE)
    }
}

/// The parameters of a list: which rows, and which page of them.
pub struct Paged<T>(pub T, pub Page);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Paged<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let (page, rows) = pairs(parts)?
            .into_iter()
            .partition(|(key, _)| matches!(key.as_str(), "cursor" | "limit"));
        Ok(Self(read(rows)?, read(page)?))
    }
}

/// How many rows are asked for.
pub fn limit(asked: Option<usize>, default: usize) -> ApiResult<usize> {
    let limit = asked.unwrap_or(default);
    if (1..=LIMIT_MAX).contains(&limit) {
        return Ok(limit);
    }
    let message = "Inserisci un numero tra 1 e 200.";
    Err(ApiError::invalid(vec![Invalid::new(
        "limit", "range", message,
    )]))
}

fn pairs(parts: &Parts) -> ApiResult<Vec<(String, String)>> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let Query(mut pairs) =
        pairs.map_err(|_| Kind::BadRequest.saying("I parametri non sono leggibili."))?;
    pairs.retain(|(_, value)| !value.is_empty());
    Ok(pairs)
}

fn read<T: DeserializeOwned>(pairs: Vec<(String, String)>) -> ApiResult<T> {
    typed(Node::query(pairs)).map_err(|refusal| ApiError::invalid(vec![refusal]))
}
