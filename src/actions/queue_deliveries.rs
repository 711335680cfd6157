//! What a report sets in motion (PRODUCT.md §5): a mail and a call of the webhook, put into the outbox in the report's own
//! transaction. Must never send anything, nor store a body in the clear.

use uuid::Uuid;

use super::settings::load;
use super::{Error, Result};
use crate::domain::delivery::Kind;
use crate::domain::payload::Payload;
use crate::domain::report::Report;
use crate::domain::settings::{Email, System};
use crate::store::{NewDelivery, Tx};
use crate::vault::{Vault, VaultError};

/// Where messages are from while no sender's address is set; a name that never leads anywhere (RFC 2606).
const NOWHERE: &str = "segnalazioni.invalid";

/// What a body is sealed for, together with its message's name.
pub(super) const BODY: &str = "deliveries";
/// Key of what goes to no department.
const GENERAL: &str = "generale";

/// The department that a report goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Key of the department, such as `sanita` or `generale`.
    pub key: String,
    /// Its name, as shown.
    pub name: String,
    /// Its own address; empty when it has none.
    pub email: String,
    /// Why this department, in Italian.
    pub reason: String,
    /// Words that spoke for it.
    pub matched_keywords: Vec<String>,
}

impl Assignment {
    /// What goes to no department.
    #[must_use]
    pub fn general() -> Self {
        Self {
            key: GENERAL.to_owned(),
            name: "Redazione Generale".to_owned(),
            email: String::new(),
            reason: String::new(),
            matched_keywords: Vec::new(),
        }
    }
}

/// Puts into the outbox what the settings ask for.
///
/// # Errors
/// When the database fails.
pub fn queue_deliveries(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    id: &str,
    report: &Report,
    assignment: &Assignment,
) -> Result<()> {
    let (email, system): (Email, System) = (load(tx)?, load(tx)?);
    let payload = payload(&email, id, now, report.clone(), assignment.clone());
    for kind in [Kind::Email, Kind::Webhook] {
        if let Some(destination) = destination(kind, &email, &system, &payload) {
            let message_id = new_message_id(kind, &email);
            let body = seal_body(vault, &message_id, &payload)?;
            let new = NewDelivery {
                report: id.to_owned(),
                kind,
                destination,
                message_id,
                body,
            };
            tx.insert_delivery(&new, now)?;
        }
    }
    Ok(())
}

/// What messages say of a report.
pub(super) fn payload(
    email: &Email,
    id: &str,
    received: i64,
    report: Report,
    assignment: Assignment,
) -> Payload {
    Payload {
        id: id.to_owned(),
        report,
        data_creazione: received,
        email_recipient: recipient(email, &assignment),
        department: assignment.name,
        department_key: assignment.key,
        routing_reason: assignment.reason,
        matched_keywords: assignment.matched_keywords,
    }
}

/// Where a message of this kind goes by the settings; `None` when none is to be sent.
pub(super) fn destination(
    kind: Kind,
    email: &Email,
    system: &System,
    payload: &Payload,
) -> Option<String> {
    let (wanted, address) = match kind {
        Kind::Email => (
            email.email_auto_send && !email.smtp_host.is_empty(),
            &payload.email_recipient,
        ),
        Kind::Webhook => (system.enable_webhook, &system.webhook_url),
    };
    (wanted && !address.is_empty()).then(|| address.clone())
}

/// Seals a body for the message of this name.
pub(super) fn seal_body(vault: &Vault, message_id: &str, payload: &Payload) -> Result<Vec<u8>> {
    let bytes = serde_json::to_vec(payload).map_err(|_| Error::Vault(VaultError::Damaged))?;
    Ok(vault.seal_operational(BODY, message_id, &bytes)?)
}

/// The address for the mail about a report: while routing is on the department's own, for what fits none the fallback;
/// else the newsroom's. An address that is missing is replaced by the next.
fn recipient(email: &Email, assignment: &Assignment) -> String {
    let routed = email.enable_department_routing;
    let general = assignment.key == GENERAL;
    let own = routed.then_some(&assignment.email);
    let fallback = (routed && general).then_some(&email.email_fallback);
    let newsroom = [&email.email_recipient, &email.email_fallback];
    own.into_iter()
        .chain(fallback)
        .chain(newsroom)
        .map(|address| address.trim())
        .find(|address| !address.is_empty())
        .unwrap_or_default()
        .to_owned()
}

/// A name for a message: for a mail as in RFC 5322 §3.6.4, for a webhook as the Standard Webhooks specification has it.
fn new_message_id(kind: Kind, email: &Email) -> String {
    let random = Uuid::new_v4();
    match kind {
        Kind::Email => format!("<{random}@{}>", host_of(&email.email_from)),
        Kind::Webhook => format!("msg_{}", random.simple()),
    }
}

/// The host of the sender's address, as far as it can stand in a message's name.
fn host_of(from: &str) -> &str {
    let host = from.rsplit_once('@').map_or("", |(_, host)| host);
    let host = host.trim().trim_end_matches('>');
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-".contains(character);
    if host.is_empty() || !host.chars().all(plain) {
        NOWHERE
    } else {
        host
    }
}
