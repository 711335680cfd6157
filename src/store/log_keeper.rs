//! Checkpoints: a thread beside the writer carries what was committed over into the database, so that commits do not wait
//! while thousands of pages go to the disk.
//! Must never hold the writer up, nor go on after a failed sync: what the disk holds is then unknown.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::connection::{BUSY_TIMEOUT, open_log_keeper};
use super::error::{Error, Result};
use super::fatal::{Fatal, is_lost_sync};

/// Pages of 4 KiB that may wait in the log before they are carried over: about what a hundred reports write.
const PAGES: i64 = 1_000;
/// How often the thread goes after what was committed meanwhile, in one round.
const PASSES: usize = 4;
/// The writer carries the rest over itself when that is at most one page in so many of the log.
const REST: i64 = 16;

/// How far the log has come, in pages since it was last begun anew.
struct Progress {
    /// Written to it.
    written: i64,
    /// Of these, carried over into the database.
    carried: i64,
}

impl Progress {
    fn waiting(&self) -> i64 {
        self.written - self.carried
    }
}

/// Carries over what can be, without waiting for readers. The log begins anew once everything in it was carried over
/// before the next commit.
fn carry_over(connection: &Connection) -> rusqlite::Result<Progress> {
    progress(connection, "PASSIVE")
}

/// Reads the state of the log without a checkpoint.
fn look(connection: &Connection) -> rusqlite::Result<Progress> {
    progress(connection, "NOOP")
}

fn progress(connection: &Connection, mode: &str) -> rusqlite::Result<Progress> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.prepare_cached(&sql)?.query_row([], |row| {
        Ok(Progress {
            written: row.get(1)?,
            carried: row.get(2)?,
        })
    })
}

/// Handle of the thread, in the hands of the writer.
pub(super) struct LogKeeper {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    trouble: Trouble,
}

impl LogKeeper {
    pub(super) fn start(folder: &Path, fatal: Fatal) -> Result<Self> {
        let connection = open_log_keeper(folder, BUSY_TIMEOUT)?;
        let (wake, calls) = sync_channel(1);
        let mut trouble = Trouble::new(fatal.clone());
        let thread = std::thread::Builder::new()
            .name("log-keeper".to_owned())
            .spawn(
                move || {
                    while calls.recv().is_ok() && trouble.judge(round(&connection)).is_ok() {}
                },
            )
            .map_err(|error| Error::Disk(error.to_string()))?;
        Ok(Self {
            wake: Some(wake),
            thread: Some(thread),
            trouble: Trouble::new(fatal),
        })
    }

    /// To be called by the writer between two transactions. `Err` means that the disk cannot be trusted any more.
    pub(super) fn after_commit(&mut self, writer: &Connection) -> std::result::Result<(), ()> {
        let looked = look(writer).and_then(|log| self.act_on(&log, writer));
        self.trouble.judge(looked)
    }

    fn act_on(&self, log: &Progress, writer: &Connection) -> rusqlite::Result<()> {
        if log.waiting() >= PAGES {
            if let Some(wake) = &self.wake {
                // Full: the thread was called already.
                let _ = wake.try_send(());
            }
        } else if log.written > PAGES && (1..=log.written / REST).contains(&log.waiting()) {
            // Where commits never pause the thread cannot finish: there is always one more page. Nor can it where readings
            // follow each other: then each commit is a chance.
            carry_over(writer)?;
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
        if carry_over(connection)?.waiting() > 0 || look(connection)?.waiting() == 0 {
            break;
        }
    }
    Ok(())
}

/// What went wrong with checkpoints: logged once, until one succeeds again.
struct Trouble {
    fatal: Fatal,
    told: bool,
}

impl Trouble {
    fn new(fatal: Fatal) -> Self {
        Self { fatal, told: false }
    }

    /// `Err` means that a sync failed.
    fn judge(&mut self, outcome: rusqlite::Result<()>) -> std::result::Result<(), ()> {
        let told = std::mem::replace(&mut self.told, outcome.is_err());
        let Err(error) = outcome else {
            return Ok(());
        };
        if is_lost_sync(&error) {
            self.fatal.raise();
            return Err(());
        }
        if !told {
            tracing::warn!(%error, "what was written cannot be carried over into the database for now");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rusqlite::ffi;

    use super::*;

    fn failure(code: i32) -> rusqlite::Result<()> {
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn a_lost_sync_ends_the_process_and_nothing_else_does() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let fatal = Fatal::new(Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        }));
        let mut trouble = Trouble::new(fatal.clone());
        for harmless in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_BUSY] {
            assert_eq!(trouble.judge(failure(harmless)), Ok(()), "{harmless}");
        }
        assert_eq!(trouble.judge(Ok(())), Ok(()));
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        assert_eq!(trouble.judge(failure(ffi::SQLITE_IOERR_FSYNC)), Err(()));
        assert_eq!(
            Trouble::new(fatal).judge(failure(ffi::SQLITE_IOERR_DIR_FSYNC)),
            Err(())
        );
        assert_eq!(calls.load(Ordering::SeqCst), 1, "told once");
    }
}
