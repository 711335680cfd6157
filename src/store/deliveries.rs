//! Table `deliveries`: what is to leave the newsroom because of a report, what became of it, and the counts kept beside it
//! by triggers. Must never hold a body in the clear, nor keep one once it is of no more use.

use rusqlite::{OptionalExtension, Row, params};

use super::error::Result;
use super::outbox::Destination;
use super::{Snapshot, Tx};
use crate::domain::delivery::{Kind, Pace, State};

/// A delivery as it is first stored.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// Report it tells of.
    pub report: String,
    /// How.
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
    /// Report it tells of.
    pub report: String,
    /// How.
    pub kind: Kind,
    /// Mail address or web address.
    pub destination: String,
    /// Name of the message.
    pub message_id: String,
    /// What became of it.
    pub state: State,
    /// Attempts since it was made, or since somebody asked for another try.
    pub attempts: u32,
    /// When it was made.
    pub created: i64,
    /// From when it waits.
    pub since: i64,
    /// Before this it is not tried again.
    pub next_at: i64,
    /// When it arrived, was given up or put away.
    pub concluded: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// Name of the message in which it may have arrived before.
    pub doubt: Option<String>,
    /// How its destination answered lately.
    pub pace: Pace,
}

/// Deliveries by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryCounters {
    /// Waiting.
    pub pending: i64,
    /// Given up.
    pub failed: i64,
    /// Arrived, and not dropped yet.
    pub delivered: i64,
    /// Put away, and not dropped yet.
    pub ignored: i64,
}

/// Deliveries of one kind in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// How.
    pub kind: Kind,
    /// How many.
    pub n: i64,
    /// From when the oldest waits, in ms.
    pub oldest: i64,
}

const COLUMNS: &str = "d.id, d.report, d.kind, d.destination, d.message_id, d.state, d.attempts, d.created, d.since, \
                       d.next_at, d.concluded, d.error, d.doubt, w.tried, w.sent, coalesce(w.failures, 0), w.paused_until, \
                       coalesce(w.refusals, 0) FROM deliveries d LEFT JOIN destinations w ON w.kind = d.kind AND w.address = d.destination";

/// The kind in this column.
pub(super) fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<Kind> {
    let name: String = row.get(column)?;
    Kind::parse(&name).ok_or(rusqlite::Error::InvalidQuery)
}

