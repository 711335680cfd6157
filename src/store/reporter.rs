//! Table `messages`, what newsroom and reporter write to each other, and the marks of reports whose reporter waits or came back.

use crate::domain::message::Author;
use crate::store::session::{Snapshot, Tx, columns, statements};

/// A message, sealed for the receipt of its report.
#[derive(Debug, Clone)]
pub struct MessageRow {
    /// Its number, in the order of arrival; 0 before it is stored.
    pub n: i64,
    /// When it was written, in ms.
    pub at: i64,
    pub author: Author,
    pub text: Vec<u8>,
    /// Its questions, sealed as the text.
    pub asks: Option<Vec<u8>>,
    /// The key chosen by the page that sent it.
    pub key: Option<String>,
}

/// A message that went to a reporter, and what became of it.
#[derive(Debug, Clone)]
pub struct SentRow {
    /// What went to others with it has the same; null where it went alone.
    pub batch: Option<String>,
    pub n: i64,
    pub report: String,
    /// When it was written, in ms.
    pub at: i64,
    /// Id of the person who wrote it.
    pub author: Option<String>,
    /// Whether its reporter has seen it.
    pub read: bool,
    /// Whether they have written since, or answered its questions.
    pub answered: bool,
    /// Since when they had waited for an answer, in ms.
    pub risposta: Option<i64>,
    /// Since when nothing had been left to do about the report, in ms.
    pub fatta: Option<i64>,
}

/// Moments (ms) in the progress of a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Milestones {
    /// When work on it was last taken up.
    pub working: Option<i64>,
    /// Since when it is concluded.
    pub concluded: Option<i64>,
    /// When it was first worked on, or its reporter was first written to.
    pub first_kept: Option<i64>,
    /// When its reporter last asked for it to be withdrawn.
    pub withdrawal_asked: Option<i64>,
    /// When the newsroom last answered such a request.
    pub withdrawal_answered: Option<i64>,
}

columns! {
    Milestones { working, concluded, first_kept, withdrawal_asked, withdrawal_answered }
    SentRow { batch, n, report, at, author, read, answered, risposta, fatta }
    MessageRow { n, at, author, text, asks, key }
}

const SENT: &str = "SELECT batch, n, report, at, (SELECT author FROM history WHERE history.report = sent.report \
     AND history.at = sent.at AND kind = 'messaggio'), read, EXISTS (SELECT 1 FROM messages AS answer WHERE answer.report = sent.report \
     AND answer.author = 'segnalante' AND answer.n > sent.n) OR EXISTS (SELECT 1 FROM answers WHERE answers.report = sent.report \
     AND answers.message = sent.n), risposta, fatta FROM messages AS sent";

