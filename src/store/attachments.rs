//! Tables `attachments`, the files that reporters attach, and `attachments_gone`, those of them that are to be deleted.
//! Must never hold a name, a key or a byte of a file in the clear, nor name a file as gone whose row is there.

use rusqlite::params;

use super::error::Result;
use super::session::{Snapshot, Tx, columns, rows};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentRow {
    /// Name of its file.
    pub id: String,
    /// Id of the report that it is to belong to.
    pub conversation: String,
    pub n: i64,
    /// Bytes, once it is whole.
    pub size: i64,
    /// Bytes of it that were acknowledged.
    pub arrived: i64,
    /// `None` before its first bytes.
    pub media_type: Option<String>,
    /// In ms.
    pub created: i64,
    /// When it became the report's, in ms; `None` while it waits.
    pub sent: Option<i64>,
    /// Epoch whose key seals name and key.
    pub epoch: i64,
    pub name: Vec<u8>,
    /// The name under the operational key while it waits; afterwards for the receipt, where the report has one.
    pub copy: Option<Vec<u8>>,
    pub key: Vec<u8>,
    /// The key, for as long as the file arrives.
    pub lent: Option<Vec<u8>>,
}

columns! {
    AttachmentRow { id, conversation, n, size, arrived, media_type, created, sent, epoch, name, copy, key, lent }
}

const COLUMNS: &str =
    "id, conversation, n, size, arrived, media_type, created, sent, epoch, name, copy, key, lent";

impl Snapshot<'_> {
    /// One that a conversation has not given to its report yet.
    pub fn waiting_attachment(
        &self,
        conversation: &str,
        id: &str,
    ) -> Result<Option<AttachmentRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM attachments WHERE id = ?1 AND conversation = ?2 AND report IS NULL"
        );
        self.find(&sql, [id, conversation])
    }

    /// Ids of those that a conversation has not given to its report yet.
    pub fn waiting_attachments(&self, conversation: &str) -> Result<Vec<String>> {
        let sql = "SELECT id FROM attachments WHERE conversation = ?1 AND report IS NULL";
        self.values(sql, [conversation])
    }

    /// Those of a conversation that are whole and not given to its report yet.
    pub fn whole_attachments(&self, conversation: &str) -> Result<Vec<AttachmentRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM attachments WHERE conversation = ?1 AND report IS NULL AND lent IS NULL"
        );
        self.list(&sql, [conversation])
    }

    pub fn attachments_of(&self, report: &str) -> Result<Vec<AttachmentRow>> {
        let sql = format!("SELECT {COLUMNS} FROM attachments WHERE report = ?1 ORDER BY n");
        self.list(&sql, [report])
    }

    pub fn attachment(&self, report: &str, n: i64) -> Result<Option<AttachmentRow>> {
        let sql = format!("SELECT {COLUMNS} FROM attachments WHERE report = ?1 AND n = ?2");
        self.find(&sql, params![report, n])
    }

    /// How many a conversation has begun, and the last number of them.
    pub fn attachments_begun(&self, conversation: &str) -> Result<(i64, i64)> {
        let sql = "SELECT count(*), coalesce(max(n), 0) FROM attachments WHERE conversation = ?1";
        Ok(self.find(sql, [conversation])?.unwrap_or_default())
    }

    /// Bytes of all of them that are here.
    pub fn attached_bytes(&self) -> Result<i64> {
        self.value("SELECT coalesce(sum(arrived), 0) FROM attachments", [])
    }

    /// Id and bytes of those that belong to reports.
    pub fn attached_files(&self) -> Result<Vec<(String, i64)>> {
        self.list(
            "SELECT id, size FROM attachments WHERE report IS NOT NULL ORDER BY id",
            [],
        )
    }

    /// Ids of those that do not belong to a report yet, and of those that are to be deleted.
    pub fn passing_files(&self) -> Result<Vec<String>> {
        self.values(
            "SELECT id FROM attachments WHERE report IS NULL UNION ALL SELECT id FROM attachments_gone",
            [],
        )
    }

    /// Files that are to be deleted.
    pub fn gone_files(&self) -> Result<Vec<String>> {
        self.values("SELECT id FROM attachments_gone", [])
    }
}

impl Tx<'_> {
    pub fn insert_attachment(&self, row: &AttachmentRow) -> Result<()> {
        self.execute(
            "INSERT INTO attachments (id, conversation, n, size, created, epoch, name, copy, key, lent) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                row.id,
                row.conversation,
                row.n,
                row.size,
                row.created,
                row.epoch,
                row.name,
                row.copy,
                row.key,
                row.lent
            ],
        )
    }

    /// Notes what a file turned out to be; `false` where it is gone.
    pub fn set_media_type(&self, id: &str, media_type: &str) -> Result<bool> {
        let sql = "UPDATE attachments SET media_type = ?2 WHERE id = ?1 AND report IS NULL";
        Ok(self.changed(sql, [id, media_type])? > 0)
    }

    /// Notes how much of a file is on disk, with the end of it that it is whole; `false` where it is gone.
    pub fn set_arrived(&self, id: &str, arrived: i64) -> Result<bool> {
        let sql = "UPDATE attachments SET arrived = ?2, lent = iif(size = ?2, NULL, lent) \
                   WHERE id = ?1 AND report IS NULL AND lent IS NOT NULL";
        Ok(self.changed(sql, params![id, arrived])? > 0)
    }

    /// Gives one that is whole to its report, which is there.
    pub fn attach(&self, id: &str, sent: i64, copy: Option<&[u8]>) -> Result<()> {
        let sql =
            "UPDATE attachments SET report = conversation, sent = ?2, copy = ?3 WHERE id = ?1";
        self.execute(sql, params![id, sent, copy])
    }

    /// Forgets all that a conversation has waiting.
    pub fn drop_all_waiting(&self, conversation: &str) -> Result<()> {
        let sql = "DELETE FROM attachments WHERE conversation = ?1 AND report IS NULL";
        self.execute(sql, [conversation])
    }

    /// Forgets one that waits; `false` where there is none.
    pub fn drop_waiting_attachment(&self, conversation: &str, id: &str) -> Result<bool> {
        let sql = "DELETE FROM attachments WHERE id = ?1 AND conversation = ?2 AND report IS NULL";
        Ok(self.changed(sql, [id, conversation])? > 0)
    }

    /// Forgets those that were begun before a moment (ms) and belong to no report.
    pub fn drop_waiting_attachments(&self, before: i64, limit: usize) -> Result<usize> {
        self.changed(
            "DELETE FROM attachments WHERE id IN \
                 (SELECT id FROM attachments WHERE report IS NULL AND created < ?1 LIMIT ?2)",
            [before, rows(limit)],
        )
    }

    /// The file is deleted.
    pub fn forget_gone_file(&self, id: &str) -> Result<()> {
        self.execute("DELETE FROM attachments_gone WHERE id = ?1", [id])
    }
}
