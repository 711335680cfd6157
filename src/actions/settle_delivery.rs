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
