//! A large archive, filled through the program's own store and the action that takes reports back from a file: same tables,
//! triggers, sealing. Must never skip what a report costs on the disk.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use segnalazioni::actions;
use segnalazioni::actions::import_report::{Imported, import_report};
use segnalazioni::config::{Config, Flags};
use segnalazioni::domain::report::{Report, Stato};
use segnalazioni::domain::routing::Analysis;
use segnalazioni::newsroom::{self, Newsroom};
use uuid::Uuid;

use super::support::person::{SHORT, account};

/// Reports to a commit.
const TOGETHER: usize = 5_000;
/// Reports that share an hour of life, and so the key they are sealed under.
const HOURLY: usize = 200;
/// When the first one arrived, in ms: 2020.
const FIRST: i64 = 1_577_836_800_000;
/// An hour, in ms.
const HOUR: i64 = 3_600_000;

/// What became of it.
pub struct Filled {
    /// Size of the database.
    pub bytes: u64,
    /// How long it took.
    pub time: Duration,
}

/// Fills the data folder.
pub fn fill(data: &Path, reports: usize) -> Result<Filled> {
    let begun = Instant::now();
    let flags = Flags {
        data_dir: Some(data.to_owned()),
        ..Flags::default()
    };
    let config = Config::load(&flags, [], data.parent().unwrap_or(data))?;
    let Newsroom { store, vault } = newsroom::open(&config, FIRST, Box::new(|| ()))?;
    for from in (0..reports).step_by(TOGETHER) {
        let vault = vault.clone();
        store.write(move |tx| {
            for number in from..(from + TOGETHER).min(reports) {
                let at = FIRST + HOUR * i64::try_from(number / HOURLY).unwrap_or(0);
                let seq = i64::try_from(number).unwrap_or(0) + 1;
                import_report(tx, &vault, at, seq, report(number, at))?;
            }
            Ok::<_, actions::Error>(())
        })?;
    }
    drop(store);
    let bytes = std::fs::metadata(data.join("segnalazioni.db"))?.len();
    Ok(Filled {
        bytes,
        time: begun.elapsed(),
    })
}

fn report(number: usize, at: i64) -> Imported {
    Imported {
        id: Uuid::new_v4().to_string(),
        report: Report {
            eta: 18 + u8::try_from(number % 80).unwrap_or(0),
            nome: "Anna Maria".to_owned(),
            cognome: format!("Prova {number}"),
            telefono: format!("3{:09}", number % 1_000_000_000),
            email: format!("persona{number}@esempio.it"),
            indirizzo: format!("Via della Prova {number}, Milano"),
            segnalazione: account(number, SHORT),
        },
        analysis: Analysis::default(),
        stato: Stato::ALL[number % 4],
        note: String::new(),
        data_creazione: at,
        data_aggiornamento: at,
        versione: 1,
        aperta: None,
        privacy_version: "1".to_owned(),
        history: Vec::new(),
    }
}
