//! A report that comes back from a file in the clear is sealed with this newsroom's key, and keeps its id and its past.
//! Must never be reachable from a request: only a restore makes reports that no conversation ended with.

use super::Result;
use super::routing_memory::remember;
use super::sealing::{Content, seal_note, seal_report};
use crate::domain::report::{Report, Stato};
use crate::domain::routing::Analysis;
use crate::store::{ChangeKind, HistoryRow, NewReport, PastReport, Tx};
use crate::vault::{Vault, VaultError};

/// A report as a file tells it.
pub struct Imported {
    /// Its id, kept.
    pub id: String,
    /// What the reporter said.
    pub report: Report,
    /// Its department, and why.
    pub analysis: Analysis,
    /// Whether it counts as urgent.
    pub urgente: bool,
    /// Status.
    pub stato: Stato,
    /// Internal note; empty for none.
    pub note: String,
    /// Time of arrival, in ms.
    pub data_creazione: i64,
    /// Time of the last change, in ms.
    pub data_aggiornamento: i64,
    /// The entity tag.
    pub versione: i64,
    /// When staff first opened it, in ms.
    pub aperta: Option<i64>,
    /// Version of the privacy notice that was shown.
    pub privacy_version: String,
    /// What happened to it, oldest first.
    pub history: Vec<HistoryRow>,
}

/// Stores it under an arrival number. Where staff moved it counts again: routing remembers it.
pub fn import_report(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    seq: i64,
    imported: Imported,
) -> Result<()> {
    let department = imported.analysis.department.key();
    let content = Content {
        report: &imported.report,
        analysis: imported.analysis,
    };
    let sealed = seal_report(tx, vault, now, &imported.id, &content)?;
    let said = serde_json::to_vec(&imported.report).map_err(|_| VaultError::Damaged)?;
    let note = seal_note(tx, vault, now, &imported.id, &imported.note)?;
    let moves = |change: &&HistoryRow| change.kind == ChangeKind::Reparto;
    let arrived = imported.history.iter().find(moves);
    let arrived = arrived.and_then(|change| change.da.as_deref());
    let corrected = arrived.is_some_and(|arrived| arrived != department);
    let moved = imported.history.iter().rfind(moves).map(|change| change.at);
    tx.insert_past_report(&PastReport {
        seq,
        received: NewReport {
            id: imported.id.clone(),
            data_creazione: imported.data_creazione,
            department,
            urgente: imported.urgente,
            privacy_version: imported.privacy_version,
            impronta: vault.fingerprint(&said),
            epoch: sealed.epoch,
            contenuto: sealed.blob,
        },
        stato: imported.stato.as_str().to_owned(),
        data_aggiornamento: imported.data_aggiornamento,
        versione: imported.versione,
        aperta: imported.aperta,
        note,
        history: imported.history,
    })?;
    if let Some(moved) = moved.filter(|_| corrected) {
        let (id, account) = (&imported.id, &imported.report.segnalazione);
        remember(tx, vault, now, moved, id, account)?;
    }
    Ok(())
}
