//! Table `deliveries` as the panel sees it: what is to leave the newsroom because of a report, what became of it, and the
//! counts kept beside it by triggers. Must never hold a body in the clear, nor keep one once it is of no more use.

use rusqlite::{Params, Row, params};

use super::error::Result;
use super::outbox::Destination;
use super::{Snapshot, Tx};
use crate::domain::delivery::{Counters, FAILING_EVERY_MS, Kind, State};

/// A delivery as it is first stored.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    pub report: String,
    pub kind: Kind,
    /// Mail address or web address.
    pub destination: String,
    /// Name of the message, the same at every attempt.
    pub message_id: String,
    /// Sealed body; none where nothing can be sent.
    pub body: Option<Vec<u8>>,
}

/// A stored delivery, without its body. Times are in ms.
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    /// Number, in order of creation.
    pub id: i64,
    pub report: String,
    pub kind: Kind,
    /// Mail address or web address.
    pub destination: String,
    pub message_id: String,
    pub state: State,
    /// Attempts since it was made, or since somebody asked for another try.
    pub attempts: u32,
    pub created: i64,
    /// Before this it is not tried again; in the past while it is being sent.
    pub next_at: i64,
    /// When it arrived, was given up or put away.
    pub concluded: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// Deliveries of one kind in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub kind: Kind,
    pub n: i64,
    /// From when the oldest waits, in ms.
    pub oldest: i64,
}

const COLUMNS: &str = "d.id, d.report, d.kind, d.destination, d.message_id, d.shown, d.attempts, d.created, \
                       max(d.next_at, iif(d.state = 'pending', coalesce(w.open_at, 0), 0)), d.concluded, d.error \
                       FROM deliveries d LEFT JOIN destinations w ON w.kind = d.kind AND w.address = d.destination";

fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<Kind> {
    let name: String = row.get(column)?;
    Kind::parse(&name).ok_or(rusqlite::Error::InvalidQuery)
}

fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let name: String = row.get(column)?;
    State::parse(&name).ok_or(rusqlite::Error::InvalidQuery)
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<DeliveryRow> {
    Ok(DeliveryRow {
        id: row.get(0)?,
        report: row.get(1)?,
        kind: kind(row, 2)?,
        destination: row.get(3)?,
        message_id: row.get(4)?,
        state: state(row, 5)?,
        attempts: row.get(6)?,
        created: row.get(7)?,
        next_at: row.get(8)?,
        concluded: row.get(9)?,
        error: row.get(10)?,
    })
}

