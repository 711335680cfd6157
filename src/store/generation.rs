//! Table `generation`: which of the machines that have had an archive may serve it.

use std::path::Path;

use super::connection::{Held, database_path, has_database, open, open_reader, prepare};
use super::copies::{REPLICATOR, settle};
use super::error::{Error, Result};
use super::session::{Snapshot, statements};

impl Snapshot<'_> {
    statements! {
        value generation() -> i64 = "SELECT coalesce(max(n), 1) FROM generation";
        /// The archive is named by its first keys, which each copy of it has and no other archive.
        value turn() -> Option<String> = "SELECT (SELECT coalesce(max(n), 1) FROM generation) || ' ' || key_id || '.' || \
            min(created) FROM key_pairs";
    }
}

/// Generation and name of a folder's archive, with a blank between them, whatever its schema version.
pub fn turn_of(folder: &Path) -> Result<Option<String>> {
    if !has_database(folder)? {
        return Ok(None);
    }
    Snapshot::new(&open_reader(folder)?).turn()
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
    let last = Snapshot::new(&change).generation()?.max(above);
    let raised = last.checked_add(1).ok_or(Error::LastGeneration(last))?;
    let sql = "INSERT OR REPLACE INTO generation (id, n) VALUES (1, ?1)";
    change.execute(sql, [raised])?;
    change.commit()?;
    drop(connection);
    settle(&path).map(|()| raised)
}
