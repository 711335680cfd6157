//! JSON bodies: type, size, deadline and fields checked before a handler sees them.
//! Must never hold more of a body than its limit.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::problem::{ApiError, ApiResult, Kind};
use super::typed::{Node, typed};

/// A whole body must have arrived by then (ASVS 15.2.2).
const BODY_DEADLINE: Duration = Duration::from_secs(15);
/// Largest body of an administrator's call, in bytes.
const ADMIN_BYTES: usize = 256 * 1024;
/// Largest body of a picture, in bytes: the largest one in base64, and its envelope.
pub const PICTURE_BYTES: usize = 704 * 1024;
/// Largest body of a turn, in bytes: a full draft in its token and 20,000 escaped characters fit.
pub const TURN_BYTES: usize = 512 * 1024;

/// A JSON body of at most so many bytes.
pub struct Json<T, const LIMIT: usize = ADMIN_BYTES>(pub T);

impl<T: DeserializeOwned, S: Send + Sync, const LIMIT: usize> FromRequest<S> for Json<T, LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        let bytes = body(request, LIMIT).await?;
        let node: Node = serde_json::from_slice(&bytes).map_err(|_| Kind::BadRequest)?;
        typed(node)
            .map(Self)
            .map_err(|refusal| ApiError::invalid(vec![refusal]))
    }
}

async fn body(request: Request, limit: usize) -> ApiResult<Bytes> {
    if !is_json(&request) {
        return Err(Kind::UnsupportedType.into());
    }
    let announced = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limit) {
        return Err(Kind::TooLarge.into());
    }
    let collected = tokio::time::timeout(
        BODY_DEADLINE,
        Limited::new(request.into_body(), limit).collect(),
    )
    .await;
    match collected {
        Err(_) => Err(Kind::TooSlow.into()),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Kind::TooLarge.into()),
        Ok(Err(_)) => Err(Kind::BadRequest.saying("La richiesta si è interrotta.")),
    }
}

fn is_json(request: &Request) -> bool {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
