//! Tables `deliveries`, what is to leave the newsroom because of a report and what became of it, with the counts kept beside
//! it by triggers, and `destinations`, how each answered last. Must never hold a body in the clear, keep one once it is of no
//! more use, nor let a row be in two messages at once.

use std::collections::BTreeSet;

use rusqlite::params;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::delivery::{
    DeliveryCounters, DeliveryKind, DeliveryState, FAILING_EVERY_MS, LONGEST_WAIT_MS,
};
use crate::domain::moment;
use crate::domain::routing::DepartmentKey;
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, array, columns, rows, statements};

/// Where deliveries go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeliveryDestination)]
pub struct Destination {
    /// How they are delivered.
    #[serde(rename = "tipo")]
    pub kind: DeliveryKind,
    /// Mail address or web address; the report's id for a mail to its reporter.
    #[serde(rename = "destinatario")]
    pub address: String,
}

/// A delivery as it is first stored.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    pub report: String,
    pub to: Destination,
    /// Name of the message, the same at every attempt.
    pub message_id: String,
    /// Sealed body; none where nothing can be sent.
    pub body: Option<Vec<u8>>,
}

/// A mail, or a call of the webhook, without its body. Times are in ms.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryRow {
    /// Its number.
    pub id: i64,
    /// Id of the report.
    pub report: String,
    /// How it is delivered.
    #[serde(rename = "tipo")]
    pub kind: DeliveryKind,
    /// Mail address or web address.
    #[serde(rename = "destinatario")]
    pub destination: String,
    #[serde(skip)]
    pub message_id: String,
    /// The outcome of a bulk change.
    #[serde(rename = "stato")]
    pub state: DeliveryState,
    /// Attempts so far; since the last 'Riprova' where there was one.
    #[serde(rename = "tentativi")]
    pub attempts: u32,
    /// When it was made; RFC 3339, UTC.
    #[serde(rename = "creata", serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub created: i64,
    /// When it is tried next, if it waits; RFC 3339, UTC. A time in the past means as soon as possible.
    #[serde(rename = "prossimoTentativo", serialize_with = "moment::serialize")]
    #[schema(value_type = Option<String>)]
    pub next_at: Option<i64>,
    /// When it arrived, was given up or put away; RFC 3339, UTC.
    #[serde(rename = "conclusa", serialize_with = "moment::serialize")]
    #[schema(value_type = Option<String>)]
    pub concluded: Option<i64>,
    /// Why the last attempt failed.
    #[serde(rename = "ultimoErrore")]
    pub error: Option<String>,
}

/// A delivery that is to be sent, and what its report is like now.
#[derive(Debug, Clone)]
pub struct Due {
    pub id: i64,
    pub message_id: String,
    /// Whether it goes in no digest any more.
    pub alone: bool,
    pub attempts: u32,
    pub department: DepartmentKey,
    pub urgent: bool,
    /// Whether its report is set aside.
    pub aside: bool,
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

/// Rows whose number is in the array `?1`: one statement for all, because each one costs as much as its savepoint has pages.
const AMONG: &str = "id IN (SELECT value FROM json_each(?1))";

const DUE: &str =
    "d.id, d.message_id, d.alone, d.attempts, s.department, s.urgente, s.sospetta IS NOT NULL";

/// Mails that may be in a digest, the newest first.
const IN_DIGEST: &str = "d.state = 'pending' AND d.alone = 0 ORDER BY d.next_at DESC, d.id DESC";

const ROWS: &str = "SELECT d.id, d.report, d.kind, d.destination, d.message_id, d.shown, d.attempts, d.created, \
     iif(d.concluded IS NULL, max(d.next_at, iif(d.state = 'pending', coalesce(w.open_at, 0), 0)), NULL), d.concluded, d.error \
     FROM deliveries d LEFT JOIN destinations w ON w.kind = d.kind AND w.address = d.destination";

/// The deliveries of a kind in a state.
#[derive(Debug, Clone, Copy)]
pub struct BacklogRow {
    pub kind: DeliveryKind,
    pub count: i64,
    /// Since when the oldest waits, in ms.
    pub oldest: i64,
}

/// Which deliveries a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliveryFilter {
    /// Only those in this state.
    pub state: Option<DeliveryState>,
    /// Only those that wait after a failed attempt; with `false` only the others.
    pub retrying: Option<bool>,
}

