//! The server's own backups: one when it is due, the last fourteen kept, the newest gone back to once a week in a scratch
//! folder (PRODUCT.md §9).
//! Must never run on the writer's thread, nor count a backup as good that was not read to its end.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use super::examine::archive;
use super::folder::{self, Backup};
use super::make;
use super::memory::Memory;
use super::schedule::{is_due, is_overdue, rehearsal_is_due, waits_after};
use super::scratch::Scratch;
use crate::actions::log_access::Action;
use crate::actions::sealing::open_report;
use crate::actions::{self, Act, settings};
use crate::domain::settings::{BackupFrequency, System};
use crate::store::{self, Store, Tx};
use crate::vault::Vault;

pub use super::memory::{Failure, Rehearsal};

/// Backups kept (PRODUCT.md §9).
const KEEP: usize = 14;

pub struct Keeper<'a> {
    pub data: &'a Path,
    pub store: &'a Store,
    /// The keys, to try whether a rehearsed report opens.
    pub vault: &'a Arc<Vault>,
    pub zone: &'a TimeZone,
    /// The last failure, where even that could not be written down: the disk may be full to the last byte.
    pub unwritten: &'a Mutex<Option<Failure>>,
}

/// The server's own backups.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Backups)]
pub struct Standing {
    /// How often one is made.
    pub frequency: BackupFrequency,
    /// The newest good one, or the newest that was not read yet; null when there is none.
    #[schema(required)]
    pub last: Option<LastBackup>,
    /// The last try that failed; null when none has since the newest.
    #[schema(required)]
    pub last_error: Option<Failure>,
    /// Whether the newest good one is older than the schedule allows.
    pub overdue: bool,
    /// The last rehearsal of a restore; null before the first.
    #[schema(required)]
    pub rehearsal: Option<Rehearsal>,
    /// Whether somebody must do something: `overdue`, or a rehearsal that failed.
    pub alarming: bool,
    /// Every backup of the folder `backups`, newest first.
    pub files: Vec<BackupFile>,
    /// How many of them bear a date that is still to come: they were made while the clock was ahead, and count as nothing.
    #[serde(skip)]
    pub ahead: i64,
}

/// The newest backup.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LastBackup {
    /// When it was begun; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read back to its end and found good.
    pub verified: bool,
}

/// A backup that lies on the server.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BackupFile {
    /// Its name.
    pub name: String,
    /// When it was begun; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read back to its end and found good; null when it was not read yet.
    #[schema(required)]
    pub good: Option<bool>,
}

impl From<BackupFile> for LastBackup {
    fn from(file: BackupFile) -> Self {
        Self {
            at: file.at,
            bytes: file.bytes,
            verified: file.good == Some(true),
        }
    }
}

impl Standing {
    /// Of an installation that has no folder.
    pub fn nothing(frequency: BackupFrequency) -> Self {
        Self {
            frequency,
            last: None,
            last_error: None,
            overdue: false,
            rehearsal: None,
            alarming: false,
            files: Vec::new(),
            ahead: 0,
        }
    }
}

