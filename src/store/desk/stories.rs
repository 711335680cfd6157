//! Tables `stories`, what reports are about that `segnalazioni.storia` joins, `apart`, which of them do not belong together, and
//! `sketches`, what stories are found by (`search::stories`). Must never hold a title, a note or a sketch in the clear.

use crate::domain::report::Stato;
use crate::domain::routing::DepartmentKey;
use crate::store::session::{Snapshot, Tx, array, columns, rows, statements};

/// A story; title and note are sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct StoryRow {
    pub id: String,
    /// Grows with title and note alone; the entity tag.
    pub version: i64,
    pub epoch: i64,
    pub sealed: Vec<u8>,
}

/// The columns of a report by which its story is described.
#[derive(Debug, Clone)]
pub struct MemberRow {
    pub seq: i64,
    pub id: String,
    pub stato: Stato,
    pub department: DepartmentKey,
    pub assegnata: Option<String>,
    pub labels: i64,
    pub data_creazione: i64,
    /// Whether its reporter waits for an answer.
    pub answered: bool,
}

columns! {
    StoryRow { id, version, epoch, sealed }
    MemberRow { seq, id, stato, department, assegnata, labels, data_creazione, answered }
}

impl Snapshot<'_> {
    statements! {
        find story(id: &str) -> Option<StoryRow> = "SELECT id, version, epoch, sealed FROM stories WHERE id = ?1";
        list stories_among(ids: &[&str] as array) -> Vec<StoryRow> =
            "SELECT id, version, epoch, sealed FROM stories WHERE id IN (SELECT value FROM json_each(?1))";
        list stories() -> Vec<StoryRow> = "SELECT id, version, epoch, sealed FROM stories ORDER BY id";
        /// The ids of those with a report that lists show, each with the arrival number of the last one, below this one, the highest
        /// first.
        list latest_stories(below: i64, limit: usize as rows) -> Vec<(String, i64)> =
            "SELECT storia, max(seq) AS last FROM segnalazioni WHERE storia IS NOT NULL AND da_parte IS NULL GROUP BY storia \
            HAVING last < ?1 ORDER BY last DESC LIMIT ?2";
        /// The reports of a story that lists show, oldest first.
        list story_members(story: &str) -> Vec<MemberRow> =
            "SELECT seq, id, stato, department, assegnata, labels, data_creazione, attende IS NOT NULL \
            FROM segnalazioni WHERE storia = ?1 AND da_parte IS NULL ORDER BY seq";
        /// Whether the caller sees all reports of a story.
        value sees_all_of_story(story: &str) -> bool =
            "SELECT (SELECT count(*) FROM segnalazioni WHERE storia = ?1) = \
            (SELECT count(*) FROM main.segnalazioni WHERE storia = ?1)";
        /// Those of these reports that lists show and all such of the stories that they belong to, each with its story, oldest first.
        list members_among(seqs: &[i64] as array) -> Vec<(i64, String, Option<String>)> =
            "SELECT seq, id, storia FROM segnalazioni WHERE seq IN (SELECT value FROM json_each(?1)) AND da_parte IS NULL UNION \
            SELECT seq, id, storia FROM segnalazioni WHERE da_parte IS NULL AND storia IN (SELECT storia FROM segnalazioni \
            WHERE seq IN (SELECT value FROM json_each(?1)) AND da_parte IS NULL) ORDER BY seq";
        /// Those of these reports that lists show.
        values without_aside(seqs: &[i64] as array) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE seq IN (SELECT value FROM json_each(?1)) AND da_parte IS NULL";
        /// Each of these reports with those that it does not belong with.
        list apart_from(seqs: &[i64] as array) -> Vec<(i64, i64)> =
            "SELECT a, b FROM apart WHERE a IN (SELECT value FROM json_each(?1)) \
            UNION ALL SELECT b, a FROM apart WHERE b IN (SELECT value FROM json_each(?1))";
        /// Arrival numbers of all reports of a story, in order.
        values story_seqs(story: &str) -> Vec<i64> = "SELECT seq FROM segnalazioni WHERE storia = ?1 ORDER BY seq";
        /// Sketches of reports above this arrival number, in order.
        list sketches(above: i64, limit: usize as rows) -> Vec<(i64, Vec<u8>)> =
            "SELECT report, sealed FROM sketches WHERE report > ?1 ORDER BY report LIMIT ?2";
        /// Arrival numbers of reports above this one that have no sketch, in order.
        values unsketched(above: i64, limit: usize as rows) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE seq > ?1 AND NOT EXISTS (SELECT 1 FROM sketches WHERE report = seq) \
            ORDER BY seq LIMIT ?2";
    }
}

impl Tx<'_> {
    statements! {
        execute put_story(row: &StoryRow) =
            "INSERT INTO stories (id, version, epoch, sealed) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET \
            version = excluded.version, epoch = excluded.epoch, sealed = excluded.sealed",
            [row.id, row.version, row.epoch, row.sealed];
        /// Gives a report a story, or none; its version stays.
        execute set_story(seq: i64, story: Option<&str>) = "UPDATE segnalazioni SET storia = ?2 WHERE seq = ?1";
        /// Says that none of these reports belongs with one of those.
        execute set_apart(these: &[i64] as array, those: &[i64] as array) =
            "INSERT OR IGNORE INTO apart (a, b) SELECT DISTINCT min(x.value, y.value), max(x.value, y.value) \
            FROM json_each(?1) AS x, json_each(?2) AS y WHERE x.value <> y.value";
        /// Forgets that a report does not belong with those of a story.
        execute unset_apart(seq: i64, story: &str) =
            "DELETE FROM apart WHERE (a = ?1 OR b = ?1) \
            AND a + b - ?1 IN (SELECT seq FROM segnalazioni WHERE storia = ?2)";
        /// Forgets that none of these reports belongs with one of those.
        execute join_apart(these: &[i64] as array, those: &[i64] as array) =
            "DELETE FROM apart WHERE (a, b) IN (SELECT min(x.value, y.value), max(x.value, y.value) \
            FROM json_each(?1) AS x, json_each(?2) AS y)";
        /// Deletes stories without reports, which only a file brings.
        execute drop_stray_stories() =
            "DELETE FROM stories WHERE id NOT IN (SELECT storia FROM segnalazioni WHERE storia IS NOT NULL)";
        /// Keeps the sketch of a report, unless that was erased meanwhile.
        execute put_sketch(report: i64, sealed: &[u8]) =
            "INSERT OR REPLACE INTO sketches (report, sealed) SELECT seq, ?2 FROM segnalazioni WHERE seq = ?1";
        execute drop_sketches() = "DELETE FROM sketches";
    }
}
