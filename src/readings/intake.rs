//! Siege mode: when it was on and what was done, and the near copies that were set aside.

use serde::Serialize;
use utoipa::ToSchema;

use super::Reading;
use crate::actions;
use crate::actions::archive::sealing::{open_report, or_stand_in};
use crate::actions::intake::siege::most_unlike;
use crate::domain::report::{Report, own_words};
use crate::domain::text::clean_line;
use crate::store::{GroupRow, SiegeRow, Snapshot};

const MOST: usize = 20;
/// As much of an account as a group shows, in characters.
const EXCERPT: usize = 160;
/// Reports of all groups that are compared with the others of theirs, each time the groups are shown.
const COMPARED: usize = 2_000;

/// Siege mode.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sieges {
    /// Whether it is on.
    pub siege: bool,
    /// The latest times, newest first.
    pub data: Vec<SiegeRow>,
    /// Reports that are set aside.
    pub aside: i64,
    /// Arrival number of the last of them; 0 where there is none.
    pub up_to: i64,
    /// Their groups, newest first, 20 at most.
    pub groups: Vec<GroupOut>,
}

/// Reports that are nearly the same.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuspectGroup)]
pub struct GroupOut {
    /// Its number.
    pub group: i64,
    /// How many.
    pub n: i64,
    /// Beginning of the newest account; empty where it cannot be read.
    pub excerpt: String,
    /// Among the newest, the report that differs most from the others; null if none has a sentence of its own.
    pub unlike: Option<Unlike>,
}

/// The report of a group that differs most from the others.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnlikeReport)]
pub struct Unlike {
    /// Its id.
    pub id: String,
    /// A sentence that no other report of the group contains.
    pub excerpt: String,
}

/// Siege mode, which is `on` or off, and what is set aside.
pub fn sieges(reading: Reading<'_>, snapshot: &Snapshot<'_>, on: bool) -> actions::Result<Sieges> {
    let groups = snapshot.groups_aside(MOST)?;
    let newest = COMPARED / groups.len().max(1);
    let all = snapshot.all_aside()?.unwrap_or_default();
    let groups = groups.into_iter();
    let groups = groups.map(|row| group_out(reading, snapshot, row, newest));
    Ok(Sieges {
        siege: on,
        data: snapshot.sieges(MOST)?,
        aside: all.n,
        up_to: all.last,
        groups: groups.collect::<actions::Result<_>>()?,
    })
}

fn group_out(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    row: GroupRow,
    newest: usize,
) -> actions::Result<GroupOut> {
    let account = snapshot.report_at(row.newest)?;
    let account = account.map(|newest| {
        let opened = open_report(snapshot, &reading.vault, &newest);
        or_stand_in(opened, &newest.id, Report::default)
    });
    let Report { segnalazione, .. } = account.transpose()?.unwrap_or_default();
    let unlike = most_unlike(snapshot, &reading.vault, row.group, newest)?;
    Ok(GroupOut {
        group: row.group,
        n: row.n,
        excerpt: begin_of(&own_words(&segnalazione)),
        unlike: unlike.map(|(id, sentence)| Unlike {
            id,
            excerpt: begin_of(&sentence),
        }),
    })
}

fn begin_of(text: &str) -> String {
    clean_line(text).chars().take(EXCERPT).collect()
}
