//! Callouts ('inchieste'): what the newsroom writes of them, and when the public may answer (`PRODUCT.md §17`).
//! Must never rewrite a version that was open: conversations and reports refer to it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actions::settings::department_list;
use crate::actions::{Act, Error, Result};
use crate::domain::callout::{
    Callout, CalloutQuestion, CalloutState, asked_by, problems, refusals,
};
use crate::domain::chat::CalloutVersion;
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::text::is_blank;
use crate::store::{self, CalloutRow, Snapshot};

const CLOSED: &str = "Questa inchiesta è chiusa.";
const EARLY: &str = "Questa inchiesta non è ancora aperta.";

/// The questions of a row.
pub fn callout_of(row: &CalloutRow) -> Result<Callout> {
    parse(&row.body)
}

fn parse(body: &str) -> Result<Callout> {
    serde_json::from_str(body).map_err(|_| store::Error::Damaged("callout".to_owned()).into())
}

/// Its state at `now` (ms): one that has passed its last instant is closed.
pub fn state_of(row: &CalloutRow, callout: &Callout, now: i64) -> CalloutState {
    match row.state {
        CalloutState::Aperta if callout.is_over(now) => CalloutState::Chiusa,
        state => state,
    }
}

/// The version that a conversation began with.
pub fn version_of(snapshot: &Snapshot<'_>, id: &str, version: u32) -> Result<Arc<CalloutVersion>> {
    let body = snapshot.callout_version(id, version)?;
    Ok(Arc::new(CalloutVersion {
        id: id.to_owned(),
        version,
        callout: parse(&body.ok_or(Error::BadToken)?)?,
    }))
}

/// All that a callout asked so far, what it asks now first.
pub fn questions_of(snapshot: &Snapshot<'_>, id: &str) -> Result<Vec<CalloutQuestion>> {
    let versions = snapshot.callout_versions(id)?.into_iter().rev();
    let versions = versions.map(|(_, body)| parse(&body));
    let versions = versions.collect::<Result<Vec<_>>>()?;
    let there = !versions.is_empty();
    there
        .then(|| asked_by(versions))
        .ok_or(Error::CalloutNotFound)
}

/// A callout by the name in its address, with what its page says where it takes no answers; `None` for one that the public does
/// not know.
pub fn shown(
    snapshot: &Snapshot<'_>,
    slug: &str,
    now: i64,
) -> Result<Option<(CalloutVersion, Option<String>)>> {
    let Some(row) = snapshot.callout_of_slug(slug)? else {
        return Ok(None);
    };
    let callout = callout_of(&row)?;
    let (open, early) = (row.state == CalloutState::Aperta, callout.is_early(now));
    let closed = match callout.closed_text.trim() {
        _ if open && !early && !callout.is_over(now) => None,
        "" if open && early => Some(EARLY.to_owned()),
        "" => Some(CLOSED.to_owned()),
        text => Some(text.to_owned()),
    };
    let CalloutRow { id, version, .. } = row;
    let shown = CalloutVersion {
        id,
        version,
        callout,
    };
    Ok((row.state != CalloutState::Bozza).then_some((shown, closed)))
}

/// Keeps a new draft; answers its id.
pub fn create(act: &Act<'_>, callout: &Callout) -> Result<String> {
    let id = Uuid::new_v4().to_string();
    let row = CalloutRow {
        id: id.clone(),
        version: 1,
        ..CalloutRow::default()
    };
    keep(act, row, callout)?;
    Ok(id)
}

/// Saves what is asked from now on: of one that was open as a new version.
pub fn edit(act: &Act<'_>, mut row: CalloutRow, callout: &Callout) -> Result<()> {
    let draft = row.state == CalloutState::Bozza;
    if !draft && callout.slug != row.slug {
        let message = "L’indirizzo di un’inchiesta che è stata aperta non cambia più.";
        return Err(Invalid::new("slug", "range", message).into());
    }
    let mut found = match row.state {
        CalloutState::Aperta => problems(callout),
        _ => Vec::new(),
    };
    if act.callout_reports(&row.id)? > 0 {
        found.extend(turned(&questions_of(act, &row.id)?, callout));
    }
    verdict(found.into_iter()).map_err(Error::Invalid)?;
    let changed = callout_of(&row)? != *callout;
    row.version += u32::from(!draft && changed);
    keep(act, row, callout)
}

