//! Table `views`, the filters of the list that editors keep under a name.
//! Must never hold a name or a filter in the clear: what is searched for is about people.

use super::error::Result;
use super::session::{Snapshot, Tx, columns, statements};

/// A view; `sealed` under `epoch`.
#[derive(Debug, Clone)]
pub struct ViewRow {
    pub id: String,
    pub epoch: i64,
    pub sealed: Vec<u8>,
}

columns! {
    ViewRow { id, epoch, sealed }
}

impl Snapshot<'_> {
    statements! {
        /// All of them, in the order in which they were made.
        list views() -> Vec<ViewRow> = "SELECT id, epoch, sealed FROM views ORDER BY n";
        value view_count() -> i64 = "SELECT count(*) FROM views";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_view(row: &ViewRow) =
            "INSERT INTO views (id, epoch, sealed) VALUES (?1, ?2, ?3)", [row.id, row.epoch, row.sealed];
    }

    /// Whether it was there.
    pub fn delete_view(&self, id: &str) -> Result<bool> {
        Ok(self.changed("DELETE FROM views WHERE id = ?1", [id])? > 0)
    }
}
