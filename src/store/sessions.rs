//! Tables `sessions` (who is logged in, by the hash of the cookie), `login_attempts` (failed logins of the last minutes, by a
//! keyed hash of the address) and `browsers` (which ones logged in before, by the hash of another cookie).
//! Must never hold a cookie's value, or anything about a reporter's connection.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, rows, statements};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRow {
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
    pub known: bool,
}

columns! {
    SessionRow { created, last_seen }
    LoginAttempt { at, bucket, network, known }
}

impl Snapshot<'_> {
    statements! {
        find session(token_hash: &[u8; 32]) -> Option<SessionRow> =
            "SELECT created, last_seen FROM sessions WHERE token_hash = ?1";
        value session_count() -> i64 = "SELECT count(*) FROM sessions";
        list login_attempts() -> Vec<LoginAttempt> = "SELECT at, bucket, network, known FROM login_attempts ORDER BY at";
        /// Whether the browser of this hash logged in before, and is still known.
        value knows_browser(hash: &[u8; 32], now: i64) -> bool =
            "SELECT EXISTS (SELECT 1 FROM browsers WHERE token_hash = ?1 AND until > ?2)";
        /// When somebody logged in from a browser that was not known, which this session was not told yet; in ms.
        find_value newcomer(token_hash: &[u8; 32]) -> Option<i64> =
            "SELECT newcomer FROM sessions WHERE token_hash = ?1 AND newcomer IS NOT NULL";
    }
}

impl Tx<'_> {
    statements! {
        /// Has every session be told that somebody logged in from a browser that was not known.
        execute announce_newcomer(now: i64) = "UPDATE sessions SET newcomer = ?1";
        execute forget_newcomer(token_hash: &[u8; 32]) = "UPDATE sessions SET newcomer = NULL WHERE token_hash = ?1";
        /// Notes activity; never moves the time back.
        execute touch_session(token_hash: &[u8; 32], now: i64) =
            "UPDATE sessions SET last_seen = ?2 WHERE token_hash = ?1 AND last_seen < ?2";
        execute delete_sessions() = "DELETE FROM sessions";
        /// Ends the sessions that are past their end, or that a wrong clock wrote as later than `after`.
        execute delete_expired_sessions(created_before: i64, seen_before: i64, after: i64) =
            "DELETE FROM sessions WHERE created <= ?1 OR last_seen <= ?2 OR max(created, last_seen) > ?3";
        /// Counts an attempt as failed until it proves otherwise.
        execute insert_login_attempt(made: &LoginAttempt) =
            "INSERT INTO login_attempts (at, bucket, network, known) VALUES (?1, ?2, ?3, ?4)",
            [made.at, made.bucket, made.network, made.known];
        execute forget_login_attempts(until: i64) = "DELETE FROM login_attempts WHERE at <= ?1";
        /// Dates attempts that are later than this moment as of this moment.
        execute date_login_attempts(now: i64) = "UPDATE login_attempts SET at = ?1 WHERE at > ?1";
        execute forget_browser(hash: &[u8; 32]) = "DELETE FROM browsers WHERE token_hash = ?1";
        execute forget_browsers_except(keep: Option<&[u8; 32]>) = "DELETE FROM browsers WHERE ?1 IS NULL OR token_hash <> ?1";
        execute forget_old_browsers(now: i64) = "DELETE FROM browsers WHERE until <= ?1";
        /// Ends one session; answers how many there were.
        changed delete_session(token_hash: &[u8; 32]) -> usize = "DELETE FROM sessions WHERE token_hash = ?1";
    }

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
}
