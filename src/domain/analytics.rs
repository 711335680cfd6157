//! The figures of the analytics screen. A figure without anything to compute it from is `None`, shown as '—' (`PRODUCT.md §8`).

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use utoipa::ToSchema;

use super::calendar::{local_date, number, start_of, working_days};
use super::chat::{ChatState, Rule};
use super::invalid::Invalid;

/// Days of a period that was not chosen, today included.
const USUAL_DAYS: i32 = 30;
const MOST_DAYS: i32 = 732;
/// Hours that are shown one by one, the present one included.
const HOURS: i64 = 48;
const HOUR_MS: i64 = 3_600_000;
/// From how many days on open reports are counted together.
pub const OPEN_FROM: [i64; 6] = [0, 1, 3, 7, 30, 90];
/// Means cover so many of the latest reports (`PRODUCT.md §8`).
pub const MEAN_OF: usize = 30;
const MINUTE_MS: f64 = 60_000.0;

/// The local days that figures are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayRange {
    /// The first.
    pub from: Date,
    /// The last.
    pub to: Date,
}

impl DayRange {
    /// As it was asked for: without an end until today, without a beginning the usual days.
    pub fn asked(from: Option<Date>, to: Option<Date>, today: Date) -> Result<Self, Invalid> {
        let to = to.unwrap_or(today);
        let beyond = |_| Invalid::new("from", "range", "Data fuori dal calendario.");
        let usual = to.checked_sub((USUAL_DAYS - 1).days()).map_err(beyond)?;
        let from = from.unwrap_or(usual);
        if from > to {
            let message = "Il primo giorno viene dopo l’ultimo.";
            return Err(Invalid::new("from", "range", message));
        }
        if (to - from).get_days() >= MOST_DAYS {
            let message = "Al massimo due anni alla volta.";
            return Err(Invalid::new("from", "long", message));
        }
        Ok(Self { from, to })
    }

    /// Its days with their first instants (ms), oldest first.
    pub fn days(self, zone: &TimeZone) -> Vec<(Date, i64)> {
        let days = self.from.series(1.day()).take_while(|day| *day <= self.to);
        days.filter_map(|day| Some((day, start_of(day, zone)?)))
            .collect()
    }

    /// Its instants (ms). One that reaches today has no end: what came while the clock was ahead counts as well.
    pub fn instants(self, now: i64, zone: &TimeZone) -> Range<i64> {
        let behind = self
            .to
            .tomorrow()
            .ok()
            .filter(|_| self.to < local_date(now, zone));
        let end = behind.and_then(|day| start_of(day, zone));
        start_of(self.from, zone).unwrap_or(i64::MAX)..end.unwrap_or(i64::MAX)
    }
}

/// The first instants (ms) of the last hours, oldest first.
pub fn last_hours(now: i64) -> Vec<i64> {
    let this = now.div_euclid(HOUR_MS) * HOUR_MS;
    (0..HOURS).rev().map(|back| this - back * HOUR_MS).collect()
}

/// How many fell from each start to the next one. Earlier ones are left out; later ones count with the last.
pub fn counted_from(starts: &[i64], counted: impl IntoIterator<Item = (i64, i64)>) -> Vec<i64> {
    let mut counts = vec![0; starts.len()];
    for (at, n) in counted {
        let place = starts.partition_point(|start| *start <= at).checked_sub(1);
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += n;
        }
    }
    counts
}

/// The spans that the change against the previous month compares, in ms: the start of this month, and the same part of
/// the month before, up to the same day and local time. A day that the previous month lacks means all of it.
pub fn months(now: i64, zone: &TimeZone) -> Option<(i64, Range<i64>)> {
    let local = zone.to_datetime(Timestamp::from_millisecond(now).ok()?);
    let this_first = local.date().first_of_month();
    let previous_first = this_first.checked_sub(1.month()).ok()?;
    let this_start = start_of(this_first, zone)?;
    let end = same_moment(previous_first, local, zone).unwrap_or(this_start);
    Some((
        this_start,
        start_of(previous_first, zone)?..end.min(this_start),
    ))
}

fn same_moment(first: Date, local: DateTime, zone: &TimeZone) -> Option<i64> {
    let day = Date::new(first.year(), first.month(), local.day()).ok()?;
    let moment = day
        .to_datetime(local.time())
        .to_zoned_datetime(zone.clone())
        .ok()?;
    Some(moment.timestamp().as_millisecond())
}

