//! The channels by which deliveries leave, each as one value: what the settings ask of it, its secret, and what a change of
//! settings means for both. How a channel sends is `deliveries::network`.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::actions::Result;
use crate::actions::settings::sections::{Sectioned, load};
use crate::domain::delivery::{DeliveryKind, MAIL_EVERY_MS, NO_RECIPIENT, NO_SERVER, SecretName};
use crate::domain::fields::ascii_email;
use crate::domain::invalid::Invalid;
use crate::domain::routing::DepartmentKey;
use crate::domain::settings::{Email, System};
use crate::store::{Section, Snapshot};

/// Host in a message's name where the sender's address has none that fits.
const NOWHERE: &str = "segnalazioni.invalid";

const NAME_OF_SECRET: &str = "Questo è l'«ID segreto»: in Entra, «Certificati e segreti», copia la colonna «Valore». Se non si legge più, crea un \
                              segreto nuovo.";

/// The settings of all channels.
#[derive(Clone, Copy)]
pub struct Connections<'a> {
    pub email: &'a Email,
    pub system: &'a System,
}

impl<'a> Connections<'a> {
    pub fn of((email, system): &'a (Email, System)) -> Self {
        Self { email, system }
    }
}

/// The stored settings that [`Connections`] are made of.
pub fn connecting(snapshot: &Snapshot<'_>) -> Result<(Email, System)> {
    Ok((load(snapshot)?, load(snapshot)?))
}

/// A section that holds the settings of channels.
pub trait Connecting: Sectioned + PartialEq {
    /// These settings with this section in the place of its own.
    fn placed_in<'a>(&'a self, all: Connections<'a>) -> Connections<'a>;
}

impl Connecting for Email {
    fn placed_in<'a>(&'a self, all: Connections<'a>) -> Connections<'a> {
        Connections { email: self, ..all }
    }
}

impl Connecting for System {
    fn placed_in<'a>(&'a self, all: Connections<'a>) -> Connections<'a> {
        Connections {
            system: self,
            ..all
        }
    }
}

/// Where the settings want a message to go.
pub(in crate::actions) struct Wish {
    /// Empty where the settings name no address.
    pub(in crate::actions) addresses: BTreeSet<String>,
    /// The settings that are missing for the message to be sent, in Italian.
    pub(in crate::actions) lack: Option<&'static str>,
}

/// The report that a message is about.
pub(in crate::actions) struct Subject<'a> {
    pub(in crate::actions) id: &'a str,
    pub(in crate::actions) department: DepartmentKey,
}

