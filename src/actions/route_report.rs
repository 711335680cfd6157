//! Which department a text goes to, under the settings of now.
//! Must never be called on the writer's thread: reading a long text takes milliseconds that others would wait for.

use super::Result;
use super::routing_memory::OpenedMemory;
use super::settings::load;
use crate::domain::routing::{Config, Memory, Router, Routing};
use crate::domain::settings::Email;
use crate::store::Snapshot;
use crate::vault::Vault;

pub fn routing_config(snapshot: &Snapshot<'_>) -> Result<Config> {
    Ok(Config::from(&load::<Email>(snapshot)?))
}

pub fn route_by(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    opened: &OpenedMemory,
    router: &Router,
    text: &str,
) -> Result<Routing> {
    if router.remembers() {
        return Ok(router.route(&*opened.get(snapshot, vault)?, text));
    }
    Ok(router.route(&Memory::default(), text))
}
