//! A folder for what is being made: private, on the same disk as its parent, gone afterwards.
//! Must never be swept away while whoever made it is at work.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use uuid::Uuid;

const PREFIX: &str = ".segnalazioni-scratch-";
/// How often one is tried: a sweep may take a new folder for one that was left behind before it is held.
const TRIES: u32 = 8;

/// The folder, held by a lock on itself; removed when dropped.
pub(super) struct Scratch {
    path: PathBuf,
    _held: File,
}

impl Scratch {
    /// Makes one below a folder, and removes what killed programs left there.
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

    fn make(parent: &Path) -> io::Result<Self> {
        let path = parent.join(format!("{PREFIX}{}", Uuid::new_v4().simple()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let held = hold(&path)?;
        // A sweep that came between the two has removed it.
        fs::metadata(&path)?;
        Ok(Self { path, _held: held })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "a scratch folder stays behind until the next sweep");
        }
    }
}

/// Locks a folder, unless a living program holds it.
fn hold(folder: &Path) -> io::Result<File> {
    let opened = File::open(folder)?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

/// Removes what killed programs left in a data folder and among its backups: a folder may hold a whole archive, and with it
/// reports that are erased later. What a running program holds stays.
pub fn sweep_left_behind(data: &Path) -> io::Result<()> {
    for folder in places(data) {
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
    let found = places(data)
        .into_iter()
        .flat_map(|folder| scratches(&folder));
    found
        .flatten()
        .filter(|path| match hold(path) {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
        })
        .collect()
}

/// Where the programs of an installation make such folders, as far as that is there.
fn places(data: &Path) -> Vec<PathBuf> {
    let mut folders = vec![data.to_owned(), data.join(super::folder::FOLDER)];
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The scratch folders in a folder. A link is none of ours, whatever its name.
fn scratches(parent: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) && entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Removes the scratch folders that nobody holds. One that goes away by itself meanwhile is as good as removed.
fn sweep(parent: &Path) -> io::Result<()> {
    for path in scratches(parent)? {
        let Ok(_held) = hold(&path) else {
            continue;
        };
        match fs::remove_dir_all(&path) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                ) =>
            {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
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
