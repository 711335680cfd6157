//! Reports that come back from a file, with what became of them.
//! Must never count what the triggers count by themselves: statuses are gone through in order, as they were then.

use rusqlite::params;

use super::error::{Error, Result};
use super::history::{ChangeKind, HistoryRow};
use super::reports::{NewReport, SealedNote};
use super::session::Tx;
use crate::domain::report::Stato;

/// A report with its past; the note is sealed, as its content is.
#[derive(Debug, Clone)]
pub struct PastReport {
    pub seq: i64,
    /// As it was received.
    pub received: NewReport,
    pub stato: Stato,
    /// Time of the last change, in ms.
    pub data_aggiornamento: i64,
    pub versione: i64,
    /// When staff first opened it, in ms.
    pub aperta: Option<i64>,
    pub note: Option<SealedNote>,
    pub history: Vec<HistoryRow>,
}

impl Tx<'_> {
    pub fn insert_past_report(&self, past: &PastReport) -> Result<()> {
        let id = &past.received.id;
        self.insert_report(&past.received)?;
        self.execute(
            "UPDATE segnalazioni SET seq = ?2 WHERE id = ?1",
            params![id, past.seq],
        )?;
        for change in &past.history {
            self.insert_history(id, change)?;
            if let (ChangeKind::Stato, Some(stato)) = (change.kind, &change.a) {
                let unknown = || Error::Damaged("storia".to_owned());
                let stato = Stato::parse(stato).ok_or_else(unknown)?;
                self.set_stato(id, stato, change.at)?;
            }
        }
        // Of a report without a history only the status is known.
        self.set_stato(id, past.stato, past.data_aggiornamento)?;
        self.execute("UPDATE segnalazioni SET data_aggiornamento = ?2, versione = ?3, aperta = ?4, note_epoch = ?5, \
                 note = ?6 WHERE id = ?1", params![
                id,
                past.data_aggiornamento,
                past.versione,
                past.aperta,
                past.note.as_ref().map(|note| note.epoch),
                past.note.as_ref().map(|note| &note.sealed),
            ])
    }
}
