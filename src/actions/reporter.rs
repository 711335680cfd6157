//! Messages between newsroom and reporter about a report, sealed for its receipt. The holder has that key by the code,
//! the newsroom with the report. The mail that tells of a message says no more. The holder can also take files back,
//! ask for withdrawal, and see the progress of the report. Must never store a code, nor anything by which a text opens
//! without code or newsroom.

use crate::actions::archive::sealing::{open_receipt_key, open_report, readable};
use crate::actions::asked;
use crate::actions::desk::edit_reports::{NO, YES, record};
use crate::actions::intake::attachments::{give, refuse_missing};
use crate::actions::outbox::queue::queue_notice;
use crate::actions::settings::sections::load;
use crate::actions::{Act, Error, Result};
use crate::domain::asked::{Asked, AskedConsent};
use crate::domain::care::concern;
use crate::domain::delivery::DeliveryKind;
use crate::domain::invalid::Invalid;
use crate::domain::message::{
    Author, MESSAGE_CHARS, MESSAGES, Message, MessageIn, ReplyIn, ReporterMessageIn, WithdrawalIn,
    parse_text,
};
use crate::domain::report::Report;
use crate::domain::retention::DAY_MS;
use crate::domain::settings::{Email, System};
use crate::domain::text::is_blank;
use crate::store::{Action, ChangeKind, MessageRow, ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Secret32, Vault, VaultError, open_with_receipt, seal_for_receipt};

const NO_RECEIPT: Error = Error::conflict(
    "Questa segnalazione non ha una ricevuta: chi l'ha inviata non può leggere un messaggio.",
);
const SWITCHED_OFF: Error = Error::conflict(
    "Le ricevute sono disattivate nelle impostazioni: chi ha segnalato non può leggere un messaggio.",
);
const TOO_MANY: Error = Error::conflict(
    "Ci sono già moltissimi messaggi su questa segnalazione: non se ne possono aggiungere altri.",
);
const OTHER_TEXT: Error = Error::conflict(
    "Questo messaggio è già arrivato con un altro testo. Ricarica la pagina: se manca qualcosa, scrivilo in un nuovo messaggio.",
);
const UNREADABLE: &str = "(messaggio non leggibile)";
/// In characters.
const REASON_CHARS: usize = 1_000;
/// In which a code's first use counts as coming back, in ms.
pub const RETURN_MS: i64 = 14 * DAY_MS;
/// Longest name that a page gives its message: a UUID.
const KEY_CHARS: usize = 36;

/// Refuses a key that is too long to be kept.
pub(in crate::actions) fn check_key(key: Option<&str>) -> Result<()> {
    if key.is_some_and(|key| key.len() > KEY_CHARS) {
        let message = format!("Al massimo {KEY_CHARS} caratteri.");
        return Err(Invalid::new("key", "tooLong", message).into());
    }
    Ok(())
}

/// Stores a message, one of a batch where it goes to many; `false` where it is stored already.
///
/// # Errors
/// [`Error::Conflict`] where its key was used for another text, or other questions.
fn store(
    act: &Act<'_>,
    report: &str,
    receipt: &Secret32,
    author: Author,
    typed: MessageIn,
    asks: Option<&Asked>,
    batch: Option<&str>,
) -> Result<bool> {
    let MessageIn { text, key } = typed;
    let text = parse_text(&text, MESSAGE_CHARS)?;
    check_key(key.as_deref())?;
    if let Some(key) = &key
        && let Some(sent) = act.message_by_key(report, author, key)?
    {
        let bound = associated_data(report, author, sent.at);
        // One that does not open counts as the same: no page can send it otherwise.
        let other = open_with_receipt(receipt, &bound, &sent.text)
            .is_ok_and(|sent| sent != text.as_bytes());
        let asked = asked::questions(Some(receipt), &bound, report, sent.asks.as_deref())?;
        let questions = asks.map_or(&[][..], |asked| &asked.questions);
        return if other || asked != questions {
            Err(OTHER_TEXT)
        } else {
            Ok(false)
        };
    }
    if act.message_count(report, author)? >= MESSAGES {
        return Err(TOO_MANY);
    }
    let bound = associated_data(report, author, act.now);
    let asks = asks.map(|asked| asked::seal(receipt, &bound, asked));
    let row = MessageRow {
        n: 0,
        asks: asks.transpose()?,
        at: act.now,
        author,
        text: seal_for_receipt(receipt, &bound, text.as_bytes())?,
        key,
    };
    act.tx.insert_message(report, &row, batch)?;
    let kind = match author {
        Author::Segnalante => ChangeKind::Risposta,
        Author::Redazione => ChangeKind::Messaggio,
    };
    record(act, report, [(kind, None, None)])?;
    Ok(true)
}

