//! Uploads under way: who has a place, and who writes which file. One writer at a time: a later one takes over, because the line
//! of the one before may be dead.
//! Must never let two write one file, nor more at once than memory allows.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::{Mutex as Waiting, Notify, OwnedMutexGuard};
use tokio::time::timeout;

use super::client_address::Client;
use super::limits::{Holding, Most, Permit, Places};
use super::problem::{ApiError, ApiResult, Kind};
use crate::clock::Clock;

/// Uploads at once; each takes half a megabyte of memory. Where all have a place, a newcomer takes that of the slowest of the
/// client with most of them: tus goes on later.
const MOST: Most = Most {
    in_all: 64,
    of_client: 8,
    of_network: 32,
};
/// Bytes by which one that has just begun is not the slowest.
const HEAD_START: u64 = 256 * 1024;
/// How often, and how many times, the writer of a file is asked to stop.
const ASK_EVERY: Duration = Duration::from_millis(200);
const ASKED: usize = 50;

pub struct Uploads {
    clock: Clock,
    /// Separate records for clients with an address and for those by the onion socket.
    places: [Arc<Places<Upload>>; 2],
    /// Bytes of files that no row counts yet.
    coming: Arc<AtomicU64>,
    files: Mutex<HashMap<String, Arc<UploadLock>>>,
}

#[derive(Default)]
struct UploadLock {
    held: Arc<Waiting<()>>,
    asked: Notify,
}

/// One that has a place.
pub struct Upload {
    clock: Clock,
    /// Monotonic, in ms.
    begun: i64,
    /// Bytes that came, until a row counts them.
    came: AtomicU64,
    coming: Arc<AtomicU64>,
    gone: Notify,
}

impl Upload {
    /// Counts bytes that come; answers how many there are of all files that no row counts yet.
    pub fn count(&self, bytes: u64) -> u64 {
        self.came.fetch_add(bytes, Relaxed);
        self.coming.fetch_add(bytes, Relaxed) + bytes
    }

    /// Waits until a newcomer has taken its place.
    pub async fn sent_away(&self) {
        self.gone.notified().await;
    }
}

impl Holding for Upload {
    /// Bytes a second.
    fn rank(&self) -> u64 {
        let ms = self.clock.steady_ms() - self.begun;
        let ms = u64::try_from(ms).unwrap_or_default().max(1);
        1_000 * (HEAD_START + self.came.load(Relaxed)) / ms
    }

    fn send_away(&self) {
        self.gone.notify_one();
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.coming.fetch_sub(*self.came.get_mut(), Relaxed);
    }
}

/// The right to write a file; given back when dropped.
pub struct FileTurn<'u> {
    uploads: &'u Uploads,
    id: String,
    lock: Arc<UploadLock>,
    held: Option<OwnedMutexGuard<()>>,
}

impl Uploads {
    pub fn new(clock: Clock, shared: &Arc<[IpNet]>) -> Self {
        Self {
            clock,
            places: [(); 2].map(|()| Places::new("places for uploads", MOST, Arc::clone(shared))),
            coming: Arc::default(),
            files: Mutex::default(),
        }
    }

    /// A place for one more upload of this client.
    pub fn admit(&self, client: Client) -> ApiResult<Permit<Upload>> {
        let upload = Upload {
            clock: self.clock.clone(),
            begun: self.clock.steady_ms(),
            came: AtomicU64::default(),
            coming: Arc::clone(&self.coming),
            gone: Notify::new(),
        };
        let places = &self.places[usize::from(client.is_onion())];
        places.admit(client, upload).ok_or_else(ApiError::busy)
    }

    /// Whether this file is being written.
    pub fn arrives(&self, id: &str) -> bool {
        self.files.lock().contains_key(id)
    }

    /// Takes a file over from its writer.
    pub async fn turn(&self, id: &str) -> ApiResult<FileTurn<'_>> {
        let lock = Arc::clone(self.files.lock().entry(id.to_owned()).or_default());
        let mut turn = FileTurn {
            uploads: self,
            id: id.to_owned(),
            lock,
            held: None,
        };
        for _ in 0..ASKED {
            turn.lock.asked.notify_waiters();
            let held = Arc::clone(&turn.lock.held).lock_owned();
            if let Ok(held) = timeout(ASK_EVERY, held).await {
                turn.held = Some(held);
                return Ok(turn);
            }
        }
        Err(Kind::UPLOAD_BUSY.into())
    }
}

impl FileTurn<'_> {
    /// Waits until another request wants to write the file.
    pub async fn wanted(&self) {
        self.lock.asked.notified().await;
    }
}

impl Drop for FileTurn<'_> {
    fn drop(&mut self) {
        self.held = None;
        let mut files = self.uploads.files.lock();
        // One in the map, one here.
        if Arc::strong_count(&self.lock) <= 2 {
            files.remove(&self.id);
        }
    }
}
