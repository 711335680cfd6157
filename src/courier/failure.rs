//! Why something did not arrive, in words for the newsroom. It must never hold what a report says, a password or a key:
//! the panel shows it, and the log may.

use std::error::Error;
use std::fmt;
use std::io;

use rustls::CertificateError;

/// A sending that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Whether trying again later is of no use, because the other side refused for good (SMTP 5xx, HTTP 410) or the
    /// settings cannot work.
    pub permanent: bool,
    /// Whether the other side may have taken it all the same: it had everything, and did not say.
    pub unsure: bool,
    /// Whether it is the message itself that was refused, for what it says: another one may well be taken.
    pub content: bool,
    /// What happened, in Italian, without personal data.
    pub message: String,
}

impl Failure {
    /// A failure that may pass: worth another try later.
    pub fn passing(message: impl Into<String>) -> Self {
        Self {
            permanent: false,
            unsure: false,
            content: false,
            message: message.into(),
        }
    }

    /// A failure that stays until somebody changes something.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self {
            permanent: true,
            unsure: false,
            content: false,
            message: message.into(),
        }
    }
}

impl Failure {
    /// The same, of something that may have arrived.
    pub fn in_doubt(self) -> Self {
        Self {
            unsure: true,
            ..self
        }
    }

    /// The same, of a message that was refused for what it says.
    pub fn of_content(self) -> Self {
        Self {
            content: true,
            ..self
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for Failure {}

/// What is wrong with the certificate of the other side, in Italian, when that is why an encrypted connection failed.
pub(super) fn certificate_fault(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(rustls::Error::InvalidCertificate(fault)) = error.downcast_ref() {
        return Some(match fault {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "certificato scaduto"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "il certificato è di un altro server"
            }
            CertificateError::UnknownIssuer => "certificato firmato da un'autorità sconosciuta",
            _ => "certificato non valido",
        });
    }
    // What an I/O error wraps is not its source, but stands beside it.
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => certificate_fault(inner),
        None => certificate_fault(error.source()?),
    }
}
