//! Looks at an installation as an experienced operator would, and says what is wrong, a line each: for the command line
//! and for the panel.
//! Must never change anything, show a secret, send a mail or call anybody.
//!
//! - `machine`: folder, disk, clock; `archive`: database, keys, backups, deliveries
//! - `outside`: mail server, webhook, certificate

mod archive;
mod machine;
mod outside;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::{Config, Encryption};
use crate::deliveries::OutboundPolicy;
use crate::store::Inspected;
use crate::tls::Certificate;

/// How long another machine may take to answer: half a minute is for a mail that must arrive, not for somebody who waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the archive may be read while somebody waits in the panel.
const READING: Duration = Duration::from_secs(20);

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CheckState)]
pub enum State {
    /// As it should be.
    Ok,
    /// It works, and somebody should look.
    Attenzione,
    /// It does not work, or data is in danger.
    Errore,
}

impl fmt::Display for State {
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
    /// What was looked at.
    pub name: &'static str,
    /// How it came out.
    pub state: State,
    /// What was found and, where something is wrong, what to do; in Italian.
    pub message: String,
}

impl Check {
    /// A check that came out so.
    pub fn new(name: &'static str, state: State, message: impl Into<String>) -> Self {
        Self {
            name,
            state,
            message: message.into(),
        }
    }
}

/// The installation to look at.
#[derive(Debug, Clone)]
pub struct Premises {
    data: PathBuf,
    key_file: PathBuf,
    zone: TimeZone,
    /// `scheme://host[:port]` of the public address, when configured.
    public: Option<String>,
    encryption: Encryption,
    insecure: bool,
    /// What a running server shows, which knows what went wrong with it.
    shown: Option<Arc<Certificate>>,
    outbound: OutboundPolicy,
    reading: Option<Duration>,
}

impl Premises {
    /// The installation of a configuration.
    pub fn of(config: &Config) -> Self {
        let outbound = OutboundPolicy {
            allow: config.outbound_allow.clone(),
            ..OutboundPolicy::default()
        };
        Self {
            data: config.data_dir.clone(),
            key_file: config.key_file.clone(),
            zone: config.time_zone.clone(),
            public: config
                .public_url
                .as_ref()
                .map(|url| url.origin().to_owned()),
            encryption: config.encryption.clone(),
            insecure: config.insecure_http,
            shown: None,
            outbound,
            reading: None,
        }
        .within(&OutboundPolicy::default())
    }

    /// The installation beside the server that runs in it and shows this certificate, for somebody who waits: no check takes
    /// longer than a request may, nor than these limits say.
    pub fn beside(
        config: &Config,
        limits: &OutboundPolicy,
        shown: Option<Arc<Certificate>>,
    ) -> Self {
        Self {
            reading: Some(READING),
            shown,
            ..Self::of(config).within(limits)
        }
    }

    fn within(mut self, limits: &OutboundPolicy) -> Self {
        self.outbound.call_limit = limits.call_limit.min(PATIENCE);
        self.outbound.send_limit = limits.send_limit.min(PATIENCE);
        self
    }
}

/// Makes every check; `now` is in ms. What asks other machines goes on while the archive is read.
pub fn examine(premises: &Premises, now: i64) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "configurazione",
            State::Ok,
            "nessuna chiave sconosciuta, nessun valore non valido",
        ),
        machine::folder(&premises.data),
    ];
    if !premises.data.is_dir() {
        checks.push(outside::certificate(premises, now));
        return checks;
    }
    thread::scope(|threads| {
        let outside = threads.spawn(|| outside::all(premises, now));
        let (archive, found) = archive::database(premises);
        checks.push(archive);
        checks.push(archive::keys(premises, found.as_ref()));
        checks.push(machine::disk(&premises.data));
        checks.push(machine::clock(premises, now, found.as_ref()));
        // A check that panicked says nothing of what it looked at.
        checks.extend(outside.join().unwrap_or_default());
        checks.push(archive::backups(premises, now));
        checks.push(archive::deliveries(premises, now));
    });
    checks
}

/// What the panel shows where nothing is kept.
pub fn demonstration() -> Vec<Check> {
    vec![Check::new(
        "modalità demo",
        State::Ok,
        "dati finti, in memoria: non c'è nulla da controllare",
    )]
}

/// A moment for people, in the newsroom's time zone.
fn local(premises: &Premises, at: Timestamp) -> String {
    let at = at.to_zoned(premises.zone.clone());
    at.strftime("%d/%m/%Y %H:%M").to_string()
}

/// A count for people.
fn counted(count: i64, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {many}")
    }
}

/// What cannot be checked because nothing can be read from the archive.
fn unread(name: &'static str) -> Check {
    Check::new(
        name,
        State::Attenzione,
        "non controllabile: l'archivio non si legge",
    )
}

/// What cannot be checked before the archive is brought up to date.
fn outdated(name: &'static str) -> Check {
    Check::new(
        name,
        State::Attenzione,
        "non controllabile: l'archivio è di una versione precedente, che il prossimo avvio aggiorna",
    )
}

/// Reports of an archive, in words.
fn reports(found: &Inspected) -> String {
    counted(found.reports(), "segnalazione", "segnalazioni")
}
