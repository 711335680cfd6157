//! Table `messages`, what newsroom and reporter write to each other, and the mark of reports whose reporter waits to be read.

use crate::domain::message::Author;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

/// A message, sealed for the receipt of its report.
#[derive(Debug, Clone)]
pub struct MessageRow {
    /// When it was written, in ms.
    pub at: i64,
    pub author: Author,
    pub text: Vec<u8>,
    /// What the page that sent it calls it.
    pub key: Option<String>,
}

columns! {
    MessageRow { at, author, text, key }
}

impl Snapshot<'_> {
    statements! {
        /// The messages about a report, oldest first.
        list messages(report: &str) -> Vec<MessageRow> =
            "SELECT at, author, text, key FROM messages WHERE report = ?1 ORDER BY n";
        /// How many messages about a report there are by this author.
        value message_count(report: &str, author: Author) -> i64 =
            "SELECT count(*) FROM messages WHERE report = ?1 AND author = ?2";
        /// The message that its page called so.
        find message_by_key(report: &str, author: Author, key: &str) -> Option<MessageRow> =
            "SELECT at, author, text, key FROM messages WHERE report = ?1 AND author = ?2 AND key = ?3";
        /// How many reports have a message of their reporter that waits to be read.
        value answers_waiting() -> i64 = "SELECT count(*) FROM segnalazioni WHERE risposta IS NOT NULL";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_message(report: &str, row: &MessageRow) =
            "INSERT INTO messages (report, at, author, text, key) VALUES (?1, ?2, ?3, ?4, ?5)",
            [report, row.at, row.author, row.text, row.key];
        /// Says that a message of the reporter waits to be read since `now` (ms), or since before.
        execute mark_answered(report: &str, now: i64) =
            "UPDATE segnalazioni SET risposta = coalesce(risposta, ?2) WHERE id = ?1";
        /// Says that these many messages, the first ones, were read.
        execute mark_read(report: &str, seen: usize as rows) =
            "UPDATE segnalazioni SET risposta = NULL \
            WHERE id = ?1 AND ?2 >= (SELECT count(*) FROM messages WHERE report = ?1)";
    }
}
