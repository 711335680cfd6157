//! JSON bodies: type, size, deadline and fields checked before a handler sees them.
//! Must never answer with an internal name or position: a wrong field is named as the caller wrote it.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::problem::{ApiError, ApiResult};
use crate::domain::invalid::Invalid;

/// A whole body must have arrived by then (ASVS 15.2.2).
const BODY_DEADLINE: Duration = Duration::from_secs(15);
/// Largest body of an administrator's call, in bytes.
const ADMIN_BYTES: usize = 256 * 1024;
/// Largest body of a picture, in bytes: the largest one in base64, and its envelope.
const PICTURE_BYTES: usize = 704 * 1024;
/// Largest body of a turn, in bytes: a full draft in its token and 20,000 escaped characters fit.
const TURN_BYTES: usize = 512 * 1024;

/// The JSON body of an administrator's call.
pub struct Json<T>(pub T);

/// The JSON body of a picture handed in.
pub struct PictureJson<T>(pub T);

/// The JSON body of a turn of the chat.
pub struct TurnJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        parse(&body(request, ADMIN_BYTES).await?).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for PictureJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        parse(&body(request, PICTURE_BYTES).await?).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for TurnJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        parse(&body(request, TURN_BYTES).await?).map(Self)
    }
}

async fn body(request: Request, limit: usize) -> ApiResult<Bytes> {
    if !is_json(&request) {
        return Err(ApiError::unsupported_type());
    }
    let announced = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limit) {
        return Err(ApiError::too_large());
    }
    let collected = tokio::time::timeout(
        BODY_DEADLINE,
        Limited::new(request.into_body(), limit).collect(),
    )
    .await;
    match collected {
        Err(_) => Err(ApiError::too_slow()),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::too_large()),
        Ok(Err(_)) => Err(ApiError::bad_request("La richiesta si è interrotta.")),
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

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    // serde would also fill a struct from a list, by position.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(
            match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
                Ok(_) => ApiError::invalid(vec![Invalid::new(
                    "corpo",
                    "type",
                    "Tipo di valore non valido.",
                )]),
                Err(_) => ApiError::bad_request("Il corpo non è un JSON valido."),
            },
        );
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| refusal(&error, bytes))?;
    deserializer
        .end()
        .map_err(|_| ApiError::bad_request("Il corpo non è un JSON valido."))?;
    Ok(value)
}

fn refusal(error: &serde_path_to_error::Error<serde_json::Error>, bytes: &[u8]) -> ApiError {
    // serde_json calls a number where a word of a list is wanted a mistake of syntax.
    let is_json = || serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    if !error.inner().is_data() && !is_json() {
        return ApiError::bad_request("Il corpo non è un JSON valido.");
    }
    let text = error.inner().to_string();
    let (code, message) = match text.split(' ').next() {
        Some("unknown") if text.starts_with("unknown field") => ("unknown", "Campo sconosciuto."),
        Some("missing") => ("missing", "Campo obbligatorio."),
        Some("duplicate") => ("duplicate", "Campo ripetuto."),
        _ if text.starts_with("invalid type") => ("type", "Tipo di valore non valido."),
        _ => ("value", "Valore non valido."),
    };
    ApiError::invalid(vec![Invalid::new(
        field(error.path(), &text, code),
        code,
        message,
    )])
}

/// The field an error is about: from its path, or from its text where the path stops at the parent.
fn field(path: &serde_path_to_error::Path, text: &str, code: &str) -> String {
    let path = path.to_string();
    let named = matches!(code, "unknown" | "missing" | "duplicate")
        .then(|| text.split('`').nth(1))
        .flatten();
    match (path.as_str(), named) {
        (".", Some(name)) => name.to_owned(),
        (".", None) => "corpo".to_owned(),
        (parent, Some(name)) if parent != name && !parent.ends_with(&format!(".{name}")) => {
            format!("{parent}.{name}")
        }
        (whole, _) => whole.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[serde(rename = "text")]
        _text: String,
        #[serde(rename = "inner")]
        _inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "count")]
        _count: u8,
    }

    fn complaint(json: &str) -> String {
        format!("{:?}", parse::<Body>(json.as_bytes()).err())
    }

    #[test]
    fn names_the_field_that_is_wrong() {
        for (json, field, message) in [
            (r#"{"text":1}"#, "\"text\"", "Tipo di valore non valido."),
            ("{}", "\"text\"", "Campo obbligatorio."),
            (
                r#"{"text":"a","altro":1}"#,
                "\"altro\"",
                "Campo sconosciuto.",
            ),
            (r#"{"text":"a","text":"b"}"#, "\"text\"", "Campo ripetuto."),
            (
                r#"{"text":"a","inner":{"count":"x"}}"#,
                "\"inner.count\"",
                "Tipo di valore non valido.",
            ),
            (
                r#"{"text":"a","inner":{"count":1,"x":1}}"#,
                "\"inner.x\"",
                "Campo sconosciuto.",
            ),
            (
                r#"{"text":"a","inner":{"count":300}}"#,
                "\"inner.count\"",
                "Valore non valido.",
            ),
            ("[]", "\"corpo\"", "Tipo di valore non valido."),
            (r#"["a"]"#, "\"corpo\"", "Tipo di valore non valido."),
            ("3", "\"corpo\"", "Tipo di valore non valido."),
        ] {
            let complaint = complaint(json);
            assert!(
                complaint.contains(field) && complaint.contains(message),
                "{json}: {complaint}"
            );
        }
    }

    #[test]
    fn refuses_what_is_not_json() {
        for json in ["", "{", "{\"text\":\"a\"} x", "\u{0}"] {
            assert!(complaint(json).contains("richiesta-non-valida"), "{json}");
        }
        assert!(complaint(&"[".repeat(100_000)).contains("non"), "depth");
    }
}
