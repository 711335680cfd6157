//! Large files that are written beside a server at work: small parts, each synced, and a rest after each, so that commits
//! never wait for a gigabyte of somebody else's writes.
//! Must never be taken for a promise: the last part is on disk only when the whole file is synced.

use std::fs::File;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

/// Bytes that may be on their way to the disk at once.
pub(super) const PART: usize = 512 << 10;
/// The rest after each part, in which writers have the disk for themselves.
const REST: Duration = Duration::from_millis(5);

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
    pub(super) fn note(&mut self, bytes: usize) -> io::Result<()> {
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
