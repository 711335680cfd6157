//! Puts another database in the place of the present one, which is kept under another name.
//! Must never leave a moment in which neither the old nor the new database would be found whole under its name, nor a
//! log of one beside the other.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64};

use rusqlite::Connection;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::connection::{
    Held, database_path, give_to_owner, make_private_file, migrate, prepare, refuse_lone_log,
};
use super::copies::{Present, settle};
use super::disk::beside;
use super::error::{Error, Result};
use super::session::Tx;

/// Files that SQLite may keep beside a database: log, its index, rollback journal.
const COMPANIONS: [&str; 3] = ["-wal", INDEX, "-journal"];
const INDEX: &str = "-shm";
/// Keys, and the people with their passkeys and the departments that they see.
pub const KEYS: [&str; 6] = [
    "key_pairs",
    "key_slots",
    "credential",
    "departments",
    "people",
    "passkeys",
];
/// Tables that an archive with other keys takes over: settings, phrases, departments, logo, erasures, and the generation.
pub const SETTINGS: [&str; 5] = ["settings", "departments", "logo", "erased", "generation"];

/// Prepares a copied database for taking the place of the present one: brings it to this program's schema, ends its sessions,
/// forgets counted guesses and known browsers, erases what the present one has erased, and has its generation, if that was ever
/// raised. Answers how many reports were erased. The file is one again, and on disk.
pub fn renew_database(path: &Path, present: Option<&Present>) -> Result<usize> {
    let mut connection = Connection::open(path)?;
    prepare(&connection)?;
    migrate(&mut connection)?;
    let change = connection.unchecked_transaction()?;
    change.execute_batch(
        "DELETE FROM sessions; DELETE FROM login_attempts; DELETE FROM browsers; DELETE FROM generation;",
    )?;
    if let Some(present) = present.filter(|present| present.generation > 1) {
        let sql = "INSERT INTO generation (id, n) VALUES (1, ?1)";
        change.execute(sql, [present.generation])?;
    }
    let ledger = present.map_or(&[][..], |present| &present.ledger);
    let (revision, epoch) = (AtomicU64::default(), AtomicI64::default());
    let withheld = Tx::new(&change, &revision, &epoch).let_stay_erased(ledger)?;
    change.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    settle(path)?;
    Ok(withheld)
}

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
    let disk = Error::at(from);
    let mut copied = make_private_file(to)?;
    io::copy(&mut File::open(from).map_err(&disk)?, &mut copied).map_err(&disk)?;
    copied.sync_all().map_err(&disk)
}

/// Copies whole tables of one folder's database into a new one of another.
pub fn carry_tables(from: &Path, into: &Path, tables: &[&str]) -> Result<()> {
    let source = database_path(from);
    refuse_lone_log(&source)?;
    let source = source.to_str().ok_or_else(|| {
        let shown = from.display();
        Error::Disk(format!("{shown}: il nome della cartella non è UTF-8"))
    })?;
    let path = database_path(into);
    drop(make_private_file(&path)?);
    let mut target = Connection::open(path)?;
    prepare(&target)?;
    migrate(&mut target)?;
    target.execute("ATTACH DATABASE ?1 AS source", [source])?;
    let change = target.unchecked_transaction()?;
    for table in tables {
        let sql = format!("INSERT OR REPLACE INTO main.{table} SELECT * FROM source.{table}");
        change.execute_batch(&sql)?;
    }
    Ok(change.commit()?)
}

/// Replaces the database of a folder that is held, whose opening is held too, by `new`, a settled file on the same disk.
/// The present one stays beside it as `aside`, or its log where only that is left: that is answered. Killed at any moment, the folder holds the old or the new database; a kill
/// around the exchange leaves the other one under the name `aside` with `-in-arrivo`.
pub fn replace_database(
    folder: &Path,
    _held: &Held,
    new: &Path,
    aside: &str,
) -> Result<Option<PathBuf>> {
    let disk = Error::at(folder);
    let arriving = folder.join(format!("{aside}-in-arrivo"));
    let (present, aside) = (database_path(folder), folder.join(aside));
    let replaces = present.exists();
    // The log of a database that cannot be opened cannot be written into it, so both are kept as they are.
    if replaces
        && let Err(error) = settle(&present)
        && !matches!(error, Error::Damaged(_))
    {
        return Err(error);
    }
    give_to_owner(folder, new)?;
    fs::rename(new, &arriving).map_err(&disk)?;
    // A log beside a database that it does not belong to would be written into it: it must be gone for good before.
    move_companions(&present, &aside).map_err(&disk)?;
    sync(folder).map_err(&disk)?;
    if replaces {
        if let Err(refused) = renameat_with(CWD, &arriving, CWD, &present, RenameFlags::EXCHANGE) {
            move_companions(&aside, &present).map_err(&disk)?;
            fs::remove_file(&arriving).map_err(&disk)?;
            return Err(not_exchanged(folder, refused));
        }
        sync(folder).map_err(&disk)?;
        // Whatever has that name already stays.
        renameat_with(CWD, &arriving, CWD, &aside, RenameFlags::NOREPLACE)
            .map_err(|taken| disk(taken.into()))?;
    } else {
        fs::rename(&arriving, &present).map_err(&disk)?;
    }
    sync(folder).map_err(&disk)?;
    let kept = replaces || beside(&aside, "-wal").exists();
    Ok(kept.then_some(aside))
}

fn not_exchanged(folder: &Path, refused: Errno) -> Error {
    let shown = folder.display();
    Error::Disk(match refused {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => format!(
            "il file system di {shown} non sa scambiare due file in un solo passo (RENAME_EXCHANGE): spostare la cartella \
             dei dati su un disco locale (ext4, XFS, Btrfs). L'archivio è rimasto com'era"
        ),
        other => format!("{shown}: {}", io::Error::from(other)),
    })
}

fn move_companions(database: &Path, aside: &Path) -> io::Result<()> {
    for ending in COMPANIONS {
        match fs::rename(beside(database, ending), beside(aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