columns! {
    BacklogRow { kind, count, oldest }
    DeliveryRow {
        id, report, kind, destination, message_id, state, attempts, created, next_at, concluded, error
    }
    Due { id, message_id, alone, attempts, department, urgent, aside }
    Answering { open_at, failures, refused }
    DeliveryCounters { pending, retrying, failed, delivered, ignored }
}

impl Snapshot<'_> {
    statements! {
        /// How many deliveries are in a state, by kind, and from when the oldest waits (ms); beyond `limit` the newest are not
        /// looked at.
        list backlog(state: DeliveryState, limit: usize as rows) -> Vec<BacklogRow> =
            "SELECT kind, count(*), min(since) FROM (SELECT kind, since FROM deliveries WHERE shown = ?1 \
            ORDER BY id LIMIT ?2) GROUP BY kind";
        /// Whether something of a kind has waited since `since` (ms) or longer, or waits for a destination that failed so often.
        value deliveries_troubled(kind: DeliveryKind, since: i64, failures: u32) -> bool =
            "SELECT EXISTS (SELECT 1 FROM deliveries WHERE concluded IS NULL AND kind = ?1 AND since <= ?2) \
            OR EXISTS (SELECT 1 FROM destinations w WHERE w.kind = ?1 AND w.failures >= ?3 AND EXISTS (SELECT 1 \
            FROM deliveries d WHERE d.concluded IS NULL AND d.kind = ?1 AND d.destination = w.address))";
        /// How many wait after an attempt that failed.
        value deliveries_retrying() -> i64 = "SELECT count(*) FROM deliveries WHERE concluded IS NULL AND error IS NOT NULL";
        /// How many of a kind, or of all, are in each state; how many are retrying is not counted beside them.
        find delivery_counters(kind: Option<DeliveryKind>) -> Option<DeliveryCounters> =
            "SELECT coalesce(sum(n) FILTER (WHERE state = 'pending'), 0), 0, coalesce(sum(n) FILTER (WHERE state = 'failed'), 0), \
            coalesce(sum(n) FILTER (WHERE state = 'delivered'), 0), coalesce(sum(n) FILTER (WHERE state = 'ignored'), 0) \
            FROM delivery_counts WHERE ?1 IS NULL OR kind = ?1";
        /// Id, name and sealed body of every message that waits.
        list delivery_bodies() -> Vec<(i64, String, Vec<u8>)> =
            "SELECT id, message_id, body FROM deliveries WHERE body IS NOT NULL";
        value delivery_body(id: i64) -> Vec<u8> = "SELECT body FROM deliveries WHERE id = ?1 AND body IS NOT NULL";
        /// The first address from this one on that something waits for.
        value next_address(kind: DeliveryKind, from: &str) -> Option<String> =
            "SELECT min(destination) FROM deliveries WHERE concluded IS NULL AND kind = ?1 AND destination >= ?2";
        find delivery(id: i64) -> Option<DeliveryRow> = &format!("{ROWS} WHERE d.id = ?1");
        /// Deliveries of a report, oldest first.
        list deliveries_of(report: &str) -> Vec<DeliveryRow> = &format!("{ROWS} WHERE d.report = ?1 ORDER BY d.id");
        /// The oldest deliveries that were given up, and those that wait where these are wanted too, after this number.
        list undelivered(waiting: bool, after: i64, limit: usize as rows) -> Vec<DeliveryRow> =
            &format!("{ROWS} WHERE d.id IN (SELECT id FROM deliveries WHERE shown = 'failed' AND id > ?2 UNION ALL \
            SELECT id FROM deliveries WHERE shown = 'pending' AND ?1 AND id > ?2 ORDER BY id LIMIT ?3) ORDER BY d.id");
        /// Whether a message to a destination is on its way, or was when the program ended.
        value is_sending(to: &Destination) -> bool = "SELECT EXISTS (SELECT 1 FROM deliveries \
            WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND state = 'sending')", [to.kind, to.address];
        /// How many of these deliveries still wait for a destination.
        value still_waiting(ids: &[i64], to: &Destination) -> i64 =
            &format!("SELECT count(*) FROM deliveries WHERE {AMONG} AND concluded IS NULL AND kind = ?2 AND destination = ?3"),
            [array(ids), to.kind, to.address];
        /// How a destination answered last, if anything went to it.
        find answering(of: &Destination) -> Option<Answering> =
            "SELECT open_at, failures, refused FROM destinations WHERE kind = ?1 AND address = ?2", [of.kind, of.address];
        /// Deliveries of a filter, newest first, older than `before` where that is given.
        list deliveries(which: DeliveryFilter, before: Option<i64>, limit: usize) -> Vec<DeliveryRow> =
            &format!("{ROWS} WHERE {} AND (?4 IS NULL OR (d.concluded IS NULL AND d.error IS NOT NULL) = ?4) AND d.id < ?2 \
            ORDER BY d.id DESC LIMIT ?3", which.state.map_or("?1 IS NULL", |_| "d.shown = ?1")),
            [which.state, before.unwrap_or(i64::MAX), rows(limit), which.retrying];
    }

    /// Every destination that something waits for, and when it is to be tried next (ms).
    pub fn waiting(&self, now: i64) -> Result<Vec<(Destination, i64)>> {
        let mut all = Vec::new();
        for kind in DeliveryKind::ALL {
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

    /// When a destination is to be tried next (ms): at once where something was cut off. `None` when nothing waits for it.
    pub fn due_at(&self, to: &Destination, now: i64) -> Result<Option<i64>> {
        if self.is_sending(to)? {
            return Ok(Some(now));
        }
        let first: Option<i64> = self.value(
            "SELECT min(next_at) FROM deliveries \
             WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 AND state = 'pending'",
            params![to.kind, to.address],
        )?;
        let believed = |at: i64| if at > now + LONGEST_WAIT_MS { now } else { at };
        let open_at = self.answering(to)?.unwrap_or_default().open_at;
        Ok(first.map(|first| believed(first).max(believed(open_at))))
    }

    /// The rows of the next message to a destination: an interrupted set as it was; else the row that has been due
    /// longest, and for mail everything that may be in one digest with it, at most `limit`: urgent ones first, then
    /// those that are not set aside, the newest first.
    pub fn next_sending(&self, to: &Destination, limit: usize) -> Result<Vec<Due>> {
        let cut_off = self.due_rows(to, "d.state = 'sending' ORDER BY d.id", usize::MAX)?;
        if !cut_off.is_empty() {
            return Ok(cut_off);
        }
        let first = self.due_rows(to, "d.state = 'pending' ORDER BY d.next_at, d.id", 1)?;
        if !to.kind.to_newsroom() || first.iter().any(|row| row.alone) {
            return Ok(first);
        }
        let newest = self.due_rows(to, IN_DIGEST, limit)?;
        if newest.len() < limit {
            return Ok(newest);
        }
        let kept = self.due_rows(to, &format!("s.sospetta IS NULL AND {IN_DIGEST}"), limit)?;
        let mut known = BTreeSet::new();
        let urgent = self.urgent_rows(to, limit)?.into_iter();
        let rows = urgent.chain(kept).chain(newest);
        let once = rows.filter(|row| known.insert(row.id));
        Ok(once.take(limit).collect())
    }

    /// The newest mails to a destination that may be in a digest and tell of urgent reports.
    fn urgent_rows(&self, to: &Destination, limit: usize) -> Result<Vec<Due>> {
        let sql = format!(
            "SELECT {DUE} FROM segnalazioni s CROSS JOIN deliveries d ON d.report = s.id AND d.kind = ?1 \
             WHERE s.urgente = 1 AND d.destination = ?2 AND d.state = 'pending' AND d.alone = 0 \
             ORDER BY s.seq DESC LIMIT ?3"
        );
        self.list(&sql, params![to.kind, to.address, rows(limit)])
    }

    fn due_rows(&self, to: &Destination, which: &str, limit: usize) -> Result<Vec<Due>> {
        let sql = format!(
            "SELECT {DUE} FROM deliveries d CROSS JOIN segnalazioni s ON s.id = d.report \
             WHERE d.concluded IS NULL AND d.kind = ?1 AND d.destination = ?2 AND {which} LIMIT ?3"
        );
        self.list(&sql, params![to.kind, to.address, rows(limit)])
    }
}

impl Tx<'_> {
    statements! {
        execute put_body(id: i64, body: &[u8]) = "UPDATE deliveries SET body = ?2 WHERE id = ?1";
        /// Lets a delivery that was given up, or waits, wait as if it were new: with this destination and body. The last error
        /// stays until there is another outcome. Answers how many did so: none where it is being sent.
        changed revive_delivery(id: i64, destination: &str, body: &[u8], now: i64) -> usize =
            "UPDATE deliveries SET state = 'pending', destination = ?2, body = ?3, attempts = 0, since = ?4, next_at = ?4, \
            concluded = NULL WHERE id = ?1 AND state IN ('failed', 'pending')";
        /// Puts away at most so many of what was given up for a destination; answers how many.
        changed ignore_failed(of: &Destination, now: i64, limit: usize) -> usize =
            "UPDATE deliveries SET state = 'ignored', concluded = ?3 WHERE id IN (SELECT id FROM deliveries \
            WHERE shown = 'failed' AND kind = ?1 AND destination = ?2 ORDER BY id LIMIT ?4)",
            [of.kind, of.address, now, rows(limit)];
        execute hasten_delivery(id: i64, now: i64) = "UPDATE deliveries SET next_at = ?2 WHERE id = ?1 AND state = 'pending'";
        /// Says why a delivery that was given up cannot even be tried again.
        execute explain_delivery(id: i64, error: &str) =
            "UPDATE deliveries SET error = ?2 WHERE id = ?1 AND state = 'failed'";
        /// Drops at most so many deliveries that were concluded before this time (ms); answers how many.
        changed delete_deliveries_before(before: i64, limit: usize as rows) -> usize =
            "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE concluded < ?1 ORDER BY concluded LIMIT ?2)";
        /// A destination that fails is to be tried at `now` (ms), though not sooner than `pause` (ms) after the last attempt. That
        /// it failed is not forgotten.
        execute open_destination(to: &Destination, now: i64, pause: i64) =
            "UPDATE destinations SET open_at = min(open_at, max(?3, tried + ?4)) \
            WHERE kind = ?1 AND address = ?2 AND failures > 0", [to.kind, to.address, now, pause];
        /// Forgets destinations that were last tried before this time (ms): nothing waits that long without being tried.
        execute delete_idle_destinations(before: i64) = "DELETE FROM destinations WHERE tried < ?1";
        /// These deliveries are being sent, which counts as an attempt.
        execute send_off(ids: &[i64], now: i64) =
            &format!("UPDATE deliveries SET state = 'sending', attempts = attempts + 1, next_at = ?2 \
            WHERE {AMONG} AND concluded IS NULL"), [array(ids), now];
        /// Ends at most so many deliveries that wait for a destination: given up for what the settings lack, else put away.
        execute end_waiting(of: &Destination, lack: Option<&str>, now: i64, limit: usize) =
            "UPDATE deliveries SET state = iif(?3 IS NULL, 'ignored', 'failed'), error = coalesce(?3, error), concluded = ?4, \
            body = NULL WHERE id IN (SELECT id FROM deliveries WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 LIMIT ?5)",
            [of.kind, of.address, lack, now, rows(limit)];
        /// These deliveries arrived, or are given up because of an error: bodies are wiped, for another try makes new ones.
        execute conclude(ids: &[i64], error: Option<&str>, now: i64) =
            &format!("UPDATE deliveries SET state = iif(?2 IS NULL, 'delivered', 'failed'), concluded = ?3, error = ?2, body = NULL \
            WHERE {AMONG} AND concluded IS NULL"), [array(ids), error, now];
        /// These deliveries did not arrive, and are to be tried again at `next_at` (ms); `alone` if not in a digest any more.
        execute put_off(ids: &[i64], error: &str, next_at: i64, alone: bool) =
            &format!("UPDATE deliveries SET state = 'pending', error = ?2, next_at = ?3, alone = max(alone, ?4) \
            WHERE {AMONG} AND concluded IS NULL"), [array(ids), error, next_at, alone];
        /// Mails that go alone and are due wait until `next_at` (ms): what is new comes before the next of them.
        execute put_off_alone(of: &Destination, next_at: i64) =
            "UPDATE deliveries SET next_at = ?3 WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 \
            AND state = 'pending' AND next_at < ?3 AND alone = 1", [of.kind, of.address, next_at];
        /// Gives up everything that has waited for this destination since `since` (ms) or longer.
        execute give_up_since(of: &Destination, since: i64, error: &str, now: i64) =
            "UPDATE deliveries SET state = 'failed', concluded = ?5, error = ?4, body = NULL \
            WHERE concluded IS NULL AND kind = ?1 AND since <= ?3 AND destination = ?2",
            [of.kind, of.address, since, error, now];
        /// The destination answers again after so many failures: what waited because of them is due now. Messages of one report
        /// that failed more often than that, and mails that go alone, failed by themselves and keep their own time.
        execute hasten_all(of: &Destination, failures: u32, now: i64) =
            "UPDATE deliveries SET next_at = ?4 WHERE concluded IS NULL AND kind = ?1 AND destination = ?2 \
            AND state = 'pending' AND next_at > ?4 AND alone = 0 AND (?5 OR attempts <= ?3)",
            [of.kind, of.address, failures, now, of.kind.to_newsroom()];
        /// Puts away a delivery that was given up, or that waits after an attempt that failed; answers how many were either.
        changed ignore_delivery(id: i64, now: i64) -> usize =
            "UPDATE deliveries SET state = 'ignored', concluded = ?2, body = NULL \
            WHERE id = ?1 AND (state = 'failed' OR (state = 'pending' AND error IS NOT NULL))";
        /// Puts away a delivery that goes to no address any more, unless it is being sent.
        execute put_away(id: i64, now: i64) =
            "UPDATE deliveries SET state = 'ignored', concluded = ?2, body = NULL WHERE id = ?1 AND state IN ('pending', 'failed')";
        execute put_answering(of: &Destination, answering: Answering, now: i64) =
            "INSERT OR REPLACE INTO destinations (kind, address, tried, open_at, failures, refused) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [of.kind, of.address, now, answering.open_at, answering.failures, answering.refused];
    }

    /// Stores a delivery that is due at once, or is given up at once because of `lack`; that one has no body, every other one
    /// has. It takes the place of an earlier one of its kind that is concluded; one that still waits says the same.
    pub fn put_delivery(&self, new: &NewDelivery, lack: Option<&str>, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO deliveries (report, kind, destination, message_id, created, since, \
             next_at, body, error, state, concluded) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5, ?6, ?7, \
             iif(?7 IS NULL, 'pending', 'failed'), iif(?7 IS NULL, NULL, ?5)) \
             ON CONFLICT (report, kind, destination) DO UPDATE SET message_id = excluded.message_id, \
             state = excluded.state, alone = 0, attempts = 0, created = ?5, since = ?5, next_at = ?5, \
             concluded = excluded.concluded, error = ?7, body = ?6 WHERE concluded IS NOT NULL",
            params![
                new.report,
                new.to.kind,
                new.to.address,
                new.message_id,
                now,
                new.body,
                lack
            ],
        )?;
        self.open_destination(&new.to, now, FAILING_EVERY_MS)
    }
}
