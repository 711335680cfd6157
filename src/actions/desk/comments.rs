//! Internal comments on a report, each with author and time. A person mentioned by `@` is told. Must never store a text
//! in the clear, nor change another person's comment.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{open, readable, seal};
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::check_key;
use crate::actions::{Act, Error, Result};
use crate::domain::message::{MESSAGE_CHARS, parse_text};
use crate::domain::moment::timestamp;
use crate::domain::text::lower;
use crate::store::{Action, CommentRow, ReportRow, Snapshot};
use crate::vault::Vault;

const COMMENT: &str = "comments";
/// Most comments on a report: bounds what an answer opens.
const MOST: usize = 500;
/// How long a comment can be changed by its author, in ms.
const OPEN_MS: i64 = 15 * 60_000;
pub(in crate::actions) const UNREADABLE: &str = "(testo non leggibile)";

/// A comment in the clear, as a backup holds it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BackupComment)]
pub struct Comment {
    #[serde(skip)]
    pub n: i64,
    /// When it was written; RFC 3339, UTC.
    pub at: Timestamp,
    /// Id of the author; null for the shared password.
    #[schema(required)]
    pub author: Option<String>,
    /// When it was last changed.
    #[schema(required)]
    pub edited: Option<Timestamp>,
    /// Its text.
    pub text: String,
}

/// Where a comment stands: bound to its report, whose it is and when it was written.
fn place(report: &str, author: Option<&str>, at: i64) -> String {
    format!("{report} {} {at}", author.unwrap_or_default())
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
    let present = present(act, report)?;
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
        return Err(Error::conflict(
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
    mention(act, &present, &text)?;
    act.log(Action::ReportUpdated, Some(report))
}

/// Whether a text has a name as words of its own: an address is none.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        let beside = [before, behind].into_iter().flatten();
        !beside.into_iter().any(char::is_alphanumeric)
    })
}

/// Tells those whom a comment names, if they see the report: the longest name first, so that 'Anna Bianchi' does not name 'Anna'.
fn mention(act: &Act<'_>, report: &ReportRow, text: &str) -> Result<()> {
    let mut text = lower(text);
    let author = act.actor.author();
    let mut people = act.people()?;
    people.retain(|row| row.gone.is_none() && row.departments.has(report.department));
    people.sort_by_key(|row| Reverse(row.name.len()));
    for person in people {
        let name = format!("@{}", lower(&person.name));
        if names(&text, &name) {
            text = text.replace(&name, "");
            if author.as_ref() != Some(&person.id) {
                act.tx.put_mention(&person.id, &report.id, act.now)?;
            }
        }
    }
    Ok(())
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

fn sealed(act: &Act<'_>, report: &str, row: CommentRow, text: &str) -> Result<CommentRow> {
    let place = place(report, row.author.as_deref(), row.at);
    let (epoch, text) = seal(act, COMMENT, &place, text.as_bytes())?;
    Ok(CommentRow { epoch, text, ..row })
}

/// Changes one's own comment, or with no text takes it away.
pub fn change_comment(act: &Act<'_>, report: &str, n: i64, typed: Option<&str>) -> Result<()> {
    let present = present(act, report)?;
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
            mention(act, &present, &text)?;
        }
    }
    act.log(Action::ReportUpdated, Some(report))
}
