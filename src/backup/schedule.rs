//! When the server makes a backup by itself, and when it should have (PRODUCT.md §13). What fell due while the server was off is
//! due at its start.

use jiff::tz::TimeZone;

use crate::clock::{days_back, months_back};
use crate::domain::settings::BackupFrequency;

/// Pause after a failure: an hour, in ms.
const AGAIN_MS: i64 = 60 * 60 * 1_000;
/// The number of days after which the panel calls a backup late: the server may have been off over a night.
const GRACE_DAYS: u16 = 1;
const REHEARSAL_DAYS: u16 = 7;

/// The time (ms) since which there must be a backup; `None` without a schedule.
fn last_wanted(frequency: BackupFrequency, now: i64, zone: &TimeZone) -> Option<i64> {
    match frequency {
        BackupFrequency::Disabled => None,
        BackupFrequency::Daily => Some(days_back(now, 1, zone)),
        BackupFrequency::Weekly => Some(days_back(now, 7, zone)),
        BackupFrequency::Monthly => Some(months_back(now, 1, zone)),
    }
}

/// Whether a backup is due. `last` is when the newest good one was begun, in ms.
pub fn is_due(frequency: BackupFrequency, last: Option<i64>, now: i64, zone: &TimeZone) -> bool {
    last_wanted(frequency, now, zone).is_some_and(|wanted| last.is_none_or(|at| at <= wanted))
}

/// Whether it is too early for another attempt after a failure (ms). A failure in the future was recorded while the clock was wrong.
pub fn waits_after(failed: Option<i64>, now: i64) -> bool {
    failed.is_some_and(|at| (now - AGAIN_MS + 1..=now).contains(&at))
}

/// Whether the newest good backup is older than the schedule allows, or the first one failed.
pub fn is_overdue(
    frequency: BackupFrequency,
    last: Option<i64>,
    failed: bool,
    now: i64,
    zone: &TimeZone,
) -> bool {
    let Some(wanted) = last_wanted(frequency, now, zone) else {
        return false;
    };
    match last {
        Some(at) => at < days_back(wanted, GRACE_DAYS, zone),
        None => failed,
    }
}

pub fn rehearsal_is_due(last: Option<i64>, now: i64, zone: &TimeZone) -> bool {
    last.is_none_or(|at| at <= days_back(now, REHEARSAL_DAYS, zone) || at > now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::zone;

    fn at(text: &str) -> i64 {
        text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
    }

    fn due(frequency: BackupFrequency, last: Option<&str>, now: &str) -> bool {
        let rome = zone("Europe/Rome").unwrap();
        is_due(frequency, last.map(at), at(now), &rome)
    }

    #[test]
    fn a_backup_is_due_by_the_date_of_the_last() {
        use BackupFrequency::{Daily, Disabled, Monthly, Weekly};
        for (frequency, last, now, expected) in [
            (Disabled, None, "2026-03-10T09:00:00Z", false),
            (Daily, None, "2026-03-10T09:00:00Z", true),
            (
                Daily,
                Some("2026-03-09T09:00:01Z"),
                "2026-03-10T09:00:00Z",
                false,
            ),
            (
                Daily,
                Some("2026-03-09T09:00:00Z"),
                "2026-03-10T09:00:00Z",
                true,
            ),
            // The night of 23 hours: the same local time.
            (
                Daily,
                Some("2026-03-28T09:00:00Z"),
                "2026-03-29T07:59:59Z",
                false,
            ),
            (
                Daily,
                Some("2026-03-28T09:00:00Z"),
                "2026-03-29T08:00:00Z",
                true,
            ),
            (
                Weekly,
                Some("2026-03-03T09:00:00Z"),
                "2026-03-10T08:59:59Z",
                false,
            ),
            (
                Weekly,
                Some("2026-03-03T09:00:00Z"),
                "2026-03-10T09:00:00Z",
                true,
            ),
            (
                Monthly,
                Some("2026-02-28T09:00:00Z"),
                "2026-03-28T08:00:00Z",
                false,
            ),
            (
                Monthly,
                Some("2026-02-28T09:00:00Z"),
                "2026-03-28T09:00:00Z",
                true,
            ),
            // Off for half a year.
            (
                Weekly,
                Some("2025-09-01T09:00:00Z"),
                "2026-03-10T09:00:00Z",
                true,
            ),
        ] {
            assert_eq!(
                due(frequency, last, now),
                expected,
                "{frequency:?} {last:?} {now}"
            );
        }
    }

    #[test]
    fn after_a_failure_the_next_try_waits_an_hour() {
        let now = at("2026-03-10T09:00:00Z");
        for (failed, expected) in [
            (None, false),
            (Some(now), true),
            (Some(now - AGAIN_MS + 1), true),
            (Some(now - AGAIN_MS), false),
            // Written by a clock that was ahead.
            (Some(now + 1), false),
        ] {
            assert_eq!(waits_after(failed, now), expected, "{failed:?}");
        }
    }

    #[test]
    fn lateness_is_told_after_a_day_of_grace() {
        let rome = zone("Europe/Rome").unwrap();
        let overdue = |frequency, last: Option<&str>, failed, now| {
            is_overdue(frequency, last.map(at), failed, at(now), &rome)
        };
        let (weekly, last) = (BackupFrequency::Weekly, Some("2026-03-02T09:00:00Z"));
        assert!(!overdue(weekly, last, false, "2026-03-10T09:00:00Z"));
        assert!(overdue(weekly, last, false, "2026-03-10T09:00:01Z"));
        assert!(!overdue(
            BackupFrequency::Disabled,
            last,
            true,
            "2030-03-10T09:00:01Z"
        ));
        assert!(!overdue(weekly, None, false, "2026-03-10T09:00:01Z"));
        assert!(overdue(weekly, None, true, "2026-03-10T09:00:01Z"));
    }

    #[test]
    fn a_rehearsal_is_due_weekly() {
        let rome = zone("Europe/Rome").unwrap();
        let now = at("2026-03-10T09:00:00Z");
        assert!(rehearsal_is_due(None, now, &rome));
        assert!(!rehearsal_is_due(
            Some(at("2026-03-03T09:00:01Z")),
            now,
            &rome
        ));
        assert!(rehearsal_is_due(
            Some(at("2026-03-03T09:00:00Z")),
            now,
            &rome
        ));
        assert!(rehearsal_is_due(Some(now + 1), now, &rome));
    }
}
