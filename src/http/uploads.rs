//! Who writes which file: one at a time. Whoever comes later takes over, because the line of the one before may be dead.
//! Must never let two write one file, nor more at once than memory allows.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::{Mutex as Waiting, Notify, OwnedMutexGuard};
use tokio::time::timeout;

use super::budget::Budget;
use super::client_address::{is_trusted, limiter_key, network_key};
use super::problem::{ApiError, ApiResult, Kind};

/// Files that arrive at once; each takes half a megabyte of memory.
const AT_ONCE: usize = 64;
/// Of these, of one client, and of the /48 network of an IPv6 one.
const OF_ONE: usize = 8;
const OF_NETWORK: usize = 32;
/// How often, and how many times, whoever writes is asked to stop.
const ASK_EVERY: Duration = Duration::from_millis(200);
const ASKED: usize = 50;

pub struct Uploads {
    /// What clients may have stored.
    pub budget: Budget,
    /// Addresses behind which everybody may stand.
    shared: Arc<[IpNet]>,
    /// Who has a place, once for each of theirs; all together have no name.
    senders: Mutex<Vec<Vec<u8>>>,
    /// Bytes of files that no row counts yet.
    coming: AtomicU64,
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
            budget: Budget::of_files(Arc::clone(&shared)),
            shared,
            senders: Mutex::default(),
            coming: AtomicU64::default(),
            slots: Mutex::default(),
        }
    }
}

/// A place among those who send; given back when dropped.
pub struct Place<'u> {
    uploads: &'u Uploads,
    keys: Vec<(Vec<u8>, usize)>,
    /// Bytes that came, until a row counts them.
    came: AtomicU64,
}

impl Place<'_> {
    /// Counts bytes that come; answers how many there are of all files that no row counts yet.
    pub fn count(&self, bytes: u64) -> u64 {
        self.came.fetch_add(bytes, Relaxed);
        self.uploads.coming.fetch_add(bytes, Relaxed) + bytes
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.uploads.coming.fetch_sub(*self.came.get_mut(), Relaxed);
        let mut senders = self.uploads.senders.lock();
        for (key, _) in &self.keys {
            let place = senders.iter().position(|held| held == key);
            place.map(|at| senders.swap_remove(at));
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
    /// A place among those who send. No client has so many that there is none for others.
    pub fn place(&self, client: IpAddr) -> ApiResult<Place<'_>> {
        let mut keys = vec![(Vec::new(), AT_ONCE)];
        if !is_trusted(client.to_canonical(), &self.shared) {
            keys.push((limiter_key(client), OF_ONE));
            keys.extend(network_key(client).map(|network| (network, OF_NETWORK)));
        }
        let mut senders = self.senders.lock();
        let held = |key| senders.iter().filter(|held| *held == key).count();
        if keys.iter().any(|(key, most)| held(key) >= *most) {
            return Err(ApiError::busy());
        }
        senders.extend(keys.iter().map(|(key, _)| key.clone()));
        Ok(Place {
            uploads: self,
            keys,
            came: AtomicU64::default(),
        })
    }

    /// Whether somebody writes this file now.
    pub fn arrives(&self, id: &str) -> bool {
        self.slots.lock().contains_key(id)
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
