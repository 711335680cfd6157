//! The files of a database on the disk, and why it refuses them: SQLite says that it does, the disk says why.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::error::Error;

/// Bytes that are written to see whether there is room: more than SQLite's index of its log has at first.
const TRIAL: usize = 64 * 1024;

/// The path of a file that SQLite keeps beside a database: its name and an ending, such as `-wal` for the log of
/// writes.
pub fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// An error with its cause, where the disk refused.
pub(super) fn explained(error: Error, database: &Path) -> Error {
    match error {
        Error::Disk(said) => refusal(database).unwrap_or(Error::Disk(said)),
        other => other,
    }
}

/// Why a database, or a file beside it, cannot be written; `None` where all can.
fn refusal(database: &Path) -> Option<Error> {
    let files = ["", "-wal", "-shm"].map(|ending| beside(database, ending));
    let denied = files.iter().find_map(|file| {
        // To open and close it would take SQLite's locks from it.
        match accessat(
            CWD,
            file,
            Access::READ_OK | Access::WRITE_OK,
            AtFlags::EACCESS,
        ) {
            Ok(()) | Err(Errno::NOENT) => None,
            Err(error) => Some(Error::at(file)(error.into())),
        }
    });
    denied.or_else(|| {
        let folder = database.parent()?;
        write_in(folder).err().map(Error::at(folder))
    })
}

/// Writes a file that has no name, and is gone at once.
fn write_in(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder)?.write_all_at(&vec![1; TRIAL], 0)
}
