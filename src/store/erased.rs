//! Table `erased`: the ledger of what was erased, and the erasing itself.
//! Must never keep more of a report than a digest of its id, nor let one come back that stands in the ledger.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::error::Result;
use super::{Snapshot, Tx};
use crate::domain::erasure::trace;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    #[serde(rename = "richiesta")]
    Request,
    #[serde(rename = "scadenza")]
    Age,
}

impl Cause {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "richiesta",
            Self::Age => "scadenza",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        [Self::Request, Self::Age]
            .into_iter()
            .find(|cause| cause.as_str() == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerRow {
    /// Digest of the id ([`trace`]).
    pub trace: [u8; 32],
    /// When, in ms.
    pub at: i64,
    pub cause: Cause,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erasures {
    pub on_request: i64,
    pub by_age: i64,
}

impl Snapshot<'_> {
    pub fn was_erased(&self, id: &str) -> Result<bool> {
        self.value(
            "SELECT EXISTS (SELECT 1 FROM erased WHERE trace = ?1)",
            [trace(id)],
        )
    }

    pub fn erasures(&self) -> Result<Erasures> {
        let sql = "SELECT n FROM erased_counts WHERE cause = ?1";
        let count = |cause: Cause| self.value(sql, [cause.as_str()]);
        Ok(Erasures {
            on_request: count(Cause::Request)?,
            by_age: count(Cause::Age)?,
        })
    }

    pub fn ledger(&self) -> Result<Vec<LedgerRow>> {
        let sql = "SELECT trace, at, cause FROM erased ORDER BY trace";
        self.list(sql, [], |row| {
            let cause: String = row.get(2)?;
            Ok(LedgerRow {
                trace: row.get(0)?,
                at: row.get(1)?,
                cause: Cause::parse(&cause).ok_or(rusqlite::Error::InvalidQuery)?,
            })
        })
    }
}

impl Tx<'_> {
    /// Deletes a report with everything that belongs to it, and enters it into the ledger; `None` when there is none,
    /// else its arrival number.
    pub fn erase_report(&self, id: &str, now: i64, cause: Cause) -> Result<Option<i64>> {
        let delete = "DELETE FROM segnalazioni WHERE id = ?1 RETURNING seq";
        let seq = self.find(delete, [id], |row| row.get(0))?;
        if seq.is_some() {
            self.enter_into_ledger(&LedgerRow {
                trace: trace(id),
                at: now,
                cause,
            })?;
        }
        Ok(seq)
    }

    /// Enters a line of another copy of the ledger, unless it stands there already.
    pub fn enter_into_ledger(&self, line: &LedgerRow) -> Result<()> {
        enter(self.connection, line)
    }
}

fn enter(connection: &Connection, row: &LedgerRow) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO erased (trace, at, cause) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![row.trace, row.at, row.cause.as_str()])?;
    Ok(())
}

/// Adds lines to the ledger of a database, and deletes what then stands both there and among its reports; answers how many
/// that were.
pub(super) fn let_stay_erased(connection: &Connection, lines: &[LedgerRow]) -> Result<usize> {
    for line in lines {
        enter(connection, line)?;
    }
    let mut known = connection.prepare("SELECT EXISTS (SELECT 1 FROM erased WHERE trace = ?1)")?;
    let mut ids = connection.prepare("SELECT id FROM segnalazioni")?;
    let ids = ids.query_map([], |row| row.get(0))?;
    let mut returned = Vec::new();
    for id in ids {
        let id: String = id?;
        if known.query_row([trace(&id)], |row| row.get(0))? {
            returned.push(id);
        }
    }
    let mut delete = connection.prepare("DELETE FROM segnalazioni WHERE id = ?1")?;
    for id in &returned {
        delete.execute([id])?;
    }
    Ok(returned.len())
}
