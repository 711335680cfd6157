//! Tables `deliveries` and `destinations` as the courier sees them: what waits for which destination, what is on its way,
//! what came of it. Must never let a row be taken twice, nor a destination's pace be forgotten over a restart.

use rusqlite::{OptionalExtension, Params, params};

use super::deliveries::pace;
use super::error::Result;
use super::{Snapshot, Tx};
use crate::domain::delivery::{Kind, LONGEST_WAIT_MS, Pace};

/// Where deliveries go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    /// How.
    pub kind: Kind,
    /// Mail address or web address.
    pub address: String,
}

/// What waits for a destination. Times are in ms.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Where it is to go.
    pub destination: Destination,
    /// When the first of it is due.
    pub first_due: i64,
    /// Since when the newest of it waits.
    pub newest: i64,
    /// Whether some of it was cut off on its way.
    pub cut_off: bool,
    /// How the destination answered lately.
    pub pace: Pace,
}

impl Waiting {
    /// When the destination is to be tried next, in ms. What was cut off is sent again at once.
    pub fn due_at(&self, now: i64) -> i64 {
        if self.cut_off {
            return now;
        }
        let ahead = self.first_due > now + LONGEST_WAIT_MS;
        let first = if ahead { now } else { self.first_due };
        first.max(self.pace.opens_at(self.destination.kind, self.newest, now))
    }
}

/// A delivery to be sent, with its sealed body.
#[derive(Debug, Clone)]
pub struct Due {
    /// Its number.
    pub id: i64,
    /// Report it tells of.
    pub report: String,
    /// Name of its own message.
    pub message_id: String,
    /// Name of the message in which it was on its way when it was cut off.
    pub under_way: Option<String>,
    /// Name of the message in which it may have arrived before.
    pub doubt: Option<String>,
    /// Length of the longest list in which it may go out; none is too long where there is no number.
    pub most: Option<u32>,
    /// Attempts so far.
    pub attempts: u32,
    /// Sealed body.
    pub body: Vec<u8>,
}

/// Deliveries that may go into one mail: those in doubt under a name, or all that may be in lists of the same length.
struct List {
    doubt: Option<String>,
    most: Option<u32>,
    /// Fewest attempts of one of them.
    attempts: u32,
    /// Lowest number of one of them.
    first: i64,
    /// When the first of them is due, in ms.
    due: i64,
}

impl List {
    /// Its turn after a mail that did not arrive: the rank, and what counts among those of one rank before attempts do. What
    /// was never refused goes before what was, what is in doubt too as long as it was tried less than `tries` times.
    fn turn_after(&self, pace: Pace, tries: u32) -> (u8, i64) {
        match (&self.doubt, self.most) {
            _ if pace.refusals == 0 => (0, 0),
            (None, None) => (0, 0),
            (Some(_), _) => (if self.attempts < tries { 0 } else { 2 }, 0),
            (None, Some(most)) if pace.looks_elsewhere() => (1, -i64::from(most)),
            (None, Some(most)) => (1, i64::from(most)),
        }
    }
}

/// What waits for a destination, each of it at the end of what an index has for that destination: thousands wait through an
/// outage, for this one or for others, and with every report and every attempt this is asked.
const WAITING: &str = "SELECT \
    (SELECT min(next_at) FROM deliveries INDEXED BY deliveries_waiting \
    WHERE state = 'pending' AND kind = ?1 AND destination = ?2), \
    (SELECT max(since) FROM deliveries INDEXED BY deliveries_newest \
    WHERE state = 'pending' AND kind = ?1 AND destination = ?2), \
    EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_under_way \
    WHERE under_way IS NOT NULL AND kind = ?1 AND destination = ?2)";

