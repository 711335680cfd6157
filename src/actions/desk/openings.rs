//! The reports that each session has opened, in memory: a page that refreshes one of them is not an opening.

use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// A refresh so long after the opening, in ms, is an opening again.
const VALID_MS: i64 = 12 * 60 * 60 * 1000;
/// Openings that are kept, the latest. Of an earlier one a refresh is logged once more.
const MOST: NonZeroUsize = NonZeroUsize::new(20_000).unwrap();

/// A session, by the hash of its token, and the id of a report.
type Opening = ([u8; 32], String);

/// When each opening was logged, in ms.
pub struct Openings(Mutex<LruCache<Opening, i64>>);

impl Default for Openings {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }
}

impl Openings {
    /// Whether an opening of this report by this session stands in the log.
    pub fn has(&self, session: [u8; 32], report: &str, now: i64) -> bool {
        let openings = self.0.lock();
        let at = openings.peek(&(session, report.to_owned()));
        // A clock that was set back makes none valid.
        at.is_some_and(|at| (0..VALID_MS).contains(&(now - at)))
    }

    pub fn add(&self, session: [u8; 32], report: &str, now: i64) {
        self.0.lock().put((session, report.to_owned()), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_is_valid_for_its_session_and_report_for_twelve_hours() {
        let openings = Openings::default();
        openings.add([1; 32], "a", 1_000);
        for (session, report, now, valid) in [
            (1, "a", 1_000, true),
            (1, "a", 1_000 + VALID_MS - 1, true),
            (1, "a", 1_000 + VALID_MS, false),
            (1, "a", 999, false),
            (2, "a", 1_000, false),
            (1, "b", 1_000, false),
        ] {
            let found = openings.has([session; 32], report, now);
            assert_eq!(found, valid, "{session} {report} {now}");
        }
    }

    #[test]
    fn openings_stay_bounded_and_the_latest_stay() {
        let openings = Openings::default();
        for number in 0..=MOST.get() {
            openings.add([1; 32], &number.to_string(), 0);
        }
        let has = |number: usize| openings.has([1; 32], &number.to_string(), 0);
        assert_eq!([has(0), has(1), has(MOST.get())], [false, true, true]);
    }
}
