//! The ids in a path; one that cannot be an id names nothing, and is told like any other that does not.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use utoipa::IntoParams;

use super::problem::{ApiError, ApiResult, Kind};
use crate::actions;

/// What stands in a path, by the names of its parts, and how it is refused where it cannot be that.
macro_rules! paths {
    ($($(#[$about:meta])* $name:ident($($part:literal $(#[$doc:meta])* $kind:ty),+) else $refusal:expr;)+) => {$(
        $(#[$about])*
        #[derive(IntoParams)]
        #[into_params(names($($part),+), parameter_in = Path)]
        pub struct $name($($(#[$doc])* pub $kind),+);

        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
                pastey::paste! {
                    let read = Path::<($($kind,)+)>::from_request_parts(parts, state).await;
                    let Path(($([<$part:lower>],)+)) = read.map_err(|_| ApiError::from($refusal))?;
                    Ok(Self($([<$part:lower>]),+))
                }
            }
        }
    )+};
}

paths! {
    /// The id of a report, as it stands in the path.
    ReportId("id" /** 36-character id */ String) else Kind::NOT_FOUND;
    /// Two reports, as they stand in the path.
    LinkPath("id" /** 36-character id */ String, "other" /** 36-character id of the other report */ String)
        else Kind::NOT_FOUND;
    /// The id of a person, as it stands in the path.
    PersonId("id" /** 36-character id */ String) else actions::Error::PersonNotFound;
    /// The number of a label, as it stands in the path.
    LabelId("id" /** Numero dell'etichetta */ u8) else Kind::NOT_FOUND.saying("Questa etichetta non c'è più.");
    /// The number of a change of many reports, as it stands in the path.
    BatchId("batch" /** Numero della modifica */ i64) else Kind::NOT_FOUND.saying("Questa modifica non c'è.");
    /// A file of a report, as it stands in the path.
    AttachmentPath("id" /** 36-character id */ String, "n" /** Numero dell'allegato */ i64)
        else Kind::NOT_FOUND.saying("Questo allegato non c'è.");
    /// A comment on a report, as it stands in the path.
    CommentPath("id" /** 36-character id */ String, "n" /** Numero del commento */ i64)
        else Kind::NOT_FOUND.saying("Questo commento non c'è più.");
    /// A session of one's own, as it stands in the path.
    SessionId("id" /** As the list has it */ String) else Kind::NOT_FOUND.saying("Questa sessione è già finita.");
    /// The number of a delivery, as it stands in the path.
    DeliveryId("id" /** Numero della consegna */ i64) else actions::Error::DeliveryNotFound;
}
