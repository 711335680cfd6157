//! What was erased does not come back with a backup: the ledgers of the present archive, of the file beside it and of the
//! backup hold together in the archive that takes its place (PRODUCT.md §9). Where the first two cannot be read, those of the
//! backups of the folder and of the archives put aside are better than none.
//! Must never let a ledger be lost in silence, nor keep anybody from a restore because of it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::examine::{Sound, examine, is_put_aside};
use super::scratch::Scratch;
use super::shelf;
use super::told::told;
use crate::config::Config;
use crate::store::{
    Error, LedgerFile, LedgerRow, damaged_ledger, database_path, glance, glance_at_ledger,
    have_a_key_pair_in_common, let_stay_erased, read_damaged_ledger, read_ledger_file,
};

/// What was kept from coming back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erased {
    /// Reports of the backup that were erased before.
    pub withheld: usize,
    /// How far it is known what was erased.
    pub known: Known,
    /// Why the list beside the database was not enough, in Italian, where it is there.
    pub fault: Option<String>,
    /// Whether the backup is of another installation, whose own erasures since then nobody here knows.
    pub of_strangers: bool,
}

/// What is known of a restore besides its files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion {
    /// The time, in ms.
    pub(super) now: i64,
    /// When the backup was made, where it says so.
    pub(super) created: Option<Timestamp>,
    /// Whether the installation had a key file before.
    pub(super) has_keys: bool,
}

/// How far it is known what an installation has erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Known {
    /// Altogether: its ledger was read.
    #[default]
    Whole,
    /// As far as another copy of the ledger tells, which may lack the latest; its moment, where it has one.
    Older(Option<Timestamp>),
    /// Not at all, though it was in use.
    Nothing,
    /// Not at all: it is new, or never held a report.
    New,
}

/// The list beside a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    /// There is none.
    Missing,
    /// It is as it was written.
    Whole,
    /// It is damaged, was so once, or cannot be read: it may lack lines.
    Unsound,
}

/// Joins the ledgers in a database that is to take the place of the present one, and erases in it what they name.
pub(super) fn stay_erased(
    config: &Config,
    file: &Path,
    kind: &str,
    database: &Path,
    occasion: Occasion,
) -> Result<Erased> {
    let (list, mut lines, fault) = beside(&config.data_dir);
    let known = of_here(config, database, list, occasion, &mut lines)
        .context("elenco delle segnalazioni cancellate")?;
    if kind == "json" {
        lines.extend(told(file)?);
    }
    Ok(Erased {
        withheld: let_stay_erased(database, &lines)?,
        known,
        fault,
        of_strangers: known == Known::Whole && of_strangers(&config.data_dir, database)?,
    })
}

/// Whether the present archive and one that is to take its place never had a key pair in common. One that cannot be read, or is
/// not there, does not tell.
fn of_strangers(folder: &Path, database: &Path) -> Result<bool> {
    if !database_path(folder).exists() {
        return Ok(false);
    }
    match have_a_key_pair_in_common(database, folder) {
        Ok(common) => Ok(!common),
        Err(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What the list beside a database, and what was put aside of it, still says; and what is wrong with it, in Italian.
fn beside(folder: &Path) -> (List, Vec<LedgerRow>, Option<String>) {
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    let mut list = match read_ledger_file(folder) {
        Ok(LedgerFile::Missing) => List::Missing,
        Ok(LedgerFile::Whole(whole)) => {
            lines.extend(whole);
            List::Whole
        }
        Ok(LedgerFile::Damaged(left)) => {
            lines.extend(left);
            faults.push("è rovinato".to_owned());
            List::Unsound
        }
        Err(error) => {
            faults.push(reason(error));
            List::Unsound
        }
    };
    if let Some(aside) = damaged_ledger(folder) {
        list = List::Unsound;
        faults.push(format!(
            "era rovinato ed è stato rifatto: {}",
            aside.display()
        ));
        match read_damaged_ledger(folder) {
            Ok(left) => lines.extend(left),
            Err(error) => faults.push(reason(error)),
        }
    }
    let fault = (!faults.is_empty()).then(|| faults.join("; "));
    (list, lines, fault)
}

/// Which file, and why it cannot be read.
fn reason(error: Error) -> String {
    match error {
        Error::Disk(why) => why,
        other => other.to_string(),
    }
}

/// Joins to `lines` what this installation has erased, as far as it can be told. `made` is the archive that is to take the
/// place of the present one: room for copies is beside it.
fn of_here(
    config: &Config,
    made: &Path,
    list: List,
    occasion: Occasion,
    lines: &mut Vec<LedgerRow>,
) -> Result<Known> {
    let folder = &config.data_dir;
    if !folder.exists() {
        return Ok(Known::New);
    }
    let mut in_use = list != List::Missing || occasion.has_keys;
    let present = database_path(folder)
        .exists()
        .then(|| glance_at_ledger(folder));
    match present {
        Some(Ok(stored)) => {
            lines.extend(stored);
            if list != List::Unsound {
                let new = lines.is_empty() && glance(folder).is_ok_and(|found| found.reports == 0);
                return Ok(if new { Known::New } else { Known::Whole });
            }
        }
        // It is put aside as it lies; the operator is told what that means.
        Some(Err(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_))) => in_use = true,
        Some(Err(error)) => return Err(error.into()),
        None => {}
    }
    if list == List::Whole {
        return Ok(Known::Whole);
    }
    let below = made.parent().unwrap_or(folder);
    let (copies, found) = of_copies(config, below, occasion, lines)?;
    in_use |= copies;
    Ok(if in_use { found } else { Known::New })
}

/// Joins what copies of the archive in the data folder tell: whether there are any, and how far they tell it.
fn of_copies(
    config: &Config,
    below: &Path,
    occasion: Occasion,
    lines: &mut Vec<LedgerRow>,
) -> Result<(bool, Known)> {
    let folder = &config.data_dir;
    let (backups, aside) = (
        shelf::list(&folder.join(shelf::FOLDER))?,
        put_aside(folder)?,
    );
    let mut any = !lines.is_empty();
    let mut latest = None;
    let mut older = |file: &Path| -> Result<bool> {
        let Some((found, at)) = kept_in(file, below, &config.time_zone)? else {
            return Ok(false);
        };
        lines.extend(found);
        any = true;
        // What a clock that ran ahead has dated says nothing of when it was.
        latest = latest.max(at.filter(|at| at.as_millisecond() <= occasion.now));
        Ok(true)
    };
    let (ahead, past): (Vec<_>, Vec<_>) =
        backups.iter().partition(|backup| backup.at > occasion.now);
    // Of these nobody knows which is the newest.
    for backup in ahead {
        older(&backup.path)?;
    }
    // A ledger only grows: the newest backup that can be read holds those before it.
    for backup in past {
        if older(&backup.path)? {
            break;
        }
    }
    for file in &aside {
        older(file)?;
    }
    // The backup that is gone back to has a ledger of its own.
    let latest = latest.map(|at| occasion.created.map_or(at, |created| at.max(created)));
    let known = if any {
        Known::Older(latest)
    } else {
        Known::Nothing
    };
    Ok((!(backups.is_empty() && aside.is_empty()), known))
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
