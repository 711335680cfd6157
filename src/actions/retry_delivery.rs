//! An editor asks for another try: of one delivery, or of all that were given up. What was given up has no body any more;
//! a new one is made of the report, for the address that the settings name now.
//! Must never send again what arrived or was put away.

use super::log_access::{Action, Actor, log_access};
use super::queue_deliveries::{destination, payload, seal_body};
use super::sealing::open_content;
use super::settings::load;
use super::{Error, Result};
use crate::domain::delivery::State;
use crate::domain::settings::{Email, System};
use crate::store::{DeliveryRow, Tx};
use crate::vault::{Vault, VaultError};

/// Deliveries revived in one transaction: a few milliseconds.
const STEP: usize = 100;
/// Why a delivery of a damaged report cannot be tried again.
const UNREADABLE: &str = "La segnalazione non è leggibile: il messaggio non può essere preparato.";

/// Lets one delivery be tried at once.
pub fn retry_delivery(tx: &Tx<'_>, vault: &Vault, now: i64, actor: &Actor, id: i64) -> Result<()> {
    let row = tx.delivery(id)?.ok_or(Error::DeliveryNotFound)?;
    match row.state {
        State::Delivered => return Err(Error::AlreadyDelivered),
        State::Ignored => return Err(Error::DeliveryIgnored),
        State::Pending => {
            tx.hasten_delivery(id, now)?;
            tx.open_destination(row.kind, &row.destination, now, 0)?;
        }
        State::Failed => revive(tx, vault, now, &row)?,
    }
    log_access(tx, now, actor, Action::DeliveryRetried, Some(&row.report))
}

/// Notes in the log that all deliveries that were given up are to be tried again.
pub fn note_retry_of_all(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    log_access(tx, now, actor, Action::DeliveryRetried, None)
}

/// Lets at most [`STEP`] of those that were given up be tried at once, after the number `after`; answers the last number it
/// came to and how many it revived, or `None` when there was nothing left.
pub fn retry_failed(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    after: i64,
) -> Result<Option<(i64, usize)>> {
    let rows = tx.failed_deliveries(after, STEP)?;
    let Some(last) = rows.last().map(|row| row.id) else {
        return Ok(None);
    };
    let mut revived = 0;
    for row in rows {
        revived += usize::from(revive_readable(tx, vault, now, &row)?);
    }
    Ok(Some((last, revived)))
}

/// The same as [`revive`]; where the report is damaged the delivery says so, and the answer is `false`.
fn revive_readable(tx: &Tx<'_>, vault: &Vault, now: i64, row: &DeliveryRow) -> Result<bool> {
    match revive(tx, vault, now, row) {
        Ok(()) => Ok(true),
        Err(Error::Vault(VaultError::Damaged | VaultError::WrongKey)) => {
            tx.explain_delivery(row.id, UNREADABLE)?;
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Puts a delivery that was given up back into the outbox. Where the settings name no address any more it keeps its old
/// one, and the attempt says what is missing.
fn revive(tx: &Tx<'_>, vault: &Vault, now: i64, row: &DeliveryRow) -> Result<()> {
    let stored = tx.report(&row.report)?.ok_or(Error::NotFound)?;
    let content = open_content(tx, vault, &stored)?;
    let (email, system): (Email, System) = (load(tx)?, load(tx)?);
    let payload = payload(
        &email,
        &stored.id,
        stored.data_creazione,
        content.report,
        content.analysis.moved_to(stored.department),
        stored.urgente,
    );
    let address =
        destination(row.kind, &email, &system, &payload).unwrap_or_else(|| row.destination.clone());
    let body = seal_body(vault, &row.message_id, &payload)?;
    tx.revive_delivery(row.id, &address, &body, now)?;
    Ok(tx.open_destination(row.kind, &address, now, 0)?)
}
