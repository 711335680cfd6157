//! Room on the disk that is kept for editors: a file that is deleted when the disk is full, so that they can log in, erase and
//! export, and made again when there is room. While it is gone no report is taken.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;

use super::connection::{RESERVE_FILE, database_path, private_file};
use super::error::{Error, Result};
use super::session::Snapshot;

/// Size of the reserve, and the room that must be left beside it when it is made, in bytes.
const RESERVE: u64 = 64 * 1024 * 1024;
/// Free room below which the reserve is given up before a write fails, in bytes.
const FLOOR: u64 = 4 * 1024 * 1024;
/// Free room below which people are warned, in bytes.
pub const LOW_ROOM: u64 = 512 * 1024 * 1024;

/// Bytes that the disk of a folder has left for this user.
pub fn free_bytes(folder: &Path) -> Result<u64> {
    let disk = statvfs(folder).map_err(|error| Error::at(folder)(error.into()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

impl Snapshot<'_> {
    /// Bytes of the database that new rows can take: what lay there was erased.
    pub(super) fn free_inside(&self) -> Result<u64> {
        let sql = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size";
        let bytes: i64 = self.value(sql, [])?;
        Ok(u64::try_from(bytes).unwrap_or_default())
    }
}

pub(super) struct Reserve {
    path: PathBuf,
    /// Whether this process keeps it.
    kept: AtomicBool,
    spent: AtomicBool,
    /// Held while the file is made or deleted.
    turn: Mutex<()>,
}

impl Reserve {
    /// The reserve of a folder, not made yet.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            path: folder.join(RESERVE_FILE),
            kept: AtomicBool::default(),
            spent: AtomicBool::default(),
            turn: Mutex::default(),
        }
    }

    /// The database beside which it lies.
    pub(super) fn database(&self) -> PathBuf {
        database_path(self.folder())
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    pub(super) fn keep(&self) {
        self.kept.store(true, Ordering::Release);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Acquire)
    }

    /// Gives the room back to the disk.
    pub(super) fn release(&self) {
        let _turn = self.turn.lock();
        self.give_up();
    }

    fn give_up(&self) {
        if !self.kept.load(Ordering::Acquire) || self.spent.swap(true, Ordering::AcqRel) {
            return;
        }
        tracing::error!("the disk is full: its reserve is given up, and no report is taken");
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "there was no reserve to give up");
        }
    }

    /// Makes it where there is room for it and as much again, and gives it up just before there is none. Without it reports are
    /// taken where as many bytes `inside` of the database are free.
    pub(super) fn settle(&self, inside: u64) -> Result<()> {
        if !self.kept.load(Ordering::Acquire) {
            return Ok(());
        }
        let _turn = self.turn.lock();
        let free = free_bytes(self.folder())?;
        let held = self.path.metadata().map_or(0, |file| file.blocks() * 512);
        let enough = if held >= RESERVE {
            free >= FLOOR
        } else if free >= 2 * RESERVE - held {
            self.make()?
        } else {
            inside >= 2 * RESERVE && free >= RESERVE / 2
        };
        if !enough {
            self.give_up();
        } else if self.spent.swap(false, Ordering::AcqRel) {
            tracing::info!("there is room for reports again");
        }
        Ok(())
    }

    /// `false` where there was no room after all.
    fn make(&self) -> Result<bool> {
        let made = private_file(&self.path).and_then(|file| {
            fallocate(&file, FallocateFlags::empty(), 0, RESERVE).or_else(|error| match error {
                // Where the file system cannot, reports still end well before the room does.
                Errno::OPNOTSUPP => Ok(()),
                error => Err(Error::at(&self.path)(error.into())),
            })
        });
        match made {
            Ok(()) => Ok(true),
            Err(Error::DiskFull) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
