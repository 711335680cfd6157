//! Whole databases as files: a consistent copy of one that is in use, and what a file must show before it may be trusted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};

use super::Snapshot;
use super::connection::{
    BUSY_TIMEOUT, database_path, has_database, known_version, make_private_file, open, open_reader,
    refuse_foreign, refuse_lone_log, schema_of_version, schema_version,
};
use super::disk::explained;
use super::error::{Error, Result};
use super::readers::read_from;
use crate::store::archive::erasure::LedgerRow;

/// Tables that Litestream keeps in a database that it replicates: two tables of counters, exactly as it makes them.
/// They belong to that database alone, and are no part of its content.
pub(super) const REPLICATOR: [(&str, &str); 2] = [
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
/// Bytes that may be on their way to the disk at once.
const PART: usize = 512 << 10;
/// The rest after each part, in which writers have the disk for themselves.
const REST: Duration = Duration::from_millis(5);
/// Steps of SQLite's machine after which a check looks at the time.
const STEPS: i32 = 10_000;

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
    if !has_database(folder)? {
        return Err(Error::Missing(folder.display().to_string()));
    }
    let source = open_reader(folder)?;
    refuse_foreign(&source, &path)?;
    // Held to the end: without it each commit of the server would begin the copy anew.
    let snapshot = source.unchecked_transaction()?;
    if schema_version(&snapshot)? == 0 {
        return Err(Error::Missing(folder.display().to_string()));
    }
    drop(make_private_file(to)?);
    copy_all(&source, to).map_err(|error| explained(error, to))
}

fn copy_all(source: &Connection, to: &Path) -> Result<()> {
    let mut target = open(to)?;
    // The copy is worth nothing before it is whole: no commit of its own has to be on disk.
    target.pragma_update(None, "synchronous", "OFF")?;
    copy_pages(source, &mut target, to)?;
    target.pragma_update(None, "secure_delete", true)?;
    for (table, _) in REPLICATOR {
        target.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    drop(target);
    settle(to)
}

fn copy_pages(source: &Connection, target: &mut Connection, to: &Path) -> Result<()> {
    let disk = Error::at(to);
    let mut written = PacedFile::new(File::open(to).map_err(&disk)?);
    let copy = Backup::new(source, target)?;
    while copy.step(PAGES)? != StepResult::Done {
        written.note(PART).map_err(&disk)?;
    }
    Ok(())
}

/// Makes a database one file: what its log holds is written into it, no log is left, and it is on disk.
pub(super) fn settle(path: &Path) -> Result<()> {
    let connection = open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| {
        row.get::<_, String>(0)
    });
    match mode.map_err(Error::from) {
        Ok(mode) if mode == "delete" => {}
        Ok(_) | Err(Error::QueueFull) => return Err(Error::InUse(path.display().to_string())),
        Err(error) => return Err(error),
    }
    connection.close().map_err(|(_, error)| error)?;
    let disk = Error::at(path);
    File::open(path).map_err(&disk)?.sync_all().map_err(&disk)
}

/// Checks a database file that no program has open: that it is ours, of a known version, has the schema of that version and
/// nothing else, and is whole. Before the schema is known, nothing in it is run. Gives up after `limit`, where a person waits
/// for the outcome.
pub fn inspect_database(path: &Path, limit: Option<Duration>) -> Result<Inspected> {
    let inspected = open_stranger(path).and_then(|mut connection| {
        if let Some(limit) = limit {
            let begun = Instant::now();
            connection.progress_handler(STEPS, Some(move || begun.elapsed() > limit))?;
        }
        inspect(&connection, path)
    });
    inspected.map_err(|error| explained(error, path))
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
    let version = schema_version(connection)?;
    if version < 1 {
        return Err(Error::Foreign(path.display().to_string()));
    }
    let schema = Schema::of(&Snapshot::new(connection))?;
    schema.refuse_other_than(&Schema::of_version(version)?)?;
    refuse_broken(connection)?;
    let snapshot = Snapshot::new(connection);
    // An unknown word among them, which the schema does not refuse, would hide every list.
    snapshot.statuses_in_use()?;
    let mut tables = BTreeMap::new();
    for (_, name) in schema.0.keys().filter(|(kind, _)| kind == "table") {
        let rows = snapshot.value(&format!("SELECT count(*) FROM \"{name}\""), [])?;
        tables.insert(name.clone(), rows);
    }
    let (key_id, sealed, has_slots) = active_pair(&snapshot)?;
    Ok(Inspected {
        version,
        tables,
        key_id,
        sealed,
        has_slots,
        newest_record: snapshot.value(
            "SELECT max(at) FROM (SELECT max(data_creazione) AS at FROM segnalazioni \
             UNION ALL SELECT max(at) FROM access_log)",
            [],
        )?,
    })
}

/// The pair that reports are sealed to: its name, whether it is in sealed mode, whether a slot opens it.
fn active_pair(snapshot: &Snapshot<'_>) -> Result<(Option<String>, bool, bool)> {
    let pair = snapshot.find(
        "SELECT key_id, sealed, EXISTS (SELECT 1 FROM key_slots s WHERE s.key_id = p.key_id) \
         FROM key_pairs p WHERE active = 1",
        [],
    )?;
    Ok(pair.unwrap_or_default())
}

/// Values of the present database that also hold in one that replaces it.
#[derive(Debug, Clone)]
pub struct Present {
    pub key_id: Option<String>,
    /// Pairs that it was sealed for before.
    pub former_pairs: Vec<String>,
    pub sealed: bool,
    pub has_slots: bool,
    pub reports: i64,
    pub ledger: Vec<LedgerRow>,
    /// Ids of people who were removed.
    pub gone: Vec<String>,
    /// Ids of the passkeys that there are.
    pub passkeys: Vec<String>,
    pub generation: i64,
}

