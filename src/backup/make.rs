//! Makes a backup of a data folder, whether a server runs on it or not.
//! Must never leave a file under its final name that was not checked after it was written and is not on disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;

use super::archive::{Manifest, check, digest, pack};
use super::folder;
use super::scratch::Scratch;
use crate::VERSION;
use crate::store::{PacedFile, copy_database, give_to_owner, inspect_database, make_private_file};

#[derive(Debug, Clone)]
pub struct Made {
    pub path: PathBuf,
    pub bytes: u64,
    pub manifest: Manifest,
}

/// Makes a backup in a folder, under a name of its moment.
pub fn into_folder(data: &Path, parent: &Path, now: i64) -> Result<Made> {
    into_file(data, &parent.join(folder::name_at(now)?), now)
}

/// Makes a backup under a given name. A file that is there already is replaced if it is a backup, and refused otherwise.
pub fn into_file(data: &Path, path: &Path, now: i64) -> Result<Made> {
    ensure!(
        !path.exists() || folder::begins_as_backup(path),
        "{} esiste e non è un backup: non viene sovrascritto",
        path.display()
    );
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let scratch = Scratch::below(parent)?;
    let (database, manifest) = copy(data, &scratch, now)?;
    let packed = scratch.file("backup");
    let mut file = PacedFile::new(make_private_file(&packed)?);
    pack(&database, &manifest, &mut file)?;
    let file = file.into_inner();
    file.sync_all()?;
    // Read back: what the disk holds is what counts.
    ensure!(
        check(&packed)? == manifest,
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
        bytes: file.metadata()?.len(),
        manifest,
    })
}

/// Sends a backup; what it is made of lies below `parent` meanwhile.
pub fn into_stream(data: &Path, parent: &Path, now: i64, to: impl Write) -> Result<()> {
    let scratch = Scratch::below(parent)?;
    let (database, manifest) = copy(data, &scratch, now)?;
    pack(&database, &manifest, to)
}

/// A consistent copy, checked.
fn copy(data: &Path, scratch: &Scratch, now: i64) -> Result<(PathBuf, Manifest)> {
    let database = scratch.file("segnalazioni.db");
    copy_database(data, &database)?;
    let found = inspect_database(&database, None).context("l'archivio da salvare non è integro")?;
    let (sha256, bytes) = digest(&database)?;
    let manifest = Manifest {
        program_version: VERSION.to_owned(),
        schema_version: found.version,
        created: Timestamp::from_millisecond(now)?,
        bytes,
        sha256,
        tables: found.tables,
    };
    Ok((database, manifest))
}
