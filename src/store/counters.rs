//! Tables `counters` and `department_counts`: how many reports there are, kept beside them by triggers.
//! Must never count the reports themselves.

use super::error::Result;
use super::session::Snapshot;

/// Reports by status, over the whole archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// All reports.
    pub total: i64,
    /// Status `Nuova`.
    pub new: i64,
    /// Status `In lavorazione`.
    pub in_progress: i64,
    /// Status `Risolta`.
    pub resolved: i64,
}

impl Snapshot<'_> {
    /// Reports by status.
    pub fn counters(&self) -> Result<Counters> {
        let mut counters = Counters::default();
        for (stato, n) in self.counted("SELECT stato, n FROM counters")? {
            counters.total += n;
            match stato.as_str() {
                "Nuova" => counters.new = n,
                "In lavorazione" => counters.in_progress = n,
                "Risolta" => counters.resolved = n,
                _ => {}
            }
        }
        Ok(counters)
    }

    /// Reports by key of their department, each department once.
    pub fn department_counts(&self) -> Result<Vec<(String, i64)>> {
        self.counted("SELECT department, n FROM department_counts")
    }

    fn counted(&self, sql: &str) -> Result<Vec<(String, i64)>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
