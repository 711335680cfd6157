//! Which department a text goes to, under the settings of now.
//! Must never be called on the writer's thread: reading a long text takes milliseconds that others would wait for.

use std::borrow::Cow;

use super::sealing::open_head;
use super::settings::load;
use super::{Error, Result};
use crate::domain::learn::softmax::Head;
use crate::domain::routing::{Config, Routing, route_with, seed};
use crate::domain::settings::{Email, RoutingMode};
use crate::store::Snapshot;
use crate::vault::{Vault, VaultError};

/// What the settings say about routing.
///
/// # Errors
/// When the database fails.
pub fn routing_config(snapshot: &Snapshot<'_>) -> Result<Config> {
    Ok(Config::from(&load::<Email>(snapshot)?))
}

/// The head in force: what was learnt from staff, or the bundled one. Also that one while the archive is sealed, because
/// what was learnt from reports is as sealed as they are.
///
/// # Errors
/// When the database fails.
pub fn routing_head(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Cow<'static, Head>> {
    let bundled = || Ok(Cow::Borrowed(seed::bundled_head()));
    let Some(row) = snapshot.routing_head()? else {
        return bundled();
    };
    match open_head(snapshot, vault, &row) {
        Ok(bytes) => match seed::read_head(&bytes) {
            Some(head) => Ok(Cow::Owned(head)),
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

/// Routes a text under this configuration, with the head in force where it is asked.
///
/// # Errors
/// When the database fails.
pub fn route_by(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    config: &Config,
    text: &str,
) -> Result<Routing> {
    let asked = config.enabled && config.mode == RoutingMode::Smart;
    let head = if asked {
        routing_head(snapshot, vault)?
    } else {
        Cow::Borrowed(seed::bundled_head())
    };
    Ok(route_with(config, &head, text))
}

/// Routes the account of a report.
///
/// # Errors
/// When the database fails.
pub fn route_report(snapshot: &Snapshot<'_>, vault: &Vault, account: &str) -> Result<Routing> {
    route_by(snapshot, vault, &routing_config(snapshot)?, account)
}