/// A text is bound to its report, to its author and to the time.
fn associated_data(report: &str, author: Author, at: i64) -> String {
    format!("{report} {} {at}", author.as_str())
}

/// Stores what the reporter wrote, with the files that wait to go with it; answers how many messages that queues.
pub fn receive_message(
    act: &Act<'_>,
    row: &ReportRow,
    key: &Secret32,
    ReporterMessageIn {
        text,
        key: name,
        attachments,
    }: ReporterMessageIn,
) -> Result<usize> {
    let (typed, shown) = (MessageIn { text, key: name }, attachments.as_deref());
    refuse_missing(act, &row.id, shown)?;
    // Also with one that is sent again: its first answer may have got lost before the files came.
    let given = give(act, &row.id, act.now, shown)?;
    let said = typed.text.clone();
    let new = store(act, &row.id, key, Author::Segnalante, typed, None, None)?;
    if !new && given == 0 {
        return Ok(0);
    }
    act.tx.mark_answered(&row.id, act.now)?;
    let worries = new && note_worry(act, row, &said)?;
    let row = ReportRow {
        urgente: row.urgente || worries,
        ..row.clone()
    };
    queue_notice(act, DeliveryKind::Message, &row, &Report::default())
}

/// Marks a report whose reporter wrote what worries, unless it is marked; answers whether it was.
pub(in crate::actions) fn note_worry(act: &Act<'_>, row: &ReportRow, said: &str) -> Result<bool> {
    let worries = !row.urgente && concern(said).is_some();
    if worries {
        act.tx.mark_urgent(&row.id)?;
        record(act, &row.id, [(ChangeKind::Urgente, Some(NO), Some(YES))])?;
    }
    Ok(worries)
}

/// Whether the reporter wrote what worries.
pub fn has_worrying(messages: &[Message]) -> bool {
    let mut own = messages
        .iter()
        .filter(|one| one.author == Author::Segnalante);
    own.any(|one| concern(&one.text).is_some())
}

/// The reporter takes a file of the report back: it is erased. That queues no message.
pub fn withdraw_file(act: &Act<'_>, row: &ReportRow, n: i64) -> Result<usize> {
    let file = act.attachment(&row.id, n)?;
    let file = file.ok_or(Error::AttachmentNotFound)?;
    act.tx.erase_attachment(&file.id, act.now)?;
    let number = Some(n.to_string());
    record(
        act,
        &row.id,
        [(ChangeKind::Allegato, number.as_deref(), None)],
    )?;
    Ok(0)
}

/// The reporter asks that all of it be withdrawn; the reason is a message of theirs. Answers how many messages that queues; asked
/// while the newsroom has not answered, nothing changes.
pub fn ask_withdrawal(
    act: &Act<'_>,
    row: &ReportRow,
    key: &Secret32,
    WithdrawalIn { reason }: WithdrawalIn,
) -> Result<usize> {
    if row.ritiro.is_some() {
        return Ok(0);
    }
    act.tx.set_withdrawal(&row.id, Some(act.now))?;
    act.tx.mark_answered(&row.id, act.now)?;
    record(act, &row.id, [(ChangeKind::Ritiro, None, Some(YES))])?;
    let Some(reason) = reason.filter(|reason| !is_blank(reason)) else {
        return queue_notice(act, DeliveryKind::Message, row, &Report::default());
    };
    let text = parse_text(&reason, REASON_CHARS).map_err(|refused| refused.at("reason"))?;
    let message = ReporterMessageIn {
        text,
        key: None,
        attachments: None,
    };
    receive_message(act, row, key, message)
}

/// A code was used for the first time in the first days of its report.
pub fn count_return(act: &Act<'_>, report: &str) -> Result<()> {
    Ok(act.tx.count_return(report)?)
}

/// The reporter has seen what the newsroom wrote.
pub fn note_seen(act: &Act<'_>, report: &str) -> Result<()> {
    Ok(act.tx.mark_seen(report)?)
}

/// The report that a code is the receipt of.
pub fn report_of(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    code: &ReceiptCode,
) -> Result<Option<ReportRow>> {
    let row = snapshot.report(&vault.report_id(code)?)?;
    Ok(row.filter(|row| row.chiave.is_some()))
}

/// Refuses a message where no reporter could read it.
pub(in crate::actions) fn refuse_unread(act: &Act<'_>) -> Result<()> {
    if load::<System>(act)?.receipts_enabled {
        return Ok(());
    }
    Err(SWITCHED_OFF)
}

