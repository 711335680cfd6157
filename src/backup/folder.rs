//! A folder of backups: how they are named, which there are, and which may go.
//! Must never touch a file that is not a backup of ours under a name of ours.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::archive::MAGIC;
use crate::store::give_to_owner;

/// Folder of the server's own backups, below the data.
pub const FOLDER: &str = "backups";
const PREFIX: &str = "segnalazioni-";
const SUFFIX: &str = ".backup";
const MOMENT: &str = "%Y%m%dT%H%M%SZ";

/// A backup by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    pub name: String,
    /// When it was begun, in ms, to the second.
    pub at: i64,
    /// Of several in one second, which.
    turn: u32,
    pub bytes: u64,
}

/// Makes the folder for the server's own backups below its data, where there is none.
pub fn prepare(data: &Path) -> Result<PathBuf> {
    let folder = data.join(FOLDER);
    if !folder.is_dir() {
        let unusable = || format!("impossibile creare la cartella {}", folder.display());
        match DirBuilder::new().mode(0o700).create(&folder) {
            // Another program was quicker.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made.with_context(unusable)?,
        }
        give_to_owner(data, &folder)?;
        File::open(data)?.sync_all()?;
    }
    Ok(folder)
}

/// A name for a backup that is begun now, later than those of the same second.
pub fn free_name(folder: &Path, now: i64) -> Result<String> {
    let stamp = Timestamp::from_millisecond(now)?
        .strftime(MOMENT)
        .to_string();
    let second = now - now.rem_euclid(1_000);
    let here = list(folder)?.into_iter().filter(|other| other.at == second);
    Ok(match here.map(|other| other.turn).max() {
        None => format!("{PREFIX}{stamp}{SUFFIX}"),
        Some(turn) => format!("{PREFIX}{stamp}-{}{SUFFIX}", turn.saturating_add(1)),
    })
}

/// The backups of a folder, newest first; none in a folder that does not exist.
pub fn list(folder: &Path) -> Result<Vec<Backup>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let unreadable = || format!("impossibile leggere la cartella {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name();
        let Some((at, turn)) = name.to_str().and_then(read_name) else {
            continue;
        };
        let metadata = match entry.metadata() {
            // Another program has deleted it since.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            metadata => metadata.with_context(unreadable)?,
        };
        if metadata.is_file() {
            found.push(Backup {
                path: entry.path(),
                name: name.to_string_lossy().into_owned(),
                at,
                turn,
                bytes: metadata.len(),
            });
        }
    }
    found.sort_by_key(|backup| std::cmp::Reverse((backup.at, backup.turn)));
    Ok(found)
}

/// Deletes all backups of a folder but the one just made and the newest others, `count` in all. Dates later than its own,
/// left by a clock that ran ahead, make room first. What bears such a name and is no backup stays, and does not count.
pub fn keep_newest(folder: &Path, count: usize, made: &Path) -> Result<()> {
    let mut ours = list(folder)?;
    ours.retain(|backup| begins_as_backup(&backup.path));
    let just_made = |backup: &Backup| made.file_name() == Some(OsStr::new(&backup.name));
    let now = ours
        .iter()
        .find(|backup| just_made(backup))
        .map(|backup| backup.at);
    ours.sort_by_key(|backup| (!just_made(backup), now.is_some_and(|now| backup.at > now)));
    for old in ours.iter().skip(count) {
        match fs::remove_file(&old.path) {
            // Another program was quicker.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            gone => {
                gone.with_context(|| format!("impossibile eliminare {}", old.path.display()))?;
            }
        }
    }
    Ok(())
}

/// Whether a file begins like a backup of this product. A pipe or a device is none, and is not read.
pub fn begins_as_backup(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut start = vec![0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC.as_bytes()
}

pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn read_name(name: &str) -> Option<(i64, u32)> {
    let stem = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (stamp, turn) = match stem.split_once('-') {
        Some((stamp, turn)) => (stamp, turn.parse().ok()?),
        None => (stem, 1),
    };
    let at = DateTime::strptime(MOMENT, stamp).ok()?;
    let at = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some((at.as_millisecond(), turn))
}
