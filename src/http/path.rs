//! The id in a path; one that cannot be an id is an unknown report, told like any other.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::problem::{ApiError, ApiResult};

/// The id of a report, as it stands in the path.
pub struct ReportId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for ReportId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(ApiError::not_found("Segnalazione non trovata")),
        }
    }
}
