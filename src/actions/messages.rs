//! What newsroom and reporter write to each other about a report: sealed to the newsroom, and for the receipt's code, by which
//! its holder reads the same without the newsroom's key. Whoever is written to is told by a mail that says no more.
//! Must never store a code, nor anything by which a text opens without code or newsroom.

use super::attachments::give;
use super::log_access::Action;
use super::sealing::{Sealed, open, open_receipt_key, open_report, readable};
use super::settings::load;
use super::submit_report::queue_notice;
use super::{Act, Error, Result};
use crate::domain::delivery::Kind;
use crate::domain::invalid::Invalid;
use crate::domain::message::{Author, MESSAGE_CHARS, MESSAGES, parse_text};
use crate::domain::report::Report;
use crate::domain::settings::{Email, System};
use crate::store::{ChangeKind, HistoryRow, MessageRow, ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Secret32, Vault, open_with_receipt, seal_for_receipt};

/// Associated data of a message.
const TEXT: &str = "messages";
const NO_RECEIPT: Error = Error::Conflict(
    "Questa segnalazione non ha una ricevuta: chi l'ha inviata non può leggere un messaggio.",
);
const SWITCHED_OFF: Error = Error::Conflict(
    "Le ricevute sono disattivate nelle impostazioni: chi ha segnalato non può leggere un messaggio.",
);
const TOO_MANY: Error = Error::Conflict(
    "Ci sono già moltissimi messaggi su questa segnalazione: non se ne possono aggiungere altri.",
);
const UNREADABLE: &str = "(messaggio non leggibile)";
/// Longest name that a page gives its message: a UUID.
const KEY_CHARS: usize = 36;

/// A message in the clear.
pub struct Opened {
    pub author: Author,
    /// When it was written, in ms.
    pub at: i64,
    pub text: String,
}

/// A message as it was written, and what the page calls it that may send it again.
pub struct Typed<'t> {
    pub author: Author,
    pub text: &'t str,
    pub key: Option<String>,
}

/// A message that is sealed and not stored yet.
pub struct Message {
    report: String,
    author: Author,
    at: i64,
    key: Option<String>,
    receipt: Secret32,
    sealed: Sealed,
    copy: Vec<u8>,
}

/// Refuses a key that is too long to be kept.
pub(super) fn check_key(key: Option<&str>) -> Result<()> {
    if key.is_some_and(|key| key.len() > KEY_CHARS) {
        let wrong = Invalid::new(
            "key",
            "tooLong",
            format!("Al massimo {KEY_CHARS} caratteri."),
        );
        return Err(Error::Invalid(vec![wrong]));
    }
    Ok(())
}

impl Message {
    /// Seals it with the key of the report's receipt too.
    pub fn new(
        vault: &Vault,
        now: i64,
        (report, receipt): (&str, Secret32),
        typed: Typed<'_>,
    ) -> Result<Self> {
        let Typed { author, text, key } = typed;
        let text = parse_text(text, MESSAGE_CHARS).map_err(|wrong| Error::Invalid(vec![wrong]))?;
        check_key(key.as_deref())?;
        let place = place(report, author, now);
        Ok(Self {
            report: report.to_owned(),
            author,
            at: now,
            sealed: Sealed::of(vault, now, (TEXT, &place), text.as_bytes())?,
            copy: seal_for_receipt(&receipt, &place, text.as_bytes())?,
            key,
            receipt,
        })
    }

    /// Stores it; `false` for one that is stored already.
    fn store(self, act: &Act<'_>, kind: ChangeKind) -> Result<bool> {
        let sent = |key| act.has_message(&self.report, self.author, key);
        if self.key.as_deref().map(sent).transpose()? == Some(true) {
            return Ok(false);
        }
        if act.message_count(&self.report, self.author)? >= MESSAGES {
            return Err(TOO_MANY);
        }
        let (epoch, text) = self.sealed.store(act)?;
        let row = MessageRow {
            at: self.at,
            author: self.author,
            epoch,
            text,
            copy: self.copy,
            key: self.key,
        };
        act.insert_message(&self.report, &row)?;
        let row = HistoryRow {
            kind,
            at: act.now,
            da: None,
            a: None,
            author: act.actor.author(),
        };
        act.insert_history(&self.report, &row)?;
        Ok(true)
    }
}

/// Where a message stands: bound to its report, who wrote it and when.
fn place(report: &str, author: Author, at: i64) -> String {
    format!("{report} {} {at}", author.as_str())
}

/// Stores what the reporter wrote, with the files that wait to go with it; answers how many messages that queues.
pub fn receive_message(act: &Act<'_>, message: Message) -> Result<usize> {
    let row = act.report(&message.report)?.ok_or(Error::NotFound)?;
    // Also with one that is sent again: its first answer may have got lost before the files came.
    let given = give(act, &row.id, message.at, Some(&message.receipt))?;
    if !message.store(act, ChangeKind::Risposta)? && !given {
        return Ok(0);
    }
    act.mark_answered(&row.id, act.now)?;
    let (email, system): (Email, System) = (load(act)?, load(act)?);
    queue_notice(
        act,
        Kind::Message,
        (&email, &system),
        &row,
        &Report::default(),
    )
}

/// Stores what the newsroom writes to the reporter; answers how many messages that queues.
pub fn send_message(act: &Act<'_>, row: &ReportRow, typed: Typed<'_>) -> Result<usize> {
    let (email, system): (Email, System) = (load(act)?, load(act)?);
    if !system.receipts_enabled {
        return Err(SWITCHED_OFF);
    }
    let key = open_receipt_key(act, act.vault, row)?.ok_or(NO_RECEIPT)?;
    let message = Message::new(act.vault, act.now, (&row.id, key), typed)?;
    if !message.store(act, ChangeKind::Messaggio)? {
        return Ok(0);
    }
    act.mark_read(&row.id, usize::MAX)?;
    act.log(Action::MessageSent, Some(&row.id))?;
    if !email.reply_notice {
        return Ok(0);
    }
    let report = open_report(act, act.vault, row)?;
    queue_notice(act, Kind::Reply, (&email, &system), row, &report)
}

/// The messages about a report, as the newsroom reads them.
pub fn messages_of(snapshot: &Snapshot<'_>, vault: &Vault, report: &str) -> Result<Vec<Opened>> {
    opened(snapshot, report, |row, place| {
        open(snapshot, vault, row.epoch, TEXT, place, &row.text)
    })
}

/// The same, as whoever has the code reads them.
pub fn messages_by_code(
    snapshot: &Snapshot<'_>,
    code: &ReceiptCode,
    report: &str,
) -> Result<Vec<Opened>> {
    let key = code.key()?;
    opened(snapshot, report, |row, place| {
        Ok(open_with_receipt(&key, place, &row.copy)?)
    })
}

fn opened(
    snapshot: &Snapshot<'_>,
    report: &str,
    open: impl Fn(&MessageRow, &str) -> Result<Vec<u8>>,
) -> Result<Vec<Opened>> {
    let rows = snapshot.messages(report)?.into_iter();
    let opened = rows.map(|row| {
        let opened = open(&row, &place(report, row.author, row.at));
        let text = readable(opened, report, UNREADABLE)?;
        let (author, at) = (row.author, row.at);
        Ok(Opened { author, at, text })
    });
    opened.collect()
}
