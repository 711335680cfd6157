//! Tables `sessions` (who is logged in, by the hash of the cookie), `login_attempts` (failed logins of the last minutes, by a
//! keyed hash of the address), `browsers` (which ones logged in before, by the hash of another cookie) and `access_log` (what administrators did, when and from where). Must never hold a cookie's
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

/// An attempt to log in that failed, or has not yet proven right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginAttempt {
    /// When, in ms.
    pub at: i64,
    /// Mask of the client or of the known browser; `None` once it was forgiven.
    pub bucket: Option<[u8; 16]>,
    /// Mask of a client's IPv6 /48.
    pub network: Option<[u8; 16]>,
    /// From a browser that logged in before.
    pub known: bool,
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
    LoginAttempt { at, bucket, network, known }
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

    /// The attempts that count, oldest first.
    pub fn login_attempts(&self) -> Result<Vec<LoginAttempt>> {
        self.list(
            "SELECT at, bucket, network, known FROM login_attempts ORDER BY at",
            [],
        )
    }

    /// Whether the browser of this hash logged in before, and is still known.
    pub fn knows_browser(&self, hash: &[u8; 32], now: i64) -> Result<bool> {
        self.value(
            "SELECT EXISTS (SELECT 1 FROM browsers WHERE token_hash = ?1 AND until > ?2)",
            params![hash, now],
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
    pub fn insert_login_attempt(&self, made: &LoginAttempt) -> Result<()> {
        self.execute(
            "INSERT INTO login_attempts (at, bucket, network, known) VALUES (?1, ?2, ?3, ?4)",
            params![made.at, made.bucket, made.network, made.known],
        )
    }

    /// After a right password: forgets its own attempt, and whose the earlier ones were.
    pub fn forgive_login_attempts(&self, bucket: &[u8; 16]) -> Result<()> {
        self.execute(
            "DELETE FROM login_attempts WHERE id = (SELECT max(id) FROM login_attempts WHERE bucket = ?1)",
            [bucket],
        )?;
        self.execute(
            "UPDATE login_attempts SET bucket = NULL, network = NULL WHERE bucket = ?1",
            [bucket],
        )
    }

    /// Forgets everybody's attempts up to a moment.
    pub fn forget_login_attempts(&self, until: i64) -> Result<()> {
        self.execute("DELETE FROM login_attempts WHERE at <= ?1", [until])
    }

    /// Dates attempts that are later than this moment as of this moment.
    pub fn date_login_attempts(&self, now: i64) -> Result<()> {
        self.execute("UPDATE login_attempts SET at = ?1 WHERE at > ?1", [now])
    }

    /// Knows one more browser; of more than `keep` the oldest is forgotten.
    pub fn insert_browser(&self, hash: &[u8; 32], until: i64, keep: usize) -> Result<()> {
        self.execute(
            "INSERT INTO browsers (token_hash, until) VALUES (?1, ?2)",
            params![hash, until],
        )?;
        self.execute(
            "DELETE FROM browsers WHERE id <= (SELECT id FROM browsers ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            [rows(keep)],
        )
    }

    pub fn forget_browser(&self, hash: &[u8; 32]) -> Result<()> {
        self.execute("DELETE FROM browsers WHERE token_hash = ?1", [hash])
    }

    pub fn forget_browsers_except(&self, keep: Option<&[u8; 32]>) -> Result<()> {
        self.execute(
            "DELETE FROM browsers WHERE ?1 IS NULL OR token_hash <> ?1",
            [keep],
        )
    }

    /// Forgets the browsers whose time is over.
    pub fn forget_old_browsers(&self, now: i64) -> Result<()> {
        self.execute("DELETE FROM browsers WHERE until <= ?1", [now])
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
