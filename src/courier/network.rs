//! The carrier that really sends: reads settings and secrets for each message as they are at that moment, writes the mail
//! or the body, and hands it to the senders.
//! Must never send to an address that the settings no longer name for a webhook, nor hold the database while it sends.

use std::sync::{Arc, Weak};

use jiff::tz::TimeZone;
use zeroize::Zeroizing;

use super::failure::Failure;
use super::letter::{Frame, render_digest, render_report};
use super::way::Way;
use super::{Carrier, email, webhook};
use crate::actions::claim_delivery::Parcel;
use crate::actions::secrets::{recall, signing_keys};
use crate::actions::settings::load;
use crate::actions::{self, Error};
use crate::clock::Clock;
use crate::domain::delivery::{Kind, NO_RECIPIENT, NO_SERVER};
use crate::domain::settings::{Email, System};
use crate::store::{SecretName, Snapshot, Store};
use crate::vault::{Vault, VaultError};

/// Where mail is switched off.
const MAIL_OFF: &str =
    "L'invio automatico delle e-mail è disattivato. Attivalo nelle impostazioni e premi «Riprova».";
/// Where the webhook is switched off.
const HOOK_OFF: &str = "Il webhook è disattivato. Attivalo nelle impostazioni e premi «Riprova».";
/// Where the webhook has another address by now.
const HOOK_MOVED: &str =
    "L'indirizzo del webhook è cambiato. Premi «Riprova» per chiamare quello nuovo.";
/// Where a password or key was sealed by another operational key. The next login mends it.
const SEALED: &str = "La password o la chiave salvata è sigillata con una chiave operativa che questo server non ha più. \
                      Accedi al pannello: verrà ripristinata.";
/// Where the settings cannot be read.
const NO_SETTINGS: &str = "Le impostazioni non si possono leggere in questo momento.";

/// The network, as the configuration allows it.
pub struct Network {
    /// The database, for as long as the program holds it.
    pub store: Weak<Store>,
    /// Keys and sealing.
    pub vault: Arc<Vault>,
    /// The time.
    pub clock: Clock,
    /// Limits, and what may be reached.
    pub way: Way,
    /// Address of the list of reports in the panel.
    pub panel: String,
    /// Where dates are shown.
    pub zone: TimeZone,
}

/// What a mail needs.
struct Posting {
    email: Email,
    system: System,
    password: Option<Zeroizing<String>>,
}

/// What a call needs.
struct Calling {
    system: System,
    api_key: Option<Zeroizing<String>>,
    signing: Vec<Zeroizing<String>>,
}

impl Carrier for Network {
    fn carry(&self, parcel: &Parcel) -> Result<(), Failure> {
        match parcel.destination.kind {
            Kind::Email => self.mail(parcel),
            Kind::Webhook => self.call(parcel),
        }
    }
}

impl Network {
    fn mail(&self, parcel: &Parcel) -> Result<(), Failure> {
        let now = self.clock.now_ms();
        let Posting {
            email: settings,
            system,
            password,
        } = self.read(move |vault, snapshot| {
            Ok(Posting {
                email: load(snapshot)?,
                system: load(snapshot)?,
                password: recall(snapshot, vault, now, SecretName::SmtpPassword)?,
            })
        })?;
        if !settings.email_auto_send {
            return Err(Failure::permanent(MAIL_OFF));
        }
        if settings.smtp_host.is_empty() {
            return Err(Failure::permanent(NO_SERVER));
        }
        if parcel.destination.address.is_empty() {
            return Err(Failure::permanent(NO_RECIPIENT));
        }
        let frame = Frame {
            email: &settings,
            system: &system,
            panel: &self.panel,
            zone: &self.zone,
            to: &parcel.destination.address,
            delivery: &parcel.message_id,
            at_ms: now,
        };
        let mut mail = match parcel.payloads.as_slice() {
            [payload] => render_report(&frame, payload)?,
            payloads => render_digest(&frame, payloads)?,
        };
        // The name was given when the message was made: it stays, whatever the settings have become since.
        mail.message_id.clone_from(&parcel.message_id);
        email::send(&self.way.server(&settings, password), &mail)
    }

    fn call(&self, parcel: &Parcel) -> Result<(), Failure> {
        let now = self.clock.now_ms();
        let Calling {
            system,
            api_key,
            signing,
        } = self.read(move |vault, snapshot| {
            Ok(Calling {
                system: load(snapshot)?,
                api_key: recall(snapshot, vault, now, SecretName::WebhookApiKey)?,
                signing: signing_keys(snapshot, vault, now)?,
            })
        })?;
        if !system.enable_webhook {
            return Err(Failure::permanent(HOOK_OFF));
        }
        if system.webhook_url != parcel.destination.address {
            return Err(Failure::permanent(HOOK_MOVED));
        }
        let hook = self.way.hook(&system, api_key, &signing);
        for payload in &parcel.payloads {
            let link = format!("{}/{}", self.panel, payload.id);
            let body = webhook::body(payload, system.webhook_payload, &link);
            webhook::post(&hook, &parcel.message_id, now / 1_000, &body)?;
        }
        Ok(())
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Vault, &Snapshot<'_>) -> actions::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let Some(store) = self.store.upgrade() else {
            return Err(Failure::passing(NO_SETTINGS));
        };
        let vault = Arc::clone(&self.vault);
        store
            .read(move |snapshot| work(&vault, snapshot))
            .map_err(|error| match error {
                Error::Vault(VaultError::Damaged | VaultError::UnknownFormat(_)) => {
                    Failure::passing(SEALED)
                }
                _ => Failure::passing(NO_SETTINGS),
            })
    }
}
