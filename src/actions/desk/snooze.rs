//! An editor puts a report off until a day: until then it is out of the list. Must never hide it elsewhere, nor store a word in the
//! clear.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::{open_text, or_stand_in, seal_text};
use crate::actions::desk::comments::UNREADABLE;
use crate::actions::desk::edit_reports::{NO, YES, present, record};
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::message::parse_text;
use crate::domain::moment::timestamp;
use crate::domain::retention::DAY_MS;
use crate::domain::text::is_blank;
use crate::store::{Action, ChangeKind, Snapshot, SnoozeRow};
use crate::vault::Vault;

const TABLE: &str = "snoozes";
const WORD_CHARS: usize = 200;
/// How far ahead a report can be put off, in ms.
const LONGEST_MS: i64 = 366 * DAY_MS;

/// A snooze to set.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeIn {
    /// RFC 3339; within a year from now.
    pub until: Timestamp,
    /// A note on why the report is snoozed. When absent, the earlier note stays.
    #[schema(max_length = 200)]
    pub word: Option<String>,
}

/// The snooze of a report, which may be over.
#[derive(Debug, Serialize, ToSchema)]
pub struct Snooze {
    /// When it ends; RFC 3339, UTC.
    pub until: Timestamp,
    /// A note on why the report is snoozed; may be empty.
    pub word: String,
    /// Id of the person who snoozed it; empty for the shared password.
    #[serde(skip)]
    pub person: String,
}

/// Puts a report off, in place of an earlier day.
pub fn put_off(act: &Act<'_>, report: &str, asked: SnoozeIn) -> Result<()> {
    present(act, report)?;
    let until = instant(act, asked.until, "until")?;
    let sealed = match asked.word {
        None => None,
        Some(word) if is_blank(&word) => Some((None, None)),
        Some(word) => {
            let word = parse_text(&word, WORD_CHARS).map_err(|refused| refused.at("word"))?;
            Some(seal_text(act, TABLE, report, &word)?)
        }
    };
    set(act, report, until, sealed)?;
    act.log(Action::ReportUpdated, Some(report))
}

/// The moment in ms; refused unless it is within a year from now.
pub(super) fn instant(act: &Act<'_>, until: Timestamp, field: &'static str) -> Result<i64> {
    let until = until.as_millisecond();
    if until <= act.now || until > act.now + LONGEST_MS {
        let message = "Scegli un momento che deve ancora venire, entro un anno.";
        return Err(Invalid::new(field, "range", message).into());
    }
    Ok(until)
}

/// Puts a report off until a moment (ms), which nothing notes in the log; without a sealed word the one before stays.
pub(super) fn set(
    act: &Act<'_>,
    report: &str,
    until: i64,
    sealed: Option<(Option<i64>, Option<Vec<u8>>)>,
) -> Result<()> {
    let before = || Ok::<_, Error>(act.snooze(report)?.map(|row| (row.epoch, row.word)));
    let (epoch, word) = match sealed {
        Some(sealed) => sealed,
        None => before()?.unwrap_or_default(),
    };
    act.tx.set_snoozed(report, Some(until))?;
    let row = SnoozeRow {
        until,
        person: act.actor.author().unwrap_or_default(),
        epoch,
        word,
    };
    act.tx.insert_snooze(report, &row)?;
    record(act, report, [(ChangeKind::Rinviata, None, Some(YES))])
}

/// Puts a report off as it was before, by whom it was; null: by nobody.
pub(super) fn set_back(
    act: &Act<'_>,
    report: &str,
    until: Option<i64>,
    person: Option<&str>,
) -> Result<()> {
    act.tx.set_snoozed(report, until)?;
    match person {
        Some(person) => act.tx.set_snoozer(report, person)?,
        None => act.tx.delete_snooze(report)?,
    }
    let is_off = until.is_some_and(|until| until > act.now);
    let after = if is_off { YES } else { NO };
    record(act, report, [(ChangeKind::Rinviata, None, Some(after))])
}

/// Takes a report back into the list at once.
pub fn take_up(act: &Act<'_>, report: &str) -> Result<()> {
    present(act, report)?;
    act.tx.set_snoozed(report, None)?;
    act.tx.delete_snooze(report)?;
    record(act, report, [(ChangeKind::Rinviata, None, Some(NO))])?;
    act.log(Action::ReportUpdated, Some(report))
}

pub fn snooze(snapshot: &Snapshot<'_>, vault: &Vault, report: &str) -> Result<Option<Snooze>> {
    let Some(row) = snapshot.snooze(report)? else {
        return Ok(None);
    };
    let sealed = row.epoch.zip(row.word.as_deref());
    let word = open_text(snapshot, vault, TABLE, report, sealed);
    Ok(Some(Snooze {
        until: timestamp(row.until),
        word: or_stand_in(word, report, || UNREADABLE.to_owned())?,
        person: row.person,
    }))
}
