//! The transport that really sends: reads settings and secrets for each message, writes it, and hands it to the senders.

use std::sync::{Arc, Weak};

use zeroize::Zeroizing;

use super::email::Mail;
use super::letter::{Frame, render_digest, render_notice, render_report};
use super::{OutboundPolicy, email, webhook};
use crate::actions::Error;
use crate::actions::archive::authenticity::{Trust, trust};
use crate::actions::outbox::send_delivery::Sending;
use crate::actions::settings::secrets::{recall, signing_keys};
use crate::actions::settings::sections::load;
use crate::domain::delivery::{
    DeliveryKind, Failure, NO_RECIPIENT, NO_SERVER, Outcome, SecretName,
};
use crate::domain::settings::{Email, System};
use crate::newsroom::Core;
use crate::store::Snapshot;
use crate::vault::{Vault, VaultError};

const MAIL_OFF: &str =
    "L'invio automatico delle email è disattivato. Attivalo nelle impostazioni e premi «Riprova».";
const HOOK_OFF: &str = "Il webhook è disattivato. Attivalo nelle impostazioni e premi «Riprova».";
const HOOK_MOVED: &str =
    "L'indirizzo del webhook è cambiato. Premi «Riprova» per chiamare quello nuovo.";
/// Where a password or key was sealed by another operational key. The next login mends it.
const SEALED: &str = "La password o la chiave salvata è sigillata con una chiave operativa che questo server non ha più. \
                      Accedi al pannello: verrà ripristinata.";
const NO_SETTINGS: &str = "Le impostazioni non si possono leggere in questo momento.";

/// The network, as the configuration allows it.
pub struct Network {
    /// Weak: a sending that hangs while the program stops must not keep the database open.
    pub core: Weak<Core>,
    pub policy: OutboundPolicy,
    pub panel: String,
    /// Address of the page where reporters come back.
    pub follow: String,
}

/// Whom a mail goes to.
fn recipient(sending: &Sending) -> Option<&str> {
    let address = match sending.payloads.as_slice() {
        [payload] if sending.destination.kind.to_reporter() => &payload.report.email,
        _ => &sending.destination.address,
    };
    Some(address.as_str()).filter(|address| !address.is_empty())
}

/// Reads the settings for one attempt from one snapshot, so that no secret goes to an address that it was not meant
/// for. The moment (ms) is handed in.
fn read<T: Send + 'static>(
    core: &Core,
    work: impl FnOnce(&Snapshot<'_>, &Vault, i64) -> Result<T, Error> + Send + 'static,
) -> Result<T, Failure> {
    let (now, vault) = (core.clock.now_ms(), Arc::clone(&core.vault));
    let read = core
        .store
        .read(move |snapshot| match trust(snapshot, vault.stamp())? {
            Trust::Integro => work(snapshot, &vault, now),
            Trust::DaConfermare | Trust::Alterato => Err(Error::Altered),
        });
    read.map_err(|error| match error {
        Error::Vault(VaultError::Damaged) => Failure::passing(SEALED),
        _ => Failure::passing(NO_SETTINGS),
    })
}

/// The settings that mails are written and sent with.
pub(super) struct MailSettings {
    pub email: Email,
    pub system: System,
    pub password: Option<Zeroizing<String>>,
    /// The present moment, in ms.
    pub now: i64,
}

impl MailSettings {
    pub(super) fn read(core: &Core) -> Result<Self, Failure> {
        read(core, |snapshot, vault, now| {
            Ok(Self {
                email: load(snapshot)?,
                system: load(snapshot)?,
                password: recall(snapshot, vault, now, SecretName::SmtpPassword)?,
                now,
            })
        })
    }
}

impl Network {
    fn core(&self) -> Result<Arc<Core>, Failure> {
        let core = self.core.upgrade();
        core.ok_or_else(|| Failure::passing(NO_SETTINGS))
    }

    pub(super) fn mail(&self, sending: &Sending) -> Outcome {
        let core = self.core()?;
        let (settings, zone) = (MailSettings::read(&core)?, core.time_zone.clone());
        drop(core);
        let email = &settings.email;
        let kind = sending.destination.kind;
        let to = Vec::from_iter(recipient(sending));
        for (lacks, reason) in [
            (kind.to_newsroom() && !email.email_auto_send, MAIL_OFF),
            (email.smtp_host.is_empty(), NO_SERVER),
            (to.is_empty(), NO_RECIPIENT),
        ] {
            if lacks {
                return Err(Failure::permanent(reason));
            }
        }
        let frame = Frame {
            email,
            system: &settings.system,
            panel: &self.panel,
            zone: &zone,
            to: &to,
            message_id: &sending.message_id,
            at_ms: settings.now,
        };
        let mail = self.render(&frame, sending)?;
        email::send(&self.policy.server(email, settings.password), &mail)
    }

    fn render(&self, frame: &Frame<'_>, sending: &Sending) -> Result<Mail, Failure> {
        let kind = sending.destination.kind;
        match sending.payloads.as_slice() {
            payloads if kind != DeliveryKind::Email => {
                render_notice(frame, kind, payloads, &self.follow)
            }
            [payload] if sending.items.len() == 1 && !sending.siege => {
                render_report(frame, payload)
            }
            payloads => {
                let aside = sending.unlisted(|one| one.aside);
                let others = sending.unlisted(|one| !one.aside);
                let urgent = sending.unlisted(|one| one.urgent);
                render_digest(frame, payloads, aside, others, urgent)
            }
        }
    }

    pub(super) fn call(&self, sending: &Sending) -> Outcome {
        let (system, departments, key, signing, now) =
            read(&*self.core()?, |snapshot, vault, now| {
                let key = recall(snapshot, vault, now, SecretName::WebhookApiKey)?;
                let signing = signing_keys(snapshot, vault, now)?;
                let (system, departments) = (load::<System>(snapshot)?, snapshot.departments()?);
                Ok((system, departments, key, signing, now))
            })?;
        if !system.enable_webhook {
            return Err(Failure::permanent(HOOK_OFF));
        }
        if system.webhook_url != sending.destination.address {
            return Err(Failure::permanent(HOOK_MOVED));
        }
        let hook = self.policy.hook(&system, key, signing);
        for payload in &sending.payloads {
            let link = format!("{}/{}", self.panel, payload.id);
            let body = webhook::body(payload, &departments, system.webhook_payload, &link);
            webhook::post(&hook, &sending.message_id, now / 1_000, &body)?;
        }
        Ok(())
    }
}
