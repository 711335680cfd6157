//! Table `looks`: when each person last opened a report, by which they are told what is new to them.

use crate::store::session::{Snapshot, Tx, array, statements};

impl Snapshot<'_> {
    statements! {
        /// Which of these reports are new to a person (empty for the shared password): they arrived, or their reporter wrote, since
        /// the person opened them last. To those who never did, what nobody opened or answered is new, and what came since they joined.
        values new_to(reports: &[&str] as array, person: &str) -> Vec<String> =
            "SELECT s.id FROM (SELECT id, aperta, attende, max(data_creazione, coalesce((SELECT max(at) FROM messages \
            WHERE report = segnalazioni.id AND author = 'segnalante'), 0)) AS told FROM segnalazioni \
            WHERE id IN (SELECT value FROM json_each(?1))) AS s LEFT JOIN looks AS l ON l.report = s.id AND l.person = ?2 \
            WHERE iif(l.at IS NOT NULL, told > l.at, aperta IS NULL OR attende IS NOT NULL \
            OR told > coalesce((SELECT created FROM people WHERE id = ?2), told))";
        /// When a person opened a report before they opened it last (ms).
        find_value looked_before(report: &str, person: &str) -> Option<Option<i64>> =
            "SELECT before FROM looks WHERE report = ?1 AND person = ?2";
    }
}

impl Tx<'_> {
    statements! {
        /// Notes that a person opened a report.
        execute note_look(report: &str, person: &str, now: i64) =
            "INSERT INTO looks (report, person, at) VALUES (?1, ?2, ?3) \
            ON CONFLICT DO UPDATE SET before = at, at = excluded.at";
    }
}
