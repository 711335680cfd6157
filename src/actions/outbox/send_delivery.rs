//! The next message to a destination, and its outcome. The message is read and opened in a snapshot; the writer's
//! transaction only marks its rows, so that a digest of a flood does not hold up reports. Must never take what another
//! message has on its way, send again what arrived, forget what did not, or let one report keep others from arriving.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::actions::archive::authenticity::{Trust, trust};
use crate::actions::outbox::channel::channel_of;
use crate::actions::outbox::queue::open_body;
use crate::actions::settings::sections::load;
use crate::actions::{Act, Result};
use crate::domain::delivery::{
    DIVIDE_AFTER_REFUSALS, DeliveryKind, Failure, GIVE_UP_AFTER_MS, MAIL_EVERY_MS, NO_RECIPIENT,
    Outcome, delay_ms,
};
use crate::domain::payload::Payload;
use crate::domain::settings::Email;
use crate::store::{Answering, Destination, Due, Snapshot, Tx};
use crate::vault::Vault;

/// Most rows that one transaction marks, and so most reports that one mail tells of. The others follow a minute later.
const DIGEST: usize = 1_000;
/// Most of them that it lists: bounds its length. The others it counts.
const LISTED: usize = 500;

/// One message, with everything it tells of.
#[derive(Debug)]
pub struct Sending {
    pub destination: Destination,
    /// The Message-ID, which is the same whenever the same deliveries are sent again.
    pub message_id: String,
    /// The deliveries it consists of: one, or for a mail several.
    pub items: Vec<SendingItem>,
    /// The content of the reports that are listed.
    pub payloads: Vec<Payload>,
    /// Whether siege mode is on: then even one is a digest.
    pub siege: bool,
}

impl Sending {
    /// How many it only counts of those that are so.
    pub fn unlisted(&self, so: impl Fn(&Due) -> bool) -> usize {
        let others = self.items.iter().filter(|item| !item.listed);
        others.filter(|item| so(&item.row)).count()
    }

    fn ids(&self, which: impl Fn(&SendingItem) -> bool) -> Vec<i64> {
        let items = self.items.iter().filter(|item| which(item));
        items.map(|item| item.row.id).collect()
    }
}

/// A delivery of a message.
#[derive(Debug)]
pub struct SendingItem {
    row: Due,
    /// Whether the message says more of it than that it arrived.
    listed: bool,
}

