//! What staff say of a report among themselves, each with author and time; and reminders, a day and a word that each keeps for
//! themselves. Must never store a text in the clear, nor change another person's comment.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::access::log_access::Action;
use crate::actions::archive::sealing::{open, readable, seal};
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::check_key;
use crate::actions::{Act, Error, Result};
use crate::domain::message::{MESSAGE_CHARS, parse_text};
use crate::domain::moment::timestamp;
use crate::store::{CommentRow, ReminderRow, Snapshot};
use crate::vault::{Vault, VaultError};

const COMMENT: &str = "comments";
const REMINDER: &str = "reminders";
const WORD_CHARS: usize = 200;
/// Most comments on a report, and most reminders of a person: bounds what an answer opens.
const MOST: usize = 500;
/// How long a comment can be changed by its author, in ms.
const OPEN_MS: i64 = 15 * 60_000;
const UNREADABLE: &str = "(testo non leggibile)";

/// A comment in the clear, as a backup holds it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BackupComment)]
pub struct Comment {
    #[serde(skip)]
    pub n: i64,
    /// When it was written; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// Whose it is, by id; null for the shared password.
    #[schema(required)]
    pub author: Option<String>,
    /// When it was last changed.
    #[schema(value_type = Option<String>, required)]
    pub edited: Option<Timestamp>,
    /// Its text.
    pub text: String,
}

/// One's own reminder of a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reminder {
    #[serde(skip)]
    pub report: String,
    /// The day, `YYYY-MM-DD`.
    #[schema(value_type = String, format = Date)]
    pub day: Date,
    /// A word.
    pub text: String,
}

/// Where a comment stands: bound to its report, whose it is and when it was written.
fn place(report: &str, author: Option<&str>, at: i64) -> String {
    format!("{report} {} {at}", author.unwrap_or_default())
}

fn reminder_place(report: &str, person: &str) -> String {
    format!("{report} {person}")
}

pub fn comments(snapshot: &Snapshot<'_>, vault: &Vault, report: &str) -> Result<Vec<Comment>> {
    let rows = snapshot.comments(report)?.into_iter();
    let opened = rows.map(|row| {
        let place = place(report, row.author.as_deref(), row.at);
        let text = open(snapshot, vault, row.epoch, COMMENT, &place, &row.text);
        Ok(Comment {
            n: row.n,
            at: timestamp(row.at),
            text: readable(text, report, UNREADABLE)?,
            author: row.author,
            edited: row.edited.map(timestamp),
        })
    });
    opened.collect()
}

/// Writes a comment; one that its author sent under the same key is written already.
pub fn write_comment(act: &Act<'_>, report: &str, typed: &str, key: Option<String>) -> Result<()> {
    present(act, report)?;
    check_key(key.as_deref())?;
    let (author, before) = (act.actor.author(), act.comments(report)?);
    if key.is_some()
        && before
            .iter()
            .any(|row| row.key == key && row.author == author)
    {
        return Ok(());
    }
    if before.len() >= MOST {
        return Err(Error::Conflict(
            "Ci sono già moltissimi commenti su questa segnalazione: non se ne possono aggiungere altri.",
        ));
    }
    let row = CommentRow {
        at: act.now,
        author,
        key,
        ..CommentRow::default()
    };
    let text = parse_text(typed, MESSAGE_CHARS)?;
    act.tx
        .insert_comment(report, &sealed(act, report, row, &text)?)?;
    act.log(Action::ReportUpdated, Some(report))
}

/// Stores a comment out of a backup.
pub fn store_comment(act: &Act<'_>, report: &str, comment: Comment) -> Result<()> {
    let row = CommentRow {
        at: comment.at.as_millisecond(),
        author: comment.author,
        edited: comment.edited.map(Timestamp::as_millisecond),
        ..CommentRow::default()
    };
    Ok(act
        .tx
        .insert_comment(report, &sealed(act, report, row, &comment.text)?)?)
}

/// The row with this text.
fn sealed(act: &Act<'_>, report: &str, row: CommentRow, text: &str) -> Result<CommentRow> {
    let place = place(report, row.author.as_deref(), row.at);
    let (epoch, text) = seal(act, (COMMENT, &place), text.as_bytes())?;
    Ok(CommentRow { epoch, text, ..row })
}

/// Changes one's own comment, or with no text takes it away.
pub fn change_comment(act: &Act<'_>, report: &str, n: i64, typed: Option<&str>) -> Result<()> {
    present(act, report)?;
    let row = act.comment(report, n)?.ok_or(Error::CommentNotFound)?;
    if row.author != act.actor.author() || act.now - row.at > OPEN_MS {
        return Err(Error::CommentClosed);
    }
    match typed {
        None => act.tx.delete_comment(report, n)?,
        Some(typed) => {
            let edited = Some(act.now);
            let text = parse_text(typed, MESSAGE_CHARS)?;
            let row = sealed(act, report, CommentRow { edited, ..row }, &text)?;
            act.tx.update_comment(report, &row)?;
        }
    }
    act.log(Action::ReportUpdated, Some(report))
}

/// Stores the caller's reminder in place of an earlier one.
pub fn put_reminder(act: &Act<'_>, report: &str, day: Date, typed: &str) -> Result<()> {
    present(act, report)?;
    let person = act.actor.author().unwrap_or_default();
    if act.reminder(report, &person)?.is_none() && act.reminders(&person)?.len() >= MOST {
        return Err(Error::Conflict(
            "Ci sono già 500 promemoria: eliminane uno prima di aggiungerne un altro.",
        ));
    }
    let text = parse_text(typed, WORD_CHARS)?;
    let place = reminder_place(report, &person);
    let (epoch, word) = seal(act, (REMINDER, &place), text.as_bytes())?;
    let row = ReminderRow {
        report: report.to_owned(),
        day: day.to_string(),
        epoch,
        word,
    };
    Ok(act.tx.put_reminder(&person, &row)?)
}

pub fn drop_reminder(act: &Act<'_>, report: &str) -> Result<()> {
    present(act, report)?;
    let person = act.actor.author().unwrap_or_default();
    Ok(act.tx.delete_reminder(report, &person)?)
}

/// The reminders of a person, or where none is named of the shared password; the earliest day first.
pub fn reminders(snapshot: &Snapshot<'_>, vault: &Vault, person: &str) -> Result<Vec<Reminder>> {
    let rows = snapshot.reminders(person)?.into_iter();
    rows.map(|row| opened(snapshot, vault, person, row))
        .collect()
}

pub fn reminder(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    (report, person): (&str, &str),
) -> Result<Option<Reminder>> {
    let row = snapshot.reminder(report, person)?;
    row.map(|row| opened(snapshot, vault, person, row))
        .transpose()
}

fn opened(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    person: &str,
    row: ReminderRow,
) -> Result<Reminder> {
    let place = reminder_place(&row.report, person);
    let word = open(snapshot, vault, row.epoch, REMINDER, &place, &row.word);
    let text = readable(word, &row.report, UNREADABLE)?;
    let day = row.day.parse().map_err(|_| VaultError::Damaged)?;
    let report = row.report;
    Ok(Reminder { report, day, text })
}
