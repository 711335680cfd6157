//! The end of a process whose disk did not keep what it was told to: after a failed sync nobody knows what is on disk, and the
//! file has to be opened again. Must never be called twice, nor let a failed sync be tried again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

type Tell = Box<dyn FnOnce() + Send>;

/// Tells whoever runs the process that it must end; once, whoever calls.
#[derive(Clone)]
pub(super) struct Fatal(Arc<State>);

struct State {
    raised: AtomicBool,
    tell: Mutex<Option<Tell>>,
}

impl Fatal {
    pub(super) fn new(tell: Tell) -> Self {
        Self(Arc::new(State {
            raised: AtomicBool::new(false),
            tell: Mutex::new(Some(tell)),
        }))
    }

    pub(super) fn raise(&self) {
        self.0.raised.store(true, Ordering::Release);
        let tell = self.0.tell.lock().take();
        if let Some(tell) = tell {
            tell();
        }
    }

    /// Whether it was raised: nothing may be synced, and no log emptied, from then on.
    pub(super) fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Acquire)
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
