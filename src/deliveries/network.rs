//! The transport that really sends: reads settings and secrets for each message as they are at that moment, writes the mail
//! or the body, and hands it to the senders.
//! Must never call a webhook address that the settings no longer name, nor hold the database while it sends.

use std::sync::Weak;

use jiff::tz::TimeZone;
use zeroize::Zeroizing;

use super::letter::{Frame, render_digest, render_report};
use super::{OutboundPolicy, Transport, email, webhook};
use crate::actions::Error;
use crate::actions::claim_delivery::Sending;
use crate::actions::secrets::{recall, signing_keys};
use crate::actions::settings::load;
use crate::domain::delivery::{Failure, Kind, NO_RECIPIENT, NO_SERVER, Outcome};
use crate::domain::settings::{Email, System};
use crate::newsroom::Core;
use crate::store::SecretName;
use crate::vault::VaultError;

const MAIL_OFF: &str =
    "L'invio automatico delle e-mail è disattivato. Attivalo nelle impostazioni e premi «Riprova».";
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
    /// Address of the list of reports in the panel.
    pub panel: String,
}

/// Settings and secrets of one sending.
struct Settings {
    email: Email,
    system: System,
    /// The password of the mail server, or the key of the webhook.
    secret: Option<Zeroizing<String>>,
    /// Keys that sign a call of the webhook.
    signing: Vec<Zeroizing<String>>,
    zone: TimeZone,
    /// When they were read (ms).
    now: i64,
}

impl Transport for Network {
    fn send(&self, sending: &Sending) -> Outcome {
        let settings = self.settings(sending.destination.kind)?;
        match sending.destination.kind {
            Kind::Email => self.mail(sending, settings),
            Kind::Webhook => self.call(sending, settings),
        }
    }
}

impl Network {
    fn settings(&self, kind: Kind) -> Result<Settings, Failure> {
        let core = self.core.upgrade().ok_or_else(no_settings)?;
        let (now, vault, zone) = (
            core.clock.now_ms(),
            core.vault.clone(),
            core.time_zone.clone(),
        );
        let settings = core.store.read(move |snapshot| {
            let (secret, signing) = match kind {
                Kind::Email => (SecretName::SmtpPassword, Vec::new()),
                Kind::Webhook => (
                    SecretName::WebhookApiKey,
                    signing_keys(snapshot, &vault, now)?,
                ),
            };
            Ok(Settings {
                email: load(snapshot)?,
                system: load(snapshot)?,
                secret: recall(snapshot, &vault, now, secret)?,
                signing,
                zone,
                now,
            })
        });
        settings.map_err(|error| match error {
            Error::Vault(VaultError::Damaged) => Failure::passing(SEALED),
            _ => no_settings(),
        })
    }

    fn mail(&self, sending: &Sending, settings: Settings) -> Outcome {
        if !settings.email.email_auto_send {
            return Err(Failure::permanent(MAIL_OFF));
        }
        if settings.email.smtp_host.is_empty() {
            return Err(Failure::permanent(NO_SERVER));
        }
        if sending.destination.address.is_empty() {
            return Err(Failure::permanent(NO_RECIPIENT));
        }
        let frame = Frame {
            email: &settings.email,
            system: &settings.system,
            panel: &self.panel,
            zone: &settings.zone,
            to: &sending.destination.address,
            message_id: &sending.message_id,
            at_ms: settings.now,
        };
        let mail = match sending.payloads.as_slice() {
            [payload] => render_report(&frame, payload)?,
            payloads => render_digest(&frame, payloads)?,
        };
        email::send(&self.policy.server(&settings.email, settings.secret), &mail)
    }

    fn call(&self, sending: &Sending, settings: Settings) -> Outcome {
        let system = &settings.system;
        if !system.enable_webhook {
            return Err(Failure::permanent(HOOK_OFF));
        }
        if system.webhook_url != sending.destination.address {
            return Err(Failure::permanent(HOOK_MOVED));
        }
        let at_s = settings.now / 1_000;
        let hook = self.policy.hook(system, settings.secret, settings.signing);
        for payload in &sending.payloads {
            let link = format!("{}/{}", self.panel, payload.id);
            let body = webhook::body(payload, system.webhook_payload, &link);
            webhook::post(&hook, &sending.message_id, at_s, &body)?;
        }
        Ok(())
    }
}

fn no_settings() -> Failure {
    Failure::passing(NO_SETTINGS)
}
