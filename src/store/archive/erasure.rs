//! Tables `erased`, the ledger of what was erased (reports, and files that reporters took back), and `expiry`, since when the panel warns of what the age of reports erases
//! (PRODUCT.md §14): those that staff opened and that are closed. Must never keep more of a report than a digest of its id, let
//! one come back that stands in the ledger, nor name one as due that was not opened or is still being worked on.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::declare::names;
use crate::domain::erasure::trace;
use crate::domain::moment;
use crate::domain::retention::{Notice, WARNING_MS};
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

/// The index of them by their age. It has to be named: that of the states would be taken else, and all of them read.
const IN_TIME: &str = "segnalazioni_in_scadenza";
/// Reports that may be erased because of their age, in the words of the index.
const MAY_GO: &str = "aperta IS NOT NULL AND stato IN ('Risolta', 'Archiviata')";
/// When it goes: `?1` is how long reports are kept, `?2` how long the panel warns, `?3` before when nothing goes. The
/// warning of one that was opened or closed late begins then.
const GOES_AT: &str = "max(data_creazione + ?1, coalesce(risolta, stato_dal, data_aggiornamento) + ?2, aperta + ?2, ?3)";

names! {
    /// Why it was erased.
    pub enum Cause {
        Request = "richiesta",
        Age = "scadenza",
        /// A file that its reporter took back.
        Withdrawn = "ritiro",
    }
}

