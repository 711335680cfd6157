//! The server's own backups (PRODUCT.md §13): one when it is due, the last fourteen kept, the newest restored once a week in a
//! scratch folder. Must never run on the writer's thread, nor count a backup as good that was not read to its end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::archive::Attachments;
use super::attachments::{count_missing, describe_missing, listed};
use super::examine::check_archive;
use super::folder::{self, Backup};
use super::make::NewBackup;
use super::schedule::{is_due, is_overdue, rehearsal_is_due, waits_after};
use super::scratch::Scratch;
use crate::actions;
use crate::actions::Act;
use crate::actions::archive::sealing::open_report;
use crate::actions::settings::sections;
use crate::domain::moment::timestamp;
use crate::domain::settings::{BackupFrequency, System};
use crate::domain::system_error::in_italian;
use crate::newsroom::Core;
use crate::store::{self, Action, Store, Tx, make_private_file};
use crate::vault::Stamp;

const KEEP: usize = 14;
const RECORD_FILE: &str = "stato.json";

pub struct Keeper<'a> {
    pub core: &'a Core,
    pub data: &'a Path,
    pub now: i64,
    pub failure: &'a Mutex<Option<BackupFailure>>,
}

/// The server's own backups.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Backups)]
pub struct BackupStatus {
    /// How often one is made.
    pub frequency: BackupFrequency,
    /// The newest backup that is not known to be damaged; null if there is none.
    pub last: Option<BackupFile>,
    /// The last attempt, if it failed; null if it succeeded.
    pub last_error: Option<BackupFailure>,
    /// Since when files of attachments are missing, so that backups lack them; null if all are there.
    pub incomplete: Option<BackupFailure>,
    /// Whether `last` is older than the schedule allows, or the first attempt failed.
    pub overdue: bool,
    /// The last rehearsal of a restore; null before the first.
    pub rehearsal: Option<RestoreRehearsal>,
    /// Whether a person must act, because of `overdue`, a failed rehearsal or missing attachments.
    pub alarming: bool,
    /// Every backup of the folder `backups`, newest first.
    pub files: Vec<BackupFile>,
}

/// A backup that lies on the server.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BackupFile {
    /// Its name.
    pub name: String,
    /// When it was begun; RFC 3339, UTC.
    pub at: Timestamp,
    /// Its length.
    pub bytes: u64,
    /// Whether it was read back to its end and found good; null if it was not read yet.
    pub good: Option<bool>,
}

/// A fault of the backups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BackupError)]
pub struct BackupFailure {
    /// When it happened, or was first noticed; RFC 3339, UTC.
    pub at: Timestamp,
    /// The fault, in Italian.
    pub message: String,
}

/// A trial restore in a separate folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BackupRehearsal)]
pub struct RestoreRehearsal {
    /// When; RFC 3339, UTC.
    pub at: Timestamp,
    /// Whether the backup can be restored.
    pub ok: bool,
    /// Why the trial restore failed, in Italian; null if it succeeded.
    pub message: Option<String>,
    /// Whether a report was opened; false where the archive was locked (sealed mode, no one logged in): then only its
    /// structure was verified. Null if the trial failed, or the backup has no report that these keys open.
    pub opened: Option<bool>,
}

/// A backup that was read to its end, and the outcome.
#[derive(Debug, Serialize, Deserialize)]
struct CheckedBackup {
    name: String,
    bytes: u64,
    good: bool,
}

/// The server's record of its backups is a file beside them, so that restoring an older archive does not bring back an
/// older record.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BackupRecord {
    checked: Vec<CheckedBackup>,
    rehearsal: Option<RestoreRehearsal>,
    /// Name of the backup that was last restored in a trial.
    #[serde(rename = "rehearsed")]
    rehearsed_backup: String,
    /// Since when files of attachments are missing, and how many; `None` if all are there.
    incomplete: Option<BackupFailure>,
}

impl BackupRecord {
    /// A record that cannot be read counts as empty: every backup is then checked again.
    fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(RECORD_FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let scratch = Scratch::below(folder)?;
        let new = scratch.file(RECORD_FILE);
        let mut file = make_private_file(&new)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        fs::rename(&new, folder.join(RECORD_FILE))?;
        Ok(File::open(folder)?.sync_all()?)
    }

    fn note(&mut self, name: &str, bytes: u64, good: bool) {
        let name = name.to_owned();
        self.checked.push(CheckedBackup { name, bytes, good });
    }

    /// `None` for a backup that was not read yet.
    fn verdict(&self, backup: &Backup) -> Option<bool> {
        let mut known = self.checked.iter().rev();
        let known = known.find(|one| one.name == backup.name && one.bytes == backup.bytes);
        known.map(|one| one.good)
    }
}

