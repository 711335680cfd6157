//! Erases reports by their age, where the settings say so (PRODUCT.md §9).
//! Must never erase one of which the panel has not warned for as long as it promises.

use super::Result;
use super::settings::security;
use crate::domain::retention::Notice;
use crate::store::{Cause, Outlook, Snapshot, Tx};

/// One step: at most `limit` reports. Answers their arrival numbers.
pub fn expire_reports(tx: &Tx<'_>, now: i64, limit: usize) -> Result<Vec<i64>> {
    let before = tx.notice()?;
    let notice = notice(tx, now)?;
    if notice != before {
        tx.put_notice(notice.as_ref())?;
    }
    let Some(notice) = notice else {
        return Ok(Vec::new());
    };
    let mut erased = Vec::new();
    for due in tx.due_to_go(&notice, now, limit)? {
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

/// When a report goes by its age, if the panel warns of it; in ms.
pub fn goes_at(snapshot: &Snapshot<'_>, now: i64, id: &str) -> Result<Option<i64>> {
    Ok(match notice(snapshot, now)? {
        Some(notice) => snapshot.goes_at(&notice, id, now)?,
        None => None,
    })
}

pub fn outlook(snapshot: &Snapshot<'_>, now: i64) -> Result<(u32, Outlook)> {
    Ok(match notice(snapshot, now)? {
        Some(notice) => (notice.days, snapshot.outlook(&notice, now)?),
        None => (0, Outlook::default()),
    })
}

/// Ids of reports that the next fourteen days erase, each with when, the first to go first.
pub fn soon_to_go(snapshot: &Snapshot<'_>, now: i64, limit: usize) -> Result<Vec<(String, i64)>> {
    Ok(match notice(snapshot, now)? {
        Some(notice) => snapshot.soon_to_go(&notice, now, limit)?,
        None => Vec::new(),
    })
}
