//! Table `logo`: the newsroom's logo, one picture or none.
//! Must never be asked for by anything but the name of its content: a changed logo has another one.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoRow {
    pub content_type: String,
    pub bytes: Vec<u8>,
}

impl Snapshot<'_> {
    /// Name of the logo's content, in hex; `None` when there is no logo.
    pub fn logo_hash(&self) -> Result<Option<String>> {
        self.find("SELECT hash FROM logo WHERE id = 1", [], |row| row.get(0))
    }

    /// The logo, if its content has this name.
    pub fn logo(&self, hash: &str) -> Result<Option<LogoRow>> {
        self.find(
            "SELECT content_type, bytes FROM logo WHERE hash = ?1",
            [hash],
            |row| {
                Ok(LogoRow {
                    content_type: row.get(0)?,
                    bytes: row.get(1)?,
                })
            },
        )
    }
}

impl Tx<'_> {
    pub fn put_logo(&self, hash: &str, content_type: &str, bytes: &[u8], now: i64) -> Result<()> {
        self.execute("INSERT INTO logo (id, hash, content_type, bytes, updated) VALUES (1, ?1, ?2, ?3, ?4) \
             ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, content_type = excluded.content_type, \
             bytes = excluded.bytes, updated = excluded.updated", params![hash, content_type, bytes, now])
    }

    pub fn clear_logo(&self) -> Result<()> {
        self.execute("DELETE FROM logo", [])
    }
}
