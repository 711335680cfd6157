//! What time does by itself, by the times that are stored (PRODUCT.md §9): resolved reports are archived, old log entries and
//! concluded deliveries are dropped, reports are erased by their age.
//! Must never erase a report of which the panel has not warned for as long as it promises, nor take more than a small step.

use crate::actions::access::log_chain;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Result};
use crate::domain::report::Stato;
use crate::domain::retention::{DAY_MS, Notice};
use crate::store::{Cause, Snapshot, Tx};

/// Rows changed in one transaction: a few milliseconds.
pub const STEP: usize = 100;

/// Archives reports that have been `Risolta` for `autoArchiveDays` or longer, at most [`STEP`] of them;
/// answers how many.
pub fn archive_resolved(tx: &Tx<'_>, now: i64) -> Result<usize> {
    let until = now - i64::from(security(tx)?.auto_archive_days) * DAY_MS;
    let due = tx.resolved_until(until, STEP)?;
    for id in &due {
        tx.archive(id, Stato::Risolta, now)?;
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
pub fn drop_old_deliveries(tx: &Tx<'_>, now: i64) -> Result<usize> {
    let before = now - i64::from(security(tx)?.log_retention_days) * DAY_MS;
    let dropped = tx.delete_deliveries_before(before, STEP)?;
    if dropped > 0 {
        tx.delete_idle_destinations(before)?;
    }
    Ok(dropped)
}

/// Erases reports by their age, at most [`STEP`] of them; answers their arrival numbers.
pub fn expire_reports(tx: &Tx<'_>, now: i64) -> Result<Vec<i64>> {
    let before = tx.notice()?;
    let notice = notice(tx, now)?;
    if notice != before {
        tx.put_notice(notice.as_ref())?;
    }
    let Some(notice) = notice else {
        return Ok(Vec::new());
    };
    let mut erased = Vec::new();
    for due in tx.due_to_go(&notice, now, STEP)? {
        erased.extend(tx.erase_report(&due.id, now, Cause::Age)?);
    }
    Ok(erased)
}

/// Since when the panel warns; `None` while reports are kept without limit. A setting that was just changed counts from
/// now, until the timed work has written it down.
pub fn notice(snapshot: &Snapshot<'_>, now: i64) -> Result<Option<Notice>> {
    let days = security(snapshot)?.report_retention_days;
    Ok(Notice::in_force(snapshot.notice()?, days, now))
}
