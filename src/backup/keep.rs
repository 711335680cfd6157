//! The server's own backups: one when it is due, the last fourteen kept, the newest gone back to once a week in a scratch
//! folder (PRODUCT.md §9).
//! Must never run on the writer's thread, nor count a backup as good that was not read to its end.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use jiff::tz::TimeZone;

use super::examine::{Sound, examine};
use super::make;
use super::schedule::{is_due, is_overdue, rehearsal_is_due, waits_after};
use super::scratch::Scratch;
use super::shelf::{self, Shelved};
use super::status::{Checked, Status};
use crate::actions;
use crate::actions::log_access::Actor;
use crate::actions::note_backup::note_backup;
use crate::actions::sealing::{is_closed, open_report};
use crate::actions::settings;
use crate::domain::settings::{BackupFrequency, System};
use crate::store::{self, Pace, Store};
use crate::vault::Vault;

pub use super::status::{Failure, Rehearsal};

/// Backups kept (PRODUCT.md §9).
const KEEP: usize = 14;

/// What the server's own backups are made of.
pub struct Keeper<'a> {
    /// The data folder.
    pub data: &'a Path,
    /// The open database, for the setting and the note in the log.
    pub store: &'a Store,
    /// The keys, to try whether a rehearsed report opens.
    pub vault: &'a Arc<Vault>,
    /// Where a day begins.
    pub zone: &'a TimeZone,
    /// The last failure, where even that could not be written down: the disk may be full to the last byte.
    pub unwritten: &'a Mutex<Option<Failure>>,
}

/// How the backups stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// How often one is to be made.
    pub frequency: BackupFrequency,
    /// The newest good one, or the newest that is not known yet.
    pub last: Option<Last>,
    /// The last try that failed, unless one succeeded since.
    pub failure: Option<Failure>,
    /// Whether the newest is older than the schedule allows.
    pub overdue: bool,
    /// The last rehearsal.
    pub rehearsal: Option<Rehearsal>,
    /// Every backup of the folder, newest first.
    pub files: Vec<Filed>,
    /// How many of them bear a date that is still to come: they were made while the clock was ahead, and count as nothing.
    pub ahead: i64,
}

impl Standing {
    /// Whether somebody must do something: going back to the newest failed, or it is older than the schedule allows.
    pub fn alarming(&self) -> bool {
        let failed = |rehearsal: &Rehearsal| rehearsal.failure.is_some();
        self.overdue || self.rehearsal.as_ref().is_some_and(failed)
    }
}

/// The newest backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// When it was begun, in ms.
    pub at: i64,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read to its end and found good.
    pub verified: bool,
}

/// A backup of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// Its name.
    pub name: String,
    /// When it was begun, in ms.
    pub at: i64,
    /// Its length.
    pub bytes: u64,
    /// Whether it is good; `None` when it was not read yet.
    pub good: Option<bool>,
}

/// How the backups of a data folder stand, from what is written there.
pub fn standing(
    data: &Path,
    frequency: BackupFrequency,
    now: i64,
    zone: &TimeZone,
) -> Result<Standing> {
    let folder = data.join(shelf::FOLDER);
    let status = Status::read(&folder);
    let files: Vec<Filed> = shelf::list(&folder)?
        .into_iter()
        .map(|shelved| Filed {
            good: status.verdict(&shelved),
            name: shelved.name,
            at: shelved.at,
            bytes: shelved.bytes,
        })
        .collect();
    let last = files
        .iter()
        .find(|file| file.at <= now && file.good != Some(false))
        .map(|file| Last {
            at: file.at,
            bytes: file.bytes,
            verified: file.good == Some(true),
        });
    let times = (
        last.as_ref().map(|last| last.at),
        status.failure.as_ref().map(|failure| failure.at),
    );
    Ok(Standing {
        ahead: files.iter().map(|file| i64::from(file.at > now)).sum(),
        frequency,
        overdue: is_overdue(frequency, times, now, zone),
        last,
        failure: status.failure,
        rehearsal: status.rehearsal,
        files,
    })
}

impl Rehearsal {
    /// Whether it succeeded without that anybody's words were seen to open.
    pub fn left_closed(&self) -> bool {
        self.failure.is_none() && self.opened == Some(false)
    }
}

impl Status {
    /// Whether a backup is known to be good or bad; `None` for one that was not read yet.
    fn verdict(&self, shelved: &Shelved) -> Option<bool> {
        let known =
            |checked: &&Checked| checked.name == shelved.name && checked.bytes == shelved.bytes;
        self.checked.iter().find(known).map(|checked| checked.good)
    }
}

