//! What waits for the newsroom: why a report does, and how today went.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::EXCERPT;
use crate::actions::reporter::last_word;
use crate::clock::start_of_today;
use crate::domain::retention::DAY_MS;
use crate::domain::text::excerpt;
use crate::readings::desk::report_detail::DuePromise;
use crate::readings::{Reading, ReportHead};
use crate::store::{ListRow, Snapshot};

/// Why a report waits for the newsroom.
#[derive(Debug, Serialize, ToSchema)]
pub struct Todo {
    /// The first reason that holds: an answer waits, a promise is due, it came back, it is new.
    why: TodoReason,
    /// The beginning of the reporter's last word, 240 characters at most, if the reporter waits for an answer: a message, answers to
    /// questions, or a decision about a consent. Empty for files or a request for withdrawal without words.
    said: Option<String>,
}

/// A reason for which a report waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TodoReason {
    /// Its reporter waits for an answer.
    Answer,
    /// A promise to the reporter is overdue, or due within 24 hours.
    Due,
    /// It was snoozed, and came back.
    Back,
    /// It is new.
    New,
}

impl TodoReason {
    /// At a moment (ms); `None` where nothing waits.
    fn of(row: &ListRow, now: i64) -> Option<Self> {
        row.da_fare.filter(|from| *from <= now)?;
        let due = row.impegno.is_some_and(|due| due - DAY_MS <= now);
        let reason = match row.rientra {
            _ if row.attende => Self::Answer,
            _ if due => Self::Due,
            Some(_) => Self::Back,
            None => Self::New,
        };
        Some(reason)
    }
}

impl Todo {
    /// Why a row waits at a moment (ms).
    pub fn of(
        reading: Reading<'_>,
        snapshot: &Snapshot<'_>,
        row: &ListRow,
        now: i64,
    ) -> actions::Result<Option<Self>> {
        let Some(why) = TodoReason::of(row, now) else {
            return Ok(None);
        };
        let said = (why == TodoReason::Answer)
            .then(|| last_word(snapshot, &reading.vault, &row.id))
            .transpose()?;
        let said = said.map(|text| excerpt(&text, EXCERPT));
        Ok(Some(Self { why, said }))
    }
}

/// How today went, in the reports that the caller may see.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskDay {
    /// Reports that staff have opened for the first time since local midnight.
    opened: i64,
    /// Answers to reporters since local midnight, messages to many apart.
    answered: i64,
    /// The next promise that is not overdue; null where none is due.
    next_due: Option<NextDue>,
}

/// The next promise that is due.
#[derive(Serialize, ToSchema)]
pub struct NextDue {
    /// The report.
    report: ReportHead,
    /// The promise.
    due: DuePromise,
}

/// Today, as far as it has come.
pub fn today(reading: Reading<'_>, snapshot: &Snapshot<'_>) -> actions::Result<DeskDay> {
    let now = reading.clock.now_ms();
    let midnight = start_of_today(now, &reading.time_zone);
    let next = snapshot.next_due(now)?;
    let next = next.map(|seq| snapshot.listed_at(seq)).transpose()?;
    let next_due = next
        .flatten()
        .and_then(|row| Some((DuePromise::of(&row)?, row)));
    let next_due = next_due.map(|(due, row)| {
        let report = ReportHead::open(reading, snapshot, row)?;
        Ok::<_, actions::Error>(NextDue { report, due })
    });
    Ok(DeskDay {
        opened: snapshot.opened_since(midnight)?,
        answered: snapshot.answered_since(midnight)?,
        next_due: next_due.transpose()?,
    })
}