/// In percent, to one decimal.
pub fn percent(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| rounded(number(part) / number(whole) * 100.0))
}

pub fn change(now: i64, before: i64) -> Option<f64> {
    percent(now - before, before)
}

/// To one decimal.
pub fn mean_working_days(spans: &[(i64, i64)], zone: &TimeZone) -> Option<f64> {
    let spans = spans.iter();
    mean(spans.map(|(from, until)| working_days(*from, *until, zone))).map(rounded)
}

/// Minutes of the clock, to one decimal.
pub fn mean_minutes(spans: &[(i64, i64)]) -> Option<f64> {
    let length = |(from, until): &(i64, i64)| number(until.saturating_sub(*from).max(0));
    mean(spans.iter().map(length)).map(|ms| rounded(ms / MINUTE_MS))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
    (count > 0).then(|| values.sum::<f64>() / number(count))
}

/// Adding zero removes the minus before a zero.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

/// Where conversations stop. An unfinished one leaves nothing behind: it is known only as one that reached a question
/// and never went on. Those still going on are among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStops {
    /// First local day counted.
    pub since: Date,
    /// Conversations that began.
    pub started: i64,
    /// Conversations that ended with a report.
    pub completed: i64,
    /// Conversations that closed because the reporter is a minor.
    pub minors: i64,
    /// Conversations that were left, at any question.
    pub unfinished: i64,
    /// By question, in their order.
    pub states: Vec<StateStops>,
}

/// Figures of one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateStops {
    /// The question.
    pub state: ChatState,
    /// Conversations that reached the question.
    pub reached: i64,
    /// Conversations that passed the question, reports at the last question included.
    pub answered: i64,
    /// Conversations that were left there.
    pub unfinished: i64,
    /// Answers that were refused, by rule; one conversation may have several.
    pub refusals: Vec<Refusals>,
}

/// How often a rule refused an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refusals {
    /// The rule.
    pub rule: Rule,
    /// How often.
    pub count: i64,
}

/// Sums up the counts. `final_question`, which only a forged conversation reaches, counts as the question before it.
pub fn chat_stops(since: Date, counts: &[(ChatState, Rule, i64)]) -> ChatStops {
    let mut totals: BTreeMap<(ChatState, Rule), i64> = BTreeMap::new();
    for (state, rule, n) in counts {
        let state = (*state).min(ChatState::CollectReport);
        *totals.entry((state, *rule)).or_default() += n;
    }
    let of = |state, rule| totals.get(&(state, rule)).copied().unwrap_or(0);
    let minors = of(ChatState::AgeCheck, Rule::Minor);
    let started = of(ChatState::AgeCheck, Rule::Started);
    let mut reached = started;
    let mut states = Vec::new();
    for state in ChatState::ALL
        .into_iter()
        .filter(|state| *state <= ChatState::CollectReport)
    {
        let answered = of(state, Rule::Answered) + of(state, Rule::Completed);
        states.push(StateStops {
            state,
            reached,
            answered,
            unfinished: (reached - answered - of(state, Rule::Minor)).max(0),
            refusals: refusals(state, &of),
        });
        reached = answered;
    }
    ChatStops {
        since,
        started,
        completed: of(ChatState::CollectReport, Rule::Completed),
        minors,
        unfinished: states.iter().map(|stops| stops.unfinished).sum(),
        states,
    }
}

