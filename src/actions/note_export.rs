//! A copy of one report left the panel: noted at the report and in the access log.
//! Must never be needed to make the copy: it tells, it does not guard.

use super::Result;
use super::erase_reports::present;
use super::log_access::{Action, Actor, log_access};
use crate::store::{ChangeKind, HistoryRow, Tx};

pub fn note_export(tx: &Tx<'_>, now: i64, actor: &Actor, id: &str) -> Result<()> {
    present(tx, id)?;
    let row = HistoryRow {
        at: now,
        kind: ChangeKind::Esportata,
        da: None,
        a: None,
    };
    tx.insert_history(id, &row)?;
    log_access(tx, now, actor, Action::ExportPdf, Some(id))
}
