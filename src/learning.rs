//! Learns in the background what staff taught by moving reports (`PRODUCT.md §5`), on one thread that nobody waits for.
//! Must never hold a reader or the writer while it learns, nor say anything of what it reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::actions::Result;
use crate::actions::learn_routing::{Settled, lessons, settle};
use crate::domain::routing::lessons::learn;
use crate::store::Store;
use crate::vault::Vault;

/// Attempts in one round, while staff go on moving reports. What is left is learnt in the next.
const ATTEMPTS: usize = 3;

/// The learning of a newsroom.
pub struct Learning {
    store: Arc<Store>,
    vault: Arc<Vault>,
    stopped: AtomicBool,
    /// Held by the one round that is under way.
    turn: Mutex<()>,
}

impl Learning {
    /// Of this archive.
    pub fn new(store: Arc<Store>, vault: Arc<Vault>) -> Self {
        Self {
            store,
            vault,
            stopped: AtomicBool::new(false),
            turn: Mutex::default(),
        }
    }

    /// Learns what is due, and returns once it is stored; does nothing while the archive is locked.
    pub fn round(&self, now: i64) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..ATTEMPTS {
            match self.attempt(now)? {
                Some(Settled::Overtaken) => {}
                Some(Settled::InForce(version)) => {
                    tracing::info!(version, "routing has learnt from staff");
                    return Ok(());
                }
                Some(Settled::Refused) => {
                    tracing::warn!(
                        "routing has not learnt: with the corrections it would do worse on the bundled reports"
                    );
                    return Ok(());
                }
                Some(Settled::Nothing) | None => return Ok(()),
            }
        }
        Ok(())
    }

    fn attempt(&self, now: i64) -> Result<Option<Settled>> {
        let vault = Arc::clone(&self.vault);
        let found = self.store.read(move |snapshot| lessons(snapshot, &vault))?;
        let Some(found) = found else {
            return Ok(None);
        };
        let wanted = || !self.stopped.load(Ordering::Relaxed);
        let Some(learned) = learn(&found.config, &found.corrections, &wanted) else {
            return Ok(None);
        };
        if learned.guard.holds() && learned.apart > 0 {
            let (apart, of) = (learned.apart, found.corrections.len());
            tracing::info!(
                apart,
                of,
                "some corrections are remembered, but not generalised"
            );
        }
        let vault = Arc::clone(&self.vault);
        let settled = self
            .store
            .write(move |tx| settle(tx, &vault, now, &found, &learned))?;
        Ok(Some(settled))
    }

    /// Lets a round that is under way end soon, without a result.
    pub fn hang_up(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Waits until nothing is learnt any more. There is no learning afterwards.
    pub fn stop(&self) {
        self.hang_up();
        drop(self.turn.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
