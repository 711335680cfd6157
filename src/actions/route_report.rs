//! Which department a text goes to, under the settings of now.
//! Must never be called on the writer's thread: reading a long text takes milliseconds that others would wait for.

use super::Result;
use super::settings::load;
use crate::domain::routing::{Config, Routing, route};
use crate::domain::settings::Email;
use crate::store::Snapshot;

/// What the settings say about routing.
///
/// # Errors
/// When the database fails.
pub fn routing_config(snapshot: &Snapshot<'_>) -> Result<Config> {
    Ok(Config::from(&load::<Email>(snapshot)?))
}

/// Routes the account of a report.
///
/// # Errors
/// When the database fails.
pub fn route_report(snapshot: &Snapshot<'_>, account: &str) -> Result<Routing> {
    Ok(route(&routing_config(snapshot)?, account))
}
