//! Opens connections: the file and its permissions, the pragmas, the migrations, the folder's lock.
//! Must never hand out a connection whose durability or safety pragmas were not read back.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::disk::explained;
use super::error::{Error, Result};
use super::session::Snapshot;

/// "SEGN": marks the file as ours.
const APPLICATION_ID: i64 = 0x5345_474E;
const DATABASE: &str = "segnalazioni.db";
/// The beginning of the name of a database that was replaced; the moment follows.
pub const PUT_ASIDE: &str = "segnalazioni.db.messo-da-parte-";
const LOCK: &str = "segnalazioni.lock";
const OPENING_LOCK: &str = "segnalazioni.opening.lock";
/// The room that is kept for editors.
pub(super) const RESERVE_FILE: &str = "segnalazioni.riserva";
/// Files of a data folder that the program opens only where they are files.
pub const FILES: [&str; 4] = [DATABASE, LOCK, OPENING_LOCK, RESERVE_FILE];
/// How long a connection waits for another process's write (`reset-password` beside a server).
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// `PRAGMA synchronous` read back: 2 is FULL. Anything less loses acknowledged reports in a power cut.
const SYNCHRONOUS_FULL: i64 = 2;

/// Every migration in order; the position is the schema version.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001.sql")];

/// An exclusive hold on a data folder; released on drop, and by the system when the process ends.
#[derive(Debug)]
pub struct FolderLock(File);

impl FolderLock {
    /// Writes down where the server that holds the folder is found, for [`holder`]: its public origin, and where it listens.
    pub fn note(&self, origin: &str, address: SocketAddr) -> io::Result<()> {
        self.0
            .write_all_at(format!("{origin}\n{address}\n").as_bytes(), 0)
    }
}

/// The holder of a data folder.
pub enum Holder {
    Free,
    Server(Served),
    /// A command, or a server that does not listen yet.
    Other,
}

/// A server that has said where it is; whether it answers is another question.
pub struct Served {
    pub origin: String,
    pub address: SocketAddr,
    /// Since when, by the machine's clock.
    pub since: SystemTime,
}

/// Looks what holds a data folder. Nothing is changed, and two that look do not take each other for a holder.
pub fn holder(folder: &Path) -> Result<Holder> {
    let path = folder.join(LOCK);
    let disk = Error::at(&path);
    let mut file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Holder::Free),
        opened => opened.map_err(&disk)?,
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => return Ok(Holder::Free),
        Err(Errno::WOULDBLOCK) => {}
        Err(error) => return Err(disk(error.into())),
    }
    let mut note = String::new();
    file.read_to_string(&mut note).map_err(&disk)?;
    // Written once, at the start.
    let since = file.metadata().and_then(|about| about.modified());
    let since = since.map_err(&disk)?;
    let mut lines = note.lines();
    let origin = lines.next().map(str::to_owned);
    let address = lines.next().and_then(|line| line.parse().ok());
    Ok(origin
        .zip(address)
        .map_or(Holder::Other, |(origin, address)| {
            Holder::Server(Served {
                origin,
                address,
                since,
            })
        }))
}

/// The hold on a data folder, and the turn at opening it.
pub type Held = (FolderLock, FolderLock);

pub fn database_path(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Whether a folder has a database, sound or not; an error where that cannot be seen.
pub fn has_database(folder: &Path) -> Result<bool> {
    let path = database_path(folder);
    path.try_exists().map_err(Error::at(&path))
}

/// Bytes of a folder's database; 0 without one.
pub fn database_len(folder: &Path) -> Result<u64> {
    length(&database_path(folder))
}

/// Bytes of a file; 0 without one.
pub(super) fn length(path: &Path) -> Result<u64> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(file.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(Error::at(path)(error)),
    }
}

/// Whether a database is missing or empty while its log of writes still holds something: beside it, or where a restore that
/// was cut off has put it aside. SQLite would take that log for a leftover and delete it, with the reports in it.
fn has_lone_log(path: &Path) -> bool {
    let holds = |path: &Path| std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
    let is_log = |name: &str| {
        name.strip_suffix("-wal")
            .is_some_and(|of| of == DATABASE || of.starts_with(PUT_ASIDE))
    };
    let folder = path.parent().filter(|_| !holds(path));
    let beside = folder.and_then(|folder| folder.read_dir().ok());
    let mut beside = beside.into_iter().flatten().flatten();
    beside.any(|entry| entry.file_name().to_str().is_some_and(is_log) && holds(&entry.path()))
}

