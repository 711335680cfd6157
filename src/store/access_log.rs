//! Tables `access_log` (what administrators did, when and from where) and `access_refusals` (who was not let in, counted).
//! Must never hold the content of a report, a secret, or anything about a reporter's connection, nor let whoever is refused
//! push out what was done.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, rows};

/// A quarter of an hour, in ms.
const QUARTER_MS: i64 = 15 * 60 * 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessEntry {
    /// When, in ms; of what happened several times, the last time.
    pub at: i64,
    /// What: `LOGIN_SUCCESS`, `REPORT_VIEWED`, … (PRODUCT.md §6).
    pub action: String,
    /// The address; empty for a command on the server, and for the rest of many.
    pub ip: String,
    /// The browser; likewise.
    pub user_agent: String,
    pub report: Option<String>,
    pub times: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionCount {
    pub action: String,
    /// Since the later of two moments.
    pub lately: i64,
    /// Since the earlier of them.
    pub before: i64,
    /// In the whole log.
    pub total: i64,
}

columns! {
    AccessEntry { at, action, ip, user_agent, report, times }
    ActionCount { action, lately, before, total }
}

impl Snapshot<'_> {
    /// The newest entries, of one action or of all: so many of what was done, and so many of who was not let in.
    pub fn access_log(
        &self,
        done: usize,
        refused: usize,
        action: Option<&str>,
    ) -> Result<Vec<AccessEntry>> {
        self.list(
            "SELECT at, action, ip, user_agent, report, times FROM (
                 SELECT * FROM (SELECT at, action, ip, user_agent, report, 1 AS times, id FROM access_log
                     WHERE ?3 IS NULL OR action = ?3 ORDER BY at DESC, id DESC LIMIT ?1)
                 UNION ALL
                 SELECT * FROM (SELECT at, action, client, user_agent, NULL, times, (SELECT max(id) + 1 FROM access_log)
                     FROM access_refusals WHERE ?3 IS NULL OR action = ?3 ORDER BY at DESC LIMIT ?2))
             ORDER BY at DESC, id DESC",
            params![rows(done), rows(refused), action],
        )
    }

    /// How often each action was done since `lately`, since `before` (both in ms) and in the whole log; by name.
    pub fn access_counts(&self, lately: i64, before: i64) -> Result<Vec<ActionCount>> {
        self.list(
            "SELECT action, coalesce(sum(times) FILTER (WHERE at >= ?1), 0),
                 coalesce(sum(times) FILTER (WHERE at >= ?2), 0), sum(times)
             FROM (SELECT action, at, 1 AS times FROM access_log
                 UNION ALL SELECT action, at, times FROM access_refusals)
             GROUP BY action ORDER BY action",
            [lately, before],
        )
    }

    /// When something was done last, in ms.
    pub fn last_access(&self, action: &str) -> Result<Option<i64>> {
        self.find_value(
            "SELECT at FROM access_log WHERE action = ?1 ORDER BY id DESC LIMIT 1",
            [action],
        )
    }
}

impl Tx<'_> {
    pub fn clear_access_log(&self) -> Result<()> {
        self.execute("DELETE FROM access_log", [])?;
        self.execute("DELETE FROM access_refusals", [])
    }

    /// Drops entries older than a moment (ms), at most `limit` of what was done; answers how many.
    pub fn delete_access_before(&self, moment: i64, limit: usize) -> Result<usize> {
        self.execute("DELETE FROM access_refusals WHERE at < ?1", [moment])?;
        self.changed(
            "DELETE FROM access_log WHERE id IN (SELECT id FROM access_log WHERE at < ?1 ORDER BY id LIMIT ?2)",
            [moment, rows(limit)],
        )
    }

    /// Adds what was done, and drops the oldest beyond `keep`.
    pub fn insert_access(&self, entry: &AccessEntry, keep: usize) -> Result<()> {
        self.execute(
            "INSERT INTO access_log (at, action, ip, user_agent, report) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![entry.at, entry.action, entry.ip, entry.user_agent, entry.report],
        )?;
        self.execute(
            "DELETE FROM access_log WHERE id <= (SELECT max(id) FROM access_log) - ?1",
            [rows(keep)],
        )
    }

    /// Counts who was not let in: in a quarter of an hour a row for each of the first `clients`, and one for all others. Drops
    /// the oldest quarters beyond `keep` rows.
    pub fn count_refusal(&self, entry: &AccessEntry, clients: usize, keep: usize) -> Result<()> {
        let quarter = entry.at.div_euclid(QUARTER_MS);
        let one_more = self.value(
            "SELECT count(*) < ?3 OR total(client = ?4) > 0 FROM access_refusals
             WHERE quarter = ?1 AND action = ?2 AND client <> ''",
            params![quarter, entry.action, rows(clients), entry.ip],
        )?;
        let (client, agent) = if one_more {
            (entry.ip.as_str(), entry.user_agent.as_str())
        } else {
            ("", "")
        };
        self.execute(
            "INSERT INTO access_refusals (quarter, action, client, user_agent, at, times) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (quarter, action, client) DO UPDATE SET
                 times = times + excluded.times, at = max(at, excluded.at), user_agent = excluded.user_agent",
            params![quarter, entry.action, client, agent, entry.at, entry.times],
        )?;
        self.execute(
            "DELETE FROM access_refusals WHERE quarter <
                 (SELECT quarter FROM access_refusals ORDER BY quarter DESC LIMIT 1 OFFSET ?1)",
            [rows(keep)],
        )
    }
}
