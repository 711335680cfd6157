//! Days as people say them ('sabato scorso', 'marzo 2025', 'due mesi fa'), told from the day on which they are said.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::domain::{numerals, text};

const MONTHS: [&str; 12] = [
    "gennaio|gen|genn",
    "febbraio|feb|febb",
    "marzo|mar",
    "aprile|apr",
    "maggio|mag",
    "giugno|giu",
    "luglio|lug",
    "agosto|ago",
    "settembre|set|sett",
    "ottobre|ott",
    "novembre|nov",
    "dicembre|dic",
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("lunedi", Weekday::Monday),
    ("martedi", Weekday::Tuesday),
    ("mercoledi", Weekday::Wednesday),
    ("giovedi", Weekday::Thursday),
    ("venerdi", Weekday::Friday),
    ("sabato", Weekday::Saturday),
    ("domenica", Weekday::Sunday),
];

const FEASTS: [(&str, i8, i8); 6] = [
    ("natale", 12, 25),
    ("capodanno", 1, 1),
    ("epifania", 1, 6),
    ("befana", 1, 6),
    ("ferragosto", 8, 15),
    ("ognissanti", 11, 1),
];

/// A day, and whether it was said in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub day: Date,
    pub sure: bool,
}

/// The days that a sentence names, at most a few; none where it names none.
pub fn days(said: &str, today: Date) -> Vec<Told> {
    let folded = text::fold(said).replace("primo", "1");
    let words: Vec<&str> = folded
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = beside_a_month(&words, today);
    if found.is_empty() {
        found.extend(by_name(&words, today).map(unsure));
    }
    if found.is_empty() {
        found = in_figures(&words, today);
    }
    if found.is_empty() {
        found.extend(relative(&words, today).map(unsure));
    }
    found.dedup();
    found
}

/// '12 marzo 2025'.
pub fn in_words(day: Date) -> String {
    let month = usize::from(day.month().unsigned_abs()) - 1;
    let name = MONTHS[month].split('|').next().unwrap_or_default();
    format!("{} {name} {}", day.day(), day.year())
}

fn unsure(day: Date) -> Told {
    Told { day, sure: false }
}

fn number(word: &str) -> Option<i64> {
    let figures = word.trim_end_matches('o').parse().ok();
    figures.or_else(|| numerals::value(word).and_then(|value| value.try_into().ok()))
}

fn month_of(word: &str) -> Option<i8> {
    let at = MONTHS
        .iter()
        .position(|names| text::is_listed(names, word))?;
    i8::try_from(at + 1).ok()
}

/// A year in four figures, or in the last two of this or the last century.
fn year_of(word: &str, today: Date) -> Option<(i16, bool)> {
    let year = i16::try_from(number(word)?).ok()?;
    match year {
        1_900..=2_100 => Some((year, true)),
        0..=99 if word.len() == 2 => {
            let near = today.year() / 100 * 100 + year;
            Some((
                if near > today.year() {
                    near - 100
                } else {
                    near
                },
                false,
            ))
        }
        _ => None,
    }
}

/// The last such day that is not after today.
fn last(month: i8, day: i8, today: Date) -> Option<Date> {
    let years = (0..4).map(|back| today.year() - back);
    years
        .filter_map(|year| Date::new(year, month, day).ok())
        .find(|date| *date <= today)
}

/// A month that was named, and what stands about it.
struct NamedMonth<'a> {
    month: i8,
    /// The year behind it, and whether it has four figures.
    year: Option<(i16, bool)>,
    /// The words that belong to it.
    words: &'a [&'a str],
    /// How many of them stand before it.
    before: usize,
}

