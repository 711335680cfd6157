//! The end of a process whose disk did not keep what it was told to: after a failed sync nobody knows what is on disk, and the
//! file has to be opened again. Must never be called twice, nor let a failed sync be tried again.

use std::sync::{Arc, Mutex, PoisonError};

/// What is to be called.
type Tell = Box<dyn FnOnce() + Send>;

/// Tells whoever runs the process that it must end; once, whoever calls.
#[derive(Clone)]
pub(super) struct Fatal(Arc<Mutex<Option<Tell>>>);

impl Fatal {
    pub(super) fn new(tell: Tell) -> Self {
        Self(Arc::new(Mutex::new(Some(tell))))
    }

    pub(super) fn raise(&self) {
        let tell = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(tell) = tell {
            tell();
        }
    }
}

/// Whether a sync to disk failed.
pub(super) fn is_lost_sync(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::SqliteFailure(failure, _)
            if [rusqlite::ffi::SQLITE_IOERR_FSYNC, rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC]
                .contains(&failure.extended_code)
    )
}
