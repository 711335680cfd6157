//! Tables `attachments`, the files that reporters attach, and `attachments_gone`, those of them that are to be deleted.
//! A file that was dropped while it waited leaves its row for some days, without bytes and without the newsroom's key: what a
//! reporter is told of it is its name. Must never hold a name, a key or a byte of a file in the clear, nor name a file as gone
//! that a row has a key of.

use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, array, columns, rows, statements};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentRow {
    /// Name of its file.
    pub id: String,
    /// Id of the report that it will belong to.
    pub conversation: String,
    pub n: i64,
    /// Its bytes once it is complete.
    pub size: i64,
    /// The bytes that are recorded as stored.
    pub arrived: i64,
    /// `None` before it is complete.
    pub media_type: Option<String>,
    /// In ms.
    pub created: i64,
    /// When it was attached to the report, in ms; `None` while it waits.
    pub sent: Option<i64>,
    /// Sealed by the file's own key.
    pub name: Vec<u8>,
    /// Epoch that seals the key.
    pub epoch: i64,
    /// Empty once it was dropped.
    pub key: Vec<u8>,
    /// The key, sealed for the receipt.
    pub copy: Vec<u8>,
    /// Whether it came by the onion socket, while it waits.
    pub onion: bool,
}

/// The bytes of files that are here.
#[derive(Debug, Clone, Copy, Default)]
pub struct AttachedBytes {
    pub all: i64,
    /// Those of reports that are set aside.
    pub set_aside: i64,
    /// Those that wait for their report.
    pub waiting: i64,
    /// Waiting ones that came over the onion socket.
    pub onion: i64,
}

/// A file that waits for its report.
#[derive(Debug, Clone)]
pub struct WaitingFileRow {
    pub conversation: String,
    pub id: String,
    pub bytes: i64,
    /// The bytes that its conversation has waiting in all.
    pub held: i64,
}

columns! {
    AttachedBytes { all, set_aside, waiting, onion }
    WaitingFileRow { conversation, id, bytes, held }
    AttachmentRow { id, conversation, n, size, arrived, media_type, created, sent, name, epoch, key, copy, onion }
}

const COLUMNS: &str =
    "id, conversation, n, size, arrived, media_type, created, sent, name, epoch, key, copy, onion";

/// Neither given to a report yet nor dropped.
const WAITS: &str = "report IS NULL AND key <> x''";

