//! Delivers mail and webhook calls that reports cause. Besides `tls` the only part that opens connections outward.

mod answers;
pub mod email;
mod encrypted;
pub mod letter;
mod network;
pub mod notices;
pub mod picture;
pub mod policy;
pub mod reach;
mod smtp;
mod token;
mod tokens;
pub mod webhook;
mod worker;

use std::error::Error;
use std::io;

use rustls::CertificateError;

pub use network::Network;
pub use policy::OutboundPolicy;
pub use tokens::Tokens;
pub use worker::{Dispatcher, Silent};

use crate::actions::outbox::send_delivery::Sending;
use crate::domain::delivery::{DeliveryKind, Outcome};

/// The error of a sending that failed because of a fault in the program.
const INTERNAL: &str = "Errore interno durante l'invio.";

/// Takes one message to its destination and comes back with the answer. The network, or what a test puts in its place.
pub trait Transport: Send + Sync + 'static {
    /// Returns when the other side took it.
    fn send(&self, sending: &Sending) -> Outcome;
}

/// How each channel sends.
impl Transport for Network {
    fn send(&self, sending: &Sending) -> Outcome {
        match sending.destination.kind {
            DeliveryKind::Webhook => self.call(sending),
            _ => self.mail(sending),
        }
    }
}

/// The fault of the other side's certificate, in Italian, if it made an encrypted connection fail.
fn certificate_fault(error: &(dyn Error + 'static)) -> Option<&'static str> {
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
    // The error that an I/O error wraps is not its source; it has to be looked up beside it.
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => certificate_fault(inner),
        None => certificate_fault(error.source()?),
    }
}
