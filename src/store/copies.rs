//! Whole databases as files: a consistent copy of one that is in use, and what a file must show before it may be trusted.
//! Must never change the database it copies, nor hold up those who write to it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::connection::{
    BUSY_TIMEOUT, database_path, known_version, make_private_file, open_reader, refuse_foreign,
    refuse_lone_log, schema_of_version,
};
use super::erasure::LedgerRow;
use super::error::{Error, Result};
use super::paced::{PART, PacedFile};
use super::{Section, Snapshot};

/// What Litestream keeps in a database that it replicates: two tables of counters, exactly as it makes them. They belong
/// to that database alone, and are no part of its content.
const REPLICATOR: [(&str, &str); 2] = [
    (
        "_litestream_lock",
        "CREATE TABLE _litestream_lock (id INTEGER)",
    ),
    (
        "_litestream_seq",
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
    ),
];

/// Pages of 4 KiB that are copied at a time: one part of a [`PacedFile`].
const PAGES: i32 = 128;

/// What a database file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    pub version: i64,
    pub tables: BTreeMap<String, i64>,
    /// Name of the key pair that reports are sealed to.
    pub key_id: Option<String>,
    /// Whether that pair's private half is kept out of the key file by choice.
    pub sealed: bool,
    /// Whether a password or a recovery code opens that pair.
    pub has_slots: bool,
    /// When the newest report arrived or the newest entry of the access log was made, in ms.
    pub newest_record: Option<i64>,
}

impl Inspected {
    pub fn reports(&self) -> i64 {
        self.tables.get("segnalazioni").copied().unwrap_or(0)
    }
}

/// Copies the database of a folder, in use or not, of this schema version or an earlier one, into a new file that needs
/// no other file beside it: one snapshot, from a connection of its own.
pub fn copy_database(folder: &Path, to: &Path) -> Result<()> {
    let path = database_path(folder);
    if !path.exists() {
        return Err(Error::Missing(folder.display().to_string()));
    }
    let source = open_reader(folder)?;
    refuse_foreign(&source, &path)?;
    // Held to the end: without it each commit of the server would begin the copy anew.
    let snapshot = source.unchecked_transaction()?;
    match snapshot.pragma_query_value(None, "user_version", |row| row.get(0))? {
        0 => return Err(Error::Missing(folder.display().to_string())),
        found if found > known_version() => {
            let known = known_version();
            return Err(Error::Newer { found, known });
        }
        _ => {}
    }
    drop(make_private_file(to)?);
    let mut target = Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // The copy is worth nothing before it is whole: no commit of its own has to be on disk.
    target.pragma_update(None, "synchronous", "OFF")?;
    copy_pages(&source, &mut target, to)?;
    target.pragma_update(None, "secure_delete", true)?;
    for (table, _) in REPLICATOR {
        target.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    drop(target);
    settle(to)
}

fn copy_pages(source: &Connection, target: &mut Connection, to: &Path) -> Result<()> {
    let disk = |error: std::io::Error| Error::Disk(format!("{}: {error}", to.display()));
    let mut written = PacedFile::new(File::open(to).map_err(disk)?);
    let copy = Backup::new(source, target)?;
    while copy.step(PAGES)? != StepResult::Done {
        written.note(PART).map_err(disk)?;
    }
    Ok(())
}

/// Makes a database one file: what its log holds is written into it, no log is left, and it is on disk.
pub(super) fn settle(path: &Path) -> Result<()> {
    refuse_lone_log(path)?;
    let in_use = || Error::InUse(path.display().to_string());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| {
        row.get::<_, String>(0)
    });
    match mode.map_err(Error::from) {
        Ok(mode) if mode == "delete" => {}
        Ok(_) | Err(Error::QueueFull) => return Err(in_use()),
        Err(error) => return Err(error),
    }
    connection.close().map_err(|(_, error)| error)?;
    let disk = |error: std::io::Error| Error::Disk(format!("{}: {error}", path.display()));
    File::open(path).map_err(disk)?.sync_all().map_err(disk)
}

/// Checks a database file that nobody has open: that it is ours, of a known version, has the schema of that version and
/// nothing else, and is whole. Before the schema is known, nothing in it is run.
pub fn inspect_database(path: &Path) -> Result<Inspected> {
    inspect(&open_stranger(path)?, path)
}

/// As [`inspect_database`], and gives up after a while: somebody waits for the outcome.
pub fn inspect_database_within(path: &Path, limit: Duration) -> Result<Inspected> {
    let connection = open_stranger(path)?;
    let handle = connection.get_interrupt_handle();
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|threads| {
        threads.spawn(move || {
            if waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                handle.interrupt();
            }
        });
        let found = inspect(&connection, path);
        drop(done);
        found
    })
}

