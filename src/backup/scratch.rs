//! A folder for what is being made: private, on the same disk as its parent, gone afterwards.
//! Must never be swept away while whoever made it is at work.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use uuid::Uuid;

use super::steady::shorten;
use crate::store::{FolderLock, lock_abandoned, lock_folder};

/// What every such folder's name begins with.
const PREFIX: &str = ".segnalazioni-scratch-";

/// And before it is held.
const UNHELD: &str = ".segnalazioni-new-";

/// How often one is tried: who sweeps may take a new folder for one that was left behind before it is held.
const TRIES: u32 = 8;

/// The folder; removed when dropped.
pub(super) struct Scratch {
    path: PathBuf,
    _lock: FolderLock,
}

impl Scratch {
    /// Makes one below a folder, and removes what killed programs left there. It gets its name when it is held: from then
    /// on others may look whether it is.
    pub(super) fn below(parent: &Path) -> Result<Self> {
        let unusable = || format!("impossibile scrivere nella cartella {}", parent.display());
        sweep(parent).with_context(unusable)?;
        let mut made = Self::make(parent);
        for _ in 1..TRIES {
            if made.is_ok() {
                break;
            }
            made = Self::make(parent);
        }
        made.with_context(unusable)
    }

    fn make(parent: &Path) -> Result<Self> {
        let unique = Uuid::new_v4().simple();
        let (unheld, path) = (
            parent.join(format!("{UNHELD}{unique}")),
            parent.join(format!("{PREFIX}{unique}")),
        );
        DirBuilder::new().mode(0o700).create(&unheld)?;
        let held = lock_folder(&unheld).map_err(anyhow::Error::from);
        let made = held.and_then(|lock| {
            fs::rename(&unheld, &path)?;
            Ok(lock)
        });
        match made {
            Ok(lock) => Ok(Self { path, _lock: lock }),
            Err(error) => {
                // What is not there any more has been swept.
                let _ = fs::remove_dir_all(&unheld);
                Err(error)
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A courtesy to those who report meanwhile; what counts is that it is removed.
        for file in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let _ = shorten(&file.path());
        }
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "a scratch folder stays behind until the next sweep");
        }
    }
}

/// Removes what killed programs left in a data folder and among its backups: a folder may hold a whole archive, and with it
/// reports that are erased later. What a running program holds stays.
pub fn sweep_left_behind(data: &Path) -> io::Result<()> {
    for folder in swept(data) {
        sweep(&folder)?;
    }
    match left_behind(data).first() {
        None => Ok(()),
        Some(left) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} cannot be removed", left.display()),
        )),
    }
}

/// Folders in a data folder and among its backups that killed programs left, or that cannot be looked into.
pub fn left_behind(data: &Path) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| folder.read_dir().into_iter().flatten().flatten();
    let ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let all = swept(data).into_iter().flat_map(entries).filter(ours);
    all.map(|entry| entry.path())
        .filter(|path| {
            let denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
            lock_abandoned(path).is_some() || path.read_dir().err().is_some_and(denied)
        })
        .collect()
}

/// Where the programs of an installation make such folders, as far as that is there.
fn swept(data: &Path) -> Vec<PathBuf> {
    let mut folders = vec![data.to_owned(), data.join(super::shelf::FOLDER)];
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Removes the folders that nobody holds. One that goes away by itself meanwhile is as good as removed. A link is none of
/// ours, whatever its name.
fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name();
        let (name, path) = (name.as_encoded_bytes(), entry.path());
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if name.starts_with(PREFIX.as_bytes()) {
            remove_unheld(&path)?;
        } else if let Some(unique) = name.strip_prefix(UNHELD.as_bytes()) {
            // Under its later name it can be told whether it is held. Whoever is still making it finds it gone.
            let unique = String::from_utf8_lossy(unique);
            let taken = parent.join(format!("{PREFIX}{unique}"));
            if gone_or(fs::rename(&path, &taken))? {
                remove_unheld(&taken)?;
            }
        }
    }
    Ok(())
}

/// Removes a folder that a program held which has ended, or that none ever came to hold.
fn remove_unheld(folder: &Path) -> io::Result<()> {
    if let Some(_held) = lock_abandoned(folder) {
        gone_or(fs::remove_dir_all(folder))?;
    } else {
        // Nothing but an empty folder goes by this.
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// Whether it was done; `false` where there was nothing any more, or it is not ours.
fn gone_or(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_left_behind_at_any_moment_goes_and_what_is_held_stays() {
        let parent = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        // Killed before it was locked, before it was renamed, and at work.
        made(&format!("{UNHELD}a"));
        drop(lock_folder(&made(&format!("{UNHELD}b"))).unwrap());
        let worked = made(&format!("{PREFIX}c"));
        drop(lock_folder(&worked).unwrap());
        fs::write(worked.join("backup"), "halb").unwrap();
        let at_work = Scratch::below(parent.path()).unwrap();
        let other = Scratch::below(parent.path()).unwrap();
        assert_eq!(names(parent.path()).len(), 2);
        assert!(at_work.path().exists() && other.path().exists());
        drop((at_work, other));
        assert_eq!(names(parent.path()), Vec::<String>::new());
    }

    #[test]
    fn a_link_under_such_a_name_leads_nowhere() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        drop(lock_folder(elsewhere.path()).unwrap());
        for name in [format!("{PREFIX}x"), format!("{UNHELD}x")] {
            std::os::unix::fs::symlink(elsewhere.path(), parent.path().join(name)).unwrap();
        }
        drop(Scratch::below(parent.path()).unwrap());
        assert_eq!(names(parent.path()).len(), 2);
        assert_eq!(names(elsewhere.path()), ["segnalazioni.lock"]);
    }

    #[test]
    fn many_at_once_do_not_sweep_each_other_away() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let scratch = Scratch::below(parent.path()).unwrap();
                        fs::write(scratch.file("x"), "x").unwrap();
                        assert!(scratch.file("x").exists());
                    }
                });
            }
        });
        assert_eq!(names(parent.path()), Vec::<String>::new());
    }
}