/// Looks at the database of a folder without changing it; `None` where there is none.
pub fn read_present(folder: &Path) -> Result<Option<Present>> {
    if !has_database(folder)? {
        return Ok(None);
    }
    let connection = open_reader(folder)?;
    let snapshot = Snapshot::new(&connection);
    let (key_id, sealed, has_slots) = active_pair(&snapshot)?;
    Ok(Some(Present {
        key_id,
        former_pairs: snapshot.former_pairs()?,
        sealed,
        has_slots,
        reports: snapshot.counted(None, None)?,
        ledger: snapshot.ledger()?,
        gone: snapshot.gone_people()?,
        passkeys: snapshot.passkey_ids()?,
        generation: snapshot.generation()?,
    }))
}

/// Reads from the database of a folder, held by a server or not, without changing it; `None` when it is of an earlier
/// schema version, which the next start of a server migrates. A later one is refused.
pub fn look<T, E: From<Error>>(
    folder: &Path,
    work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
) -> Result<Option<T>, E> {
    let connection = open_reader(folder)?;
    if schema_version(&connection)? < known_version() {
        return Ok(None);
    }
    read_from(&connection, work).map(Some)
}

/// Id and size of the files of the reports in a folder's database, of this schema version or an earlier one.
pub fn attached_files(folder: &Path) -> Result<Vec<(String, i64)>> {
    read_from(&open_reader(folder)?, |snapshot| snapshot.attached_files())
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

/// Digest of this program's own schema: to make that takes longer than all else of a start.
const OWN: &str = "4163ae88eed57ed90dec0d2fbfe9f59c00403d95ae3db055a5b8a9f902c705ce";

impl Snapshot<'_> {
    /// Refuses a database with another schema than this program's version has: a trigger or a view would answer in place of a
    /// table.
    pub(super) fn refuse_other_schema(&self) -> Result<()> {
        let schema = Schema::of(self)?;
        if schema.digest() == OWN {
            return Ok(());
        }
        schema.refuse_other_than(&Schema::of_version(known_version())?)
    }

    /// Whether the schema is that of this program's version.
    pub fn has_own_schema(&self) -> Result<bool> {
        match self.refuse_other_schema() {
            Ok(()) => Ok(true),
            Err(Error::Schema(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Schema {
    fn of_version(version: i64) -> Result<Self> {
        Self::of(&Snapshot::new(&schema_of_version(version)?))
    }

    fn of(snapshot: &Snapshot<'_>) -> Result<Self> {
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
        let objects = snapshot.list::<(String, String, String, Option<String>)>(sql, [])?;
        let objects = objects.into_iter().filter(|(kind, name, _, text)| {
            kind != "table" || !REPLICATOR.contains(&(name, text.as_deref().unwrap_or_default()))
        });
        let objects = objects.map(|(kind, name, table, text)| ((kind, name), (table, text)));
        Ok(Self(objects.collect()))
    }

    /// SHA-256 of its objects in their order, each part after its length.
    fn digest(&self) -> String {
        let parts = self.0.iter().flat_map(|((kind, name), (table, text))| {
            let text = text.as_deref().unwrap_or("-");
            [kind.as_str(), name.as_str(), table.as_str(), text]
        });
        let hash = parts.fold(Sha256::new(), |hash, part| {
            hash.chain_update((part.len() as u64).to_be_bytes())
                .chain_update(part)
        });
        hex::encode(hash.finalize())
    }

    fn refuse_other_than(&self, expected: &Self) -> Result<()> {
        let named = |what: &str, (kind, name): &(String, String)| {
            Error::Schema(format!("{what} {} «{}»", plain(kind), plain(name)))
        };
        for (object, text) in &self.0 {
            let what = match expected.0.get(object) {
                Some(other) if other == text => continue,
                Some(_) => "è stato modificato l'oggetto",
                None => "contiene un oggetto inatteso,",
            };
            return Err(named(what, object));
        }
        let mut objects = expected.0.keys();
        match objects.find(|object| !self.0.contains_key(*object)) {
            Some(missing) => Err(named("manca l'oggetto", missing)),
            None => Ok(()),
        }
    }
}

/// A name out of a file of unknown origin, fit for a terminal.
fn plain(name: &str) -> String {
    let odd = |character: char| !character.is_ascii_alphanumeric() && character != '_';
    format!("{:.60}", name.replace(odd, "?"))
}

/// A large file that is written beside a server at work: small parts, each synced, and a rest after each, so that commits never
/// wait for a gigabyte of other writes. The last part is on disk only when the whole file is synced.
pub struct PacedFile {
    file: File,
    unsynced: usize,
}

impl PacedFile {
    pub fn new(file: File) -> Self {
        Self { file, unsynced: 0 }
    }

    /// The file; its last part is not synced yet.
    pub fn into_inner(self) -> File {
        self.file
    }

    /// Notes bytes that were written to the file, by whatever means.
    fn note(&mut self, bytes: usize) -> io::Result<()> {
        self.unsynced += bytes;
        if self.unsynced >= PART {
            self.file.sync_data()?;
            self.unsynced = 0;
            thread::sleep(REST);
        }
        Ok(())
    }
}

impl Write for PacedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.note(written)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of the schema changes it: what is on the left then belongs into `OWN`.
    #[test]
    fn the_digest_is_that_of_the_schema() {
        let made = Schema::of_version(known_version()).unwrap();
        assert_eq!(made.digest(), OWN);
    }
}
