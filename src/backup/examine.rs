//! Says what a file is, and makes an archive of it in a scratch folder, without touching an installation.
//! Must never call a file good of which a part was not read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use serde::Serialize;

use super::archive::{MAGIC, Manifest, free_bytes, unpack};
use super::import::import;
use super::mebibytes;
use super::scratch::Scratch;
use crate::config::Config;
use crate::store::{Error, Inspected, PUT_ASIDE, copy_put_aside, inspect_database};
use crate::vault::KeyFile;

/// What an archive was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A backup of the command or the schedule.
    Archivio,
    /// A database that was put aside.
    MessoDaParte,
    /// The panel's file, in the clear.
    Json,
}

pub struct Sound {
    pub kind: Kind,
    /// When it was made, where it says so.
    pub created: Option<Timestamp>,
    pub manifest: Option<Manifest>,
    pub found: Inspected,
    /// The archive that was made of it.
    pub(super) database: PathBuf,
    /// The keys that go with an archive that was made of the panel's file.
    pub(super) keys: Option<KeyFile>,
}

/// Checks a file as a restore would; needs room for its content on the disk of temporary files meanwhile, sealed as it is in
/// the backup.
pub fn verify(config: &Config, file: &Path, now: i64) -> Result<Sound> {
    let scratch = Scratch::below(&std::env::temp_dir())?;
    // Neither keys nor slots of this newsroom are needed to see whether a file is sound.
    let nobody = Config {
        data_dir: scratch.file("nessun-archivio"),
        key_file: scratch.file("nessuna-chiave"),
        ..config.clone()
    };
    examine(&nobody, file, &scratch, now)
}

pub(super) fn examine(config: &Config, file: &Path, scratch: &Scratch, now: i64) -> Result<Sound> {
    refuse_other_than_file(file)?;
    let sound = match kind(file)? {
        Kind::Archivio => archive(file, scratch),
        Kind::MessoDaParte => put_aside(file, scratch),
        Kind::Json => json(config, file, scratch, now),
    };
    sound.with_context(|| file.display().to_string())
}

pub(super) fn archive(file: &Path, scratch: &Scratch) -> Result<Sound> {
    let database = scratch.file("segnalazioni.db");
    let manifest = unpack(file, &database)?;
    let found = inspected(&database)?;
    ensure!(
        found.version == manifest.schema_version && found.tables == manifest.tables,
        "il contenuto del backup non è quello che annuncia"
    );
    Ok(Sound {
        kind: Kind::Archivio,
        created: Some(manifest.created),
        manifest: Some(manifest),
        found,
        database,
        keys: None,
    })
}

fn put_aside(file: &Path, scratch: &Scratch) -> Result<Sound> {
    let needed = file.metadata()?.len();
    ensure!(
        free_bytes(scratch.path())? > needed,
        "per copiarlo servono {} MiB liberi",
        mebibytes(needed)
    );
    let database = copy_put_aside(file, scratch.path())?;
    Ok(Sound {
        kind: Kind::MessoDaParte,
        created: None,
        manifest: None,
        found: inspected(&database)?,
        database,
        keys: None,
    })
}

fn json(config: &Config, file: &Path, scratch: &Scratch, now: i64) -> Result<Sound> {
    let made = import(config, file, scratch, now)?;
    Ok(Sound {
        kind: Kind::Json,
        created: Some(made.created),
        manifest: None,
        found: inspected(&made.database)?,
        database: made.database,
        keys: Some(made.keys),
    })
}

fn inspected(database: &Path) -> Result<Inspected> {
    inspect_database(database, None).map_err(|error| match error {
        // Where it was unpacked is of no interest.
        Error::Foreign(_) => anyhow!("il contenuto non è un archivio di segnalazioni"),
        other => other.into(),
    })
}

/// Refuses what is no file: a pipe would never end, or not be the same when it is read again.
fn refuse_other_than_file(path: &Path) -> Result<()> {
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => bail!("{} non è un file", path.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("{}: il file non esiste", path.display())
        }
        Err(error) => Err(error).with_context(|| unreadable(path)),
    }
}

fn unreadable(path: &Path) -> String {
    format!("impossibile leggere {}", path.display())
}

fn kind(file: &Path) -> Result<Kind> {
    let mut start = Vec::new();
    let mut opened = File::open(file).with_context(|| unreadable(file))?;
    opened.by_ref().take(64).read_to_end(&mut start)?;
    let refusal = if start.starts_with(MAGIC.as_bytes()) {
        return Ok(Kind::Archivio);
    } else if start.trim_ascii_start().starts_with(b"{") {
        return Ok(Kind::Json);
    } else if start.is_empty() {
        "il file è vuoto"
    } else if !start.starts_with(b"SQLite format 3\0") {
        "non è un backup di segnalazioni"
    } else if is_put_aside(file) {
        return Ok(Kind::MessoDaParte);
    } else {
        // Nobody knows whether it is whole: its latest reports may be in the log of a running server.
        "è un database SQLite, non un backup: la copia di un archivio si fa con «segnalazioni backup»"
    };
    bail!("{}: {refusal}", file.display())
}

/// Whether a file bears the name of an archive that was put aside: nobody has that open.
fn is_put_aside(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with(PUT_ASIDE))
}
