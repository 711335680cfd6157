//! The script of a conversation.

use super::Rules;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Security, System};

/// The rules in force, or phrases that are tried before they are saved.
pub struct Script {
    pub rules: Rules,
    pub privacy: String,
    pub rehearsal: bool,
    pub receipts: bool,
}

impl Script {
    pub fn new(phrases: &Phrases, security: &Security, system: &System) -> Self {
        Self {
            rules: Rules::new(phrases, security, system),
            privacy: system.privacy_version(),
            rehearsal: false,
            receipts: system.receipts_enabled,
        }
    }

    /// A rehearsal never becomes a report.
    pub fn rehearsal(phrases: &Phrases, security: &Security, system: &System) -> Self {
        Self {
            rehearsal: true,
            ..Self::new(phrases, security, system)
        }
    }
}