/// Stores what the newsroom writes to the reporter, alone or to many in a batch; answers how many messages that queues.
pub fn send_message(
    act: &Act<'_>,
    row: &ReportRow,
    typed: ReplyIn,
    batch: Option<&str>,
) -> Result<usize> {
    refuse_unread(act)?;
    let key = open_receipt_key(act, act.vault, row)?.ok_or(NO_RECEIPT)?;
    let closes = typed.closes_withdrawal && row.ritiro.is_some();
    let asks = asked::of_message(typed.questions)?;
    let said = MessageIn {
        text: typed.text,
        key: typed.key,
    };
    let new = store(
        act,
        &row.id,
        &key,
        Author::Redazione,
        said,
        asks.as_ref(),
        batch,
    )?;
    if closes {
        act.tx.set_withdrawal(&row.id, None)?;
        record(act, &row.id, [(ChangeKind::Ritiro, None, Some(NO))])?;
    }
    if !new {
        return Ok(0);
    }
    act.tx.mark_replied(&row.id, act.now)?;
    // A message to many is logged once.
    if batch.is_none() {
        act.log(Action::MessageSent, Some(&row.id))?;
    }
    act.tx.mark_written(&row.id, act.now)?;
    if !load::<Email>(act)?.reply_notice {
        return Ok(0);
    }
    let report = open_report(act, act.vault, row)?;
    queue_notice(act, DeliveryKind::Reply, row, &report)
}

/// The reporter's last word about a report: a message, answers, or a decision about a consent; empty where there is none, as with a
/// file alone.
pub fn last_word(snapshot: &Snapshot<'_>, vault: &Vault, report: &str) -> Result<String> {
    let Some(row) = snapshot.report(report)? else {
        return Ok(String::new());
    };
    let key = open_receipt_key(snapshot, vault, &row)?;
    let message = snapshot.last_message(report)?;
    let answers = asked::last_decided(snapshot, key.as_ref(), report)?;
    match (message, answers) {
        (Some(said), answers) if answers.as_ref().is_none_or(|(at, _)| *at <= said.at) => {
            said_in(key, report, &said)
        }
        (_, answers) => Ok(answers.map(|(_, words)| words).unwrap_or_default()),
    }
}

fn said_in(key: Option<Secret32>, report: &str, said: &MessageRow) -> Result<String> {
    let bound = associated_data(report, said.author, said.at);
    let text = key.ok_or(VaultError::Damaged);
    let text = text.and_then(|key| open_with_receipt(&key, &bound, &said.text));
    readable(text.map_err(Error::Vault), report, UNREADABLE)
}

/// The messages about a report, as the newsroom reads them.
pub fn messages_of(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<Vec<Message>> {
    let key = match open_receipt_key(snapshot, vault, row) {
        Ok(None) => return Ok(Vec::new()),
        // It hides nothing else of the report.
        Err(Error::Vault(error)) if error != VaultError::Locked => None,
        key => key?,
    };
    messages(snapshot, key.as_ref(), &row.id)
}

/// The consents that the reporter was asked for, in their words; the one that was decided last stands last.
pub fn consents_of(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<Vec<AskedConsent>> {
    if snapshot.consents(&row.id)?.is_empty() {
        return Ok(Vec::new());
    }
    let messages = messages_of(snapshot, vault, row)?.into_iter();
    let asked = messages.filter_map(|Message { consent, text, .. }| {
        consent.map(|consent| AskedConsent { consent, text })
    });
    let mut asked: Vec<_> = asked.collect();
    asked.sort_by_key(AskedConsent::at);
    Ok(asked)
}

/// The messages about a report, opened with the key of its receipt; without that, none is readable.
pub fn messages(
    snapshot: &Snapshot<'_>,
    key: Option<&Secret32>,
    report: &str,
) -> Result<Vec<Message>> {
    let mut asked = asked::of_report(snapshot, key, report)?;
    let rows = snapshot.messages(report)?.into_iter();
    let opened = rows.map(|row| {
        let (author, at) = (row.author, row.at);
        let bound = associated_data(report, author, at);
        let text = key.ok_or(VaultError::Damaged);
        let text = text.and_then(|key| open_with_receipt(key, &bound, &row.text));
        let text = readable(text.map_err(Error::Vault), report, UNREADABLE)?;
        let questions = asked::questions(key, &bound, report, row.asks.as_deref())?;
        let (answers, consent) = asked.take(row.n);
        Ok(Message {
            id: row.n,
            author,
            text,
            at,
            questions,
            answers,
            consent,
        })
    });
    opened.collect()
}
