//! An editor says that nothing is left to do about a report, or that something is. Must never change anything else of it.

use crate::actions::desk::edit_reports::{NO, YES, present, record};
use crate::actions::{Act, Result};
use crate::store::{Action, ChangeKind};

/// Takes a report out of what is to do, until its reporter writes or a promise falls due. Where nothing is to do, nothing changes.
pub fn mark_done(act: &Act<'_>, report: &str) -> Result<()> {
    let row = present(act, report)?;
    let waits = row.da_fare.is_some_and(|from| from <= act.now);
    if !waits && row.fatta.is_some() {
        return Ok(());
    }
    note(act, report, Some(act.now), YES)
}

/// Takes that back: what waited waits again.
pub fn mark_undone(act: &Act<'_>, report: &str) -> Result<()> {
    match present(act, report)?.fatta {
        Some(_) => note(act, report, None, NO),
        None => Ok(()),
    }
}

fn note(act: &Act<'_>, report: &str, since: Option<i64>, done: &str) -> Result<()> {
    act.tx.set_done(report, since)?;
    record(act, report, [(ChangeKind::Fatta, None, Some(done))])?;
    act.log(Action::ReportUpdated, Some(report))
}
