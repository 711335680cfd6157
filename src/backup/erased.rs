//! What was erased does not come back with a backup: the ledgers of the present archive, of the file beside it and of the
//! backup hold together in the archive that takes its place (PRODUCT.md §9). Where the first two cannot be read, those of the
//! backups of the folder and of the archives put aside are better than none.
//! Must never let a ledger be lost in silence, nor keep anybody from a restore because of it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use super::examine::{Sound, examine, is_put_aside};
use super::scratch::Scratch;
use super::shelf;
use crate::config::Config;
use crate::store::{
    Cause, Error, LedgerFile, LedgerRow, database_path, glance_at_ledger, let_stay_erased,
    read_ledger_file,
};

/// What was kept from coming back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    /// Reports of the backup that were erased before.
    pub withheld: usize,
    /// How far it is known what was erased.
    pub known: Known,
}

/// How far it is known what an installation has erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Known {
    /// Altogether: its ledger was read, or it never held a report.
    #[default]
    Whole,
    /// As far as another copy of the ledger tells, which may lack the latest; its moment, where it has one.
    Older(Option<Timestamp>),
    /// Not at all, though it was in use.
    Nothing,
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
    let (mut lines, known) =
        of_here(config, database).context("elenco delle segnalazioni cancellate")?;
    if kind == "json" {
        lines.extend(told(file).context("l'elenco «erased» non è valido")?);
    }
    Ok(Erased {
        withheld: let_stay_erased(database, &lines)?,
        known,
    })
}

/// What this installation has erased, as far as it can be told. `made` is the archive that is to take the place of the
/// present one: room for copies is beside it.
fn of_here(config: &Config, made: &Path) -> Result<(Vec<LedgerRow>, Known)> {
    let folder = &config.data_dir;
    if !folder.exists() {
        return Ok((Vec::new(), Known::Whole));
    }
    let beside = read_ledger_file(folder)?;
    let trusted = matches!(beside, LedgerFile::Whole(_));
    let mut in_use = beside != LedgerFile::Missing || config.key_file.exists();
    let mut lines = beside.into_lines();
    let present = database_path(folder)
        .exists()
        .then(|| glance_at_ledger(folder));
    match present {
        Some(Ok(stored)) => {
            lines.extend(stored);
            return Ok((lines, Known::Whole));
        }
        // It is put aside as it lies; the operator is told what that means.
        Some(Err(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_))) => in_use = true,
        Some(Err(error)) => return Err(error.into()),
        None => {}
    }
    if trusted {
        return Ok((lines, Known::Whole));
    }
    let (backups, aside) = (
        shelf::list(&folder.join(shelf::FOLDER))?,
        put_aside(folder)?,
    );
    in_use |= !(backups.is_empty() && aside.is_empty());
    let mut known = if lines.is_empty() {
        Known::Nothing
    } else {
        Known::Older(None)
    };
    let below = made.parent().unwrap_or(folder);
    let mut older = |file: &Path| -> Result<bool> {
        let Some((found, at)) = kept_in(file, below, &config.time_zone)? else {
            return Ok(false);
        };
        lines.extend(found);
        known = Known::Older(at.or(match known {
            Known::Older(before) => before,
            Known::Whole | Known::Nothing => None,
        }));
        Ok(true)
    };
    // A ledger only grows: the newest backup that can be read holds those before it.
    for backup in &backups {
        if older(&backup.path)? {
            break;
        }
    }
    for file in &aside {
        older(file)?;
    }
    Ok((lines, if in_use { known } else { Known::Whole }))
}

/// Archives that restores have put aside.
fn put_aside(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if is_put_aside(&path) && path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// The ledger in a copy of the archive, and when that was made; `None` when it is no good copy.
fn kept_in(
    file: &Path,
    below: &Path,
    zone: &TimeZone,
) -> Result<Option<(Vec<LedgerRow>, Option<Timestamp>)>> {
    let scratch = Scratch::below(below)?;
    let sound = match examine(file, &scratch, zone) {
        Ok(Sound::Json(_)) => return Ok(None),
        Ok(sound) => sound,
        Err(error) => {
            tracing::warn!(
                error = format!("{error:#}"),
                "a copy of the archive does not tell what was erased"
            );
            return Ok(None);
        }
    };
    Ok(Some((glance_at_ledger(scratch.path())?, sound.created())))
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
