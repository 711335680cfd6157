//! Takes what is due for a destination out of the outbox, to be sent after the transaction.
//! Must never take what is on its way already, nor put into another message what may have arrived in one.

use super::Result;
use super::queue_deliveries::{open_body, seal_body};
use super::settings::load;
use crate::domain::delivery::{Kind, MOST_IN_DOUBT, TRIES_IN_DOUBT};
use crate::domain::payload::Payload;
use crate::domain::routing::{Config, Department};
use crate::domain::settings::Email;
use crate::store::{Destination, Due, Tx};
use crate::vault::Vault;

/// Most reports in one mail: bounds the memory that it takes. The others follow a minute later.
const DIGEST: u32 = 500;
/// Why a body that another operational key sealed cannot be sent.
const UNREADABLE: &str = "Il contenuto è sigillato con una chiave operativa che questo server non ha più. \
                          Premi «Riprova»: verrà preparato di nuovo dalla segnalazione.";

/// One message, with everything it tells of.
#[derive(Debug)]
pub struct Parcel {
    /// Where it goes.
    pub destination: Destination,
    /// Its name, the same whenever it is sent again though it may have arrived.
    pub message_id: String,
    /// When it was taken, in ms.
    pub taken: i64,
    /// The deliveries it consists of: one, or for a mail several.
    pub items: Vec<Item>,
    /// What each of them says.
    pub payloads: Vec<Payload>,
}

/// A delivery in a parcel.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// Its number.
    pub id: i64,
    /// Attempts, this one included.
    pub attempts: u32,
    /// Whether it may have arrived before, in a message of this name.
    pub in_doubt: bool,
    /// Whether it was refused before in a list, for what the list says.
    pub suspect: bool,
}

/// What there was to take.
#[derive(Debug)]
pub enum Claim {
    /// Nothing that is due.
    Nothing,
    /// Nothing that can be sent: so many deliveries could not be opened, and were given up.
    Unreadable(usize),
    /// Nothing for this destination: what there was is for other addresses by now.
    Readdressed,
    /// This, to be sent now.
    Send(Box<Parcel>),
}

/// Takes the next message for a destination. Mails that wait for one address become one, named `digest` (a random part of
/// a name); webhooks go one by one.
pub fn claim_delivery(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    destination: &Destination,
    digest: &str,
) -> Result<Claim> {
    let due = tx
        .waiting_for(destination)?
        .is_some_and(|waiting| waiting.due_at(now) <= now);
    if !due {
        return Ok(Claim::Nothing);
    }
    let Sorted {
        taken,
        unreadable,
        readdressed,
    } = sort(tx, vault, now, destination)?;
    let Some((first, _)) = taken.first() else {
        return Ok(match unreadable {
            0 if readdressed => Claim::Readdressed,
            0 => Claim::Nothing,
            _ => Claim::Unreadable(unreadable),
        });
    };
    let message_id = match first.under_way.as_ref().or(first.doubt.as_ref()) {
        Some(name) => name.clone(),
        None if taken.len() == 1 => first.message_id.clone(),
        None => format!("<{digest}@{}>", host_of(&first.message_id)),
    };
    let mut items = Vec::with_capacity(taken.len());
    let mut payloads = Vec::with_capacity(taken.len());
    for (row, payload) in taken {
        tx.send_off(row.id, &message_id)?;
        items.push(Item {
            id: row.id,
            attempts: row.attempts.saturating_add(1),
            in_doubt: row.under_way.is_some() || row.doubt.is_some(),
            suspect: row.most.is_some(),
        });
        payloads.push(payload);
    }
    let pace = tx.pace(destination)?;
    tx.put_pace(destination, &pace.tried_at(now))?;
    Ok(Claim::Send(Box::new(Parcel {
        destination: destination.clone(),
        message_id,
        taken: now,
        items,
        payloads,
    })))
}

/// What was taken out of the outbox, by what becomes of it.
#[derive(Default)]
struct Sorted {
    taken: Vec<(Due, Payload)>,
    unreadable: usize,
    readdressed: bool,
}

/// Takes what comes next, without what cannot be opened, and what is for another address since its report was moved or the
/// settings changed.
fn sort(tx: &Tx<'_>, vault: &Vault, now: i64, destination: &Destination) -> Result<Sorted> {
    let routing = match destination.kind {
        Kind::Email => Some(Config::from(&load::<Email>(tx)?)),
        Kind::Webhook => None,
    };
    let mut sorted = Sorted::default();
    for row in take(tx, now, destination)? {
        let Some(payload) = open_body(vault, &row.message_id, &row.body)? else {
            tx.given_up(row.id, UNREADABLE, now)?;
            sorted.unreadable += 1;
            continue;
        };
        // What may have arrived goes where it went, and says what it said.
        let free = row.under_way.is_none() && row.doubt.is_none();
        let payload = if free {
            retold(tx, vault, &row, payload)?
        } else {
            payload
        };
        let Some(routing) = routing.as_ref().filter(|_| free) else {
            sorted.taken.push((row, payload));
            continue;
        };
        let department = tx.department_of(&row.report)?.unwrap_or_default();
        let department = Department::parse(&department).unwrap_or_default();
        let address = routing.email(department);
        if address.is_empty() || address == destination.address {
            sorted.taken.push((row, payload.moved_to(department)));
        } else {
            tx.readdress(row.id, address, now)?;
            sorted.readdressed = true;
        }
    }
    Ok(sorted)
}

fn take(tx: &Tx<'_>, now: i64, destination: &Destination) -> Result<Vec<Due>> {
    let cut_off = tx.cut_off(destination)?;
    if !cut_off.is_empty() {
        return Ok(cut_off);
    }
    Ok(match destination.kind {
        Kind::Email => {
            let doubts = (MOST_IN_DOUBT, TRIES_IN_DOUBT);
            tx.next_mail(destination, DIGEST, doubts, now)?
        }
        Kind::Webhook => tx.next_call(destination, now)?.into_iter().collect(),
    })
}

/// With what an editor decided since, which is stored: should the message be in doubt, it is repeated as it is now.
fn retold(tx: &Tx<'_>, vault: &Vault, row: &Due, payload: Payload) -> Result<Payload> {
    if payload.decided.is_none() {
        return Ok(payload);
    }
    let payload = payload.retold();
    tx.put_body(row.id, &seal_body(vault, &row.message_id, &payload)?)?;
    Ok(payload)
}

/// What stands behind the `@` of a message's name.
fn host_of(message_id: &str) -> &str {
    let host = message_id.rsplit('@').next().unwrap_or_default();
    host.trim_end_matches('>')
}
