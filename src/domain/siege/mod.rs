//! Siege mode (PRODUCT.md §10): when it begins and ends, the proof that the last turn needs, and crowds of near copies. Must
//! never refuse a report.

pub mod crowd;
pub mod own_words;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use super::declare::names;

const MINUTES: usize = 10;
const MINUTE_MS: i64 = 60_000;
/// About a second on a phone.
const LEAST_BITS: u32 = 18;
/// Most bits for the load of all, and for one client.
const MOST_FOR_LOAD: u32 = 2;
const MOST_FOR_CLIENT: u32 = 3;
/// Half a minute on a slow phone.
const MOST_BITS: u32 = 22;
/// The first extra bit comes at twice as many challenges of a client in ten minutes; many people behind one address stay below.
const FREE_CHALLENGES: u32 = 16;

names! {
    /// Why siege mode began.
    pub enum SiegeCause {
        /// More reports today than `maxReportsPerDay`.
        Day = "giorno",
        /// More than half of it within ten minutes.
        Burst = "raffica",
    }
}

/// Arrivals today, and in the last ten minutes.
#[derive(Debug)]
pub struct Watch {
    pub on: Option<SiegeCause>,
    day: Date,
    today: u32,
    minutes: [(i64, u32); MINUTES],
}

impl Watch {
    /// Arrivals of today and of the last ten minutes, read back after a start.
    pub fn resumed(on: Option<SiegeCause>, day: Date, today: u32, recent: u32, now: i64) -> Self {
        // No clock shows this minute.
        let mut minutes = [(i64::MIN / 2, 0); MINUTES];
        minutes[0] = (now / MINUTE_MS, recent);
        Self {
            on,
            day,
            today,
            minutes,
        }
    }

    pub fn arrived(&mut self, day: Date, now: i64, max_per_day: u32) -> bool {
        self.start_day(day);
        self.today = self.today.saturating_add(1);
        let minute = now / MINUTE_MS;
        let slot = self.minutes.iter_mut().find(|(at, _)| *at == minute);
        if let Some((_, n)) = slot {
            *n += 1;
        } else if let Some(oldest) = self.minutes.iter_mut().min_by_key(|(at, _)| *at) {
            *oldest = (minute, 1);
        }
        self.review(day, now, max_per_day)
    }

    /// Siege mode begins above `max_per_day` reports on a local day, or above half of it within ten minutes. It ends when neither
    /// holds and at most a quarter came in ten minutes. Answers whether the mode changed.
    pub fn review(&mut self, day: Date, now: i64, max_per_day: u32) -> bool {
        self.start_day(day);
        let recent = self.recent(now);
        let (full, burst) = (self.today > max_per_day, recent > burst(max_per_day));
        let on = match self.on {
            None if full => Some(SiegeCause::Day),
            None if burst => Some(SiegeCause::Burst),
            Some(_) if !full && recent <= max_per_day / 4 => None,
            as_before => as_before,
        };
        std::mem::replace(&mut self.on, on).is_some() != on.is_some()
    }

    fn start_day(&mut self, day: Date) {
        if self.day != day {
            (self.day, self.today) = (day, 0);
        }
    }

    /// Arrivals of the last ten minutes, also those of a clock that ran slightly ahead.
    fn recent(&self, now: i64) -> u32 {
        let near = |at: i64| (now / MINUTE_MS).abs_diff(at) < MINUTES as u64;
        let minutes = self.minutes.iter().filter(|(at, _)| near(*at));
        minutes.map(|(_, n)| n).sum()
    }

    /// One bit from eight times a burst on, two from sixteen.
    pub fn load_bits(&self, now: i64, max_per_day: u32) -> u32 {
        doublings(self.recent(now), 4 * burst(max_per_day)).min(MOST_FOR_LOAD)
    }
}

fn burst(max_per_day: u32) -> u32 {
    (max_per_day / 2).max(1)
}