impl Snapshot<'_> {
    statements! {
        /// The messages about a report, oldest first.
        list messages(report: &str) -> Vec<MessageRow> =
            "SELECT n, at, author, text, asks, key FROM messages WHERE report = ?1 ORDER BY n";
        /// The messages of the last 20 batches, or of those of which one went to a report of this story: the last batch first, and of
        /// each the last one.
        list sent_messages(story: Option<&str>) -> Vec<SentRow> =
            &format!("{SENT} JOIN (SELECT batch AS name, max(n) AS top FROM messages WHERE batch IS NOT NULL AND (?1 IS NULL OR \
            report IN (SELECT id FROM segnalazioni WHERE storia = ?1)) GROUP BY batch ORDER BY top DESC LIMIT 20) ON batch = name \
            ORDER BY top DESC, n DESC");
        /// The number of the last message about a report.
        value last_number(report: &str) -> i64 = "SELECT coalesce(max(n), 0) FROM messages WHERE report = ?1";
        list batch_messages(batch: &str) -> Vec<SentRow> = &format!("{SENT} WHERE batch = ?1");
        find sent_message(report: &str, n: i64) -> Option<SentRow> =
            &format!("{SENT} WHERE report = ?1 AND n = ?2 AND sent.author = 'redazione'");
        /// Whether a message waits to be seen by its reporter.
        value has_unseen(report: &str) -> bool =
            "SELECT EXISTS (SELECT 1 FROM messages WHERE report = ?1 AND author = 'redazione' AND read = 0)";
        /// How many messages about a report there are by this author.
        value message_count(report: &str, author: Author) -> i64 =
            "SELECT count(*) FROM messages WHERE report = ?1 AND author = ?2";
        /// The message that its page called so.
        find message_by_key(report: &str, author: Author, key: &str) -> Option<MessageRow> =
            "SELECT n, at, author, text, asks, key FROM messages WHERE report = ?1 AND author = ?2 AND key = ?3";
        find milestones(report: &str) -> Option<Milestones> =
            "SELECT max(at) FILTER (WHERE kind = 'stato' AND a = 'In lavorazione'), \
            iif(stato IN ('Risolta', 'Archiviata'), coalesce(risolta, stato_dal), NULL), \
            min(at) FILTER (WHERE kind IN ('stato', 'messaggio')), \
            max(at) FILTER (WHERE kind = 'ritiro' AND a = '1'), max(at) FILTER (WHERE kind = 'ritiro' AND a = '0') \
            FROM segnalazioni AS s LEFT JOIN history ON report = s.id WHERE s.id = ?1 GROUP BY s.id";
        /// How many reports have a reporter who waits that all of it be withdrawn.
        value withdrawals_waiting() -> i64 = "SELECT count(*) FROM segnalazioni WHERE ritiro IS NOT NULL";
        /// How many reports have a reporter who waits for an answer.
        value answers_waiting() -> i64 = "SELECT count(*) FROM segnalazioni WHERE attende IS NOT NULL";
        /// The last message of its reporter.
        find last_message(report: &str) -> Option<MessageRow> =
            "SELECT n, at, author, text, asks, key FROM messages WHERE report = ?1 AND author = 'segnalante' ORDER BY n DESC LIMIT 1";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_message(report: &str, row: &MessageRow, batch: Option<&str>) =
            "INSERT INTO messages (report, at, author, text, asks, key, batch, risposta, fatta) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, \
            risposta, fatta FROM segnalazioni WHERE id = ?1",
            [report, row.at, row.author, row.text, row.asks, row.key, batch];
        /// Says that its reporter has seen what the newsroom wrote.
        execute mark_seen(report: &str) = "UPDATE messages SET read = 1 WHERE report = ?1 AND author = 'redazione' AND read = 0";
        execute delete_message(n: i64) = "DELETE FROM messages WHERE n = ?1";
        /// Forgets what was noted of a message that is gone: as if it had never been written.
        execute forget_written(report: &str, at: i64) =
            "DELETE FROM history WHERE report = ?1 AND at = ?2 AND (kind = 'messaggio' OR kind = 'ritiro' AND a = '0')";
        /// Opens the request for withdrawal again that a message closed.
        execute restore_withdrawal(report: &str, at: i64) =
            "UPDATE segnalazioni SET ritiro = (SELECT max(at) FROM history WHERE report = ?1 AND kind = 'ritiro' AND a = '1') WHERE id = ?1 \
            AND EXISTS (SELECT 1 FROM history WHERE report = ?1 AND at = ?2 AND kind = 'ritiro' AND a = '0')";
        execute restore_written(report: &str) =
            "UPDATE segnalazioni SET scritta = (SELECT min(at) FROM messages WHERE report = ?1 AND author = 'redazione') WHERE id = ?1";
        /// Gives a report back what it had before a message; nothing is left to do about it where staff dealt with it since.
        execute restore_waiting(sent: &SentRow) =
            "UPDATE segnalazioni SET risposta = coalesce(risposta, ?2), fatta = iif(fatta = ?4, ?3, fatta) \
            WHERE id = ?1 AND fatta IS NOT NULL", [sent.report, sent.risposta, sent.fatta, sent.at];
        /// Puts the moment before a message that is gone in its place, where a later 'Fatto' is to be taken back to it.
        execute restore_done_before(report: &str, sent: &str, before: Option<&str>) =
            "UPDATE history SET da = ?3 WHERE report = ?1 AND kind = 'fatta' AND da = ?2";
        /// Deletes the mail that would tell of a message, unless it is on its way or waited before.
        execute cancel_notice(report: &str, since: i64) =
            "DELETE FROM deliveries WHERE report = ?1 AND kind = 'risposta' AND state = 'pending' AND created >= ?2";
        /// Says that the reporter waits for an answer since `now` (ms), or since before; whatever the clocks say, since a report was
        /// closed. A report that was put off or done comes back.
        execute mark_answered(report: &str, now: i64) =
            "UPDATE segnalazioni SET risposta = coalesce(attende, iif(stato = 'Risolta' OR stato = 'Archiviata', \
            max(?2, coalesce(stato_dal, 0) + 1), ?2)), fatta = NULL, rinviata = min(rinviata, ?2) WHERE id = ?1";
        /// Says that the newsroom answered the reporter.
        execute mark_replied(report: &str, now: i64) = "UPDATE segnalazioni SET risposta = NULL, fatta = ?2 WHERE id = ?1";
        /// Says since when (ms) nothing is left to do about it, or that something is.
        execute set_done(report: &str, since: Option<i64>) = "UPDATE segnalazioni SET fatta = ?2 WHERE id = ?1";
        /// Says that the newsroom has written to the reporter, at `now` (ms) or before.
        execute mark_written(report: &str, now: i64) =
            "UPDATE segnalazioni SET scritta = coalesce(scritta, ?2) WHERE id = ?1";
        /// Marks a report whose reporter wrote what worries.
        execute mark_urgent(report: &str) = "UPDATE segnalazioni SET urgente = 1, versione = versione + 1 WHERE id = ?1";
        /// Says since when the reporter waits that all be withdrawn, or that they do not any more.
        execute set_withdrawal(report: &str, since: Option<i64>) = "UPDATE segnalazioni SET ritiro = ?2 WHERE id = ?1";
        /// Says that a report's code was used in the first days.
        execute count_return(report: &str) = "UPDATE segnalazioni SET tornata = 1 WHERE id = ?1";
    }
}
