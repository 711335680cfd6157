//! Questions back and consents (`PRODUCT.md §19`): the newsroom asks, the reporter answers. Must never take an answer or a consent
//! from anybody but the holder of the code.

use crate::actions::asked;
use crate::actions::desk::edit_reports::{NO, WITHDRAWN, YES, record};
use crate::actions::outbox::queue::queue_notice;
use crate::actions::reporter::{messages, note_worry, send_message};
use crate::actions::{Act, Error, Result};
use crate::domain::asked::{AnswerIn, ConsentKind, read_answers};
use crate::domain::delivery::DeliveryKind;
use crate::domain::message::{Message, ReplyIn};
use crate::domain::person::Role;
use crate::domain::report::Report;
use crate::store::{AnswersRow, ChangeKind, ConsentRow, ReportRow};
use crate::vault::Secret32;

const NO_QUESTIONS: Error = Error::conflict("Questo messaggio non fa domande.");
const READ: Error = Error::conflict(
    "La redazione ha già letto le tue risposte: per aggiungere qualcosa scrivi un messaggio.",
);
const NO_CONSENT: Error = Error::conflict("Questo consenso non è stato chiesto.");

/// Asks the reporter for a consent, in these words; answers how many messages that queues.
pub fn ask_consent(
    act: &Act<'_>,
    row: &ReportRow,
    kind: ConsentKind,
    text: String,
) -> Result<usize> {
    let said = ReplyIn {
        text,
        ..ReplyIn::default()
    };
    let queued = send_message(act, row, said, None)?;
    let message = act.last_number(&row.id)?;
    act.tx.insert_consent(&row.id, message, kind, act.now)?;
    Ok(queued)
}

/// The holder of the code answers the questions of a message, or answers otherwise while nobody has read them. Answers how many
/// messages that queues.
pub fn answer_questions(
    act: &Act<'_>,
    row: &ReportRow,
    key: &Secret32,
    message: i64,
    given: &[AnswerIn],
) -> Result<usize> {
    let asking = asking(act, row, key, message)?;
    let before = asking.answers;
    let answered = before.as_ref().map_or(&[][..], |before| &before.data);
    let answers = read_answers(&asking.questions, answered, given).map_err(Error::Invalid)?;
    match &before {
        // Sent again, as after an answer that got lost.
        Some(before) if before.data == answers => return Ok(0),
        Some(before) if before.read => return Err(READ),
        _ => {}
    }
    let body = asked::seal(key, &asked::answers_bound(&row.id, message), &answers)?;
    let stored = AnswersRow {
        message,
        at: act.now,
        read: false,
        body,
    };
    act.tx.put_answers(&row.id, &stored)?;
    let words: Vec<&str> = answers.iter().map(|one| &*one.text).collect();
    let worries = note_worry(act, row, &words.join("\n"))?;
    let row = &ReportRow {
        urgente: row.urgente || worries,
        ..row.clone()
    };
    if before.is_some() {
        // Nobody has read what the newsroom was told of.
        act.tx.mark_answered(&row.id, act.now)?;
        return Ok(0);
    }
    tell_newsroom(act, row, (ChangeKind::Risposta, None, None))
}

/// The newsroom has read the answers of these reports, which then stay as they are. A reader leaves no trace.
pub fn note_answers_read(act: &Act<'_>, reports: &[String]) -> Result<()> {
    if act.actor.may(Role::Redattore) {
        for report in reports {
            act.tx.mark_answers_read(report)?;
        }
    }
    Ok(())
}

/// The message to this reporter, which asks.
fn asking(act: &Act<'_>, row: &ReportRow, key: &Secret32, message: i64) -> Result<Message> {
    let mut messages = messages(act, Some(key), &row.id)?.into_iter();
    let asking = messages.find(|one| one.id == message && !one.questions.is_empty());
    asking.ok_or(NO_QUESTIONS)
}

/// The holder of the code gives a consent, refuses it, or takes it back. Answers how many messages that queues.
pub fn answer_consent(act: &Act<'_>, row: &ReportRow, id: i64, given: bool) -> Result<usize> {
    let all = act.consents(&row.id)?;
    let asked = all.iter().find(|one| one.message == id).ok_or(NO_CONSENT)?;
    // Of several messages that ask for the same, the decision that was made last holds.
    let of_kind = all.iter().filter(|one| one.kind == asked.kind);
    let last = of_kind
        .filter(|one| one.answered.is_some())
        .max_by_key(|one| one.answered);
    if last.is_some_and(|last| last.message == id && last.given == Some(given)) {
        return Ok(0);
    }
    let withdrawn = last.filter(|last| last.given == Some(true) && !given);
    let at = last.and_then(|last| last.answered);
    let at = at.map_or(act.now, |before| act.now.max(before + 1));
    let row_after = ConsentRow {
        given: Some(given),
        answered: Some(at),
        given_at: if given {
            Some(at)
        } else {
            withdrawn.map_or(asked.given_at, |last| last.given_at)
        },
        ..*asked
    };
    act.tx.answer_consent(&row.id, &row_after)?;
    act.tx.mark_consent(&row.id, asked.kind.bit(), given)?;
    let after = match withdrawn {
        _ if given => YES,
        Some(_) => WITHDRAWN,
        None => NO,
    };
    tell_newsroom(
        act,
        row,
        (ChangeKind::Consenso, Some(asked.kind.as_str()), Some(after)),
    )
}

/// What the reporter did waits for the newsroom, as a message does.
fn tell_newsroom(
    act: &Act<'_>,
    row: &ReportRow,
    change: (ChangeKind, Option<&str>, Option<&str>),
) -> Result<usize> {
    act.tx.mark_answered(&row.id, act.now)?;
    record(act, &row.id, [change])?;
    queue_notice(act, DeliveryKind::Message, row, &Report::default())
}
