//! Siege mode for editors: whether it is on, when it was and what was done, and the near copies that were set aside.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::retention::STEP;
use crate::actions::intake::siege::{
    AsideAction, AsideScope, AsideSelection, clear_aside, select_aside,
};
use crate::http::erasing::{complete_erasure, forget};
use crate::http::routes::{Administrator, Answer, ApiError, ApiResult, Json};
use crate::readings::intake::{self, Sieges};

/// An action on reports that were set aside.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AsideChange {
    /// What.
    action: AsideAction,
    /// The group; absent for all groups.
    group: Option<i64>,
    /// The `upTo` of the answer that the caller saw. Later reports are left alone.
    up_to: i64,
}

/// The outcome of an action on set-aside reports.
#[derive(Debug, Serialize, ToSchema)]
pub struct AsideOutcome {
    /// The number of reports that changed.
    pub changed: usize,
    /// The number of reports that were not erased because each has a sentence that no other report of its group has.
    pub left: usize,
}

/// Whether siege mode is on, its past periods with their outcome, and the reports that are set aside.
#[utoipa::path(get, path = "/sieges", tag = "segnalazioni", responses((status = 200, body = Sieges)))]
pub async fn sieges(admin: Administrator) -> Answer<Sieges> {
    let on = admin.siege.is_on();
    let sieges = admin.read(move |reading, snapshot| intake::sieges(reading, snapshot, on));
    sieges.await.map(Json)
}

/// Restores, archives or erases the reports of a group that was set aside, or of all groups.
#[utoipa::path(post, path = "/sieges/aside", tag = "segnalazioni", request_body = AsideChange,
    responses((status = 200, body = AsideOutcome)))]
pub async fn change_aside(
    admin: Administrator,
    Json(asked): Json<AsideChange>,
) -> Answer<AsideOutcome> {
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(clear_all(admin, asked));
    let outcome = whole.await.map_err(|error| ApiError::internal(&error))?;
    outcome.map(Json)
}

async fn clear_all(admin: Administrator, asked: AsideChange) -> ApiResult<AsideOutcome> {
    let AsideChange {
        action,
        group,
        up_to,
    } = asked;
    if action == AsideAction::Restore {
        admin.siege.clear(group);
    }
    let scope = AsideScope { group, up_to };
    let selected =
        admin.read(move |reading, snapshot| select_aside(snapshot, &reading.vault, action, scope));
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
    Ok(AsideOutcome { changed, left })
}
