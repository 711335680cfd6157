//! Calls another program's webhook about one report (PRODUCT.md §5): the body, the signature of the Standard Webhooks
//! specification, one POST. It must never follow a redirect, go through a proxy, or connect to an address other than the
//! one that was checked.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};
use ureq::http::StatusCode;
use ureq::http::header::InvalidHeaderValue;
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::DefaultConnector;
use zeroize::Zeroizing;

use super::certificate_fault;
use super::policy::{OutboundPolicy, Refused};
use crate::domain::delivery::Failure;
use crate::domain::payload::Payload;
use crate::domain::report::Report;
use crate::domain::settings::WebhookPayload;

/// As much of the answer as is read; nothing of it is used but the status.
const ANSWER_MAX: u64 = 64 * 1024;
/// Where the key cannot stand in a header: of all headers it is the only one that somebody typed.
const UNFIT_KEY: &str = "La chiave API del webhook contiene caratteri che una chiamata non può portare: inseriscine un'altra.";
const PRIVATE: &str = "L'indirizzo del webhook porta dentro questa macchina o una rete privata: chi gestisce il server può \
                       permetterlo con outbound_allow nel file di configurazione.";
const PLAIN: &str =
    "L'indirizzo del webhook deve iniziare con https://: le segnalazioni viaggerebbero in chiaro.";

/// Where to call, and with what.
pub struct Hook {
    /// Address of the other program.
    pub url: String,
    /// Key sent as `Authorization: Bearer`.
    pub api_key: Option<Zeroizing<String>>,
    /// Keys that sign the call; every one of them, so that the receiver can change over from one to the next.
    /// As they were shown: `whsec_` and base64.
    pub signing: Vec<Zeroizing<String>>,
    /// What may be called, and for how long.
    pub policy: OutboundPolicy,
}

/// The whole of a report.
#[derive(Serialize)]
struct Full<'a> {
    id: &'a str,
    #[serde(flatten)]
    report: &'a Report,
    urgente: bool,
    timestamp: &'a str,
}

/// The body of a call about a report. The same report always gives the same bytes. `link` leads to the report in the
/// panel.
pub fn body(payload: &Payload, what: WebhookPayload, link: &str) -> Vec<u8> {
    let at = rfc3339(payload.data_creazione);
    let data = match what {
        WebhookPayload::Full => json!(Full {
            id: &payload.id,
            report: &payload.report,
            urgente: payload.urgent,
            timestamp: &at,
        }),
        WebhookPayload::Thin => json!({
            "id": payload.id,
            "department": payload.department,
            "link": link,
            "urgente": payload.urgent,
            "timestamp": at,
        }),
    };
    json!({ "event": "new_report", "timestamp": at, "data": data })
        .to_string()
        .into_bytes()
}

/// The body of a test call.
pub fn test_body(product: &str, now_ms: i64) -> Vec<u8> {
    let at = rfc3339(now_ms);
    json!({
        "test": true,
        "timestamp": at,
        "message": format!("Test webhook da {product}"),
        "data": {
            "id": "test",
            "nome": "Mario",
            "cognome": "Rossi",
            "telefono": "3123456789",
            "email": "mario.rossi@example.com",
            "indirizzo": "Via Roma 1, 00100 Roma",
            "segnalazione": "Questa è una segnalazione di prova.",
            "eta": 30,
            "timestamp": at,
        },
    })
    .to_string()
    .into_bytes()
}

/// A moment in RFC 3339, UTC; one beyond what that can write is given as the nearest it can.
fn rfc3339(ms: i64) -> String {
    let nearest = if ms < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_millisecond(ms)
        .unwrap_or(nearest)
        .to_string()
}

/// Calls once. `id` is the same at every repetition, so that the receiver knows a call it has had; `at_s` is the time of
/// this one, in seconds. Answers with the status of a success.
pub fn post(hook: &Hook, id: &str, at_s: i64, body: &[u8]) -> Result<u16, Failure> {
    post_through(hook, id, at_s, body, DefaultResolver::default())
}

