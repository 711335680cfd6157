//! Table `access_log`: what administrators did, when and from where.
//! Must never hold the content of a report, a secret, or anything about a reporter's connection.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

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
    pub report: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionCount {
    pub action: String,
    /// Since the later of two moments.
    pub lately: i64,
    /// Since the earlier of them.
    pub before: i64,
    /// In the whole log.
    pub total: i64,
}

impl Snapshot<'_> {
    /// The newest entries, of one action or of all.
    pub fn access_log(&self, limit: usize, action: Option<&str>) -> Result<Vec<AccessEntry>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.list(
            "SELECT at, action, ip, user_agent, report FROM access_log \
             WHERE ?2 IS NULL OR action = ?2 ORDER BY id DESC LIMIT ?1",
            params![limit, action],
            |row| {
                Ok(AccessEntry {
                    at: row.get(0)?,
                    action: row.get(1)?,
                    ip: row.get(2)?,
                    user_agent: row.get(3)?,
                    report: row.get(4)?,
                })
            },
        )
    }

    /// How often each action was done since `lately`, since `before` (both in ms) and in the whole log; by name.
    pub fn access_counts(&self, lately: i64, before: i64) -> Result<Vec<ActionCount>> {
        self.list("SELECT action, count(*) FILTER (WHERE at >= ?1), count(*) FILTER (WHERE at >= ?2), count(*) \
             FROM access_log GROUP BY action ORDER BY action", [lately, before], |row| {
            Ok(ActionCount {
                action: row.get(0)?,
                lately: row.get(1)?,
                before: row.get(2)?,
                total: row.get(3)?,
            })
        })
    }

    /// When something was done last, in ms.
    pub fn last_access(&self, action: &str) -> Result<Option<i64>> {
        self.find(
            "SELECT at FROM access_log WHERE action = ?1 ORDER BY id DESC LIMIT 1",
            [action],
            |row| row.get(0),
        )
    }
}

impl Tx<'_> {
    pub fn clear_access_log(&self) -> Result<()> {
        self.execute("DELETE FROM access_log", [])
    }

    /// Drops entries older than a moment (ms), at most `limit` of them; answers how many.
    pub fn delete_access_before(&self, moment: i64, limit: usize) -> Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(self.connection.execute(
            "DELETE FROM access_log WHERE id IN (SELECT id FROM access_log WHERE at < ?1 ORDER BY id LIMIT ?2)",
            [moment, limit],
        )?)
    }

    /// Adds an entry and drops the oldest beyond `keep`.
    pub fn insert_access(&self, entry: &AccessEntry, keep: i64) -> Result<()> {
        self.execute(
            "INSERT INTO access_log (at, action, ip, user_agent, report) VALUES (?1, ?2, ?3, ?4, ?5)", params![entry.at, entry.action, entry.ip, entry.user_agent, entry.report])?;
        self.execute(
            "DELETE FROM access_log WHERE id <= (SELECT max(id) FROM access_log) - ?1",
            [keep],
        )
    }
}
