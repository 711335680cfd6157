//! Erases reports for good: what was said, notes, history, deliveries. Only a digest of the id stays (PRODUCT.md §4).
//! Must never erase what was not named, nor leave a report half erased.

use super::log_access::Action;
use super::{Act, Error, Result};
use crate::store::{Cause, ReportRow, Snapshot};

/// Erases one report; with a version only if it still has that. Answers its arrival number.
pub fn erase_report(act: &Act<'_>, id: &str, version: Option<i64>) -> Result<Vec<i64>> {
    let row = present(act, id)?;
    if version.is_some_and(|version| version != row.versione) {
        return Err(Error::Stale);
    }
    erase_reports(act, &[row.id])
}

/// Erases the reports of these ids, all or none. Those that are gone already are no obstacle. Answers the arrival numbers of
/// those that were there.
pub fn erase_reports(act: &Act<'_>, ids: &[String]) -> Result<Vec<i64>> {
    let mut erased = Vec::new();
    for id in ids {
        match act.erase_report(id, act.now, Cause::Request)? {
            Some(seq) => {
                erased.push(seq);
                act.log(Action::ReportErased, Some(id))?;
            }
            None if act.was_erased(id)? => {}
            None => return Err(Error::NotFound),
        }
    }
    Ok(erased)
}

pub fn present(snapshot: &Snapshot<'_>, id: &str) -> Result<ReportRow> {
    match snapshot.report(id)? {
        Some(row) => Ok(row),
        None if snapshot.was_erased(id)? => Err(Error::Erased),
        None => Err(Error::NotFound),
    }
}
