//! The files that wait for their reports: when each of their conversations last said or sent something, and when files were dropped
//! to make room. Must never be written to disk.

use std::collections::HashMap;

use parking_lot::Mutex;
use uuid::Uuid;

use crate::clock::Clock;
use crate::domain::retention::DAY_MS;
use crate::store::{self, Store};

/// How long a conversation keeps its files after its last turn or byte, even if other clients want room (PRODUCT.md
/// §4).
const KEPT_MS: i64 = 60 * 60 * 1_000;
/// How often those are forgotten whose files are swept by now, in ms.
const SWEEP_MS: i64 = 60_000;

/// When conversations with files that wait were last heard, monotonic in ms, and when files were last dropped to make room.
pub struct WaitingFiles {
    clock: Clock,
    heard: Mutex<Heard>,
    dropped: Mutex<Option<i64>>,
}

#[derive(Default)]
struct Heard {
    /// By the id of the future report.
    at: HashMap<Uuid, i64>,
    swept: i64,
}

/// Which program's word an id is not names no conversation.
fn key(conversation: &str) -> Uuid {
    Uuid::parse_str(conversation).unwrap_or_default()
}

impl WaitingFiles {
    /// At a start, when all conversations whose files wait count as active.
    pub fn resume(clock: Clock, store: &Store) -> store::Result<Self> {
        let known = store.read(|snapshot| snapshot.waiting_conversations())?;
        let now = clock.steady_ms();
        let at = known.iter().map(|one| (key(one), now)).collect();
        Ok(Self {
            clock,
            heard: Mutex::new(Heard { at, swept: now }),
            dropped: Mutex::default(),
        })
    }

    /// Bytes of a conversation came.
    pub fn sent(&self, conversation: &str) {
        let now = self.clock.steady_ms();
        let heard = &mut *self.heard.lock();
        if now - heard.swept >= SWEEP_MS {
            heard.at.retain(|_, at| now - *at < DAY_MS);
            heard.swept = now;
        }
        heard.at.insert(key(conversation), now);
    }

    /// Whether any files wait.
    pub fn any(&self) -> bool {
        !self.heard.lock().at.is_empty()
    }

    /// A conversation went on; counts where it has files.
    pub fn spoke(&self, conversation: &str) {
        if let Some(at) = self.heard.lock().at.get_mut(&key(conversation)) {
            *at = self.clock.steady_ms();
        }
    }

    /// Whether a conversation was not heard for so long that its files may have to go.
    pub fn is_quiet(&self, conversation: &str) -> bool {
        let at = self.heard.lock().at.get(&key(conversation)).copied();
        at.is_none_or(|at| self.clock.steady_ms() - at >= KEPT_MS)
    }

    /// Notes that waiting files were dropped to make room.
    pub fn note_dropped(&self, now: i64) {
        *self.dropped.lock() = Some(now);
    }

    /// Whether files were dropped within a day to make room.
    pub fn dropped_lately(&self, now: i64) -> bool {
        self.dropped.lock().is_some_and(|at| now - at < DAY_MS)
    }
}