/// How many times `free` can be doubled without exceeding `n`.
fn doublings(n: u32, free: u32) -> u32 {
    (n / free.max(1)).checked_ilog2().unwrap_or(0)
}

/// For `of_client` challenges to a client in ten minutes, and `of_network` to the network around it.
pub fn bits(load: u32, of_client: u32, of_network: u32) -> u32 {
    let client =
        doublings(of_client, FREE_CHALLENGES).max(doublings(of_network, 8 * FREE_CHALLENGES));
    (LEAST_BITS + load + client.min(MOST_FOR_CLIENT)).min(MOST_BITS)
}

/// Whether SHA-256(salt + ":" + n) begins with so many zero bits.
pub fn solves(salt: &str, n: u64, bits: u32) -> bool {
    let hash = Sha256::digest(format!("{salt}:{n}"));
    let head = hash.first_chunk().copied().map(u64::from_be_bytes);
    head.is_some_and(|head| head.leading_zeros() >= bits)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2026, 3, 10);

    fn calm() -> Watch {
        Watch::resumed(None, TODAY, 0, 0, 0)
    }

    #[test]
    fn a_burst_begins_it_and_quiet_ends_it() {
        let mut watch = calm();
        for number in 0..50 {
            assert!(!watch.arrived(TODAY, number * 1_000, 100));
        }
        assert!(watch.arrived(TODAY, 9 * MINUTE_MS, 100));
        assert_eq!(watch.on, Some(SiegeCause::Burst));
        // Half a burst is not quiet yet, and what is on does not begin again.
        for _ in 0..25 {
            assert!(!watch.arrived(TODAY, 9 * MINUTE_MS, 100));
        }
        assert!(!watch.review(TODAY, 18 * MINUTE_MS, 100));
        assert!(watch.review(TODAY, 19 * MINUTE_MS, 100) && watch.on.is_none());
        assert!(!watch.review(TODAY, 19 * MINUTE_MS, 100));
    }

    #[test]
    fn a_full_day_begins_it_until_midnight_also_over_a_restart() {
        let mut watch = Watch::resumed(None, TODAY, 99, 0, 0);
        assert!(!watch.arrived(TODAY, 0, 100));
        assert!(watch.arrived(TODAY, 3_600_000, 100));
        assert_eq!(watch.on, Some(SiegeCause::Day));
        let mut again = Watch::resumed(watch.on, TODAY, 101, 0, 7_200_000);
        assert!(!again.review(TODAY, 7_200_000, 100));
        assert!(again.review(date(2026, 3, 11), 7_200_000, 100));
        // A newsroom that expects more ends it too.
        assert!(watch.review(TODAY, 3_600_000, 200));
    }

    #[test]
    fn a_clock_set_back_a_little_forgets_nothing() {
        let mut watch = calm();
        for _ in 0..50 {
            watch.arrived(TODAY, 5 * MINUTE_MS, 100);
        }
        assert!(watch.arrived(TODAY, 0, 100));
    }

    #[test]
    fn more_is_asked_of_the_few_who_send_much_and_never_too_much() {
        assert_eq!(bits(0, 1, 1), 18);
        assert_eq!(bits(0, 31, 31), 18);
        assert_eq!(bits(0, 32, 32), 19);
        assert_eq!(bits(0, 1, 256), 19);
        assert_eq!(bits(2, 100_000, 100_000), 22);
        let mut watch = calm();
        for _ in 0..10_000 {
            watch.arrived(TODAY, 0, 100);
        }
        assert_eq!((watch.load_bits(0, 100), calm().load_bits(0, 100)), (2, 0));
    }

    #[test]
    fn a_proof_is_counted_in_bits() {
        let found = (0..1 << 20).find(|n| solves("salt", *n, 12)).unwrap();
        let digest = Sha256::digest(format!("salt:{found}"));
        assert_eq!((digest[0], digest[1] >> 4), (0, 0));
        assert!(!solves("salt", found, 64) && !solves("other", found, 12));
        assert!(solves("salt", 0, 0));
    }
}
