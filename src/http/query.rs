//! Query strings: an unknown or malformed parameter is refused at its name, like a field of a body.
//! Must never ignore a parameter: a mistyped filter would show other reports than asked for.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::json::refused;
use super::problem::{ApiError, ApiResult};
use crate::domain::invalid::Invalid;

/// Rows to a page (PRODUCT.md §6).
const PAGE: usize = 50;
/// Most rows to an answer.
const LIMIT_MAX: usize = 200;

/// The parameters of a query string, empty ones left out: a form sends those for what was left open.
pub struct Strict<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        read(parts, |_| true).map(Self)
    }
}

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Cursor of another page, taken from an earlier answer.
    pub cursor: Option<String>,
    /// Rows per page, 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

impl PageQuery {
    pub fn limit(&self) -> ApiResult<usize> {
        limit(self.limit, PAGE)
    }
}

/// Further columns of an export.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Columns {
    /// Whether `Reparto`, `Urgente`, `Età`, `Note` and `Assegnata a` follow the other columns.
    #[serde(default)]
    #[param(required = false)]
    pub extra: bool,
    /// Id of a message to many: only the reports that it went to, with a column for each of its questions. The answers have then
    /// been read.
    pub batch: Option<String>,
}

/// Parameters that stand in a query string beside others.
pub trait NamedParameters: DeserializeOwned {
    const NAMES: &[&str];
}

impl NamedParameters for PageQuery {
    const NAMES: &[&str] = &["cursor", "limit"];
}

impl NamedParameters for Columns {
    const NAMES: &[&str] = &["extra", "batch"];
}

pub struct StrictPair<T, B>(pub T, pub B);

impl<T: DeserializeOwned, B: NamedParameters, S: Send + Sync> FromRequestParts<S>
    for StrictPair<T, B>
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let beside = |key: &str| B::NAMES.contains(&key);
        Ok(Self(read(parts, |key| !beside(key))?, read(parts, beside)?))
    }
}

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

fn read<T: DeserializeOwned>(parts: &Parts, wanted: impl Fn(&str) -> bool) -> ApiResult<T> {
    let given = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let kept = given.filter(|(key, value)| !value.is_empty() && wanted(key));
    let kept = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(kept)
        .finish();
    let parameters = serde_urlencoded::Deserializer::new(form_urlencoded::parse(kept.as_bytes()));
    serde_path_to_error::deserialize(parameters)
        .map_err(|error| refused(&error.path().to_string(), &error.inner().to_string()))
}
