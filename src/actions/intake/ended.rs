//! Conversations whose report is stored, or was erased since: their older tokens reveal nothing any more (PRODUCT.md §2).
//! They are in memory for as long as a token lasts, and read back at a start.
//! Must never take a conversation that continues for one that ended.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::actions::Result;
use crate::domain::erasure::trace;
use crate::store::Store;

/// How long after the end of a conversation its tokens may still be accepted, in ms.
const KEPT_MS: i64 = 73 * 3_600_000;
/// How often conversations that are no longer needed are dropped, in ms.
const SWEEP_MS: i64 = 3_600_000;

/// The beginning of the trace of a report's id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EndMark(u64);

impl EndMark {
    pub fn of(report: &str) -> Self {
        Self::traced(&trace(report))
    }

    fn traced(trace: &[u8; 32]) -> Self {
        Self(trace.first_chunk().copied().map_or(0, u64::from_be_bytes))
    }
}

#[derive(Default)]
pub struct Ended(Mutex<Marks>);

#[derive(Default)]
struct Marks {
    /// When (ms) each conversation ended.
    ended: HashMap<EndMark, i64>,
    swept: i64,
}

impl Ended {
    /// The conversations of reports that were stored or erased lately.
    pub fn resume(store: &Store, now: i64) -> Result<Self> {
        let (stored, erased) = store.read(move |snapshot| {
            let since = now - KEPT_MS;
            Ok::<_, crate::store::Error>((
                snapshot.stored_since(since)?,
                snapshot.erased_since(since)?,
            ))
        })?;
        let stored = stored.into_iter().map(|(id, at)| (EndMark::of(&id), at));
        let erased = erased.into_iter();
        let erased = erased.map(|row| (EndMark::traced(&row.trace), row.at));
        Ok(Self(Mutex::new(Marks {
            ended: stored.chain(erased).collect(),
            swept: now,
        })))
    }

    pub fn note(&self, report: &str, now: i64) {
        let marks = &mut *self.0.lock();
        if now - marks.swept >= SWEEP_MS {
            marks.ended.retain(|_, at| now - *at < KEPT_MS);
            marks.swept = now;
        }
        marks.ended.insert(EndMark::of(report), now);
    }

    pub fn has(&self, mark: EndMark) -> bool {
        self.0.lock().ended.contains_key(&mark)
    }
}
