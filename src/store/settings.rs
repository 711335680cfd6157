//! Tables `settings` (one JSON document a section; a section never saved is absent and reads as its defaults) and `logo` (one
//! picture or none). Must never parse what is stored, nor give out a logo but by the name of its content: a changed one has
//! another name.

use super::session::{Snapshot, Tx, columns, statements};
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
    statements! {
        find_value settings(section: Section) -> Option<String> = "SELECT body FROM settings WHERE section = ?1";
        /// Name of the logo's content, in hex; `None` when there is no logo.
        find_value logo_hash() -> Option<String> = "SELECT hash FROM logo WHERE id = 1";
        /// The logo, if its content has this name.
        find logo(hash: &str) -> Option<LogoRow> = "SELECT content_type, bytes FROM logo WHERE hash = ?1";
    }
}

impl Tx<'_> {
    statements! {
        revised put_settings(section: Section, body: &str, now: i64) =
            "INSERT OR REPLACE INTO settings (section, body, updated) VALUES (?1, ?2, ?3)";
        revised clear_settings(section: Section) = "DELETE FROM settings WHERE section = ?1";
        revised put_logo(hash: &str, content_type: &str, bytes: &[u8], now: i64) =
            "INSERT OR REPLACE INTO logo (id, hash, content_type, bytes, updated) VALUES (1, ?1, ?2, ?3, ?4)";
        revised clear_logo() = "DELETE FROM logo";
    }
}
