//! Encryption of our own (`PRODUCT.md §2`): the certificate that visitors are shown, and where it comes from.
//! Must never ask what time it is, talk to a visitor, or let go of a certificate that works for one that does not.

pub mod acme;
pub mod files;
pub mod pair;
mod shelf;
mod shown;

pub use shown::{Kind, Shown, Status};

/// Whether a connection of this protocol (RFC 7301) is an authority's that asks for a proof.
pub fn is_proof(protocol: &[u8]) -> bool {
    protocol == rustls_acme::acme::ACME_TLS_ALPN_NAME
}
