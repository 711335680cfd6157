//! A small pool of connections that can only read, each opened when it is first wanted, each call on one snapshot of the
//! database. Must never hold a snapshot longer than the closure it was lent to.

use std::path::{Path, PathBuf};

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use super::connection::{open_reader, opened};
use super::error::{Error, Result};
use super::session::Snapshot;

/// Readers at once; more gains nothing on a small machine.
const READERS: usize = 4;

pub(super) struct Readers {
    folder: PathBuf,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    lent: usize,
}

/// Gives the connection back even when the closure panics.
struct Lent<'p> {
    readers: &'p Readers,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool.lock();
        pool.idle.extend(self.connection.take());
        pool.lent -= 1;
        drop(pool);
        self.readers.returned.notify_one();
    }
}

impl Readers {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            pool: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    /// Runs the closure on one snapshot; waits when all readers are lent.
    pub(super) fn read(&self, work: Box<dyn FnOnce(&Snapshot<'_>) + Send>) -> Result<()> {
        let mut pool = self.pool.lock();
        self.returned
            .wait_while(&mut pool, |pool| pool.lent == READERS);
        pool.lent += 1;
        let mut lent = Lent {
            readers: self,
            connection: pool.idle.pop(),
        };
        drop(pool);
        let connection = opened(&mut lent.connection, || open_reader(&self.folder))?;
        read_from(connection, |snapshot| {
            work(snapshot);
            Ok(())
        })
    }
}

/// Runs the closure on one snapshot of a connection.
pub(super) fn read_from<T, E: From<Error>>(
    connection: &Connection,
    work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let snapshot = connection.unchecked_transaction().map_err(Error::from)?;
    work(&Snapshot::new(&snapshot))
}
