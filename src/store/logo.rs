//! Table `logo`: the newsroom's logo, one picture or none.
//! Must never be asked for by anything but the name of its content: a changed logo has another one.

use rusqlite::{OptionalExtension, params};

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
        let mut statement = self
            .connection
            .prepare_cached("SELECT hash FROM logo WHERE id = 1")?;
        Ok(statement.query_row([], |row| row.get(0)).optional()?)
    }

    /// The logo, if its content has this name.
    pub fn logo(&self, hash: &str) -> Result<Option<LogoRow>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT content_type, bytes FROM logo WHERE hash = ?1")?;
        let row = statement.query_row([hash], |row| {
            Ok(LogoRow {
                content_type: row.get(0)?,
                bytes: row.get(1)?,
            })
        });
        Ok(row.optional()?)
    }
}

impl Tx<'_> {
    pub fn put_logo(&self, hash: &str, content_type: &str, bytes: &[u8], now: i64) -> Result<()> {
        self.connection.execute(
            "INSERT INTO logo (id, hash, content_type, bytes, updated) VALUES (1, ?1, ?2, ?3, ?4) \
             ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, content_type = excluded.content_type, \
             bytes = excluded.bytes, updated = excluded.updated",
            params![hash, content_type, bytes, now],
        )?;
        Ok(())
    }

    pub fn clear_logo(&self) -> Result<()> {
        self.connection.execute("DELETE FROM logo", [])?;
        Ok(())
    }
}
