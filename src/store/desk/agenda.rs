//! The agenda of a person, and table `snoozes`: reports that are snoozed until a day.

use crate::domain::declare::names;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

/// A report that is put off, or was; `word` is sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct SnoozeRow {
    /// Until when, in ms.
    pub until: i64,
    /// Id of the person who snoozed it; empty for the shared password.
    pub person: String,
    pub epoch: Option<i64>,
    pub word: Option<Vec<u8>>,
}

names! {
    /// Why a person has to look at a report.
    pub enum AgendaReason {
        /// It is given to them.
        Assigned = "assigned",
        /// Its reporter has written or answered: it is given to them, or to no person, or what the newsroom wrote last is theirs.
        Answer = "answer",
        /// They are named in a comment.
        Mention = "mention",
        /// A promise to its reporter is due, and it is assigned to them or to no person.
        Due = "due",
        /// They put it off, and its day has come.
        Back = "back",
    }
}

columns! {
    SnoozeRow { until, person, epoch, word }
}

/// The agenda of person ?1 (null for the shared password) now (?2), with what is due before ?3; who may do something about a report
/// (?4) also has what is given to no person. Closed reports count only if their reporter has written since.
const AGENDA: &str = "FROM (SELECT seq, 'assigned' AS why, \
    coalesce((SELECT max(at) FROM main.history WHERE report = segnalazioni.id AND kind = 'assegnata'), data_creazione) AS at \
    FROM segnalazioni WHERE assegnata = ?1 AND stato <> 'Risolta' AND stato <> 'Archiviata' \
    UNION ALL SELECT seq, 'answer', attende FROM segnalazioni WHERE attende IS NOT NULL \
    AND (assegnata = ?1 OR ?4 AND assegnata IS NULL OR ?1 = (SELECT author FROM main.history \
    WHERE report = segnalazioni.id AND kind = 'messaggio' ORDER BY id DESC LIMIT 1)) \
    UNION ALL SELECT seq, 'due', scade FROM segnalazioni WHERE scade < ?3 AND impegno < ?3 \
    AND (assegnata = ?1 OR ?4 AND assegnata IS NULL) \
    UNION ALL SELECT s.seq, 'mention', m.at FROM mentions AS m JOIN segnalazioni AS s ON s.id = m.report \
    WHERE m.person = ?1 AND s.stato <> 'Risolta' AND s.stato <> 'Archiviata' \
    UNION ALL SELECT s.seq, 'back', s.rientra FROM snoozes AS z JOIN segnalazioni AS s ON s.id = z.report \
    WHERE z.person = coalesce(?1, '') AND s.rientra <= ?2)";

impl Snapshot<'_> {
    statements! {
        /// How much a person has to look at, by why; null for the shared password. Due counts what is before an instant (ms).
        list agenda_counts(person: Option<&str>, now: i64, due: i64, acts: bool) -> Vec<(AgendaReason, i64)> =
            &format!("SELECT why, count(*) {AGENDA} GROUP BY why");
        /// The number of different reports.
        value agenda_reports(person: Option<&str>, now: i64, due: i64, acts: bool) -> i64 = &format!("SELECT count(DISTINCT seq) {AGENDA}");
        /// Each of them: arrival number, why and since or by when (ms). What is due first stands on top, then who has waited
        /// longest, then the latest mention, then the latest of the others.
        list agenda(person: Option<&str>, now: i64, due: i64, acts: bool, limit: usize as rows) -> Vec<(i64, AgendaReason, i64)> =
            &format!("SELECT seq, why, at {AGENDA} ORDER BY why = 'due' DESC, why = 'answer' DESC, why = 'mention' DESC, \
            iif(why = 'due' OR why = 'answer', at, -at), seq DESC LIMIT ?5");
        find snooze(report: &str) -> Option<SnoozeRow> =
            "SELECT rinviata, person, z.epoch, word FROM snoozes AS z JOIN segnalazioni AS s ON s.id = z.report WHERE z.report = ?1";
    }
}

impl Tx<'_> {
    statements! {
        execute set_snoozed(report: &str, until: Option<i64>) = "UPDATE segnalazioni SET rinviata = ?2 WHERE id = ?1";
        execute insert_snooze(report: &str, row: &SnoozeRow) =
            "INSERT INTO snoozes (report, person, epoch, word) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET \
            person = excluded.person, epoch = excluded.epoch, word = excluded.word",
            [report, row.person, row.epoch, row.word];
        execute set_snoozer(report: &str, person: &str) = "UPDATE snoozes SET person = ?2 WHERE report = ?1";
        execute delete_snooze(report: &str) = "DELETE FROM snoozes WHERE report = ?1";
    }
}
