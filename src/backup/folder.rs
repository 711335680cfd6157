//! A folder of backups: their names, the list, and which are deleted. Must never delete a file that is not a backup, whatever
//! its name.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::archive::begins_as_backup;
use crate::store::folder_below;

/// Folder of the server's own backups, below the data.
pub const FOLDER: &str = "backups";
const PREFIX: &str = "segnalazioni-";
const SUFFIX: &str = ".backup";
/// The time to the millisecond, which is left out if it is zero.
const MOMENT: &str = "%Y%m%dT%H%M%S%.fZ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    pub name: String,
    pub at: i64,
    pub bytes: u64,
}

pub fn prepare(data: &Path) -> Result<PathBuf> {
    folder_below(data, FOLDER).with_context(|| {
        format!(
            "impossibile creare la cartella {}",
            data.join(FOLDER).display()
        )
    })
}

pub(super) fn stamp(now: i64) -> Result<String> {
    let moment = Timestamp::from_millisecond(now)?;
    Ok(moment.strftime(MOMENT).to_string())
}

pub(super) fn name_at(now: i64) -> Result<String> {
    Ok(format!("{PREFIX}{}{SUFFIX}", stamp(now)?))
}

/// The backups of a folder, newest first; none in a folder that does not exist.
pub fn list(folder: &Path) -> Result<Vec<Backup>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let entries = fs::read_dir(folder);
    for entry in
        entries.with_context(|| format!("impossibile leggere la cartella {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(at) = read_name(&name) else {
            continue;
        };
        let metadata = match path.symlink_metadata() {
            // Another program has deleted it since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            found => found.with_context(|| format!("impossibile leggere {}", path.display()))?,
        };
        if metadata.is_file() {
            found.push(Backup {
                name: name.into_owned(),
                at,
                bytes: metadata.len(),
                path,
            });
        }
    }
    found.sort_by_key(|backup| std::cmp::Reverse(backup.at));
    Ok(found)
}

/// Keeps the newest `count` backups of a folder, and deletes the others. Backups dated after now, left by a clock that ran
/// ahead, go first. Other files stay and do not count.
pub fn keep_newest(folder: &Path, count: usize, now: i64) -> Result<()> {
    let mut ours = list(folder)?;
    ours.retain(|backup| begins_as_backup(&backup.path));
    ours.sort_by_key(|backup| backup.at > now);
    for old in ours.iter().skip(count) {
        match fs::remove_file(&old.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            gone => {
                gone.with_context(|| format!("impossibile eliminare {}", old.path.display()))?;
            }
        }
    }
    Ok(())
}

fn read_name(name: &str) -> Option<i64> {
    let stamp = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let at = DateTime::strptime(MOMENT, stamp).ok()?;
    let at = at.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp();
    Some(at.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::super::archive::beginning;
    use super::*;

    #[test]
    fn dates_ahead_of_now_go_before_the_new_backup() {
        let folder = tempfile::tempdir().unwrap();
        let [ahead, further, new] = [
            "segnalazioni-29990101T000000Z.backup",
            "segnalazioni-29990102T000000Z.backup",
            "segnalazioni-20260310T090000Z.backup",
        ];
        for name in [ahead, further, new] {
            fs::write(folder.path().join(name), beginning()).unwrap();
        }
        keep_newest(folder.path(), 2, read_name(new).unwrap()).unwrap();
        let names = || -> Vec<String> {
            let left = list(folder.path()).unwrap().into_iter();
            left.map(|backup| backup.name).collect()
        };
        assert_eq!(names(), [further, new]);
        keep_newest(folder.path(), 1, read_name(new).unwrap()).unwrap();
        assert_eq!(names(), [new]);
    }
}
