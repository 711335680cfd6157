//! Making a backup: a snapshot of the database, packed, read back, and only then given its name.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;

use super::archive::{
    Attachments, BackupContent, Manifest, begins_as_backup, pack, refuse_without_room, unpack,
};
use super::attachments::{count_missing, listed};
use super::folder;
use super::scratch::Scratch;
use crate::VERSION as PROGRAM;
use crate::config::Config;
use crate::newsroom::stamp_of;
use crate::store::{
    PacedFile, beside, copy_database, database_path, give_to_owner, inspect_database,
    make_private_file, upgrade_of,
};
use crate::vault::Stamp;

#[derive(Debug, Clone)]
pub struct SavedBackup {
    pub path: PathBuf,
    pub bytes: u64,
    pub manifest: Manifest,
    /// The number of attachments whose file is missing or truncated.
    pub missing: usize,
}

pub struct NewBackup<'a> {
    pub data: &'a Path,
    pub attachments: Attachments,
    pub now: i64,
    /// `None` leaves the backup unsigned.
    pub stamp: Option<&'a Stamp>,
}

/// The bytes that the database of a folder has at most as one file.
fn database_bytes(data: &Path) -> u64 {
    let database = database_path(data);
    let length = |path: &Path| path.metadata().map_or(0, |file| file.len());
    length(&database).saturating_add(length(&beside(&database, "-wal")))
}

/// The bytes that making a backup takes on its disk: the copied database, the packed one, and the attachments.
pub fn bytes_needed(data: &Path, attachments: Attachments) -> Result<u64> {
    let carried = match attachments {
        Attachments::InDataFolder => 0,
        Attachments::Included => listed(data)?.iter().map(|file| file.bytes).sum(),
    };
    let database = database_bytes(data).saturating_mul(2);
    Ok(database.saturating_add(carried))
}

/// Saves an archive of an earlier version among its backups, before opening migrates it. Fails without space for that, so that the
/// archive is not opened.
pub(super) fn save_before_upgrade(config: &Config, now: i64) -> Result<()> {
    let Some((found, known)) = upgrade_of(&config.data_dir) else {
        return Ok(());
    };
    let saved = save_version(config, now).with_context(|| {
        format!("prima di portare l'archivio dalla versione {found} alla {known} serve un backup")
    })?;
    tracing::info!(found, known, backup = %saved.path.display(), "saved before the upgrade");
    Ok(())
}

fn save_version(config: &Config, now: i64) -> Result<SavedBackup> {
    let data = &config.data_dir;
    let folder = folder::prepare(data)?;
    let stamp = stamp_of(config)?;
    let new = NewBackup {
        data,
        attachments: Attachments::of_own_backups(data, &folder),
        now,
        stamp: stamp.as_ref(),
    };
    new.save_in(&folder)
}

impl NewBackup<'_> {
    pub fn save_in(&self, parent: &Path) -> Result<SavedBackup> {
        self.save_as(&parent.join(folder::name_at(self.now)?))
    }

    /// Makes a backup under a given name. An existing backup is replaced; any other file is refused.
    pub fn save_as(&self, path: &Path) -> Result<SavedBackup> {
        ensure!(
            !path.exists() || begins_as_backup(path),
            "{} esiste e non è un backup: non viene sovrascritto",
            path.display()
        );
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let scratch = Scratch::below(parent)?;
        let packed = scratch.file("backup");
        refuse_without_room(&packed, bytes_needed(self.data, self.attachments)?)?;
        let (content, manifest) = self.copy(&scratch)?;
        let mut file = PacedFile::new(make_private_file(&packed)?);
        pack(&content, &manifest, self.stamp, &mut file)?;
        let file = file.into_inner();
        file.sync_all()?;
        // The backup counts only once it is on the disk.
        ensure!(
            unpack(&packed, self.stamp, None, None)?.manifest == manifest,
            "il backup scritto non è quello che doveva essere"
        );
        if parent.starts_with(self.data) {
            give_to_owner(self.data, &packed)?;
        }
        fs::rename(&packed, path)
            .with_context(|| format!("impossibile scrivere {}", path.display()))?;
        File::open(parent)?.sync_all()?;
        Ok(SavedBackup {
            path: path.to_owned(),
            bytes: file.metadata()?.len(),
            manifest,
            missing: count_missing(self.data, &content.files)?,
        })
    }

    /// Sends a backup; the scratch folder lies below `parent`.
    pub fn stream(&self, parent: &Path, to: impl Write) -> Result<()> {
        let scratch = Scratch::below(parent)?;
        let database = database_bytes(self.data);
        refuse_without_room(&database_path(scratch.path()), database)?;
        let (content, manifest) = self.copy(&scratch)?;
        pack(&content, &manifest, self.stamp, to)
    }

    fn copy(&self, scratch: &Scratch) -> Result<(BackupContent, Manifest)> {
        let database = database_path(scratch.path());
        copy_database(self.data, &database)?;
        let found =
            inspect_database(&database, None).context("l'archivio da salvare non è integro")?;
        let manifest = Manifest {
            attachments: self.attachments,
            program_version: PROGRAM.to_owned(),
            schema_version: found.version,
            created: Timestamp::from_millisecond(self.now)?,
            tables: found.tables,
        };
        let content = BackupContent {
            database,
            data: self.data.to_owned(),
            files: listed(scratch.path())?,
        };
        Ok((content, manifest))
    }
}
