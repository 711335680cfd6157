//! A small pool of connections that can only read; each call sees one snapshot of the database.
//! Must never hold a snapshot longer than the closure it was lent to.

use std::path::Path;

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use super::connection::open_reader;
use super::error::Result;
use super::session::Snapshot;

/// Readers at once; more gains nothing on a small machine.
const READERS: usize = 4;

pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Readers {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let idle = (0..READERS)
            .map(|_| open_reader(folder))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            idle: Mutex::new(idle),
            returned: Condvar::new(),
        })
    }

    /// Runs the closure on one snapshot; waits when all readers are lent.
    pub(super) fn read<T, E>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E>
    where
        E: From<super::Error>,
    {
        let lent = Lent {
            pool: self,
            connection: Some(self.take()),
        };
        let Some(connection) = lent.connection.as_ref() else {
            return Err(super::Error::Closed.into());
        };
        let snapshot = connection
            .unchecked_transaction()
            .map_err(super::Error::from)?;
        work(&Snapshot::new(&snapshot))
    }

    fn take(&self) -> Connection {
        let mut idle = self.idle.lock();
        loop {
            if let Some(connection) = idle.pop() {
                return connection;
            }
            self.returned.wait(&mut idle);
        }
    }
}

/// Gives the connection back even when the closure panics.
struct Lent<'p> {
    pool: &'p Readers,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.idle.lock().push(connection);
            self.pool.returned.notify_one();
        }
    }
}
