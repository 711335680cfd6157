//! The program's clock and its calendar: what time it is, and where a local day, week or month begins. Moments are
//! milliseconds since 1970-01-01 UTC. Nothing else asks for the present time, so that a test can stand at any instant.
//! Must never read the zone rules of the machine: the bundled ones mean the same "today" on every installation.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, ZonedDateTime};

use crate::domain::moment::timestamp;

/// Where the monotonic clock of the machine begins.
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Where the present time comes from. Clones of a manual clock move together.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// A clock that stands still until it is moved: for tests. Under it no round of timed work comes by itself.
    Manual(Manual),
}

impl Clock {
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System => Timestamp::now().as_millisecond(),
            Self::Manual(manual) => manual.now_ms(),
        }
    }

    /// Milliseconds since some moment of this run of the program. Setting the clock of the machine does not move it, so it
    /// measures how long something took.
    pub fn steady_ms(&self) -> i64 {
        match self {
            Self::System => i64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(i64::MAX),
            Self::Manual(manual) => manual.0.steady.load(Ordering::SeqCst),
        }
    }
}

/// A clock that stands still until it is moved. Its clones share its hands.
#[derive(Debug, Clone)]
pub struct Manual(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    wall: AtomicI64,
    steady: AtomicI64,
}

impl Manual {
    pub fn new(now_ms: i64) -> Self {
        Self(Arc::new(Hands {
            wall: AtomicI64::new(now_ms),
            steady: AtomicI64::new(0),
        }))
    }

    pub fn now_ms(&self) -> i64 {
        self.0.wall.load(Ordering::SeqCst)
    }

    /// Lets time pass for this clock and all its clones. Parts of a millisecond are dropped.
    pub fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.0.wall.fetch_add(ms, Ordering::SeqCst);
        self.0.steady.fetch_add(ms, Ordering::SeqCst);
    }

    /// Sets this clock and all its clones, also backwards, while no time passes.
    pub fn set(&self, now_ms: i64) {
        self.0.wall.store(now_ms, Ordering::SeqCst);
    }
}

/// The rules of the zone with this IANA name (`Europe/Rome`), or `None` when there is no such zone.
pub fn zone(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok()
}

/// The first instant of the local day that holds `now_ms` (`PRODUCT.md §1`: "today" starts at local midnight, also over
/// a change of the clocks).
pub fn start_of_today(now_ms: i64, zone: &TimeZone) -> i64 {
    let now = local(now_ms, zone);
    now.start_of_day().map_or(now_ms, |start| ms(&start))
}

/// The moment `days` calendar days before `now_ms`, at the same local time of day. A local time which the clocks
/// skipped becomes the one just after the gap.
pub fn days_back(now_ms: i64, days: u16, zone: &TimeZone) -> i64 {
    back(now_ms, Span::new().days(days), zone)
}

/// The moment `months` calendar months before `now_ms`, at the same local time of day. A day which that month does not
/// have becomes its last one (31 March goes back to 28 February).
pub fn months_back(now_ms: i64, months: u16, zone: &TimeZone) -> i64 {
    back(now_ms, Span::new().months(months), zone)
}

/// Before the first year of the calendar (-9999) there is nothing to go back to: the instant itself is answered.
fn back(now_ms: i64, span: Span, zone: &TimeZone) -> i64 {
    let now = local(now_ms, zone);
    now.checked_sub(span).map_or(now_ms, |then| ms(&then))
}

fn local(now_ms: i64, zone: &TimeZone) -> ZonedDateTime {
    timestamp(now_ms).to_zoned_datetime(zone.clone())
}