/// The status from what is written in the data folder. `failed` is the last failure of this process; a command has none.
pub fn backup_status(
    data: &Path,
    frequency: BackupFrequency,
    failed: Option<BackupFailure>,
    now: i64,
    zone: &TimeZone,
) -> Result<BackupStatus> {
    let folder = data.join(folder::FOLDER);
    let record = BackupRecord::read(&folder);
    let file = |backup: Backup| BackupFile {
        good: record.verdict(&backup),
        at: timestamp(backup.at),
        name: backup.name,
        bytes: backup.bytes,
    };
    let files: Vec<_> = folder::list(&folder)?.into_iter().map(file).collect();
    // A backup with a later date was made while the clock was ahead.
    let last = files.iter().find(|file| {
        let past = file.at.as_millisecond() <= now;
        past && file.good != Some(false)
    });
    let last_at = last.map(|file| file.at.as_millisecond());
    let overdue = is_overdue(frequency, last_at, failed.is_some(), now, zone);
    let rehearsal_failed = record.rehearsal.as_ref().is_some_and(|last| !last.ok);
    let incomplete = record.incomplete;
    Ok(BackupStatus {
        frequency,
        last: last.cloned(),
        overdue,
        rehearsal: record.rehearsal,
        alarming: overdue || rehearsal_failed || incomplete.is_some(),
        last_error: failed,
        incomplete,
        files,
    })
}

impl Keeper<'_> {
    fn stamp(&self) -> &Stamp {
        self.core.vault.stamp()
    }

    /// Checks new backups, makes one when it is due, and rehearses the newest when that is due. A failure is logged once and
    /// tried again after an hour.
    pub fn round(&self) -> Result<()> {
        let (frequency, set_up) = self.core.store.read(|snapshot| {
            let system: System = sections::load(snapshot)?;
            let set_up = snapshot.credential()?.is_some();
            Ok::<_, actions::Error>((system.backup_frequency, set_up))
        })?;
        // Until there is a password there is nothing to go back to.
        if frequency == BackupFrequency::Disabled || !set_up {
            return Ok(());
        }
        let failed_at = self.failure.lock().as_ref().map(|last| last.at);
        let failed_at = failed_at.map(Timestamp::as_millisecond);
        if waits_after(failed_at, self.now) {
            return Ok(());
        }
        let folder = self.data.join(folder::FOLDER);
        let mut failure = None;
        if let Err(error) = self.attempt(frequency, &folder) {
            let message = in_italian(&format!("{error:#}"));
            if failed_at.is_none() {
                tracing::error!(
                    error = message,
                    "a scheduled backup failed: it is tried again every hour"
                );
            }
            let at = timestamp(self.now);
            failure = Some(BackupFailure { at, message });
        }
        *self.failure.lock() = failure;
        Ok(())
    }

    fn attempt(&self, frequency: BackupFrequency, folder: &Path) -> Result<()> {
        let now = self.now;
        self.core.store.settle_reserve()?;
        if self.core.store.is_full() {
            return Err(store::Error::DiskFull.into());
        }
        folder::prepare(self.data)?;
        let record = &mut BackupRecord::read(folder);
        let mut newest = newest_good(folder, record, now, self.stamp())?;
        let last = newest.as_ref().map(|backup| backup.at);
        if is_due(frequency, last, now, &self.core.time_zone) {
            self.make(folder, record)?;
            let vault = Arc::clone(&self.core.vault);
            let noted =
                move |tx: &Tx<'_>| Act::unattended(tx, &vault, now).log(Action::Backup, None);
            self.core.store.write(noted)?;
            // While attachments are missing, no older backup is deleted: it may have them.
            if record.incomplete.is_none() {
                folder::keep_newest(folder, KEEP, now)?;
            }
            newest = newest_good(folder, record, now, self.stamp())?;
        } else if record.incomplete.is_some() {
            let files = listed(self.data)?;
            self.note_missing(record, count_missing(self.data, &files)?);
            record.write(folder)?;
        }
        newest.map_or(Ok(()), |newest| self.rehearse(folder, record, &newest))
    }

    fn make(&self, folder: &Path, record: &mut BackupRecord) -> Result<()> {
        let new = NewBackup {
            data: self.data,
            attachments: Attachments::of_own_backups(self.data, folder),
            now: self.now,
            stamp: Some(self.stamp()),
        };
        let made = new.save_in(folder)?;
        let name = made.path.file_name().unwrap_or_default();
        record.note(&name.to_string_lossy(), made.bytes, true);
        self.note_missing(record, made.missing);
        record.write(folder)
    }

    /// Records since when attachments are missing or truncated, and logs it once.
    fn note_missing(&self, record: &mut BackupRecord, missing: usize) {
        let known = record.incomplete.take();
        if missing == 0 {
            return;
        }
        if known.is_none() {
            tracing::error!(missing, "files of attachments are missing or not whole");
        }
        let at = known.map_or(timestamp(self.now), |known| known.at);
        let message = describe_missing(missing);
        record.incomplete = Some(BackupFailure { at, message });
    }

    /// Restores a backup in a scratch folder, and opens its newest report if the archive is unlocked.
    fn rehearse(&self, folder: &Path, record: &mut BackupRecord, newest: &Backup) -> Result<()> {
        let last = record.rehearsal.as_ref();
        let failed_before = last.is_some_and(|last| !last.ok);
        // A rehearsal that failed is tried again with the next backup.
        let another = failed_before && record.rehearsed_backup != newest.name;
        let last_at = last.map(|last| last.at.as_millisecond());
        if !another && !rehearsal_is_due(last_at, self.now, &self.core.time_zone) {
            return Ok(());
        }
        let (opened, message) = match self.restore_in_scratch(folder, newest) {
            Ok(opened) => (opened, None),
            Err(error) if is_disk_error(&error) => return Err(error),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        if let (Some(error), false) = (&message, failed_before) {
            tracing::error!(error, "the rehearsal of the newest backup failed");
        }
        record.rehearsed_backup.clone_from(&newest.name);
        record.rehearsal = Some(RestoreRehearsal {
            at: timestamp(self.now),
            ok: message.is_none(),
            message,
            opened,
        });
        record.write(folder)
    }

    /// Returns whether a report was opened; `None` if there is none, or the archive has other keys.
    fn restore_in_scratch(&self, folder: &Path, newest: &Backup) -> Result<Option<bool>> {
        let scratch = Scratch::below(folder)?;
        let found = check_archive(&newest.path, Some(self.stamp()), &scratch, None)?.found;
        let store = Store::open(scratch.path(), Box::new(|| ()))?;
        let vault = Arc::clone(&self.core.vault);
        let ours = found.key_id == Some(vault.key_id());
        let (counted, opened) = store.read(move |snapshot| {
            let newest = snapshot.report_at(snapshot.newest_seq()?)?;
            let opened = match newest.filter(|_| ours) {
                Some(_) if !vault.is_unlocked() => Ok(Some(false)),
                Some(row) => open_report(snapshot, &vault, &row).map(|_| Some(true)),
                None => Ok(None),
            };
            Ok::<_, actions::Error>((snapshot.counted(None, None)?, opened))
        })?;
        ensure!(
            counted == found.reports(),
            "i contatori non corrispondono alle segnalazioni"
        );
        opened.context("la segnalazione più recente non si apre")
    }
}

