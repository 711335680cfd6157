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

/// What the caller has to look at.
#[derive(Serialize, ToSchema)]
pub struct Agenda {
    /// How much.
    counts: AgendaCounts,
    /// How many reports these are.
    reports: i64,
    /// What: 200 at most, first what is due, then answers, then the latest of the others. A report stands there once for each reason.
    data: Vec<AgendaEntry>,
}

/// How many reports the caller has to look at.
#[derive(Default, Serialize, ToSchema)]
pub struct AgendaCounts {
    /// Given to the caller, and open.
    assigned: i64,
    /// Whose reporter has written and was not read yet: given to the caller, or to no person.
    answers: i64,
    /// In which the caller is named.
    mentions: i64,
    /// Of which a promise is due within three days, or past: given to the caller, or to no person.
    due: i64,
    /// That the caller put off, and whose day has come.
    back: i64,
}

/// A report to look at.
#[derive(Serialize, ToSchema)]
pub struct AgendaEntry {
    /// 36-character id.
    id: String,
    /// Why.
    why: AgendaReason,
    /// Since when; of what is due, by when. RFC 3339, UTC.
    at: String,
    /// The report.
    report: ReportHead,
}

/// What a person has to look at; without one, the shared password.
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
