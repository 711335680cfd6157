//! Table `sessions`: who is logged in, by the hash of the cookie.
//! Must never hold a cookie's value.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRow {
    /// When it began, in ms.
    pub created: i64,
    /// Last time a person did something, in ms.
    pub last_seen: i64,
}

impl Snapshot<'_> {
    pub fn session(&self, token_hash: &[u8; 32]) -> Result<Option<SessionRow>> {
        self.find(
            "SELECT created, last_seen FROM sessions WHERE token_hash = ?1",
            [token_hash],
            |row| {
                Ok(SessionRow {
                    created: row.get(0)?,
                    last_seen: row.get(1)?,
                })
            },
        )
    }

    pub fn session_count(&self) -> Result<i64> {
        self.value("SELECT count(*) FROM sessions", [])
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
        Ok(self.connection.execute(delete, [token_hash])? > 0)
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
        self.execute("DELETE FROM sessions WHERE created <= ?1 OR last_seen <= ?2 OR max(created, last_seen) > ?3", params![created_before, seen_before, after])
    }
}
