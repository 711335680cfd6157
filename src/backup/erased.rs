//! What was erased does not come back with a backup: the ledger of the present archive and that of the file hold together
//! in the one that takes its place (PRODUCT.md §9).
//! Must never let a ledger be lost in silence.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;

use crate::config::Config;
use crate::store::{Cause, Error, LedgerRow, database_path, glance_at_ledger, let_stay_erased};

/// What was kept from coming back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    /// Reports of the backup that were erased before.
    pub withheld: usize,
    /// The present archive cannot be read, and its ledger with it.
    pub unreadable: bool,
}

/// The part of a JSON backup that tells what was erased; files of earlier programs have none.
#[derive(Default, Deserialize)]
struct Told {
    #[serde(default)]
    erased: Vec<Entry>,
}

/// A line of it.
#[derive(Deserialize)]
struct Entry {
    trace: String,
    at: Timestamp,
    cause: String,
}

/// Joins the ledgers in a database that is to take the place of the present one, and erases in it what they name.
pub(super) fn stay_erased(
    config: &Config,
    file: &Path,
    kind: &str,
    database: &Path,
) -> Result<Erased> {
    let (mut lines, unreadable) = match present(config) {
        Ok(lines) => (lines, false),
        // It is put aside as it lies; the operator is told what that means.
        Err(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_)) => (Vec::new(), true),
        Err(error) => return Err(error).context("elenco delle segnalazioni cancellate"),
    };
    if kind == "json" {
        lines.extend(told(file).context("l'elenco «erased» non è valido")?);
    }
    Ok(Erased {
        withheld: let_stay_erased(database, &lines)?,
        unreadable,
    })
}

fn present(config: &Config) -> Result<Vec<LedgerRow>, Error> {
    if database_path(&config.data_dir).exists() {
        glance_at_ledger(&config.data_dir)
    } else {
        Ok(Vec::new())
    }
}

/// The ledger in a JSON backup that was checked already.
fn told(file: &Path) -> Result<Vec<LedgerRow>> {
    let mut file = File::open(file)?;
    let mut start = [0; 3];
    let marked = file.read_exact(&mut start).is_ok() && start == *"\u{feff}".as_bytes();
    file.seek(SeekFrom::Start(if marked { 3 } else { 0 }))?;
    let told: Told = serde_json::from_reader(BufReader::new(file))?;
    told.erased.iter().map(row).collect()
}

fn row(entry: &Entry) -> Result<LedgerRow> {
    let mut trace = [0; 32];
    hex::decode_to_slice(&entry.trace, &mut trace)?;
    Ok(LedgerRow {
        trace,
        at: entry.at.as_millisecond(),
        cause: Cause::parse(&entry.cause).context("motivo sconosciuto")?,
    })
}
