//! Tables `sessions` (who is logged in, by the hash of the cookie), `login_attempts` (failed logins of the last minutes, by a
//! keyed hash of the address) and `access_log` (what administrators did, when and from where). Must never hold a cookie's
//! value, the content of a report, a secret, or anything about a reporter's connection.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, rows};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRow {
    /// When it began, in ms.
    pub created: i64,
    /// Last time a person did something, in ms.
    pub last_seen: i64,
}

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

columns! {
    SessionRow { created, last_seen }
    AccessEntry { at, action, ip, user_agent, report }
    ActionCount { action, lately, before, total }
}

impl Snapshot<'_> {
    pub fn session(&self, token_hash: &[u8; 32]) -> Result<Option<SessionRow>> {
        self.find(
            "SELECT created, last_seen FROM sessions WHERE token_hash = ?1",
            [token_hash],
        )
    }

    pub fn session_count(&self) -> Result<i64> {
        self.value("SELECT count(*) FROM sessions", [])
    }

    /// Times of a client's attempts since a moment, oldest first, in ms.
    pub fn login_attempts(&self, client: &[u8; 16], since: i64) -> Result<Vec<i64>> {
        self.values(
            "SELECT at FROM login_attempts WHERE client = ?1 AND at > ?2 ORDER BY at",
            params![client, since],
        )
    }

    /// The newest entries, of one action or of all.
    pub fn access_log(&self, limit: usize, action: Option<&str>) -> Result<Vec<AccessEntry>> {
        self.list(
            "SELECT at, action, ip, user_agent, report FROM access_log \
             WHERE ?2 IS NULL OR action = ?2 ORDER BY id DESC LIMIT ?1",
            params![rows(limit), action],
        )
    }

    /// How often each action was done since `lately`, since `before` (both in ms) and in the whole log; by name.
    pub fn access_counts(&self, lately: i64, before: i64) -> Result<Vec<ActionCount>> {
        self.list(
            "SELECT action, count(*) FILTER (WHERE at >= ?1), count(*) FILTER (WHERE at >= ?2), count(*) \
             FROM access_log GROUP BY action ORDER BY action",
            [lately, before],
        )
    }

    /// When something was done last, in ms.
    pub fn last_access(&self, action: &str) -> Result<Option<i64>> {
        self.find_value(
            "SELECT at FROM access_log WHERE action = ?1 ORDER BY id DESC LIMIT 1",
            [action],
        )
    }
}

impl Tx<'_> {
    pub fn insert_session(&self, token_hash: &[u8; 32], now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO sessions (token_hash, created, last_seen) VALUES (?1, ?2, ?2)",
            params![token_hash, now],
        )
    }

    /// Notes activity; never moves the time back.
    pub fn touch_session(&self, token_hash: &[u8; 32], now: i64) -> Result<()> {
        self.execute(
            "UPDATE sessions SET last_seen = ?2 WHERE token_hash = ?1 AND last_seen < ?2",
            params![token_hash, now],
        )
    }

    /// Ends one session; `true` when there was one.
    pub fn delete_session(&self, token_hash: &[u8; 32]) -> Result<bool> {
        let delete = "DELETE FROM sessions WHERE token_hash = ?1";
        Ok(self.changed(delete, [token_hash])? > 0)
    }

    pub fn delete_sessions_except(&self, keep: Option<&[u8; 32]>) -> Result<()> {
        self.execute(
            "DELETE FROM sessions WHERE ?1 IS NULL OR token_hash <> ?1",
            [keep],
        )
    }

    /// Ends the sessions that are past their end, or that a wrong clock wrote as later than `after`.
    pub fn delete_expired_sessions(
        &self,
        created_before: i64,
        seen_before: i64,
        after: i64,
    ) -> Result<()> {
        self.execute(
            "DELETE FROM sessions WHERE created <= ?1 OR last_seen <= ?2 OR max(created, last_seen) > ?3",
            [created_before, seen_before, after],
        )
    }

    /// Counts an attempt as failed until it proves otherwise.
    pub fn insert_login_attempt(&self, client: &[u8; 16], now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO login_attempts (client, at) VALUES (?1, ?2)",
            params![client, now],
        )
    }

    /// Forgets a client's attempts after a right password.
    pub fn forgive_login_attempts(&self, client: &[u8; 16]) -> Result<()> {
        self.execute("DELETE FROM login_attempts WHERE client = ?1", [client])
    }

    /// Forgets everybody's attempts up to a moment, and those that a wrong clock wrote as later than another.
    pub fn forget_login_attempts(&self, before: i64, after: i64) -> Result<()> {
        self.execute(
            "DELETE FROM login_attempts WHERE at <= ?1 OR at > ?2",
            [before, after],
        )
    }

    pub fn clear_access_log(&self) -> Result<()> {
        self.execute("DELETE FROM access_log", [])
    }

    /// Drops entries older than a moment (ms), at most `limit` of them; answers how many.
    pub fn delete_access_before(&self, moment: i64, limit: usize) -> Result<usize> {
        self.changed(
            "DELETE FROM access_log WHERE id IN (SELECT id FROM access_log WHERE at < ?1 ORDER BY id LIMIT ?2)",
            [moment, rows(limit)],
        )
    }

    /// Adds an entry and drops the oldest beyond `keep`.
    pub fn insert_access(&self, entry: &AccessEntry, keep: i64) -> Result<()> {
        self.execute(
            "INSERT INTO access_log (at, action, ip, user_agent, report) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![entry.at, entry.action, entry.ip, entry.user_agent, entry.report],
        )?;
        self.execute(
            "DELETE FROM access_log WHERE id <= (SELECT max(id) FROM access_log) - ?1",
            [keep],
        )
    }
}
