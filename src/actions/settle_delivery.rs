//! Writes down what became of a message that was sent.
//! Must never let a message that arrived be sent again, nor one that did not be forgotten, nor one that may have lose the
//! name by which a repetition is told, nor one report keep others from arriving.

use super::Result;
use super::claim_delivery::{Item, Parcel};
use crate::domain::delivery::{GIVE_UP_AFTER_MS, Pace, delay_ms};
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
    /// The other side did not take the message for what it says.
    Unfit {
        /// What it answered.
        reason: String,
        /// Whether it will never take it.
        for_good: bool,
    },
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
    // A report that is alone because it was refused in a list holds back no other, and says nothing of the destination.
    let ill = matches!(outcome, Outcome::Unfit { .. }) && alone(parcel);
    let for_good = matches!(outcome, Outcome::Unfit { for_good: true, .. });
    let ill_after = before.unfit_alone(now, chance, for_good);
    if let Outcome::Unfit { .. } = outcome {
        suspect(tx, parcel)?;
    }
    match outcome {
        Outcome::Arrived => arrived(tx, now, parcel, before)?,
        Outcome::Unfit { reason, for_good } if divisible(parcel, *for_good) => {
            for item in &parcel.items {
                tx.divide(item.id, reason, half(parcel), now)?;
            }
            tx.put_pace(destination, &before.unfit(now, chance))?;
            tx.give_up_since(destination, now - GIVE_UP_AFTER_MS, reason, now)?;
        }
        Outcome::Refused(reason)
        | Outcome::Unfit {
            reason,
            for_good: true,
        } => {
            for item in &parcel.items {
                tx.given_up(item.id, reason, now)?;
            }
            let after = if ill { ill_after } else { before.refused(now) };
            tx.put_pace(destination, &after)?;
        }
        Outcome::Passing(reason) | Outcome::Unsure(reason) | Outcome::Unfit { reason, .. } => {
            let unsure = matches!(outcome, Outcome::Unsure(_));
            let doubt = unsure.then_some(parcel.message_id.as_str());
            for item in &parcel.items {
                let next = now + delay_ms(item.attempts, chance);
                tx.put_off(item.id, reason, next, doubt)?;
            }
            let after = if ill {
                ill_after
            } else {
                before.failed(now, chance)
            };
            tx.put_pace(destination, &after)?;
            tx.give_up_since(destination, now - GIVE_UP_AFTER_MS, reason, now)?;
        }
    }
    Ok(match (failing, outcome) {
        (true, Outcome::Arrived) => News::Answers,
        (true, _) | (false, Outcome::Arrived) => News::None,
        (false, _) if ill && ill_after.failures == 0 => News::None,
        (false, _) => News::Fails,
    })
}

/// Every delivery of the parcel arrived, and with the destination answering again what waited for it is due.
fn arrived(tx: &Tx<'_>, now: i64, parcel: &Parcel, before: Pace) -> Result<()> {
    for item in &parcel.items {
        tx.delivered(item.id, now)?;
    }
    if parcel.items.iter().any(|item| item.in_doubt) {
        tx.forget_doubt(&parcel.message_id)?;
    }
    tx.put_pace(&parcel.destination, &before.succeeded(now))?;
    if before.failures > 0 {
        tx.hasten_all(&parcel.destination, before.failures, now)?;
    }
    Ok(())
}

/// Whether it is what is left of a list that was refused.
fn alone(parcel: &Parcel) -> bool {
    matches!(parcel.items.as_slice(), [item] if item.suspect && !item.in_doubt)
}

/// Length of the longer half of a list.
fn half(parcel: &Parcel) -> usize {
    parcel.items.len().div_ceil(2)
}

/// Whether a list that was refused for what it says is divided, so that one report does not keep the others from arriving.
/// A refusal that may pass has to come twice first: many servers put every mail off once. What may have arrived under its
/// name stays in its list, until somebody asks for another try of it and it is refused again: then it cannot have arrived.
fn divisible(parcel: &Parcel, for_good: bool) -> bool {
    let items = &parcel.items;
    if items.iter().any(|item| item.in_doubt) {
        let asked_again = |item: &Item| item.suspect && item.attempts == 1;
        return items.len() > 1 && items.iter().all(asked_again);
    }
    items.len() > 1 && (for_good || items.iter().all(|item| item.suspect))
}

/// Notes what was refused in a list, or is what is left of one: a list whose name it has to keep is to be shorter once it
/// need not, any other one stays the list that it is until it is refused again.
fn suspect(tx: &Tx<'_>, parcel: &Parcel) -> Result<()> {
    let whole = parcel.items.len();
    for item in parcel.items.iter().filter(|item| whole > 1 || item.suspect) {
        let most = if item.in_doubt { half(parcel) } else { whole };
        tx.suspect(item.id, most)?;
    }
    Ok(())
}