fn refusals(state: ChatState, of: &impl Fn(ChatState, Rule) -> i64) -> Vec<Refusals> {
    Rule::ALL
        .into_iter()
        .filter(|rule| rule.is_refusal())
        .map(|rule| Refusals {
            rule,
            count: of(state, rule),
        })
        .filter(|refusals| refusals.count > 0)
        .collect()
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

    #[test]
    fn a_period_has_every_local_day_once_over_both_changes_of_the_clocks() {
        for (from, to) in [
            (date(2026, 1, 16), date(2026, 4, 15)),
            (date(2026, 8, 24), date(2026, 11, 21)),
        ] {
            let days = DayRange { from, to }.days(&rome());
            assert_eq!(days.len(), 90);
            assert_eq!((days[0].0, days[89].0), (from, to));
            let lengths: Vec<i64> = days
                .windows(2)
                .map(|pair| (pair[1].1 - pair[0].1) / HOUR_MS)
                .collect();
            assert_eq!(lengths.iter().filter(|hours| **hours != 24).count(), 1);
            let hours: i64 = lengths.iter().sum();
            assert_eq!(hours - 89 * 24, if to.month() == 4 { -1 } else { 1 });
        }
    }

    #[test]
    fn reports_fall_on_their_local_day() {
        let period = DayRange::asked(None, None, date(2026, 10, 26)).unwrap();
        let starts: Vec<i64> = period.days(&rome()).iter().map(|day| day.1).collect();
        let received = [
            ("2026-10-24T21:59:59.999Z", 1),
            ("2026-10-24T22:00:00Z", 10),
            ("2026-10-25T22:59:59.999Z", 100),
            ("2026-10-25T23:00:00Z", 1_000),
            ("2027-01-01T00:00:00Z", 10_000),
            ("2020-01-01T00:00:00Z", 100_000),
        ]
        .map(|(moment, n)| (at(moment), n));
        let counts = counted_from(&starts, received);
        assert_eq!(counts[27..], [1, 110, 11_000]);
        assert_eq!(counts.iter().sum::<i64>(), 11_111);
    }

    #[test]
    fn a_period_is_the_last_thirty_days_unless_it_is_chosen() {
        let today = date(2026, 3, 31);
        let of = |from, to| DayRange::asked(from, to, today);
        let usual = of(None, None).unwrap();
        assert_eq!((usual.from, usual.to), (date(2026, 3, 2), today));
        let past = of(Some(date(2026, 1, 5)), Some(date(2026, 1, 5))).unwrap();
        let now = at("2026-03-31T10:00:00Z");
        assert_eq!(
            past.instants(now, &rome()),
            at("2026-01-04T23:00:00Z")..at("2026-01-05T23:00:00Z")
        );
        assert_eq!(
            usual.instants(now, &rome()),
            at("2026-03-01T23:00:00Z")..i64::MAX
        );
        assert_eq!(of(Some(date(2026, 4, 1)), None).unwrap_err().code, "range");
        assert_eq!(of(Some(date(2024, 3, 1)), None).unwrap_err().code, "long");
        assert_eq!(of(None, Some(Date::MIN)).unwrap_err().code, "range");
    }

    #[test]
    fn ages_and_hours_are_counted_together() {
        let ages = [(0, 3), (2, 4), (3, 8), (29, 16), (400, 32)];
        assert_eq!(counted_from(&OPEN_FROM, ages), [3, 4, 8, 16, 0, 32]);
        let hours = last_hours(at("2026-03-31T10:59:00Z"));
        assert_eq!((hours.len(), hours[0]), (48, at("2026-03-29T11:00:00Z")));
        assert_eq!(hours[47], at("2026-03-31T10:00:00Z"));
    }

    #[test]
    fn months_are_compared_up_to_the_same_moment() {
        for (now, this_start, previous_start, previous_end) in [
            // An ordinary day.
            (
                "2026-06-10T10:00:00Z",
                "2026-05-31T22:00:00Z",
                "2026-04-30T22:00:00Z",
                "2026-05-10T10:00:00Z",
            ),
            // One local time on either side of a change of the clocks.
            (
                "2026-11-21T09:00:00Z",
                "2026-10-31T23:00:00Z",
                "2026-09-30T22:00:00Z",
                "2026-10-21T08:00:00Z",
            ),
            // Over the turn of the year.
            (
                "2026-01-05T11:00:00Z",
                "2025-12-31T23:00:00Z",
                "2025-11-30T23:00:00Z",
                "2025-12-05T11:00:00Z",
            ),
            // February has no 30th: all of it is compared.
            (
                "2026-03-30T10:00:00Z",
                "2026-02-28T23:00:00Z",
                "2026-01-31T23:00:00Z",
                "2026-02-28T23:00:00Z",
            ),
        ] {
            let (this, previous) = months(at(now), &rome()).unwrap();
            assert_eq!(this, at(this_start), "{now}");
            assert_eq!(previous, at(previous_start)..at(previous_end), "{now}");
        }
        assert_eq!(months(i64::MAX, &rome()), None);
    }

    #[test]
    fn shares_and_changes_are_rounded_and_absent_of_nothing() {
        assert_eq!(percent(1, 3), Some(33.3));
        assert_eq!(percent(2, 3), Some(66.7));
        assert_eq!(percent(0, 3), Some(0.0));
        assert_eq!(percent(0, 0), None);
        assert_eq!(change(112, 100), Some(12.0));
        assert_eq!(change(1, 3), Some(-66.7));
        assert_eq!(change(0, 5), Some(-100.0));
        assert_eq!(change(5, 0), None);
        assert_eq!(change(0, 0), None);
        let nothing = change(10_000, 10_001).unwrap();
        assert!(nothing == 0.0 && nothing.is_sign_positive());
    }

    #[test]
    fn means_are_over_what_there_is() {
        let spans = [
            // Friday noon to Monday noon, and half a Tuesday.
            (at("2026-03-13T11:00:00Z"), at("2026-03-16T11:00:00Z")),
            (at("2026-03-17T05:00:00Z"), at("2026-03-17T17:00:00Z")),
        ];
        assert_eq!(mean_working_days(&spans, &rome()), Some(0.8));
        assert_eq!(mean_minutes(&spans), Some((72.0 + 12.0) * 60.0 / 2.0));
        assert_eq!(mean_working_days(&[], &rome()), None);
        assert_eq!(mean_minutes(&[]), None);
        // A clock that was put back in between makes no negative time.
        assert_eq!(mean_minutes(&[(5, 4)]), Some(0.0));
    }

    #[test]
    fn unfinished_conversations_are_those_that_never_went_on() {
        let since = date(2026, 3, 1);
        let stops = chat_stops(
            since,
            &[
                (ChatState::AgeCheck, Rule::Started, 7),
                (ChatState::AgeCheck, Rule::Started, 3),
                (ChatState::AgeCheck, Rule::Minor, 2),
                (ChatState::AgeCheck, Rule::Invalid, 5),
                (ChatState::AgeCheck, Rule::Answered, 6),
                (ChatState::CollectName, Rule::Answered, 6),
                (ChatState::CollectName, Rule::TooLong, 1),
                (ChatState::CollectName, Rule::Invalid, 4),
                (ChatState::CollectSurname, Rule::Answered, 1),
                (ChatState::CollectReport, Rule::Completed, 1),
            ],
        );
        let seen: Vec<_> = stops
            .states
            .iter()
            .map(|stop| (stop.reached, stop.answered, stop.unfinished))
            .collect();
        assert_eq!(
            seen,
            [
                (10, 6, 2),
                (6, 6, 0),
                (6, 1, 5),
                (1, 0, 1),
                (0, 0, 0),
                (0, 0, 0),
                (0, 0, 0),
                (0, 1, 0)
            ]
        );
        assert_eq!(
            (
                stops.started,
                stops.completed,
                stops.minors,
                stops.unfinished
            ),
            (10, 1, 2, 8)
        );
        let refused: Vec<_> = stops.states[1]
            .refusals
            .iter()
            .map(|refusals| (refusals.rule, refusals.count))
            .collect();
        assert_eq!(refused, [(Rule::Invalid, 4), (Rule::TooLong, 1)]);
        let json = serde_json::to_value(&stops).unwrap();
        assert_eq!(json["since"], "2026-03-01");
        assert_eq!(json["states"][0]["state"], "age_check");
        assert_eq!(json["states"][1]["refusals"][1]["rule"], "too_long");
    }

    #[test]
    fn a_crafted_final_question_counts_as_the_last_one() {
        let counts = [
            (ChatState::CollectReport, Rule::Completed, 2),
            (ChatState::FinalQuestion, Rule::Completed, 1),
        ];
        let stops = chat_stops(date(2026, 3, 1), &counts);
        assert_eq!(stops.states.len(), 8);
        assert_eq!((stops.completed, stops.unfinished), (3, 0));
    }

    proptest! {
        #[test]
        fn every_report_of_the_window_is_counted_once(times in proptest::collection::vec(0_i64..9_000, 0..200)) {
            let now = at("2026-12-20T12:00:00Z");
            let (from, to) = (date(2026, 9, 22), date(2026, 12, 20));
            let days = DayRange { from, to }.days(&rome());
            let starts: Vec<i64> = days.iter().map(|day| day.1).collect();
            let received: Vec<(i64, i64)> = times.iter().map(|hours| (now - hours * HOUR_MS, 1)).collect();
            let counts = counted_from(&starts, received.clone());
            for (day, count) in days.iter().zip(counts) {
                let naive = received.iter().filter(|(at, _)| local_date(*at, &rome()) == day.0).count();
                prop_assert_eq!(usize::try_from(count).unwrap(), naive);
            }
        }
    }
}
