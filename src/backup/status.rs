//! What the server remembers of its own backups, in a small file beside them: going back to an older archive must not
//! bring back an older memory of its backups.
//! Must never hold anything about a report.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::store::make_private_file;

/// Its name in the folder of the backups.
const NAME: &str = "stato.json";
/// What it is called while it is being written.
const TEMPORARY: &str = ".stato.json.tmp";

/// The memory. Moments are in ms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Status {
    /// Backups that were checked to their end.
    pub(super) checked: Vec<Checked>,
    /// The last try that failed, unless one succeeded since.
    pub(super) failure: Option<Failure>,
    /// The last rehearsal.
    pub(super) rehearsal: Option<Rehearsal>,
}

/// A backup that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) good: bool,
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When, in ms.
    pub at: i64,
    /// Why, in Italian.
    pub message: String,
}

/// A backup that was gone back to in a scratch folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// When, in ms.
    pub at: i64,
    /// Name of the backup.
    pub file: String,
    /// Why it failed, in Italian; `None` when it succeeded.
    pub failure: Option<String>,
    /// Whether a report was opened; `false` where the archive was locked, `None` where there was none to open.
    #[serde(default)]
    pub opened: Option<bool>,
}

impl Status {
    /// Reads it; what cannot be read is as if it had never been written: everything is then checked again.
    pub(super) fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(NAME)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let temporary = folder.join(TEMPORARY);
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        if let Err(error) = self.write_anew(&temporary) {
            // Half of it is worth nothing; the next one would remove it too.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        fs::rename(&temporary, folder.join(NAME))?;
        Ok(File::open(folder)?.sync_all()?)
    }

    fn write_anew(&self, path: &Path) -> Result<()> {
        let mut file = make_private_file(path)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        Ok(file.sync_all()?)
    }
}
