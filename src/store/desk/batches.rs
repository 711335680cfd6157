//! Tables `batches` and `batch_reports`: changes of many reports at once, and for a while how each report stood before.

use rusqlite::params;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::moment;
use crate::domain::report::Stato;
use crate::domain::routing::DepartmentKey;
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

/// The progress of a bulk change.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = BulkProgress)]
pub struct BatchRow {
    /// Its number.
    #[serde(rename = "batch")]
    pub id: i64,
    /// When it was begun; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub at: i64,
    /// The number of reports to be changed.
    pub total: i64,
    /// The number of reports processed so far.
    pub done: i64,
    /// The number of reports that changed.
    pub changed: i64,
    /// Whether the calling session started the change.
    pub own: bool,
    /// Id of the person who began it.
    #[serde(skip)]
    pub person: Option<String>,
    /// What was asked for, as JSON.
    #[serde(skip)]
    pub change: String,
}

/// How a report stood before, and the version that the change gave it.
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
#[derive(Debug, Clone)]
pub struct BeforeRow {
    pub seq: i64,
    pub versione: i64,
    pub stato: Stato,
    pub department: DepartmentKey,
    pub urgente: bool,
    pub labels: i64,
    pub assegnata: Option<String>,
    /// The story, where the change gave it another.
    pub moved: bool,
    pub storia: Option<String>,
    /// Until when it was put off, in ms, and by whom, where the change put it off.
    pub put_off: bool,
    pub rinviata: Option<i64>,
    pub rinviata_da: Option<String>,
    /// Since when nothing was left to do about it, in ms, where the change said so or took that back.
    pub dealt_with: bool,
    pub fatta: Option<i64>,
    /// Whether it was changed again since, in what the change gave it.
    pub overtaken: bool,
}

columns! {
    BatchRow { id, at, total, done, changed, own, person, change }
    BeforeRow { seq, versione, stato, department, urgente, labels, assegnata, moved, storia, put_off, rinviata, rinviata_da, dealt_with, fatta, overtaken }
}

impl Snapshot<'_> {
    statements! {
        /// As a session sees it, by its hash.
        find batch(id: i64, session: &[u8; 32]) -> Option<BatchRow> =
            "SELECT id, at, total, done, changed, session = ?2, person, change FROM batches WHERE id = ?1";
        /// Those begun since, the latest first.
        list batches(since: i64, session: &[u8; 32]) -> Vec<BatchRow> =
            "SELECT id, at, total, done, changed, session = ?2, person, change FROM batches WHERE at >= ?1 ORDER BY id DESC LIMIT 20";
        /// How many reports it was asked for; nothing once it was taken back.
        find_value batch_total(id: i64) -> Option<i64> = "SELECT total FROM batches WHERE id = ?1";
        list stood_before(batch: i64, limit: usize as rows) -> Vec<BeforeRow> =
            "SELECT b.seq, b.versione, b.stato, b.department, b.urgente, b.labels, b.assegnata, b.storia IS NOT storia_a, b.storia, \
            b.rinviata IS NOT rinviata_a, b.rinviata, rinviata_da, b.fatta IS NOT fatta_a, b.fatta, b.versione IS NOT s.versione \
            OR b.storia IS NOT storia_a AND s.storia IS NOT storia_a OR b.rinviata IS NOT rinviata_a AND s.rinviata IS NOT rinviata_a \
            OR b.fatta IS NOT fatta_a AND s.fatta IS NOT fatta_a \
            FROM batch_reports AS b LEFT JOIN segnalazioni AS s ON s.seq = b.seq WHERE batch = ?1 LIMIT ?2";
    }
}

impl Tx<'_> {
    statements! {
        value begin_batch(now: i64, total: usize as rows, session: &[u8; 32], person: Option<&str>, change: &str) -> i64 =
            "INSERT INTO batches (at, total, done, changed, session, person, change) VALUES (?1, ?2, 0, 0, ?3, ?4, ?5) RETURNING id";
        execute advance_batch(id: i64, done: usize as rows, changed: usize as rows) =
            "UPDATE batches SET done = done + ?2, changed = changed + ?3 WHERE id = ?1";
        /// Keeps how a report stands before a change.
        execute keep_before(batch: i64, seq: i64) =
            "INSERT INTO batch_reports SELECT ?1, seq, versione, stato, department, urgente, labels, sospetta, stato_dal, risolta, \
            assegnata, storia, storia, rinviata, rinviata, (SELECT person FROM snoozes WHERE report = segnalazioni.id), fatta, fatta \
            FROM segnalazioni WHERE seq = ?2";
        /// Keeps what the change gave it, by which a later one is told.
        execute keep_given(batch: i64, seq: i64) =
            "UPDATE batch_reports SET (versione, storia_a, rinviata_a, fatta_a) = \
            (SELECT s.versione, s.storia, s.rinviata, s.fatta FROM segnalazioni AS s WHERE s.seq = ?2) WHERE batch = ?1 AND seq = ?2";
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
        let deleted = self.changed(
            "DELETE FROM batch_reports WHERE (batch, seq) IN (SELECT batch, seq FROM batch_reports \
             WHERE batch <= (SELECT max(id) FROM batches WHERE at < ?1) LIMIT ?2)",
            params![before, rows(limit)],
        )?;
        if deleted < limit {
            let sql = "DELETE FROM batches WHERE id <= (SELECT max(id) FROM batches WHERE at < ?1)";
            self.execute(sql, [before])?;
        }
        Ok(deleted)
    }
}