impl Snapshot<'_> {
    /// The delivery with this number.
    pub fn delivery(&self, id: i64) -> Result<Option<DeliveryRow>> {
        Ok(self.delivery_rows("d.id = ?1", [id])?.pop())
    }

    /// What a report set in motion, oldest first.
    pub fn deliveries_of(&self, report: &str) -> Result<Vec<DeliveryRow>> {
        self.delivery_rows("d.report = ?1 ORDER BY d.id", [report])
    }

    /// Deliveries of all states or of one, newest first, older than `before` where that is given.
    pub fn deliveries(
        &self,
        state: Option<State>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>> {
        let filter = if state.is_some() {
            "d.shown = ?1"
        } else {
            "?1 IS NULL"
        };
        self.delivery_rows(
            &format!("{filter} AND d.id < ?2 ORDER BY d.id DESC LIMIT ?3"),
            params![
                state.map(State::as_str),
                before.unwrap_or(i64::MAX),
                i64::try_from(limit).unwrap_or(i64::MAX)
            ],
        )
    }

    /// How many deliveries of a kind there are in each state.
    pub fn delivery_counters(&self, kind: Kind) -> Result<Counters> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT state, n FROM delivery_counts WHERE kind = ?1")?;
        let mut counters = Counters::default();
        let mut rows = statement.query([kind.as_str()])?;
        while let Some(row) = rows.next()? {
            let n = row.get(1)?;
            match state(row, 0)? {
                State::Pending => counters.pending = n,
                State::Failed => counters.failed = n,
                State::Delivered => counters.delivered = n,
                State::Ignored => counters.ignored = n,
            }
        }
        Ok(counters)
    }

    /// How many deliveries are in a state, by kind, and since when; beyond `limit` the newest are not looked at.
    pub fn backlog(&self, state: State, limit: usize) -> Result<Vec<Backlog>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT kind, count(*), min(since) FROM \
             (SELECT kind, since FROM deliveries WHERE shown = ?1 ORDER BY id LIMIT ?2) GROUP BY kind",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![state.as_str(), limit], |row| {
            Ok(Backlog {
                kind: kind(row, 0)?,
                n: row.get(1)?,
                oldest: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether something of a kind has waited since `since` (ms) or longer, or waits for a destination that failed so often.
    pub fn deliveries_troubled(&self, kind: Kind, since: i64, failures: u32) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM deliveries WHERE concluded IS NULL AND kind = ?1 AND since <= ?2) \
             OR EXISTS (SELECT 1 FROM destinations w WHERE w.kind = ?1 AND w.failures >= ?3 AND EXISTS \
             (SELECT 1 FROM deliveries d WHERE d.concluded IS NULL AND d.kind = ?1 AND d.destination = w.address))",
        )?;
        let values = params![kind.as_str(), since, failures];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    /// The oldest deliveries that were given up, after this number.
    pub fn failed_deliveries(&self, after: i64, limit: usize) -> Result<Vec<DeliveryRow>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.delivery_rows(
            "d.shown = 'failed' AND d.id > ?1 ORDER BY d.id LIMIT ?2",
            params![after, limit],
        )
    }

    fn delivery_rows(&self, which: &str, values: impl Params) -> Result<Vec<DeliveryRow>> {
        let sql = format!("SELECT {COLUMNS} WHERE {which}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values, delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Stores a delivery that is due at once, or is given up at once because of `lack`; that one has no body, every other one
    /// has.
    pub fn insert_delivery(&self, new: &NewDelivery, lack: Option<&str>, now: i64) -> Result<()> {
        self.change(
            "INSERT INTO deliveries (report, kind, destination, message_id, created, since, \
             next_at, body, error, state, concluded) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5, ?6, ?7, \
             iif(?7 IS NULL, 'pending', 'failed'), iif(?7 IS NULL, NULL, ?5))",
            params![
                new.report,
                new.kind.as_str(),
                new.destination,
                new.message_id,
                now,
                new.body,
                lack
            ],
        )?;
        self.open_destination(new.kind, &new.destination, now, FAILING_EVERY_MS)
    }

    /// Lets a delivery that was given up wait again, as if it were new: with this destination and body. The last error
    /// stays until there is another outcome.
    pub fn revive_delivery(&self, id: i64, destination: &str, body: &[u8], now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries \
             SET state = 'pending', destination = ?2, body = ?3, attempts = 0, since = ?4, \
             next_at = ?4, concluded = NULL \
             WHERE id = ?1 AND state = 'failed'",
            params![id, destination, body, now],
        )
    }

    /// Puts away a delivery that was given up, or that waits after an attempt that failed. `false` when it is neither;
    /// nothing was changed then.
    pub fn ignore_delivery(&self, id: i64, now: i64) -> Result<bool> {
        let changed = self.count_changed(
            "UPDATE deliveries SET state = 'ignored', concluded = ?2, body = NULL \
             WHERE id = ?1 AND (state = 'failed' OR (state = 'pending' AND error IS NOT NULL))",
            params![id, now],
        )?;
        Ok(changed > 0)
    }

    /// Puts away at most so many of what was given up for a destination; answers how many.
    pub fn ignore_failed(
        &self,
        destination: &Destination,
        now: i64,
        limit: usize,
    ) -> Result<usize> {
        let (kind, address) = destination.key();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.count_changed(
            "UPDATE deliveries SET state = 'ignored', concluded = ?3 \
             WHERE id IN (SELECT id FROM deliveries \
             WHERE shown = 'failed' AND kind = ?1 AND destination = ?2 ORDER BY id LIMIT ?4)",
            params![kind, address, now, limit],
        )
    }

    /// Makes a delivery that waits due at once.
    pub fn hasten_delivery(&self, id: i64, now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries SET next_at = ?2 \
             WHERE id = ?1 AND state = 'pending'",
            params![id, now],
        )
    }

    /// Says why a delivery that was given up cannot even be tried again.
    pub fn explain_delivery(&self, id: i64, error: &str) -> Result<()> {
        self.change(
            "UPDATE deliveries SET error = ?2 WHERE id = ?1 AND state = 'failed'",
            params![id, error],
        )
    }

    /// Drops at most so many deliveries that were concluded before this time (ms); answers how many.
    pub fn delete_deliveries_before(&self, before: i64, limit: usize) -> Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.count_changed(
            "DELETE FROM deliveries \
             WHERE id IN (SELECT id FROM deliveries \
             WHERE concluded < ?1 ORDER BY concluded LIMIT ?2)",
            params![before, limit],
        )
    }
}
