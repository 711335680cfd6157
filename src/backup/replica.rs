//! The replica for a second machine (RISERVA.md): Litestream and rclone make it, and record its state in the data folder.
//! Must never talk to another machine, nor let an archive be served that another machine has taken over.

use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::attachments::{compare, listed, on_disk};
use super::restore::hold;
use crate::actions::archive::authenticity::Trust;
use crate::config::Config;
use crate::newsroom::trust_on_disk;
use crate::store::{
    Error, Inspected, database_path, folder_below, give_to_owner, has_database, inspect_database,
    take_over, turn_of,
};

/// Folder by which the replica's units and the program inform each other, below the data. It exists if a replica is made.
const FOLDER: &str = "replica";
/// Generation and name of the archive, written by the program; `0` while the archive is being made.
const OWN: &str = "generazione";
/// The generation beside the replica, `0` if it is empty. The file exists only if the units have reached the replica
/// since the start.
const SEEN: &str = "generazione-vista";
/// When database and attachments were last complete in the replica; RFC 3339.
const COPIED: &str = "copiata";
/// The age from which the replica is behind: some rounds of its timer.
const LATE_MS: i64 = 10 * 60 * 1_000;
/// Longest word that is read: a number and the name of an archive.
const WORD_BYTES: u64 = 256;
const OTHER_KEYS: &str = "il file delle chiavi è di un altro archivio: sostituirlo, o toglierlo";

/// A fault of the replica on another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaFault {
    /// Another machine has taken this one's place.
    Sostituita,
    /// Whether another machine has taken over is unknown.
    NonVerificata,
    /// Nothing was copied in the last ten minutes, or ever.
    InRitardo,
}

pub struct ReplicaStatus {
    /// When everything was last copied; `None` before the first time.
    pub copied: Option<Timestamp>,
    pub fault: Option<ReplicaFault>,
}

/// The state of the replica as the units recorded it; `None` if none is made.
pub fn replica_status(data: &Path, now: i64) -> Option<ReplicaStatus> {
    let copied = word(data, COPIED).and_then(|text| text.trim().parse().ok());
    let is_late = |at: Timestamp| now - at.as_millisecond() > LATE_MS;
    let fault = match (turn(data, OWN), turn(data, SEEN)) {
        (_, Err(_) | Ok(None)) => Some(ReplicaFault::NonVerificata),
        (Ok(Some(own)), Ok(Some(seen))) if admit(&own, &seen).is_err() => {
            Some(ReplicaFault::Sostituita)
        }
        _ if copied.is_none_or(is_late) => Some(ReplicaFault::InRitardo),
        _ => None,
    };
    let made = data.join(FOLDER).is_dir();
    made.then_some(ReplicaStatus { copied, fault })
}

/// A word of the units; `None` without one, an empty text for bytes that are none of theirs.
fn word(data: &Path, name: &str) -> Option<String> {
    let file = File::open(data.join(FOLDER).join(name)).ok()?;
    let mut text = String::new();
    let read = file.take(WORD_BYTES + 1).read_to_string(&mut text);
    let is_whole = read.is_ok_and(|len| len as u64 <= WORD_BYTES);
    Some(text)
        .filter(|_| is_whole)
        .or_else(|| Some(String::new()))
}

/// Generation and name of an archive.
#[derive(Debug, Default)]
struct Turn {
    generation: i64,
    name: String,
}

impl Turn {
    fn parse(text: &str) -> Option<Self> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let (generation, name) = line.split_once(' ').unwrap_or((line, ""));
        let is_number = generation.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        Some(Self {
            generation: generation.parse().ok().filter(|_| is_number && is_name)?,
            name: name.to_owned(),
        })
    }
}

/// What a word says of an archive; `None` without one. A depot that cannot be read is no empty depot.
fn turn(data: &Path, name: &str) -> Result<Option<Turn>> {
    let said = word(data, name).map(|text| Turn::parse(&text).with_context(|| unreadable(name)));
    said.transpose()
}

fn unreadable(name: &str) -> String {
    format!(
        "«{FOLDER}/{name}» non si legge: non si sa quale archivio è nel deposito. Guardare che cosa risponde il deposito e riavviare \
         (RISERVA.md)"
    )
}

/// Called before a server opens the archive: refuses it if another machine has taken over, and records its generation.
pub fn claim_turn(data: &Path) -> Result<()> {
    if !data.join(FOLDER).is_dir() {
        return Ok(());
    }
    let own = turn_of(data)?.unwrap_or_else(|| "0".to_owned());
    let parsed = Turn::parse(&own).context("generazione")?;
    admit(&parsed, &turn(data, SEEN)?.unwrap_or_default())?;
    note(data, &own)
}

fn admit(own: &Turn, there: &Turn) -> Result<()> {
    let (seen, own_generation) = (there.generation, own.generation);
    ensure!(
        seen == 0 || there.name == own.name,
        "nel deposito c'è un altro archivio: il server non parte, o ne prenderebbe il posto. Per passare a quello «replica \
         promote», per replicare questo un deposito vuoto (RISERVA.md)"
    );
    ensure!(
        seen <= own_generation,
        "un'altra macchina ha preso il posto di questa (il deposito è alla generazione {seen}, questo archivio alla \
         {own_generation}): il server non parte, o le segnalazioni finirebbero in due archivi. Come si torna qui è in RISERVA.md"
    );
    Ok(())
}

fn note(data: &Path, turn: &str) -> Result<()> {
    let folder = folder_below(data, FOLDER)?;
    let new = folder.join("generazione-nuova");
    fs::write(&new, format!("{turn}\n"))?;
    give_to_owner(data, &new)?;
    Ok(fs::rename(new, folder.join(OWN))?)
}

pub struct Promoted {
    pub found: Inspected,
    pub generation: i64,
    pub attachments_missing: usize,
}

/// Makes the replica that was restored into the data folder the archive that is served from now on.
pub fn promote(config: &Config) -> Result<Promoted> {
    let data = &config.data_dir;
    ensure!(
        has_database(data)?,
        Error::Missing(data.display().to_string())
    );
    let held = hold(config)?;
    let seen = turn(data, SEEN)?.unwrap_or_default().generation;
    keep_private(data, data)?;
    let found = inspect_database(&database_path(data), None).map_err(|fault| {
        if fault.is_damage() {
            anyhow!(fault).context("la copia non è integra")
        } else {
            fault.into()
        }
    })?;
    let is_foreign = trust_on_disk(config)? == Some(Trust::Alterato);
    ensure!(!is_foreign, OTHER_KEYS);
    let generation = take_over(data, &held, seen)?;
    note(data, &turn_of(data)?.unwrap_or_default())?;
    let (_, attachments_missing) = compare(&listed(data)?, &on_disk(data)?);
    Ok(Promoted {
        found,
        generation,
        attachments_missing,
    })
}

/// Makes files that another program copied here readable by the folder's owner only.
fn keep_private(data: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let about = path.symlink_metadata()?;
        if about.is_symlink() {
            continue;
        }
        give_to_owner(data, &path)?;
        let mode = if about.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(&path, Permissions::from_mode(mode))?;
        if about.is_dir() {
            keep_private(data, &path)?;
        }
    }
    Ok(())
}
