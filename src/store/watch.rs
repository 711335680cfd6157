//! Notices that something was committed, by this process or another one.
//! Must never be asked from inside a transaction: a database in memory is read through its one writer.

use std::path::Path;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::open_reader;
use super::error::Result;
use super::{Snapshot, Store};

/// A connection of its own: SQLite tells a connection whether others have committed since it last looked.
pub(super) struct Watch(Mutex<Connection>);

impl Watch {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        Ok(Self(Mutex::new(open_reader(folder)?)))
    }
}

impl Store {
    /// What `work` reads, with a version of the database that it is at least as new as; `None` while that is still `seen`.
    pub fn read_if_changed<T: Send + 'static>(
        &self,
        seen: Option<i64>,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Option<(i64, T)>> {
        let Some(Watch(connection)) = &self.watch else {
            return Ok(Some((0, self.read(work)?)));
        };
        let connection = connection.lock();
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if seen == Some(version) {
            return Ok(None);
        }
        let snapshot = connection.unchecked_transaction()?;
        Ok(Some((version, work(&Snapshot::new(&snapshot))?)))
    }
}