/// The newest good backup. Backups that were not read yet are read, and the outcome is recorded.
fn newest_good(
    folder: &Path,
    record: &mut BackupRecord,
    now: i64,
    stamp: &Stamp,
) -> Result<Option<Backup>> {
    let backups = folder::list(folder)?;
    let kept = |name: &String| backups.iter().any(|backup| backup.name == *name);
    record.checked.retain(|checked| kept(&checked.name));
    for backup in backups.into_iter().filter(|backup| backup.at <= now) {
        if record.verdict(&backup).is_none() {
            let scratch = Scratch::below(folder)?;
            let good = match check_archive(&backup.path, Some(stamp), &scratch, None) {
                Ok(_) => true,
                Err(error) if is_disk_error(&error) => return Err(error),
                Err(error) => {
                    let (error, file) = (format!("{error:#}"), &backup.name);
                    tracing::error!(error, file, "a backup is damaged");
                    false
                }
            };
            record.note(&backup.name, backup.bytes, good);
            record.write(folder)?;
        }
        if record.verdict(&backup) == Some(true) {
            return Ok(Some(backup));
        }
    }
    Ok(None)
}

/// Whether an error comes from a full or failing disk, which does not prove a backup bad. An error of unpacking has no error number
/// of the system; it proves the backup bad.
fn is_disk_error(error: &anyhow::Error) -> bool {
    let is_of_system = |error: &io::Error| {
        error.raw_os_error().is_some() || error.kind() == ErrorKind::StorageFull
    };
    error.chain().any(|cause| {
        let stored = cause.downcast_ref();
        matches!(stored, Some(store::Error::Disk(_) | store::Error::DiskFull))
            || cause.downcast_ref().is_some_and(is_of_system)
    })
}
