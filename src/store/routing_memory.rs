//! Table `routing_memory`: reports that staff moved, by the sealed pieces of their texts. A report that is erased takes its
//! row with it. Must never hold pieces in the clear.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns};
use crate::domain::routing::Department;

/// Moves that are remembered: the latest.
const MOST: i64 = 500;

pub struct MoveRow {
    pub report: String,
    /// The department that it is in.
    pub department: Department,
    /// Epoch whose key seals the pieces.
    pub epoch: i64,
    /// Sealed pieces.
    pub pieces: Vec<u8>,
}

/// Two snapshots of which this is the same remember the same: numbers are never given out again, so that the moves up to the
/// same newest one can only become fewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryVersion {
    newest: i64,
    moves: i64,
}

columns! {
    MoveRow { report, department, epoch, pieces }
    MemoryVersion { newest, moves }
}

impl Snapshot<'_> {
    /// What is remembered, the latest move first.
    pub fn moves(&self) -> Result<Vec<MoveRow>> {
        self.list(
            "SELECT memory.report, segnalazioni.department, memory.epoch, memory.pieces FROM routing_memory AS memory \
             JOIN segnalazioni ON segnalazioni.id = memory.report ORDER BY memory.at DESC, memory.id DESC",
            [],
        )
    }

    pub fn move_count(&self) -> Result<i64> {
        self.value("SELECT count(*) FROM routing_memory", [])
    }

    pub fn memory_version(&self) -> Result<MemoryVersion> {
        let sql = "SELECT coalesce(max(id), 0), count(*) FROM routing_memory";
        self.find(sql, []).map(Option::unwrap_or_default)
    }
}

impl Tx<'_> {
    /// Remembers that a report was moved at this time (ms), in place of an earlier move of it. Beyond the latest 500 the
    /// oldest are forgotten.
    pub fn put_move(&self, report: &str, at: i64, epoch: i64, pieces: &[u8]) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO routing_memory (report, at, epoch, pieces) VALUES (?1, ?2, ?3, ?4)",
            params![report, at, epoch, pieces],
        )?;
        self.execute(
            "DELETE FROM routing_memory WHERE id IN \
                 (SELECT id FROM routing_memory ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)",
            [MOST],
        )
    }

    pub fn drop_move(&self, report: &str) -> Result<()> {
        self.execute("DELETE FROM routing_memory WHERE report = ?1", [report])
    }

    pub fn drop_moves(&self) -> Result<()> {
        self.execute("DELETE FROM routing_memory", [])
    }
}
