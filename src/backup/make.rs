//! Makes a backup of a data folder, whether a server runs on it or not.
//! Must never leave a file under its final name that was not checked after it was written and is not on disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::packed::{Manifest, digest, pack, unpack};
use super::scratch::Scratch;
use super::{moment, shelf};
use crate::VERSION;
use crate::store::{Pace, copy_database, give_to_owner, inspect_database, make_private_file};

/// A backup that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Where it lies.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// What is in it.
    pub manifest: Manifest,
}

/// Makes a backup in a folder, under a name of its moment.
///
/// # Errors
/// When the database cannot be copied, is not sound, or the folder cannot be written.
pub fn into_folder(data: &Path, folder: &Path, pace: Pace, now: i64) -> Result<Made> {
    let name = shelf::free_name(folder, now)?;
    into_file(data, &folder.join(name), pace, now)
}

/// Makes a backup under a given name. A file that is there already is replaced if it is a backup, and refused otherwise.
///
/// # Errors
/// As [`into_folder`].
pub fn into_file(data: &Path, path: &Path, pace: Pace, now: i64) -> Result<Made> {
    ensure!(
        !path.exists() || shelf::begins_as_backup(path),
        "{} esiste e non è un backup: non viene sovrascritto",
        path.display()
    );
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let scratch = Scratch::below(parent)?;
    let (database, manifest) = copy(data, &scratch, pace, now)?;
    let packed = scratch.file("backup");
    let mut file = make_private_file(&packed)?;
    pack(&database, &manifest, &mut file)?;
    file.sync_all()?;
    let bytes = file.metadata()?.len();
    // Read back: what the disk holds is what counts.
    let read = unpack(&packed, &scratch.file("controllo"))?;
    ensure!(
        read == manifest,
        "il backup scritto non è quello che doveva essere"
    );
    if parent.starts_with(data) {
        give_to_owner(data, &packed)?;
    }
    fs::rename(&packed, path)
        .with_context(|| format!("impossibile scrivere {}", path.display()))?;
    File::open(parent)?.sync_all()?;
    Ok(Made {
        path: path.to_owned(),
        bytes,
        manifest,
    })
}

/// Sends a backup; what it is made of lies below `parent` meanwhile.
///
/// # Errors
/// As [`into_folder`], or when the other side stops reading.
pub fn into_stream(data: &Path, parent: &Path, pace: Pace, now: i64, to: impl Write) -> Result<()> {
    let scratch = Scratch::below(parent)?;
    let (database, manifest) = copy(data, &scratch, pace, now)?;
    pack(&database, &manifest, to)
}

/// A consistent copy, checked.
fn copy(data: &Path, scratch: &Scratch, pace: Pace, now: i64) -> Result<(PathBuf, Manifest)> {
    let database = scratch.file("segnalazioni.db");
    copy_database(data, &database, pace)?;
    let found = inspect_database(&database).context("l'archivio da salvare non è integro")?;
    let (sha256, bytes) = digest(&database)?;
    let manifest = Manifest {
        program_version: VERSION.to_owned(),
        schema_version: found.version,
        created: moment(now)?,
        bytes,
        sha256,
        tables: found.tables,
    };
    Ok((database, manifest))
}
