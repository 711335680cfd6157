//! Table `routing_memory`: reports that staff moved, by the sealed pieces of their texts. A report that is erased takes its
//! row with it.

use rusqlite::params;

use crate::domain::routing::DepartmentKey;
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, statements};

/// Moves that are remembered: the latest.
const MOST: i64 = 500;

pub struct MoveRow {
    pub report: String,
    /// The department that it is in.
    pub department: DepartmentKey,
    /// Epoch whose key seals the pieces.
    pub epoch: i64,
    pub pieces: Vec<u8>,
}

columns! {
    MoveRow { report, department, epoch, pieces }
}

impl Snapshot<'_> {
    statements! {
        /// The moves, the latest first, of all departments, because they are kept in memory for all callers.
        list moves() -> Vec<MoveRow> =
            "SELECT memory.report, report.department, memory.epoch, memory.pieces \
            FROM main.routing_memory AS memory JOIN main.segnalazioni AS report ON report.id = memory.report \
            ORDER BY memory.at DESC, memory.id DESC";
        value move_count() -> i64 = "SELECT count(*) FROM routing_memory";
    }
}

impl Tx<'_> {
    statements! {
        revised drop_move(report: &str) = "DELETE FROM routing_memory WHERE report = ?1";
        revised drop_moves() = "DELETE FROM routing_memory";
    }

    /// Remembers that a report was moved at this time (ms), in place of an earlier move of it. Beyond the latest 500 the
    /// oldest are forgotten.
    pub fn put_move(&self, report: &str, at: i64, epoch: i64, pieces: &[u8]) -> Result<()> {
        self.revise();
        self.execute(
            "INSERT OR REPLACE INTO routing_memory (report, at, epoch, pieces) VALUES (?1, ?2, ?3, ?4)",
            params![report, at, epoch, pieces],
        )?;
        self.execute(
            "DELETE FROM routing_memory WHERE id IN \
                 (SELECT id FROM main.routing_memory ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)",
            [MOST],
        )
    }
}
