//! Table `settings`: one JSON document a section; a section never saved is absent and reads as its defaults.
//! Must never parse what it stores.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Access, validation, logs, retention.
    Security,
    /// Names, colours, privacy notice, webhook.
    System,
    /// Mail server, recipients, departments.
    Email,
    Prompts,
}

impl Section {
    fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::System => "system",
            Self::Email => "email",
            Self::Prompts => "prompts",
        }
    }
}

impl Snapshot<'_> {
    pub fn settings(&self, section: Section) -> Result<Option<String>> {
        self.find(
            "SELECT body FROM settings WHERE section = ?1",
            [section.as_str()],
            |row| row.get(0),
        )
    }
}

impl Tx<'_> {
    pub fn put_settings(&self, section: Section, body: &str, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO settings (section, body, updated) VALUES (?1, ?2, ?3) \
             ON CONFLICT (section) DO UPDATE SET body = excluded.body, updated = excluded.updated",
            params![section.as_str(), body, now],
        )
    }

    /// Puts a section back to its defaults.
    pub fn clear_settings(&self, section: Section) -> Result<()> {
        self.execute(
            "DELETE FROM settings WHERE section = ?1",
            [section.as_str()],
        )
    }
}
