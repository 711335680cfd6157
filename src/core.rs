//! What every part of the running program shares: database, keys, clock and time zone.
//! Must never hold a copy of anything that lies in the database.

use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::clock::Clock;
use crate::store::Store;
use crate::vault::Vault;

/// The open newsroom, shared by handlers, deliveries and timed work.
pub struct Core {
    pub store: Arc<Store>,
    pub vault: Arc<Vault>,
    pub clock: Clock,
    /// Where "today" starts at midnight.
    pub time_zone: TimeZone,
}
