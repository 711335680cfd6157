//! Table `chat_stops`: how many conversations began, went on, were refused an answer and ended, by local day.
//! Must never hold content, a time finer than a day, or anything by which two counts could be put together to one person.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopRow {
    /// Local day, `YYYY-MM-DD`.
    pub day: String,
    /// Question, by the name of its state.
    pub state: String,
    /// What happened, by the name of the rule.
    pub rule: String,
    pub n: i64,
}

impl Snapshot<'_> {
    /// Counts by question and rule, in that order, from a day (`YYYY-MM-DD`) on.
    pub fn chat_stops(&self, since: &str) -> Result<Vec<(String, String, i64)>> {
        self.list(
            "SELECT state, rule, sum(n) FROM chat_stops WHERE day >= ?1 GROUP BY state, rule",
            [since],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
    }
}

impl Tx<'_> {
    pub fn add_chat_stop(&self, row: &StopRow) -> Result<()> {
        self.execute(
            "INSERT INTO chat_stops (day, state, rule, n) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (day, state, rule) DO UPDATE SET n = n + excluded.n",
            params![row.day, row.state, row.rule, row.n],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn row(day: &str, rule: &str, n: i64) -> StopRow {
        StopRow {
            day: day.to_owned(),
            state: "age_check".to_owned(),
            rule: rule.to_owned(),
            n,
        }
    }

    #[test]
    fn counts_add_up_from_a_day_on() {
        let store = Store::in_memory().unwrap();
        let found = store
            .write(|tx| {
                for added in [
                    row("2026-03-01", "started", 1),
                    row("2026-03-02", "started", 2),
                    row("2026-03-02", "started", 3),
                    row("2026-03-03", "started", 4),
                    row("2026-03-03", "minor", 5),
                ] {
                    tx.add_chat_stop(&added)?;
                }
                tx.chat_stops("2026-03-02")
            })
            .unwrap();
        let expected = [("minor", 5), ("started", 9)]
            .map(|(rule, n)| ("age_check".to_owned(), rule.to_owned(), n));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_count_without_a_day_or_of_nothing_is_refused() {
        let store = Store::in_memory().unwrap();
        for refused in [row("2026-3-1", "minor", 1), row("2026-03-01", "minor", 0)] {
            assert!(store.write(move |tx| tx.add_chat_stop(&refused)).is_err());
        }
    }
}
