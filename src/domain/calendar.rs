//! The newsroom's calendar: local days, Italian public holidays, working days. Instants and zone are handed in.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::moment::timestamp;

type MonthDay = (i8, i8);

/// Public holidays on a fixed date. Source: law 260/1949, article 2, as changed by laws 54/1977, 792/1985 and 336/2000.
const FIXED_HOLIDAYS: [MonthDay; 10] = [
    (1, 1),
    (1, 6),
    (4, 25),
    (5, 1),
    (6, 2),
    (8, 15),
    (11, 1),
    (12, 8),
    (12, 25),
    (12, 26),
];
/// Saint Francis, a public holiday again from 2026 (law 151/2025).
const SAINT_FRANCIS: MonthDay = (10, 4);
const SAINT_FRANCIS_SINCE: i16 = 2026;

/// The local day of an instant (ms); beyond the calendar, its first or last day.
pub fn local_date(ms: i64, zone: &TimeZone) -> Date {
    zone.to_datetime(timestamp(ms)).date()
}

/// '20/01/2025 11:00'.
pub fn shown(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned_datetime(zone.clone());
    local.strftime("%d/%m/%Y %H:%M").to_string()
}

/// In ms; `None` outside the calendar.
pub fn start_of(date: Date, zone: &TimeZone) -> Option<i64> {
    let start = date
        .to_zoned_datetime(zone.clone())
        .ok()?
        .start_of_day()
        .ok()?;
    Some(start.timestamp().as_millisecond())
}

/// The last instant (ms) of the local day so many days behind that of `at`; `None` for no days, and outside the calendar.
pub fn promised(at: i64, days: u32, zone: &TimeZone) -> Option<i64> {
    let behind = local_date(at, zone).checked_add((i64::from(days) + 1).days());
    let behind = behind.ok().filter(|_| days > 0)?;
    Some(start_of(behind, zone)? - 1)
}

/// The first instant (ms) that is not soon any more: today and the three local days behind it are.
pub fn soon(now: i64, zone: &TimeZone) -> i64 {
    promised(now, 3, zone).map_or(i64::MAX, |last| last + 1)
}

/// Gregorian calendar, by the method of Meeus, Jones and Butcher.
pub fn easter(year: i16) -> Option<Date> {
    let year_number = i32::from(year);
    let golden = year_number.rem_euclid(19);
    let (century, rest) = (year_number.div_euclid(100), year_number.rem_euclid(100));
    let correction = (century + 8) / 25;
    let moon =
        (century - (century - correction + 1) / 3 - century / 4 + 19 * golden + 15).rem_euclid(30);
    let sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4).rem_euclid(7);
    let early = (golden + 11 * moon + 22 * sunday) / 451;
    let days = moon + sunday - 7 * early + 114;
    let (month, day) = (days / 31, days % 31 + 1);
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Monday to Friday without Italian public holidays. Patron saints of towns do not count.
pub fn is_working_day(date: Date) -> bool {
    let day = (date.month(), date.day());
    let easter_monday = easter(date.year()).and_then(|sunday| sunday.tomorrow().ok());
    let free = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
        || FIXED_HOLIDAYS.contains(&day)
        || (day == SAINT_FRANCIS && date.year() >= SAINT_FRANCIS_SINCE)
        || easter_monday == Some(date);
    !free
}

/// Working days between two instants (ms), in the newsroom's zone. A part of a working day counts as its share of that day's
/// own length of 23, 24 or 25 hours. From Friday noon to Monday noon it is 1 day. An end before the start gives 0.
pub fn working_days(from: i64, until: i64, zone: &TimeZone) -> f64 {
    let (first, last) = (local_date(from, zone), local_date(until, zone));
    let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    days.take_while(|day| *day <= last)
        .filter(|day| is_working_day(*day))
        .map(|day| share(day, from, until, zone))
        .sum::<f64>()
        .max(0.0)
}

