//! Eyes for a data folder: every byte of every file, the permissions, and the database of a program that has stopped.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use memchr::memmem;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// Every file below a folder with its content, but the room that is kept for editors: it holds nothing, and much of it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with("segnalazioni.riserva") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).expect("readable"));
        }
    }
    found
}

/// The files below a folder whose path has this in it.
pub fn paths_with(part: &str, folder: &Path) -> Vec<PathBuf> {
    let paths = files(folder).into_keys();
    paths
        .filter(|path| path.to_string_lossy().contains(part))
        .collect()
}

/// Copies every file of a folder into one that is made for them.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for path in files(from).into_keys() {
        let copy = to.join(path.strip_prefix(from).expect("a file of it"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(path, copy).expect("copied");
    }
}

/// Every row of every table but the one that counts, by day, where conversations stop: numbers, and nobody's words.
pub fn rows(data: &Path) -> BTreeMap<String, Vec<String>> {
    let path = data.join("segnalazioni.db");
    let database =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'chat_stops'";
    let mut names = database.prepare(names).expect("a query");
    let names = names
        .query_map([], |row| row.get::<_, String>(0))
        .expect("names");
    names
        .map(|name| {
            let name = name.expect("a name");
            let mut all = database
                .prepare(&format!("SELECT * FROM {name}"))
                .expect("a query");
            let columns = all.column_count();
            let rows = all.query_map([], |row| {
                let values: rusqlite::Result<Vec<Value>> =
                    (0..columns).map(|column| row.get(column)).collect();
                Ok(format!("{:?}", values?))
            });
            let rows = rows.expect("rows").map(|row| row.expect("a row")).collect();
            (name, rows)
        })
        .collect()
}

pub fn holding(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    assert!(!needle.is_empty());
    files(folder)
        .into_iter()
        .filter(|(_, content)| memmem::find(content, needle).is_some())
        .map(|(path, _)| path)
        .collect()
}

/// Pieces of these values that stand in any file: one of 16 bytes out of every 32.
pub fn pieces_found(folder: &Path, values: &[Vec<u8>]) -> usize {
    let pieces: HashSet<&[u8]> = values
        .iter()
        .flat_map(|value| value.chunks_exact(16).step_by(2))
        .collect();
    assert!(!pieces.is_empty());
    let mut found = HashSet::new();
    for content in files(folder).values() {
        found.extend(
            content
                .windows(16)
                .filter_map(|part| pieces.get(part).copied()),
        );
    }
    found.len()
}

/// What is sealed of a report in the database of a program that may run: content, what lists show of it, note, bodies of deliveries.
pub fn sealed_of(data: &Path, id: &str) -> Vec<Vec<u8>> {
    let path = data.join("segnalazioni.db");
    let database =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
    let sql = "SELECT contenuto FROM segnalazioni WHERE id = ?1
               UNION ALL SELECT riga FROM segnalazioni WHERE id = ?1
               UNION ALL SELECT note FROM segnalazioni WHERE id = ?1 AND note IS NOT NULL
               UNION ALL SELECT body FROM deliveries WHERE report = ?1 AND body IS NOT NULL";
    let mut sealed = database.prepare(sql).expect("a query");
    let sealed = sealed.query_map([id], |row| row.get(0)).expect("values");
    sealed.map(|value| value.expect("a value")).collect()
}

pub fn longest(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten();
    let lengths = files.map(|file| {
        file.expect("a file")
            .metadata()
            .map_or(0, |about| about.len())
    });
    lengths.max().unwrap_or_default()
}

pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it exists").permissions().mode() & 0o7777
}

/// For reports that a test inserts itself: they are counted like those that arrive.
pub const COUNTED: &str = "CREATE TEMP TRIGGER counted AFTER INSERT ON segnalazioni BEGIN
        UPDATE counts SET n = n + 1 WHERE kind = 'stato' AND key = NEW.stato AND department = NEW.department;
        INSERT INTO counts (kind, key, department, n) VALUES ('quarter', NEW.data_creazione / 900000, NEW.department, 1)
            ON CONFLICT (kind, key, department) DO UPDATE SET n = n + 1;
    END;";

/// The database of a data folder whose program has stopped.
pub fn database(data: &Path) -> Connection {
    Connection::open(data.join("segnalazioni.db")).expect("a database")
}

/// One number out of the database.
pub fn count(data: &Path, sql: &str) -> i64 {
    database(data)
        .query_row(sql, [], |row| row.get(0))
        .expect("a number")
}