/// As [`post`], with names resolved by `names`.
pub fn post_through(
    hook: &Hook,
    id: &str,
    at_s: i64,
    body: &[u8],
    names: impl Resolver,
) -> Result<u16, Failure> {
    let limit = hook.policy.call_limit;
    let agent = ureq::Agent::with_parts(
        hook.policy.http(),
        DefaultConnector::new(),
        hook.policy.guard(names),
    );
    let mut request = agent
        .post(&hook.url)
        .header("content-type", "application/json")
        .header(HEADER_WEBHOOK_ID, id)
        .header(HEADER_WEBHOOK_TIMESTAMP, at_s.to_string());
    if let Some(key) = &hook.api_key {
        request = request.header("authorization", format!("Bearer {}", key.as_str()));
    }
    let signatures = signatures(hook, id, at_s, body)?;
    if !signatures.is_empty() {
        request = request.header(HEADER_WEBHOOK_SIGNATURE, signatures);
    }
    let mut answer = request.send(body).map_err(|error| explain(&error, limit))?;
    let read = answer
        .body_mut()
        .with_config()
        .limit(ANSWER_MAX)
        .read_to_vec();
    if let Err(error @ ureq::Error::Timeout(_)) = read {
        return Err(explain(&error, limit));
    }
    verdict(answer.status())
}

/// `v1,…` for each key, with a space between them.
fn signatures(hook: &Hook, id: &str, at_s: i64, body: &[u8]) -> Result<String, Failure> {
    let sign = |key: &Zeroizing<String>| Webhook::new(key)?.sign(id, at_s, body);
    let all: Result<Vec<String>, _> = hook.signing.iter().map(sign).collect();
    all.map(|all| all.join(" "))
        .map_err(|_| Failure::permanent("La chiamata al webhook non si può firmare."))
}

fn verdict(status: StatusCode) -> Result<u16, Failure> {
    if status.is_success() {
        return Ok(status.as_u16());
    }
    let text = status.canonical_reason().unwrap_or_default();
    let message = format!("HTTP {}: {text}", status.as_u16());
    let message = message.trim_end_matches([':', ' ']);
    Err(if status == StatusCode::GONE {
        Failure::permanent(message)
    } else {
        Failure::passing(message)
    })
}

pub(super) fn explain(error: &ureq::Error, limit: Duration) -> Failure {
    use std::io::ErrorKind;
    match error {
        ureq::Error::Timeout(_) => Failure::passing(format!(
            "Timeout: il webhook non ha risposto entro {} secondi",
            limit.as_secs().max(1)
        )),
        ureq::Error::Other(cause) => match cause.downcast_ref() {
            Some(Refused::Private) => Failure::permanent(PRIVATE),
            Some(Refused::Plain) => Failure::permanent(PLAIN),
            None => interrupted(),
        },
        ureq::Error::HostNotFound => Failure::passing(
            "Il nome del server del webhook non è stato trovato: controlla l'indirizzo.",
        ),
        ureq::Error::Http(cause) if cause.is::<InvalidHeaderValue>() => {
            Failure::permanent(UNFIT_KEY)
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Failure::permanent("L'indirizzo del webhook non è valido.")
        }
        ureq::Error::Rustls(cause) => encrypted(certificate_fault(cause)),
        ureq::Error::Io(cause) if certificate_fault(cause).is_some() => {
            encrypted(certificate_fault(cause))
        }
        ureq::Error::Io(cause) => match cause.kind() {
            ErrorKind::ConnectionRefused => {
                Failure::passing("Il server del webhook rifiuta la connessione.")
            }
            ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
                Failure::passing("Il server del webhook non è raggiungibile.")
            }
            _ => interrupted(),
        },
        _ => interrupted(),
    }
}

fn encrypted(fault: Option<&'static str>) -> Failure {
    let why = fault.unwrap_or("la connessione cifrata non è riuscita");
    Failure::passing(format!(
        "Il server del webhook non è sicuro ({why}): non è stato inviato nulla."
    ))
}

fn interrupted() -> Failure {
    Failure::passing("Il webhook ha interrotto la connessione senza una risposta comprensibile.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_no_header_carries_is_not_blamed_on_the_address() {
        let hook = |url: &str, key: &str| Hook {
            url: url.to_owned(),
            api_key: Some(Zeroizing::new(key.to_owned())),
            signing: Vec::new(),
            policy: OutboundPolicy::default(),
        };
        let refusal = |hook: &Hook| post(hook, "msg_1", 1, b"{}").unwrap_err();
        let key = refusal(&hook("https://127.0.0.1:9/", "a\nb"));
        assert!(key.permanent && key.message.contains("chiave API"), "{key}");
        let address = refusal(&hook("https://exa mple.it/", "ab"));
        assert_eq!(
            address,
            Failure::permanent("L'indirizzo del webhook non è valido.")
        );
    }
}