fn share(date: Date, from: i64, until: i64, zone: &TimeZone) -> f64 {
    let ends = start_of(date, zone).zip(date.tomorrow().ok().and_then(|next| start_of(next, zone)));
    let Some((start, end)) = ends else {
        return 0.0;
    };
    let within = until.min(end).saturating_sub(from.max(start)).max(0);
    number(within) / number(end - start)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "neither reports nor ms reach 2^53"
)]
pub(super) fn number(count: i64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::clock::zone;

    fn rome() -> TimeZone {
        zone("Europe/Rome").unwrap()
    }

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    fn worked(from: &str, until: &str) -> f64 {
        working_days(at(from), at(until), &rome())
    }

    /// Dates as published by the church; the method itself is checked against Gauss's below.
    #[test]
    fn easter_falls_on_its_published_dates() {
        for (year, month, day) in [
            (1818, 3, 22),
            (1943, 4, 25),
            (1954, 4, 18),
            (1981, 4, 19),
            (2000, 4, 23),
            (2008, 3, 23),
            (2024, 3, 31),
            (2025, 4, 20),
            (2026, 4, 5),
            (2027, 3, 28),
            (2028, 4, 16),
            (2038, 4, 25),
            (2049, 4, 18),
            (2076, 4, 19),
        ] {
            assert_eq!(easter(year), Some(date(year, month, day)), "{year}");
        }
    }

    /// Gauss's method for 1900 to 2099, written independently, with its two exceptions.
    fn easter_by_gauss(year: i16) -> Date {
        let golden = year % 19;
        let moon = (19 * golden + 24) % 30;
        let sunday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
        let days = match moon + sunday {
            35 => 28,
            34 if moon == 28 && golden > 10 => 27,
            days => days,
        };
        date(year, 3, 22)
            .checked_add(i32::from(days).days())
            .unwrap()
    }

    #[test]
    fn two_methods_agree_on_easter() {
        for year in 1900..2100 {
            assert_eq!(easter(year), Some(easter_by_gauss(year)), "{year}");
        }
    }

    #[test]
    fn easter_is_a_sunday_in_every_year_of_the_calendar() {
        for year in 1583..=9999 {
            assert_eq!(easter(year).unwrap().weekday(), Weekday::Sunday, "{year}");
        }
    }

    #[test]
    fn public_holidays_are_those_of_the_law() {
        let every_day = std::iter::successors(Some(date(2027, 1, 1)), |day| day.tomorrow().ok());
        let weekend = |day: &Date| matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        let observed: Vec<(i8, i8)> = every_day
            .take(365)
            .filter(|day| !weekend(day) && !is_working_day(*day))
            .map(|day| (day.month(), day.day()))
            .collect();
        // 25 April, 2 June and so on, where they fall between Monday and Friday.
        let expected = [(1, 1), (1, 6), (3, 29), (6, 2), (10, 4), (11, 1), (12, 8)];
        assert_eq!(observed, expected);
    }

    #[test]
    fn saint_francis_is_a_holiday_from_2026() {
        assert!(is_working_day(date(2024, 10, 4)));
        assert!(!is_working_day(date(2027, 10, 4)));
    }

    #[test]
    fn parts_of_days_count_as_their_share() {
        for (from, until, days) in [
            // Within one Tuesday: six hours of it.
            ("2026-03-10T05:00:00Z", "2026-03-10T11:00:00Z", 0.25),
            // A whole Tuesday, midnight to midnight.
            ("2026-03-09T23:00:00Z", "2026-03-10T23:00:00Z", 1.0),
            // Friday noon to Monday noon.
            ("2026-03-13T11:00:00Z", "2026-03-16T11:00:00Z", 1.0),
            // From Saturday into Sunday, and on a Saturday.
            ("2026-03-14T08:00:00Z", "2026-03-15T20:00:00Z", 0.0),
            // Two weeks without a holiday.
            ("2026-03-09T11:00:00Z", "2026-03-23T11:00:00Z", 10.0),
            // Good Friday noon to Tuesday noon: Easter Monday is no working day.
            ("2026-04-03T10:00:00Z", "2026-04-07T10:00:00Z", 1.0),
            // 24 December noon to 28 December noon (Thursday to Monday): Christmas Day is a Friday.
            ("2026-12-24T11:00:00Z", "2026-12-28T11:00:00Z", 1.0),
            // The end is not after the start.
            ("2026-03-10T11:00:00Z", "2026-03-10T11:00:00Z", 0.0),
            ("2026-03-11T11:00:00Z", "2026-03-10T11:00:00Z", 0.0),
        ] {
            let found = worked(from, until);
            assert!((found - days).abs() < 1e-12, "{from} {until}: {found}");
        }
    }

    #[test]
    fn a_day_of_23_or_25_hours_is_one_day() {
        // Rome changes its clocks on Sundays; Cairo did so at the first midnight of Friday 28 April 2023.
        let cairo = zone("Africa/Cairo").unwrap();
        let friday = date(2023, 4, 28);
        let (start, end) = (
            start_of(friday, &cairo).unwrap(),
            start_of(date(2023, 4, 29), &cairo).unwrap(),
        );
        assert_eq!(end - start, 23 * 3_600_000);
        assert!((working_days(start, end, &cairo) - 1.0).abs() < 1e-12);
        let half = working_days(start, start + 23 * 1_800_000, &cairo);
        assert!((half - 0.5).abs() < 1e-12, "{half}");
        // Over both of Rome's nights a week stays five days.
        for monday in [date(2026, 3, 23), date(2026, 10, 19)] {
            let (from, until) = (
                start_of(monday, &rome()).unwrap(),
                start_of(monday.checked_add(7.days()).unwrap(), &rome()).unwrap(),
            );
            assert!((working_days(from, until, &rome()) - 5.0).abs() < 1e-12);
            assert_ne!(until - from, 7 * 86_400_000);
        }
    }

    #[test]
    fn a_promise_lasts_to_the_end_of_its_local_day() {
        for (arrival, days, last) in [
            ("2026-03-10T09:00:00Z", 7, Some("2026-03-17T22:59:59.999Z")),
            // A quarter of an hour before midnight in Rome, over a change of the clocks.
            ("2026-03-24T22:45:00Z", 7, Some("2026-03-31T21:59:59.999Z")),
            ("2026-03-10T09:00:00Z", 0, None),
        ] {
            assert_eq!(promised(at(arrival), days, &rome()), last.map(at));
        }
        assert_eq!(promised(i64::MAX, 7, &rome()), None);
    }

    #[test]
    fn instants_outside_the_calendar_do_no_harm() {
        for (from, until) in [
            (i64::MIN, i64::MIN + 1),
            (i64::MAX, i64::MAX),
            (i64::MAX, 0),
        ] {
            assert!(working_days(from, until, &rome()).abs() < f64::EPSILON);
        }
        assert_eq!(easter(i16::MAX), None);
    }

    /// Every quarter of an hour that begins on a working day, counted one by one.
    fn worked_by_quarters(from: i64, until: i64) -> f64 {
        const QUARTER_MS: i64 = 900_000;
        let (mut at, mut days) = (from, 0.0);
        while at < until {
            let day = local_date(at, &rome());
            if is_working_day(day) {
                let length = start_of(day.tomorrow().unwrap(), &rome()).unwrap()
                    - start_of(day, &rome()).unwrap();
                days += number(QUARTER_MS) / number(length);
            }
            at += QUARTER_MS;
        }
        days
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_short_way_equals_counting_quarters(start in 0_i64..70_000, length in 0_i64..6_000) {
            let from = at("2025-12-01T00:00:00Z") + start * 900_000;
            let until = from + length * 900_000;
            let (short, naive) = (working_days(from, until, &rome()), worked_by_quarters(from, until));
            prop_assert!((short - naive).abs() < 1e-6, "{short} {naive}");
        }

        #[test]
        fn no_promise_is_past_its_day_that_is_not_late_and_none_due_in_three_days_that_is_not_soon(
            // Ten years, three of them leap years, with twenty changes of the clock.
            arrived in 0_i64..315_000_000_000, days in 1_u32..400, later in 0_i64..36_000_000_000,
        ) {
            let rome = rome();
            let arrived = at("2026-01-01T00:00:00Z") + arrived;
            let (now, until) = (arrived + later, promised(arrived, days, &rome).unwrap());
            let (today, day) = (local_date(now, &rome), local_date(until, &rome));
            prop_assert_eq!(day, local_date(arrived, &rome).checked_add(i64::from(days).days()).unwrap());
            // As the list asks: late is before now, soon from now on.
            prop_assert_eq!(until < now, today > day);
            let within = today.checked_add(3.days()).unwrap() >= day;
            prop_assert_eq!((now..soon(now, &rome)).contains(&until), today <= day && within);
        }

        #[test]
        fn parts_add_up(start in 0_i64..70_000_000_000, first in 0_i64..9_000_000_000, second in 0_i64..9_000_000_000) {
            let from = at("2025-12-01T00:00:00Z") + start;
            let whole = working_days(from, from + first + second, &rome());
            let parts = working_days(from, from + first, &rome())
                + working_days(from + first, from + first + second, &rome());
            prop_assert!((whole - parts).abs() < 1e-9, "{whole} {parts}");
        }
    }
}
