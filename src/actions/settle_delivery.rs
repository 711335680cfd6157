//! Writes down what became of a message that was sent.
//! Must never let a message that arrived be sent again, nor one that did not be forgotten, nor one that may have lose the
//! name by which a repetition is told.

use super::Result;
use super::claim_delivery::Parcel;
use crate::domain::delivery::{GIVE_UP_AFTER_MS, delay_ms};
use crate::store::Tx;

/// What became of a message. The reasons are Italian and hold nothing personal: the panel shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The other side took it.
    Arrived,
    /// It did not arrive, but may later.
    Passing(String),
    /// Nobody knows whether it arrived: the other side had it, and did not say.
    Unsure(String),
    /// Trying again is of no use until somebody changes something.
    Refused(String),
}

/// What is new about a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    None,
    /// It answered until now, and does no more.
    Fails,
    /// It failed, and answers again.
    Answers,
}

/// Settles every delivery of the parcel in the same way; `chance` (0 to 1) spreads further attempts.
///
/// # Errors
/// When the database fails.
pub fn settle_delivery(
    tx: &Tx<'_>,
    now: i64,
    parcel: &Parcel,
    outcome: &Outcome,
    chance: f64,
) -> Result<News> {
    let destination = &parcel.destination;
    let before = tx.pace(destination)?;
    let failing = before.failures > 0;
    match outcome {
        Outcome::Arrived => {
            for item in &parcel.items {
                tx.delivered(item.id, now)?;
            }
            tx.put_pace(destination, &before.succeeded(now))?;
            if failing {
                tx.hasten_all(destination, before.failures, now)?;
            }
        }
        Outcome::Refused(reason) => {
            for item in &parcel.items {
                tx.given_up(item.id, reason, now)?;
            }
            tx.put_pace(destination, &before.refused())?;
        }
        Outcome::Passing(reason) | Outcome::Unsure(reason) => {
            let unsure = matches!(outcome, Outcome::Unsure(_));
            let doubt = unsure.then_some(parcel.message_id.as_str());
            for item in &parcel.items {
                let next = now + delay_ms(item.attempts, chance);
                tx.put_off(item.id, reason, next, doubt)?;
            }
            tx.put_pace(destination, &before.failed(now, chance))?;
            tx.give_up_since(destination, now - GIVE_UP_AFTER_MS, reason, now)?;
        }
    }
    Ok(match (failing, outcome) {
        (true, Outcome::Arrived) => News::Answers,
        (false, Outcome::Passing(_) | Outcome::Unsure(_) | Outcome::Refused(_)) => News::Fails,
        _ => News::None,
    })
}
