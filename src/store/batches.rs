//! Tables `batches` and `batch_reports`: changes of many reports at once, and for a while how each report stood before.
//! Must never hold anything of a report that is not in the clear in its own row.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, rows, statements};
use crate::domain::report::Stato;
use crate::domain::routing::Department;

/// A change of many reports.
#[derive(Debug, Clone, Copy)]
pub struct BatchRow {
    pub id: i64,
    /// When it was begun, in ms.
    pub at: i64,
    /// Reports that it was asked for, and those that had their turn.
    pub total: i64,
    pub done: i64,
    /// Those that changed.
    pub changed: i64,
    /// Hash of the session that began it.
    pub session: [u8; 32],
}

/// How a report stood before, and the version that the change gave it.
#[derive(Debug, Clone)]
pub struct BeforeRow {
    pub seq: i64,
    pub versione: i64,
    pub stato: Stato,
    pub department: Department,
    pub urgente: bool,
    pub labels: i64,
    pub assegnata: Option<String>,
}

columns! {
    BatchRow { id, at, total, done, changed, session }
    BeforeRow { seq, versione, stato, department, urgente, labels, assegnata }
}

impl Snapshot<'_> {
    statements! {
        find batch(id: i64) -> Option<BatchRow> = "SELECT id, at, total, done, changed, session FROM batches WHERE id = ?1";
        /// Those begun since, the latest first.
        list batches(since: i64) -> Vec<BatchRow> =
            "SELECT id, at, total, done, changed, session FROM batches WHERE at >= ?1 ORDER BY id DESC LIMIT 20";
        list stood_before(batch: i64, limit: usize as rows) -> Vec<BeforeRow> =
            "SELECT seq, versione, stato, department, urgente, labels, assegnata FROM batch_reports WHERE batch = ?1 LIMIT ?2";
    }
}

impl Tx<'_> {
    statements! {
        value begin_batch(now: i64, total: usize as rows, session: &[u8; 32]) -> i64 =
            "INSERT INTO batches (at, total, done, changed, session) VALUES (?1, ?2, 0, 0, ?3) RETURNING id";
        execute advance_batch(id: i64, done: usize as rows, changed: usize as rows) =
            "UPDATE batches SET done = done + ?2, changed = changed + ?3 WHERE id = ?1";
        /// Keeps how a report stands before a change that raises its version by one.
        execute keep_before(batch: i64, seq: i64) =
            "INSERT INTO batch_reports SELECT ?1, seq, versione + 1, stato, department, urgente, labels, sospetta, stato_dal, risolta, \
            assegnata FROM segnalazioni WHERE seq = ?2";
        /// Gives a report back what follows from how it stood: its group of near copies, since when it had its status, and when
        /// it was resolved.
        execute put_marks_back(batch: i64, seq: i64) =
            "UPDATE segnalazioni SET (sospetta, stato_dal, risolta) = \
            (SELECT sospetta, stato_dal, risolta FROM batch_reports WHERE batch = ?1 AND seq = ?2) WHERE seq = ?2";
        execute forget_before(batch: i64, seq: i64) = "DELETE FROM batch_reports WHERE batch = ?1 AND seq = ?2";
        execute delete_batch(id: i64) = "DELETE FROM batches WHERE id = ?1";
    }

    /// Deletes what is kept of changes begun before `before`, at most `limit` rows; answers how many.
    pub fn delete_batches_before(&self, before: i64, limit: usize) -> Result<usize> {
        let Some(last) =
            self.value::<Option<i64>>("SELECT max(id) FROM batches WHERE at < ?1", [before])?
        else {
            return Ok(0);
        };
        let deleted = self.changed(
            "DELETE FROM batch_reports WHERE (batch, seq) IN \
             (SELECT batch, seq FROM batch_reports WHERE batch <= ?1 LIMIT ?2)",
            params![last, rows(limit)],
        )?;
        if deleted < limit {
            self.execute("DELETE FROM batches WHERE id <= ?1", [last])?;
        }
        Ok(deleted)
    }
}
