//! Carries what was committed over from the log of writes into the database: a thread beside the writer, so that commits do
//! not wait while thousands of pages go to the disk; and, after an erasure, until the log is empty: `secure_delete` overwrites
//! a deleted row in the database, its earlier versions stay in the log. Must never go on after a failed sync, nor hold writers up.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::Store;
use super::connection::{BUSY_TIMEOUT, open_log_keeper, opened};
use super::error::{Error, Result};
use super::fatal::Fatal;

/// Pages of 4 KiB that may wait in the log before they are carried over: about what a hundred reports write.
const PAGES: i64 = 1_000;
/// How often the thread goes after what was committed meanwhile, in one round.
const PASSES: usize = 4;
/// The writer carries the rest over itself when that is at most one page in so many of the log.
const REST: i64 = 16;
/// How long emptying the log waits for those who still read from it. Writers wait with it.
const PATIENCE: Duration = Duration::from_millis(100);

/// There while Litestream reads the log, by the word of its unit.
const REPLICATED: &str = "replica/in-corso";

/// Whether only Litestream may carry over: what another did between two of its looks would be missing in the replica.
fn is_replicated(folder: &Path) -> bool {
    folder.join(REPLICATED).exists()
}

struct CheckpointProgress {
    /// Whether a reader or a writer was in the way.
    busy: bool,
    written: i64,
    /// Written and not carried over yet.
    waiting: i64,
}

/// A checkpoint: `PASSIVE` does not wait, `TRUNCATE` waits and empties the log, `NOOP` only looks. The log begins anew once
/// everything in it was carried over before the next commit.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<CheckpointProgress> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.prepare_cached(&sql)?.query_row([], |row| {
        let (busy, written, carried): (bool, i64, i64) = row.try_into()?;
        Ok(CheckpointProgress {
            busy,
            written,
            waiting: written - carried,
        })
    })
}

pub(super) struct LogKeeper {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    fatal: Fatal,
    folder: PathBuf,
    /// Whether the writer's last look failed, and that was logged.
    told: bool,
}

impl LogKeeper {
    pub(super) fn start(folder: &Path, fatal: Fatal) -> Result<Self> {
        let (wake, calls) = sync_channel(1);
        let (judge, kept_folder) = (fatal.clone(), folder.to_owned());
        let folder = kept_folder.clone();
        let thread = std::thread::Builder::new()
            .name("log-keeper".to_owned())
            .spawn(move || {
                let (mut told, mut kept) = (false, None);
                while calls.recv().is_ok() && !judge.is_raised() {
                    match opened(&mut kept, || open_log_keeper(&folder, BUSY_TIMEOUT)) {
                        Ok(connection) => judge.judge(round(connection), &mut told),
                        Err(error) if !std::mem::replace(&mut told, true) => {
                            tracing::warn!(%error, "the log of writes cannot be opened");
                        }
                        Err(_) => {}
                    }
                }
            })
            .map_err(|error| Error::Disk(error.to_string()))?;
        Ok(Self {
            wake: Some(wake),
            thread: Some(thread),
            fatal,
            folder: kept_folder,
            told: false,
        })
    }

    /// To be called by the writer between two transactions.
    pub(super) fn after_commit(&mut self, writer: &Connection) {
        let looked = checkpoint(writer, "NOOP").and_then(|log| self.act_on(&log, writer));
        self.fatal.judge(looked, &mut self.told);
    }

    fn act_on(&self, log: &CheckpointProgress, writer: &Connection) -> rusqlite::Result<()> {
        if log.written < PAGES || is_replicated(&self.folder) {
            return Ok(());
        }
        if log.waiting >= PAGES {
            if let Some(wake) = &self.wake {
                // Full: the thread was called already.
                let _ = wake.try_send(());
            }
        } else if (1..=log.written / REST).contains(&log.waiting) {
            // Where commits never pause the thread cannot finish: there is always one more page. Nor can it where readings
            // follow each other: then each commit is a chance.
            checkpoint(writer, "PASSIVE")?;
        }
        Ok(())
    }
}

impl Drop for LogKeeper {
    /// Lets the thread finish its round and close its connection.
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that keeps the log of writes ended abnormally");
        }
    }
}

/// Carries over until nothing waits, or a reader of an earlier moment is in the way.
fn round(connection: &Connection) -> rusqlite::Result<()> {
    for _ in 0..PASSES {
        if checkpoint(connection, "PASSIVE")?.waiting > 0
            || checkpoint(connection, "NOOP")?.waiting == 0
        {
            break;
        }
    }
    Ok(())
}

/// Whether something that was erased may still lie in the log.
pub(super) struct Traces {
    left: AtomicBool,
    /// Held while the log is emptied.
    turn: Mutex<()>,
    fatal: Fatal,
}

impl Traces {
    /// At the start: whether the last program got round to emptying the log is not known.
    pub(super) fn new(fatal: Fatal) -> Self {
        Self {
            left: AtomicBool::new(true),
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
        self.folder.is_none() || !self.traces.left.load(Ordering::Acquire)
    }

    /// Empties the log of writes if something erased may lie in it. While an earlier snapshot is read (an export, a
    /// backup) that cannot be done: it is then left for the next call.
    pub fn settle_erasures<E: From<Error>>(&self) -> Result<(), E> {
        let Some(folder) = &self.folder else {
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
    if is_replicated(folder) {
        return Ok(false);
    }
    let connection = open_log_keeper(folder, PATIENCE)?;
    // First what can be done beside the writers, so that they wait for little.
    let beside = checkpoint(&connection, "PASSIVE");
    match beside.and_then(|_| checkpoint(&connection, "TRUNCATE")) {
        Ok(log) => Ok(!log.busy),
        Err(error) if fatal.ends_it(&error) => Err(Error::Closed),
        Err(error) => match error.into() {
            // A writer has the turn at the log.
            Error::QueueFull => Ok(false),
            error => Err(error),
        },
    }
}
