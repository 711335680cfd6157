//! The reports that the caller has to look at, and why.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::domain::calendar::soon;
use crate::domain::moment::rfc3339;
use crate::readings::Reading;
use crate::readings::desk::reports::{ReportRowOut, rows_out};
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
    /// The reports, 200 at most: those that are due, then those whose reporters wait, then those with a mention, then the
    /// latest of the others. A report appears once for each reason.
    data: Vec<AgendaEntry>,
}

/// How many reports the caller has to look at.
#[derive(Default, Serialize, ToSchema)]
pub struct AgendaCounts {
    /// Open reports that are assigned to the caller.
    assigned: i64,
    /// Reports whose reporter waits for an answer, has written or answered a question, and that are assigned to the caller, or to
    /// no person if the caller may answer, or whose last message from the newsroom is the caller's.
    answers: i64,
    /// Reports with a comment that mentions the caller.
    mentions: i64,
    /// Reports with a promise that is overdue or due within three days, and that are assigned to the caller, or to no
    /// person if the caller may keep it.
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
    report: ReportRowOut,
}

impl AgendaCounts {
    const fn of(&mut self, why: AgendaReason) -> &mut i64 {
        match why {
            AgendaReason::Assigned => &mut self.assigned,
            AgendaReason::Answer => &mut self.answers,
            AgendaReason::Mention => &mut self.mentions,
            AgendaReason::Due => &mut self.due,
            AgendaReason::Back => &mut self.back,
        }
    }
}

/// The agenda of a person, who may act on reports or only read them; without one, of the shared password.
pub fn agenda(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    who: Option<&str>,
    acts: bool,
) -> actions::Result<Agenda> {
    let now = reading.clock.now_ms();
    let due = soon(now, &reading.time_zone);
    let mut counts = AgendaCounts::default();
    for (why, n) in snapshot.agenda_counts(who, now, due, acts)? {
        *counts.of(why) = n;
    }
    let (mut reasons, mut rows) = (Vec::new(), Vec::new());
    for (seq, why, at) in snapshot.agenda(who, now, due, acts, MOST)? {
        if let Some(row) = snapshot.listed_at(seq)? {
            reasons.push((why, at));
            rows.push(row);
        }
    }
    let reports = rows_out(
        reading,
        snapshot,
        rows,
        None,
        (who.unwrap_or_default(), now),
    )?;
    let entries = reasons.into_iter().zip(reports);
    let entries = entries.map(|((why, at), report)| AgendaEntry {
        id: report.id().to_owned(),
        why,
        at: rfc3339(at),
        report,
    });
    Ok(Agenda {
        counts,
        reports: snapshot.agenda_reports(who, now, due, acts)?,
        data: entries.collect(),
    })
}
