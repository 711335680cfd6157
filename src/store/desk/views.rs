//! Table `views`, the filters of the list that editors keep under a name.
//! A view is shown to callers who see at least the departments that its maker saw: its search may name a person of another one.
//! Must never hold a name or a filter in the clear: what is searched for is about people.

use crate::domain::routing::Sight;
use crate::store::session::{Snapshot, Tx, columns, statements};

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
        find_value view_sight(id: &str) -> Option<Sight> = "SELECT departments FROM views WHERE id = ?1";
        value view_count() -> i64 = "SELECT count(*) FROM views";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_view(row: &ViewRow, departments: &Sight) =
            "INSERT INTO views (id, departments, epoch, sealed) VALUES (?1, ?2, ?3, ?4)",
            [row.id, departments, row.epoch, row.sealed];
        execute put_view(row: &ViewRow, departments: &Sight) =
            "UPDATE views SET departments = ?2, epoch = ?3, sealed = ?4 WHERE id = ?1",
            [row.id, departments, row.epoch, row.sealed];
        /// One that the caller sees; answers how many.
        changed delete_view(id: &str) -> usize = "DELETE FROM views WHERE id = (SELECT id FROM views WHERE id = ?1)";
    }
}
