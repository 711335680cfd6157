//! Takes what is due for a destination out of the outbox, to be sent after the transaction, and writes down what became of it.
//! Must never take what another message has on its way, send again what arrived, forget what did not, or let one report keep
//! others from arriving.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::actions::archive::authenticity::{Trust, trust};
use crate::actions::intake::submit_report::{open_body, seal_body, successor};
use crate::actions::settings::sections::load;
use crate::actions::{Act, Result};
use crate::domain::delivery::{
    DIVIDE_AFTER_REFUSALS, Failure, GIVE_UP_AFTER_MS, Kind, MAIL_EVERY_MS, Outcome, delay_ms,
};
use crate::domain::payload::Payload;
use crate::domain::routing::Department;
use crate::domain::settings::Email;
use crate::store::{Answering, Destination, Due, Tx};

/// Most reports that one mail tells of: bounds the work of its transaction. The others follow a minute later.
const DIGEST: u32 = 10_000;
/// Most of them that it lists: bounds its length. The others it counts.
const LISTED: usize = 500;
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
    /// What those say that are listed.
    pub payloads: Vec<Payload>,
    /// Whether siege mode is on: then even one is a digest.
    pub siege: bool,
}

impl Sending {
    /// How many it only counts of those that are so.
    pub fn unlisted(&self, so: impl Fn(&Item) -> bool) -> usize {
        let others = self.items.iter().filter(|item| !item.listed);
        others.filter(|item| so(item)).count()
    }

    fn ids(&self, which: impl Fn(&Item) -> bool) -> Vec<i64> {
        let items = self.items.iter().filter(|item| which(item));
        items.map(|item| item.row.id).collect()
    }
}

/// A delivery that goes to the address it is for, with how its report stands.
#[derive(Debug)]
pub struct Item {
    row: Due,
    /// The department, for a mail that names another one in its body.
    moved_to: Option<Department>,
    urgent: Option<bool>,
    pub aside: bool,
    /// Whether the message says more of it than that it arrived.
    listed: bool,
}

impl Item {
    pub fn is_urgent(&self) -> bool {
        self.urgent == Some(true)
    }
}

#[derive(Debug)]
pub enum Claim {
    Nothing,
    /// Nothing to send: what there was is given up or for another address now. There may be more.
    Moved,
    Send(Box<Sending>),
}

/// Takes the next message for a destination, where its address can be trusted. Mails that wait for one address become one; webhooks go one by one.
pub fn claim_delivery(act: &Act<'_>, destination: &Destination) -> Result<Claim> {
    if !may_go(act, destination)? {
        return Ok(Claim::Nothing);
    }
    let email = match destination.kind {
        kind if kind.to_newsroom() => Some(load::<Email>(act)?),
        _ => None,
    };
    let mut rows = Vec::new();
    for row in act.next_sending(destination, DIGEST)? {
        rows.extend(placed(act, destination.kind, email.as_ref(), row)?);
    }
    // Urgent ones first, then unlike ones, newest first.
    rows.sort_by_key(|one| (!one.is_urgent(), one.aside, Reverse(one.row.id)));
    let (all, mut items, mut payloads) = (rows.len(), Vec::new(), Vec::new());
    for mut one in rows {
        one.listed = (!one.aside || all == 1) && payloads.len() < LISTED;
        if one.listed {
            let Some(payload) = open(act, &one)? else {
                continue;
            };
            payloads.push(payload);
        }
        items.push(one);
    }
    if items.is_empty() {
        return Ok(Claim::Moved);
    }
    let sending = Sending {
        destination: destination.clone(),
        message_id: name(items.iter().map(|one| &one.row).collect()),
        siege: act.siege()?.is_some(),
        items,
        payloads,
    };
    act.tx.send_off(&sending.ids(|_| true), act.now)?;
    Ok(Claim::Send(Box::new(sending)))
}

fn may_go(act: &Act<'_>, destination: &Destination) -> Result<bool> {
    let due = act.due_at(destination, act.now)?;
    Ok(due.is_some_and(|due| due <= act.now) && trust(act, act.vault.stamp())? == Trust::Integro)
}

/// How a delivery's report stands. `None` when it is for another address since the report was moved or the settings changed:
/// `email` knows, for a mail. What was cut off goes where it went.
fn placed(act: &Act<'_>, kind: Kind, email: Option<&Email>, row: Due) -> Result<Option<Item>> {
    let standing = act.standing_of(&row.report)?;
    let department = standing.map_or(Department::default(), |(department, ..)| department);
    let email = email.filter(|_| !row.cut_off);
    if let Some(email) = email
        && let named = email.addresses_of(department)
        && !named.is_empty()
        && !named.contains(&row.destination)
    {
        if let Some(payload) = opened(act, &row)? {
            match successor(act, (kind, &row.report), named, email, &payload)? {
                Some(address) => {
                    let body = seal_body(act.vault, &row.message_id, &address, &payload)?;
                    act.tx.readdress(row.id, &address, &body, act.now)?;
                }
                None => act.tx.put_away(row.id, act.now)?,
            }
        }
        return Ok(None);
    }
    Ok(Some(Item {
        row,
        moved_to: email.map(|_| department),
        urgent: standing.map(|(_, urgent, _)| urgent),
        aside: standing.is_some_and(|(.., aside)| aside),
        listed: false,
    }))
}

/// What the body of a delivery says. `None` when it cannot be opened and was given up.
fn opened(act: &Act<'_>, row: &Due) -> Result<Option<Payload>> {
    let body = act.delivery_body(row.id)?;
    let opened = open_body(act.vault, &row.message_id, &row.destination, &body)?;
    if opened.is_none() {
        tracing::error!("a delivery that cannot be opened was given up");
        act.tx.conclude(&[row.id], Some(UNREADABLE), act.now)?;
    }
    Ok(opened)
}

/// The same as the report stands now.
fn open(act: &Act<'_>, one: &Item) -> Result<Option<Payload>> {
    let Some(payload) = opened(act, &one.row)? else {
        return Ok(None);
    };
    let urgent = one.urgent.unwrap_or(payload.urgent);
    let payload = Payload { urgent, ..payload };
    Ok(Some(match one.moved_to {
        Some(department) => payload.moved_to(department),
        None => payload,
    }))
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
    let pause = match sending.destination.kind {
        Kind::Webhook => 0,
        Kind::Email | Kind::Message | Kind::Reply | Kind::Confirmation => MAIL_EVERY_MS,
    };
    if sending.destination.kind == Kind::Email {
        tx.count_in_siege(0, 0, sending.items.len() - 1)?;
    }
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
