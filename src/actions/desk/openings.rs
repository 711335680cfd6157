//! The reports that each session has opened, in memory: a page that refreshes one of them is not an opening.

use std::collections::HashMap;

use parking_lot::Mutex;

/// A refresh so long after the opening, in ms, is an opening again.
const VALID_MS: i64 = 12 * 60 * 60 * 1000;
/// Openings that are kept, at most. Beyond them a refresh is logged once more.
const MOST: usize = 20_000;

/// A session, by the hash of its token, and the id of a report.
type Opening = ([u8; 32], String);

/// When each opening was logged, in ms.
#[derive(Default)]
pub struct Openings(Mutex<HashMap<Opening, i64>>);

impl Openings {
    /// Whether an opening of this report by this session stands in the log.
    pub fn has(&self, session: [u8; 32], report: &str, now: i64) -> bool {
        let openings = self.0.lock();
        let at = openings.get(&(session, report.to_owned()));
        at.is_some_and(|at| is_valid(*at, now))
    }

    pub fn add(&self, session: [u8; 32], report: &str, now: i64) {
        let mut openings = self.0.lock();
        if openings.len() >= MOST {
            openings.retain(|_, at| is_valid(*at, now));
        }
        if openings.len() >= MOST {
            openings.clear();
        }
        openings.insert((session, report.to_owned()), now);
    }
}

/// A clock that was set back makes none valid.
const fn is_valid(at: i64, now: i64) -> bool {
    at <= now && now - at < VALID_MS
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
    fn openings_stay_bounded_and_the_valid_ones_go_last() {
        let openings = Openings::default();
        for number in 0..MOST {
            openings.add([1; 32], &number.to_string(), 0);
        }
        openings.add([1; 32], "later", VALID_MS);
        assert_eq!(openings.0.lock().len(), 1);
        assert!(openings.has([1; 32], "later", VALID_MS));
    }
}