/// The next step for a destination.
#[derive(Debug)]
pub enum NextStep {
    Nothing,
    /// No list of the settings names the address any more: what waits for it ends, as given up for what the settings lack or
    /// as put away.
    End(Option<&'static str>),
    Send {
        sending: Box<Sending>,
        /// Deliveries whose body does not open, and why: they are given up first.
        unreadable: Vec<(i64, &'static str)>,
    },
}

/// Finds the next message for a destination, where its address can be trusted. Mails that wait for one address become one;
/// webhooks go one by one.
pub fn next_step(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    destination: &Destination,
    now: i64,
) -> Result<NextStep> {
    let due = snapshot.due_at(destination, now)?;
    if due.is_none_or(|due| due > now) || trust(snapshot, vault.stamp())? != Trust::Integro {
        return Ok(NextStep::Nothing);
    }
    if destination.kind.to_newsroom() && !destination.address.is_empty() {
        let named = load::<Email>(snapshot)?.all_addresses();
        if !named.contains(&destination.address) {
            return Ok(NextStep::End(named.is_empty().then_some(NO_RECIPIENT)));
        }
    }
    let rows = snapshot.next_sending(destination, DIGEST)?;
    let (sending, unreadable) = opened(snapshot, vault, destination, rows)?;
    Ok(NextStep::Send {
        sending: Box::new(sending),
        unreadable,
    })
}

/// The message that tells of these rows, and those whose body does not open.
fn opened(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    destination: &Destination,
    mut rows: Vec<Due>,
) -> Result<(Sending, Vec<(i64, &'static str)>)> {
    // Urgent ones first, then unlike ones, newest first.
    rows.sort_by_key(|row| (!row.urgent, row.aside, Reverse(row.id)));
    let (all, mut items) = (rows.len(), Vec::new());
    let (mut payloads, mut unreadable) = (Vec::new(), Vec::new());
    for row in rows {
        let listed = (!row.aside || all == 1) && payloads.len() < LISTED;
        if listed {
            match open(snapshot, vault, &row)? {
                Ok(payload) => payloads.push(payload),
                Err(reason) => {
                    unreadable.push((row.id, reason));
                    continue;
                }
            }
        }
        items.push(SendingItem { row, listed });
    }
    let sending = Sending {
        destination: destination.clone(),
        message_id: name(items.iter().map(|one| &one.row).collect()),
        siege: snapshot.siege()?.is_some(),
        items,
        payloads,
    };
    Ok((sending, unreadable))
}

/// The content of a delivery, by the present state of its report.
fn open(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &Due,
) -> Result<std::result::Result<Payload, &'static str>> {
    let body = snapshot.delivery_body(row.id)?;
    let opened = open_body(vault, &row.message_id, &body)?;
    let known = snapshot.departments()?;
    Ok(opened.map(|payload| {
        let payload = payload.moved_to(row.department, &known);
        Payload {
            urgent: row.urgent,
            ..payload
        }
    }))
}

/// Marks what a step found; answers the message that is to be sent. `None` where none is, or where one of its rows was changed
/// since: there may be more.
pub fn begin(
    act: &Act<'_>,
    destination: &Destination,
    step: NextStep,
) -> Result<Option<Box<Sending>>> {
    match step {
        NextStep::Nothing => Ok(None),
        NextStep::End(lack) => {
            act.tx.end_waiting(destination, lack, act.now, DIGEST)?;
            Ok(None)
        }
        NextStep::Send {
            sending,
            unreadable,
        } => {
            for (id, reason) in unreadable {
                tracing::error!("a delivery that cannot be opened was given up");
                act.tx.conclude(&[id], Some(reason), act.now)?;
            }
            let ids = sending.ids(|_| true);
            let waiting = act.still_waiting(&ids, destination)?;
            if ids.is_empty() || usize::try_from(waiting).ok() != Some(ids.len()) {
                return Ok(None);
            }
            act.tx.send_off(&ids, act.now)?;
            Ok(Some(sending))
        }
    }
}

/// The name of a message: that of its only delivery, or one made of theirs, so that the same set always has the same.
fn name(mut rows: Vec<&Due>) -> String {
    rows.sort_by_key(|row| row.id);
    let [first, others @ ..] = rows.as_slice() else {
        return String::new();
    };
    if others.is_empty() {
        return first.message_id.clone();
    }
    let mut digest = Sha256::new();
    for row in &rows {
        digest.update(&row.message_id);
    }
    let digest = hex::encode(&digest.finalize()[..16]);
    let host = first.message_id.rsplit('@').next().unwrap_or_default();
    format!("<digest-{digest}@{}>", host.trim_end_matches('>'))
}

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
    let before = tx.answering(destination)?.unwrap_or_default();
    let alone = sending.items.iter().all(|item| item.row.alone);
    let mut after = before;
    match outcome {
        Ok(()) => after = arrived(tx, now, sending)?,
        Err(failure) if is_divided(sending, failure, before) => {
            for listed in [false, true] {
                let ids = sending.ids(|item| item.listed == listed);
                tx.put_off(&ids, &failure.message, now, listed)?;
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
        tx.put_off_alone(destination, now + MAIL_EVERY_MS)?;
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

fn arrived(tx: &Tx<'_>, now: i64, sending: &Sending) -> Result<Answering> {
    tx.conclude(&sending.ids(|_| true), None, now)?;
    if sending.destination.kind == DeliveryKind::Email {
        tx.count_in_siege(0, 0, sending.items.len() - 1)?;
    }
    Ok(Answering {
        open_at: now + channel_of(sending.destination.kind).pause_ms,
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

fn put_off(tx: &Tx<'_>, now: i64, sending: &Sending, failure: &Failure, chance: f64) -> Result<()> {
    if failure.permanent {
        tx.conclude(&sending.ids(|_| true), Some(&failure.message), now)?;
        return Ok(());
    }
    let attempts: BTreeSet<u32> = sending.items.iter().map(|item| item.row.attempts).collect();
    for before in attempts {
        let ids = sending.ids(|item| item.row.attempts == before);
        let next = now + delay_ms(before.saturating_add(1), chance);
        tx.put_off(&ids, &failure.message, next, false)?;
    }
    let since = now - GIVE_UP_AFTER_MS;
    Ok(tx.give_up_since(&sending.destination, since, &failure.message, now)?)
}

/// Whether each report that a refused digest lists is to go by itself: at once when the refusal is for good, else when it was repeated.
/// Refusals are counted for the destination: new reports join each digest, and must not begin the count anew.
fn is_divided(sending: &Sending, failure: &Failure, before: Answering) -> bool {
    let repeated = before.refused + 1 >= DIVIDE_AFTER_REFUSALS;
    let many = sending.items.len() > 1 && !sending.payloads.is_empty();
    failure.content && many && (failure.permanent || repeated)
}

#[cfg(test)]
#[path = "send_delivery_tests.rs"]
mod tests;
