//! Calls a webhook about one report (PRODUCT.md §9): body, signature by Standard Webhooks, one POST.
//! It must never follow a redirect, go through a proxy, or connect to another address than the one that was checked.

use serde_json::json;
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};
use ureq::http::StatusCode;
use ureq::http::header::InvalidHeaderValue;
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::DefaultConnector;
use zeroize::Zeroizing;

use super::policy::{self, Hook, OutboundPolicy, RefusedAddress};
use crate::domain::delivery::Failure;
use crate::domain::moment::rfc3339;
use crate::domain::payload::Payload;
use crate::domain::routing::Departments;
use crate::domain::settings::WebhookPayload;

/// As much of the answer as is read; nothing of it is used but the status.
const ANSWER_MAX: u64 = 64 * 1024;
/// For a key that cannot stand in a header: of all headers it is the only one that a person typed.
const UNFIT_KEY: &str = "La chiave API del webhook contiene caratteri che una chiamata non può portare: inseriscine un'altra.";
const PLAIN: &str =
    "L'indirizzo del webhook deve iniziare con https://: le segnalazioni viaggerebbero in chiaro.";

/// The body of a call, the same bytes for the same report. `link` leads to the report in the panel.
pub fn body(
    payload: &Payload,
    departments: &Departments,
    what: WebhookPayload,
    link: &str,
) -> Vec<u8> {
    let at = rfc3339(payload.data_creazione);
    let mut data = match what {
        WebhookPayload::Full => {
            let mut data = json!(payload.report);
            if let Some(callout) = payload.callout.given() {
                data["inchiesta"] = json!(callout.inchiesta);
                data["risposte"] = json!(callout.risposte);
            }
            data
        }
        WebhookPayload::Thin => {
            let department = payload.analysis.department;
            let name = departments.name(&department);
            json!({ "department": department, "departmentName": name, "link": link })
        }
    };
    data["id"] = json!(payload.id);
    data["urgente"] = json!(payload.urgent);
    data["timestamp"] = json!(at);
    if !payload.attachments.is_empty() {
        data["attachments"] = json!(payload.attachments);
    }
    json!({ "event": "new_report", "timestamp": at, "data": data })
        .to_string()
        .into_bytes()
}

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
    let agent = hook.policy.agent(DefaultConnector::new(), names);
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
    let sent = request.send(body);
    let mut answer = sent.map_err(|error| explain(&error, &hook.policy))?;
    let rest = answer.body_mut().with_config().limit(ANSWER_MAX);
    // The status is the answer. What follows is taken as far as it comes, so that the receiver is not cut off in it.
    let _ = rest.read_to_vec();
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
    Err(Failure {
        permanent: status == StatusCode::GONE,
        ..Failure::passing(message)
    })
}

pub(super) fn explain(error: &ureq::Error, policy: &OutboundPolicy) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::passing(format!(
            "Timeout: il webhook non ha risposto entro {} secondi",
            policy.call_limit.as_secs().max(1)
        )),
        ureq::Error::Http(cause) if cause.is::<InvalidHeaderValue>() => {
            Failure::permanent(UNFIT_KEY)
        }
        ureq::Error::Other(cause)
            if matches!(cause.downcast_ref(), Some(RefusedAddress::Plain)) =>
        {
            Failure::permanent(PLAIN)
        }
        other => policy::explain(other, "del webhook"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_key_or_the_address_is_told_apart() {
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
        let plain = refusal(&hook("http://1.1.1.1/", "ab"));
        assert_eq!(plain, Failure::permanent(PLAIN));
    }
}
