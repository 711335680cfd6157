//! Writes down what became of a message that was sent.
//! Must never let a message that arrived be sent again, one that did not be forgotten, or one report keep others from arriving.

use super::Result;
use super::claim_delivery::Sending;
use crate::domain::delivery::{
    DIVIDE_AFTER_REFUSALS, Failure, GIVE_UP_AFTER_MS, Kind, MAIL_EVERY_MS, Outcome, delay_ms,
};
use crate::store::{Answering, Tx};

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
    let before = tx.answering(&sending.destination)?;
    let Err(failure) = outcome else {
        arrived(tx, now, sending, before)?;
        return Ok(news(before.failures, 0));
    };
    if is_divided(sending, failure, before) {
        divide(tx, now, sending, failure)?;
        put_pause(tx, now, sending, before)?;
        return Ok(News::None);
    }
    put_off(tx, now, sending, failure, chance)?;
    // A report that is refused by itself says nothing of the destination.
    if failure.content && sending.items.iter().all(|item| item.alone) {
        put_pause(tx, now, sending, before)?;
        return Ok(News::None);
    }
    let mut after = before;
    after.failures = before.failures.saturating_add(1);
    after.refused = before.refused.saturating_add(failure.content.into());
    if !failure.permanent {
        after.open_at = now + delay_ms(after.failures, chance);
    }
    tx.put_answering(&sending.destination, after, now)?;
    Ok(news(before.failures, after.failures))
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

/// What was refused for what it says keeps the next mail waiting no longer than one that arrived.
fn put_pause(tx: &Tx<'_>, now: i64, sending: &Sending, before: Answering) -> Result<()> {
    let after = Answering {
        open_at: now + MAIL_EVERY_MS,
        refused: 0,
        ..before
    };
    Ok(tx.put_answering(&sending.destination, after, now)?)
}

fn news(before: u32, after: u32) -> News {
    match (before, after) {
        (0, 1..) => News::Fails,
        (1.., 0) => News::Answers,
        _ => News::None,
    }
}

/// Every delivery of the sending arrived; where the destination failed before, what waited for it is due.
fn arrived(tx: &Tx<'_>, now: i64, sending: &Sending, before: Answering) -> Result<()> {
    for item in &sending.items {
        tx.conclude(item.id, None, now)?;
    }
    let pause = match sending.destination.kind {
        Kind::Email => MAIL_EVERY_MS,
        Kind::Webhook => 0,
    };
    let after = Answering {
        open_at: now + pause,
        failures: 0,
        refused: 0,
    };
    tx.put_answering(&sending.destination, after, now)?;
    if before.failures > 0 {
        tx.hasten_all(&sending.destination, before.failures, now)?;
    }
    Ok(())
}

/// Whether each report of a refused digest is to go by itself: at once when the refusal is for good, else when it was repeated.
/// Refusals are counted for the destination: new reports join each digest, and must not begin the count anew.
fn is_divided(sending: &Sending, failure: &Failure, before: Answering) -> bool {
    let repeated = before.refused + 1 >= DIVIDE_AFTER_REFUSALS;
    failure.content && sending.items.len() > 1 && (failure.permanent || repeated)
}

/// Each report of a refused digest goes by itself, one a minute; what is new takes its turn among them.
fn divide(tx: &Tx<'_>, now: i64, sending: &Sending, failure: &Failure) -> Result<()> {
    let mut next = now;
    for item in &sending.items {
        tx.put_off(item.id, &failure.message, next, true)?;
        next += MAIL_EVERY_MS;
    }
    Ok(())
}
