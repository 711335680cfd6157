//! Recognises a backup file and unpacks it into a scratch folder, without touching an installation.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use serde::Serialize;

use super::archive::{Attachments, Manifest, Unpacked, refuse_without_room, unpack};
use super::attachments::{SealedFile, compare, listed, on_disk};
use super::panel::import;
use super::scratch::Scratch;
use crate::actions::archive::authenticity::{Sample, sample};
use crate::config::Config;
use crate::newsroom::keys_on_disk;
use crate::store::{
    Error, Inspected, PUT_ASIDE, beside, copy_put_aside, database_path, inspect_database, look,
    renew_database,
};
use crate::vault::{KeyFile, PrivateKey, Stamp, Vault};

const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackupKind {
    /// A backup made by the command or the schedule.
    Archivio,
    /// A database that was put aside.
    MessoDaParte,
    /// The panel's file, in the clear.
    Json,
}

pub struct ExaminedBackup {
    pub kind: BackupKind,
    pub created: Option<Timestamp>,
    pub manifest: Option<Manifest>,
    /// Whether this machine wrote it; otherwise its origin is unknown.
    pub own: bool,
    pub found: Inspected,
    pub attachments: Attachments,
    pub files: Vec<SealedFile>,
    pub(super) database: PathBuf,
    /// The keys of an archive that was made from the panel's file.
    pub(super) keys: Option<KeyFile>,
}

impl ExaminedBackup {
    pub(super) fn folder(&self) -> &Path {
        self.database.parent().unwrap_or(Path::new("."))
    }
}

pub struct Verified {
    pub sound: ExaminedBackup,
    /// The number of reports that were opened; `None` if the key file has another key or none.
    pub sample: Option<Sample>,
    /// The number of its files that are where it says.
    pub attachments: usize,
    pub attachments_missing: usize,
}

/// Checks a file as a restore would, and opens some of its reports if the key file can. Its content is unpacked, still sealed,
/// on the disk of temporary files.
pub fn verify(config: &Config, file: &Path, now: i64) -> Result<Verified> {
    let scratch = Scratch::below(&std::env::temp_dir())?;
    // Neither keys nor slots of this newsroom are needed to see whether a file is sound.
    let empty = Config {
        data_dir: scratch.file("nessun-archivio"),
        key_file: scratch.file("nessuna-chiave"),
        ..config.clone()
    };
    let keys = keys_on_disk(config)?;
    let stamp = keys.as_ref().map(KeyFile::stamp).transpose()?;
    let sound = examine(&empty, file, stamp.as_ref(), &scratch, None, now)?;
    renew_database(&sound.database, None).context("aggiornamento dell'archivio")?;
    let opened = keys.map(|keys| try_out(&keys, &sound)).transpose()?;
    let here = match sound.attachments {
        Attachments::Included => sound.files.clone(),
        Attachments::InDataFolder => on_disk(&config.data_dir)?,
    };
    let (attachments, attachments_missing) = compare(&listed(sound.folder())?, &here);
    Ok(Verified {
        sound,
        sample: opened.flatten(),
        attachments,
        attachments_missing,
    })
}

/// Opens some reports of an archive with the key file; `None` if the key file has another key or none.
fn try_out(keys: &KeyFile, sound: &ExaminedBackup) -> Result<Option<Sample>> {
    let copy = keys.newsroom.as_ref().map(PrivateKey::public_key);
    let Some(public) = copy.filter(|copy| Some(copy.key_id()) == sound.found.key_id) else {
        return Ok(None);
    };
    let vault = Vault::new(keys, public)?;
    let tried = look(sound.folder(), |snapshot| sample(snapshot, &vault))?;
    if let Some(Sample { tried, opened }) = tried {
        ensure!(
            opened == tried,
            "{} segnalazioni di {tried} prese a campione non si aprono",
            tried - opened
        );
    }
    Ok(tried)
}

