//! What every part of the running program shares: database, keys, clock, time zone and the settings in force.
//! Must never hold any other copy of what lies in the database.

use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::actions;
use crate::actions::in_force::{InForce, Settings};
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
    pub settings: Settings,
}

impl Core {
    /// The settings as they are now; not to be asked for inside of a transaction, which reads its own.
    pub fn settings(&self) -> actions::Result<Arc<InForce>> {
        self.settings.in_force(&self.store)
    }
}