/// The pace in the five columns from this one.
pub(super) fn pace(row: &Row<'_>, from: usize) -> rusqlite::Result<Pace> {
    Ok(Pace {
        tried: row.get(from)?,
        sent: row.get(from + 1)?,
        failures: row.get(from + 2)?,
        paused_until: row.get(from + 3)?,
        refusals: row.get(from + 4)?,
    })
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<DeliveryRow> {
    let state: String = row.get(5)?;
    Ok(DeliveryRow {
        id: row.get(0)?,
        report: row.get(1)?,
        kind: kind(row, 2)?,
        destination: row.get(3)?,
        message_id: row.get(4)?,
        state: State::parse(&state).ok_or(rusqlite::Error::InvalidQuery)?,
        attempts: row.get(6)?,
        created: row.get(7)?,
        since: row.get(8)?,
        next_at: row.get(9)?,
        concluded: row.get(10)?,
        error: row.get(11)?,
        doubt: row.get(12)?,
        pace: pace(row, 13)?,
    })
}

impl Snapshot<'_> {
    /// The delivery with this number.
    pub fn delivery(&self, id: i64) -> Result<Option<DeliveryRow>> {
        let sql = format!("SELECT {COLUMNS} WHERE d.id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([id], delivery).optional()?)
    }

    /// What a report set in motion, oldest first.
    pub fn deliveries_of(&self, report: &str) -> Result<Vec<DeliveryRow>> {
        let sql = format!("SELECT {COLUMNS} WHERE d.report = ?1 ORDER BY d.id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([report], delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Deliveries of all states or of one, newest first, older than `before` where that is given.
    pub fn deliveries(
        &self,
        state: Option<State>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>> {
        let filter = if state.is_some() {
            "d.state = ?1"
        } else {
            "?1 IS NULL"
        };
        let sql =
            format!("SELECT {COLUMNS} WHERE {filter} AND d.id < ?2 ORDER BY d.id DESC LIMIT ?3");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(
            params![
                state.map(State::as_str),
                before.unwrap_or(i64::MAX),
                i64::try_from(limit).unwrap_or(i64::MAX)
            ],
            delivery,
        )?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many deliveries of a kind there are in each state.
    pub fn delivery_counters(&self, kind: Kind) -> Result<DeliveryCounters> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT state, n FROM delivery_counts WHERE kind = ?1")?;
        let mut counters = DeliveryCounters::default();
        let mut rows = statement.query([kind.as_str()])?;
        while let Some(row) = rows.next()? {
            let (state, n): (String, i64) = (row.get(0)?, row.get(1)?);
            match State::parse(&state) {
                Some(State::Pending) => counters.pending = n,
                Some(State::Failed) => counters.failed = n,
                Some(State::Delivered) => counters.delivered = n,
                Some(State::Ignored) => counters.ignored = n,
                None => return Err(rusqlite::Error::InvalidQuery.into()),
            }
        }
        Ok(counters)
    }

    /// How many deliveries are in a state, by kind, and since when; beyond `limit` the newest are not looked at.
    pub fn backlog(&self, state: State, limit: usize) -> Result<Vec<Backlog>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT kind, count(*), min(since) FROM \
             (SELECT kind, since FROM deliveries WHERE state = ?1 ORDER BY id LIMIT ?2) GROUP BY kind",
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

    /// Whether something of a kind has waited since `since` (ms) or longer, or waits after so many attempts that failed.
    pub fn deliveries_troubled(&self, kind: Kind, since: i64, attempts: u32) -> Result<bool> {
        // One that is being tried has counted that attempt already.
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending' AND kind = ?1 AND since <= ?2) \
             OR EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending' AND error IS NOT NULL AND kind = ?1 \
             AND attempts >= ?3 AND (attempts > ?3 OR under_way IS NULL))",
        )?;
        let values = params![kind.as_str(), since, attempts];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    /// The oldest deliveries that were given up, after this number.
    pub fn failed_deliveries(&self, after: i64, limit: usize) -> Result<Vec<DeliveryRow>> {
        let sql = format!(
            "SELECT {COLUMNS} WHERE d.state = 'failed' AND d.id > ?1 ORDER BY d.id LIMIT ?2"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![after, limit], delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What was given up though it may have arrived in the message of this name, oldest first.
    pub fn failed_in_doubt(&self, doubt: &str) -> Result<Vec<DeliveryRow>> {
        let sql =
            format!("SELECT {COLUMNS} WHERE d.doubt = ?1 AND d.state = 'failed' ORDER BY d.id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([doubt], delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Snapshot<'_> {
    /// Number, message's name and sealed body of what still waits to be sent about a report.
    pub fn waiting_bodies(&self, report: &str) -> Result<Vec<(i64, String, Vec<u8>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, message_id, body FROM deliveries WHERE report = ?1 AND state = 'pending'",
        )?;
        let rows =
            statement.query_map([report], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Puts a newly sealed body in the place of that of a delivery which waits.
    pub fn put_body(&self, id: i64, body: &[u8]) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE deliveries SET body = ?2 WHERE id = ?1 AND state = 'pending'")?
            .execute(params![id, body])?;
        Ok(())
    }

    /// Stores a delivery that is due at once, or is given up at once because of `lack`; that one has no body, every other one
    /// has.
    pub fn insert_delivery(&self, new: &NewDelivery, lack: Option<&str>, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body, error, \
                 state, concluded) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5, ?6, ?7, iif(?7 IS NULL, 'pending', 'failed'), \
                 iif(?7 IS NULL, NULL, ?5))",
            )?
            .execute(params![
                new.report,
                new.kind.as_str(),
                new.destination,
                new.message_id,
                now,
                new.body,
                lack
            ])?;
        Ok(())
    }

    /// Lets a delivery that was given up wait again, as if it were new: with this destination and body. The last error
    /// stays until there is another outcome; the doubt whether it arrived too, but for another destination there is none.
    pub fn revive_delivery(&self, id: i64, destination: &str, body: &[u8], now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'pending', doubt = CASE WHEN destination = ?2 THEN doubt END, destination = ?2, \
                 body = ?3, attempts = 0, since = ?4, next_at = ?4, concluded = NULL WHERE id = ?1 AND state = 'failed'",
            )?
            .execute(params![id, destination, body, now])?;
        Ok(())
    }

    /// Puts away a delivery that was given up, or that waits after an attempt that failed and is not being tried. `false`
    /// when it is none of these; nothing was changed then.
    pub fn ignore_delivery(&self, id: i64, now: i64) -> Result<bool> {
        let changed = self
            .connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'ignored', concluded = ?2, doubt = NULL, most = NULL, body = NULL WHERE id = ?1 \
                 AND (state = 'failed' OR (state = 'pending' AND error IS NOT NULL AND under_way IS NULL))",
            )?
            .execute(params![id, now])?;
        Ok(changed > 0)
    }

    /// Puts away at most so many of what was given up for a destination; answers how many.
    pub fn ignore_failed(
        &self,
        destination: &Destination,
        now: i64,
        limit: usize,
    ) -> Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(self
            .connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'ignored', concluded = ?3, doubt = NULL, most = NULL WHERE id IN \
                 (SELECT id FROM deliveries WHERE state = 'failed' AND kind = ?1 AND destination = ?2 ORDER BY id LIMIT ?4)",
            )?
            .execute(params![
                destination.kind.as_str(),
                destination.address,
                now,
                limit
            ])?)
    }

    /// Makes a delivery that waits due at once.
    pub fn hasten_delivery(&self, id: i64, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET next_at = ?2 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, now])?;
        Ok(())
    }

    /// Makes all that waits and may have arrived in the message of this name due at once, as if it were new.
    pub fn renew_in_doubt(&self, doubt: &str, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET attempts = 0, next_at = ?2 WHERE doubt = ?1 AND state = 'pending'",
            )?
            .execute(params![doubt, now])?;
        Ok(())
    }

    /// Says why a delivery that was given up cannot even be tried again.
    pub fn explain_delivery(&self, id: i64, error: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE deliveries SET error = ?2 WHERE id = ?1 AND state = 'failed'")?
            .execute(params![id, error])?;
        Ok(())
    }

    /// Drops at most so many deliveries that were concluded before this time (ms); answers how many.
    pub fn delete_deliveries_before(&self, before: i64, limit: usize) -> Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(self
            .connection
            .prepare_cached(
                "DELETE FROM deliveries WHERE id IN \
                 (SELECT id FROM deliveries WHERE concluded < ?1 ORDER BY concluded LIMIT ?2)",
            )?
            .execute(params![before, limit])?)
    }
}
