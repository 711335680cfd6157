//! Checks that ask other machines: the mail server, the webhook's server, and the certificate that browsers see.

use std::path::Path;

use jiff::Timestamp;
use zeroize::Zeroizing;

use super::{Finding, Installation, archive, counted, error, ok, warning};
use crate::actions::archive::authenticity::Trust;
use crate::actions::settings::secrets::recall;
use crate::actions::settings::sections::load;
use crate::actions::{self, Error};
use crate::config::{Encryption as Protection, PublicUrl};
use crate::deliveries::email::{SmtpEncryption, try_server};
use crate::deliveries::reach::{Unanswered, certificate_of, try_hook};
use crate::domain::calendar::local_date;
use crate::domain::delivery::SecretName;
use crate::domain::settings::{Email, SecretEnd, System};
use crate::newsroom::{fitting_keys, trust_on_disk};
use crate::store::Snapshot;
use crate::tls::acme::stored;
use crate::tls::pair::{Facts, Pair};
use crate::vault::{KeyFile, PublicKey, Vault, VaultError};

/// How long before its end (ms) a certificate should have been renewed, or a third of its lifetime if that is shorter.
const RENEWAL_MS: i64 = 14 * DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Where a password was sealed by another operational key.
const SEALED: &str = "la password salvata è sigillata con un'altra chiave del server: accedere una volta al pannello";

struct Targets {
    email: Email,
    system: System,
    password: actions::Result<Option<Zeroizing<String>>>,
}

pub(super) fn services(installation: &Installation, now: i64) -> [Finding; 2] {
    match read(installation, now) {
        Err(finding) => [finding.clone(), finding],
        Ok(targets) => [
            mail(installation, &targets, now),
            webhook(installation, &targets.system),
        ],
    }
}

/// Settings and secret; else what is to be said of each check that needs them.
fn read(installation: &Installation, now: i64) -> Result<Targets, Finding> {
    // Another's server must not be handed a password.
    if matches!(
        trust_on_disk(&installation.config),
        Ok(Some(Trust::Alterato | Trust::DaConfermare))
    ) {
        return Err(warning("non controllato: vedi «autenticità»"));
    }
    archive::read(installation, |snapshot| {
        Ok::<_, Error>(Targets {
            email: load(snapshot)?,
            system: load(snapshot)?,
            password: password(snapshot, &installation.config.key_file, now),
        })
    })
}

fn password(
    snapshot: &Snapshot<'_>,
    key_file: &Path,
    now: i64,
) -> actions::Result<Option<Zeroizing<String>>> {
    let Some(pair) = snapshot.active_key_pair()? else {
        return Ok(None);
    };
    let keys = KeyFile::load(key_file).map_err(|_| VaultError::Damaged)?;
    let keys = fitting_keys(snapshot, keys)?;
    let vault = Vault::new(&keys, PublicKey::from_bytes(&pair.public_key)?)?;
    recall(snapshot, &vault, now, SecretName::SmtpPassword)
}

fn mail(installation: &Installation, targets: &Targets, now: i64) -> Finding {
    let email = &targets.email;
    if !email.email_auto_send {
        return ok("l'invio automatico delle email è disattivato nelle impostazioni");
    }
    if email.smtp_host.is_empty() {
        return warning("non configurato: delle nuove segnalazioni avvisa solo il pannello");
    }
    let Ok(password) = &targets.password else {
        return error(SEALED);
    };
    let server = installation.outbound.anew().server(email, password.clone());
    if let Err(failure) = try_server(&server) {
        return error(failure.message);
    }
    let access = if server.username.is_empty() {
        "senza accesso"
    } else {
        "accesso riuscito"
    };
    let at = format!("{}:{}", server.host, server.port);
    let today = local_date(now, &installation.config.time_zone);
    if let Some(end) = email.secret_end(today) {
        return warning(format!("{at} risponde, {access}; {}", told_of(&end)));
    }
    if email.email_from.is_empty() || email.email_recipient.is_empty() {
        let missing = "nelle impostazioni manca mittente o destinatario";
        return warning(format!("{at} risponde, {access}; {missing}"));
    }
    if let Some(names) = without_address(email) {
        return warning(format!(
            "{at} risponde, {access}; reparto senza indirizzo, la cui posta va ai destinatari generali: {names}"
        ));
    }
    if server.encryption == SmtpEncryption::None {
        return warning(format!(
            "{at} risponde, {access}; la connessione non è cifrata"
        ));
    }
    ok(format!("{at} risponde, connessione cifrata, {access}"))
}

fn told_of(end: &SecretEnd) -> String {
    let (verb, then) = if end.past {
        ("è scaduto", "; le email ferme partono da sé")
    } else {
        ("scade", "")
    };
    let day = end.on.strftime("%d/%m/%Y");
    format!(
        "il segreto dell'applicazione {verb} il {day}: crearne uno nuovo e inserirlo nelle impostazioni, con la sua data{then}"
    )
}

