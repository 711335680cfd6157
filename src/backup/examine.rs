//! Says what a file is, and whether an archive can be made of it, without touching an installation.
//! Must never call a file good of which a part was not read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::json::{self, Remarks, Survey};
use super::mebibytes;
use super::packed::{MAGIC, Manifest, free_bytes, unpack};
use super::scratch::Scratch;
use super::told::told;
use crate::config::Config;
use crate::store::{
    Error, Inspected, PUT_ASIDE, copy_put_aside, inspect_database, is_present_database,
};

/// A sound backup.
pub enum Sound {
    /// Of the command or the schedule.
    Archive {
        /// What it says of itself.
        manifest: Manifest,
        /// What was found in it.
        found: Inspected,
        /// Where it was unpacked.
        database: PathBuf,
    },
    /// A database that a restore has put aside.
    PutAside {
        /// What was found in it.
        found: Inspected,
        /// Where it was copied to.
        database: PathBuf,
    },
    /// Of the panel, in the clear.
    Json(Survey),
}

impl Sound {
    /// When it was made, where it says so.
    pub fn created(&self) -> Option<Timestamp> {
        match self {
            Self::Archive { manifest, .. } => Some(manifest.created),
            Self::PutAside { .. } => None,
            Self::Json(survey) => survey.created,
        }
    }

    /// How many reports it holds.
    pub fn reports(&self) -> i64 {
        match self {
            Self::Archive { found, .. } | Self::PutAside { found, .. } => found.reports(),
            Self::Json(survey) => survey.reports,
        }
    }

    /// What of it cannot be taken as it stands, where such a thing may be.
    pub fn remarks(&self) -> Option<&Remarks> {
        match self {
            Self::Archive { .. } | Self::PutAside { .. } => None,
            Self::Json(survey) => Some(&survey.remarks),
        }
    }

    /// What kind it is, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Archive { .. } => "archivio",
            Self::PutAside { .. } => "messo-da-parte",
            Self::Json(_) => "json",
        }
    }
}

/// Checks a file; needs room for its content on the disk of temporary files meanwhile, sealed as it is in the backup. Dates
/// that name no zone are those of the configuration.
pub fn verify(config: &Config, file: &Path) -> Result<Sound> {
    refuse_other_than_file(file)?;
    refuse_present(config, file)?;
    let scratch = Scratch::below(&std::env::temp_dir())?;
    examine(file, &scratch, &config.time_zone)
}

/// Checks a file to its end.
pub(super) fn examine(file: &Path, scratch: &Scratch, zone: &TimeZone) -> Result<Sound> {
    let named = || file.display().to_string();
    match kind(file)? {
        Kind::Packed => archive(file, scratch).with_context(named),
        Kind::PutAside => put_aside(file, scratch).with_context(named),
        Kind::Json => {
            let survey = json::survey(file, zone).with_context(named)?;
            told(file).with_context(named)?;
            Ok(Sound::Json(survey))
        }
    }
}

fn archive(file: &Path, scratch: &Scratch) -> Result<Sound> {
    let database = scratch.file("segnalazioni.db");
    let manifest = unpack(file, &database)?;
    let found = inspected(&database)?;
    ensure!(
        found.version == manifest.schema_version && found.tables == manifest.tables,
        "il contenuto del backup non è quello che annuncia"
    );
    Ok(Sound::Archive {
        manifest,
        found,
        database,
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
    let found = inspected(&database)?;
    Ok(Sound::PutAside { found, database })
}

fn inspected(database: &Path) -> Result<Inspected> {
    inspect_database(database).map_err(|error| match error {
        // Where it was unpacked is of no interest.
        Error::Foreign(_) => anyhow!("il contenuto non è un archivio di segnalazioni"),
        other => other.into(),
    })
}

enum Kind {
    Packed,
    PutAside,
    Json,
}

/// Refuses what is no file: a pipe would never end, or not be the same when it is read again.
pub(super) fn refuse_other_than_file(path: &Path) -> Result<()> {
    let found = path.metadata();
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match found {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => bail!("{} non è un file", path.display()),
        Err(error) if missing(&error) => bail!("{}: il file non esiste", path.display()),
        Err(error) => Err(error).with_context(|| unreadable(path)),
    }
}

/// Refuses the database that is in use, under whatever name: it is no copy, and its latest reports may be in its log. A restore
/// that was killed may have left it such a name.
pub(super) fn refuse_present(config: &Config, file: &Path) -> Result<()> {
    if !is_present_database(&config.data_dir, file) {
        return Ok(());
    }
    let shown = file.display();
    ensure!(
        is_put_aside(file),
        "{shown} è l'archivio in uso, non un suo backup: non c'è nulla da ripristinare"
    );
    bail!(
        "{shown} è l'archivio in uso con un secondo nome, rimasto da un ripristino interrotto: è già al suo posto, non c'è \
         nulla da ripristinare. Il secondo nome sparisce al prossimo avvio o ripristino"
    )
}

fn unreadable(path: &Path) -> String {
    format!("impossibile leggere {}", path.display())
}

/// Which of the two formats a file seems to have.
fn kind(file: &Path) -> Result<Kind> {
    let mut start = Vec::new();
    let mut opened = File::open(file).with_context(|| unreadable(file))?;
    opened.by_ref().take(64).read_to_end(&mut start)?;
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start);
    if start.starts_with(MAGIC.as_bytes()) {
        return Ok(Kind::Packed);
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Ok(Kind::Json);
    }
    if start.is_empty() {
        bail!("il file è vuoto");
    }
    if start.starts_with(b"SQLite format 3\0") {
        if is_put_aside(file) {
            return Ok(Kind::PutAside);
        }
        bail!(
            "è un database SQLite, non un backup: la copia di un archivio si fa con «segnalazioni backup»"
        );
    }
    bail!("non è un backup di segnalazioni")
}

/// Whether a file bears the name that a restore gives to the archive it replaces: nobody has that open. Of a database of any
/// other name nobody knows whether it is whole.
pub(super) fn is_put_aside(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with(PUT_ASIDE))
}
