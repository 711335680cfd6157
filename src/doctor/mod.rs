//! Looks at an installation as an experienced operator would, and says what is wrong, a line each: for the command line
//! and for the panel.
//! Must never change anything, show a secret, send a mail or call another machine.

mod archive;
mod machine;
mod outside;
mod standing;

pub use standing::{Standing, stand};

use std::convert::identity;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::Config;
use crate::deliveries::OutboundPolicy;
use crate::domain::calendar::shown;
use crate::domain::system_error::in_italian;
use crate::domain::text::counted;
use crate::store::Inspected;
use crate::tls::ShownCertificate;

/// How long another machine may take to answer: half a minute is for a mail that must arrive, not for a person who waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the archive may be read while a person waits in the panel.
const READING: Duration = Duration::from_secs(20);

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// As it should be.
    Ok,
    /// It works, and should be looked at.
    Attenzione,
    /// It does not work, or data is in danger.
    Errore,
}

impl fmt::Display for CheckState {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(match self {
            Self::Ok => "ok",
            Self::Attenzione => "attenzione",
            Self::Errore => "ERRORE",
        })
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// The name of the check.
    pub name: &'static str,
    /// The result of the check.
    pub state: CheckState,
    /// The finding and, if something is wrong, what to do; in Italian.
    pub message: String,
}

impl Check {
    pub fn new(name: &'static str, (state, message): Finding) -> Self {
        Self {
            name,
            state,
            message: in_italian(&message),
        }
    }
}

pub type Finding = (CheckState, String);

fn ok(message: impl Into<String>) -> Finding {
    (CheckState::Ok, message.into())
}

fn warning(message: impl Into<String>) -> Finding {
    (CheckState::Attenzione, message.into())
}

pub fn error(message: impl Into<String>) -> Finding {
    (CheckState::Errore, message.into())
}

#[derive(Debug, Clone)]
pub struct Installation {
    config: Config,
    /// The certificate that a running server shows, with its fault.
    shown: ShownCertificate,
    outbound: OutboundPolicy,
    reading: Option<Duration>,
}

impl Installation {
    pub fn of(config: &Config, limits: &OutboundPolicy) -> Self {
        Self {
            config: config.clone(),
            shown: None,
            outbound: OutboundPolicy {
                call_limit: limits.call_limit.min(PATIENCE),
                send_limit: limits.send_limit.min(PATIENCE),
                ..limits.clone().configured(config)
            },
            reading: None,
        }
    }

    /// Beside the server that runs in it and shows this certificate, for a person who waits.
    pub fn beside(self, shown: ShownCertificate) -> Self {
        Self {
            shown,
            reading: Some(READING),
            ..self
        }
    }

    fn data(&self) -> &Path {
        &self.config.data_dir
    }

    fn local(&self, at: Timestamp) -> String {
        shown(at, &self.config.time_zone)
    }
}

pub fn examine(installation: &Installation, now: i64) -> Vec<Check> {
    let config = ok("nessuna chiave sconosciuta, nessun valore non valido");
    let mut findings = vec![
        ("configurazione", config),
        ("cartella dei dati", machine::data_folder(installation)),
    ];
    let certificate = ("certificato TLS", outside::certificate(installation, now));
    if installation.data().is_dir() {
        let (database, found) = archive::database(installation);
        let found = found.as_ref();
        let [mail, hook] = outside::services(installation, now);
        let disk = either(machine::disk(installation.data()).map_err(|fault| broken(&fault)));
        findings.extend([
            ("archivio", database),
            ("file delle chiavi", archive::keys(installation)),
            ("autenticità", archive::trusted(installation)),
            ("registro degli accessi", either(archive::log(installation))),
            ("spazio su disco", disk),
            ("orologio", machine::clock(installation, now, found)),
            ("server di posta", mail),
            ("webhook", hook),
            certificate,
            ("allegati", either(archive::attachments(installation, now))),
            ("backup", either(archive::backups(installation, now))),
            ("consegne", either(archive::deliveries(installation, now))),
        ]);
        findings.extend(archive::passkeys(installation));
        findings.extend(archive::replica(installation, now));
    } else {
        findings.push(certificate);
    }
    findings.extend(machine::onion(&installation.config.onion_sockets));
    let checks = findings.into_iter();
    checks
        .map(|(name, finding)| Check::new(name, finding))
        .collect()
}

pub fn demonstration() -> Vec<Check> {
    let finding = ok("dati finti, in memoria: non c'è nulla da controllare");
    vec![Check::new("modalità demo", finding)]
}

fn either(finding: Result<Finding, Finding>) -> Finding {
    finding.unwrap_or_else(identity)
}

fn broken(fault: &anyhow::Error) -> Finding {
    error(format!("{fault:#}"))
}

fn reports(found: &Inspected) -> String {
    counted(found.reports(), "segnalazione", "segnalazioni")
}