/// Names of the departments without an address, where others have one.
fn without_address(email: &Email) -> Option<String> {
    let desks = email.departments.desks();
    let bare = desks.iter().filter(|desk| desk.email.is_empty());
    let names: Vec<&str> = bare.map(|desk| &*desk.name).collect();
    let some = !names.is_empty() && names.len() < desks.len();
    (email.enable_department_routing && some).then(|| names.join(", "))
}

fn webhook(installation: &Installation, system: &System) -> Finding {
    if !system.enable_webhook {
        return ok("disattivato nelle impostazioni");
    }
    if system.webhook_url.is_empty() {
        return warning("attivo, ma senza indirizzo: indicarlo nelle impostazioni");
    }
    match try_hook(&installation.outbound.hook(system, None, Vec::new())) {
        Err(failure) => error(failure.message),
        Ok(()) => ok("il suo server risponde; non è stato inviato nulla"),
    }
}

/// The certificate of our own, where there is one, and the one that the public address shows.
pub(super) fn certificate(installation: &Installation, now: i64) -> Finding {
    trouble(installation, now).unwrap_or_else(|| match own(installation, now) {
        Err(finding) => finding,
        Ok(own) => public_certificate(installation, now, own),
    })
}

fn trouble(installation: &Installation, now: i64) -> Option<Finding> {
    let status = installation.shown.as_ref()?.status(now);
    let serves = status.not_after.is_some_and(|end| end > now);
    let problem = status.problem?;
    Some(if serves {
        warning(problem)
    } else {
        error(problem)
    })
}

/// The finding about our own certificate; `None` if a proxy speaks TLS.
fn own(installation: &Installation, now: i64) -> Result<Option<Facts>, Finding> {
    match &installation.config.encryption {
        Protection::None => Ok(None),
        Protection::Files { certificate, key } => Pair::from_files(certificate, key, now)
            .map(|pair| Some(pair.facts))
            .map_err(error),
        Protection::Automatic(wanted) => match stored(wanted, installation.data()) {
            Ok(Some(facts)) => Ok(Some(facts)),
            Ok(None) => Err(warning(
                "non ancora ottenuto: il server acceso lo chiede da solo, e nel suo log dice che cosa manca",
            )),
            Err(fault) => Err(error(format!("{fault:#}"))),
        },
    }
}

/// The finding about the public address; `own` is used where a network does not let a machine reach its own public
/// address.
fn public_certificate(installation: &Installation, now: i64, own: Option<Facts>) -> Finding {
    let public = installation.config.public_url.as_ref();
    let Some(url) = public.filter(|url| url.is_https()).map(PublicUrl::origin) else {
        return own.map_or_else(
            || unencrypted(installation),
            |own| expiry(installation, now, &own),
        );
    };
    match (certificate_of(&url, installation.outbound.call_limit), own) {
        (Ok(der), _) => match Facts::of_der(&der) {
            Ok(facts) => expiry(installation, now, &facts),
            Err(fault) => error(format!("{url}: {fault}")),
        },
        (Err(Unanswered::Certificate(fault)), _) => error(format!(
            "{url}: {fault}, i browser lo rifiutano; rinnovarlo"
        )),
        (Err(Unanswered::Unreachable), Some(own)) => expiry(installation, now, &own),
        (Err(Unanswered::Unreachable), None) => warning(format!(
            "{url} non si raggiunge da questo server: provarlo da un browser fuori"
        )),
    }
}

fn unencrypted(installation: &Installation) -> Finding {
    if installation.config.insecure_http {
        return warning("insecure_http: password e segnalazioni viaggiano in chiaro");
    }
    if installation.config.public_url.is_some() {
        return ok("nessuno: l'indirizzo pubblico è solo di questa macchina");
    }
    ok("nessun indirizzo pubblico https:// configurato (public_url)")
}

fn expiry(installation: &Installation, now: i64, facts: &Facts) -> Finding {
    let end = facts.not_after;
    let left = end.saturating_sub(now);
    // A certificate may name a year that no calendar has.
    let until = Timestamp::from_millisecond(end).map_or_else(
        |_| "oltre ogni calendario".to_owned(),
        |at| format!("fino al {}", installation.local(at)),
    );
    if left < 0 {
        return error(format!("scaduto, valeva {until}: rinnovarlo"));
    }
    if left < RENEWAL_MS.min(facts.lifetime() / 3) {
        let days = counted(left / DAY_MS, "giorno", "giorni");
        return warning(format!("vale ancora {days}, {until}: rinnovarlo"));
    }
    ok(format!("vale {until}"))
}
