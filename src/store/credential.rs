//! Table `credential`: the verifier of the one shared password (a hash of half a derivation), with its parameters.
//! Must never hold a password or the half that opens the key slot.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

impl Snapshot<'_> {
    /// The stored verifier, as the action that sets passwords wrote it; `None` until the first set-up.
    pub fn credential(&self) -> Result<Option<String>> {
        self.find("SELECT body FROM credential WHERE id = 1", [], |row| {
            row.get(0)
        })
    }
}

impl Tx<'_> {
    pub fn put_credential(&self, body: &str, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO credential (id, body, updated) VALUES (1, ?1, ?2) \
             ON CONFLICT (id) DO UPDATE SET body = excluded.body, updated = excluded.updated",
            params![body, now],
        )
    }
}
