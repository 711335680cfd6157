//! JSON bodies: type, size, deadline and fields checked before a handler sees them; and those of answers.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::StreamExt as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

use super::problem::{ApiError, ApiResult, Kind};
use crate::domain::invalid::Invalid;

/// A whole body must have arrived by then (ASVS 15.2.2).
const BODY_DEADLINE: Duration = Duration::from_secs(15);
/// Bytes of a body that is too large which are let by. Who announces more is answered at once.
const LET_BY: usize = 16 * 1024 * 1024;
/// Largest body of an administrator's call, in bytes.
const ADMIN_BYTES: usize = 256 * 1024;
/// Largest body of a picture, in bytes: the largest one in base64, and its envelope.
pub const PICTURE_BYTES: usize = 704 * 1024;
/// Largest body of a turn, in bytes: a full draft in its token and 20,000 escaped characters fit.
pub const TURN_BYTES: usize = 512 * 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub struct Json<T, const LIMIT: usize = ADMIN_BYTES>(pub T);

impl<T: DeserializeOwned, S: Send + Sync, const LIMIT: usize> FromRequest<S> for Json<T, LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        read(&body(request, LIMIT).await?).map(Self)
    }
}

/// Room in bytes that is enough for most answers: `axum::Json` makes room anew as it writes.
const ANSWER: usize = 2048;

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ANSWER);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
            Err(error) => ApiError::internal(&error).into_response(),
        }
    }
}

const NO_JSON: &str = "Il corpo non è un JSON valido.";
const NO_BODY: &str = "Il corpo della richiesta è vuoto.";

fn read<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    if bytes.trim_ascii().is_empty() {
        return Err(Kind::BAD_REQUEST.saying(NO_BODY));
    }
    // A list would fill a struct by position.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(refused(".", "invalid type"));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        // The parser's own class does not tell: a number in the place of a name counts as no JSON there.
        match serde_json::from_slice::<Value>(bytes) {
            Ok(_) => refused(&error.path().to_string(), &error.inner().to_string()),
            Err(_) => Kind::BAD_REQUEST.saying(NO_JSON),
        }
    })?;
    json.end().map_err(|_| Kind::BAD_REQUEST.saying(NO_JSON))?;
    Ok(value)
}

/// Converts JSON to the type that it is meant to be.
pub fn meant<T: DeserializeOwned>(value: Value) -> ApiResult<T> {
    let read = serde_path_to_error::deserialize(value);
    read.map_err(|error| refused(&error.path().to_string(), &error.inner().to_string()))
}

/// The refusal of a field, by serde's words: in 'missing field `text` at line 1' the path ends at the parent of the field.
pub(super) fn refused(path: &str, words: &str) -> ApiError {
    const MESSAGES: [(&str, &str); 4] = [
        ("missing field `", "Campo obbligatorio."),
        ("duplicate field `", "Campo ripetuto."),
        ("unknown field", "Campo sconosciuto."),
        ("invalid type", "Tipo di valore non valido."),
    ];
    let known = MESSAGES
        .into_iter()
        .find(|(start, _)| words.starts_with(start));
    let (start, message) = known.unwrap_or(("", "Valore non valido."));
    let named = words.split('`').nth(1).filter(|_| start.ends_with('`'));
    let field = match (Some(path).filter(|path| *path != "."), named) {
        (Some(parent), Some(name)) => format!("{parent}.{name}"),
        (Some(field), None) | (None, Some(field)) => field.to_owned(),
        (None, None) => "corpo".to_owned(),
    };
    ApiError::invalid(vec![Invalid::new(field, "value", message)])
}

async fn body(request: Request, limit: usize) -> ApiResult<Bytes> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok()?.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Kind::UNSUPPORTED_TYPE.saying("Il corpo deve essere application/json."));
    }
    whole(request.into_body(), limit).await
}

