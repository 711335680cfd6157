//! A folder for what is being made: private, on the same disk as its parent, gone afterwards.
//! Must never be swept away while whoever made it is at work.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use uuid::Uuid;

use crate::store::{FolderLock, lock_abandoned, lock_folder};

/// What every such folder's name begins with.
const PREFIX: &str = ".segnalazioni-scratch-";

/// And before it is held.
const UNHELD: &str = ".segnalazioni-new-";

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
        let unique = Uuid::new_v4().simple();
        let (unheld, path) = (
            parent.join(format!("{UNHELD}{unique}")),
            parent.join(format!("{PREFIX}{unique}")),
        );
        DirBuilder::new()
            .mode(0o700)
            .create(&unheld)
            .with_context(unusable)?;
        let lock = lock_folder(&unheld)?;
        fs::rename(&unheld, &path).with_context(unusable)?;
        Ok(Self { path, _lock: lock })
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
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "a scratch folder stays behind until the next backup");
        }
    }
}

/// Removes the folders that nobody holds. One that goes away by itself meanwhile is as good as removed.
fn sweep(parent: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && let Some(_held) = lock_abandoned(&entry.path())
        {
            match fs::remove_dir_all(entry.path()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
