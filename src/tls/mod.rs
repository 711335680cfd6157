//! Encryption of our own (`PRODUCT.md §2`): the certificate that visitors are shown, and where it comes from.
//! Must never ask what time it is, talk to a visitor, or let go of a certificate that works for one that does not.

pub mod files;
pub mod pair;
mod shown;

pub use shown::{Kind, Shown, Status};
