//! Tables `answers`, what reporters answered to the questions of a message, and `consents`, what a message asked them to agree to.

use std::ops::Range;

use crate::domain::asked::ConsentKind;
use crate::store::desk::seq_range::SeqRange;
use crate::store::session::{Snapshot, Tx, columns, statements};

/// The answers to a message, sealed for the receipt of its report.
#[derive(Debug, Clone)]
pub struct AnswersRow {
    /// Number of the message that asked.
    pub message: i64,
    /// When they were last changed, in ms.
    pub at: i64,
    /// Whether the newsroom has opened the report since: they stay as they are.
    pub read: bool,
    pub body: Vec<u8>,
}

/// A consent, by the number of the message that asks for it.
#[derive(Debug, Clone, Copy)]
pub struct ConsentRow {
    pub message: i64,
    pub kind: ConsentKind,
    pub given: Option<bool>,
    /// When it was asked for, and answered last; in ms.
    pub asked: i64,
    pub answered: Option<i64>,
    /// When it was given last (ms), also where it was taken back since.
    pub given_at: Option<i64>,
}

columns! {
    AnswersRow { message, at, read, body }
    ConsentRow { message, kind, given, asked, answered, given_at }
}

impl Snapshot<'_> {
    statements! {
        /// The answers of a report, by the messages that asked.
        list answers(report: &str) -> Vec<AnswersRow> =
            "SELECT message, at, read, body FROM answers WHERE report = ?1 ORDER BY message";
        /// What a report's reporter was asked to agree to, oldest first.
        list consents(report: &str) -> Vec<ConsentRow> =
            "SELECT message, kind, given, asked, answered, given_at FROM consents WHERE report = ?1 ORDER BY message";
        /// Of each message that asked something between two instants (ms), whether it was read and whether it was answered.
        list asked_back(span: Range<i64>) -> Vec<(bool, bool)> =
            "SELECT read, EXISTS (SELECT 1 FROM main.answers WHERE message = n) FROM messages WHERE asks IS NOT NULL AND at >= ?1 AND at < ?2 \
            UNION ALL SELECT m.read, c.given IS NOT NULL FROM consents AS c JOIN messages AS m ON m.n = c.message \
            WHERE c.asked >= ?1 AND c.asked < ?2", [span.start, span.end];
        /// Arrival numbers of the reports with answers between two of them, oldest first.
        values answered_between(range: SeqRange) -> Vec<i64> =
            "SELECT DISTINCT s.seq FROM answers AS a JOIN segnalazioni AS s ON s.id = a.report WHERE s.seq BETWEEN ?1 AND ?2 \
            ORDER BY s.seq", [range.oldest, range.newest];
    }
}

impl Tx<'_> {
    statements! {
        execute put_answers(report: &str, row: &AnswersRow) =
            "INSERT INTO answers (report, message, at, read, body) VALUES (?1, ?2, ?3, ?4, ?5) \
            ON CONFLICT DO UPDATE SET at = excluded.at, read = excluded.read, body = excluded.body",
            [report, row.message, row.at, row.read, row.body];
        /// Says that the newsroom has opened the report.
        execute mark_answers_read(report: &str) = "UPDATE answers SET read = 1 WHERE report = ?1 AND read = 0";
        execute insert_consent(report: &str, message: i64, kind: ConsentKind, now: i64) =
            "INSERT INTO consents (report, message, kind, asked) VALUES (?1, ?2, ?3, ?4)";
        /// Says of the report what was decided last about a kind.
        execute mark_consent(report: &str, bit: i64, given: bool) =
            "UPDATE segnalazioni SET consensi = iif(?3, consensi | ?2, consensi & ~?2) WHERE id = ?1";
        execute answer_consent(report: &str, row: &ConsentRow) =
            "UPDATE consents SET given = ?3, answered = ?4, given_at = ?5 WHERE report = ?1 AND message = ?2",
            [report, row.message, row.given, row.answered, row.given_at];
    }
}
