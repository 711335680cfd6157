//! Why something did not arrive, in words for the newsroom. It must never hold what a report says, a password or a key:
//! the panel shows it, and the log may.

use std::fmt;

/// A sending that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Whether trying again later is of no use, because the other side refused for good (SMTP 5xx, HTTP 410) or the
    /// settings cannot work.
    pub permanent: bool,
    /// What happened, in Italian, without personal data.
    pub message: String,
}

impl Failure {
    /// A failure that may pass: worth another try later.
    #[must_use]
    pub fn passing(message: impl Into<String>) -> Self {
        Self {
            permanent: false,
            message: message.into(),
        }
    }

    /// A failure that stays until somebody changes something.
    #[must_use]
    pub fn permanent(message: impl Into<String>) -> Self {
        Self {
            permanent: true,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
