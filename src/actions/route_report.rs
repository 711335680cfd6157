//! Which department a text goes to, under the settings of now.
//! Must never be called on the writer's thread: reading a long text takes milliseconds that others would wait for.

use std::borrow::Cow;

use super::sealing::open_head;
use super::settings::load;
use super::{Error, Result};
use crate::domain::routing::{Config, Model, Routing, route_with, seed};
use crate::domain::settings::{Email, RoutingMode};
use crate::store::Snapshot;
use crate::vault::{Vault, VaultError};

/// What the settings say about routing.
pub fn routing_config(snapshot: &Snapshot<'_>) -> Result<Config> {
    Ok(Config::from(&load::<Email>(snapshot)?))
}

/// The model in force: what was learnt from staff, or the bundled one. Also that one while the archive is sealed, because
/// what was learnt from reports is as sealed as they are.
pub fn routing_model(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Cow<'static, Model>> {
    let bundled = || Ok(Cow::Borrowed(seed::bundled()));
    let Some(row) = snapshot.routing_head()? else {
        return bundled();
    };
    match open_head(snapshot, vault, &row) {
        Ok(bytes) => match Model::from_bytes(&bytes) {
            Some(model) => Ok(Cow::Owned(model)),
            // Written by a program that measured texts otherwise; learning makes another.
            None => bundled(),
        },
        // Sealed to a pair that is closed, or that the newsroom has given up.
        Err(Error::Vault(VaultError::Locked | VaultError::WrongKey)) => bundled(),
        // A report must find its way also when this cannot be read.
        Err(Error::Vault(error)) => {
            tracing::error!(version = row.version, %error, "what routing has learnt cannot be opened");
            bundled()
        }
        Err(error) => Err(error),
    }
}

/// Routes a text under this configuration, with the model in force where it is asked.
pub fn route_by(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    config: &Config,
    text: &str,
) -> Result<Routing> {
    let asked = config.enabled && config.mode == RoutingMode::Smart;
    let model = if asked {
        routing_model(snapshot, vault)?
    } else {
        Cow::Borrowed(seed::bundled())
    };
    Ok(route_with(config, &model, text))
}

/// Routes the account of a report.
pub fn route_report(snapshot: &Snapshot<'_>, vault: &Vault, account: &str) -> Result<Routing> {
    route_by(snapshot, vault, &routing_config(snapshot)?, account)
}
