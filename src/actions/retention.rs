//! What time does by itself: resolved reports are archived, old log entries and concluded deliveries are dropped
//! (PRODUCT.md §9). Both go by the
//! times that are stored, so that nothing is missed by a program that was off for days.
//! Must never take more than a small step at a time: writers wait for each.

use super::Result;
use super::settings::security;
use crate::domain::report::Stato;
use crate::store::{ChangeKind, HistoryRow, Tx};

/// Rows changed in one transaction: a few milliseconds.
pub const STEP: usize = 100;
/// A day, in ms. Over a change of the clocks a retention may be an hour off, which nobody counts.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Archives reports that have been `Risolta` for `autoArchiveDays` or longer, at most [`STEP`] of them;
/// answers how many.
pub fn archive_resolved(tx: &Tx<'_>, now: i64) -> Result<usize> {
    let until = now - i64::from(security(tx)?.auto_archive_days) * DAY_MS;
    let due = tx.resolved_until(until, STEP)?;
    for id in &due {
        tx.set_stato(id, Stato::Archiviata, now)?;
        tx.insert_history(
            id,
            &HistoryRow {
                at: now,
                kind: ChangeKind::Stato,
                da: Some(Stato::Risolta.as_str().to_owned()),
                a: Some(Stato::Archiviata.as_str().to_owned()),
            },
        )?;
    }
    Ok(due.len())
}

/// Drops log entries older than `logRetentionDays`, at most [`STEP`] of them; answers how many.
pub fn drop_old_logs(tx: &Tx<'_>, now: i64) -> Result<usize> {
    let before = now - i64::from(security(tx)?.log_retention_days) * DAY_MS;
    Ok(tx.delete_access_before(before, STEP)?)
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
