//! Table `generation`: which of the machines that have had an archive may serve it.

use std::path::Path;

use super::connection::{Held, database_path, open, open_reader, prepare};
use super::copies::{REPLICATOR, settle};
use super::error::Result;
use super::session::{Snapshot, statements};

impl Snapshot<'_> {
    statements! {
        value generation() -> i64 = "SELECT coalesce(max(n), 1) FROM generation";
    }
}

/// That of a folder's archive, whatever its schema version; 0 where there is none.
pub fn generation_of(folder: &Path) -> Result<i64> {
    if !database_path(folder).exists() {
        return Ok(0);
    }
    Snapshot::new(&open_reader(folder)?).generation()
}

/// Makes a replica an archive of its own: what Litestream keeps in it goes, and its generation is raised above this one.
pub fn take_over(folder: &Path, _held: &Held, above: i64) -> Result<i64> {
    let path = database_path(folder);
    let connection = open(&path)?;
    prepare(&connection)?;
    let change = connection.unchecked_transaction()?;
    for (table, _) in REPLICATOR {
        change.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    let raised = Snapshot::new(&change).generation()?.max(above) + 1;
    let sql = "INSERT OR REPLACE INTO generation (id, n) VALUES (1, ?1)";
    change.execute(sql, [raised])?;
    change.commit()?;
    drop(connection);
    settle(&path).map(|()| raised)
}
