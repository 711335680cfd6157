//! An editor decides about what did not arrive: another try, or none (it stays in the history of its report, without a body,
//! and raises no alarm). Another try goes by the present settings, with a body made anew of the report.
//! Must never send again what arrived or was put away, nor put away what may still arrive by itself.

use crate::actions::archive::retention::STEP;
use crate::actions::archive::sealing::open_content;
use crate::actions::intake::attachments::summaries;
use crate::actions::outbox::channel::{Connections, Subject, channel_of, connecting};
use crate::actions::outbox::queue::{new_delivery, seal_body};
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::{DeliveryKind, DeliveryState};
use crate::domain::payload::Payload;
use crate::store::{Action, DeliveryRow, Destination, ReportRow};
use crate::vault::VaultError;

const ARRIVED: Error = Error::conflict("Questa consegna è già avvenuta.");
const PUT_AWAY: Error = Error::conflict("Questa consegna è stata ignorata.");
const UNDER_WAY: Error =
    Error::conflict("Questa consegna è in corso: aspetta che il tentativo finisca.");
/// Why a delivery of a damaged report cannot be tried again.
const UNREADABLE: &str = "La segnalazione non è leggibile: il messaggio non può essere preparato.";

pub fn retry_delivery(act: &Act<'_>, id: i64) -> Result<DeliveryRow> {
    let row = found(act, id)?;
    match row.state {
        DeliveryState::Delivered => return Err(ARRIVED),
        DeliveryState::Ignored => return Err(PUT_AWAY),
        DeliveryState::Pending | DeliveryState::Failed => revive(act, &row)?,
    }
    act.log(Action::DeliveryRetried, Some(&row.report))?;
    found(act, id)
}

/// Puts one delivery away; for good, because its body is wiped. Done twice it is done once.
pub fn ignore_delivery(act: &Act<'_>, id: i64) -> Result<DeliveryRow> {
    let row = found(act, id)?;
    match row.state {
        DeliveryState::Delivered => return Err(ARRIVED),
        DeliveryState::Ignored => return Ok(row),
        DeliveryState::Pending | DeliveryState::Failed => {}
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
    kinds: Option<&[DeliveryKind]>,
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

/// Does what [`revive`] does. If the report is damaged, the delivery says so and the answer is `false`.
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

/// Puts a delivery that was given up, or waits, into the outbox anew, as the present settings say. One that waits for an address
/// that they name is only tried at once. Where they name no address it keeps its old one, and the attempt says what is missing.
/// Where they name others, it goes to the first that has none of its report, with deliveries of their own for the rest; where all
/// have theirs, it is put away.
fn revive(act: &Act<'_>, row: &DeliveryRow) -> Result<()> {
    let stored = act.report(&row.report)?.ok_or(Error::NotFound)?;
    let settings = connecting(act)?;
    let all = Connections::of(&settings);
    let Some((to, others)) = present_destinations(act, row, &stored, all)? else {
        return Ok(act.tx.put_away(row.id, act.now)?);
    };
    if row.state == DeliveryState::Pending && to.address == row.destination {
        act.tx.hasten_delivery(row.id, act.now)?;
    } else {
        let payload = payload_of(act, &stored)?.trimmed(row.kind);
        let body = seal_body(act.vault, &row.message_id, &payload)?;
        let tx = act.tx;
        if tx.revive_delivery(row.id, &to.address, &body, act.now)? == 0 {
            return Ok(());
        }
        for other in others {
            let new = new_delivery(act.vault, all, other, &stored.id, Some(&payload))?;
            act.tx.put_delivery(&new, None, act.now)?;
        }
    }
    Ok(act.tx.open_destination(&to, act.now, 0)?)
}

/// Where a delivery goes by the present settings, and where else its report has to go yet. `None` where every address has its
/// own delivery.
fn present_destinations(
    act: &Act<'_>,
    row: &DeliveryRow,
    stored: &ReportRow,
    all: Connections<'_>,
) -> Result<Option<(Destination, Vec<Destination>)>> {
    let kind = row.kind;
    let to = |address| Destination { kind, address };
    let subject = Subject {
        id: &stored.id,
        department: stored.department,
    };
    let wish = (channel_of(kind).wish)(all, kind, &subject);
    let mut named = wish.map(|wish| wish.addresses).unwrap_or_default();
    if named.is_empty() || named.contains(&row.destination) {
        return Ok(Some((to(row.destination.clone()), Vec::new())));
    }
    for other in act.deliveries_of(&stored.id)? {
        if other.kind == kind {
            named.remove(&other.destination);
        }
    }
    let first = named.pop_first();
    Ok(first.map(|first| (to(first), named.into_iter().map(to).collect())))
}

fn payload_of(act: &Act<'_>, stored: &ReportRow) -> Result<Payload> {
    let content = open_content(act, act.vault, stored)?;
    Ok(Payload {
        id: stored.id.clone(),
        report: content.report,
        callout: content.callout,
        data_creazione: stored.data_creazione,
        analysis: content
            .analysis
            .moved_to(stored.department, &act.departments()?),
        attachments: summaries(act, &stored.id)?,
        urgent: stored.urgente,
    })
}
