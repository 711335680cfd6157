//! A folder of backups: how they are named, which there are, and which may go.
//! Must never touch a file that is not a backup of ours under a name of ours.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::moment;
use super::packed::MAGIC;
use crate::store::give_to_owner;

/// Folder of the server's own backups, below the data.
pub const FOLDER: &str = "backups";
/// What a name begins with; then comes the moment in UTC.
const PREFIX: &str = "segnalazioni-";
/// What a name ends with.
const SUFFIX: &str = ".backup";
/// The moment in a name.
const MOMENT: &str = "%Y%m%dT%H%M%SZ";

/// A backup by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelved {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// When it was begun, in ms, to the second.
    pub at: i64,
    /// Of several in one second, which.
    turn: u32,
    /// Its length.
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
    let stamp = moment(now)?.strftime(MOMENT).to_string();
    let second = now - now.rem_euclid(1_000);
    let here = list(folder)?.into_iter().filter(|other| other.at == second);
    Ok(match here.map(|other| other.turn).max() {
        None => format!("{PREFIX}{stamp}{SUFFIX}"),
        Some(turn) => format!("{PREFIX}{stamp}-{}{SUFFIX}", turn.saturating_add(1)),
    })
}

/// The backups of a folder, newest first; none in a folder that does not exist.
pub fn list(folder: &Path) -> Result<Vec<Shelved>> {
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
            found.push(Shelved {
                path: entry.path(),
                name: name.to_string_lossy().into_owned(),
                at,
                turn,
                bytes: metadata.len(),
            });
        }
    }
    found.sort_by_key(|shelved| std::cmp::Reverse((shelved.at, shelved.turn)));
    Ok(found)
}

/// Deletes all backups of a folder but the one just made and the newest others, `count` in all. Dates later than its own,
/// left by a clock that ran ahead, make room first. What bears such a name and is no backup stays, and does not count.
pub fn keep_newest(folder: &Path, count: usize, made: &Path) -> Result<()> {
    let mut ours = list(folder)?;
    ours.retain(|shelved| begins_as_backup(&shelved.path));
    let just_made = |shelved: &Shelved| made.file_name() == Some(OsStr::new(&shelved.name));
    let now = ours
        .iter()
        .find(|shelved| just_made(shelved))
        .map(|shelved| shelved.at);
    ours.sort_by_key(|shelved| (!just_made(shelved), now.is_some_and(|now| shelved.at > now)));
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

/// The moment and the turn in a name.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let now = 1_789_000_000_123;
        let mut made = Vec::new();
        for _ in 0..3 {
            let name = free_name(folder.path(), now).unwrap();
            fs::write(folder.path().join(&name), MAGIC).unwrap();
            made.push(name);
        }
        assert_eq!(made[0], "segnalazioni-20260910T002640Z.backup");
        assert_eq!(made[1], "segnalazioni-20260910T002640Z-2.backup");
        for other in [
            "segnalazioni-ieri.backup",
            "x.backup",
            "segnalazioni-20260910T002640Z.txt",
        ] {
            fs::write(folder.path().join(other), MAGIC).unwrap();
        }
        fs::create_dir(folder.path().join("segnalazioni-20270909T230640Z.backup")).unwrap();
        let found = list(folder.path()).unwrap();
        made.reverse();
        let names: Vec<&str> = found.iter().map(|shelved| shelved.name.as_str()).collect();
        assert_eq!(names, made);
        assert!(found.iter().all(|shelved| shelved.at == 1_789_000_000_000));
    }

    #[test]
    fn only_backups_count_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let name = |day: u32| format!("segnalazioni-202609{day:02}T000000Z.backup");
        for day in 1..=5 {
            fs::write(folder.path().join(name(day)), MAGIC).unwrap();
        }
        fs::write(folder.path().join(name(6)), "qualcos'altro").unwrap();
        keep_newest(folder.path(), 2, &folder.path().join(name(5))).unwrap();
        let left: Vec<String> = list(folder.path())
            .unwrap()
            .into_iter()
            .map(|s| s.name)
            .collect();
        assert_eq!(left, [name(6), name(5), name(4)]);
    }

    #[test]
    fn several_make_room_in_one_folder_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let name = |n: u32| format!("segnalazioni-20260901T{:02}{:02}00Z.backup", n / 60, n % 60);
        for n in 0..600 {
            fs::write(folder.path().join(name(n)), MAGIC).unwrap();
        }
        let (made, start) = (folder.path().join(name(599)), std::sync::Barrier::new(6));
        std::thread::scope(|threads| {
            for _ in 0..6 {
                threads.spawn(|| {
                    start.wait();
                    keep_newest(folder.path(), 2, &made).unwrap();
                });
            }
        });
        let left: Vec<String> = list(folder.path())
            .unwrap()
            .into_iter()
            .map(|s| s.name)
            .collect();
        assert_eq!(left, [name(599), name(598)]);
    }

    #[test]
    fn what_was_just_made_outlives_names_of_days_to_come() {
        let folder = tempfile::tempdir().unwrap();
        let name = |day: u32| format!("segnalazioni-202609{day:02}T000000Z.backup");
        for day in [1, 2, 28, 29, 30] {
            fs::write(folder.path().join(name(day)), MAGIC).unwrap();
        }
        keep_newest(folder.path(), 3, &folder.path().join(name(2))).unwrap();
        let left: Vec<String> = list(folder.path())
            .unwrap()
            .into_iter()
            .map(|s| s.name)
            .collect();
        assert_eq!(left, [name(30), name(2), name(1)]);
    }
}
