//! How long reports are kept, what that erased, and which reports go next.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::retention::notice;
use crate::domain::moment::rfc3339;
use crate::domain::retention::{DAY_MS, WARNING_MS};
use crate::readings::{Reading, ReportHead};
use crate::store::{Erasures, Outlook, Snapshot};

/// How long reports are kept, and which will be erased.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days for which closed reports are kept; 0: without limit.
    pub days: u32,
    /// Days for which the panel warns.
    pub warning_days: i64,
    #[serde(flatten)]
    pub outlook: Outlook,
    #[serde(flatten)]
    pub erasures: Erasures,
}

/// A report that will be erased soon.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpiringRow {
    #[serde(flatten)]
    head: ReportHead,
    /// When it goes; RFC 3339, UTC.
    pub scadenza: String,
}

/// How long reports are kept, and which will be erased.
pub fn retention(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<Retention> {
    let now = reading.clock.now_ms();
    let notice = notice(snapshot, now)?;
    let outlook = notice.as_ref().map(|notice| snapshot.outlook(notice, now));
    let outlook = outlook.transpose()?.flatten();
    Ok(Retention {
        days: notice.map_or(0, |notice| notice.days),
        warning_days: WARNING_MS / DAY_MS,
        outlook: outlook.unwrap_or_default(),
        erasures: snapshot.erasures()?.unwrap_or_default(),
    })
}

/// The reports that their age erases within the time of the warning, the first to go first, at most so many.
pub fn expiring(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    most: usize,
) -> actions::Result<Vec<ExpiringRow>> {
    let mut rows = Vec::new();
    let now = reading.clock.now_ms();
    let soon = match notice(snapshot, now)? {
        Some(notice) => snapshot.soon_to_go(&notice, now, most)?,
        None => Vec::new(),
    };
    for (seq, goes_at) in soon {
        let Some(row) = snapshot.listed_at(seq)? else {
            continue;
        };
        rows.push(ExpiringRow {
            head: ReportHead::open(reading, snapshot, row)?,
            scadenza: rfc3339(goes_at),
        });
    }
    Ok(rows)
}

/// When its age erases a report, where that comes soon.
pub fn goes_at(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
) -> actions::Result<Option<i64>> {
    let now = reading.clock.now_ms();
    let notice = notice(snapshot, now)?;
    let goes_at = notice.map(|notice| snapshot.goes_at(&notice, id, now));
    Ok(goes_at.transpose()?.flatten())
}
