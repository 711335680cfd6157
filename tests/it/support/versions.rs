//! Archives of earlier schema versions. Where no program of then is at hand any more, one is made: the migrations up to that
//! version, filled with what an archive of today has in common with it, sealed rows and all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// What a restore leaves out by intention: sessions and guesses of another time must not come back.
const LEFT_OUT: [&str; 2] = ["sessions", "login_attempts"];
/// Counts that a later version keeps in another table; [`before_and_after`] need not compare what is counted anew.
const REPLACED: [&str; 1] = ["delivery_counters"];

/// Rows of each table, as SQL would write them, in no order.
pub type Rows = BTreeMap<String, Vec<String>>;

/// The text of every migration, in order.
fn migrations() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/migrations");
    let entries = fs::read_dir(folder).expect("the migrations");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect()
}

/// The schema version of today.
pub fn newest() -> usize {
    migrations().len()
}

/// Where the backup of a version is kept. Password: that of all tests; six reports of numbered persons.
pub fn kept(version: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/backups");
    folder.join(format!("schema-{version}.backup"))
}

/// Makes the database of a version in a folder, with what one of today holds for it. Triggers rest meanwhile: what they
/// count is copied as it stands.
pub fn as_of(version: usize, today: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let old = Connection::open(folder.join("segnalazioni.db")).expect("a database");
    for migration in &migrations()[..version] {
        old.execute_batch(migration).expect("a migration");
    }
    old.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        .expect("triggers rest");
    let today = today.join("segnalazioni.db");
    old.execute_batch(&format!(
        "PRAGMA user_version = {version}; PRAGMA foreign_keys = OFF; ATTACH DATABASE '{}' AS today;",
        today.display()
    ))
    .expect("attached");
    let known = columns_of(&Connection::open(today).expect("a database"));
    for (table, columns) in columns_of(&old) {
        let both: Vec<String> = columns
            .into_iter()
            .filter(|column| known.get(&table).is_some_and(|all| all.contains(column)))
            .collect();
        if both.is_empty() {
            continue;
        }
        let both = both.join(", ");
        // What the schema of then had no room for, its checks refuse.
        old.execute_batch(&format!(
            "DELETE FROM main.{table}; INSERT OR IGNORE INTO main.{table} ({both}) SELECT {both} FROM today.{table}"
        ))
        .expect("copied");
    }
}

/// Tables of a database, each with its columns.
fn columns_of(database: &Connection) -> BTreeMap<String, Vec<String>> {
    let sql = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'";
    let mut statement = database.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.expect("rows") {
        let (table, column) = row.expect("a row");
        found.entry(table).or_default().push(column);
    }
    found
}

/// Every row of a database that a restore must bring back, and after it the same columns of the one it became.
pub fn before_and_after(before: &Path, after: &Path) -> (Rows, Rows) {
    let before = Connection::open(before).expect("a database");
    let after = Connection::open(after).expect("a database");
    let mut columns = columns_of(&before);
    let left_out = |table: &str| LEFT_OUT.contains(&table) || REPLACED.contains(&table);
    columns.retain(|table, _| !left_out(table));
    (rows(&before, &columns), rows(&after, &columns))
}

fn rows(database: &Connection, columns: &BTreeMap<String, Vec<String>>) -> Rows {
    let rows = |(table, columns): (&String, &Vec<String>)| {
        let quoted: Vec<String> = columns
            .iter()
            .map(|name| format!("quote({name})"))
            .collect();
        let sql = format!("SELECT {} FROM {table}", quoted.join(" || '|' || "));
        let mut statement = database.prepare(&sql).expect("a query");
        let found = statement.query_map([], |row| row.get(0)).expect("rows");
        let mut found: Vec<String> = found.map(|row| row.expect("a row")).collect();
        found.sort();
        (table.clone(), found)
    };
    columns.iter().map(rows).collect()
}
