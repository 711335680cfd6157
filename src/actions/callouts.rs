//! Callouts ('inchieste'): what the newsroom writes of them, and when the public may answer (`PRODUCT.md §17`).
//! Must never rewrite a version that was open: conversations and reports refer to it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

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

/// What a row asks.
pub fn callout_of(row: &CalloutRow) -> Result<Callout> {
    parse(&row.body)
}

fn parse(body: &str) -> Result<Callout> {
    serde_json::from_str(body).map_err(|_| store::Error::Damaged("callout".to_owned()).into())
}

/// Its state at `now` (ms): one that has passed its last instant is closed.
pub fn state_of(row: &CalloutRow, callout: &Callout, now: i64) -> CalloutState {
    let over = callout
        .closes_at
        .is_some_and(|at| at.as_millisecond() <= now);
    match row.state {
        CalloutState::Aperta if over => CalloutState::Chiusa,
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
    there.then(|| asked_by(versions)).ok_or(Error::NotFound)
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
    let takes = row.state == CalloutState::Aperta && callout.takes_answers(now);
    let early = callout.opens_at.is_some_and(|at| at.as_millisecond() > now);
    let closed = match callout.closed_text.trim() {
        "" if early && row.state == CalloutState::Aperta => EARLY,
        "" => CLOSED,
        text => text,
    };
    let closed = (!takes).then(|| closed.to_owned());
    let CalloutRow { id, version, .. } = row;
    let shown = (row.state != CalloutState::Bozza).then_some(CalloutVersion {
        id,
        version,
        callout,
    });
    Ok(shown.map(|version| (version, closed)))
}

/// Keeps a new draft; answers its id.
pub fn create(act: &Act<'_>, callout: &Callout) -> Result<String> {
    let row = CalloutRow {
        id: Uuid::new_v4().to_string(),
        slug: callout.slug.clone(),
        state: CalloutState::Bozza,
        department: callout.department,
        version: 1,
        revision: 1,
        body: String::new(),
    };
    let id = row.id.clone();
    keep(act, row, callout)?;
    Ok(id)
}

/// Saves what is asked from now on: of one that was open as a new version.
pub fn edit(act: &Act<'_>, row: CalloutRow, callout: &Callout) -> Result<()> {
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
    let row = CalloutRow {
        department: callout.department,
        slug: callout.slug.clone(),
        version: row.version + u32::from(!draft && changed),
        ..row
    };
    keep(act, changed_row(row), callout)
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
pub fn open(act: &Act<'_>, row: CalloutRow) -> Result<()> {
    let mut callout = callout_of(&row)?;
    let mut found = problems(&callout);
    // One that is opened again by hand is over no more.
    if row.state == CalloutState::Bozza {
        if callout
            .closes_at
            .is_some_and(|at| at.as_millisecond() <= act.now)
        {
            let message = "La data di chiusura è già passata.";
            found.push(Invalid::new("closesAt", "range", message));
        }
    } else {
        let ms = |at: &Timestamp| at.as_millisecond();
        callout.opens_at = callout.opens_at.filter(|at| ms(at) <= act.now);
        callout.closes_at = callout.closes_at.filter(|at| ms(at) > act.now);
    }
    verdict(found.into_iter()).map_err(Error::Invalid)?;
    let row = CalloutRow {
        state: CalloutState::Aperta,
        ..row
    };
    keep(act, changed_row(row), &callout)
}

pub fn close(act: &Act<'_>, row: CalloutRow) -> Result<()> {
    if row.state == CalloutState::Bozza {
        return Err(Error::Conflict(
            "Un’inchiesta che non è stata aperta non si chiude.",
        ));
    }
    let callout = callout_of(&row)?;
    let row = CalloutRow {
        state: CalloutState::Chiusa,
        ..row
    };
    keep(act, changed_row(row), &callout)
}

/// Deletes one that has no reports.
pub fn delete(act: &Act<'_>, row: &CalloutRow) -> Result<()> {
    if row.state == CalloutState::Aperta {
        return Err(Error::Conflict("Prima chiudila: c’è chi sta rispondendo."));
    }
    if act.callout_reports(&row.id)? > 0 {
        return Err(Error::Conflict(
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
    /// What each version asks; the last one is in force.
    versions: Vec<BackupVersion>,
}

/// A version of a callout in the panel's backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupVersion {
    /// Its number.
    version: u32,
    /// What it asks.
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
                slug: callout.slug.clone(),
                state: self.state,
                department: callout.department,
                version: *version,
                revision: i64::from(*version),
                body: String::new(),
            };
            keep(act, row, callout)?;
        }
        Ok(())
    }
}

fn changed_row(row: CalloutRow) -> CalloutRow {
    CalloutRow {
        revision: row.revision + 1,
        ..row
    }
}

fn keep(act: &Act<'_>, row: CalloutRow, callout: &Callout) -> Result<()> {
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
    let body = serde_json::to_string(callout);
    let body = body.map_err(|_| store::Error::Damaged("callout".to_owned()))?;
    let row = CalloutRow { body, ..row };
    act.tx.put_callout(&row)?;
    Ok(act.tx.put_callout_version(&row)?)
}
