//! The keeper of the write-ahead log: a thread that carries what was committed over into the database, beside the writer, so
//! that commits do not wait while thousands of pages go to the disk. Where commits never pause it cannot finish, and the
//! writer puts on disk between two of them what the keeper has carried over.
//! Must never hold the writer up, nor go on after a failed sync: what the disk holds is then unknown.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::connection::{BUSY_TIMEOUT, open_log_keeper};
use super::error::{Error, Result};
use super::fatal::{Fatal, is_lost_sync};

/// Pages of 4 KiB that may wait in the log before they are carried over: about what a hundred reports write.
const PAGES: i64 = 1_000;
/// Pages from which on the writer, too, sees to it that the log begins anew.
const LONG: i64 = 2 * PAGES;
/// How often the keeper goes after what was committed meanwhile, before it leaves the rest to the writer.
const PASSES: usize = 4;

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

/// Carries over what can be, without waiting for anybody. The log begins anew once everything in it was carried over
/// before the next commit.
fn carry_over(connection: &Connection) -> rusqlite::Result<Progress> {
    progress(connection, "PASSIVE")
}

/// Looks, and does nothing.
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
    /// Whether the keeper did not catch up with the writer, which is then to carry the rest over between two commits.
    left: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    trouble: Trouble,
}

impl LogKeeper {
    /// Starts the thread on a connection of its own.
    pub(super) fn start(folder: &Path, fatal: Fatal) -> Result<Self> {
        let connection = open_log_keeper(folder, BUSY_TIMEOUT)?;
        let (wake, calls) = sync_channel(1);
        let left = Arc::new(AtomicBool::new(false));
        let rounds = Rounds {
            connection,
            calls,
            left: Arc::clone(&left),
            trouble: Trouble::new(fatal.clone()),
        };
        let thread = std::thread::Builder::new()
            .name("log-keeper".to_owned())
            .spawn(move || rounds.run())
            .map_err(|error| Error::Disk(error.to_string()))?;
        Ok(Self {
            wake: Some(wake),
            left,
            thread: Some(thread),
            trouble: Trouble::new(fatal),
        })
    }

    /// To be called by the writer between two transactions. `Err` means that the disk cannot be trusted any more.
    pub(super) fn after_commit(&mut self, writer: &Connection) -> std::result::Result<(), ()> {
        if self.left.swap(false, Ordering::AcqRel) {
            return self.trouble.judge(carry_over(writer).map(drop));
        }
        let looked = look(writer).and_then(|log| self.act_on(&log, writer));
        self.trouble.judge(looked)
    }

    fn act_on(&self, log: &Progress, writer: &Connection) -> rusqlite::Result<()> {
        if log.waiting() >= PAGES {
            if let Some(wake) = &self.wake {
                // Full: the keeper was called already.
                let _ = wake.try_send(());
            }
        } else if log.written >= LONG && log.waiting() > 0 {
            // It begins anew only if nothing waits and nobody reads from it: while others read one after another, each
            // commit is a chance, and the keeper's rounds are too few.
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

/// What the thread works with.
struct Rounds {
    connection: Connection,
    calls: Receiver<()>,
    left: Arc<AtomicBool>,
    trouble: Trouble,
}

impl Rounds {
    fn run(mut self) {
        while self.calls.recv().is_ok() {
            let done = self.round();
            if self.trouble.judge(done).is_err() {
                return;
            }
        }
    }

    /// Carries over until nothing waits. Only a pass during which nothing is committed puts the database on disk, and lets
    /// the log begin anew.
    fn round(&self) -> rusqlite::Result<()> {
        for _ in 0..PASSES {
            if carry_over(&self.connection)?.waiting() > 0 {
                // Somebody reads from an earlier moment.
                return Ok(());
            }
            if look(&self.connection)?.waiting() == 0 {
                return Ok(());
            }
        }
        self.left.store(true, Ordering::Release);
        Ok(())
    }
}

/// What went wrong while the log was looked after: told once, until it goes well again.
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
    use std::sync::atomic::AtomicUsize;

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
