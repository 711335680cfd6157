//! Query strings: an unknown or malformed parameter is refused at its name, like a field of a body.
//! Must never ignore a parameter: a mistyped filter would show other reports than asked for.

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;
use axum::http::uri::InvalidUri;
use serde::de::DeserializeOwned;

use super::problem::{ApiError, ApiResult};
use crate::domain::invalid::Invalid;

/// The parameters of a query string, empty ones left out.
pub struct Strict<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Strict<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let given = given(&parts.uri)?;
        Query::<T>::try_from_uri(&given)
            .map(|Query(value)| Self(value))
            .map_err(|error| refusal(&error.to_string()))
    }
}

/// The query without its empty parameters: a form sends those for what was left open.
fn given(uri: &Uri) -> ApiResult<Uri> {
    let query = uri.query().unwrap_or_default();
    let filled = |pair: &&str| {
        pair.split_once('=')
            .is_some_and(|(_, value)| !value.is_empty())
    };
    let kept: Vec<&str> = query.split('&').filter(filled).collect();
    format!("/?{}", kept.join("&"))
        .parse()
        .map_err(|error: InvalidUri| ApiError::internal(&error))
}

/// Names the parameter, which stands before the colon in serde's text.
fn refusal(text: &str) -> ApiError {
    let cause = text
        .strip_prefix("Failed to deserialize query string: ")
        .unwrap_or(text);
    let (code, message) = if cause.contains("unknown field") {
        ("unknown", "Parametro sconosciuto.")
    } else {
        ("value", "Valore non valido.")
    };
    let name = match cause.split_once(':') {
        Some((name, _)) => name,
        None => cause.split('`').nth(1).unwrap_or("query"),
    };
    ApiError::invalid(vec![Invalid::new(name.trim(), code, message)])
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wanted {
        stato: Option<String>,
        limit: Option<usize>,
    }

    fn read(query: &str) -> Result<Wanted, String> {
        let uri = given(&format!("/paibeta/api/x?{query}").parse().unwrap()).unwrap();
        Query::<Wanted>::try_from_uri(&uri)
            .map(|Query(wanted)| wanted)
            .map_err(|error| format!("{:?}", refusal(&error.to_string())))
    }

    #[test]
    fn empty_parameters_are_left_out() {
        let wanted = read("stato=&limit=7&x=").unwrap();
        assert_eq!((wanted.stato, wanted.limit), (None, Some(7)));
        assert_eq!(read("").unwrap().limit, None);
        assert_eq!(
            read("stato=In%20lavorazione").unwrap().stato.as_deref(),
            Some("In lavorazione")
        );
    }

    #[test]
    fn a_refusal_names_the_parameter() {
        let unknown = read("altro=1").unwrap_err();
        assert!(
            unknown.contains("\"altro\"") && unknown.contains("sconosciuto"),
            "{unknown}"
        );
        let wrong = read("limit=molti").unwrap_err();
        assert!(
            wrong.contains("\"limit\"") && wrong.contains("Valore non valido"),
            "{wrong}"
        );
    }
}
