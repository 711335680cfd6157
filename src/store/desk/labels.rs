//! Table `labels`: the newsroom's own marks; which reports have one says its bit in `segnalazioni.labels`.

use crate::domain::label::{LabelColor, bit};
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

/// A label; `name` is sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct LabelRow {
    pub id: u8,
    pub color: LabelColor,
    pub epoch: i64,
    pub name: Vec<u8>,
}

columns! {
    LabelRow { id, color, epoch, name }
}

impl Snapshot<'_> {
    statements! {
        list labels() -> Vec<LabelRow> = "SELECT id, color, epoch, name FROM labels ORDER BY id";
        /// The bits of all labels that there are.
        value known_labels() -> i64 = "SELECT coalesce(sum(1 << id), 0) FROM labels";
        /// Arrival numbers of reports with a label, above this one, the lowest first: of all departments, because a label
        /// goes as a whole.
        values labelled(label: u8 as bit, above: i64, limit: usize as rows) -> Vec<i64> =
            "SELECT seq FROM main.segnalazioni INDEXED BY segnalazioni_etichette \
            WHERE labels <> 0 AND labels & ?1 <> 0 AND seq > ?2 ORDER BY seq LIMIT ?3";
    }
}

impl Tx<'_> {
    statements! {
        execute put_label(row: &LabelRow) =
            "INSERT INTO labels (id, color, epoch, name) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET \
            color = excluded.color, epoch = excluded.epoch, name = excluded.name",
            [row.id, row.color, row.epoch, row.name];
        /// Takes a label off a report; its version stays.
        execute unlabel(seq: i64, label: u8 as bit) =
            "UPDATE segnalazioni SET labels = labels & ~?2 WHERE seq = ?1";
    }

    /// Deletes a label that no report has any more; what is kept of changes of many forgets it too.
    pub fn delete_label(&self, label: u8) -> Result<()> {
        self.execute(
            "UPDATE batch_reports SET labels = labels & ~?1 WHERE labels & ?1 <> 0",
            [bit(label)],
        )?;
        self.execute("DELETE FROM labels WHERE id = ?1", [label])
    }
}