/// Refuses to open such a database, before SQLite touches anything.
pub fn refuse_lone_log(path: &Path) -> Result<()> {
    if !has_lone_log(path) {
        return Ok(());
    }
    Err(Error::Damaged(format!(
        "{} manca o è vuoto, mentre accanto c'è ancora il suo registro (-wal) con segnalazioni ricevute. Non è stato toccato \
         nulla: conservare il -wal e tornare all'ultimo backup buono con «segnalazioni restore», che mette il registro da parte",
        path.display()
    )))
}

/// Makes the data folder (mode 0700) and tightens an existing one that is empty or already ours.
pub fn prepare_folder(folder: &Path) -> Result<()> {
    let disk = Error::at(folder);
    if !folder.exists() {
        std::fs::create_dir_all(folder).map_err(&disk)?;
        // Without it a power cut could take the folder, reports and all.
        let made = folder.canonicalize().map_err(&disk)?;
        let parent = File::open(made.parent().unwrap_or(&made)).map_err(&disk)?;
        parent.sync_all().map_err(&disk)?;
    }
    let ours = has_database(folder)?;
    let empty = std::fs::read_dir(folder).map_err(&disk)?.next().is_none();
    if ours || empty {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(&disk)?;
    }
    Ok(())
}

pub fn lock_folder(folder: &Path) -> Result<FolderLock> {
    let path = folder.join(LOCK);
    let (file, disk) = (private_file(&path)?, Error::at(&path));
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
        Errno::WOULDBLOCK => Error::InUse(folder.display().to_string()),
        other => disk(other.into()),
    })?;
    // Where the one before it was found.
    file.set_len(0).map_err(disk)?;
    Ok(FolderLock(file))
}

/// Waits for the turn at opening the folder: two programs that found it empty must not each make a key pair, or the
/// reports sealed to the one that loses would be lost with it.
pub fn lock_opening(folder: &Path) -> Result<FolderLock> {
    let file = private_file(&folder.join(OPENING_LOCK))?;
    flock(&file, FlockOperation::LockExclusive).map_err(|error| Error::at(folder)(error.into()))?;
    Ok(FolderLock(file))
}

/// Takes away a folder that was made for nothing, with the locks that are held on it. What is not ours in it stays, and so
/// does the folder then.
pub fn forsake_folder(folder: &Path, _held: &Held) -> io::Result<()> {
    for lock in [LOCK, OPENING_LOCK] {
        std::fs::remove_file(folder.join(lock))?;
    }
    std::fs::remove_dir(folder)
}

pub(super) fn open_writer(folder: &Path) -> Result<Connection> {
    let path = database_path(folder);
    refuse_lone_log(&path)?;
    drop(private_file(&path)?);
    ready_to_write(&path).map_err(|error| explained(error, &path))
}

fn ready_to_write(path: &Path) -> Result<Connection> {
    let mut connection = open(path)?;
    refuse_foreign(&connection, path)?;
    prepare(&connection)?;
    connection.pragma_update(None, "cache_size", -4_096)?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Error::Disk(format!("journal_mode {mode} invece di wal")));
    }
    // Else a commit now and then would wait for all that was written before it: the log has its own keeper.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    migrate(&mut connection)?;
    Snapshot::new(&connection).refuse_other_schema()?;
    Ok(connection)
}

