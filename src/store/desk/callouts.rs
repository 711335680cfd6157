//! Tables `callouts` and `callout_versions`: questions of the newsroom's own to its public.

use crate::domain::callout::CalloutState;
use crate::domain::routing::DepartmentKey;
use crate::store::session::{Snapshot, Tx, columns, statements};

/// A callout, with what its current version asks as JSON.
#[derive(Debug, Clone, Default)]
pub struct CalloutRow {
    pub id: String,
    pub slug: String,
    pub state: CalloutState,
    pub department: Option<DepartmentKey>,
    pub version: u32,
    /// Grows with each change; the entity tag.
    pub revision: i64,
    pub body: String,
}

columns! {
    CalloutRow { id, slug, state, department, version, revision, body }
}

/// Callouts with what their present version asks.
macro_rules! present {
    ($which:literal) => {
        concat!(
            "SELECT id, slug, state, department, callouts.version, revision, body FROM callouts ",
            "JOIN callout_versions ON callout = id AND callout_versions.version = callouts.version ",
            $which
        )
    };
}

impl Snapshot<'_> {
    statements! {
        /// The newest first.
        list callouts() -> Vec<CalloutRow> =
            present!("ORDER BY number DESC");
        find callout(id: &str) -> Option<CalloutRow> =
            present!("WHERE id = ?1");
        find callout_of_slug(slug: &str) -> Option<CalloutRow> =
            present!("WHERE slug = ?1");
        find_value callout_version(id: &str, version: u32) -> Option<String> =
            "SELECT body FROM callout_versions WHERE callout = ?1 AND version = ?2";
        /// All versions, the first one first.
        list callout_versions(id: &str) -> Vec<(u32, String)> =
            "SELECT version, body FROM callout_versions WHERE callout = ?1 ORDER BY version";
        /// Conversations that began, by local day.
        list callout_starts(id: &str) -> Vec<(String, i64)> =
            "SELECT day, sum(n) FROM chat_stops WHERE callout = ?1 AND rule = 'started' GROUP BY day ORDER BY day";
        /// Reports, by quarter of an hour (`data_creazione` / 900000).
        list callout_arrivals(id: &str) -> Vec<(i64, i64)> =
            "SELECT data_creazione / 900000, count(*) FROM segnalazioni WHERE inchiesta = ?1 GROUP BY 1";
        /// Reports of all departments.
        value callout_reports(id: &str) -> i64 = "SELECT count(*) FROM main.segnalazioni WHERE inchiesta = ?1";
    }
}

impl Tx<'_> {
    statements! {
        execute put_callout(row: &CalloutRow) =
            "INSERT INTO callouts (id, slug, state, department, version, revision) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
            ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, state = excluded.state, department = excluded.department, \
            version = excluded.version, revision = excluded.revision",
            [row.id, row.slug, row.state, row.department, row.version, row.revision];
        execute put_callout_version(row: &CalloutRow) =
            "INSERT INTO callout_versions (callout, version, body) VALUES (?1, ?2, ?3) \
            ON CONFLICT (callout, version) DO UPDATE SET body = excluded.body",
            [row.id, row.version, row.body];
        execute delete_callout(id: &str) = "DELETE FROM callouts WHERE id = ?1";
    }
}
