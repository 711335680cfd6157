//! Gives a conversation with another machine a limit of the whole: a server that sends a byte now and then keeps every
//! single read within its time.
//! Must never let what was given up go on sending: the flag says so, and whoever sends must look at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Why there is no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    /// The machine has no thread left for it.
    Busy,
    /// It took longer than the limit.
    Late,
    /// It ended abnormally.
    Broken,
}

/// Runs this on a thread of its own, named so, and waits for its outcome within the limit. Then `given_up` is set.
pub(super) fn in_time<T: Send + 'static>(
    name: &str,
    limit: Duration,
    given_up: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Missed> {
    let (report, outcome) = sync_channel(1);
    let spawned = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            // Nobody listens any more after the limit.
            let _ = report.send(work());
        });
    if spawned.is_err() {
        return Err(Missed::Busy);
    }
    outcome.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => {
            // In one order with what the work sets before it looks at this.
            given_up.store(true, Ordering::SeqCst);
            Missed::Late
        }
        RecvTimeoutError::Disconnected => Missed::Broken,
    })
}
