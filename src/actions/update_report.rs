//! An editor changes status, department, urgency or note of a report, on the version that was on screen.
//! Must never overwrite what somebody else saved in the meantime.

use super::erase_reports::present;
use super::log_access::{Action, Actor, log_access};
use super::routing_memory::note_move;
use super::sealing::{open_note, seal_note};
use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::domain::text;
use crate::store::{ChangeKind, HistoryRow, ReportRow, Tx};
use crate::vault::Vault;

/// Longest internal note, in characters.
pub const NOTE_CHARS: usize = 20_000;

/// What to change; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub stato: Option<Stato>,
    pub department: Option<Department>,
    pub urgente: Option<bool>,
    /// New internal note; empty removes it.
    pub note: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Saved,
    /// Somebody else saved first; nothing was changed.
    Stale,
}

/// Saves the change if the report still has the version it was made on.
pub fn update_report(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    id: &str,
    version: i64,
    change: &Change,
) -> Result<Outcome> {
    let row = present(tx, id)?;
    if row.versione != version {
        return Ok(Outcome::Stale);
    }
    let note = change.note.as_deref().map(check_note).transpose()?;
    let stato = change.stato.unwrap_or(row.stato);
    let department = change.department.unwrap_or(row.department);
    let before = open_note(tx, vault, &row)?;
    let after = note.unwrap_or_else(|| before.clone());
    let urgente = change.urgente.unwrap_or(row.urgente);
    let changes = changes(&row, stato, department, urgente);
    let note_changed = after != before;
    if changes.is_empty() && !note_changed {
        return Ok(Outcome::Saved);
    }
    record(tx, now, id, changes, note_changed)?;
    if department != row.department {
        note_move(tx, vault, now, &row, department)?;
    }
    let sealed = if note_changed {
        seal_note(tx, vault, now, id, &after)?
    } else {
        row.note
    };
    tx.update_report(id, stato, department, urgente, sealed.as_ref(), now)?;
    log_access(tx, now, actor, Action::ReportUpdated, Some(id))?;
    Ok(Outcome::Saved)
}

fn check_note(note: &str) -> Result<String> {
    let note = text::clean(note);
    if text::char_count(&note) > NOTE_CHARS {
        let message = format!("Le note possono avere al massimo {NOTE_CHARS} caratteri.");
        return Err(Error::Invalid(vec![Invalid::new(
            "note", "tooLong", message,
        )]));
    }
    Ok(note)
}

/// A kind of change, with what was and what is.
type Turn = (ChangeKind, String, String);

fn changes(row: &ReportRow, stato: Stato, department: Department, urgente: bool) -> Vec<Turn> {
    let flag = |urgent: bool| i64::from(urgent).to_string();
    [
        (ChangeKind::Stato, row.stato.to_string(), stato.to_string()),
        (
            ChangeKind::Reparto,
            row.department.key().to_owned(),
            department.key().to_owned(),
        ),
        (ChangeKind::Urgente, flag(row.urgente), flag(urgente)),
    ]
    .into_iter()
    .filter(|(_, da, a)| da != a)
    .collect()
}

fn record(tx: &Tx<'_>, now: i64, id: &str, changes: Vec<Turn>, note_changed: bool) -> Result<()> {
    let note = note_changed.then_some((ChangeKind::Note, None, None));
    let changes = changes
        .into_iter()
        .map(|(kind, da, a)| (kind, Some(da), Some(a)));
    for (kind, da, a) in changes.chain(note) {
        let at = now;
        tx.insert_history(id, &HistoryRow { at, kind, da, a })?;
    }
    Ok(())
}
