//! Table `history`: what staff changed on a report, and when.
//! Must never hold the text of a note: only that it changed.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::error::Result;
use super::session::{Snapshot, Tx};

/// What can change on a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The status.
    Stato,
    /// The internal note.
    Note,
    /// Nothing: a copy was made.
    Esportata,
    /// The department.
    Reparto,
    /// Whether it counts as urgent.
    Urgente,
}

impl ChangeKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Stato => "stato",
            Self::Note => "note",
            Self::Esportata => "esportata",
            Self::Reparto => "reparto",
            Self::Urgente => "urgente",
        }
    }

    /// The kind of that name, as it is stored and as it travels.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "stato" => Some(Self::Stato),
            "note" => Some(Self::Note),
            "esportata" => Some(Self::Esportata),
            "reparto" => Some(Self::Reparto),
            "urgente" => Some(Self::Urgente),
            _ => None,
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRow {
    /// When, in ms.
    pub at: i64,
    /// Of what.
    pub kind: ChangeKind,
    /// Status, key of the department, or whether it was urgent (`1` or `0`) before, for a change of it.
    pub da: Option<String>,
    /// The same after.
    pub a: Option<String>,
}

impl Snapshot<'_> {
    /// The changes of a report, oldest first.
    pub fn history(&self, report: &str) -> Result<Vec<HistoryRow>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT at, kind, da, a FROM history WHERE report = ?1 ORDER BY id")?;
        let rows = statement.query_map([report], |row| {
            Ok(HistoryRow {
                at: row.get(0)?,
                kind: row.get(1)?,
                da: row.get(2)?,
                a: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Adds a change.
    pub fn insert_history(&self, report: &str, row: &HistoryRow) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO history (report, at, kind, da, a) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![report, row.at, row.kind, row.da, row.a])?;
        Ok(())
    }
}
