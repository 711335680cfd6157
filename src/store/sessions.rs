//! Tables `sessions` (who is logged in, by the hash of the cookie), `login_attempts` (failed logins of the last minutes, by a
//! keyed hash of the address) and `browsers` (which ones logged in before, by the hash of another cookie).
//! Must never hold a cookie's value, or anything about a reporter's connection.

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

columns! {
    SessionRow { created, last_seen }
    LoginAttempt { at, bucket, network, known }
}

impl Snapshot<'_> {
    pub fn session(&self, token_hash: &[u8; 32]) -> Result<Option<SessionRow>> {
        self.find(
            "SELECT created, last_seen FROM sessions WHERE token_hash = ?1",
            [token_hash],
        )
    }

    /// When somebody logged in from a browser that was not known, which this session was not told yet; in ms.
    pub fn newcomer(&self, token_hash: &[u8; 32]) -> Result<Option<i64>> {
        let newcomer = "SELECT newcomer FROM sessions WHERE token_hash = ?1";
        Ok(self.find_value(newcomer, [token_hash])?.flatten())
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
}

impl Tx<'_> {
    /// Begins a session; of more than `keep` the one that was idle for longest ends.
    pub fn insert_session(&self, token_hash: &[u8; 32], now: i64, keep: usize) -> Result<()> {
        self.execute(
            "INSERT INTO sessions (token_hash, created, last_seen) VALUES (?1, ?2, ?2)",
            params![token_hash, now],
        )?;
        self.execute(
            "DELETE FROM sessions WHERE token_hash <> ?1 AND token_hash NOT IN
                 (SELECT token_hash FROM sessions WHERE token_hash <> ?1 ORDER BY last_seen DESC, created DESC LIMIT ?2 - 1)",
            params![token_hash, rows(keep)],
        )
    }

    /// Has every session be told that somebody logged in from a browser that was not known.
    pub fn announce_newcomer(&self, now: i64) -> Result<()> {
        self.execute("UPDATE sessions SET newcomer = ?1", [now])
    }

    /// The session was told.
    pub fn forget_newcomer(&self, token_hash: &[u8; 32]) -> Result<()> {
        self.execute(
            "UPDATE sessions SET newcomer = NULL WHERE token_hash = ?1",
            [token_hash],
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

    pub fn delete_sessions(&self) -> Result<()> {
        self.execute("DELETE FROM sessions", [])
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
}
