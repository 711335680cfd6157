//! What other machines say: the mail server, the webhook's server, and the certificate that people's browsers see.
//! Must never send a mail, call the webhook, or show a secret.

use std::path::Path;
use std::thread;

use jiff::Timestamp;
use zeroize::Zeroizing;

use super::{Check, Premises, State, counted, local, outdated, unread};
use crate::actions::secrets::recall;
use crate::actions::settings::load;
use crate::actions::{self, Error};
use crate::config::Encryption as Protection;
use crate::deliveries::email::{Encryption, try_server};
use crate::deliveries::reach::{Unanswered, certificate_of, try_hook};
use crate::domain::settings::{Email, System};
use crate::store::{SecretName, Snapshot, database_path, look};
use crate::tls::acme::stored;
use crate::tls::pair::{Facts, Pair};
use crate::vault::{KeyFile, PublicKey, Vault, VaultError};

const MAIL: &str = "server di posta";
const WEBHOOK: &str = "webhook";
const CERTIFICATE: &str = "certificato TLS";
/// How long before its end (ms) a certificate should have been renewed, or a third of its time if that is shorter. Who renews
/// by itself does so when two thirds of the time are over.
const RENEWAL_MS: i64 = 14 * DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Where a password was sealed by another operational key.
const SEALED: &str = "la password salvata è sigillata con un'altra chiave del server: accedere una volta al pannello";

/// What is needed to go outside.
struct Errand {
    email: Email,
    system: System,
    password: Result<Option<Zeroizing<String>>, VaultError>,
}

/// Mail server, webhook and certificate, side by side.
pub(super) fn all(premises: &Premises, now: i64) -> Vec<Check> {
    let errand = read(premises, now);
    thread::scope(|threads| {
        let certificate = threads.spawn(|| certificate(premises, now));
        let mut checks = match &errand {
            Err(check) => [MAIL, WEBHOOK].map(check).to_vec(),
            Ok(errand) => {
                let hook = threads.spawn(|| webhook(premises, &errand.system));
                let mail = mail(premises, errand);
                let hook = hook.join().unwrap_or_else(|_| unread(WEBHOOK));
                vec![mail, hook]
            }
        };
        let certificate = certificate.join();
        checks.push(certificate.unwrap_or_else(|_| unread(CERTIFICATE)));
        checks
    })
}

/// Settings and secret; else what is to be said of each check that needs them.
fn read(premises: &Premises, now: i64) -> Result<Errand, fn(&'static str) -> Check> {
    if !database_path(&premises.data).exists() {
        return Err(unread);
    }
    let key_file = premises.key_file.clone();
    let errand = look(&premises.data, |snapshot| {
        Ok::<_, Error>(Errand {
            email: load(snapshot)?,
            system: load(snapshot)?,
            password: password(snapshot, &key_file, now)?,
        })
    });
    match errand {
        Ok(Some(errand)) => Ok(errand),
        Ok(None) => Err(outdated),
        Err(_) => Err(unread),
    }
}

