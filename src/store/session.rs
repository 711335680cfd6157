//! What the modules of the tables add their methods to: a snapshot to read from, a transaction to write in.
//! Must never outlive the closure it was lent to.

use std::ops::Deref;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::error::Result;

/// One consistent view of the database.
pub struct Snapshot<'c> {
    pub(super) connection: &'c Connection,
}

/// A change in progress; also reads what it has changed so far.
pub struct Tx<'c> {
    snapshot: Snapshot<'c>,
}

impl<'c> Snapshot<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// The only row, if there is one.
    pub(super) fn find<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(values, read).optional()?)
    }

    /// The first column of the only row, which is always there.
    pub(super) fn value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T> {
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    pub(super) fn list<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl<'c> Tx<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            snapshot: Snapshot::new(connection),
        }
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Snapshot<'c>;

    fn deref(&self) -> &Snapshot<'c> {
        &self.snapshot
    }
}

impl Tx<'_> {
    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<()> {
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// Room that a probe asks the disk for, in bytes: about what a busy minute of reports needs.
    const PROBE_BYTES: i64 = 256 * 1024;

    /// Writes and takes back: fails while the disk is full.
    pub(super) fn probe(&self) -> Result<()> {
        self.connection
            .execute_batch("CREATE TABLE probe (filler BLOB)")?;
        self.connection.execute(
            "INSERT INTO probe VALUES (zeroblob(?1))",
            [Self::PROBE_BYTES],
        )?;
        self.connection.execute_batch("DROP TABLE probe")?;
        Ok(())
    }
}
