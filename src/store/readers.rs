//! A small pool of connections that can only read, each opened when it is first wanted, each call on one snapshot of the
//! database.

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
    /// Those that are not lent, the last returned behind; `None` for one that was never opened.
    idle: Mutex<Vec<Option<Connection>>>,
    returned: Condvar,
}

/// Gives the connection back even when the closure panics.
struct Lent<'p> {
    readers: &'p Readers,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.readers.idle.lock().push(self.connection.take());
        self.readers.returned.notify_one();
    }
}

impl Readers {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            idle: Mutex::new((0..READERS).map(|_| None).collect()),
            returned: Condvar::new(),
        }
    }

    /// Runs the closure on one snapshot; waits when all readers are lent.
    pub(super) fn read(&self, work: Box<dyn FnOnce(&Snapshot<'_>) + Send>) -> Result<()> {
        let mut idle = self.idle.lock();
        self.returned.wait_while(&mut idle, |idle| idle.is_empty());
        let mut lent = Lent {
            readers: self,
            connection: idle.pop().flatten(),
        };
        drop(idle);
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
