//! What an erasure leaves in the log of writes: a deleted row is overwritten in the database at once (`secure_delete`), but
//! its earlier versions stay in the log until it is emptied. Must never hold writers up for longer than a moment, forget
//! that something is still to be done, nor empty the log after a failed sync: it may be all that is left of what was
//! committed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::Store;
use super::connection::open_log_keeper;
use super::error::{Error, Result};
use super::fatal::{Fatal, is_lost_sync};

/// How long emptying the log waits for those who still read from it. Writers wait with it.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether something that was erased may still lie in the log.
pub(super) struct Traces {
    /// `None` for a database in memory.
    folder: Option<PathBuf>,
    left: AtomicBool,
    /// Held while the log is emptied.
    turn: Mutex<()>,
    fatal: Fatal,
}

impl Traces {
    /// Of a data folder. Whether its last program got round to emptying the log is not known.
    pub(super) fn of(folder: &Path, fatal: Fatal) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            left: AtomicBool::new(true),
            turn: Mutex::default(),
            fatal,
        }
    }

    /// Of a database in memory.
    pub(super) fn nowhere(fatal: Fatal) -> Self {
        Self {
            folder: None,
            left: AtomicBool::new(false),
            turn: Mutex::default(),
            fatal,
        }
    }
}

impl Store {
    /// Notes that something was erased, to be said after the commit; [`Store::settle_erasures`] acts on it.
    pub fn note_erasure(&self) {
        self.traces.left.store(true, Ordering::Release);
    }

    /// Whether everything that was erased is gone from the files.
    pub fn erasures_are_settled(&self) -> bool {
        self.traces.folder.is_none() || !self.traces.left.load(Ordering::Acquire)
    }

    /// Empties the log of writes if something erased may lie in it. While somebody reads from an earlier snapshot (an export, a
    /// backup) that cannot be done: it is then left for the next call.
    pub fn settle_erasures<E: From<super::Error>>(&self) -> std::result::Result<(), E> {
        let Some(folder) = &self.traces.folder else {
            return Ok(());
        };
        let _turn = self.traces.turn.lock();
        if self.traces.left.swap(false, Ordering::AcqRel) {
            let emptied = empty_log(folder, &self.traces.fatal);
            if !matches!(emptied, Ok(true)) {
                self.note_erasure();
            }
            emptied?;
        }
        Ok(())
    }
}

/// `true` when the log holds nothing any more.
fn empty_log(folder: &Path, fatal: &Fatal) -> Result<bool> {
    if fatal.is_raised() {
        return Err(Error::Closed);
    }
    let connection = open_log_keeper(folder, PATIENCE)?;
    let checkpoint = |mode: &str| -> Result<bool> {
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        let busy = connection.query_row(&sql, [], |row| row.get::<_, bool>(0));
        if busy.as_ref().is_err_and(is_lost_sync) {
            fatal.raise();
        }
        match busy.map_err(Error::from) {
            Ok(busy) => Ok(!busy),
            // A writer has the turn at the log.
            Err(Error::QueueFull) => Ok(false),
            Err(error) => Err(error),
        }
    };
    // First what can be done beside the writers, so that they wait for little.
    checkpoint("PASSIVE")?;
    checkpoint("TRUNCATE")
}
