//! The reports that the caller has to look at, and why.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::domain::calendar::soon;
use crate::domain::moment::rfc3339;
use crate::readings::{Reading, ReportHead};
use crate::store::{AgendaReason, Snapshot};

/// Reports that are named, at most.
const MOST: usize = 200;

/// The caller's agenda.
#[derive(Serialize, ToSchema)]
pub struct Agenda {
    /// How much.
    counts: AgendaCounts,
    /// The number of different reports.
    reports: i64,
    /// The reports, 200 at most: those that are due, then those with unread messages, then the latest of the others. A
    /// report appears once for each reason.
    data: Vec<AgendaEntry>,
}

/// How many reports the caller has to look at.
#[derive(Default, Serialize, ToSchema)]
pub struct AgendaCounts {
    /// Open reports that are assigned to the caller.
    assigned: i64,
    /// Reports with an unread message from the reporter that are assigned to the caller or to no person.
    answers: i64,
    /// Reports with a comment that mentions the caller.
    mentions: i64,
    /// Reports with a promise that is overdue or due within three days, and that are assigned to the caller or to no
    /// person.
    due: i64,
    /// Reports that the caller snoozed and that have come back.
    back: i64,
}

/// A report to look at.
#[derive(Serialize, ToSchema)]
pub struct AgendaEntry {
    /// 36-character id.
    id: String,
    /// Why.
    why: AgendaReason,
    /// When the reason arose; for a promise, when it is due. RFC 3339, UTC.
    at: String,
    /// The report.
    report: ReportHead,
}

/// The agenda of a person; without one, of the shared password.
pub fn agenda(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    who: Option<&str>,
) -> actions::Result<Agenda> {
    let now = reading.clock.now_ms();
    let due = soon(now, &reading.time_zone);
    let mut counts = AgendaCounts::default();
    for (why, n) in snapshot.agenda_counts(who, now, due)? {
        match why {
            AgendaReason::Assigned => counts.assigned = n,
            AgendaReason::Answer => counts.answers = n,
            AgendaReason::Mention => counts.mentions = n,
            AgendaReason::Due => counts.due = n,
            AgendaReason::Back => counts.back = n,
        }
    }
    let mut data = Vec::new();
    for (seq, why, at) in snapshot.agenda(who, now, due, MOST)? {
        if let Some(row) = snapshot.listed_at(seq)? {
            let (id, report) = (row.id.clone(), ReportHead::open(reading, snapshot, row)?);
            data.push(AgendaEntry {
                id,
                why,
                at: rfc3339(at),
                report,
            });
        }
    }
    Ok(Agenda {
        counts,
        reports: snapshot.agenda_reports(who, now, due)?,
        data,
    })
}