pub struct Channel {
    /// Where its settings are.
    pub section: Section,
    /// Its messages.
    pub kinds: &'static [DeliveryKind],
    /// The secret that clients write and never read, and its key in a body.
    pub secret: (SecretName, &'static str),
    /// Whether the secret travels in a header of HTTP, which carries visible ASCII only.
    pub in_header: bool,
    /// Tells what is wrong with a secret that is typed for these settings, in Italian.
    pub unfit_secret: fn(Connections<'_>, &str) -> Option<&'static str>,
    /// Keys of the answer that say whether a secret is set; in a body they change nothing.
    pub read_only: &'static [(&'static str, SecretName)],
    /// Secrets that are also dropped when the audience changes. They are never passed on; one made before there was any
    /// audience belongs to the first.
    pub dropped_with: &'static [SecretName],
    /// The server that is shown the secret: when this changes, the stored one is dropped.
    pub audience: fn(Connections<'_>) -> String,
    /// The values that decide whether and where its messages go. When they change, failed messages are worth another
    /// try.
    pub route: fn(Connections<'_>) -> String,
    /// Whether it is switched on: then what does not arrive is an alarm.
    pub is_on: fn(Connections<'_>) -> bool,
    /// The messages that can be sent with it.
    pub usable: fn(Connections<'_>) -> &'static [DeliveryKind],
    /// Values that are missing for what the section switches on. A test may run without them.
    pub missing: fn(Connections<'_>) -> Option<Invalid>,
    /// The message of a kind that the settings ask for.
    pub(in crate::actions) wish: fn(Connections<'_>, DeliveryKind, &Subject<'_>) -> Option<Wish>,
    /// A new name for a message.
    pub new_message_id: fn(Connections<'_>) -> String,
    /// Shortest time between two messages to one address, ms.
    pub pause_ms: i64,
}

pub static CHANNELS: [&Channel; 2] = [&MAIL, &WEBHOOK];

/// The channel that delivers messages of a kind.
pub fn channel_of(kind: DeliveryKind) -> &'static Channel {
    match kind {
        DeliveryKind::Email
        | DeliveryKind::Message
        | DeliveryKind::Reply
        | DeliveryKind::Confirmation => &MAIL,
        DeliveryKind::Webhook => &WEBHOOK,
    }
}

pub static MAIL: Channel = Channel {
    section: Section::Email,
    kinds: &[
        DeliveryKind::Email,
        DeliveryKind::Message,
        DeliveryKind::Reply,
        DeliveryKind::Confirmation,
    ],
    secret: (SecretName::SmtpPassword, "smtpPassword"),
    in_header: false,
    unfit_secret: |all, secret| {
        all.email
            .is_name_of_secret(secret)
            .then_some(NAME_OF_SECRET)
    },
    read_only: &[("smtpPasswordSet", SecretName::SmtpPassword)],
    dropped_with: &[],
    audience: mail_audience,
    route: |all| {
        let email = all.email;
        let to = email.departments.keys().map(|one| email.address_of(one));
        let to: Vec<&str> = to.collect();
        let how = (email.smtp_secure, email.email_auto_send, &email.email_from);
        format!("{} {how:?} {to:?}", mail_audience(all))
    },
    is_on: |all| all.email.email_auto_send,
    usable: |all| match (all.email.smtp_host.is_empty(), all.email.email_auto_send) {
        (true, _) => &[],
        (false, true) => MAIL.kinds,
        (false, false) => &[DeliveryKind::Reply, DeliveryKind::Confirmation],
    },
    missing: |_| None,
    wish: mail_wish,
    // As in RFC 5322 §3.6.4.
    new_message_id: |all| format!("<{}@{}>", Uuid::new_v4(), host_of(&all.email.email_from)),
    pause_ms: MAIL_EVERY_MS,
};

/// A host has no blank, a port neither. A secret for tokens is shown to who hands them out, and the tokens to the server.
fn mail_audience(all: Connections<'_>) -> String {
    let email = all.email;
    let (host, port, user) = (&email.smtp_host, email.smtp_port, &email.smtp_username);
    match email.token_request() {
        None => format!("{host} {port} {user}"),
        Some(request) => format!("{host} {port} {user} {request:?}"),
    }
}

/// Mail is switched on from the first day: it counts as asked for once a server, a sender or a recipient is named.
fn mail_wish(all: Connections<'_>, kind: DeliveryKind, subject: &Subject<'_>) -> Option<Wish> {
    let email = all.email;
    if kind.to_reporter() {
        let can = !email.smtp_host.is_empty() && !email.email_from.is_empty();
        return can.then(|| Wish {
            addresses: BTreeSet::from([subject.id.to_owned()]),
            lack: None,
        });
    }
    let server = [&email.smtp_host, &email.email_from];
    let begun = server.into_iter().any(|one| !one.is_empty()) || !email.all_addresses().is_empty();
    let addresses = email.addresses_of(subject.department);
    let lack = if email.smtp_host.is_empty() {
        Some(NO_SERVER)
    } else {
        addresses.is_empty().then_some(NO_RECIPIENT)
    };
    (email.email_auto_send && begun).then_some(Wish { addresses, lack })
}

/// The host of the sender's address in ASCII, as far as it can stand in a message's name.
fn host_of(from: &str) -> String {
    let sent = ascii_email(from).unwrap_or_default();
    let host = sent.rsplit_once('@').map_or("", |(_, host)| host);
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-".contains(character);
    let fits = !host.is_empty() && host.chars().all(plain);
    if fits { host } else { NOWHERE }.to_owned()
}

pub static WEBHOOK: Channel = Channel {
    section: Section::System,
    kinds: &[DeliveryKind::Webhook],
    secret: (SecretName::WebhookApiKey, "webhookApiKey"),
    in_header: true,
    unfit_secret: |_, _| None,
    read_only: &[
        ("webhookApiKeySet", SecretName::WebhookApiKey),
        ("webhookSecretSet", SecretName::WebhookSecret),
    ],
    dropped_with: &[SecretName::WebhookSecret, SecretName::WebhookSecretBefore],
    audience: |all| all.system.webhook_url.clone(),
    route: |all| format!("{} {}", all.system.enable_webhook, all.system.webhook_url),
    is_on: |all| all.system.enable_webhook,
    usable: |all| if can_call(all) { WEBHOOK.kinds } else { &[] },
    missing: |all| {
        let lacks = all.system.enable_webhook && all.system.webhook_url.is_empty();
        lacks.then(|| Invalid::new("webhookUrl", "empty", "Webhook non configurato"))
    },
    wish: |all, _, _| {
        can_call(all).then(|| Wish {
            addresses: BTreeSet::from([all.system.webhook_url.clone()]),
            lack: None,
        })
    },
    // As the Standard Webhooks specification has it.
    new_message_id: |_| format!("msg_{}", Uuid::new_v4().simple()),
    pause_ms: 0,
};

fn can_call(all: Connections<'_>) -> bool {
    all.system.enable_webhook && !all.system.webhook_url.is_empty()
}