/// A report, or a file of one, that was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ErasedEntry)]
pub struct LedgerRow {
    /// SHA-256 of its id (with a prefix), in hex.
    #[serde(with = "hex")]
    #[schema(value_type = String)]
    pub trace: [u8; 32],
    /// When; RFC 3339, UTC.
    #[serde(with = "moment")]
    #[schema(value_type = String)]
    pub at: i64,
    /// `richiesta` (an editor asked for it), `scadenza` (by its age) or `ritiro` (a file that its reporter took back).
    #[schema(value_type = String)]
    pub cause: Cause,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Erasures {
    /// Reports erased because an editor asked for it so far.
    #[serde(rename = "erased")]
    pub on_request: i64,
    /// Reports erased by their age so far.
    #[serde(rename = "expired")]
    pub by_age: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportKey {
    pub seq: i64,
    pub id: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Outlook {
    /// Reports that will be erased within the days of the warning.
    pub warned: i64,
    /// When the first of them goes; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = Option<String>, required)]
    pub next: Option<i64>,
    /// Reports that are old enough but are kept because they were never opened or are not closed.
    pub spared: i64,
}

columns! {
    LedgerRow { trace, at, cause }
    Erasures { on_request, by_age }
    ReportKey { seq, id }
    Notice { days, not_before, seen }
    Outlook { warned, next, spared }
}

impl Snapshot<'_> {
    statements! {
        value was_erased(id: &str as trace) -> bool = "SELECT EXISTS (SELECT 1 FROM erased WHERE trace = ?1)";
        list ledger() -> Vec<LedgerRow> = "SELECT trace, at, cause FROM erased ORDER BY trace";
        list erased_since(since: i64) -> Vec<LedgerRow> = "SELECT trace, at, cause FROM erased WHERE at > ?1";
        /// Since when the panel warns, as the timed work wrote it down.
        find notice() -> Option<Notice> = "SELECT days, not_before, seen FROM expiry";
        /// When a report goes, if it may and the panel warns of it already.
        find_value goes_at(notice: &Notice, id: &str, now: i64) -> Option<i64> =
            &format!("SELECT {GOES_AT} FROM segnalazioni WHERE id = ?4 AND {MAY_GO} AND data_creazione + ?1 <= ?5"),
            [notice.kept_ms(), WARNING_MS, notice.not_before, id, now + WARNING_MS];
        /// Reports that go at `now`, the oldest first.
        list due_to_go(notice: &Notice, now: i64, limit: usize) -> Vec<ReportKey> =
            &format!("SELECT seq, id FROM segnalazioni INDEXED BY {IN_TIME} \
            WHERE {MAY_GO} AND data_creazione <= ?4 - ?1 AND {GOES_AT} <= ?4 ORDER BY data_creazione LIMIT ?5"),
            [notice.kept_ms(), WARNING_MS, notice.not_before, now, rows(limit)];
        /// Arrival numbers of reports that the next fourteen days erase, each with when, the first to go first.
        list soon_to_go(notice: &Notice, now: i64, limit: usize) -> Vec<(i64, i64)> =
            &format!("SELECT seq, {GOES_AT} AS goes_at FROM segnalazioni INDEXED BY {IN_TIME} \
            WHERE {MAY_GO} AND data_creazione <= ?4 - ?1 ORDER BY goes_at, seq LIMIT ?5"),
            [notice.kept_ms(), WARNING_MS, notice.not_before, now + WARNING_MS, rows(limit)];
        find outlook(notice: &Notice, now: i64) -> Option<Outlook> =
            &format!("SELECT count(*), min({GOES_AT}), (SELECT count(*) FROM segnalazioni INDEXED BY segnalazioni_data \
            WHERE data_creazione <= ?5 - ?1) - count(*) FILTER (WHERE data_creazione + ?1 <= ?5) \
            FROM segnalazioni INDEXED BY {IN_TIME} WHERE {MAY_GO} AND data_creazione <= ?4 - ?1"),
            [notice.kept_ms(), WARNING_MS, notice.not_before, now + WARNING_MS, now];
        find erasures() -> Option<Erasures> =
            "SELECT sum(n) FILTER (WHERE cause = 'richiesta'), sum(n) FILTER (WHERE cause = 'scadenza') FROM erased_counts";
    }
}

impl Tx<'_> {
    statements! {
        execute enter_into_ledger(row: &LedgerRow) =
            "INSERT INTO erased (trace, at, cause) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            [row.trace, row.at, row.cause];
    }

    /// Deletes a report with everything that belongs to it, and enters it into the ledger; `None` when there is none,
    /// else its arrival number.
    pub fn erase_report(&self, id: &str, now: i64, cause: Cause) -> Result<Option<i64>> {
        let delete = "DELETE FROM segnalazioni WHERE id = ?1 RETURNING seq";
        let seq = self.find_value(delete, [id])?;
        if seq.is_some() {
            // The routing memory of it was deleted with it.
            self.revise();
            self.remember(id, now, cause)?;
        }
        Ok(seq)
    }

    /// Deletes a file of a report that its reporter takes back, and enters it into the ledger.
    pub fn erase_attachment(&self, id: &str, now: i64) -> Result<()> {
        self.execute("DELETE FROM attachments WHERE id = ?1", [id])?;
        self.remember(id, now, Cause::Withdrawn)
    }

    fn remember(&self, id: &str, now: i64, cause: Cause) -> Result<()> {
        self.enter_into_ledger(&LedgerRow {
            trace: trace(id),
            at: now,
            cause,
        })
    }

    /// Adds lines to the ledger, and deletes what then stands both there and in the archive; answers how many reports those were.
    pub(in crate::store) fn let_stay_erased(&self, lines: &[LedgerRow]) -> Result<usize> {
        for line in lines {
            self.enter_into_ledger(line)?;
        }
        self.delete_erased("attachments")?;
        self.delete_erased("segnalazioni")
    }

    fn delete_erased(&self, table: &str) -> Result<usize> {
        let ids: Vec<String> = self.values(&format!("SELECT id FROM {table}"), [])?;
        let mut returned = 0;
        for id in ids {
            if self.was_erased(&id)? {
                self.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id])?;
                returned += 1;
            }
        }
        Ok(returned)
    }

    /// Writes down since when the panel warns; `None` where nothing is erased by age.
    pub fn put_notice(&self, notice: Option<&Notice>) -> Result<()> {
        match notice {
            None => self.execute("DELETE FROM expiry", []),
            Some(notice) => self.execute(
                "INSERT OR REPLACE INTO expiry (id, days, not_before, seen) VALUES (1, ?1, ?2, ?3)",
                params![notice.days, notice.not_before, notice.seen],
            ),
        }
    }
}
