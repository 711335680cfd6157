//! An editor says that nothing is left to do about a report, or that something is. Must never change anything else of it.

use crate::actions::desk::edit_reports::{NO, YES, present, record};
use crate::actions::{Act, Result};
use crate::store::{Action, ChangeKind, ReportRow};

/// Takes a report out of what is to do, until its reporter writes or a promise falls due; with `false` what waited waits again.
pub fn mark_done(act: &Act<'_>, report: &str, done: bool) -> Result<()> {
    if set(act, &present(act, report)?, done)? {
        act.log(Action::ReportUpdated, Some(report))?;
    }
    Ok(())
}

/// Does that unlogged; returns whether it changes anything.
pub(super) fn set(act: &Act<'_>, row: &ReportRow, done: bool) -> Result<bool> {
    let waits = row.da_fare.is_some_and(|from| from <= act.now);
    let stays = row.fatta.is_some() == done && !(done && waits);
    if stays {
        return Ok(false);
    }
    note(act, &row.id, done.then_some(act.now))?;
    Ok(true)
}

/// Says since when (ms) nothing is left to do about a report, or that something is, which nothing notes in the log.
pub(super) fn note(act: &Act<'_>, report: &str, since: Option<i64>) -> Result<()> {
    let done = if since.is_some() { YES } else { NO };
    act.tx.set_done(report, since)?;
    record(act, report, [(ChangeKind::Fatta, None, Some(done))])
}