pub(super) fn examine(
    config: &Config,
    file: &Path,
    stamp: Option<&Stamp>,
    scratch: &Scratch,
    files: Option<&Path>,
    now: i64,
) -> Result<ExaminedBackup> {
    let sound = match kind(file)? {
        BackupKind::Archivio => check_archive(file, stamp, scratch, files),
        BackupKind::MessoDaParte => put_aside(file, scratch),
        BackupKind::Json => {
            import(config, file, scratch, now).and_then(|(created, database, keys)| {
                Ok(ExaminedBackup {
                    created: Some(created),
                    keys: Some(keys),
                    ..sound(BackupKind::Json, database)?
                })
            })
        }
    };
    sound.with_context(|| file.display().to_string())
}

/// Checks a backup of the command or the schedule. Attachments are unpacked into the folder `into`, or only read.
pub(super) fn check_archive(
    file: &Path,
    stamp: Option<&Stamp>,
    scratch: &Scratch,
    into: Option<&Path>,
) -> Result<ExaminedBackup> {
    let database = database_path(scratch.path());
    let Unpacked {
        manifest,
        own,
        files,
    } = unpack(file, stamp, Some(&database), into)?;
    let sound = sound(BackupKind::Archivio, database)?;
    ensure!(
        sound.found.version == manifest.schema_version && sound.found.tables == manifest.tables,
        "il contenuto del backup non è quello che annuncia"
    );
    let named = listed(scratch.path())?.into_iter().map(|file| file.id);
    let rows: HashSet<String> = named.collect();
    ensure!(
        files.iter().all(|file| rows.contains(&file.id)),
        "il backup ha allegati che non sono di nessuna segnalazione"
    );
    Ok(ExaminedBackup {
        files,
        attachments: manifest.attachments,
        created: Some(manifest.created),
        manifest: Some(manifest),
        own,
        ..sound
    })
}

fn put_aside(file: &Path, scratch: &Scratch) -> Result<ExaminedBackup> {
    let log = fs::metadata(beside(file, "-wal")).map_or(0, |log| log.len());
    let bytes = file.metadata()?.len().saturating_add(log);
    refuse_without_room(&database_path(scratch.path()), bytes)?;
    sound(
        BackupKind::MessoDaParte,
        copy_put_aside(file, scratch.path())?,
    )
}

fn sound(kind: BackupKind, database: PathBuf) -> Result<ExaminedBackup> {
    let found = inspect_database(&database, None).map_err(|error| match error {
        // The path of the scratch folder would help no reader of the message.
        Error::Foreign(_) => anyhow!("il contenuto non è un archivio di segnalazioni"),
        other => other.into(),
    })?;
    Ok(ExaminedBackup {
        kind,
        created: None,
        manifest: None,
        own: false,
        found,
        attachments: Attachments::InDataFolder,
        files: Vec::new(),
        database,
        keys: None,
    })
}

/// Recognises a file. Pipes and devices are not opened: a pipe may never end, and gives its content only once.
fn kind(file: &Path) -> Result<BackupKind> {
    let unreadable = || format!("impossibile leggere {}", file.display());
    ensure!(file.exists(), "{}: il file non esiste", file.display());
    ensure!(file.is_file(), "{} non è un file", file.display());
    let mut start = Vec::new();
    let opened = File::open(file).with_context(unreadable)?;
    opened
        .take(64)
        .read_to_end(&mut start)
        .with_context(unreadable)?;
    let name = file.file_name().unwrap_or_default();
    let refusal = if start.starts_with(&ZSTD) {
        return Ok(BackupKind::Archivio);
    } else if start.trim_ascii_start().starts_with(b"{") {
        return Ok(BackupKind::Json);
    } else if start.is_empty() {
        "il file è vuoto"
    } else if !start.starts_with(b"SQLite format 3\0") {
        "non è un backup di segnalazioni"
    } else if name.as_encoded_bytes().starts_with(PUT_ASIDE.as_bytes()) {
        // A database that was put aside is not open in any program.
        return Ok(BackupKind::MessoDaParte);
    } else {
        // The latest reports may be in the log of a running server.
        "è un database SQLite, non un backup: la copia di un archivio si fa con «segnalazioni backup»"
    };
    bail!("{}: {refusal}", file.display())
}