/// All of a body of so many bytes at most.
pub async fn whole(mut body: Body, limit: usize) -> ApiResult<Bytes> {
    let announced = body.size_hint().lower();
    if announced > LET_BY as u64 {
        return Err(Kind::TOO_LARGE.into());
    }
    if announced > limit as u64 {
        let_by(&mut body.into_data_stream()).await;
        return Err(Kind::TOO_LARGE.into());
    }
    let collected = Limited::new(&mut body, limit).collect();
    match timeout(BODY_DEADLINE, collected).await {
        Err(_) => Err(Kind::TOO_SLOW.into()),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let_by(&mut body.into_data_stream()).await;
            Err(Kind::TOO_LARGE.into())
        }
        Ok(Err(_)) => Err(Kind::BAD_REQUEST.saying("La richiesta si è interrotta.")),
    }
}

/// Lets what is left of a body go by, as far as an honest client sends: most browsers read no answer
/// before.
pub async fn let_by(body: &mut BodyDataStream) {
    let mut left = LET_BY;
    let rest = async {
        while let Some(Ok(piece)) = body.next().await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                break;
            }
        }
    };
    // Whoever is slower than that gets the answer, if they read it.
    let _ = timeout(BODY_DEADLINE, rest).await;
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::response::IntoResponse;
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[serde(rename = "text")]
        _text: String,
        #[serde(rename = "inner")]
        _inner: Option<Inner>,
        #[serde(rename = "kind")]
        _kind: Option<Named>,
    }

    #[derive(Debug, Deserialize)]
    enum Named {
        One,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "count")]
        _count: u8,
    }

    async fn refusal(json: &str) -> (u16, Value) {
        let answer = read::<Body>(json.as_bytes()).unwrap_err().into_response();
        let status = answer.status().as_u16();
        let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let problem: Value = serde_json::from_slice(&body).unwrap();
        (status, problem["errors"].clone())
    }

    #[tokio::test]
    async fn a_refusal_names_the_field_that_is_wrong() {
        let kind = "Tipo di valore non valido.";
        for (json, field, message) in [
            (r#"{"text":1}"#, "text", kind),
            ("{}", "text", "Campo obbligatorio."),
            (r#"{"text":"a","altro":1}"#, "altro", "Campo sconosciuto."),
            (r#"{"text":"a","text":"b"}"#, "text", "Campo ripetuto."),
            (r#"{"text":"a","inner":{"count":"x"}}"#, "inner.count", kind),
            (
                r#"{"text":"a","inner":{"x":1}}"#,
                "inner.x",
                "Campo sconosciuto.",
            ),
            (
                r#"{"text":"a","inner":{}}"#,
                "inner.count",
                "Campo obbligatorio.",
            ),
            (
                r#"{"text":"a","inner":{"count":1,"count":2}}"#,
                "inner.count",
                "Campo ripetuto.",
            ),
            (
                r#"{"text":"a","inner":{"count":300}}"#,
                "inner.count",
                "Valore non valido.",
            ),
            (r#"{"text":"a","kind":1}"#, "kind", "Valore non valido."),
            (r#"{"text":"a","kind":"Two"}"#, "kind", "Valore non valido."),
            ("[]", "corpo", kind),
            (r#" ["a"]"#, "corpo", kind),
            ("3", "corpo", kind),
        ] {
            assert_eq!(
                refusal(json).await,
                (422, json!({ field: message })),
                "{json}"
            );
        }
    }

    #[tokio::test]
    async fn what_is_no_json_is_no_field() {
        for json in ["", "{", r#"{"text":"a"}x"#, r#"{"text":"\ud800"}"#] {
            assert_eq!(refusal(json).await, (400, Value::Null), "{json}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            start in prop::sample::select(vec!["", "{", r#"{"text":"#, r#"{"text":"a","inner":{"count":"#, r#"{"kind":"#, "["]),
            rest in r#"([\[\]{}:," 0-9.eE+-]|\\["nu]|text|inner|count|kind|One|null|true|\PC){0,20}"#,
            noise in prop::collection::vec(any::<u8>(), 0..4),
        ) {
            for bytes in [[start, &rest].concat().into_bytes(), [start.as_bytes(), &noise].concat()] {
                let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
                match read::<Body>(&bytes) {
                    Ok(_) => prop_assert!(is_json),
                    Err(refusal) => {
                        let status = refusal.into_response().status().as_u16();
                        prop_assert!(status == 422 || (status == 400 && !is_json), "{status}");
                    }
                }
            }
        }
    }
}
