//! One examination of the installation at a time, and what the last one found.
//! Must never examine because somebody merely looks: only who asks for it starts one.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::doctor::{Check, Installation, demonstration, examine};

/// Examinations of this process.
pub struct Checkup {
    /// What is examined; `None` in demonstration mode.
    installation: Option<Installation>,
    state: Mutex<State>,
}

/// How far an examination is.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Whether one is under way.
    pub running: bool,
    /// When the last one began (ms), and what it found.
    pub last: Option<(i64, Arc<[Check]>)>,
}

impl Checkup {
    /// Examines this installation; `None` is a demonstration.
    pub fn of(installation: Option<Installation>) -> Self {
        Self {
            installation,
            state: Mutex::default(),
        }
    }

    /// How it stands.
    pub fn state(&self) -> State {
        self.lock().clone()
    }

    /// Begins an examination; `None` when one is under way already.
    pub fn begin(self: &Arc<Self>) -> Option<Turn> {
        let mut state = self.lock();
        if state.running {
            return None;
        }
        state.running = true;
        Some(Turn(Arc::clone(self)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// The right to examine. The examination is over when it is dropped, also by a panic.
pub struct Turn(Arc<Checkup>);

impl Turn {
    /// Examines; takes as long as the slowest machine that is asked, within limits. `now` is in ms.
    pub fn examine(self, now: i64) {
        let checks = self
            .0
            .installation
            .as_ref()
            .map_or_else(demonstration, |installation| examine(installation, now));
        self.0.lock().last = Some((now, checks.into()));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.lock().running = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_examination_goes_on_at_a_time_and_one_that_panicked_is_over() {
        let checkup = Arc::new(Checkup::of(None));
        let turn = checkup.begin();
        assert!(turn.is_some() && checkup.begin().is_none());
        assert!(checkup.state().running);
        drop(turn);
        assert!(!checkup.state().running && checkup.state().last.is_none());
        checkup.begin().expect("a turn").examine(7);
        let state = checkup.state();
        assert_eq!(
            (state.running, state.last.map(|last| last.0)),
            (false, Some(7))
        );
    }
}