/// Opens a database file of unknown origin, to be read only.
fn open_stranger(path: &Path) -> Result<Connection> {
    refuse_lone_log(path)?;
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

fn inspect(connection: &Connection, path: &Path) -> Result<Inspected> {
    refuse_foreign(connection, path)?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = known_version();
    if version > known {
        return Err(Error::Newer {
            found: version,
            known,
        });
    }
    if version < 1 {
        return Err(Error::Foreign(path.display().to_string()));
    }
    let schema = Schema::of(connection)?;
    schema.refuse_other_than(&Schema::of(&schema_of_version(version)?)?)?;
    refuse_broken(connection)?;
    let snapshot = Snapshot::new(connection);
    let mut tables = BTreeMap::new();
    for name in schema.tables() {
        let rows = snapshot.value(&format!("SELECT count(*) FROM \"{name}\""), [])?;
        tables.insert(name.to_owned(), rows);
    }
    let (key_id, sealed, has_slots) = active_pair(&snapshot)?;
    Ok(Inspected {
        version,
        tables,
        key_id,
        sealed,
        has_slots,
        newest_record: snapshot.value(
            "SELECT max(at) FROM (SELECT max(data_creazione) AS at FROM segnalazioni UNION ALL SELECT max(at) FROM access_log)",
            [],
        )?,
    })
}

/// The pair that reports are sealed to: its name, whether it is in sealed mode, whether a slot opens it.
fn active_pair(snapshot: &Snapshot<'_>) -> Result<(Option<String>, bool, bool)> {
    let Some(pair) = snapshot.active_key_pair()? else {
        return Ok((None, false, false));
    };
    let has_slots = snapshot.has_slots(&pair.key_id)?;
    Ok((Some(pair.key_id), pair.sealed, has_slots))
}

/// What holds of the present database in one that takes its place.
#[derive(Debug, Clone)]
pub struct Present {
    pub key_id: Option<String>,
    pub sealed: bool,
    pub has_slots: bool,
    pub reports: i64,
    /// What was erased.
    pub ledger: Vec<LedgerRow>,
}

/// Looks at the database of a folder without changing it; `None` where there is none.
pub fn read_present(folder: &Path) -> Result<Option<Present>> {
    if !database_path(folder).exists() {
        return Ok(None);
    }
    let connection = open_reader(folder)?;
    let snapshot = Snapshot::new(&connection);
    let (key_id, sealed, has_slots) = active_pair(&snapshot)?;
    Ok(Some(Present {
        key_id,
        sealed,
        has_slots,
        reports: snapshot.counters()?.total,
        ledger: snapshot.ledger()?,
    }))
}

/// The saved system settings of a folder's database, of this schema version or an earlier one, without changing it.
pub fn glance_at_settings(folder: &Path) -> Result<Option<String>> {
    let connection = open_reader(folder)?;
    Snapshot::new(&connection).settings(Section::System)
}

/// Reads from the database of a folder, held by a server or not, without changing it; `None` when it is of an earlier
/// schema version, which the next start of a server migrates.
pub fn look<T, E: From<Error>>(
    folder: &Path,
    work: impl FnOnce(&Snapshot<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<Option<T>, E> {
    let connection = open_reader(folder)?;
    let snapshot = connection.unchecked_transaction().map_err(Error::from)?;
    let version: i64 = snapshot
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(Error::from)?;
    if version < known_version() {
        return Ok(None);
    }
    work(&Snapshot::new(&snapshot)).map(Some)
}

/// Refuses a file whose pages, indexes or references do not fit together.
fn refuse_broken(connection: &Connection) -> Result<()> {
    let verdict: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Error::Damaged("controllo di integrità fallito".to_owned()));
    }
    let mut references = connection.prepare("PRAGMA foreign_key_check")?;
    if references.exists([])? {
        return Err(Error::Damaged("riferimenti interrotti".to_owned()));
    }
    Ok(())
}

/// Every object of a database but [`REPLICATOR`]'s: kind and name, with the table it belongs to and its text.
struct Schema(BTreeMap<(String, String), (String, Option<String>)>);

impl Schema {
    fn of(connection: &Connection) -> Result<Self> {
        let mut objects =
            connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
        let objects = objects.query_map([], |row| {
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
        })?;
        let mut objects: BTreeMap<_, (String, Option<String>)> =
            objects.collect::<rusqlite::Result<_>>()?;
        for (table, text) in REPLICATOR {
            let object = ("table".to_owned(), table.to_owned());
            let known = objects.get(&object);
            if known.is_some_and(|(_, found)| found.as_deref() == Some(text)) {
                objects.remove(&object);
            }
        }
        Ok(Self(objects))
    }

    fn tables(&self) -> impl Iterator<Item = &str> {
        let names = self.0.keys();
        names
            .filter(|(kind, _)| kind == "table")
            .map(|(_, name)| name.as_str())
    }

    fn refuse_other_than(&self, expected: &Self) -> Result<()> {
        let named = |what: &str, (kind, name): &(String, String)| {
            Error::Schema(format!("{what} {} «{}»", plain(kind), plain(name)))
        };
        for (object, text) in &self.0 {
            match expected.0.get(object) {
                None => return Err(named("contiene un oggetto inatteso,", object)),
                Some(other) if other != text => {
                    return Err(named("è stato modificato l'oggetto", object));
                }
                Some(_) => {}
            }
        }
        let missing = expected
            .0
            .keys()
            .find(|object| !self.0.contains_key(*object));
        missing.map_or(Ok(()), |object| Err(named("manca l'oggetto", object)))
    }
}

/// A name out of a file of unknown origin, fit for a terminal.
fn plain(name: &str) -> String {
    let harmless = |character: char| character.is_ascii_alphanumeric() || character == '_';
    name.chars()
        .take(60)
        .map(|character| if harmless(character) { character } else { '?' })
        .collect()
}