impl Snapshot<'_> {
    /// Every destination that something waits for.
    pub fn waiting(&self) -> Result<Vec<Waiting>> {
        let mut all = Vec::new();
        for kind in [Kind::Email, Kind::Webhook] {
            let mut from = String::new();
            while let Some(address) = self.next_address(kind, &from)? {
                // Nothing is between an address and itself with one byte of zero behind it.
                from = format!("{address}\0");
                all.extend(self.waiting_for(&Destination { kind, address })?);
            }
        }
        Ok(all)
    }

    /// The first address from this one on that something waits for.
    fn next_address(&self, kind: Kind, from: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT min(destination) FROM deliveries INDEXED BY deliveries_waiting \
             WHERE state = 'pending' AND kind = ?1 AND destination >= ?2",
        )?;
        Ok(statement.query_row(params![kind.as_str(), from], |row| row.get(0))?)
    }

    /// What waits for one destination; `None` when nothing does.
    pub fn waiting_for(&self, destination: &Destination) -> Result<Option<Waiting>> {
        let mut statement = self.connection.prepare_cached(WAITING)?;
        let key = params![destination.kind.as_str(), destination.address];
        let (due, newest, cut_off) = statement.query_row(key, |row| {
            let due: (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok((due.0, due.1, row.get(2)?))
        })?;
        let (Some(first_due), Some(newest)) = (due, newest) else {
            return Ok(None);
        };
        Ok(Some(Waiting {
            destination: destination.clone(),
            first_due,
            newest,
            cut_off,
            pace: self.pace(destination)?,
        }))
    }

    /// What was cut off on its way to a destination, in one message; empty when nothing was.
    pub fn cut_off(&self, destination: &Destination) -> Result<Vec<Due>> {
        self.due_rows(
            "INDEXED BY deliveries_under_way WHERE kind = ?2 AND destination = ?1 AND under_way = (SELECT under_way \
             FROM deliveries INDEXED BY deliveries_under_way WHERE kind = ?2 AND destination = ?1 \
             AND under_way IS NOT NULL ORDER BY id LIMIT 1) ORDER BY id",
            params![destination.address, destination.kind.as_str()],
        )
    }

    /// What makes up the next mail to an address, oldest first, whether or not each of it is due: what may have arrived
    /// in one mail already goes in that one again; of everything else those go together that may be in lists of the same
    /// length, at most `limit`. After a mail that arrived, what has been due longest goes first, so that nothing new keeps
    /// it waiting for ever; after one that did not, what was tried least, so that nothing ill keeps what is new waiting; while lists are divided,
    /// one part after the other as [`Pace::looks_elsewhere`] says. But
    /// as long as `most_in_doubt` mails or more are in doubt and one of them was tried less than `tries` times, only those.
    pub fn next_mail(
        &self,
        destination: &Destination,
        limit: u32,
        (most_in_doubt, tries): (usize, u32),
        now: i64,
    ) -> Result<Vec<Due>> {
        let lists = self.lists(destination, tries, now)?;
        let doubted = || lists.iter().filter(|list| list.doubt.is_some());
        let crowded =
            doubted().count() >= most_in_doubt && doubted().any(|list| list.attempts < tries);
        let address = &destination.address;
        match lists.iter().find(|list| list.doubt.is_some() || !crowded) {
            Some(List {
                doubt: Some(name), ..
            }) => self.due_rows(
                "INDEXED BY deliveries_lists WHERE state = 'pending' AND kind = 'email' AND destination = ?1 \
                 AND doubt = ?2 ORDER BY id",
                params![address, name],
            ),
            Some(List {
                most: Some(most), ..
            }) => self.due_rows(
                "WHERE id IN (SELECT id FROM deliveries INDEXED BY deliveries_lists WHERE state = 'pending' AND kind = 'email' \
                 AND destination = ?1 AND doubt IS NULL AND most = ?2 ORDER BY next_at > ?4, attempts, id LIMIT ?3) ORDER BY id",
                params![address, most, limit.min(*most), now],
            ),
            Some(_) => self.due_rows(
                "INDEXED BY deliveries_lists WHERE state = 'pending' AND kind = 'email' AND destination = ?1 \
                 AND doubt IS NULL AND most IS NULL ORDER BY id LIMIT ?2",
                params![address, limit],
            ),
            None => Ok(Vec::new()),
        }
    }

    /// What waits for an address, by the mails that it may go in; what goes next first.
    fn lists(&self, destination: &Destination, tries: u32, now: i64) -> Result<Vec<List>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT doubt, CASE WHEN doubt IS NULL THEN most END AS bound, min(attempts), min(id), min(due) FROM \
             (SELECT doubt, most, min(attempts) AS attempts, min(id) AS id, min(iif(next_at > ?2 + ?3, ?2, next_at)) AS due \
             FROM deliveries INDEXED BY deliveries_lists \
             WHERE state = 'pending' AND kind = 'email' AND destination = ?1 GROUP BY doubt, most) GROUP BY doubt, bound",
        )?;
        let key = params![destination.address, now, LONGEST_WAIT_MS];
        let lists = statement.query_map(key, |row| {
            Ok(List {
                doubt: row.get(0)?,
                most: row.get(1)?,
                attempts: row.get(2)?,
                first: row.get(3)?,
                due: row.get(4)?,
            })
        })?;
        let mut lists: Vec<List> = lists.collect::<rusqlite::Result<_>>()?;
        let pace = self.pace(destination)?;
        let arrived = pace.failures == 0 && pace.refusals == 0;
        lists.sort_by_key(|list| {
            let turn = if arrived {
                (0, list.due)
            } else {
                list.turn_after(pace, tries)
            };
            (list.due > now, turn, list.attempts, list.first)
        });
        Ok(lists)
    }

    /// The call to make next of what is due at `now`: what was tried least, then what has been due longest.
    pub fn next_call(&self, destination: &Destination, now: i64) -> Result<Option<Due>> {
        let rows = self.due_rows(
            "INDEXED BY deliveries_calls WHERE state = 'pending' AND kind = 'webhook' AND destination = ?1 \
             AND (next_at <= ?2 OR next_at > ?2 + ?3) ORDER BY attempts, next_at, id LIMIT 1",
            params![destination.address, now, LONGEST_WAIT_MS],
        )?;
        Ok(rows.into_iter().next())
    }

    fn due_rows(&self, which: &str, values: impl Params) -> Result<Vec<Due>> {
        let sql = format!(
            "SELECT id, report, message_id, under_way, attempts, body, doubt, most FROM deliveries {which}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values, |row| {
            Ok(Due {
                id: row.get(0)?,
                report: row.get(1)?,
                message_id: row.get(2)?,
                under_way: row.get(3)?,
                attempts: row.get(4)?,
                body: row.get(5)?,
                doubt: row.get(6)?,
                most: row.get(7)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How a destination answered lately.
    pub fn pace(&self, destination: &Destination) -> Result<Pace> {
        let mut statement = self.connection.prepare_cached(
            "SELECT tried, sent, failures, paused_until, refusals FROM destinations WHERE kind = ?1 AND address = ?2",
        )?;
        let key = params![destination.kind.as_str(), destination.address];
        let found = statement.query_row(key, |row| pace(row, 0)).optional()?;
        Ok(found.unwrap_or_default())
    }
}

impl Tx<'_> {
    /// Keeps how a destination answered.
    pub fn put_pace(&self, destination: &Destination, pace: &Pace) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO destinations (kind, address, tried, sent, failures, paused_until, refusals) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (kind, address) DO UPDATE SET tried = excluded.tried, \
                 sent = excluded.sent, failures = excluded.failures, paused_until = excluded.paused_until, \
                 refusals = excluded.refusals",
            )?
            .execute(params![
                destination.kind.as_str(),
                destination.address,
                pace.tried,
                pace.sent,
                pace.failures,
                pace.paused_until,
                pace.refusals
            ])?;
        Ok(())
    }

    /// Forgets destinations that nothing goes to any more, nor could be sent to again, and that were last tried before this
    /// time (ms).
    pub fn delete_idle_destinations(&self, before: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                // By the two states that have an index of destinations: what has arrived is never walked through.
                "DELETE FROM destinations WHERE tried < ?1 AND NOT EXISTS \
                 (SELECT 1 FROM deliveries d WHERE d.state = 'pending' AND d.kind = destinations.kind \
                 AND d.destination = destinations.address) AND NOT EXISTS \
                 (SELECT 1 FROM deliveries d WHERE d.state = 'failed' AND d.kind = destinations.kind \
                 AND d.destination = destinations.address)",
            )?
            .execute([before])?;
        Ok(())
    }

    /// Marks a delivery as on its way in this message, which counts as an attempt. One that was cut off on its way before
    /// may have arrived then.
    pub fn send_off(&self, id: i64, message_id: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET doubt = coalesce(doubt, under_way), under_way = ?2, attempts = attempts + 1 \
                 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, message_id])?;
        Ok(())
    }

    /// A delivery arrived: its body is wiped.
    pub fn delivered(&self, id: i64, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'delivered', concluded = ?2, error = NULL, under_way = NULL, doubt = NULL, \
                 most = NULL, body = NULL WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, now])?;
        Ok(())
    }

    /// A delivery is given up: its body is wiped, for another try makes a new one. The doubt whether it arrived stays.
    pub fn given_up(&self, id: i64, error: &str, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'failed', concluded = ?3, error = ?2, under_way = NULL, body = NULL \
                 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, error, now])?;
        Ok(())
    }

    /// A delivery is to be tried again at `next_at` (ms): it did not arrive, or may have in the message `doubt`.
    pub fn put_off(&self, id: i64, error: &str, next_at: i64, doubt: Option<&str>) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET error = ?2, next_at = ?3, under_way = NULL, doubt = coalesce(doubt, ?4) \
                 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, error, next_at, doubt])?;
        Ok(())
    }

    /// A delivery was refused in a list for what the list says, and did not arrive: it is due again at `now` (ms), in one of
    /// at most `most`.
    pub fn divide(&self, id: i64, error: &str, most: usize, now: i64) -> Result<()> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET error = ?2, next_at = ?3, under_way = NULL, doubt = NULL, most = ?4 \
                 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, error, now, most])?;
        Ok(())
    }

    /// Notes that a delivery was refused in a list for what the list says: unless a doubt binds it to that list, it goes in
    /// one of at most `most`.
    pub fn suspect(&self, id: i64, most: usize) -> Result<()> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.connection
            .prepare_cached("UPDATE deliveries SET most = ?2 WHERE id = ?1 AND state = 'pending'")?
            .execute(params![id, most])?;
        Ok(())
    }

    /// A mail that waits is due at `now` (ms), for another address.
    pub fn readdress(&self, id: i64, address: &str, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET destination = ?2, next_at = ?3 WHERE id = ?1 AND state = 'pending'",
            )?
            .execute(params![id, address, now])?;
        Ok(())
    }

    /// The mail of this name arrived: what was given up and may have been in it before, and was not now, is bound to that
    /// name no more, for whoever has seen the name would not look at a second one.
    pub fn forget_doubt(&self, message_id: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET doubt = NULL WHERE doubt = ?1 AND state = 'failed'",
            )?
            .execute([message_id])?;
        Ok(())
    }

    /// Gives up everything that has waited for this destination since `since` (ms) or longer; answers how many. What is in
    /// doubt together is given up together, when the newest of it has waited that long.
    pub fn give_up_since(
        &self,
        destination: &Destination,
        since: i64,
        error: &str,
        now: i64,
    ) -> Result<usize> {
        Ok(self
            .connection
            .prepare_cached(
                "UPDATE deliveries SET state = 'failed', concluded = ?5, error = ?4, under_way = NULL, body = NULL \
                 WHERE state = 'pending' AND kind = ?1 AND destination = ?2 AND since <= ?3 \
                 AND (doubt IS NULL OR doubt NOT IN (SELECT doubt FROM deliveries WHERE state = 'pending' AND kind = ?1 \
                 AND destination = ?2 AND since > ?3 AND doubt IS NOT NULL))",
            )?
            .execute(params![
                destination.kind.as_str(),
                destination.address,
                since,
                error,
                now
            ])?)
    }

    /// The destination answers again after so many failures: what waited because of them is due now. What failed more
    /// often than that is ill by itself, and keeps its own pace; of mails that is what is left of a list that was refused.
    pub fn hasten_all(&self, destination: &Destination, failures: u32, now: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE deliveries SET next_at = ?4 WHERE state = 'pending' AND kind = ?1 AND destination = ?2 \
                 AND next_at > ?4 AND (attempts <= ?3 OR (kind = 'email' AND coalesce(most, 2) > 1))",
            )?
            .execute(params![
                destination.kind.as_str(),
                destination.address,
                failures,
                now
            ])?;
        Ok(())
    }
}
