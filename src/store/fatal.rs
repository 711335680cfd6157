//! The end of a process whose disk did not keep what it was told to: after a failed sync it is not known what is on disk, and the
//! file has to be opened again. Must never let a failed sync be tried again.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::ffi::{SQLITE_IOERR_DIR_FSYNC, SQLITE_IOERR_FSYNC};

type Tell = Box<dyn FnOnce() + Send>;

/// Tells the owner of the process once that it must end.
#[derive(Clone)]
pub(super) struct Fatal(Arc<Mutex<Option<Tell>>>);

impl Fatal {
    pub(super) fn new(tell: Tell) -> Self {
        Self(Arc::new(Mutex::new(Some(tell))))
    }

    /// Whether an error is a failed sync to disk; it tells that the process must end then.
    pub(super) fn ends_it(&self, error: &rusqlite::Error) -> bool {
        let lost = matches!(
            error,
            rusqlite::Error::SqliteFailure(failure, _)
                if [SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC].contains(&failure.extended_code)
        );
        if lost {
            let tell = self.0.lock().take();
            if let Some(tell) = tell {
                tell();
            }
        }
        lost
    }

    /// Judges a checkpoint: a failure that is no failed sync is logged once, until one of the same caller succeeds again;
    /// `told` is for that caller to keep.
    pub(super) fn judge(&self, outcome: rusqlite::Result<()>, told: &mut bool) {
        let told_before = std::mem::replace(told, outcome.is_err());
        if let Err(error) = outcome
            && !self.ends_it(&error)
            && !told_before
        {
            tracing::warn!(%error, "what was written cannot be carried over into the database for now");
        }
    }

    /// Whether it was raised: nothing may be synced, and no log emptied, from then on.
    pub(super) fn is_raised(&self) -> bool {
        self.0.lock().is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rusqlite::ffi;

    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn a_lost_sync_ends_the_process_and_nothing_else_does() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let fatal = Fatal::new(Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        }));
        for harmless in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_BUSY] {
            assert!(!fatal.ends_it(&failure(harmless)), "{harmless}");
        }
        assert!(!fatal.is_raised());
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        for lost in [SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC] {
            assert!(fatal.ends_it(&failure(lost)), "{lost}");
            assert!(fatal.is_raised());
        }
        assert_eq!(calls.load(Ordering::SeqCst), 1, "told once");
    }
}
