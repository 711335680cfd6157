//! Table `login_attempts`: failed logins of the last minutes, by a keyed hash of the client's address.
//! Must never hold an address.

use rusqlite::params;

use super::error::Result;
use super::session::Tx;

impl Tx<'_> {
    /// Times of a client's attempts since a moment, oldest first, in ms.
    pub fn login_attempts(&self, client: &[u8; 16], since: i64) -> Result<Vec<i64>> {
        self.list(
            "SELECT at FROM login_attempts WHERE client = ?1 AND at > ?2 ORDER BY at",
            params![client, since],
            |row| row.get(0),
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
}
