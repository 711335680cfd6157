//! Calls another program's webhook about one report (PRODUCT.md §5): the body, the signature of the Standard Webhooks
//! specification, one POST. It must never follow a redirect, go through a proxy, or connect to an address other than the
//! one that was checked.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ipnet::IpNet;
use jiff::Timestamp;
use rustls::pki_types::CertificateDer;
use serde_json::json;
use sha2::Sha256;
use ureq::config::Config;
use ureq::http::header::InvalidHeaderValue;
use ureq::http::{StatusCode, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use zeroize::Zeroizing;

use super::addresses::{is_allowed, is_public};
use super::failure::{Failure, certificate_fault};
use crate::domain::payload::Payload;
use crate::domain::settings::WebhookPayload;

/// Limit of a whole call: name, connection, request and answer (`PRODUCT.md §5`).
pub const CALL_LIMIT: Duration = Duration::from_secs(10);
/// As much of the answer as is read; nothing of it is used but the status.
const ANSWER_MAX: u64 = 64 * 1024;
/// What a signing key begins with.
const KEY_PREFIX: &str = "whsec_";

/// Where the key cannot stand in a header: of all headers it is the only one that somebody typed.
const UNFIT_KEY: &str = "La chiave API del webhook contiene caratteri che una chiamata non può portare: inseriscine un'altra.";

/// Where to call, and with what.
pub struct Hook {
    /// Address of the other program.
    pub url: String,
    /// Key sent as `Authorization: Bearer`.
    pub api_key: Option<Zeroizing<String>>,
    /// Keys that sign the call; every one of them, so that the receiver can change over from one to the next.
    pub secrets: Vec<SigningKey>,
    /// Addresses that may be called though they are not on the public internet.
    pub allow: Vec<IpNet>,
    /// Limit of the whole call, usually [`CALL_LIMIT`].
    pub limit: Duration,
}

/// A key of the Standard Webhooks specification.
#[derive(Clone)]
pub struct SigningKey(Zeroizing<Vec<u8>>);

impl SigningKey {
    /// Reads a key as it was shown: `whsec_` and base64. `None` when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let key = STANDARD.decode(text.strip_prefix(KEY_PREFIX)?).ok()?;
        Some(Self(Zeroizing::new(key)))
    }

    /// `v1,<base64 of HMAC-SHA256 over id, time and body>` (Standard Webhooks 1.0.0). HMAC takes a key of any length, so
    /// there is always a signature.
    fn sign(&self, id: &str, at_s: i64, body: &[u8]) -> Option<String> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        let signed = mac
            .chain_update(format!("{id}.{at_s}."))
            .chain_update(body)
            .finalize();
        Some(format!("v1,{}", STANDARD.encode(signed.into_bytes())))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKey(…)")
    }
}

/// The body of a call about a report. The same report always gives the same bytes. `link` leads to the report in the
/// panel.
pub fn body(payload: &Payload, what: WebhookPayload, link: &str) -> Vec<u8> {
    let at = rfc3339(payload.data_creazione);
    let report = &payload.report;
    let data = match what {
        WebhookPayload::Full => json!({
            "id": payload.id,
            "nome": report.nome,
            "cognome": report.cognome,
            "telefono": report.telefono,
            "email": report.email,
            "indirizzo": report.indirizzo,
            "segnalazione": report.segnalazione,
            "eta": report.eta,
            "urgente": payload.is_urgent(),
            "timestamp": at,
        }),
        WebhookPayload::Thin => json!({
            "id": payload.id,
            "department": payload.department,
            "link": link,
            "urgente": payload.is_urgent(),
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
    let resolver = Guarded {
        names,
        allow: hook.allow.clone(),
    };
    let agent = ureq::Agent::with_parts(config(hook.limit), DefaultConnector::new(), resolver);
    let mut request = agent
        .post(&hook.url)
        .header("content-type", "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", at_s.to_string());
    if let Some(key) = &hook.api_key {
        request = request.header("authorization", format!("Bearer {}", key.as_str()));
    }
    let signatures: Vec<String> = hook
        .secrets
        .iter()
        .filter_map(|key| key.sign(id, at_s, body))
        .collect();
    if !signatures.is_empty() {
        request = request.header("webhook-signature", signatures.join(" "));
    }
    let mut answer = request
        .send(body)
        .map_err(|error| explain(&error, hook.limit))?;
    let read = answer
        .body_mut()
        .with_config()
        .limit(ANSWER_MAX)
        .read_to_vec();
    if let Err(error @ ureq::Error::Timeout(_)) = read {
        return Err(explain(&error, hook.limit));
    }
    verdict(answer.status())
}

/// How every call is made: within its limit, directly, to where it was sent and nowhere else.
pub(super) fn config(limit: Duration) -> Config {
    let roots: Vec<Certificate<'static>> = trusted_roots()
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect();
    ureq::Agent::config_builder()
        .timeout_global(Some(limit))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_idle_connections(0)
        .proxy(None)
        .user_agent(concat!("segnalazioni/", env!("CARGO_PKG_VERSION")))
        .tls_config(
            TlsConfig::builder()
                .root_certs(RootCerts::new_with_certs(&roots))
                .build(),
        )
        .build()
}

/// The certificates that this system trusts.
pub(super) fn trusted_roots() -> Vec<CertificateDer<'static>> {
    rustls_native_certs::load_native_certs().certs
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

/// Resolves names, and lets only addresses through that may be called. What it answers is what is connected to: there is
/// no second look-up that could say something else.
#[derive(Debug)]
pub(super) struct Guarded<R> {
    pub(super) names: R,
    pub(super) allow: Vec<IpNet>,
}

impl<R: Resolver> Resolver for Guarded<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self
            .names
            .resolve(uri, config, timeout)
            .map_err(|error| match error {
                // The system's resolver has no kind of its own for a name that does not exist.
                ureq::Error::Io(_) => ureq::Error::HostNotFound,
                other => other,
            })?;
        let encrypted = uri.scheme_str() == Some("https");
        let addresses: &[SocketAddr] = &found;
        for address in addresses {
            if !is_allowed(address.ip(), &self.allow) {
                if !is_public(address.ip()) {
                    return Err(ureq::Error::Other(Box::new(Refused::Private)));
                }
                if !encrypted {
                    return Err(ureq::Error::Other(Box::new(Refused::Plain)));
                }
            }
        }
        Ok(found)
    }
}

/// Why an address is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// It is inside this machine or a private network.
    #[error(
        "L'indirizzo del webhook porta dentro questa macchina o una rete privata: chi gestisce il server può \
         permetterlo con outbound_allow nel file di configurazione."
    )]
    Private,
    /// Reports would cross the internet in the clear.
    #[error(
        "L'indirizzo del webhook deve iniziare con https://: le segnalazioni viaggerebbero in chiaro."
    )]
    Plain,
}

pub(super) fn explain(error: &ureq::Error, limit: Duration) -> Failure {
    use std::io::ErrorKind;
    match error {
        ureq::Error::Timeout(_) => Failure::passing(format!(
            "Timeout: il webhook non ha risposto entro {} secondi",
            limit.as_secs().max(1)
        )),
        ureq::Error::Other(cause) if cause.is::<Refused>() => Failure::permanent(cause.to_string()),
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
            secrets: Vec::new(),
            allow: Vec::new(),
            limit: CALL_LIMIT,
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
