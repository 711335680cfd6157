//! An editor says that nothing is left to do about a report, or takes that back. Must never change anything else of it, nor take
//! back what somebody else did.

use jiff::Timestamp;

use crate::actions::desk::edit_reports::{NO, YES, present, record};
use crate::actions::{Act, Error, Result};
use crate::domain::moment::rfc3339;
use crate::store::{Action, ChangeKind, HistoryRow, ReportRow};

/// Takes a report out of what is to do, until its reporter writes or a promise falls due; with `false` that is taken back.
///
/// # Errors
/// [`Error::Conflict`] where it is not the caller's to take back.
pub fn mark_done(act: &Act<'_>, report: &str, done: bool) -> Result<()> {
    let row = present(act, report)?;
    if !done && let Some(refused) = not_own(act, &row)? {
        return Err(Error::Conflict(refused.into()));
    }
    if set(act, &row, done)? {
        act.log(Action::ReportUpdated, Some(report))?;
    }
    Ok(())
}

/// Does that unlogged and unchecked; returns whether it changes anything.
pub(super) fn set(act: &Act<'_>, row: &ReportRow, done: bool) -> Result<bool> {
    let last = last_dealt(act, row)?;
    let waits = row.da_fare.is_some_and(|from| from <= act.now);
    let stays = if done {
        !waits && last.as_ref().is_some_and(|last| is_own(act, last))
    } else {
        row.fatta.is_none()
    };
    if stays {
        return Ok(false);
    }
    let before = last.and_then(|last| last.da?.parse::<Timestamp>().ok());
    let before = before.map(Timestamp::as_millisecond);
    note(act, row, if done { Some(act.now) } else { before })?;
    Ok(true)
}

/// Why the caller cannot take a report's 'Fatto' back; `None` where they can, or where there is none.
pub(super) fn not_own(act: &Act<'_>, row: &ReportRow) -> Result<Option<String>> {
    if row.fatta.is_none() {
        return Ok(None);
    }
    let last = last_dealt(act, row)?;
    if last.as_ref().is_some_and(|last| is_own(act, last)) {
        return Ok(None);
    }
    let answered = last
        .as_ref()
        .is_some_and(|last| last.kind == ChangeKind::Messaggio);
    let author = last.and_then(|last| last.author);
    let person = author.map(|id| act.person(&id)).transpose()?.flatten();
    let who = person.map_or("la redazione".into(), |person| person.name);
    let did = if answered {
        "ha risposto"
    } else {
        "ha segnato «Fatto»"
    };
    Ok(Some(format!("Nel frattempo {who} {did}.")))
}

/// The 'Fatto' or the answer by which nothing is left to do about a report; `None` where something is, or its past is not known.
fn last_dealt(act: &Act<'_>, row: &ReportRow) -> Result<Option<HistoryRow>> {
    let Some(since) = row.fatta else {
        return Ok(None);
    };
    let dealt = |past: &HistoryRow| {
        let done = past.kind == ChangeKind::Fatta && past.a.as_deref() == Some(YES);
        past.at == since && (done || past.kind == ChangeKind::Messaggio)
    };
    Ok(act.history(&row.id)?.into_iter().rfind(dealt))
}

fn is_own(act: &Act<'_>, past: &HistoryRow) -> bool {
    past.kind == ChangeKind::Fatta && past.author == act.actor.author()
}

/// Says since when (ms) nothing is left to do about a report, or that something is, which nothing notes in the log. The history
/// keeps since when that was so before.
pub(super) fn note(act: &Act<'_>, row: &ReportRow, since: Option<i64>) -> Result<()> {
    let done = if since.is_some() { YES } else { NO };
    act.tx.set_done(&row.id, since)?;
    let before = row.fatta.map(rfc3339);
    let change = (ChangeKind::Fatta, before.as_deref(), Some(done));
    record(act, &row.id, [change])
}
