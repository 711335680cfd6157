//! Query strings: an unknown or malformed parameter is refused at its name, like a field of a body.
//! Must never ignore a parameter: a mistyped filter would show other reports than asked for.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::{ApiError, ApiResult, Kind};
use super::typed::{Node, typed};

/// The parameters of a query string, empty ones left out: a form sends those for what was left open.
pub struct Strict<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let Query(mut pairs) =
            pairs.map_err(|_| Kind::BadRequest.saying("I parametri non sono leggibili."))?;
        pairs.retain(|(_, value)| !value.is_empty());
        typed(Node::query(pairs))
            .map(Self)
            .map_err(|refusal| ApiError::invalid(vec![refusal]))
    }
}
