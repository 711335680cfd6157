//! Tables `settings` (one JSON document a section; a section never saved is absent and reads as its defaults) and `logo` (one
//! picture or none). Must never parse what is stored, nor give out a logo but by the name of its content: a changed one has
//! another name.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns};
use crate::domain::declare::names;

names! {
    pub enum Section {
        /// Access, validation, logs, retention.
        Security = "security",
        /// Names, colours, privacy notice, webhook.
        System = "system",
        /// Mail server, recipients, departments.
        Email = "email",
        Prompts = "prompts",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoRow {
    pub content_type: String,
    pub bytes: Vec<u8>,
}

columns! { LogoRow { content_type, bytes } }

impl Snapshot<'_> {
    pub fn settings(&self, section: Section) -> Result<Option<String>> {
        self.find_value(
            "SELECT body FROM settings WHERE section = ?1",
            [section.as_str()],
        )
    }

    /// Name of the logo's content, in hex; `None` when there is no logo.
    pub fn logo_hash(&self) -> Result<Option<String>> {
        self.find_value("SELECT hash FROM logo WHERE id = 1", [])
    }

    /// The logo, if its content has this name.
    pub fn logo(&self, hash: &str) -> Result<Option<LogoRow>> {
        self.find(
            "SELECT content_type, bytes FROM logo WHERE hash = ?1",
            [hash],
        )
    }
}

impl Tx<'_> {
    pub fn put_settings(&self, section: Section, body: &str, now: i64) -> Result<()> {
        self.revise();
        self.execute(
            "INSERT OR REPLACE INTO settings (section, body, updated) VALUES (?1, ?2, ?3)",
            params![section.as_str(), body, now],
        )
    }

    /// Puts a section back to its defaults.
    pub fn clear_settings(&self, section: Section) -> Result<()> {
        self.revise();
        self.execute(
            "DELETE FROM settings WHERE section = ?1",
            [section.as_str()],
        )
    }

    pub fn put_logo(&self, hash: &str, content_type: &str, bytes: &[u8], now: i64) -> Result<()> {
        self.revise();
        self.execute(
            "INSERT OR REPLACE INTO logo (id, hash, content_type, bytes, updated) VALUES (1, ?1, ?2, ?3, ?4)",
            params![hash, content_type, bytes, now],
        )
    }

    pub fn clear_logo(&self) -> Result<()> {
        self.revise();
        self.execute("DELETE FROM logo", [])
    }
}