/// '12 marzo 2025', '12 e 13 marzo', 'marzo 2025', 'fine marzo', 'tra marzo e aprile 2025'.
fn beside_a_month(words: &[&str], today: Date) -> Vec<Told> {
    let named = with_years(named_months(words, today));
    let scorso = words.iter().any(|word| word.starts_with("scors"));
    let last_year = scorso && words.contains(&"anno");
    let alone = named.len() == 1 && words.len() <= 6 && !scorso;
    let told = named.iter().flat_map(|one| {
        let sure = alone && one.is_whole();
        let date = move |day: i8| match one.year {
            Some((year, _)) => Date::new(year, one.month, day).ok(),
            None if last_year => Date::new(today.year() - 1, one.month, day).ok(),
            None => last(one.month, day, today),
        };
        let mut days = one.days();
        if days.is_empty() {
            days.push(one.part(date));
        }
        let told = move |day| {
            Some(Told {
                day: date(day)?,
                sure,
            })
        };
        days.into_iter().filter_map(told)
    });
    told.collect()
}

fn named_months<'a>(words: &'a [&'a str], today: Date) -> Vec<NamedMonth<'a>> {
    let months: Vec<usize> = (0..words.len())
        .filter(|at| month_of(words[*at]).is_some())
        .collect();
    let mut start = 0;
    let mut named = Vec::new();
    for (number, at) in months.iter().copied().enumerate() {
        let skipped = words
            .get(at + 1)
            .is_some_and(|word| text::is_listed("del|dell|di|dello", word));
        let behind = at + 1 + usize::from(skipped);
        // 'Fra marzo e il 12 aprile': a day of the next month is no year.
        let year = words
            .get(behind)
            .filter(|_| !months.contains(&(behind + 1)))
            .and_then(|word| year_of(word, today));
        let last = number + 1 == months.len();
        let end = behind + usize::from(year.is_some());
        let end = if last {
            words.len()
        } else {
            end.min(months[number + 1])
        };
        named.push(NamedMonth {
            month: month_of(words[at]).unwrap_or_default(),
            year,
            words: &words[start..end],
            before: at - start,
        });
        start = end;
    }
    named
}

/// A month without a year of its own has that of the next one, or of the one before: 'tra dicembre e gennaio 2025' begins in 2024.
fn with_years(mut named: Vec<NamedMonth<'_>>) -> Vec<NamedMonth<'_>> {
    for at in (1..named.len()).rev() {
        let (month, year) = (named[at].month, named[at].year);
        let before = &mut named[at - 1];
        let earlier = i16::from(before.month > month);
        before.year = before
            .year
            .or(year.map(|(year, whole)| (year - earlier, whole)));
    }
    for at in 1..named.len() {
        let (month, year) = (named[at - 1].month, named[at - 1].year);
        let behind = &mut named[at];
        let later = i16::from(behind.month < month);
        behind.year = behind
            .year
            .or(year.map(|(year, whole)| (year + later, whole)));
    }
    named
}

impl NamedMonth<'_> {
    /// The days of the month that were named before it.
    fn days(&self) -> Vec<i8> {
        let from = self.before.saturating_sub(4);
        let numbered = self.words[from..self.before]
            .iter()
            .filter_map(|word| number(word).and_then(|day| i8::try_from(day).ok()));
        numbered.filter(|day| (1..=31).contains(day)).collect()
    }

    /// Whether one day was said in figures, with its year.
    fn is_whole(&self) -> bool {
        let in_figures = |word: &&str| word.bytes().all(|sign| sign.is_ascii_digit());
        self.year.is_some_and(|(_, whole)| whole)
            && self.days().len() == 1
            && self.words[..self.before].iter().any(in_figures)
    }

    /// The day for a part of the month ('fine marzo').
    fn part(&self, date: impl Fn(i8) -> Option<Date>) -> i8 {
        if self.words.contains(&"meta") {
            15
        } else if self.words.contains(&"fine") {
            date(1).map_or(28, Date::days_in_month)
        } else {
            1
        }
    }
}

/// '12.3.25', '12/03', '03/2025', 'nel 2024'; '12-15/03/2025' and 'dal 12/03 al 15/04/2025' too.
fn in_figures(words: &[&str], today: Date) -> Vec<Told> {
    let figures: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| word.bytes().all(|sign| sign.is_ascii_digit()))
        .collect();
    // 'Due mesi fa' and '3 volte' have a figure too.
    let only = words
        .iter()
        .all(|word| figures.contains(word) || text::is_listed(AROUND, word));
    let found = dates_in(&figures, only, today).into_iter();
    found.flatten().map(unsure).collect()
}

