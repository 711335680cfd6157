//! Reports that are related to a report: by the same person, or perhaps about the same matter.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::archive::sealing::{open_listed, open_report};
use crate::actions::desk::edit_reports::present;
use crate::domain::report::Report;
use crate::domain::stories::reasons::Reasons;
use crate::readings::desk::stories::{StoryHead, story_heads};
use crate::readings::{Reading, ReportHead};
use crate::search::Near;
use crate::store::{ReportRow, Snapshot};

/// Reports that are looked at, at most.
const MOST: usize = 200;
/// Reports that are set aside with their sender, at most.
const MOST_OF_SENDER: usize = 2_000;
/// Reports that it may belong with, at most.
const NEAREST: usize = 3;

/// The reports that are related to a report.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Related {
    /// Reports with the same phone or e-mail, newest first.
    pub same_person: Vec<SamePerson>,
    /// The three reports that are most likely to be about the same matter; each shares a name or a number with it.
    pub maybe: Vec<Neighbour>,
    /// What it names that others name too; null where there are none.
    pub shared: Option<SharedNames>,
    /// Whether every report was compared; false while the search index is being built.
    pub ready: bool,
    /// Whether there may be more of the same person.
    pub more: bool,
}

/// A report of the same person.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamePerson {
    #[serde(flatten)]
    head: ReportHead,
    /// Whether the e-mail address is the same.
    pub email: bool,
    /// Whether the phone number is the same.
    pub telefono: bool,
}

/// A report that may be about the same matter.
#[derive(Debug, Serialize, ToSchema)]
pub struct Neighbour {
    #[serde(flatten)]
    head: ReportHead,
    /// The story that it belongs to.
    pub story: Option<StoryHead>,
    /// The first 120 characters of the account.
    pub excerpt: String,
    /// Why, in Italian.
    pub reasons: Vec<String>,
}

/// Names and numbers of a report that others name too.
#[derive(Debug, Serialize, ToSchema)]
pub struct SharedNames {
    /// At most three, as the report writes them, those of most others first.
    pub names: Vec<String>,
    /// The number of other reports that name one of them, archived ones included; none of its own story.
    pub others: usize,
}

/// The reports that are related to a report.
pub fn related(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
) -> actions::Result<Related> {
    let row = present(snapshot, id)?;
    let report = open_report(snapshot, &reading.vault, &row)?;
    let same_person = reading.search.same_reporter(snapshot, row.seq, MOST)?;
    let mut related = Related {
        ready: reading.search.progress().ready,
        more: same_person.len() == MOST,
        ..Related::default()
    };
    for seq in same_person {
        let other = compared(reading, snapshot, &report, seq)?;
        related.same_person.extend(other);
    }
    let near = near(reading, snapshot, &row)?;
    related.shared = (!near.nearest.is_empty()).then_some(SharedNames {
        names: near.names,
        others: near.others,
    });
    related.maybe = neighbours(reading, snapshot, near.nearest)?;
    Ok(related)
}

/// Arrival numbers of the reports that may come from the sender of this one.
pub fn same_sender(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
) -> actions::Result<Vec<i64>> {
    let row = present(snapshot, id)?;
    reading
        .search
        .same_reporter(snapshot, row.seq, MOST_OF_SENDER)
}

/// What it may belong with, but for those of its own story and those that it was set apart from.
fn near(reading: Reading<'_>, snapshot: &Snapshot<'_>, row: &ReportRow) -> actions::Result<Near> {
    let mut without = match &row.storia {
        Some(story) => snapshot.story_seqs(story)?,
        None => Vec::new(),
    };
    let apart = snapshot.apart_from(&[row.seq])?;
    without.extend(apart.into_iter().map(|(_, other)| other));
    reading
        .search
        .story_neighbours(snapshot, row.seq, &without, NEAREST)
}

fn neighbours(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    nearest: Vec<(i64, Reasons)>,
) -> actions::Result<Vec<Neighbour>> {
    let mut neighbours = Vec::new();
    for (seq, reasons) in nearest {
        if let Some(other) = snapshot.listed_at(seq)? {
            let ids: Vec<&str> = other.storia.iter().map(String::as_str).collect();
            neighbours.push(Neighbour {
                story: story_heads(reading, snapshot, &ids)?.into_values().next(),
                reasons: reasons.sentence.into_iter().collect(),
                excerpt: open_listed(snapshot, &reading.vault, &other)?.estratto,
                head: ReportHead::open(reading, snapshot, other)?,
            });
        }
    }
    Ok(neighbours)
}

/// The contacts that both have in common; none if only a hash is the same.
fn compared(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    report: &Report,
    seq: i64,
) -> actions::Result<Option<SamePerson>> {
    let (Some(row), Some(listed)) = (snapshot.report_at(seq)?, snapshot.listed_at(seq)?) else {
        return Ok(None);
    };
    let other = open_report(snapshot, &reading.vault, &row)?;
    let same = |one: &str, other: &str| !one.is_empty() && one.eq_ignore_ascii_case(other);
    let email = same(&report.email, &other.email);
    let telefono = same(&report.telefono, &other.telefono);
    let head = ReportHead::open(reading, snapshot, listed)?;
    Ok((email || telefono).then_some(SamePerson {
        head,
        email,
        telefono,
    }))
}
