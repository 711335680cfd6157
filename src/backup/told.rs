//! The part of the panel's JSON backup that tells what was erased. Must never pass over a line of it that cannot be read.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;

use crate::store::{Cause, LedgerRow};

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

/// The ledger in a file; nothing, in one of a predecessor.
pub(super) fn told(file: &Path) -> Result<Vec<LedgerRow>> {
    read(file).context("l'elenco «erased» non è valido")
}

fn read(file: &Path) -> Result<Vec<LedgerRow>> {
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
