//! A private folder for files in the making, on the same disk as its parent, removed afterwards. Must never be removed while the
//! program that made it runs.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

const PREFIX: &str = ".segnalazioni-scratch-";
/// The number of attempts to make one: another program's sweep may remove a new folder before it is locked.
const TRIES: u32 = 8;

/// A folder, locked by its owner and removed when dropped.
pub(super) struct Scratch {
    folder: TempDir,
    _held: File,
}

impl Scratch {
    /// Makes a scratch folder. Also removes those that killed programs left.
    pub(super) fn below(parent: &Path) -> Result<Self> {
        sweep(parent);
        let first = Self::make(parent);
        let made = (1..TRIES).fold(first, |made, _| made.or_else(|_| Self::make(parent)));
        made.with_context(|| format!("impossibile scrivere nella cartella {}", parent.display()))
    }

    fn make(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        let held = hold(folder.path())?;
        // A sweep in between has removed it.
        fs::metadata(folder.path())?;
        Ok(Self {
            folder,
            _held: held,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }
}

fn hold(folder: &Path) -> io::Result<File> {
    let opened = File::open(folder)?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

/// Removes the scratch folders that killed programs left in a data folder and among its backups: one may hold a whole archive, and
/// with it reports that are erased later. Those of running programs stay.
pub fn sweep_left_behind(data: &Path) -> io::Result<()> {
    for place in places(data) {
        sweep(&place);
    }
    match left_behind(data).first() {
        None => Ok(()),
        Some(left) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} cannot be removed", left.display()),
        )),
    }
}

/// The folders that killed programs left, or that cannot be read.
pub fn left_behind(data: &Path) -> Vec<PathBuf> {
    let mut found = places(data).map(|place| scratches(&place)).concat();
    found.retain(|path| match hold(path) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    });
    found
}

fn places(data: &Path) -> [PathBuf; 2] {
    [data.to_owned(), data.join(super::folder::FOLDER)]
}

/// The scratch folders, as far as the parent can be read. Links do not count.
fn scratches(parent: &Path) -> Vec<PathBuf> {
    let ours = |entry: &fs::DirEntry| {
        entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(ours).map(|entry| entry.path()).collect()
}

/// [`left_behind`] finds what cannot be removed.
fn sweep(parent: &Path) {
    for path in scratches(parent) {
        if let Ok(_held) = hold(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_behind_goes_and_what_is_held_or_a_link_stays() {
        let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let names = || fs::read_dir(parent.path()).unwrap().count();
        let left = parent.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("backup"), "half").unwrap();
        let link = parent.path().join(format!("{PREFIX}link"));
        std::os::unix::fs::symlink(elsewhere.path(), link).unwrap();
        let at_work = Scratch::below(parent.path()).unwrap();
        let other = Scratch::below(parent.path()).unwrap();
        assert!(!left.exists() && at_work.path().exists() && other.path().exists());
        drop((at_work, other));
        assert!(elsewhere.path().exists() && names() == 1);
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
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
