//! A large archive, filled through the program's own store and the action that restores a report, so that rows, triggers and
//! sealing are those of the program.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use jiff::Timestamp;
use segnalazioni::testing::actions::{self, Act, BackupReport};
use segnalazioni::testing::domain::{
    Analysis, Concern, DepartmentKey, Departments, Origine, Stato,
};
use segnalazioni::testing::newsroom::{self, Newsroom};
use segnalazioni::testing::{Clock, CommonFlags, Config, Flags, VaultError};
use uuid::Uuid;

use super::figures::say;
use super::person::account;

/// Reports of one transaction. SQLite walks along all that it may have to take back after each statement, so that larger
/// transactions are slower.
const TOGETHER: usize = 200;
/// Reports that arrived in the same hour, and so are sealed under the same key.
const HOURLY: usize = 200;
/// One report in so many is urgent.
const URGENT: usize = 50;
const HOUR_MS: i64 = 3_600_000;
/// Reports resolved before so many hours are archived already, or the program would archive them while it is measured.
const RESOLVED_HOURS: i64 = 20 * 24;

/// Fills a data folder. The newest reports arrive now, the first ones months ago.
pub fn fill(data: &Path, reports: usize) -> Result<()> {
    let begun = Instant::now();
    let flags = Flags {
        common: CommonFlags {
            data_dir: Some(data.to_owned()),
            ..CommonFlags::default()
        },
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
                let at = now - HOUR_MS * hours;
                report(number, at, hours)?.store(&Act::unattended(tx, &vault, at), seq)?;
            }
            Ok::<_, actions::Error>(())
        })?;
    }
    let stored = store.read(|snapshot| snapshot.newest_seq())?;
    ensure!(usize::try_from(stored)? == reports, "{stored} were stored");
    let mib = fs::metadata(data.join("segnalazioni.db"))?.len() / 1024 / 1024;
    let seconds = begun.elapsed().as_secs();
    say(&format!(
        "archive of {reports} reports, {mib} MiB, filled in {seconds} s"
    ));
    Ok(())
}

fn report(number: usize, at: i64, hours: i64) -> actions::Result<BackupReport> {
    let urgent = number.is_multiple_of(URGENT);
    let stato = match Stato::ALL[number % Stato::ALL.len()] {
        Stato::Risolta if hours > RESOLVED_HOURS => Stato::Archiviata,
        stato => stato,
    };
    let departments: Vec<DepartmentKey> = Departments::default().keys().collect();
    let department = departments[number % departments.len()];
    let at = Timestamp::from_millisecond(at).map_err(|_| VaultError::Damaged)?;
    Ok(BackupReport {
        id: Uuid::new_v4().to_string(),
        eta: 18 + u8::try_from(number % 80).unwrap_or(0),
        nome: "Anna Maria".to_owned(),
        cognome: format!("Prova {number}"),
        telefono: format!("3{:09}", number % 1_000_000_000),
        email: format!("persona{number}@esempio.it"),
        indirizzo: format!("Via della Prova {number}, Milano"),
        segnalazione: account(number),
        inchiesta: None,
        risposte: Vec::new(),
        story: None,
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
        promesse: [None, None],
        ritiro: None,
        fatta: None,
        privacy_version: "1".to_owned(),
        storia: Vec::new(),
    })
}
