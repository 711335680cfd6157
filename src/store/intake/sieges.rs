//! Table `sieges`, when siege mode was on and what was done, and the groups of near copies that were set aside.

use rusqlite::params;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::moment;
use crate::domain::siege::SiegeCause;
use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, array, columns, rows, statements};

/// Sieges that are remembered.
const KEPT: i64 = 100;

/// A period of siege mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Siege)]
pub struct SiegeRow {
    /// When it began; RFC 3339, UTC.
    #[serde(with = "moment")]
    #[schema(value_type = String)]
    pub began: i64,
    /// When it ended; null while it lasts.
    #[serde(with = "moment")]
    #[schema(value_type = Option<String>, required)]
    pub ended: Option<i64>,
    /// Why it began.
    pub cause: SiegeCause,
    /// Reports that arrived during that period.
    pub reports: i64,
    /// Reports that were set aside during that period, with those from just before.
    pub set_aside: i64,
    /// Mails that digests made unnecessary.
    pub mails_spared: i64,
    /// The number of set-aside reports that an action on all of them or on a group restored.
    pub restored: i64,
    /// Archived.
    pub archived: i64,
    /// Erased.
    pub erased: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupRow {
    pub group: i64,
    pub n: i64,
    pub newest: i64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AsideRow {
    pub n: i64,
    pub last: i64,
}

columns! {
    AsideRow { n, last }
    SiegeRow { began, ended, cause, reports, set_aside, mails_spared, restored, archived, erased }
    GroupRow { group, n, newest }
}

impl Snapshot<'_> {
    statements! {
        /// The latest first; one that lasts is the first.
        list sieges(limit: usize as rows) -> Vec<SiegeRow> =
            "SELECT began, ended, cause, reports, set_aside, mails_spared, restored, archived, erased \
            FROM sieges ORDER BY id DESC LIMIT ?1";
        find_value siege() -> Option<SiegeCause> = "SELECT cause FROM sieges WHERE ended IS NULL";
        find_value siege_since() -> Option<i64> = "SELECT began FROM sieges WHERE ended IS NULL";
        /// The groups that were set aside, the newest first.
        list groups_aside(limit: usize as rows) -> Vec<GroupRow> =
            "SELECT sospetta, count(*), max(seq) FROM segnalazioni WHERE sospetta IS NOT NULL GROUP BY sospetta \
            ORDER BY sospetta DESC LIMIT ?1";
        /// Group and arrival number of the reports of a group, or of all groups, up to an arrival number.
        list reports_aside(group: Option<i64>, up_to: i64) -> Vec<(i64, i64)> =
            "SELECT sospetta, seq FROM segnalazioni WHERE sospetta IS NOT NULL AND (?1 IS NULL OR sospetta = ?1) AND seq <= ?2 \
            ORDER BY sospetta, seq";
        /// Arrival numbers of the newest reports of a group.
        values newest_aside(group: i64, limit: usize as rows) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE sospetta = ?1 ORDER BY seq DESC LIMIT ?2";
        /// Id of a report, if it is set aside.
        find_value aside_at(seq: i64) -> Option<String> =
            "SELECT id FROM segnalazioni WHERE seq = ?1 AND sospetta IS NOT NULL";
        find all_aside() -> Option<AsideRow> =
            "SELECT count(*), coalesce(max(seq), 0) FROM segnalazioni WHERE sospetta IS NOT NULL";
    }
}

impl Tx<'_> {
    statements! {
        /// Counts what was done in the siege that lasts; nothing where none does.
        execute count_in_siege(reports: usize as rows, set_aside: usize as rows, mails_spared: usize as rows) =
            "UPDATE sieges SET reports = reports + ?1, set_aside = set_aside + ?2, mails_spared = mails_spared + ?3 \
            WHERE ended IS NULL";
        /// Counts whether a report that is set aside is restored, archived or erased, in the siege that set it aside.
        execute count_cleared(id: &str, done: [bool; 3]) =
            "UPDATE sieges SET restored = restored + ?2, archived = archived + ?3, erased = erased + ?4 \
            WHERE id = (SELECT max(id) FROM sieges WHERE began <= (SELECT sospetta FROM segnalazioni WHERE id = ?1))",
            [id, done[0], done[1], done[2]];
        /// Sets reports aside that came `since` then, are not urgent, and no editor has opened or changed; answers how many.
        changed set_aside(group: i64, ids: &[String], since: i64) -> usize =
            "UPDATE segnalazioni SET sospetta = ?1 WHERE id IN (SELECT value FROM json_each(?2)) AND sospetta IS NULL \
            AND data_creazione >= ?3 AND urgente = 0 AND stato = 'Nuova' AND aperta IS NULL AND versione = 1",
            [group, array(ids), since];
        execute take_back(ids: &[String]) =
            "UPDATE segnalazioni SET sospetta = NULL WHERE id IN (SELECT value FROM json_each(?1))", [array(ids)];
    }

    /// Notes that a siege begins, or ends where there is no cause; nothing where that is noted already.
    pub fn put_siege(&self, cause: Option<SiegeCause>, now: i64) -> Result<()> {
        let Some(cause) = cause else {
            return self.execute("UPDATE sieges SET ended = ?1 WHERE ended IS NULL", [now]);
        };
        self.execute(
            "INSERT INTO sieges (began, cause) \
             SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sieges WHERE ended IS NULL)",
            params![now, cause],
        )?;
        self.execute(
            "DELETE FROM sieges WHERE id <= (SELECT max(id) FROM sieges) - ?1",
            [KEPT],
        )
    }
}
