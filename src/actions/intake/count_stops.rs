//! Counts how conversations go: in memory, by local day, question and rule, and from there to the database in batches.
//! Must never keep what was said, nor anything about the person who said it. Only a keyed fingerprint of a token stays for a while,
//! in memory, so that a turn sent twice counts once.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use jiff::civil::Date;
use lru::LruCache;
use parking_lot::Mutex;

use crate::actions::Result;
use crate::domain::chat::{ChatState, Rule};
use crate::store::Store;

/// The number of latest fingerprints that are kept: less than a megabyte, and hours of a busy day.
const MARKS: NonZeroUsize = NonZeroUsize::new(8_192).unwrap();

/// A turn's token, as a keyed fingerprint.
pub type Mark = [u8; 16];
/// Id of a callout; empty for the usual conversation.
type Counts = BTreeMap<(Date, String, ChatState, Rule), i64>;

pub struct Tally {
    counts: Mutex<Counts>,
    answered: Mutex<LruCache<Mark, ()>>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            counts: Mutex::default(),
            answered: Mutex::new(LruCache::new(MARKS)),
        }
    }
}

impl Tally {
    pub fn began(&self, day: Date, callout: &str) {
        self.add(
            (day, callout.to_owned(), ChatState::AgeCheck, Rule::Started),
            1,
        );
    }

    /// Counts an answered turn. A token that has led on before is not counted again: its turn was sent twice.
    pub fn turned(&self, day: Date, token: Mark, callout: &str, state: ChatState, rule: Rule) {
        if !rule.leads_on() || self.answered.lock().put(token, ()).is_none() {
            self.add((day, callout.to_owned(), state, rule), 1);
        }
    }

    /// Moves the counts into the database. Those that could not be stored are kept for the next time.
    pub fn flush(&self, store: &Store) -> Result<()> {
        let counts = std::mem::take(&mut *self.counts.lock());
        if counts.is_empty() {
            return Ok(());
        }
        let batch = counts.clone();
        let stored = store.write(move |tx| {
            batch
                .iter()
                .try_for_each(|((day, callout, state, rule), n)| {
                    tx.add_chat_stop(&day.to_string(), callout, state.as_str(), rule.as_str(), *n)
                })
        });
        if stored.is_err() {
            for (key, n) in counts {
                self.add(key, n);
            }
        }
        Ok(stored?)
    }

    /// The conversations of a callout that began, by day, as far as they are not in the database yet.
    pub fn starts(&self, callout: &str) -> Vec<(String, i64)> {
        let counts = self.counts.lock();
        let begun = counts
            .iter()
            .filter(|((_, of, _, rule), _)| of == callout && *rule == Rule::Started);
        begun.map(|((day, ..), n)| (day.to_string(), *n)).collect()
    }

    fn add(&self, key: (Date, String, ChatState, Rule), n: i64) {
        *self.counts.lock().entry(key).or_default() += n;
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::actions::intake::count_stops::*;

    fn stored(store: &Store) -> Vec<(String, String, i64)> {
        store
            .read(|snapshot| snapshot.chat_stops("2026-03-01", "2026-03-31"))
            .unwrap()
    }

    fn counted(state: &str, rule: &str, n: i64) -> (String, String, i64) {
        (state.to_owned(), rule.to_owned(), n)
    }

    #[test]
    fn a_turn_sent_twice_counts_once_and_a_refusal_each_time() {
        let (tally, store) = (Tally::default(), Store::in_memory().unwrap());
        let day = date(2026, 3, 10);
        tally.began(day, "");
        for _ in 0..2 {
            tally.turned(day, [1; 16], "", ChatState::AgeCheck, Rule::Invalid);
            tally.turned(day, [1; 16], "", ChatState::AgeCheck, Rule::Answered);
            tally.turned(day, [2; 16], "", ChatState::CollectName, Rule::Answered);
        }
        tally.flush(&store).unwrap();
        assert_eq!(
            stored(&store),
            [
                counted("age_check", "answered", 1),
                counted("age_check", "invalid", 2),
                counted("age_check", "started", 1),
                counted("collect_name", "answered", 1),
            ]
        );
        // A batch is stored once, and a repeated turn is known after it too.
        tally.turned(day, [1; 16], "", ChatState::AgeCheck, Rule::Answered);
        tally.flush(&store).unwrap();
        assert_eq!(stored(&store)[0], counted("age_check", "answered", 1));
    }

    #[test]
    fn days_are_kept_apart() {
        let (tally, store) = (Tally::default(), Store::in_memory().unwrap());
        tally.began(date(2026, 2, 28), "");
        tally.began(date(2026, 3, 1), "");
        tally.flush(&store).unwrap();
        assert_eq!(stored(&store), [counted("age_check", "started", 1)]);
    }

    #[test]
    fn what_could_not_be_stored_waits() {
        let (tally, store) = (Tally::default(), Store::in_memory().unwrap());
        // A day of five digits does not fit the table.
        tally.began(date(-1, 1, 1), "");
        assert!(tally.flush(&store).is_err());
        assert_eq!(tally.counts.lock().values().sum::<i64>(), 1);
    }
}
