//! Limits on what one client, one network, or all together may take: quotas that fill up again, and places that are held for a
//! while. Shared addresses, behind which many clients may stand, are limited only together with all others.
//! Must never be written to disk, log an address, nor keep one longer than its limit needs.

mod places;
mod quota;

pub use places::{Holding, Most, Permit, Places};
pub use quota::Quotas;