impl Keeper<'_> {
    /// One round: checks what is new, makes a backup when one is due, rehearses the newest when that is due. What fails is
    /// written down or at least remembered, logged once, and tried again after an hour.
    pub fn round(&self, now: i64) -> Result<()> {
        let (frequency, set_up) = self.store.read(|snapshot| {
            let system: System = settings::load(snapshot)?;
            let set_up = snapshot.credential()?.is_some();
            Ok::<_, actions::Error>((system.backup_frequency, set_up))
        })?;
        // Until there is a password there is nothing to go back to.
        if frequency == BackupFrequency::Disabled || !set_up {
            return Ok(());
        }
        let folder = self.data.join(shelf::FOLDER);
        let mut status = Status::read(&folder);
        let mut unwritten = self
            .unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = unwritten.as_ref().or(status.failure.as_ref());
        let failed = known.map(|failure| failure.at);
        if waits_after(failed, now) {
            return Ok(());
        }
        // Whoever asks how the backups stand must not wait for one.
        drop(unwritten);
        let outcome = self.attempt(frequency, &folder, &mut status, now);
        unwritten = self
            .unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Err(error) = outcome else {
            *unwritten = None;
            return Ok(());
        };
        let message = format!("{error:#}");
        if failed.is_none() {
            tracing::error!(
                error = message,
                "a scheduled backup failed: it is tried again every hour"
            );
        }
        let failure = Failure { at: now, message };
        status.failure = Some(failure.clone());
        let written = status.write(&folder);
        *unwritten = written.is_err().then_some(failure);
        Ok(())
    }

    fn attempt(
        &self,
        frequency: BackupFrequency,
        folder: &Path,
        status: &mut Status,
        now: i64,
    ) -> Result<()> {
        shelf::prepare(self.data)?;
        let mut newest = newest_good(folder, status, now, self.zone)?;
        let last = newest.as_ref().map(|shelved| shelved.at);
        if is_due(frequency, last, now, self.zone) {
            let made = make::into_folder(self.data, folder, Pace::default(), now)?;
            status.note(&made.path, made.bytes, true);
            status.failure = None;
            status.write(folder)?;
            self.store
                .write(move |tx| note_backup(tx, now, &Actor::default()))?;
            shelf::keep_newest(folder, KEEP, &made.path)?;
            newest = newest_good(folder, status, now, self.zone)?;
        } else if status.failure.take().is_some() {
            status.write(folder)?;
        }
        match newest {
            Some(newest) => self.rehearse(folder, status, &newest, now),
            None => Ok(()),
        }
    }

    /// Goes back to a backup in a scratch folder, and opens its newest report where the archive is unlocked.
    fn rehearse(
        &self,
        folder: &Path,
        status: &mut Status,
        newest: &Shelved,
        now: i64,
    ) -> Result<()> {
        let last = status.rehearsal.as_ref();
        let failed_before = last.is_some_and(|last| last.failure.is_some());
        // What failed is tried again with the next backup.
        let another = failed_before && last.is_some_and(|last| last.file != newest.name);
        if !another && !rehearsal_is_due(last.map(|last| last.at), now, self.zone) {
            return Ok(());
        }
        let (opened, failure) = match self.go_back(folder, newest) {
            Ok(opened) => (opened, None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        if let (Some(error), false) = (&failure, failed_before) {
            tracing::error!(error, "the rehearsal of the newest backup failed");
        }
        status.rehearsal = Some(Rehearsal {
            at: now,
            file: newest.name.clone(),
            failure,
            opened,
        });
        status.write(folder)
    }

    /// Answers whether a report was opened; `None` where there is none that the archive's keys are to open.
    fn go_back(&self, folder: &Path, newest: &Shelved) -> Result<Option<bool>> {
        let scratch = Scratch::below(folder)?;
        let Sound::Archive { found, .. } = examine(&newest.path, &scratch, self.zone)? else {
            bail!("{} non è un backup dell'archivio", newest.name);
        };
        let store = Store::open(scratch.path(), Box::new(|| ()))?;
        let vault = Arc::clone(self.vault);
        let (counted, opened) = store.read(move |snapshot| {
            let opened = match snapshot.report_at(snapshot.newest_seq()?)? {
                Some(row) if is_closed(snapshot, &vault, &row)? => Ok(None),
                Some(_) if !vault.is_unlocked() => Ok(Some(false)),
                Some(row) => open_report(snapshot, &vault, &row).map(|_| Some(true)),
                None => Ok(None),
            };
            Ok::<_, actions::Error>((snapshot.counters()?.total, opened))
        })?;
        ensure!(
            counted == found.reports(),
            "i contatori non corrispondono alle segnalazioni"
        );
        opened.context("la segnalazione più recente non si apre")
    }
}

/// The newest backup that is good; those that nobody has read yet are read, and what they are is remembered.
fn newest_good(
    folder: &Path,
    status: &mut Status,
    now: i64,
    zone: &TimeZone,
) -> Result<Option<Shelved>> {
    for shelved in shelf::list(folder)?
        .into_iter()
        .filter(|shelved| shelved.at <= now)
    {
        let good = if let Some(good) = status.verdict(&shelved) {
            good
        } else {
            let good = read_through(folder, &shelved, zone)?;
            status.note(&shelved.path, shelved.bytes, good);
            status.write(folder)?;
            good
        };
        if good {
            return Ok(Some(shelved));
        }
    }
    Ok(None)
}

/// Reads a backup to its end. A disk that is full or fails says nothing about the backup.
fn read_through(folder: &Path, shelved: &Shelved, zone: &TimeZone) -> Result<bool> {
    let scratch = Scratch::below(folder)?;
    let Err(error) = examine(&shelved.path, &scratch, zone) else {
        return Ok(true);
    };
    let of_the_disk = error.chain().any(|cause| {
        matches!(
            cause.downcast_ref(),
            Some(store::Error::Disk(_) | store::Error::DiskFull)
        ) || cause.is::<std::io::Error>()
    });
    if of_the_disk {
        return Err(error);
    }
    tracing::error!(
        error = format!("{error:#}"),
        file = shelved.name,
        "a backup is damaged"
    );
    Ok(false)
}

impl Status {
    /// Remembers what a backup is; of more than are kept the oldest are forgotten.
    fn note(&mut self, path: &Path, bytes: u64, good: bool) {
        let name = file_name(path);
        self.checked.retain(|checked| checked.name != name);
        self.checked.push(Checked { name, bytes, good });
        let surplus = self.checked.len().saturating_sub(4 * KEEP);
        self.checked.drain(..surplus);
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
