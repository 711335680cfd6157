//! The ids in a path; one that cannot be an id names nothing, and is told like any other that does not.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use utoipa::IntoParams;

use super::problem::{ApiError, ApiResult, Kind};
use crate::actions;
use crate::domain::routing::DepartmentKey;

/// The parts of a path by name, and the refusal of values that cannot be valid.
macro_rules! paths {
    ($($name:ident($($part:literal $(#[$doc:meta])* $kind:ty),+) else $refusal:expr;)+) => {$(
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
    ReportId("id" /** 36-character id */ String) else Kind::NOT_FOUND;
    CalloutId("id" /** 36-character id */ String) else actions::Error::CalloutNotFound;
    ViewId("id" /** The id that the list gives */ String) else ApiError::not_there("Vista non trovata.");
    StoryId("id" /** 36-character id */ String) else actions::Error::StoryNotFound;
    ProposalKey("key" /** The id that the list gives */ String) else ApiError::not_there("Questa proposta non c'è più.");
    StoryReport("id" /** 36-character id */ String, "report" /** 36-character id of the report */ String)
        else actions::Error::StoryNotFound;
    DepartmentPath("key" /** Key of a department */ DepartmentKey) else actions::Error::DepartmentNotFound;
    PersonId("id" /** 36-character id */ String) else actions::Error::PersonNotFound;
    LabelId("id" /** Numero dell'etichetta */ u8) else ApiError::not_there("Questa etichetta non c'è più.");
    MessageBatch("batch" /** The id that the list gives */ String) else ApiError::not_there("Questo messaggio non c'è.");
    BatchId("batch" /** Numero della modifica */ i64) else ApiError::not_there("Questa modifica non c'è.");
    AttachmentPath("id" /** 36-character id */ String, "n" /** Numero dell'allegato */ i64)
        else ApiError::not_there("Questo allegato non c'è.");
    MessagePath("id" /** 36-character id */ String, "n" /** The number that the thread gives */ i64)
        else ApiError::not_there("Questo messaggio non c'è più.");
    ConsentId("id" /** The number that the message gives */ i64) else ApiError::not_there("Questo consenso non c'è.");
    OwnAttachment("n" /** Numero dell'allegato */ i64) else ApiError::not_there("Questo allegato non c'è.");
    CommentPath("id" /** 36-character id */ String, "n" /** Numero del commento */ i64)
        else ApiError::not_there("Questo commento non c'è più.");
    PasskeyId("id" /** The id that the list gives */ String) else actions::Error::PasskeyNotFound;
    SessionId("id" /** The id that the list gives */ String) else ApiError::not_there("Questa sessione è già finita.");
    DeliveryId("id" /** Numero della consegna */ i64) else actions::Error::DeliveryNotFound;
}