/// The days that figures name; `only`: where nothing is said beside them.
fn dates_in(figures: &[&str], only: bool, today: Date) -> Vec<Option<Date>> {
    let small = |word: &str| word.parse::<i8>().ok();
    let date = |day: &str, month: &str, year: &str| {
        let (year, _) = year_of(year, today)?;
        Date::new(year, small(month)?, small(day)?).ok()
    };
    let is_year = |word: &&str| word.len() == 4;
    match figures {
        years if years.iter().all(is_year) => {
            years.iter().map(|year| date("1", "1", year)).collect()
        }
        [day, month] if only && !is_year(month) => {
            let numbers = small(month).zip(small(day));
            vec![numbers.and_then(|(month, day)| last(month, day, today))]
        }
        [month, year] if is_year(year) => vec![date("1", month, year)],
        [day, month, year] => vec![date(day, month, year)],
        [month, year, end, last] if is_year(year) && is_year(last) => {
            vec![date("1", month, year), date("1", end, last)]
        }
        [day, end, month, year] if is_year(year) => {
            vec![date(day, month, year), date(end, month, year)]
        }
        [day, month, end, last, year] if is_year(year) => {
            vec![date(day, month, year), date(end, last, year)]
        }
        [day, month, year, end, last, closing] if is_year(year) && is_year(closing) => {
            vec![date(day, month, year), date(end, last, closing)]
        }
        _ => Vec::new(),
    }
}

const AROUND: &str = "il|l|nel|del|di|verso|circa|giorno|data|era|credo|e|piu|o|meno|in|a|al";

/// 'Ieri', 'due mesi fa', 'la settimana scorsa', 'sabato'.
fn relative(words: &[&str], today: Date) -> Option<Date> {
    let has = |list: &str| words.iter().any(|word| text::is_listed(list, word));
    let back = |days: i64| today.checked_sub(days.days()).ok();
    if has("avantieri|altroieri|laltroieri|avantiieri") || has("altro|avant") && has("ieri") {
        return back(2);
    }
    if has("ieri") {
        return back(1);
    }
    if has("oggi|stamattina|stamani|stasera|stanotte|adesso") {
        return Some(today);
    }
    if let Some(at) = words.iter().position(|word| *word == "fa") {
        return ago(&words[..at], today);
    }
    let past = words
        .iter()
        .any(|word| word.starts_with("scors") || word.starts_with("passat"));
    if past && has("settimana") {
        return back(7);
    }
    if past && has("mese") {
        return today.first_of_month().checked_sub(1.months()).ok();
    }
    if past && has("anno") {
        return Date::new(today.year() - 1, 1, 1).ok();
    }
    let weekday = WEEKDAYS.iter().find(|(name, _)| words.contains(name))?;
    today.nth_weekday(-1, weekday.1).ok()
}

fn ago(words: &[&str], today: Date) -> Option<Date> {
    let (unit, before) = words.split_last()?;
    let count = before.iter().rev().find_map(|word| match *word {
        "un" | "una" | "uno" => Some(1),
        "paio" => Some(2),
        word => number(word)
            .or_else(|| numerals::spoken(&[word]).and_then(|value| value.try_into().ok())),
    })?;
    let count = Some(count).filter(|count| (0..1_000).contains(count))?;
    let span = match *unit {
        "giorno" | "giorni" => count.days(),
        "settimana" | "settimane" => count.weeks(),
        "mese" | "mesi" => count.months(),
        "anno" | "anni" => count.years(),
        _ => return None,
    };
    today.checked_sub(span).ok()
}

