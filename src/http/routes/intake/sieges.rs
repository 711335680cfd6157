//! Siege mode for editors: whether it is on, when it was and what was done, and the near copies that were set aside.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::retention::STEP;
use crate::actions::archive::sealing::{open_report, or_stand_in};
use crate::actions::intake::siege::{
    AsideAction, AsideScope, AsideSelection, clear_aside, most_unlike, select_aside,
};
use crate::domain::report::Report;
use crate::domain::text::clean_line;
use crate::http::erasing::{complete_erasure, forget};
use crate::http::routes::{Administrator, Answer, ApiError, ApiResult, App, Json};
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
    /// Of the newest, the report that differs most from the others; null where none has a sentence of its own.
    pub unlike: Option<Unlike>,
}

/// The report of a group that differs most from the others.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnlikeReport)]
pub struct Unlike {
    /// Its id.
    pub id: String,
    /// What only it says.
    pub excerpt: String,
}

/// What is to become of reports that were set aside.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AsideChange {
    /// What.
    action: AsideAction,
    /// Of which group; absent for all.
    group: Option<i64>,
    /// `upTo` of what was shown: later ones stay.
    up_to: i64,
}

/// What was done.
#[derive(Debug, Serialize, ToSchema)]
pub struct AsideOutcome {
    /// With how many reports.
    pub changed: usize,
    /// How many were left out of an erasure: each has a sentence that no other report of its group has.
    pub left: usize,
}

/// Whether siege mode is on, when it was and what was done, and what is set aside.
#[utoipa::path(get, path = "/sieges", tag = "segnalazioni", responses((status = 200, body = Sieges)))]
pub async fn sieges(admin: Administrator) -> Answer<Sieges> {
    let sieges = admin.read(|app, snapshot| {
        let groups = snapshot.groups_aside(MOST)?;
        let newest = COMPARED / groups.len().max(1);
        let all = snapshot.all_aside()?.unwrap_or_default();
        Ok::<_, ApiError>(Sieges {
            siege: app.siege.is_on(),
            data: snapshot.sieges(MOST)?,
            aside: all.n,
            up_to: all.last,
            groups: groups
                .into_iter()
                .map(|row| group_out(app, snapshot, row, newest))
                .collect::<ApiResult<_>>()?,
        })
    });
    sieges.await.map(Json)
}

/// Restores, archives or erases the reports of a group that was set aside, or of all groups.
#[utoipa::path(post, path = "/sieges/aside", tag = "segnalazioni", request_body = AsideChange,
    responses((status = 200, body = AsideOutcome)))]
pub async fn change_aside(
    admin: Administrator,
    Json(asked): Json<AsideChange>,
) -> Answer<AsideOutcome> {
    let AsideChange {
        action,
        group,
        up_to,
    } = asked;
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(async move {
        if action == AsideAction::Restore {
            admin.siege.clear(group);
        }
        let scope = AsideScope { group, up_to };
        let selected =
            admin.read(move |app, snapshot| select_aside(snapshot, &app.vault, action, scope));
        let AsideSelection { seqs, left } = selected.await?;
        let mut changed = 0;
        for step in seqs.chunks(STEP).map(<[i64]>::to_vec) {
            let done = admin.change(move |act| clear_aside(act, action, &step, changed == 0));
            let done = done.await?;
            changed += done.changed;
            if !done.erased.is_empty() {
                forget(&admin, done.erased).await?;
            }
        }
        if action == AsideAction::Erase {
            complete_erasure(&Arc::clone(&admin)).await?;
        }
        Ok(Json(AsideOutcome { changed, left }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

fn group_out(
    app: &App,
    snapshot: &Snapshot<'_>,
    row: GroupRow,
    newest: usize,
) -> ApiResult<GroupOut> {
    let account = snapshot.report_at(row.newest)?;
    let account = account.map(|newest| {
        let opened = open_report(snapshot, &app.vault, &newest);
        or_stand_in(opened, &newest.id, Report::default)
    });
    let Report { segnalazione, .. } = account.transpose()?.unwrap_or_default();
    let unlike = most_unlike(snapshot, &app.vault, row.group, newest)?;
    Ok(GroupOut {
        group: row.group,
        n: row.n,
        excerpt: begin_of(&segnalazione),
        unlike: unlike.map(|(id, sentence)| Unlike {
            id,
            excerpt: begin_of(&sentence),
        }),
    })
}

fn begin_of(text: &str) -> String {
    clean_line(text).chars().take(EXCERPT).collect()
}
