//! Who is awake: wakes the dispatcher, knows which lanes are at work, tells all of them to stop.
//! Must never be locked while something is sent or the database is asked.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::store::Destination;

/// Shared by the dispatcher and its lanes.
#[derive(Default)]
pub(super) struct Switchboard {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Something may be due that was not before.
    rung: bool,
    stopping: bool,
    busy: HashSet<Destination>,
}

impl Switchboard {
    /// Wakes the dispatcher.
    pub(super) fn ring(&self) {
        self.state().rung = true;
        self.changed.notify_all();
    }

    /// Tells everybody to stop.
    pub(super) fn stop(&self) {
        self.state().stopping = true;
        self.changed.notify_all();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.state().stopping
    }

    /// Waits until somebody rings, or for this long; `false` when it is time to stop.
    pub(super) fn wait(&self, at_most: Duration) -> bool {
        let state = self.state();
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, at_most, |state| !state.rung && !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        state.rung = false;
        !state.stopping
    }

    /// Rests for this long; `false` when it is time to stop.
    pub(super) fn rest(&self, at_most: Duration) -> bool {
        let state = self.state();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, at_most, |state| !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        !state.stopping
    }

    /// The destinations whose lanes are at work.
    pub(super) fn busy(&self) -> HashSet<Destination> {
        self.state().busy.clone()
    }

    /// Opens a lane; `None` when it is open, so many are, or it is time to stop.
    pub(super) fn enter(self: &Arc<Self>, destination: &Destination, most: usize) -> Option<Lane> {
        let mut state = self.state();
        let open =
            !state.stopping && state.busy.len() < most && state.busy.insert(destination.clone());
        open.then(|| Lane {
            switchboard: Arc::clone(self),
            destination: destination.clone(),
        })
    }

    /// Waits until no lane is at work, for this long; `false` when some still are.
    pub(super) fn quiet(&self, within: Duration) -> bool {
        let state = self.state();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, within, |state| !state.busy.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        state.busy.is_empty()
    }

    // Each change under the lock is one assignment: whoever panicked while holding it left nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open lane; closed when dropped, however its thread ends.
pub(super) struct Lane {
    pub(super) switchboard: Arc<Switchboard>,
    pub(super) destination: Destination,
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut state = self.switchboard.state();
        state.busy.remove(&self.destination);
        state.rung = true;
        drop(state);
        self.switchboard.changed.notify_all();
    }
}
