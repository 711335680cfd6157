//! Query strings: an unknown or malformed parameter is refused at its name, like a field of a body.
//! Must never ignore a parameter: a mistyped filter would show other reports than asked for.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::{ApiError, ApiResult};
use crate::domain::invalid::Invalid;

/// The parameters of a query string, empty ones left out.
pub struct Strict<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Query::<T>::try_from_uri(&parts.uri)
            .map(|Query(value)| Self(value))
            .map_err(|error| refusal(&error.to_string()))
    }
}

/// Names the parameter, which stands before the colon or in backticks in serde's text.
fn refusal(text: &str) -> ApiError {
    let cause = text
        .strip_prefix("Failed to deserialize query string: ")
        .unwrap_or(text);
    let unknown = cause.starts_with("unknown field");
    let name = if unknown {
        cause.split('`').nth(1)
    } else {
        cause.split(':').next()
    };
    let (code, message) = if unknown {
        ("unknown", "Parametro sconosciuto.")
    } else {
        ("value", "Valore non valido.")
    };
    ApiError::invalid(vec![Invalid::new(
        name.unwrap_or("query").trim(),
        code,
        message,
    )])
}
