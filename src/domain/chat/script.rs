//! The script of a conversation.

use super::Rules;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Security, System};

/// What a conversation follows: the rules in force, or phrases that are being tried before they are saved.
pub struct Script {
    pub rules: Rules,
    /// Version of the privacy notice.
    pub privacy: String,
    pub rehearsal: bool,
    /// Whether reporters get receipts.
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

    /// The same with other phrases. What is said in a rehearsal can never become a report.
    pub fn rehearsal(phrases: &Phrases, security: &Security, system: &System) -> Self {
        Self {
            rehearsal: true,
            ..Self::new(phrases, security, system)
        }
    }

    pub fn welcome(&self) -> String {
        self.rules.welcome()
    }

    /// Who reads, and what happens next: for the page around the chat.
    pub fn about(&self) -> [String; 2] {
        self.rules.about()
    }
}