/// 'A Natale'.
fn by_name(words: &[&str], today: Date) -> Option<Date> {
    let (_, month, day) = FEASTS.iter().find(|(name, ..)| words.contains(name))?;
    let year = words
        .iter()
        .find_map(|word| year_of(word, today).filter(|(_, whole)| *whole));
    match year {
        Some((year, _)) => Date::new(year, *month, *day).ok(),
        None => last(*month, *day, today),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_read_as_people_say_them() {
        // A Saturday.
        let today = date(2026, 11, 28);
        for (said, expected) in [
            ("12 marzo 2025", "2025-03-12!"),
            ("il 12 marzo 2025", "2025-03-12!"),
            ("1° marzo 2025", "2025-03-01!"),
            ("primo marzo 2025", "2025-03-01!"),
            ("12 mar 2025", "2025-03-12!"),
            ("dodici marzo duemilaventicinque", "2025-03-12"),
            ("12 marzo", "2026-03-12"),
            ("12 dicembre", "2025-12-12"),
            ("12 marzo '25", "2025-03-12"),
            ("marzo 2025", "2025-03-01"),
            ("marzo del 2025", "2025-03-01"),
            ("a marzo", "2026-03-01"),
            ("a marzo dell'anno scorso", "2025-03-01"),
            ("fine febbraio 2024", "2024-02-29"),
            ("metà ottobre", "2026-10-15"),
            ("tra il 12 e il 15 marzo 2025", "2025-03-12 2025-03-15"),
            ("tra marzo e aprile 2025", "2025-03-01 2025-04-01"),
            ("marzo-aprile 2025", "2025-03-01 2025-04-01"),
            ("da marzo ad aprile del 2025", "2025-03-01 2025-04-01"),
            ("tra dicembre e gennaio 2025", "2024-12-01 2025-01-01"),
            ("da dicembre 2024 a marzo 2025", "2024-12-01 2025-03-01"),
            ("da novembre 2024 a gennaio", "2024-11-01 2025-01-01"),
            ("dal 12 marzo al 3 aprile 2025", "2025-03-12 2025-04-03"),
            ("fra marzo e il 12 aprile 2025", "2025-03-01 2025-04-12"),
            ("fine marzo, metà aprile 2025", "2025-03-31 2025-04-15"),
            ("tra marzo e aprile", "2026-03-01 2026-04-01"),
            (
                "tra marzo e aprile dell'anno scorso",
                "2025-03-01 2025-04-01",
            ),
            ("12-15/03/2025", "2025-03-12 2025-03-15"),
            ("dal 12/03 al 15/04/2025", "2025-03-12 2025-04-15"),
            ("dal 12/12/2024 al 15/01/2025", "2024-12-12 2025-01-15"),
            ("da 03/2024 a 04/2025", "2024-03-01 2025-04-01"),
            ("tra il 2023 e il 2024", "2023-01-01 2024-01-01"),
            ("12.3.25", "2025-03-12"),
            ("12/03/98", "1998-03-12"),
            ("12/03", "2026-03-12"),
            ("03/2025", "2025-03-01"),
            ("nel 2024", "2024-01-01"),
            ("2024", "2024-01-01"),
            ("ieri", "2026-11-27"),
            ("ieri sera verso le 9", "2026-11-27"),
            ("l'altro ieri", "2026-11-26"),
            ("avantieri", "2026-11-26"),
            ("stamattina", "2026-11-28"),
            ("due mesi fa", "2026-09-28"),
            ("circa 3 settimane fa", "2026-11-07"),
            ("un anno fa", "2025-11-28"),
            ("una decina di giorni fa", "2026-11-18"),
            ("sabato scorso", "2026-11-21"),
            ("lunedì", "2026-11-23"),
            ("la settimana scorsa", "2026-11-21"),
            ("il mese scorso", "2026-10-01"),
            ("l'anno scorso", "2025-01-01"),
            ("a Natale", "2025-12-25"),
            ("a ferragosto 2024", "2024-08-15"),
            ("31 febbraio 2025", ""),
            ("31/4/2024", ""),
            ("3 volte", ""),
            ("12/03/2024/1", ""),
            ("non ricordo", ""),
            ("", ""),
        ] {
            let told = days(said, today).into_iter();
            let told: Vec<String> = told
                .map(|one| format!("{}{}", one.day, if one.sure { "!" } else { "" }))
                .collect();
            assert_eq!(told.join(" "), expected, "{said}");
        }
        assert_eq!(in_words(date(2025, 3, 1)), "1 marzo 2025");
    }
}
