//! Who writes which file: one at a time. Whoever comes later takes over, because the line of the one before may be dead.
//! Must never let two write one file, nor more at once than memory allows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::{Mutex as Waiting, Notify, OwnedMutexGuard, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::budget::Budget;
use super::problem::{ApiError, ApiResult, Kind};

/// Files that arrive at once; each takes half a megabyte of memory.
const AT_ONCE: usize = 64;
/// How often, and how many times, whoever writes is asked to stop.
const ASK_EVERY: Duration = Duration::from_millis(200);
const ASKED: usize = 50;

pub struct Uploads {
    /// What clients may have stored.
    pub budget: Budget,
    places: Semaphore,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
}

#[derive(Default)]
struct Slot {
    held: Arc<Waiting<()>>,
    asked: Notify,
}

impl Uploads {
    /// With a budget of its own.
    pub fn beside(shared: Arc<[IpNet]>) -> Self {
        Self {
            budget: Budget::of_files(shared),
            places: Semaphore::new(AT_ONCE),
            slots: Mutex::default(),
        }
    }
}

/// The right to write a file; given back when dropped.
pub struct Turn<'u> {
    uploads: &'u Uploads,
    id: String,
    slot: Arc<Slot>,
    held: Option<OwnedMutexGuard<()>>,
}

impl Uploads {
    /// A place among those who send.
    pub fn place(&self) -> ApiResult<SemaphorePermit<'_>> {
        self.places.try_acquire().map_err(|_| ApiError::busy())
    }

    /// Takes a file over from whoever writes it.
    pub async fn turn(&self, id: &str) -> ApiResult<Turn<'_>> {
        let slot = Arc::clone(self.slots.lock().entry(id.to_owned()).or_default());
        let mut turn = Turn {
            uploads: self,
            id: id.to_owned(),
            slot,
            held: None,
        };
        for _ in 0..ASKED {
            turn.slot.asked.notify_waiters();
            let held = Arc::clone(&turn.slot.held).lock_owned();
            if let Ok(held) = timeout(ASK_EVERY, held).await {
                turn.held = Some(held);
                return Ok(turn);
            }
        }
        Err(Kind::UPLOAD_BUSY.into())
    }
}

impl Turn<'_> {
    /// Waits until somebody else wants to write the file.
    pub async fn wanted(&self) {
        self.slot.asked.notified().await;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.held = None;
        let mut slots = self.uploads.slots.lock();
        // One in the map, one here.
        if Arc::strong_count(&self.slot) <= 2 {
            slots.remove(&self.id);
        }
    }
}
