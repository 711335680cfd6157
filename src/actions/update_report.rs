//! An editor changes status or note of a report, on the version that was on screen.
//! Must never overwrite what somebody else saved in the meantime.

use super::log_access::{Action, Actor, log_access};
use super::sealing::{open_note, seal_note};
use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::report::Stato;
use crate::domain::text;
use crate::store::{ChangeKind, HistoryRow, ReportRow, Tx};
use crate::vault::Vault;

/// Longest internal note, in characters.
pub const NOTE_CHARS: usize = 20_000;

/// What to change; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// New status.
    pub stato: Option<Stato>,
    /// New internal note; empty removes it.
    pub note: Option<String>,
}

/// What became of a change.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is saved.
    Saved,
    /// Somebody else saved first; nothing was changed.
    Stale,
}

/// Saves the change if the report still has the version it was made on.
///
/// # Errors
/// [`Error::NotFound`] when there is no such report, [`Error::Invalid`] when the note is too long.
pub fn update_report(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    id: &str,
    version: i64,
    change: &Change,
) -> Result<Outcome> {
    let row = tx.report(id)?.ok_or(Error::NotFound)?;
    if row.versione != version {
        return Ok(Outcome::Stale);
    }
    let note = change.note.as_deref().map(check_note).transpose()?;
    let stato = change
        .stato
        .map_or_else(|| row.stato.clone(), |stato| stato.as_str().to_owned());
    let before = open_note(tx, vault, &row)?;
    let after = note.unwrap_or_else(|| before.clone());
    if stato == row.stato && after == before {
        return Ok(Outcome::Saved);
    }
    record(tx, now, &row, &stato, after != before)?;
    let sealed = if after == before {
        row.note
    } else {
        seal_note(tx, vault, now, id, &after)?
    };
    tx.update_report(id, &stato, sealed.as_ref(), now)?;
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

fn record(tx: &Tx<'_>, now: i64, row: &ReportRow, stato: &str, note_changed: bool) -> Result<()> {
    if stato != row.stato {
        let (da, a) = (Some(row.stato.clone()), Some(stato.to_owned()));
        tx.insert_history(
            &row.id,
            &HistoryRow {
                at: now,
                kind: ChangeKind::Stato,
                da,
                a,
            },
        )?;
    }
    if note_changed {
        tx.insert_history(
            &row.id,
            &HistoryRow {
                at: now,
                kind: ChangeKind::Note,
                da: None,
                a: None,
            },
        )?;
    }
    Ok(())
}
