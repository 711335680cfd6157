//! An editor decides that what did not arrive need not: one delivery, or all that were given up for a destination. They stay
//! in the history of their reports, without a body, and raise no alarm any more.
//! Must never put away what may still arrive by itself.

use super::log_access::{Action, Actor, log_access};
use super::{Error, Result};
use crate::domain::delivery::State;
use crate::store::{Destination, Tx};

/// Deliveries put away in one transaction: a few milliseconds.
const STEP: usize = 100;

/// Puts one delivery away; for good, because its body is wiped. Done twice it is done once.
pub fn ignore_delivery(tx: &Tx<'_>, now: i64, actor: &Actor, id: i64) -> Result<()> {
    let row = tx.delivery(id)?.ok_or(Error::DeliveryNotFound)?;
    match row.state {
        State::Delivered => return Err(Error::AlreadyDelivered),
        State::Ignored => return Ok(()),
        State::Pending | State::Failed => {}
    }
    if !tx.ignore_delivery(id, now)? {
        return Err(Error::DeliveryUnderWay);
    }
    log_access(tx, now, actor, Action::DeliveryIgnored, Some(&row.report))
}

/// Notes in the log that all that was given up for a destination is put away.
pub fn note_ignoring_of_all(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    log_access(tx, now, actor, Action::DeliveryIgnored, None)
}

/// Puts some of what was given up for a destination away; answers how many, 0 when there was nothing left.
pub fn ignore_failed(tx: &Tx<'_>, now: i64, destination: &Destination) -> Result<usize> {
    Ok(tx.ignore_failed(destination, now, STEP)?)
}
