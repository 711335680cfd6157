//! An editor decides about what did not arrive: another try, or none (it stays in the history of its report, without a body,
//! and raises no alarm). For another try a new body is made of the report, for the address that the settings name now.
//! Must never send again what arrived or was put away, nor put away what may still arrive by itself.

use crate::actions::access::log_access::Action;
use crate::actions::archive::sealing::open_content;
use crate::actions::intake::attachments::told;
use crate::actions::intake::submit_report::{seal_body, successor, wish};
use crate::actions::settings::sections::load;
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::{Kind, State};
use crate::domain::payload::Payload;
use crate::domain::settings::{Email, System};
use crate::store::{DeliveryRow, Destination};
use crate::vault::VaultError;

/// Deliveries changed in one transaction: a few milliseconds.
const STEP: usize = 100;
const ARRIVED: Error = Error::Conflict("Questa consegna è già avvenuta.");
const PUT_AWAY: Error = Error::Conflict("Questa consegna è stata ignorata.");
const UNDER_WAY: Error =
    Error::Conflict("Questa consegna è in corso: aspetta che il tentativo finisca.");
/// Why a delivery of a damaged report cannot be tried again.
const UNREADABLE: &str = "La segnalazione non è leggibile: il messaggio non può essere preparato.";

pub fn retry_delivery(act: &Act<'_>, id: i64) -> Result<DeliveryRow> {
    let row = found(act, id)?;
    match row.state {
        State::Delivered => return Err(ARRIVED),
        State::Ignored => return Err(PUT_AWAY),
        State::Pending => {
            act.tx.hasten_delivery(id, act.now)?;
            act.tx
                .open_destination(row.kind, &row.destination, act.now, 0)?;
        }
        State::Failed => revive(act, &row)?,
    }
    act.log(Action::DeliveryRetried, Some(&row.report))?;
    found(act, id)
}

/// Puts one delivery away; for good, because its body is wiped. Done twice it is done once.
pub fn ignore_delivery(act: &Act<'_>, id: i64) -> Result<DeliveryRow> {
    let row = found(act, id)?;
    match row.state {
        State::Delivered => return Err(ARRIVED),
        State::Ignored => return Ok(row),
        State::Pending | State::Failed => {}
    }
    if act.tx.ignore_delivery(id, act.now)? == 0 {
        return Err(UNDER_WAY);
    }
    act.log(Action::DeliveryIgnored, Some(&row.report))?;
    found(act, id)
}

fn found(act: &Act<'_>, id: i64) -> Result<DeliveryRow> {
    act.delivery(id)?.ok_or(Error::DeliveryNotFound)
}

/// Puts some of what was given up for a destination away; answers how many, 0 when there was nothing left.
pub fn ignore_failed(act: &Act<'_>, destination: &Destination) -> Result<usize> {
    Ok(act.tx.ignore_failed(destination, act.now, STEP)?)
}

/// Lets at most [`STEP`] of those that were given up be tried at once, after the number `after`; of some kinds those too that
/// wait. Answers the last number it came to and how many it revived, or `None` when there was nothing left.
pub fn retry_some(
    act: &Act<'_>,
    kinds: Option<&[Kind]>,
    after: i64,
) -> Result<Option<(i64, usize)>> {
    let rows = act.undelivered(kinds.is_some(), after, STEP)?;
    let Some(last) = rows.last().map(|row| row.id) else {
        return Ok(None);
    };
    let mut revived = 0;
    for row in rows {
        if kinds.is_none_or(|kinds| kinds.contains(&row.kind)) {
            revived += usize::from(revive_readable(act, &row)?);
        }
    }
    Ok(Some((last, revived)))
}

/// The same as [`revive`]; where the report is damaged the delivery says so, and the answer is `false`.
fn revive_readable(act: &Act<'_>, row: &DeliveryRow) -> Result<bool> {
    match revive(act, row) {
        Ok(()) => Ok(true),
        Err(Error::Vault(VaultError::Damaged | VaultError::WrongKey)) => {
            act.tx.explain_delivery(row.id, UNREADABLE)?;
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Puts a delivery that was given up, or waits, into the outbox anew, for an address that the settings name. Where they name none any
/// more it keeps its old one, and the attempt says what is missing; where all that they name have theirs, it is put away.
fn revive(act: &Act<'_>, row: &DeliveryRow) -> Result<()> {
    let stored = act.report(&row.report)?.ok_or(Error::NotFound)?;
    let content = open_content(act, act.vault, &stored)?;
    let (email, system): (Email, System) = (load(act)?, load(act)?);
    let payload = Payload {
        id: stored.id.clone(),
        report: content.report,
        data_creazione: stored.data_creazione,
        analysis: content.analysis.moved_to(stored.department),
        attachments: told(act, &stored.id)?,
        urgent: stored.urgente,
    };
    let says = payload.trimmed(row.kind);
    let place = (stored.department, stored.id.as_str());
    let named = wish(row.kind, &email, &system, place).map(|wish| wish.addresses);
    let named = named.unwrap_or_default();
    let address = if named.is_empty() || named.contains(&row.destination) {
        row.destination.clone()
    } else {
        match successor(act, (row.kind, &stored.id), named, &email, &says)? {
            Some(address) => address,
            None => return Ok(act.tx.put_away(row.id, act.now)?),
        }
    };
    let body = seal_body(act.vault, &row.message_id, &address, &says)?;
    act.tx.revive_delivery(row.id, &address, &body, act.now)?;
    Ok(act.tx.open_destination(row.kind, &address, act.now, 0)?)
}
