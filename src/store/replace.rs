//! Puts another database in the place of the present one, which is kept under another name.
//! Must never leave a moment in which neither the old nor the new database would be found whole under its name, nor a
//! log of one beside the other.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::connection::{
    FolderLock, database_path, give_to_owner, make_private_file, migrate, open_reader, prepare,
};
use super::copies::settle;
use super::error::{Error, Result};

/// What SQLite may keep beside a database: log, its index, rollback journal.
const COMPANIONS: [&str; 3] = ["-wal", INDEX, "-journal"];
/// The index of a log.
const INDEX: &str = "-shm";
/// What the name of a database begins with that another one took the place of; then comes the moment.
pub const PUT_ASIDE: &str = "segnalazioni.db.prima-del-ripristino-";
/// What opens the reports and the panel, by table and columns: it moves into an archive that is made of a file without it.
const KEYS: [(&str, &str); 3] = [
    ("key_pairs", "key_id, public_key, created, active, sealed"),
    ("key_slots", "key_id, kind, blob, created"),
    ("credential", "id, body, updated"),
];

/// Brings a copied database to this program's schema, ends its sessions and forgets counted guesses: those of another
/// time must not come back. The file is one again, and on disk.
pub fn renew_database(path: &Path) -> Result<()> {
    let mut connection = Connection::open(path)?;
    prepare(&connection)?;
    migrate(&mut connection)?;
    connection.execute_batch("DELETE FROM sessions; DELETE FROM login_attempts;")?;
    connection.close().map_err(|(_, error)| error)?;
    settle(path)
}

/// Makes a closed database one file, on disk.
pub fn settle_database(folder: &Path) -> Result<PathBuf> {
    let path = database_path(folder);
    settle(&path)?;
    Ok(path)
}

/// Copies a database that was put aside into a folder, under the name of a present one and as one file: with the log that it
/// may have beside it. The original stays as it is.
pub fn copy_put_aside(from: &Path, folder: &Path) -> Result<PathBuf> {
    let to = database_path(folder);
    copy(from, &to)?;
    // The index of a log is made anew.
    for ending in COMPANIONS.iter().filter(|ending| **ending != INDEX) {
        let log = beside(from, ending);
        if log.exists() {
            copy(&log, &beside(&to, ending))?;
        }
    }
    settle(&to)?;
    Ok(to)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let disk = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::Disk(format!("{}: {error}", from.display())),
    };
    let mut copied = make_private_file(to)?;
    io::copy(&mut File::open(from).map_err(disk)?, &mut copied).map_err(disk)?;
    copied.sync_all().map_err(disk)
}

/// Copies key pairs, slots and the password's verifier of one folder's database into the fresh one of another.
pub fn carry_keys(from: &Path, into: &Path) -> Result<()> {
    let (source, target) = (open_reader(from)?, Connection::open(database_path(into))?);
    prepare(&target)?;
    let change = target.unchecked_transaction()?;
    for (table, columns) in KEYS {
        let mut rows = source.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let width = rows.column_count();
        let places = vec!["?"; width].join(", ");
        let mut insert = change.prepare(&format!(
            "INSERT INTO {table} ({columns}) VALUES ({places})"
        ))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..width).map(|column| row.get::<_, rusqlite::types::Value>(column));
            insert.execute(rusqlite::params_from_iter(
                values.collect::<rusqlite::Result<Vec<_>>>()?,
            ))?;
        }
    }
    Ok(change.commit()?)
}

/// Where a replaced database lies now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PutAside {
    /// The database, where there was one.
    pub database: Option<PathBuf>,
    /// The log that could not be written into it.
    pub log: Option<PathBuf>,
}

