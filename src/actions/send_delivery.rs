//! Takes what is due for a destination out of the outbox, to be sent after the transaction, and writes down what became of it.
//! Must never take what another message has on its way, send again what arrived, forget what did not, or let one report keep
//! others from arriving.

use sha2::{Digest, Sha256};

use super::settings::load;
use super::submit_report::open_body;
use super::{Act, Result};
use crate::domain::delivery::{
    DIVIDE_AFTER_REFUSALS, Failure, GIVE_UP_AFTER_MS, Kind, MAIL_EVERY_MS, Outcome, delay_ms,
};
use crate::domain::payload::Payload;
use crate::domain::routing::Department;
use crate::domain::settings::Email;
use crate::store::{Answering, Destination, Due, Tx};

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
    let item = |row: &Due| Item {
        id: row.id,
        attempts: row.attempts.saturating_add(1),
        alone: row.alone,
    };
    Ok(Claim::Send(Box::new(Sending {
        destination: destination.clone(),
        message_id: name(&rows),
        items: rows.iter().map(item).collect(),
        payloads,
    })))
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

/// What is new about a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    None,
    /// It answered until now, and does no more.
    Fails,
    /// It failed, and answers again.
    Answers,
}

/// Settles every delivery of a sending in the same way; `chance` (0 to 1) spreads further attempts.
pub fn settle_delivery(
    tx: &Tx<'_>,
    now: i64,
    sending: &Sending,
    outcome: &Outcome,
    chance: f64,
) -> Result<News> {
    let destination = &sending.destination;
    let before = tx.answering(destination)?;
    let alone = sending.items.iter().all(|item| item.alone);
    let mut after = before;
    match outcome {
        Ok(()) => after = arrived(tx, now, sending)?,
        Err(failure) if is_divided(sending, failure, before) => {
            for item in &sending.items {
                tx.put_off(item.id, &failure.message, now, true)?;
            }
            (after.open_at, after.refused) = (now + MAIL_EVERY_MS, 0);
        }
        Err(failure) => {
            put_off(tx, now, sending, failure, chance)?;
            after = after_failure(before, failure, alone, now, chance);
        }
    }
    tx.put_answering(destination, after, now)?;
    if alone {
        tx.put_off_alone(&destination.address, now + MAIL_EVERY_MS)?;
    }
    Ok(match (before.failures, after.failures) {
        (0, 1..) => News::Fails,
        (1.., 0) => {
            tx.hasten_all(destination, before.failures, now)?;
            News::Answers
        }
        _ => News::None,
    })
}

/// Every delivery of the sending arrived.
fn arrived(tx: &Tx<'_>, now: i64, sending: &Sending) -> Result<Answering> {
    for item in &sending.items {
        tx.conclude(item.id, None, now)?;
    }
    let pause = match sending.destination.kind {
        Kind::Email => MAIL_EVERY_MS,
        Kind::Webhook => 0,
    };
    Ok(Answering {
        open_at: now + pause,
        ..Answering::default()
    })
}

/// A report that is refused by itself says nothing of the destination: the next mail waits no longer than after one that arrived.
fn after_failure(
    before: Answering,
    failure: &Failure,
    alone: bool,
    now: i64,
    chance: f64,
) -> Answering {
    let mut after = before;
    if failure.content && alone {
        (after.open_at, after.refused) = (now + MAIL_EVERY_MS, 0);
        return after;
    }
    after.failures = before.failures.saturating_add(1);
    after.refused = before.refused.saturating_add(failure.content.into());
    if !failure.permanent {
        after.open_at = now + delay_ms(after.failures, chance);
    }
    after
}

/// Each delivery of the sending is tried again, or given up.
fn put_off(tx: &Tx<'_>, now: i64, sending: &Sending, failure: &Failure, chance: f64) -> Result<()> {
    for item in &sending.items {
        if failure.permanent {
            tx.conclude(item.id, Some(&failure.message), now)?;
        } else {
            let next = now + delay_ms(item.attempts, chance);
            tx.put_off(item.id, &failure.message, next, false)?;
        }
    }
    if !failure.permanent {
        let since = now - GIVE_UP_AFTER_MS;
        tx.give_up_since(&sending.destination, since, &failure.message, now)?;
    }
    Ok(())
}

/// Whether each report of a refused digest is to go by itself: at once when the refusal is for good, else when it was repeated.
/// Refusals are counted for the destination: new reports join each digest, and must not begin the count anew.
fn is_divided(sending: &Sending, failure: &Failure, before: Answering) -> bool {
    let repeated = before.refused + 1 >= DIVIDE_AFTER_REFUSALS;
    failure.content && sending.items.len() > 1 && (failure.permanent || repeated)
}
