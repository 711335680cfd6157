//! Table `deliveries` as the worker sees it: what is due for which destination, what is being sent, what came of it; and
//! table `destinations`, how each answered last. Must never let a row be in two messages at once.

use rusqlite::{OptionalExtension, Params, params};

use super::error::Result;
use super::{Snapshot, Tx};
use crate::domain::delivery::{Kind, LONGEST_WAIT_MS};

/// Where deliveries go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    pub kind: Kind,
    /// Mail address or web address.
    pub address: String,
}

impl Destination {
    /// Kind and address as stored.
    pub(super) fn key(&self) -> (&str, &str) {
        (self.kind.as_str(), &self.address)
    }
}

/// A delivery that is to be sent, with its sealed body.
#[derive(Debug, Clone)]
pub struct Due {
    pub id: i64,
    pub report: String,
    /// Address that it is for.
    pub destination: String,
    /// Name of its own message.
    pub message_id: String,
    /// Whether it goes in no digest any more.
    pub alone: bool,
    /// Whether it was being sent when the program ended.
    pub cut_off: bool,
    /// Attempts so far.
    pub attempts: u32,
    pub body: Vec<u8>,
}

/// How a destination answered last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answering {
    /// Before this nothing goes to it; in ms.
    pub open_at: i64,
    /// Attempts that failed since the last one that did not.
    pub failures: u32,
    /// Digests that it refused for what they say since one was taken or divided.
    pub refused: u32,
}

