//! One examination of the installation at a time, and what the last one found.
//! Must never examine because somebody merely looks: only who asks for it starts one.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::state::blocking;
use crate::doctor::{Check, Installation, demonstration, examine};

/// When an examination began (ms), and what it found.
type Found = (i64, Arc<[Check]>);

pub struct Checkup {
    installation: Option<Installation>,
    turn: Arc<Semaphore>,
    last: Mutex<Option<Found>>,
}

impl Checkup {
    pub fn of(installation: Option<Installation>) -> Self {
        Self {
            installation,
            turn: Arc::new(Semaphore::new(1)),
            last: Mutex::default(),
        }
    }

    pub fn standing(&self) -> (bool, Option<Found>) {
        (self.turn.available_permits() == 0, self.last.lock().clone())
    }

    /// Begins an examination, unless one is under way. It takes as long as the slowest machine that is asked, within limits.
    pub fn begin(self: &Arc<Self>, now: i64) {
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else {
            return;
        };
        let own = Arc::clone(self);
        let work = move || {
            let _turn = turn;
            let checks = match &own.installation {
                Some(installation) => examine(installation, now),
                None => demonstration(),
            };
            *own.last.lock() = Some((now, checks.into()));
        };
        // Nobody waits for it: its outcome is read by the next call.
        tokio::spawn(blocking(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_examination_goes_on_at_a_time() {
        let checkup = Arc::new(Checkup::of(None));
        let turn = Arc::clone(&checkup.turn).try_acquire_owned().unwrap();
        checkup.begin(6);
        assert!(matches!(checkup.standing(), (true, None)));
        drop(turn);
        checkup.begin(7);
        while checkup.standing().0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(checkup.standing().1.map(|last| last.0), Some(7));
    }
}
