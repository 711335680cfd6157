//! The visits of reporters that were left: their cookies are worth nothing any more, wherever they are.

use std::collections::HashMap;

use parking_lot::Mutex;
use uuid::Uuid;

/// By their names, until when (ms) their cookies would have lasted.
#[derive(Default)]
pub struct Left(Mutex<HashMap<Uuid, i64>>);

impl Left {
    pub fn note(&self, visit: Uuid, now: i64, until: i64) {
        let mut left = self.0.lock();
        left.retain(|_, until| *until >= now);
        left.insert(visit, until);
    }

    pub fn has(&self, visit: Uuid) -> bool {
        self.0.lock().contains_key(&visit)
    }
}
