//! Tables `comments`, what staff say of a report among themselves, and `mentions`, whom they name there.

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
    /// The key chosen by the page that sent it.
    pub key: Option<String>,
}

columns! {
    CommentRow { n, at, author, edited, epoch, text, key }
}

impl Snapshot<'_> {
    statements! {
        /// The comments on a report, oldest first.
        list comments(report: &str) -> Vec<CommentRow> =
            "SELECT n, at, author, edited, epoch, text, key FROM comments WHERE report = ?1 ORDER BY n";
        find comment(report: &str, n: i64) -> Option<CommentRow> =
            "SELECT n, at, author, edited, epoch, text, key FROM comments WHERE report = ?1 AND n = ?2";
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
        /// Notes that a person was named in a comment on a report.
        execute put_mention(person: &str, report: &str, now: i64) =
            "INSERT INTO mentions (person, report, at) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET at = excluded.at";
        /// Notes that a person has seen what was said.
        execute delete_mention(person: &str, report: &str) = "DELETE FROM mentions WHERE person = ?1 AND report = ?2";
    }
}
