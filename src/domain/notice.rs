//! Notices by mail to people: when they are due, and their words. They count; of a report they say nothing.

use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::calendar::local_date;
use super::invalid::Invalid;
use super::text::counted;

/// When the newsroom's own comes where there are no people.
pub const DESK_HOUR: &str = "08:00";
const HOURS_MAX: usize = 6;
/// One that is later says nothing any more: the next hour does.
const LATE_MS: i64 = 60 * 60_000;

/// Hours of the day such as `08:00`, each once, with blanks between them.
pub fn hours(mut typed: Vec<String>) -> Result<String, Invalid> {
    typed.sort();
    typed.dedup();
    let fits = |hour: &String| hour.len() == 5 && time(hour).is_some();
    if typed.len() <= HOURS_MAX && typed.iter().all(fits) {
        return Ok(typed.join(" "));
    }
    let message = format!("Scrivi al massimo {HOURS_MAX} orari, ognuno come 08:00.");
    Err(Invalid::new("notices", "format", message))
}

/// The latest of these hours (ms) that has struck within the last one.
pub fn struck(hours: &str, now: i64, zone: &TimeZone) -> Option<i64> {
    let today = local_date(now, zone);
    let days = [Some(today), today.yesterday().ok()].into_iter().flatten();
    let moments = days.flat_map(|day| {
        let times = hours.split_whitespace().filter_map(time);
        times.filter_map(move |time| day.to_datetime(time).to_zoned_datetime(zone.clone()).ok())
    });
    let struck = moments.map(|moment| moment.timestamp().as_millisecond());
    struck.filter(|at| (now - LATE_MS..=now).contains(at)).max()
}

fn time(hour: &str) -> Option<Time> {
    Time::strptime("%H:%M", hour).ok()
}

/// How much waits for a person: urgent reports that have come since they were told last, reports given to them, with an answer,
/// with a promise, new ones, and stories with many that have come since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    pub urgent: i64,
    pub assigned: i64,
    pub answers: i64,
    pub due: i64,
    pub new: i64,
    pub grown: i64,
}

impl Waiting {
    /// A sentence for each that is not nothing: the same counts, the same words.
    pub fn sentences(&self) -> Vec<String> {
        let all = [
            (
                self.urgent,
                "segnalazione urgente appena arrivata",
                "segnalazioni urgenti appena arrivate",
            ),
            (
                self.assigned,
                "segnalazione assegnata a te",
                "segnalazioni assegnate a te",
            ),
            (
                self.answers,
                "persona aspetta una risposta",
                "persone aspettano una risposta",
            ),
            (
                self.due,
                "promessa in scadenza o scaduta",
                "promesse in scadenza o scadute",
            ),
            (self.new, "segnalazione nuova", "segnalazioni nuove"),
            (self.grown, "storia che cresce", "storie che crescono"),
        ];
        let some = all.into_iter().filter(|(count, ..)| *count > 0);
        some.map(|(count, one, many)| counted(count, one, many))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::clock::zone;

    const STEP_MS: i64 = 10 * 60_000;

    fn of(typed: &[&str]) -> Result<String, Invalid> {
        hours(typed.iter().map(|hour| (*hour).to_owned()).collect())
    }

    #[test]
    fn hours_are_put_in_order_and_what_is_none_is_refused() {
        assert_eq!(of(&["14:00", "08:00", "14:00"]).unwrap(), "08:00 14:00");
        assert_eq!(of(&[]).unwrap(), "");
        for wrong in ["8:00", "24:00", "08:60", "08.00", "", "08:00 "] {
            assert_eq!(of(&[wrong]).unwrap_err().code, "format", "{wrong}");
        }
        let many = [
            "01:00", "02:00", "03:00", "04:00", "05:00", "06:00", "07:00",
        ];
        assert!(of(&many).is_err());
    }

    #[test]
    fn each_hour_of_each_day_strikes_once_also_when_the_clocks_change() {
        let rome = zone("Europe/Rome").unwrap();
        let instant = |day: jiff::civil::Date| {
            let start = day.to_zoned_datetime(rome.clone()).unwrap();
            start.timestamp().as_millisecond()
        };
        let (begin, end) = (instant(date(2026, 1, 1)), instant(date(2029, 1, 1)));
        let (mut told, mut times) = (begin - 1, 0);
        let mut now = begin;
        while now < end {
            if let Some(hour) = struck("00:00 02:30 14:00", now, &rome).filter(|hour| *hour > told)
            {
                (told, times) = (hour, times + 1);
            }
            now += STEP_MS;
        }
        assert_eq!(times, 3 * (3 * 365 + 1));
    }

    #[test]
    fn one_that_was_missed_by_an_hour_is_left_out() {
        let rome = zone("Europe/Rome").unwrap();
        let strikes = |moment: &str| {
            let now: jiff::Timestamp = moment.parse().unwrap();
            struck("08:00", now.as_millisecond(), &rome).is_some()
        };
        // 08:00 in Rome.
        assert!(strikes("2026-03-10T07:00:00Z") && strikes("2026-03-10T08:00:00Z"));
        assert!(!strikes("2026-03-10T06:59:59Z") && !strikes("2026-03-10T08:00:01Z"));
    }

    /// The words of a notice with `n` in place of every number.
    fn shape(waiting: &Waiting) -> String {
        let words = waiting.sentences().join(" / ");
        let words = words.split(' ').map(|word| {
            let number = word.bytes().all(|byte| byte.is_ascii_digit());
            if number { "n" } else { word }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn the_words_follow_from_the_counts_alone(counts in proptest::array::uniform6(0_i64..5), more in 2_i64..100_000) {
            let [urgent, assigned, answers, due, new, grown] = counts;
            let waiting = Waiting { urgent, assigned, answers, due, new, grown };
            let sentences = waiting.sentences();
            prop_assert_eq!(&sentences, &waiting.sentences());
            prop_assert_eq!(sentences.len(), counts.iter().filter(|count| **count > 0).count());
            // Other numbers change nothing but the numbers.
            let grown = counts.map(|count| if count > 1 { count + more } else { count });
            let [urgent, assigned, answers, due, new, grown] = grown;
            let other = Waiting { urgent, assigned, answers, due, new, grown };
            prop_assert_eq!(shape(&other), shape(&waiting));
            let letters = sentences.concat();
            prop_assert!(letters.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == ' '), "{}", letters);
        }
    }
}
