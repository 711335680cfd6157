//! What newsroom and reporter write to each other about a report: sealed to the newsroom, and for the receipt's code, by which
//! its holder reads the same without the newsroom's key. Whoever is written to is told by a mail that says no more.
//! Must never store a code, nor anything by which a text opens without code or newsroom.

use super::log_access::Action;
use super::sealing::{Sealed, open, open_report};
use super::settings::load;
use super::submit_report::queue_notice;
use super::{Act, Error, Result};
use crate::domain::delivery::Kind;
use crate::domain::message::{Author, MESSAGES, parse_message};
use crate::domain::report::Report;
use crate::domain::settings::{Email, System};
use crate::store::{ChangeKind, HistoryRow, MessageRow, ReportRow, Snapshot};
use crate::vault::{
    PublicKey, ReceiptCode, Vault, VaultError, open_with_receipt, seal_for_receipt,
};

/// Associated data of a message.
const TEXT: &str = "messages";
const NO_RECEIPT: Error = Error::Conflict(
    "Questa segnalazione non ha una ricevuta: chi l'ha inviata non può leggere un messaggio.",
);
const SWITCHED_OFF: Error = Error::Conflict(
    "Le ricevute sono disattivate nelle impostazioni: chi ha segnalato non può leggere un messaggio.",
);
const TOO_MANY: Error = Error::Conflict(
    "Hai già scritto moltissimi messaggi su questa segnalazione: non se ne possono aggiungere altri.",
);

/// A message in the clear.
pub struct Opened {
    pub author: Author,
    /// When it was written, in ms.
    pub at: i64,
    pub text: String,
}

/// A message that is sealed and not stored yet.
pub struct Message {
    report: String,
    author: Author,
    at: i64,
    sealed: Sealed,
    copy: Vec<u8>,
}

impl Message {
    pub fn new(
        vault: &Vault,
        now: i64,
        row: &ReportRow,
        (author, typed): (Author, &str),
    ) -> Result<Self> {
        let text = parse_message(typed).map_err(|wrong| Error::Invalid(vec![wrong]))?;
        let key = PublicKey::from_bytes(&row.chiave.ok_or(NO_RECEIPT)?)?;
        let place = place(&row.id, author, now);
        Ok(Self {
            report: row.id.clone(),
            author,
            at: now,
            sealed: Sealed::of(vault, now, (TEXT, &place), text.as_bytes())?,
            copy: seal_for_receipt(&key, &place, text.as_bytes())?,
        })
    }

    fn store(self, act: &Act<'_>, kind: ChangeKind) -> Result<()> {
        let (epoch, text) = self.sealed.store(act)?;
        let row = MessageRow {
            at: self.at,
            author: self.author,
            epoch,
            text,
            copy: self.copy,
        };
        act.insert_message(&self.report, &row)?;
        let (at, da, a) = (act.now, None, None);
        Ok(act.insert_history(&self.report, &HistoryRow { kind, at, da, a })?)
    }
}

/// Where a message stands: bound to its report, who wrote it and when.
fn place(report: &str, author: Author, at: i64) -> String {
    format!("{report} {} {at}", author.as_str())
}

/// Stores what the reporter wrote; answers how many messages that queues.
pub fn receive_message(act: &Act<'_>, message: Message) -> Result<usize> {
    let row = act.report(&message.report)?.ok_or(Error::NotFound)?;
    if act.message_count(&row.id, Author::Segnalante)? >= MESSAGES {
        return Err(TOO_MANY);
    }
    message.store(act, ChangeKind::Risposta)?;
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
pub fn send_message(act: &Act<'_>, row: &ReportRow, typed: &str) -> Result<usize> {
    let (email, system): (Email, System) = (load(act)?, load(act)?);
    if !system.receipts_enabled {
        return Err(SWITCHED_OFF);
    }
    let message = Message::new(act.vault, act.now, row, (Author::Redazione, typed))?;
    message.store(act, ChangeKind::Messaggio)?;
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
        let text = open(&row, &place(report, row.author, row.at))?;
        Ok(Opened {
            author: row.author,
            at: row.at,
            text: String::from_utf8(text).map_err(|_| VaultError::Damaged)?,
        })
    });
    opened.collect()
}
