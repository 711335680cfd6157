//! Takes what is due for a destination out of the outbox, to be sent after the transaction.
//! Must never take what another message has on its way, nor send what was cut off in another message than the one it was in.

use sha2::{Digest, Sha256};

use super::queue_deliveries::open_body;
use super::settings::load;
use super::{Act, Result};
use crate::domain::delivery::Kind;
use crate::domain::payload::Payload;
use crate::domain::routing::Department;
use crate::domain::settings::Email;
use crate::store::{Destination, Due};

/// Most reports in one mail: bounds the memory that it takes. The others follow a minute later.
const DIGEST: u32 = 500;
/// Why a body that another operational key sealed cannot be sent.
const UNREADABLE: &str = "Il contenuto è sigillato con una chiave operativa che questo server non ha più. \
                          Premi «Riprova»: verrà preparato di nuovo dalla segnalazione.";

/// One message, with everything it tells of.
#[derive(Debug)]
pub struct Sending {
    pub destination: Destination,
    /// The same whenever the same deliveries are sent again.
    pub message_id: String,
    /// The deliveries it consists of: one, or for a mail several.
    pub items: Vec<Item>,
    /// What each of them says.
    pub payloads: Vec<Payload>,
}

/// A delivery of a sending.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    pub id: i64,
    /// Attempts, this one included.
    pub attempts: u32,
    /// Whether it is by itself because a digest with it was refused.
    pub alone: bool,
}

/// What there was to take.
#[derive(Debug)]
pub enum Claim {
    /// Nothing that is due.
    Nothing,
    /// Nothing to send: what there was is given up or for another address now. There may be more.
    Moved,
    /// This, to be sent now.
    Send(Box<Sending>),
}

/// Takes the next message for a destination. Mails that wait for one address become one; webhooks go one by one.
pub fn claim_delivery(act: &Act<'_>, destination: &Destination) -> Result<Claim> {
    let due = act.due_at(destination, act.now)?;
    if due.is_none_or(|due| due > act.now) {
        return Ok(Claim::Nothing);
    }
    let email = match destination.kind {
        Kind::Email => Some(load::<Email>(act)?),
        Kind::Webhook => None,
    };
    let mut taken = Vec::new();
    for row in act.next_sending(destination, DIGEST)? {
        if let Some(payload) = prepare(act, email.as_ref(), &row)? {
            act.send_off(row.id, act.now)?;
            taken.push((row, payload));
        }
    }
    let (rows, payloads): (Vec<Due>, Vec<Payload>) = taken.into_iter().unzip();
    if rows.is_empty() {
        return Ok(Claim::Moved);
    }
    Ok(Claim::Send(Box::new(Sending {
        destination: destination.clone(),
        message_id: name(&rows),
        items: rows.iter().map(item).collect(),
        payloads,
    })))
}

fn item(row: &Due) -> Item {
    Item {
        id: row.id,
        attempts: row.attempts.saturating_add(1),
        alone: row.alone,
    }
}

/// What a delivery says now. `None` when it cannot be opened and was given up, or is for another address since its report was
/// moved or the settings changed: `email` knows, for a mail. What was cut off goes where it went.
fn prepare(act: &Act<'_>, email: Option<&Email>, row: &Due) -> Result<Option<Payload>> {
    let Some(payload) = open_body(act.vault, &row.message_id, &row.body)? else {
        tracing::error!("a delivery that cannot be opened was given up");
        act.conclude(row.id, Some(UNREADABLE), act.now)?;
        return Ok(None);
    };
    let standing = act.standing_of(&row.report)?;
    let (department, urgent) = standing.unwrap_or((Department::default(), payload.urgent));
    let payload = Payload { urgent, ..payload };
    let Some(email) = email.filter(|_| !row.cut_off) else {
        return Ok(Some(payload));
    };
    let address = email.address_of(department);
    if address.is_empty() || address == row.destination {
        return Ok(Some(payload.moved_to(department)));
    }
    act.readdress(row.id, address, act.now)?;
    Ok(None)
}

/// The name of a message: that of its only delivery, or one made of theirs, so that the same set always has the same.
fn name(rows: &[Due]) -> String {
    let [first, others @ ..] = rows else {
        return String::new();
    };
    if others.is_empty() {
        return first.message_id.clone();
    }
    let mut digest = Sha256::new();
    for row in rows {
        digest.update(&row.message_id);
    }
    let digest = hex::encode(&digest.finalize()[..16]);
    let host = first.message_id.rsplit('@').next().unwrap_or_default();
    format!("<digest-{digest}@{}>", host.trim_end_matches('>'))
}