/// Opens a database that is there; each connection has one user at a time.
pub(super) fn open(path: &Path) -> Result<Connection> {
    refuse_lone_log(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// A database in memory, for demonstration mode: nothing reaches the disk.
pub(super) fn open_memory() -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens one more connection that can only read. A file in which no program ever made a table is [`Error::Damaged`].
pub(super) fn open_reader(folder: &Path) -> Result<Connection> {
    let path = database_path(folder);
    ready_to_read(&path).map_err(|error| explained(error, &path))
}

fn ready_to_read(path: &Path) -> Result<Connection> {
    let connection = open(path)?;
    prepare(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    // Enough for a page of the list; a search or an export reads no page twice.
    connection.pragma_update(None, "cache_size", -1_024)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 && is_empty(&connection)? {
        return Err(Error::Damaged("il file è vuoto".to_owned()));
    }
    Ok(connection)
}

/// The connection, opened now if it never was.
pub(super) fn opened(
    kept: &mut Option<Connection>,
    open: impl FnOnce() -> Result<Connection>,
) -> Result<&Connection> {
    Ok(match kept {
        Some(connection) => connection,
        none => none.insert(open()?),
    })
}

/// Opens a connection that empties the log of writes, and waits so long for those who read from it.
pub(super) fn open_log_keeper(folder: &Path, patience: Duration) -> Result<Connection> {
    let connection = open(&database_path(folder))?;
    prepare(&connection)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}

pub(super) fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// An empty database, in memory, as the migrations up to a version make it.
pub(super) fn schema_of_version(version: i64) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    migrate_to(&mut connection, version)?;
    Ok(connection)
}

/// The schema version of a database; a newer one than this program's is refused.
pub(super) fn schema_version(connection: &Connection) -> Result<i64> {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = known_version();
    if found > known {
        return Err(Error::Newer { found, known });
    }
    Ok(found)
}

/// The schema version of a folder's archive, and that which opening it gives it; `None` where it is not older. What is no archive
/// is refused when it is opened.
pub fn upgrade_of(folder: &Path) -> Option<(i64, i64)> {
    upgrade_to(folder, known_version())
}

pub(super) fn upgrade_to(folder: &Path, known: i64) -> Option<(i64, i64)> {
    let path = database_path(folder);
    let version = |path: &Path| -> Result<i64> {
        let connection = open(path)?;
        Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
    };
    let found = path.exists().then(|| version(&path))?.ok()?;
    (1..known).contains(&found).then_some((found, known))
}

pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    migrate_to(connection, known_version())
}

/// Each migration is a transaction, with the version that it leads to.
fn migrate_to(connection: &mut Connection, version: i64) -> Result<()> {
    let found = schema_version(connection)?;
    for (number, sql) in (1..=version).zip(MIGRATIONS) {
        if number > found {
            let step = connection.transaction()?;
            step.execute_batch(sql)?;
            step.pragma_update(None, "user_version", number)?;
            step.commit()?;
        }
    }
    Ok(())
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// A file with tables and another program's mark is left alone. One that bears ours is ours, whatever state it is in.
pub(super) fn refuse_foreign(connection: &Connection, path: &Path) -> Result<()> {
    let foreign = || Error::Foreign(path.display().to_string());
    let is_ours =
        || match connection.pragma_query_value(None, "application_id", |row| row.get(0))? {
            APPLICATION_ID => Ok(true),
            0 => is_empty(connection),
            _ => Ok(false),
        };
    match is_ours().map_err(Error::from) {
        Ok(true) => Ok(()),
        Ok(false) | Err(Error::Damaged(_)) => Err(foreign()),
        Err(error) => Err(error),
    }
}

pub(super) fn prepare(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    let foreign_keys: bool =
        connection.pragma_query_value(None, "foreign_keys", |row| row.get(0))?;
    if synchronous != SYNCHRONOUS_FULL || !foreign_keys {
        return Err(Error::Sqlite(
            "SQLite non applica synchronous=FULL e foreign_keys".to_owned(),
        ));
    }
    Ok(())
}

/// Opens or creates a file that only its owner can read, whatever the umask; a link in its place is refused.
pub(super) fn private_file(path: &Path) -> Result<File> {
    let file = open_private(path, false)?;
    if let Some(folder) = path.parent() {
        give_to_owner(folder, path)?;
    }
    Ok(file)
}

/// Gives what root made in a folder to that folder's owner, whose server must be able to open it. Run by another user, or in
/// a folder of root's own, it does nothing.
pub fn give_to_owner(folder: &Path, made: &Path) -> Result<()> {
    let disk = Error::at(made);
    let owner = std::fs::metadata(folder).map_err(&disk)?;
    let present = std::fs::symlink_metadata(made).map_err(&disk)?;
    if !rustix::process::geteuid().is_root() || owner.uid() == present.uid() {
        return Ok(());
    }
    std::os::unix::fs::lchown(made, Some(owner.uid()), Some(owner.gid())).map_err(&disk)
}

/// Makes a folder of ours below the data where there is none, for its owner alone.
pub fn folder_below(data: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = data.join(name);
    if !folder.is_dir() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        give_to_owner(data, &folder).map_err(io::Error::other)?;
        File::open(data)?.sync_all()?;
    }
    Ok(folder)
}

/// Creates such a file where there must be none.
pub fn make_private_file(path: &Path) -> Result<File> {
    open_private(path, true)
}

fn open_private(path: &Path, new: bool) -> Result<File> {
    let disk = Error::at(path);
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .create_new(new)
        .truncate(false)
        .mode(0o600)
        .custom_flags(no_follow)
        .open(path)
        .map_err(&disk)?;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
        .map_err(&disk)?;
    Ok(file)
}
