//! A file that goes to the disk in small parts while it is written, and leaves it so, that nobody else's sync waits for a
//! gigabyte.
//! Must never be taken for a promise: the last part is on disk only when the whole is synced.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Bytes that may be on their way to the disk at once.
const UNSYNCED: usize = 512 << 10;
/// The rest after them, in which writers have the disk for themselves.
const REST: Duration = Duration::from_millis(5);

/// Bytes that a file gives back at a time: a file system may have to tell the disk of each.
const FREED: u64 = 32 << 20;

/// Shortens a large file that is to be removed, until removing it is little work.
pub fn shorten(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    let mut left = file.metadata()?.len();
    while left > FREED {
        left -= FREED;
        file.set_len(left)?;
        file.sync_data()?;
        thread::sleep(REST);
    }
    Ok(())
}

/// A file being written.
pub struct Steady {
    file: File,
    unsynced: usize,
}

impl Steady {
    /// Goes on where the file stands.
    pub fn new(file: File) -> Self {
        Self { file, unsynced: 0 }
    }

    /// The file, of which the last part is to be synced.
    pub fn into_file(self) -> File {
        self.file
    }
}

impl Write for Steady {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unsynced += written;
        if self.unsynced >= UNSYNCED {
            self.file.sync_data()?;
            self.unsynced = 0;
            thread::sleep(REST);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
