//! Table `expiry`, and which reports their age erases (PRODUCT.md §9): those that staff opened and that are resolved or
//! archived. Must never name one that nobody has opened, or that is still being worked on.

use rusqlite::params;

use super::error::Result;
use super::{Snapshot, Tx};
use crate::domain::retention::{Notice, WARNING_MS};

/// The index of them by their age. It has to be named: that of the states would be taken else, and all of them read.
const IN_TIME: &str = "segnalazioni_in_scadenza";
/// What the age of a report may erase; the words of the index.
const MAY_GO: &str = "aperta IS NOT NULL AND stato IN ('Risolta', 'Archiviata')";
/// When it goes: `?1` is how long reports are kept, `?2` how long the panel warns, `?3` before when nothing goes. The
/// warning of one that was opened or closed late begins then.
const GOES_AT: &str = "max(data_creazione + ?1, coalesce(risolta, stato_dal, data_aggiornamento) + ?2, aperta + ?2, ?3)";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportKey {
    pub seq: i64,
    pub id: String,
}

/// What the next fourteen days erase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outlook {
    pub warned: i64,
    /// When the first of them goes, in ms.
    pub next: Option<i64>,
    /// Reports that are old enough and stay: not opened, or not closed yet.
    pub spared: i64,
}

impl Snapshot<'_> {
    /// Since when the panel warns, as the timed work wrote it down.
    pub fn notice(&self) -> Result<Option<Notice>> {
        self.find("SELECT days, not_before, seen FROM expiry", [], |row| {
            Ok(Notice {
                days: row.get(0)?,
                not_before: row.get(1)?,
                seen: row.get(2)?,
            })
        })
    }

    /// When a report goes, if it may and the panel warns of it already.
    pub fn goes_at(&self, notice: &Notice, id: &str, now: i64) -> Result<Option<i64>> {
        let sql = format!(
            "SELECT {GOES_AT} FROM segnalazioni WHERE id = ?4 AND {MAY_GO} AND data_creazione + ?1 <= ?5"
        );
        let values = params![
            notice.kept_ms(),
            WARNING_MS,
            notice.not_before,
            id,
            now + WARNING_MS
        ];
        self.find(&sql, values, |row| row.get(0))
    }

    /// Reports that go at `now`, the oldest first.
    pub fn due_to_go(&self, notice: &Notice, now: i64, limit: usize) -> Result<Vec<ReportKey>> {
        let sql = format!(
            "SELECT seq, id FROM segnalazioni INDEXED BY {IN_TIME} WHERE {MAY_GO} AND data_creazione <= ?4 - ?1 AND {GOES_AT} <= ?4 \
             ORDER BY data_creazione LIMIT ?5"
        );
        let values = params![
            notice.kept_ms(),
            WARNING_MS,
            notice.not_before,
            now,
            i64::try_from(limit).unwrap_or(i64::MAX)
        ];
        self.list(&sql, values, |row| {
            Ok(ReportKey {
                seq: row.get(0)?,
                id: row.get(1)?,
            })
        })
    }

    /// Ids of reports that the next fourteen days erase, each with when, the first to go first.
    pub fn soon_to_go(
        &self,
        notice: &Notice,
        now: i64,
        limit: usize,
    ) -> Result<Vec<(String, i64)>> {
        let sql = format!(
            "SELECT id, {GOES_AT} AS goes_at FROM segnalazioni INDEXED BY {IN_TIME} WHERE {MAY_GO} AND data_creazione <= ?4 - ?1 \
             ORDER BY goes_at, seq LIMIT ?5"
        );
        let values = params![
            notice.kept_ms(),
            WARNING_MS,
            notice.not_before,
            now + WARNING_MS,
            i64::try_from(limit).unwrap_or(i64::MAX)
        ];
        self.list(&sql, values, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub fn outlook(&self, notice: &Notice, now: i64) -> Result<Outlook> {
        let (kept, soon) = (notice.kept_ms(), now + WARNING_MS);
        let sql = format!(
            "SELECT count(*), min({GOES_AT}), count(*) FILTER (WHERE data_creazione + ?1 <= ?5) \
             FROM segnalazioni INDEXED BY {IN_TIME} WHERE {MAY_GO} AND data_creazione <= ?4 - ?1"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let values = params![kept, WARNING_MS, notice.not_before, soon, now];
        let (warned, next, old): (i64, Option<i64>, i64) =
            statement.query_row(values, |row| row.try_into())?;
        let all: i64 = self.value(
            "SELECT count(*) FROM segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione <= ?1",
            [now - kept],
        )?;
        Ok(Outlook {
            warned,
            next,
            spared: all - old,
        })
    }
}

impl Tx<'_> {
    /// Writes down since when the panel warns; `None` where nothing is erased by age.
    pub fn put_notice(&self, notice: Option<&Notice>) -> Result<()> {
        match notice {
            None => self.execute("DELETE FROM expiry", []),
            Some(notice) => self.execute(
                "INSERT INTO expiry (id, days, not_before, seen) VALUES (1, ?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET \
                 days = excluded.days, not_before = excluded.not_before, seen = excluded.seen",
                params![notice.days, notice.not_before, notice.seen],
            ),
        }
    }
}
