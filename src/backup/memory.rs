//! What the server remembers of its own backups, in a small file beside them: going back to an older archive must not
//! bring back an older memory of its backups.
//! Must never hold anything about a report.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::folder::Backup;
use crate::store::make_private_file;

const NAME: &str = "stato.json";
const TEMPORARY: &str = ".stato.json.tmp";
const VERDICTS: usize = 56;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Memory {
    /// Backups that were read to their end, by name and length.
    checked: Vec<(String, u64, bool)>,
    /// The last try that failed, unless one succeeded since.
    pub(super) failure: Option<Failure>,
    pub(super) rehearsal: Option<Rehearsal>,
    /// The name of the backup that it was of.
    pub(super) rehearsed: String,
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BackupError)]
pub struct Failure {
    /// When; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Why, in Italian.
    pub message: String,
}

/// A restore that was tried in a folder of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BackupRehearsal)]
pub struct Rehearsal {
    /// When; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Whether the backup could be gone back to.
    pub ok: bool,
    /// Why not, in Italian; null when it could.
    #[schema(required)]
    pub message: Option<String>,
    /// Whether a report was opened; false where the archive was locked (sealed mode, nobody logged in): then only its
    /// structure was verified. Null where it failed, or there was none to open.
    #[schema(required)]
    pub opened: Option<bool>,
}

impl Memory {
    /// Reads it; what cannot be read is as if it had never been written: everything is then checked again.
    pub(super) fn read(folder: &Path) -> Self {
        let text = fs::read(folder.join(NAME)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let temporary = folder.join(TEMPORARY);
        if temporary.exists() {
            fs::remove_file(&temporary)?;
        }
        if let Err(error) = self.write_to(&temporary) {
            // Half of it is worth nothing; the next one would remove it too.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        fs::rename(&temporary, folder.join(NAME))?;
        Ok(File::open(folder)?.sync_all()?)
    }

    fn write_to(&self, path: &Path) -> Result<()> {
        let mut file = make_private_file(path)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        Ok(file.sync_all()?)
    }

    /// Whether a backup is known to be good or bad; `None` for one that was not read yet.
    pub(super) fn verdict(&self, backup: &Backup) -> Option<bool> {
        let mut known = self.checked.iter();
        let known = known.find(|(name, bytes, _)| *name == backup.name && *bytes == backup.bytes);
        known.map(|(_, _, good)| *good)
    }

    /// Remembers what a backup is; of more than are kept the oldest are forgotten.
    pub(super) fn note(&mut self, name: &str, bytes: u64, good: bool) {
        self.checked.retain(|(known, _, _)| known != name);
        self.checked.push((name.to_owned(), bytes, good));
        let surplus = self.checked.len().saturating_sub(VERDICTS);
        self.checked.drain(..surplus);
    }
}
