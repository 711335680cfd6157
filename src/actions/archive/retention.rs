//! Timed changes, by the times that are stored (PRODUCT.md §14): resolved reports are archived, old log entries and
//! concluded deliveries are dropped, old reports are erased. Must never erase a report of which the panel has not
//! warned for as long as it promises, nor take more than a small step.

use crate::actions::access::log_chain;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Result};
use crate::domain::report::Stato;
use crate::domain::retention::{DAY_MS, Notice};
use crate::store::{Cause, Snapshot};

/// Rows changed in one transaction: a few milliseconds.
pub const STEP: usize = 100;

/// Archives reports that have been `Risolta` for `autoArchiveDays` or longer, unless their reporter waits for an answer, at most
/// [`STEP`] of them; answers how many.
pub fn archive_resolved(act: &Act<'_>) -> Result<usize> {
    let until = act.now - i64::from(security(act)?.auto_archive_days) * DAY_MS;
    let due = act.resolved_until(until, STEP)?;
    for id in &due {
        act.tx.archive(id, Stato::Risolta, act.now)?;
    }
    Ok(due.len())
}

/// Drops log entries older than `logRetentionDays`, a few hundred at most; answers how many.
pub fn drop_old_logs(act: &Act<'_>) -> Result<usize> {
    let before = act.now - i64::from(security(act)?.log_retention_days) * DAY_MS;
    Ok(log_chain::drop_before(act, before)?)
}

/// Drops deliveries that arrived or were given up more than `logRetentionDays` ago, at most [`STEP`] of them, and what is
/// known of destinations that nothing is left for; answers how many deliveries.
pub fn drop_old_deliveries(act: &Act<'_>) -> Result<usize> {
    let before = act.now - i64::from(security(act)?.log_retention_days) * DAY_MS;
    let dropped = act.tx.delete_deliveries_before(before, STEP)?;
    if dropped > 0 {
        act.tx.delete_idle_destinations(before)?;
    }
    Ok(dropped)
}

/// Erases reports by their age, at most [`STEP`] of them; answers their arrival numbers.
pub fn expire_reports(act: &Act<'_>) -> Result<Vec<i64>> {
    let before = act.notice()?;
    let notice = notice(act, act.now)?;
    if notice != before {
        act.tx.put_notice(notice.as_ref())?;
    }
    let Some(notice) = notice else {
        return Ok(Vec::new());
    };
    let mut erased = Vec::new();
    for due in act.due_to_go(&notice, act.now, STEP)? {
        erased.extend(act.tx.erase_report(&due.id, act.now, Cause::Age)?);
    }
    Ok(erased)
}

/// Since when the panel warns; `None` while reports are kept without limit. A setting that was just changed counts from
/// now, until the timed work has written it down.
pub fn notice(snapshot: &Snapshot<'_>, now: i64) -> Result<Option<Notice>> {
    let days = security(snapshot)?.report_retention_days;
    Ok(Notice::in_force(snapshot.notice()?, days, now))
}
