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

/// '12 marzo 2025', '12 e 13 marzo', 'marzo 2025', 'fine marzo'.
fn beside_a_month(words: &[&str], today: Date) -> Vec<Told> {
    let Some((at, month)) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, month_of(word)?)))
    else {
        return Vec::new();
    };
    let behind = words
        .get(at + 1)
        .filter(|word| !text::is_listed("del|dell|di|dello", word))
        .or(words.get(at + 2));
    let year = behind.and_then(|word| year_of(word, today));
    let last_year = words.iter().any(|word| word.starts_with("scors"));
    let whole = year.is_some_and(|(_, whole)| whole);
    let date = |day: i8| match year {
        Some((year, _)) => Date::new(year, month, day).ok(),
        None if words.contains(&"anno") && last_year => {
            Date::new(today.year() - 1, month, day).ok()
        }
        None => last(month, day, today),
    };
    let numbered = |word: &&str| number(word).and_then(|day| i8::try_from(day).ok());
    let days: Vec<i8> = words[..at]
        .iter()
        .rev()
        .take(4)
        .filter_map(numbered)
        .filter(|day| (1..=31).contains(day))
        .collect();
    if !days.is_empty() {
        let plain = days.len() == 1
            && words[..at]
                .iter()
                .any(|word| word.bytes().all(|sign| sign.is_ascii_digit()));
        let mut told: Vec<Told> = days
            .into_iter()
            .filter_map(|day| {
                Some(Told {
                    day: date(day)?,
                    sure: whole && plain && words.len() <= 6 && !last_year,
                })
            })
            .collect();
        told.reverse();
        return told;
    }
    let day = if words.contains(&"meta") {
        15
    } else if words.contains(&"fine") {
        date(1).map_or(28, Date::days_in_month)
    } else {
        1
    };
    date(day).map(unsure).into_iter().collect()
}

/// '12.3.25', '12/03', '03/2025', 'nel 2024'.
fn in_figures(words: &[&str], today: Date) -> Vec<Told> {
    let figures: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| word.bytes().all(|sign| sign.is_ascii_digit()))
        .collect();
    let small = |word: &str| word.parse::<i8>().ok();
    let of = |year: i16, month: i8, day: i8| Date::new(year, month, day).ok().map(unsure);
    // 'Due mesi fa' and '3 volte' have a figure too.
    let only = figures.len() == words.len()
        || words
            .iter()
            .all(|word| figures.contains(word) || text::is_listed(AROUND, word));
    let found = match &*figures {
        [day, month, year] => year_of(year, today)
            .zip(small(month))
            .zip(small(day))
            .and_then(|(((year, _), month), day)| of(year, month, day)),
        [month, year] if year.len() == 4 => year_of(year, today)
            .zip(small(month))
            .and_then(|((year, _), month)| of(year, month, 1)),
        [day, month] if only => small(month)
            .zip(small(day))
            .and_then(|(month, day)| last(month, day, today))
            .map(unsure),
        [year] if year.len() == 4 => year_of(year, today).and_then(|(year, _)| of(year, 1, 1)),
        _ => None,
    };
    found.into_iter().collect()
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