impl Snapshot<'_> {
    statements! {
        /// One that a conversation has not given to its report yet.
        find waiting_attachment(conversation: &str, id: &str) -> Option<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments WHERE conversation = ?1 AND id = ?2 AND {WAITS}");
        /// One of a conversation, also one that was dropped.
        find attachment_of(conversation: &str, id: &str) -> Option<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments WHERE conversation = ?1 AND id = ?2");
        /// Ids of those that a conversation has not given to its report yet.
        values waiting_attachments(conversation: &str) -> Vec<String> =
            &format!("SELECT id FROM attachments WHERE conversation = ?1 AND {WAITS}");
        /// Those that came whole, and that a conversation has not given to its report yet.
        list whole_waiting_attachments(conversation: &str) -> Vec<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments \
            WHERE conversation = ?1 AND report IS NULL AND arrived = size ORDER BY n");
        /// Those of a conversation that came whole, given to its report or not.
        list whole_attachments(conversation: &str) -> Vec<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments WHERE conversation = ?1 AND arrived = size ORDER BY n");
        /// Conversations that have any with bytes waiting.
        values waiting_conversations() -> Vec<String> =
            "SELECT DISTINCT conversation FROM attachments WHERE report IS NULL AND arrived > 0";
        list attachments_of(report: &str) -> Vec<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments WHERE report = ?1 ORDER BY n");
        find attachment(report: &str, n: i64) -> Option<AttachmentRow> =
            &format!("SELECT {COLUMNS} FROM attachments WHERE report = ?1 AND n = ?2");
        /// How many a conversation has.
        value attachments_held(conversation: &str) -> i64 =
            "SELECT count(*) FROM attachments WHERE conversation = ?1 AND key <> x''";
        /// How many a conversation has begun, those included that were dropped since.
        value attachments_begun(conversation: &str) -> i64 = "SELECT count(*) FROM attachments WHERE conversation = ?1";
        /// The number that the next one of a conversation gets: none that its reporter took back.
        value next_attachment(conversation: &str) -> i64 =
            "SELECT 1 + max(coalesce((SELECT max(n) FROM attachments WHERE conversation = ?1), 0), \
            coalesce((SELECT max(CAST(da AS INTEGER)) FROM history WHERE report = ?1 AND kind = 'allegato'), 0))";
        find attached_bytes() -> Option<AttachedBytes> =
            "SELECT coalesce(sum(arrived), 0), \
            (SELECT coalesce(sum(a.arrived), 0) FROM segnalazioni s CROSS JOIN attachments a ON a.report = s.id \
            WHERE s.sospetta IS NOT NULL), \
            coalesce(sum(arrived) FILTER (WHERE report IS NULL), 0), \
            coalesce(sum(arrived) FILTER (WHERE report IS NULL AND onion), 0) FROM attachments";
        /// Bytes that a conversation has waiting.
        value waiting_bytes(conversation: &str) -> i64 =
            "SELECT coalesce(sum(arrived), 0) FROM attachments WHERE conversation = ?1 AND report IS NULL";
        /// Waiting files of other conversations that have bytes, of the conversation with most waiting first.
        list waiting_files_of_others(conversation: &str, onion: bool) -> Vec<WaitingFileRow> =
            "SELECT conversation, id, arrived, held FROM attachments JOIN \
            (SELECT conversation, sum(arrived) AS held FROM attachments WHERE report IS NULL GROUP BY conversation) \
            USING (conversation) \
            WHERE report IS NULL AND arrived > 0 AND conversation <> ?1 AND onion = ?2 \
            ORDER BY held DESC, conversation, created";
        /// Conversation and id of those that wait and were begun before a moment (ms).
        list abandoned_attachments(before: i64, limit: usize as rows) -> Vec<(String, String)> =
            &format!("SELECT conversation, id FROM attachments WHERE created < ?1 AND {WAITS} ORDER BY created LIMIT ?2");
        /// How many were begun since a moment (ms), were complete, and are lost.
        value lost_attachments(since: i64) -> i64 =
            "SELECT count(*) FROM attachments WHERE created > ?1 AND report IS NULL AND key = x'' AND media_type IS NOT NULL";
        /// Id and bytes of those that belong to reports.
        list attached_files() -> Vec<(String, i64)> =
            "SELECT id, size FROM attachments WHERE report IS NOT NULL ORDER BY id";
        values report_of_attachment(id: &str) -> Vec<String> =
            "SELECT report FROM attachments WHERE id = ?1 AND report IS NOT NULL";
        /// Ids of those that do not belong to a report yet, and of those that are to be deleted.
        values passing_files() -> Vec<String> =
            "SELECT id FROM attachments WHERE report IS NULL UNION ALL SELECT id FROM attachments_gone";
        /// Files that are to be deleted.
        values gone_files() -> Vec<String> = "SELECT id FROM attachments_gone";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_attachment(row: &AttachmentRow) =
            "INSERT INTO attachments (id, conversation, n, size, created, name, epoch, key, copy, onion) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            [row.id, row.conversation, row.n, row.size, row.created, row.name, row.epoch, row.key, row.copy, row.onion];
        /// Notes how much of a file is on disk, and what it is once that is known; 0 where it is gone.
        changed set_arrived(id: &str, arrived: i64, media_type: Option<&str>) -> usize =
            &format!("UPDATE attachments SET arrived = ?2, media_type = ?3 WHERE id = ?1 AND {WAITS} AND arrived < size");
        /// Notes that all of a file is on disk, however long it was said to be, and what it is; 0 where it is gone.
        changed set_whole(id: &str, size: i64, media_type: &str) -> usize =
            &format!("UPDATE attachments SET size = ?2, arrived = ?2, media_type = ?3 WHERE id = ?1 AND {WAITS}");
        /// Gives a report, which is there, those of its conversation that are whole; answers how many.
        changed attach(report: &str, sent: i64) -> usize =
            "UPDATE attachments SET report = conversation, sent = ?2, onion = 0 \
            WHERE conversation = ?1 AND report IS NULL AND arrived = size";
        /// Attaches only these files.
        changed attach_these(report: &str, sent: i64, ids: &[String] as array) -> usize =
            "UPDATE attachments SET report = conversation, sent = ?2, onion = 0 \
            WHERE conversation = ?1 AND report IS NULL AND arrived = size AND id IN (SELECT value FROM json_each(?3))";
        /// Forgets all that a conversation has waiting, and what was dropped of it.
        execute drop_all_waiting(conversation: &str) = "DELETE FROM attachments WHERE conversation = ?1 AND report IS NULL";
        /// Forgets one that waits; 0 where there is none.
        changed forget_waiting_attachment(conversation: &str, id: &str) -> usize =
            "DELETE FROM attachments WHERE conversation = ?1 AND id = ?2 AND report IS NULL";
        /// Leaves of one that waits its name alone; of one that had come whole and is lost, its type too. 0 where there is none.
        changed leave_name(conversation: &str, id: &str, lost: bool) -> usize =
            &format!("UPDATE attachments SET key = x'', arrived = 0, media_type = iif(?3 AND arrived = size, media_type, NULL) \
            WHERE conversation = ?1 AND id = ?2 AND {WAITS}");
        execute note_gone_file(id: &str) = "INSERT OR IGNORE INTO attachments_gone (id) VALUES (?1)";
        /// Forgets those that were begun before a moment (ms) and belong to no report.
        changed forget_waiting_attachments(before: i64, limit: usize as rows) -> usize =
            "DELETE FROM attachments WHERE id IN \
            (SELECT id FROM attachments WHERE report IS NULL AND created < ?1 LIMIT ?2)";
        /// The file is deleted.
        execute forget_gone_file(id: &str) = "DELETE FROM attachments_gone WHERE id = ?1";
    }

    /// Drops one that waits: its file is to be deleted, its name stays. 0 where there is none. `lost`: its reporter counts on it.
    pub fn drop_waiting_attachment(
        &self,
        conversation: &str,
        id: &str,
        lost: bool,
    ) -> Result<usize> {
        let dropped = self.leave_name(conversation, id, lost)?;
        if dropped > 0 {
            self.note_gone_file(id)?;
        }
        Ok(dropped)
    }
}
