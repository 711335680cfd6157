//! Erases reports for good: what was said, notes, history, deliveries. Only a digest of the id stays (PRODUCT.md §4).
//! Must never erase what was not named, nor leave a report half erased.

use super::log_access::{Action, Actor, log_access};
use super::{Error, Result};
use crate::store::{Cause, ReportRow, Snapshot, Tx};

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Erased; the arrival numbers of those that were there.
    Erased(Vec<i64>),
    /// Somebody changed the report since; nothing was erased.
    Stale,
}

/// Erases one report; with a version only if it still has that.
pub fn erase_report(
    tx: &Tx<'_>,
    now: i64,
    actor: &Actor,
    id: &str,
    version: Option<i64>,
) -> Result<Outcome> {
    let row = present(tx, id)?;
    if version.is_some_and(|version| version != row.versione) {
        return Ok(Outcome::Stale);
    }
    erase_reports(tx, now, actor, &[row.id])
}

/// Erases the reports of these ids, all or none. Those that are gone already are no obstacle.
pub fn erase_reports(tx: &Tx<'_>, now: i64, actor: &Actor, ids: &[String]) -> Result<Outcome> {
    let mut erased = Vec::new();
    for id in ids {
        match tx.erase_report(id, now, Cause::Request)? {
            Some(seq) => {
                erased.push(seq);
                log_access(tx, now, actor, Action::ReportErased, Some(id))?;
            }
            None if tx.was_erased(id)? => {}
            None => return Err(Error::NotFound),
        }
    }
    Ok(Outcome::Erased(erased))
}

pub fn was_erased(snapshot: &Snapshot<'_>, id: &str) -> Result<bool> {
    Ok(snapshot.was_erased(id)?)
}

pub fn present(snapshot: &Snapshot<'_>, id: &str) -> Result<ReportRow> {
    match snapshot.report(id)? {
        Some(row) => Ok(row),
        None if snapshot.was_erased(id)? => Err(Error::Erased),
        None => Err(Error::NotFound),
    }
}