/// Replaces the database of a folder that is held, whose opening is held too, by `new`, a settled file on the same disk.
/// The present one stays beside it as `aside`; answers where it is. Killed at any moment, the folder
/// holds the old or the new database.
pub fn replace_database(
    folder: &Path,
    _held: (&FolderLock, &FolderLock),
    new: &Path,
    aside: &str,
) -> Result<PutAside> {
    let disk = |error: io::Error| Error::Disk(format!("{}: {error}", folder.display()));
    let (present, aside) = (database_path(folder), folder.join(aside));
    let kept = present.exists();
    if kept {
        let opens = match settle(&present) {
            Ok(()) => true,
            Err(Error::Damaged(_)) => false,
            Err(error) => return Err(error),
        };
        // A second name, so that the first is never without a database.
        fs::hard_link(&present, &aside).map_err(disk)?;
        if !opens {
            // It has no log that could be written into it: the two are kept as they lie.
            move_companions(&present, &aside).map_err(disk)?;
        }
    } else {
        move_companions(&present, &aside).map_err(disk)?;
    }
    give_to_owner(folder, new)?;
    sync(folder).map_err(disk)?;
    fs::rename(new, &present).map_err(disk)?;
    sync(folder).map_err(disk)?;
    let mut logs = ["-wal", "-journal"]
        .map(|ending| beside(&aside, ending))
        .into_iter();
    Ok(PutAside {
        log: logs.find(|log| log.exists()),
        database: kept.then_some(aside),
    })
}

/// Whether a name for a former archive is free: no file has it, nor one of those that SQLite would look for beside it.
pub fn is_free_name(path: &Path) -> bool {
    let taken = |path: &Path| path.symlink_metadata().is_ok();
    !taken(path) && !COMPANIONS.iter().any(|ending| taken(&beside(path, ending)))
}

/// Whether a file is the present database of a folder, whatever it is called; a link is where it leads.
pub fn is_present_database(folder: &Path, file: &Path) -> bool {
    let present = fs::metadata(database_path(folder)).map(|file| inode(&file));
    matches!((present, fs::metadata(file).map(|file| inode(&file))), (Ok(one), Ok(other)) if one == other)
}

/// Takes the second name from a present database that a restore had given it when it was killed before the new one came: under
/// such a name only former archives lie. A log that had followed the name comes back where the database is still as lost as
/// the restore found it; one that was made since has nothing to do with that log, and the two stay as they lie. Answers how
/// many names were taken.
pub fn forget_second_names(folder: &Path, _held: &FolderLock) -> Result<usize> {
    let disk = |error: io::Error| Error::Disk(format!("{}: {error}", folder.display()));
    let (present, mut forgotten) = (database_path(folder), 0);
    let Ok(own) = fs::symlink_metadata(&present).map(|file| inode(&file)) else {
        return Ok(0);
    };
    // What is renamed below is not walked over.
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(disk)? {
        let entry = entry.map_err(disk)?;
        let put_aside = entry.file_name().to_string_lossy().starts_with(PUT_ASIDE);
        let name = entry.path();
        if put_aside && fs::symlink_metadata(&name).is_ok_and(|file| inode(&file) == own) {
            names.push(name);
        }
    }
    for name in names {
        if has_companions(&name) {
            // Whose log is whose nobody knows any more.
            if has_companions(&present) || !is_lost(&present) {
                continue;
            }
            move_companions(&name, &present).map_err(disk)?;
        }
        fs::remove_file(&name).map_err(disk)?;
        forgotten += 1;
    }
    if forgotten > 0 {
        sync(folder).map_err(disk)?;
    }
    Ok(forgotten)
}

/// Whether SQLite would find anything beside a database.
fn has_companions(database: &Path) -> bool {
    COMPANIONS
        .iter()
        .any(|ending| beside(database, ending).exists())
}

/// Whether nothing is left of a database but its name.
fn is_lost(database: &Path) -> bool {
    fs::metadata(database).is_ok_and(|file| file.len() == 0)
}

/// Which file a name stands for.
fn inode(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// A log beside a database that it does not belong to would be written into it.
fn move_companions(database: &Path, aside: &Path) -> io::Result<()> {
    for ending in COMPANIONS {
        match fs::rename(beside(database, ending), beside(aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// What SQLite calls a file beside a database.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
