//! The id in a path; one that cannot be an id names nothing, and is told like any other that does not.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use utoipa::IntoParams;

use super::problem::{ApiError, ApiResult, Kind};
use crate::actions;

/// The id of a report, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id"), parameter_in = Path)]
pub struct ReportId(
    /// 36-character id
    pub String,
);

impl<S: Send + Sync> FromRequestParts<S> for ReportId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(Kind::NOT_FOUND.into()),
        }
    }
}

/// Two reports, as they stand in the path.
#[derive(IntoParams)]
#[into_params(names("id", "other"), parameter_in = Path)]
pub struct LinkPath(
    /// 36-character id
    pub String,
    /// 36-character id of the other report
    pub String,
);

impl<S: Send + Sync> FromRequestParts<S> for LinkPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<(String, String)>::from_request_parts(parts, state).await {
            Ok(Path((id, other))) => Ok(Self(id, other)),
            Err(_) => Err(Kind::NOT_FOUND.into()),
        }
    }
}

/// The id of a person, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id"), parameter_in = Path)]
pub struct PersonId(
    /// 36-character id
    pub String,
);

impl<S: Send + Sync> FromRequestParts<S> for PersonId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(actions::Error::PersonNotFound.into()),
        }
    }
}

/// The number of a label, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id"), parameter_in = Path)]
pub struct LabelId(
    /// Numero dell'etichetta
    pub u8,
);

impl<S: Send + Sync> FromRequestParts<S> for LabelId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<u8>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(Kind::NOT_FOUND.saying("Questa etichetta non c'è più.")),
        }
    }
}

/// The number of a change of many reports, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("batch"), parameter_in = Path)]
pub struct BatchId(
    /// Numero della modifica
    pub i64,
);

impl<S: Send + Sync> FromRequestParts<S> for BatchId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<i64>::from_request_parts(parts, state).await {
            Ok(Path(batch)) => Ok(Self(batch)),
            Err(_) => Err(Kind::NOT_FOUND.saying("Questa modifica non c'è.")),
        }
    }
}

/// A file of a report, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id", "n"), parameter_in = Path)]
pub struct AttachmentPath(
    /// 36-character id
    pub String,
    /// Numero dell'allegato
    pub i64,
);

impl<S: Send + Sync> FromRequestParts<S> for AttachmentPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<(String, i64)>::from_request_parts(parts, state).await {
            Ok(Path((id, n))) => Ok(Self(id, n)),
            Err(_) => Err(Kind::NOT_FOUND.saying("Questo allegato non c'è.")),
        }
    }
}

/// A comment on a report, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id", "n"), parameter_in = Path)]
pub struct CommentPath(
    /// 36-character id
    pub String,
    /// Numero del commento
    pub i64,
);

impl<S: Send + Sync> FromRequestParts<S> for CommentPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<(String, i64)>::from_request_parts(parts, state).await {
            Ok(Path((id, n))) => Ok(Self(id, n)),
            Err(_) => Err(Kind::NOT_FOUND.saying("Questo commento non c'è più.")),
        }
    }
}

/// The number of a delivery, as it stands in the path.
#[derive(IntoParams)]
#[into_params(names("id"), parameter_in = Path)]
pub struct DeliveryId(
    /// Numero della consegna
    pub i64,
);

impl<S: Send + Sync> FromRequestParts<S> for DeliveryId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        match Path::<i64>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(actions::Error::DeliveryNotFound.into()),
        }
    }
}
