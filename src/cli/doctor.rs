//! `segnalazioni doctor`: looks at an installation as an experienced operator would, and says what is wrong, a line each.
//! Must never change anything, nor show a secret.

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Result, ensure};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::{Common, load, local, reports, say};
use crate::backup::keep::{Standing, standing};
use crate::backup::packed::free_bytes;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::settings::System;
use crate::store::{Inspected, database_path, glance_at_settings, inspect_database};
use crate::vault::KeyFile;

/// Free room below which reports may soon be refused, in bytes.
const ROOM: u64 = 256 * 1024 * 1024;
/// How far the clock may stand before the newest report, in ms: a minute.
const BEHIND_MS: i64 = 60 * 1_000;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Risponde in JSON
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
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
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    message: String,
}

fn check(name: &'static str, state: State, message: impl Into<String>) -> Check {
    Check {
        name,
        state,
        message: message.into(),
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let checks = match load(&arguments.common.flags()) {
        Ok(config) => examine(&config, Clock::System.now_ms()),
        Err(error) => vec![check("configurazione", State::Errore, format!("{error:#}"))],
    };
    let wrong = checks
        .iter()
        .filter(|check| check.state == State::Errore)
        .count();
    if arguments.json {
        say(&json!({ "ok": wrong == 0, "checks": checks }).to_string())?;
    } else {
        for Check {
            name,
            state,
            message,
        } in &checks
        {
            say(&format!("{state:<10}  {name}: {message}"))?;
        }
    }
    ensure!(wrong == 0, "controlli non superati: {wrong}");
    Ok(())
}

fn examine(config: &Config, now: i64) -> Vec<Check> {
    let mut checks = vec![
        check(
            "configurazione",
            State::Ok,
            "nessuna chiave sconosciuta, nessun valore non valido",
        ),
        folder(&config.data_dir),
    ];
    if !config.data_dir.is_dir() {
        return checks;
    }
    let (archive, found) = archive(&config.data_dir);
    checks.push(archive);
    checks.push(keys(config, found.as_ref()));
    checks.push(disk(&config.data_dir));
    checks.push(clock(now, found.as_ref(), config));
    if found.is_some() {
        checks.push(backups(config, now));
    }
    checks
}

/// The data folder and what lies in it.
fn folder(data: &Path) -> Check {
    let name = "cartella dei dati";
    let Ok(metadata) = data.metadata() else {
        let message = format!("{} non esiste: la crea il primo avvio", data.display());
        return check(name, State::Errore, message);
    };
    let open = |path: &Path| {
        let mode = path
            .symlink_metadata()
            .map_or(0, |metadata| metadata.mode());
        mode & 0o077 != 0
    };
    if metadata.mode() & 0o077 != 0 {
        let message = format!("altri utenti vi entrano: chmod 700 {}", data.display());
        return check(name, State::Errore, message);
    }
    let exposed = data.read_dir().into_iter().flatten().flatten();
    let exposed = exposed.map(|entry| entry.path()).find(|path| open(path));
    match exposed {
        Some(path) => {
            let message = format!("{} ha permessi per altri utenti", path.display());
            check(name, State::Attenzione, message)
        }
        None => check(name, State::Ok, format!("{}, riservata", data.display())),
    }
}

/// The database, read to its end.
fn archive(data: &Path) -> (Check, Option<Inspected>) {
    let (name, path) = ("archivio", database_path(data));
    if !path.exists() {
        return (
            check(name, State::Errore, "non c'è: lo crea il primo avvio"),
            None,
        );
    }
    match inspect_database(&path) {
        Ok(found) => {
            let count = reports(found.reports());
            let message = format!("integro, {count}, versione dello schema {}", found.version);
            (check(name, State::Ok, message), Some(found))
        }
        Err(error) => (check(name, State::Errore, error.to_string()), None),
    }
}

fn keys(config: &Config, found: Option<&Inspected>) -> Check {
    let name = "file delle chiavi";
    let keys = match KeyFile::load(&config.key_file) {
        Ok(keys) => keys,
        Err(error) => return check(name, State::Errore, error.to_string()),
    };
    let Some(found) = found else {
        return check(name, State::Ok, "leggibile, riservato");
    };
    let copied = keys
        .newsroom
        .is_some_and(|copy| Some(copy.key_id.to_string()) == found.key_id);
    match (copied, found.sealed, found.has_slots) {
        (true, _, true) => check(name, State::Ok, "apre le segnalazioni"),
        (true, _, false) => check(
            name,
            State::Attenzione,
            "apre le segnalazioni, ed è il solo: impostare una password, che dà anche il codice di recupero",
        ),
        (false, true, _) => check(
            name,
            State::Ok,
            "modalità sigillata: non apre le segnalazioni",
        ),
        (false, false, true) => check(
            name,
            State::Attenzione,
            "non apre le segnalazioni di questo archivio: accedere una volta al pannello",
        ),
        (false, false, false) => check(
            name,
            State::Errore,
            "non apre le segnalazioni, e non c'è una password che le riapra: rimettere il file originale",
        ),
    }
}

fn disk(data: &Path) -> Check {
    let name = "spazio su disco";
    let size = database_path(data).metadata().map_or(0, |file| file.len());
    match free_bytes(data) {
        Err(error) => check(name, State::Errore, format!("{error:#}")),
        Ok(free) => {
            let mib = free / (1024 * 1024);
            // A backup is made of a copy, read back into another.
            let (state, message) = if free < ROOM {
                (State::Errore, format!("liberi {mib} MiB: troppo pochi"))
            } else if free < ROOM.saturating_add(size.saturating_mul(3)) {
                (
                    State::Attenzione,
                    format!("liberi {mib} MiB: non bastano per un backup"),
                )
            } else {
                (State::Ok, format!("liberi {mib} MiB"))
            };
            check(name, state, message)
        }
    }
}

fn clock(now: i64, found: Option<&Inspected>, config: &Config) -> Check {
    let name = "orologio";
    let newest = found.and_then(|found| found.newest_report);
    if newest.is_some_and(|newest| newest > now + BEHIND_MS) {
        return check(
            name,
            State::Errore,
            "è indietro rispetto alla segnalazione più recente",
        );
    }
    match Timestamp::from_millisecond(now) {
        Ok(at) => check(name, State::Ok, local(at, config)),
        Err(error) => check(name, State::Errore, error.to_string()),
    }
}

fn backups(config: &Config, now: i64) -> Check {
    let name = "backup";
    let standing = glance_at_settings(&config.data_dir)
        .map_err(anyhow::Error::from)
        .and_then(|body| {
            Ok(serde_json::from_str::<System>(
                &body.unwrap_or_else(|| "{}".to_owned()),
            )?)
        })
        .and_then(|system| {
            standing(
                &config.data_dir,
                system.backup_frequency,
                now,
                &config.time_zone,
            )
        });
    match standing {
        Err(error) => check(name, State::Errore, format!("{error:#}")),
        Ok(standing) => {
            let (state, message) = told(&standing, config);
            check(name, state, message)
        }
    }
}

fn told(standing: &Standing, config: &Config) -> (State, String) {
    let last = standing.last.as_ref();
    let at = last.and_then(|last| Timestamp::from_millisecond(last.at).ok());
    let last = at.map_or_else(
        || "nessun backup nella cartella dei dati".to_owned(),
        |at| format!("l'ultimo è del {}", local(at, config)),
    );
    let rehearsal = standing.rehearsal.as_ref();
    if let Some(reason) = rehearsal.and_then(|rehearsal| rehearsal.failure.as_ref()) {
        return (
            State::Errore,
            format!("{last}; la prova di ripristino è fallita: {reason}"),
        );
    }
    if let Some(failure) = &standing.failure {
        return (
            State::Errore,
            format!("{last}; l'ultimo tentativo è fallito: {}", failure.message),
        );
    }
    if standing.overdue {
        return (State::Errore, format!("{last}: è in ritardo"));
    }
    let state = if at.is_some() {
        State::Ok
    } else {
        State::Attenzione
    };
    (state, last)
}