fn ms(at: &ZonedDateTime) -> i64 {
    at.timestamp().as_millisecond()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rome() -> TimeZone {
        zone("Europe/Rome").expect("bundled zone")
    }

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>()
            .expect("a timestamp")
            .as_millisecond()
    }

    fn text(ms: i64) -> String {
        Timestamp::from_millisecond(ms)
            .expect("in range")
            .to_string()
    }

    #[test]
    fn clones_of_a_manual_clock_move_together() {
        let manual = Manual::new(1_000);
        let clock = Clock::Manual(manual.clone());
        manual.advance(Duration::from_micros(2_500_900));
        assert_eq!(clock.now_ms(), 3_500);
        manual.set(-7);
        assert_eq!((clock.clone().now_ms(), clock.steady_ms()), (-7, 2_500));
    }

    #[test]
    fn the_system_clock_moves_and_is_in_this_century() {
        let first = Clock::System.now_ms();
        assert!(first > at("2026-01-01T00:00:00Z"));
        assert!(first < at("2126-01-01T00:00:00Z"));
        assert!(Clock::default().now_ms() >= first - 1_000);
        let steady = Clock::System.steady_ms();
        assert!((0..=Clock::System.steady_ms()).contains(&steady));
    }

    #[test]
    fn unknown_zones_are_refused() {
        for name in ["", "Europe/Roma", "Mars/Olympus", "../etc/passwd"] {
            assert!(zone(name).is_none(), "{name}");
        }
    }

    #[test]
    fn today_starts_at_local_midnight_over_both_changes_of_the_clocks() {
        for (now, start) in [
            // Winter and summer: one and two hours ahead of UTC.
            ("2026-01-15T12:00:00Z", "2026-01-14T23:00:00Z"),
            ("2026-07-15T12:00:00Z", "2026-07-14T22:00:00Z"),
            // The 23-hour day of 29 March: before and after the gap, the last and the next first millisecond.
            ("2026-03-29T00:30:00Z", "2026-03-28T23:00:00Z"),
            ("2026-03-29T01:00:00Z", "2026-03-28T23:00:00Z"),
            ("2026-03-29T21:59:59.999Z", "2026-03-28T23:00:00Z"),
            ("2026-03-29T22:00:00Z", "2026-03-29T22:00:00Z"),
            // The 25-hour day of 25 October, in both of its two o'clock hours, and its two edges.
            ("2026-10-24T21:59:59.999Z", "2026-10-23T22:00:00Z"),
            ("2026-10-24T22:00:00Z", "2026-10-24T22:00:00Z"),
            ("2026-10-25T00:30:00Z", "2026-10-24T22:00:00Z"),
            ("2026-10-25T01:30:00Z", "2026-10-24T22:00:00Z"),
            ("2026-10-25T22:59:59.999Z", "2026-10-24T22:00:00Z"),
            ("2026-10-25T23:00:00Z", "2026-10-25T23:00:00Z"),
        ] {
            assert_eq!(text(start_of_today(at(now), &rome())), start, "{now}");
        }
    }

    #[test]
    fn a_day_without_midnight_starts_when_it_starts() {
        let santiago = zone("America/Santiago").expect("bundled zone");
        let start = start_of_today(at("2024-09-08T15:00:00Z"), &santiago);
        assert_eq!(text(start), "2024-09-08T04:00:00Z");
    }

    #[test]
    fn seven_days_back_keep_the_time_of_day() {
        for (now, then) in [
            ("2026-06-10T10:00:00Z", "2026-06-03T10:00:00Z"),
            // 10:00 in Rome before and after each change: 167 and 169 hours apart.
            ("2026-04-01T08:00:00Z", "2026-03-25T09:00:00Z"),
            ("2026-10-28T09:00:00Z", "2026-10-21T08:00:00Z"),
            // 02:30 of 29 March does not exist: the hour after the gap.
            ("2026-04-05T00:30:00Z", "2026-03-29T01:30:00Z"),
        ] {
            assert_eq!(text(days_back(at(now), 7, &rome())), then, "{now}");
        }
        let now = at("2026-06-10T10:00:00Z");
        assert_eq!(days_back(now, 0, &rome()), now);
    }

    #[test]
    fn a_month_back_is_a_calendar_month() {
        for (now, then) in [
            ("2026-11-21T09:00:00Z", "2026-10-21T08:00:00Z"),
            ("2026-03-31T10:00:00Z", "2026-02-28T11:00:00Z"),
            ("2028-03-31T10:00:00Z", "2028-02-29T11:00:00Z"),
            ("2026-07-31T10:00:00Z", "2026-06-30T10:00:00Z"),
            ("2026-01-31T11:00:00Z", "2025-12-31T11:00:00Z"),
            // Back across one change of the clocks, and onto the day of the other.
            ("2026-04-29T12:00:00Z", "2026-03-29T12:00:00Z"),
            ("2026-11-25T12:00:00Z", "2026-10-25T12:00:00Z"),
        ] {
            assert_eq!(text(months_back(at(now), 1, &rome())), then, "{now}");
        }
        let year = months_back(at("2028-02-29T11:00:00Z"), 12, &rome());
        assert_eq!(text(year), "2027-02-28T11:00:00Z");
    }

    #[test]
    fn instants_outside_the_calendar_do_no_harm() {
        for edge in [i64::MIN, i64::MAX] {
            let _ = start_of_today(edge, &rome());
            let _ = months_back(edge, 1, &rome());
        }
        assert_eq!(days_back(i64::MIN, 7, &rome()), i64::MIN);
    }
}