fn password(
    snapshot: &Snapshot<'_>,
    key_file: &Path,
    now: i64,
) -> actions::Result<Result<Option<Zeroizing<String>>, VaultError>> {
    let Some(pair) = snapshot.active_key_pair()? else {
        return Ok(Ok(None));
    };
    let opened = KeyFile::load(key_file)
        .map_err(|_| VaultError::Damaged)
        .and_then(|keys| {
            let public: [u8; 32] = pair
                .public_key
                .try_into()
                .map_err(|_| VaultError::Damaged)?;
            Vault::new(&keys, PublicKey::from_bytes(&public)?)
        });
    let vault = match opened {
        Ok(vault) => vault,
        Err(error) => return Ok(Err(error)),
    };
    match recall(snapshot, &vault, now, SecretName::SmtpPassword) {
        Ok(password) => Ok(Ok(password)),
        Err(Error::Vault(error)) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

fn mail(premises: &Premises, errand: &Errand) -> Check {
    let email = &errand.email;
    if !email.email_auto_send {
        return Check::new(
            MAIL,
            State::Ok,
            "l'invio automatico delle e-mail è disattivato nelle impostazioni",
        );
    }
    if email.smtp_host.is_empty() {
        return Check::new(
            MAIL,
            State::Attenzione,
            "non configurato: delle nuove segnalazioni avvisa solo il pannello",
        );
    }
    let Ok(password) = &errand.password else {
        return Check::new(MAIL, State::Errore, SEALED);
    };
    let server = premises.outbound.server(email, password.clone());
    if let Err(failure) = try_server(&server) {
        return Check::new(MAIL, State::Errore, failure.message);
    }
    let access = if server.username.is_empty() {
        "senza accesso"
    } else {
        "accesso riuscito"
    };
    let at = format!("{}:{}", server.host, server.port);
    if email.email_from.is_empty() || email.email_recipient.is_empty() {
        let message =
            format!("{at} risponde, {access}; nelle impostazioni manca mittente o destinatario");
        return Check::new(MAIL, State::Attenzione, message);
    }
    if server.encryption == Encryption::None {
        let message = format!("{at} risponde, {access}; la connessione non è cifrata");
        return Check::new(MAIL, State::Attenzione, message);
    }
    let message = format!("{at} risponde, connessione cifrata, {access}");
    Check::new(MAIL, State::Ok, message)
}

fn webhook(premises: &Premises, system: &System) -> Check {
    if !system.enable_webhook {
        return Check::new(WEBHOOK, State::Ok, "disattivato nelle impostazioni");
    }
    if system.webhook_url.is_empty() {
        return Check::new(
            WEBHOOK,
            State::Attenzione,
            "attivo, ma senza indirizzo: indicarlo nelle impostazioni",
        );
    }
    match try_hook(&premises.outbound.hook(system, None, Vec::new())) {
        Err(failure) => Check::new(WEBHOOK, State::Errore, failure.message),
        Ok(()) => Check::new(
            WEBHOOK,
            State::Ok,
            "il suo server risponde; non è stato inviato nulla",
        ),
    }
}

/// The certificate of our own, where there is one, and the one that the public address shows.
pub(super) fn certificate(premises: &Premises, now: i64) -> Check {
    if let Some(check) = troubled(premises, now) {
        return check;
    }
    let own = match &premises.encryption {
        Protection::Files { certificate, key } => match Pair::from_files(certificate, key, now) {
            Ok(pair) => Some(pair.facts),
            Err(fault) => return Check::new(CERTIFICATE, State::Errore, fault),
        },
        Protection::Automatic(wanted) => match stored(wanted, &premises.data) {
            Ok(Some(facts)) => Some(facts),
            Ok(None) => {
                let message = "non ancora ottenuto: il server acceso lo chiede da solo, e nel suo log dice che cosa manca";
                return Check::new(CERTIFICATE, State::Attenzione, message);
            }
            Err(error) => return Check::new(CERTIFICATE, State::Errore, format!("{error:#}")),
        },
        Protection::None => None,
    };
    let public = premises.public.as_deref();
    match (public.filter(|url| url.starts_with("https://")), own) {
        (Some(url), own) => shown(premises, now, url, own),
        (None, Some(own)) => expiry(premises, now, &own),
        (None, None) => unencrypted(premises),
    }
}

/// What a running server could not do for its certificate.
fn troubled(premises: &Premises, now: i64) -> Option<Check> {
    let status = premises.shown.as_ref()?.status(now);
    let serves = status.not_after.is_some_and(|end| end > now);
    let state = if serves {
        State::Attenzione
    } else {
        State::Errore
    };
    Some(Check::new(CERTIFICATE, state, status.problem?))
}

/// What the public address shows; `own` is the certificate of the files.
fn shown(premises: &Premises, now: i64, url: &str, own: Option<Facts>) -> Check {
    match (certificate_of(url, premises.outbound.call_limit), own) {
        (Ok(der), _) => match Facts::of_der(&der) {
            Ok(facts) => expiry(premises, now, &facts),
            Err(fault) => Check::new(CERTIFICATE, State::Errore, format!("{url}: {fault}")),
        },
        (Err(Unanswered::Certificate(fault)), _) => {
            let message = format!("{url}: {fault}, i browser lo rifiutano; rinnovarlo");
            Check::new(CERTIFICATE, State::Errore, message)
        }
        // A network may not let a machine reach its own public address: then the files speak.
        (Err(Unanswered::Unreachable), Some(own)) => expiry(premises, now, &own),
        (Err(Unanswered::Unreachable), None) => {
            let message =
                format!("{url} non si raggiunge da questo server: provarlo da un browser fuori");
            Check::new(CERTIFICATE, State::Attenzione, message)
        }
    }
}

fn unencrypted(premises: &Premises) -> Check {
    if premises.insecure {
        let message = "insecure_http: password e segnalazioni viaggiano in chiaro";
        return Check::new(CERTIFICATE, State::Attenzione, message);
    }
    let message = if premises.public.is_some() {
        "nessuno: l'indirizzo pubblico è solo di questa macchina"
    } else {
        "nessun indirizzo pubblico https:// configurato (public_url)"
    };
    Check::new(CERTIFICATE, State::Ok, message)
}

/// How far the end of a certificate is.
fn expiry(premises: &Premises, now: i64, facts: &Facts) -> Check {
    let end = facts.not_after;
    let left = end.saturating_sub(now);
    // A certificate may name a year that no calendar has.
    let until = Timestamp::from_millisecond(end).map_or_else(
        |_| "oltre ogni calendario".to_owned(),
        |at| format!("fino al {}", local(premises, at)),
    );
    let (state, message) = if left < 0 {
        (
            State::Errore,
            format!("scaduto, valeva {until}: rinnovarlo"),
        )
    } else if left < RENEWAL_MS.min(facts.lifetime() / 3) {
        (
            State::Attenzione,
            format!(
                "vale ancora {}, {until}: rinnovarlo",
                counted(left / DAY_MS, "giorno", "giorni")
            ),
        )
    } else {
        (State::Ok, format!("vale {until}"))
    };
    Check::new(CERTIFICATE, state, message)
}
