//! A small pool of connections that can only read, each call on one snapshot of the database, and one more that notices what
//! was committed. Must never hold a snapshot longer than the closure it was lent to.

use std::path::Path;

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use super::Store;
use super::connection::open_reader;
use super::error::{Error, Result};
use super::session::Snapshot;

/// Readers at once; more gains nothing on a small machine.
const READERS: usize = 4;

pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
    /// SQLite tells a connection whether others have committed since it last looked.
    watch: Mutex<Connection>,
}

/// Gives the connection back even when the closure panics.
struct Lent<'p> {
    pool: &'p Readers,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.idle.lock().extend(self.connection.take());
        self.pool.returned.notify_one();
    }
}

impl Readers {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let idle = (0..READERS).map(|_| open_reader(folder));
        Ok(Self {
            idle: Mutex::new(idle.collect::<Result<_>>()?),
            returned: Condvar::new(),
            watch: Mutex::new(open_reader(folder)?),
        })
    }

    /// Runs the closure on one snapshot; waits when all readers are lent.
    pub(super) fn read(&self, work: Box<dyn FnOnce(&Snapshot<'_>) + Send>) -> Result<()> {
        let mut idle = self.idle.lock();
        self.returned.wait_while(&mut idle, |idle| idle.is_empty());
        let lent = Lent {
            pool: self,
            connection: idle.pop(),
        };
        drop(idle);
        let connection = lent.connection.as_ref().ok_or(Error::Closed)?;
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

impl Store {
    /// What `work` reads, with a version of the database that it is at least as new as; `None` while that is still `seen`.
    /// Not to be asked from inside a transaction: a database in memory is read through its one writer.
    pub fn read_if_changed<T: Send + 'static>(
        &self,
        seen: Option<i64>,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Option<(i64, T)>> {
        let Some(readers) = &self.readers else {
            return Ok(Some((0, self.read(work)?)));
        };
        let connection = readers.watch.lock();
        let version = Snapshot::new(&connection).value("PRAGMA data_version", [])?;
        if seen == Some(version) {
            return Ok(None);
        }
        Ok(Some((version, read_from(&connection, work)?)))
    }
}
