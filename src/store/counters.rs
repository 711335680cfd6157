//! Tables `counters` and `department_counts`: how many reports there are, kept beside them by triggers.
//! Must never count the reports themselves.

use rusqlite::types::FromSql;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::Result;
use super::session::Snapshot;
use crate::domain::report::Stato;
use crate::domain::routing::Department;

/// Reports by status, over the whole archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// All.
    pub total: i64,
    /// Nuova.
    pub new: i64,
    /// In lavorazione.
    pub in_progress: i64,
    /// Risolta.
    pub resolved: i64,
}

impl Counters {
    /// Reports of that status.
    pub fn of(&self, stato: Stato) -> i64 {
        match stato {
            Stato::Nuova => self.new,
            Stato::InLavorazione => self.in_progress,
            Stato::Risolta => self.resolved,
            Stato::Archiviata => self.total - self.new - self.in_progress - self.resolved,
        }
    }
}

impl Snapshot<'_> {
    /// Reports by status.
    pub fn counters(&self) -> Result<Counters> {
        let mut counters = Counters::default();
        for (stato, n) in self.counted("SELECT stato, n FROM counters")? {
            counters.total += n;
            match stato {
                Stato::Nuova => counters.new = n,
                Stato::InLavorazione => counters.in_progress = n,
                Stato::Risolta => counters.resolved = n,
                Stato::Archiviata => {}
            }
        }
        Ok(counters)
    }

    /// Reports by department, each department once.
    pub fn department_counts(&self) -> Result<Vec<(Department, i64)>> {
        self.counted("SELECT department, n FROM department_counts")
    }

    fn counted<T: FromSql>(&self, sql: &str) -> Result<Vec<(T, i64)>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
