//! Table `access_log`: what administrators did, when and from where.
//! Must never hold the content of a report, a secret, or anything about a reporter's connection.

use rusqlite::params;

use super::error::Result;
use super::{Snapshot, Tx};

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessEntry {
    /// When, in ms.
    pub at: i64,
    /// What: `LOGIN_SUCCESS`, `REPORT_VIEWED`, … (PRODUCT.md §6).
    pub action: String,
    /// The administrator's address; empty for a command on the server.
    pub ip: String,
    /// The administrator's browser; empty for a command on the server.
    pub user_agent: String,
    /// The report concerned, where one is.
    pub report: Option<String>,
}

impl Snapshot<'_> {
    /// The newest entries.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn access_log(&self, limit: usize) -> Result<Vec<AccessEntry>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT at, action, ip, user_agent, report FROM access_log ORDER BY id DESC LIMIT ?1",
        )?;
        let rows = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
            Ok(AccessEntry {
                at: row.get(0)?,
                action: row.get(1)?,
                ip: row.get(2)?,
                user_agent: row.get(3)?,
                report: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Adds an entry and drops the oldest beyond `keep`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn insert_access(&self, entry: &AccessEntry, keep: i64) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO access_log (at, action, ip, user_agent, report) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![entry.at, entry.action, entry.ip, entry.user_agent, entry.report])?;
        self.connection
            .prepare_cached(
                "DELETE FROM access_log WHERE id <= (SELECT max(id) FROM access_log) - ?1",
            )?
            .execute([keep])?;
        Ok(())
    }
}