impl Snapshot<'_> {
    /// Every destination that something waits for, and when it is to be tried next (ms).
    pub fn waiting(&self, now: i64) -> Result<Vec<(Destination, i64)>> {
        let mut all = Vec::new();
        for kind in [Kind::Email, Kind::Webhook] {
            let mut from = String::new();
            while let Some(address) = self.next_address(kind, &from)? {
                // The immediate successor of the address: each search seeks past all that waits for one address.
                from = format!("{address}\0");
                let destination = Destination { kind, address };
                let due = self.due_at(&destination, now)?;
                all.extend(due.map(|due| (destination, due)));
            }
        }
        Ok(all)
    }

    /// The first address from this one on that something waits for.
    fn next_address(&self, kind: Kind, from: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT min(destination) FROM deliveries WHERE concluded IS NULL AND kind = ?1 AND destination >= ?2",
        )?;
        Ok(statement.query_row(params![kind.as_str(), from], |row| row.get(0))?)
    }

    /// When a destination is to be tried next (ms): at once where something was cut off. `None` when nothing waits for it.
    pub fn due_at(&self, destination: &Destination, now: i64) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM deliveries \
                WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND state = 'sending'), \
             (SELECT min(next_at) FROM deliveries \
                WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND state = 'pending')",
        )?;
        let key = destination.key();
        let (cut_off, first): (bool, Option<i64>) =
            statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        if cut_off {
            return Ok(Some(now));
        }
        let believed = |at: i64| if at > now + LONGEST_WAIT_MS { now } else { at };
        let open_at = self.answering(destination)?.open_at;
        Ok(first.map(|first| believed(first).max(believed(open_at))))
    }

    /// What makes up the next message to a destination, oldest first: what was cut off, as the same set; else what has been
    /// due longest, and of mails everything with it that may be in one digest, at most `limit`.
    pub fn next_sending(&self, destination: &Destination, limit: u32) -> Result<Vec<Due>> {
        let (kind, address) = destination.key();
        let cut_off = self.due_rows("state = 'sending' ORDER BY id", params![kind, address])?;
        if !cut_off.is_empty() {
            return Ok(cut_off);
        }
        let first = self.due_rows(
            "state = 'pending' ORDER BY next_at, id LIMIT 1",
            params![kind, address],
        )?;
        if destination.kind == Kind::Webhook || first.iter().any(|row| row.alone) {
            return Ok(first);
        }
        let mut digest = self.due_rows(
            "state = 'pending' AND alone = 0 ORDER BY next_at, id LIMIT ?3",
            params![kind, address, limit],
        )?;
        digest.sort_by_key(|row| row.id);
        Ok(digest)
    }

    fn due_rows(&self, which: &str, values: impl Params) -> Result<Vec<Due>> {
        let sql = format!(
            "SELECT id, report, destination, message_id, alone, state = 'sending', attempts, body FROM deliveries \
             WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND {which}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values, |row| {
            Ok(Due {
                id: row.get(0)?,
                report: row.get(1)?,
                destination: row.get(2)?,
                message_id: row.get(3)?,
                alone: row.get(4)?,
                cut_off: row.get(5)?,
                attempts: row.get(6)?,
                body: row.get(7)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How a destination answered last.
    pub fn answering(&self, destination: &Destination) -> Result<Answering> {
        let mut statement = self.connection.prepare_cached(
            "SELECT open_at, failures, refused FROM destinations WHERE kind = ?1 AND address = ?2",
        )?;
        let key = destination.key();
        let found = statement.query_row(key, |row| {
            Ok(Answering {
                open_at: row.get(0)?,
                failures: row.get(1)?,
                refused: row.get(2)?,
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}

impl Tx<'_> {
    /// Runs one statement; answers how many rows it changed.
    pub(super) fn count_changed(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(values)?)
    }

    pub(super) fn change(&self, sql: &str, values: impl Params) -> Result<()> {
        self.count_changed(sql, values).map(drop)
    }

    /// Keeps how a destination answered at `now` (ms).
    pub fn put_answering(
        &self,
        destination: &Destination,
        answering: Answering,
        now: i64,
    ) -> Result<()> {
        let (kind, address) = destination.key();
        self.change(
            "INSERT INTO destinations (kind, address, tried, open_at, failures, refused) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT (kind, address) DO UPDATE SET tried = excluded.tried, \
             open_at = excluded.open_at, failures = excluded.failures, refused = excluded.refused",
            params![
                kind,
                address,
                now,
                answering.open_at,
                answering.failures,
                answering.refused
            ],
        )
    }

    /// A destination that fails is to be tried at `now` (ms), though not sooner than `pause` (ms) after the last attempt. That
    /// it failed is not forgotten.
    pub fn open_destination(&self, kind: Kind, address: &str, now: i64, pause: i64) -> Result<()> {
        self.change(
            "UPDATE destinations SET open_at = min(open_at, max(?3, tried + ?4)) \
             WHERE kind = ?1 AND address = ?2 AND failures > 0",
            params![kind.as_str(), address, now, pause],
        )
    }

    /// Forgets destinations that were last tried before this time (ms): nothing waits that long without being tried.
    pub fn delete_idle_destinations(&self, before: i64) -> Result<()> {
        self.change("DELETE FROM destinations WHERE tried < ?1", [before])
    }

    /// A delivery is being sent, which counts as an attempt.
    pub fn send_off(&self, id: i64, now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries SET state = 'sending', attempts = attempts + 1, next_at = ?2 \
             WHERE id = ?1 AND concluded IS NULL",
            params![id, now],
        )
    }

    /// A delivery arrived: its body is wiped.
    pub fn delivered(&self, id: i64, now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries SET state = 'delivered', concluded = ?2, error = NULL, body = NULL \
             WHERE id = ?1 AND concluded IS NULL",
            params![id, now],
        )
    }

    /// A delivery is given up: its body is wiped, for another try makes a new one.
    pub fn given_up(&self, id: i64, error: &str, now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries SET state = 'failed', concluded = ?3, error = ?2, body = NULL \
             WHERE id = ?1 AND concluded IS NULL",
            params![id, error, now],
        )
    }

    /// A delivery did not arrive, and is to be tried again at `next_at` (ms); `alone` if not in a digest any more.
    pub fn put_off(&self, id: i64, error: &str, next_at: i64, alone: bool) -> Result<()> {
        self.change(
            "UPDATE deliveries \
             SET state = 'pending', error = ?2, next_at = ?3, alone = max(alone, ?4) \
             WHERE id = ?1 AND concluded IS NULL",
            params![id, error, next_at, alone],
        )
    }

    /// A mail that waits is due at `now` (ms), for another address.
    pub fn readdress(&self, id: i64, address: &str, now: i64) -> Result<()> {
        self.change(
            "UPDATE deliveries SET destination = ?2, next_at = ?3 \
             WHERE id = ?1 AND concluded IS NULL",
            params![id, address, now],
        )
    }

    /// Gives up everything that has waited for this destination since `since` (ms) or longer.
    pub fn give_up_since(
        &self,
        destination: &Destination,
        since: i64,
        error: &str,
        now: i64,
    ) -> Result<()> {
        let (kind, address) = destination.key();
        self.change(
            "UPDATE deliveries SET state = 'failed', concluded = ?5, error = ?4, body = NULL \
             WHERE concluded IS NULL AND kind = ?1 AND since <= ?3 AND destination = ?2",
            params![kind, address, since, error, now],
        )
    }

    /// The destination answers again after so many failures: what waited because of them is due now. Calls that failed more
    /// often than that, and mails that go alone, failed by themselves and keep their own time.
    pub fn hasten_all(&self, destination: &Destination, failures: u32, now: i64) -> Result<()> {
        let (kind, address) = destination.key();
        self.change(
            "UPDATE deliveries SET next_at = ?4 \
             WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND state = 'pending' \
             AND next_at > ?4 AND alone = 0 AND (kind = 'email' OR attempts <= ?3)",
            params![kind, address, failures, now],
        )
    }
}
