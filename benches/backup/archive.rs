//! A large archive, filled through the program's own store and the action that takes reports back from a file: same tables,
//! triggers, sealing. One that is kept is filled once, and copied for each run. Must never skip what a report costs on the
//! disk, nor take a folder that was not filled to the end for a whole one.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;
use segnalazioni::testing::Clock;
use segnalazioni::testing::VaultError;
use segnalazioni::testing::actions;
use segnalazioni::testing::actions::Record;
use segnalazioni::testing::domain::Concern;
use segnalazioni::testing::domain::{Analysis, Department};
use segnalazioni::testing::domain::{Origine, Stato};
use segnalazioni::testing::newsroom::{self, Newsroom};
use segnalazioni::testing::{Config, Flags};
use uuid::Uuid;

use super::support::person::{SHORT, account};

/// Reports to a transaction. SQLite keeps in memory what a job may have to take back, page by page, and walks along all of it
/// after each statement: with thousands of reports a job, each takes longer the larger the archive is.
const TOGETHER: usize = 200;
/// Reports that share an hour of life, and so the key they are sealed under.
const HOURLY: usize = 200;
/// One report in so many has wording that worries.
const URGENT: usize = 50;
/// An hour, in ms.
const HOUR: i64 = 3_600_000;
/// What was resolved before so many hours is archived by now: the program would do it by itself, while it is measured.
const RESOLVED_HOURS: i64 = 20 * 24;

/// What became of it.
pub struct Filled {
    /// Size of the database.
    pub bytes: u64,
    /// How long it took; `None` for a copy of one that was kept.
    pub time: Option<Duration>,
}

impl Filled {
    /// One line about it.
    pub fn told(&self, reports: usize) -> String {
        let how = self.time.map_or_else(
            || "copied from the one that was kept".to_owned(),
            |time| format!("filled in {:.0} s", time.as_secs_f64()),
        );
        let mib = self.bytes / 1024 / 1024;
        format!("archive: {reports} reports, {mib} MiB, {how}")
    }
}

/// Fills the data folder, or copies a kept archive of that size into it, which is filled first where there is none.
pub fn provide(data: &Path, kept: Option<&Path>, reports: usize) -> Result<Filled> {
    let Some(kept) = kept else {
        return Ok(Filled {
            time: Some(fill(data, reports)?),
            bytes: size(data)?,
        });
    };
    let whole = kept.join(format!("{reports}-reports"));
    let mut time = None;
    if !whole.exists() {
        let begun = kept.join(format!("{reports}-reports.begun"));
        if begun.exists() {
            fs::remove_dir_all(&begun)?;
        }
        fs::create_dir_all(&begun)?;
        time = Some(fill(&begun.join("data"), reports)?);
        fs::rename(&begun, &whole)?;
    }
    copy(&whole.join("data"), data).with_context(|| whole.display().to_string())?;
    Ok(Filled {
        bytes: size(data)?,
        time,
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn size(data: &Path) -> Result<u64> {
    Ok(fs::metadata(data.join("segnalazioni.db"))?.len())
}

/// Fills a folder: the last reports arrive now, the first ones months ago.
fn fill(data: &Path, reports: usize) -> Result<Duration> {
    let begun = Instant::now();
    let flags = Flags {
        data_dir: Some(data.to_owned()),
        ..Flags::default()
    };
    let config = Config::load(&flags, [], data.parent().unwrap_or(data))?;
    let now = Clock::System.now_ms();
    let Newsroom { store, vault } = newsroom::open(&config, now, Box::new(|| ()))?;
    for from in (0..reports).step_by(TOGETHER) {
        let vault = vault.clone();
        store.write(move |tx| {
            for number in from..(from + TOGETHER).min(reports) {
                let hours = i64::try_from((reports - 1 - number) / HOURLY).unwrap_or(0);
                let seq = i64::try_from(number).unwrap_or(0) + 1;
                let at = now - HOUR * hours;
                report(number, at, hours)?.store(&actions::Act::unattended(tx, &vault, at), seq)?;
            }
            Ok::<_, actions::Error>(())
        })?;
    }
    let stored = store.read(|snapshot| snapshot.newest_seq())?;
    ensure!(usize::try_from(stored)? == reports, "{stored} were stored");
    Ok(begun.elapsed())
}

fn report(number: usize, at: i64, hours: i64) -> actions::Result<Record> {
    let urgent = number.is_multiple_of(URGENT);
    let stato = match Stato::ALL[number % Stato::ALL.len()] {
        Stato::Risolta if hours > RESOLVED_HOURS => Stato::Archiviata,
        stato => stato,
    };
    let department = Department::ALL[number % Department::ALL.len()];
    let at = Timestamp::from_millisecond(at).map_err(|_| VaultError::Damaged)?;
    Ok(Record {
        id: Uuid::new_v4().to_string(),
        eta: 18 + u8::try_from(number % 80).unwrap_or(0),
        nome: "Anna Maria".to_owned(),
        cognome: format!("Prova {number}"),
        telefono: format!("3{:09}", number % 1_000_000_000),
        email: format!("persona{number}@esempio.it"),
        indirizzo: format!("Via della Prova {number}, Milano"),
        segnalazione: account(number, SHORT),
        department,
        analysis: Analysis {
            department,
            urgente: urgent.then_some(Concern::Danger),
            ..Analysis::default()
        },
        urgente: urgent,
        origine: Origine::Chat,
        labels: Vec::new(),
        stato,
        note: String::new(),
        commenti: Vec::new(),
        assegnata: None,
        data_creazione: at,
        data_aggiornamento: at,
        versione: 1,
        aperta: None,
        privacy_version: "1".to_owned(),
        storia: Vec::new(),
    })
}
