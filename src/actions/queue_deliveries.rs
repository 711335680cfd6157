//! What a report sets in motion (PRODUCT.md §5): a mail and a call of the webhook, put into the outbox in the report's own
//! transaction. Must never send anything, nor store a body in the clear.

use uuid::Uuid;

use super::settings::load;
use super::{Error, Result};
use crate::domain::delivery::Kind;
use crate::domain::payload::Payload;
use crate::domain::report::Report;
use crate::domain::routing::{Analysis, Config};
use crate::domain::settings::{Email, System};
use crate::store::{NewDelivery, Tx};
use crate::vault::{Vault, VaultError};

/// Where messages are from while no sender's address is set; a name that never leads anywhere (RFC 2606).
const NOWHERE: &str = "segnalazioni.invalid";

/// What a body is sealed for, together with its message's name.
pub(super) const BODY: &str = "deliveries";

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
    analysis: &Analysis,
) -> Result<()> {
    let (email, system): (Email, System) = (load(tx)?, load(tx)?);
    let payload = payload(&email, id, now, report.clone(), analysis.clone());
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
    analysis: Analysis,
) -> Payload {
    Payload {
        id: id.to_owned(),
        report,
        data_creazione: received,
        email_recipient: Config::from(email).email(analysis.department).to_owned(),
        department: analysis.department.name().to_owned(),
        department_key: analysis.department.key().to_owned(),
        routing_reason: analysis.reason,
        matched_keywords: analysis.words,
        urgente: analysis.urgente,
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