/// How the backups of a data folder stand, from what is written there.
pub fn standing(
    data: &Path,
    frequency: BackupFrequency,
    now: i64,
    zone: &TimeZone,
) -> Result<Standing> {
    let folder = data.join(folder::FOLDER);
    let memory = Memory::read(&folder);
    let backups = folder::list(&folder)?;
    let file = |backup: &Backup| -> Result<BackupFile> {
        Ok(BackupFile {
            good: memory.verdict(backup),
            name: backup.name.clone(),
            at: Timestamp::from_millisecond(backup.at)?,
            bytes: backup.bytes,
        })
    };
    let files = backups.iter().map(file).collect::<Result<Vec<_>>>()?;
    let newest = |backup: &&Backup| backup.at <= now && memory.verdict(backup) != Some(false);
    let last = backups.iter().find(newest);
    let failed = memory.failure.as_ref();
    let times = (
        last.map(|backup| backup.at),
        failed.map(|failure| failure.at.as_millisecond()),
    );
    let overdue = is_overdue(frequency, times, now, zone);
    let ahead = backups.iter().map(|backup| i64::from(backup.at > now));
    let rehearsed = memory.rehearsal.as_ref().is_none_or(|last| last.ok);
    Ok(Standing {
        frequency,
        last: last.map(file).transpose()?.map(LastBackup::from),
        last_error: memory.failure,
        overdue,
        rehearsal: memory.rehearsal,
        alarming: overdue || !rehearsed,
        ahead: ahead.sum(),
        files,
    })
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
        let folder = self.data.join(folder::FOLDER);
        let mut memory = Memory::read(&folder);
        let failed = self
            .unwritten
            .lock()
            .clone()
            .or_else(|| memory.failure.clone());
        let failed = failed.map(|failure| failure.at.as_millisecond());
        if waits_after(failed, now) {
            return Ok(());
        }
        let outcome = self.attempt(frequency, &folder, &mut memory, now);
        let failure = match outcome {
            Ok(()) => None,
            Err(error) => {
                let message = format!("{error:#}");
                if failed.is_none() {
                    tracing::error!(
                        error = message,
                        "a scheduled backup failed: it is tried again every hour"
                    );
                }
                let at = Timestamp::from_millisecond(now)?;
                memory.failure = Some(Failure { at, message });
                memory.write(&folder).err().and(memory.failure)
            }
        };
        *self.unwritten.lock() = failure;
        Ok(())
    }

    fn attempt(
        &self,
        frequency: BackupFrequency,
        folder: &Path,
        memory: &mut Memory,
        now: i64,
    ) -> Result<()> {
        folder::prepare(self.data)?;
        let mut newest = newest_good(folder, memory, now)?;
        let last = newest.as_ref().map(|backup| backup.at);
        if is_due(frequency, last, now, self.zone) {
            let made = make::into_folder(self.data, folder, now)?;
            memory.note(&folder::name_of(&made.path), made.bytes, true);
            memory.failure = None;
            memory.write(folder)?;
            let vault = Arc::clone(self.vault);
            let noted =
                move |tx: &Tx<'_>| Act::unattended(tx, &vault, now).log(Action::Backup, None);
            self.store.write(noted)?;
            folder::keep_newest(folder, KEEP, &made.path)?;
            newest = newest_good(folder, memory, now)?;
        } else if memory.failure.take().is_some() {
            memory.write(folder)?;
        }
        match newest {
            Some(newest) => self.rehearse(folder, memory, &newest, now),
            None => Ok(()),
        }
    }

    /// Goes back to a backup in a scratch folder, and opens its newest report where the archive is unlocked.
    fn rehearse(
        &self,
        folder: &Path,
        memory: &mut Memory,
        newest: &Backup,
        now: i64,
    ) -> Result<()> {
        let last = memory.rehearsal.as_ref();
        let failed_before = last.is_some_and(|last| !last.ok);
        // What failed is tried again with the next backup.
        let another = failed_before && memory.rehearsed != newest.name;
        let last_at = last.map(|last| last.at.as_millisecond());
        if !another && !rehearsal_is_due(last_at, now, self.zone) {
            return Ok(());
        }
        let (opened, message) = match self.go_back(folder, newest) {
            Ok(opened) => (opened, None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        if let (Some(error), false) = (&message, failed_before) {
            tracing::error!(error, "the rehearsal of the newest backup failed");
        }
        memory.rehearsed.clone_from(&newest.name);
        memory.rehearsal = Some(Rehearsal {
            at: Timestamp::from_millisecond(now)?,
            ok: message.is_none(),
            message,
            opened,
        });
        memory.write(folder)
    }

    /// Answers whether a report was opened; `None` where there is none that this archive's keys are to open.
    fn go_back(&self, folder: &Path, newest: &Backup) -> Result<Option<bool>> {
        let scratch = Scratch::below(folder)?;
        let found = archive(&newest.path, &scratch)?.found;
        let store = Store::open(scratch.path(), Box::new(|| ()))?;
        let vault = Arc::clone(self.vault);
        let ours = found.key_id == Some(vault.key_id());
        let (counted, opened) = store.read(move |snapshot| {
            let newest = snapshot.report_at(snapshot.newest_seq()?)?;
            let opened = match newest.filter(|_| ours) {
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
fn newest_good(folder: &Path, memory: &mut Memory, now: i64) -> Result<Option<Backup>> {
    let backups = folder::list(folder)?.into_iter();
    for backup in backups.filter(|backup| backup.at <= now) {
        let good = if let Some(known) = memory.verdict(&backup) {
            known
        } else {
            let good = is_good(folder, &backup)?;
            memory.note(&backup.name, backup.bytes, good);
            memory.write(folder)?;
            good
        };
        if good {
            return Ok(Some(backup));
        }
    }
    Ok(None)
}

/// Reads a backup to its end. A disk that is full or fails says nothing about the backup.
fn is_good(folder: &Path, backup: &Backup) -> Result<bool> {
    let scratch = Scratch::below(folder)?;
    let Err(error) = archive(&backup.path, &scratch) else {
        return Ok(true);
    };
    // An error of the packing has no number of the system's.
    let of_the_system = |error: &io::Error| {
        error.raw_os_error().is_some() || error.kind() == ErrorKind::StorageFull
    };
    let of_the_disk = error.chain().any(|cause| {
        let stored = cause.downcast_ref();
        matches!(stored, Some(store::Error::Disk(_) | store::Error::DiskFull))
            || cause.downcast_ref().is_some_and(of_the_system)
    });
    if of_the_disk {
        return Err(error);
    }
    let (error, file) = (format!("{error:#}"), &backup.name);
    tracing::error!(error, file, "a backup is damaged");
    Ok(false)
}