/// Questions that take another kind of answer than the one which reports have under their key.
fn turned(asked: &[CalloutQuestion], callout: &Callout) -> Vec<Invalid> {
    let turned = |at: usize, question: &CalloutQuestion| {
        let before = asked.iter().find(|one| one.key == question.key)?;
        let message = "Ha già delle risposte di un altro tipo: aggiungi una domanda nuova.";
        (before.kind != question.kind)
            .then(|| Invalid::new(format!("questions.{at}.kind"), "range", message))
    };
    let questions = callout.questions.iter().enumerate();
    questions.filter_map(|(at, one)| turned(at, one)).collect()
}

/// Lets the public answer; `Err` with what is wrong, by field, where it cannot.
pub fn open(act: &Act<'_>, mut row: CalloutRow) -> Result<()> {
    let mut callout = callout_of(&row)?;
    let mut found = problems(&callout);
    let (early, over) = (callout.is_early(act.now), callout.is_over(act.now));
    if row.state == CalloutState::Bozza && over {
        let message = "La data di chiusura è già passata.";
        found.push(Invalid::new("closesAt", "range", message));
    } else if row.state != CalloutState::Bozza {
        // One that is opened again by hand is open at once.
        callout.opens_at = callout.opens_at.filter(|_| !early);
        callout.closes_at = callout.closes_at.filter(|_| !over);
    }
    verdict(found.into_iter()).map_err(Error::Invalid)?;
    row.state = CalloutState::Aperta;
    keep(act, row, &callout)
}

pub fn close(act: &Act<'_>, mut row: CalloutRow) -> Result<()> {
    if row.state == CalloutState::Bozza {
        return Err(Error::conflict(
            "Un’inchiesta che non è stata aperta non si chiude.",
        ));
    }
    let callout = callout_of(&row)?;
    row.state = CalloutState::Chiusa;
    keep(act, row, &callout)
}

/// Deletes one that has no reports.
pub fn delete(act: &Act<'_>, row: &CalloutRow) -> Result<()> {
    if row.state == CalloutState::Aperta {
        return Err(Error::conflict("Prima chiudila: c’è chi sta rispondendo."));
    }
    if act.callout_reports(&row.id)? > 0 {
        return Err(Error::conflict(
            "Ci sono segnalazioni di questa inchiesta: si può chiudere, non eliminare.",
        ));
    }
    Ok(act.tx.delete_callout(&row.id)?)
}

/// A callout in the panel's backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupCallout {
    /// 36-character id.
    id: String,
    /// Whether the public may answer.
    state: CalloutState,
    /// The content of each version; the last one is in force.
    versions: Vec<BackupVersion>,
}

/// A version of a callout in the panel's backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupVersion {
    /// Its number.
    version: u32,
    /// Its content.
    callout: Callout,
}

/// All callouts, the newest first.
pub fn backups(snapshot: &Snapshot<'_>) -> Result<Vec<BackupCallout>> {
    let of = |row: CalloutRow| {
        let versions = snapshot.callout_versions(&row.id)?.into_iter();
        let versions = versions.map(|(version, body)| {
            let callout = parse(&body)?;
            Ok(BackupVersion { version, callout })
        });
        Ok(BackupCallout {
            versions: versions.collect::<Result<_>>()?,
            state: row.state,
            id: row.id,
        })
    };
    snapshot.callouts()?.into_iter().map(of).collect()
}

impl BackupCallout {
    pub fn store(&self, act: &Act<'_>) -> Result<()> {
        for BackupVersion { version, callout } in &self.versions {
            let row = CalloutRow {
                id: self.id.clone(),
                state: self.state,
                version: *version,
                ..CalloutRow::default()
            };
            let department = callout
                .department
                .map(|key| department_list::standing(act, key));
            let callout = Callout {
                department: department.transpose()?,
                ..callout.clone()
            };
            keep(act, row, &callout)?;
        }
        Ok(())
    }
}

fn keep(act: &Act<'_>, mut row: CalloutRow, callout: &Callout) -> Result<()> {
    let mut found = refusals(callout);
    let namesake = act.callout_of_slug(&callout.slug)?;
    if namesake.is_some_and(|other| other.id != row.id) {
        let message = "C’è già un’inchiesta con questo indirizzo.";
        found.push(Invalid::new("slug", "taken", message));
    }
    if is_blank(&callout.title) {
        found.push(Invalid::new("title", "empty", "Serve un titolo."));
    }
    verdict(found.into_iter()).map_err(Error::Invalid)?;
    if let Some(key) = callout.department {
        department_list::known(act, key, "department")?;
    }
    row.revision += 1;
    row.department = callout.department;
    row.slug.clone_from(&callout.slug);
    let body = serde_json::to_string(callout);
    row.body = body.map_err(|_| store::Error::Damaged("callout".to_owned()))?;
    act.tx.put_callout(&row)?;
    Ok(act.tx.put_callout_version(&row)?)
}
