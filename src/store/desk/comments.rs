//! Tables `comments`, what staff say of a report among themselves, and `reminders`, a day and a word that each keeps for themselves.

use crate::store::session::{Snapshot, Tx, columns, statements};

/// A comment; `text` is sealed under `epoch`.
#[derive(Debug, Clone, Default)]
pub struct CommentRow {
    pub n: i64,
    /// When it was written, in ms.
    pub at: i64,
    /// Whose it is; `None` for the shared password.
    pub author: Option<String>,
    /// When it was last changed.
    pub edited: Option<i64>,
    pub epoch: i64,
    pub text: Vec<u8>,
    /// What the page that sent it calls it.
    pub key: Option<String>,
}

/// A reminder; `word` is sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct ReminderRow {
    pub report: String,
    /// `YYYY-MM-DD`.
    pub day: String,
    pub epoch: i64,
    pub word: Vec<u8>,
}

columns! {
    CommentRow { n, at, author, edited, epoch, text, key }
    ReminderRow { report, day, epoch, word }
}

impl Snapshot<'_> {
    statements! {
        /// The comments on a report, oldest first.
        list comments(report: &str) -> Vec<CommentRow> =
            "SELECT n, at, author, edited, epoch, text, key FROM comments WHERE report = ?1 ORDER BY n";
        find comment(report: &str, n: i64) -> Option<CommentRow> =
            "SELECT n, at, author, edited, epoch, text, key FROM comments WHERE report = ?1 AND n = ?2";
        find reminder(report: &str, person: &str) -> Option<ReminderRow> =
            "SELECT report, day, epoch, word FROM reminders WHERE report = ?1 AND person = ?2";
        /// A person's reminders, the earliest day first.
        list reminders(person: &str) -> Vec<ReminderRow> =
            "SELECT report, day, epoch, word FROM reminders WHERE person = ?1 ORDER BY day, report";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_comment(report: &str, row: &CommentRow) =
            "INSERT INTO comments (report, n, at, author, edited, epoch, text, key) SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7 \
            FROM comments WHERE report = ?1",
            [report, row.at, row.author, row.edited, row.epoch, row.text, row.key];
        execute update_comment(report: &str, row: &CommentRow) =
            "UPDATE comments SET edited = ?3, epoch = ?4, text = ?5 WHERE report = ?1 AND n = ?2",
            [report, row.n, row.edited, row.epoch, row.text];
        execute delete_comment(report: &str, n: i64) = "DELETE FROM comments WHERE report = ?1 AND n = ?2";
        execute put_reminder(person: &str, row: &ReminderRow) =
            "INSERT INTO reminders (report, person, day, epoch, word) VALUES (?2, ?1, ?3, ?4, ?5) \
            ON CONFLICT DO UPDATE SET day = excluded.day, epoch = excluded.epoch, word = excluded.word",
            [person, row.report, row.day, row.epoch, row.word];
        execute delete_reminder(report: &str, person: &str) =
            "DELETE FROM reminders WHERE report = ?1 AND person = ?2";
    }
}
