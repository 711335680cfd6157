//! Italian numbers in words ('trecentoquarantacinque', 'duemila e cinquecento', 'una ventina'), as people write and dictate them.

use super::text;

const UNITS: [(&str, u64); 12] = [
    ("zero", 0),
    ("uno", 1),
    ("un", 1),
    ("una", 1),
    ("due", 2),
    ("tre", 3),
    ("quattro", 4),
    ("cinque", 5),
    ("sei", 6),
    ("sette", 7),
    ("otto", 8),
    ("nove", 9),
];

const TEENS: [(&str, u64); 10] = [
    ("dieci", 10),
    ("undici", 11),
    ("dodici", 12),
    ("tredici", 13),
    ("quattordici", 14),
    ("quindici", 15),
    ("sedici", 16),
    ("diciassette", 17),
    ("diciotto", 18),
    ("diciannove", 19),
];

/// Without the vowel that falls before 'uno' and 'otto'.
const TENS: [(&str, &str, u64); 8] = [
    ("vent", "i", 20),
    ("trent", "a", 30),
    ("quarant", "a", 40),
    ("cinquant", "a", 50),
    ("sessant", "a", 60),
    ("settant", "a", 70),
    ("ottant", "a", 80),
    ("novant", "a", 90),
];

/// Numbers of things, more or less.
const ABOUT: [(&str, u64); 16] = [
    ("paio", 2),
    ("decina", 10),
    ("dozzina", 12),
    ("quindicina", 15),
    ("ventina", 20),
    ("trentina", 30),
    ("quarantina", 40),
    ("cinquantina", 50),
    ("sessantina", 60),
    ("settantina", 70),
    ("ottantina", 80),
    ("novantina", 90),
    ("centinaio", 100),
    ("centinaia", 100),
    ("migliaio", 1_000),
    ("migliaia", 1_000),
];

/// Words that multiply what stands before them, alone or behind it.
const SCALES: [(&str, u64); 4] = [
    ("mila", 1_000),
    ("mille", 1_000),
    ("milione", 1_000_000),
    ("milioni", 1_000_000),
];

fn listed(list: &[(&str, u64)], word: &str) -> Option<u64> {
    list.iter()
        .find(|(one, _)| *one == word)
        .map(|(_, value)| *value)
}

/// The value of one folded word below a million; `None` for any other word.
pub fn value(word: &str) -> Option<u64> {
    if word == "mille" {
        return Some(1_000);
    }
    if let Some(rest) = word.strip_prefix("mille") {
        return Some(1_000 + below_thousand(rest)?);
    }
    if let Some((thousands, rest)) = word.split_once("mila") {
        let rest = if rest.is_empty() {
            0
        } else {
            below_thousand(rest)?
        };
        return Some(1_000 * below_thousand(thousands)? + rest);
    }
    below_thousand(word)
}

fn below_thousand(word: &str) -> Option<u64> {
    let Some(at) = word.find("cent") else {
        return below_hundred(word);
    };
    let hundreds = match &word[..at] {
        "" => 1,
        unit => listed(&UNITS, unit).filter(|unit| *unit > 1)?,
    };
    let rest = &word[at + "cent".len()..];
    let rest = match rest.strip_prefix('o') {
        Some("") => 0,
        // 'Centotto' lacks an o.
        Some(behind) => below_hundred(behind).or_else(|| below_hundred(rest))?,
        None => below_hundred(rest)?,
    };
    Some(100 * hundreds + rest)
}

fn below_hundred(word: &str) -> Option<u64> {
    if let Some(value) = listed(&UNITS, word).or_else(|| listed(&TEENS, word)) {
        return Some(value);
    }
    let (rest, vowel, tens) = TENS
        .iter()
        .find_map(|(stem, vowel, tens)| Some((word.strip_prefix(stem)?, *vowel, *tens)))?;
    match rest.strip_prefix(vowel) {
        Some("") => Some(tens),
        Some(unit) => listed(&UNITS, unit).map(|unit| tens + unit),
        // 'Trent'anni', 'trentuno', 'trentotto'.
        None if rest.is_empty() => Some(tens),
        None => listed(&UNITS, rest)
            .filter(|unit| matches!(unit, 1 | 8))
            .map(|unit| tens + unit),
    }
}

/// The one number that consecutive folded words say, in words or figures ('due mila', '2 milioni', 'mille e cinquecento',
/// 'un centinaio'); `None` where they are not one number.
pub fn spoken(words: &[&str]) -> Option<u64> {
    let (mut total, mut current) = (0_u64, None::<u64>);
    for word in words.iter().filter(|word| !text::is_listed("e|di", word)) {
        if let Some(scale) =
            listed(&SCALES, word).filter(|scale| current.is_some() || *scale < 1_000_000)
            && (current.is_none() || *word != "mille")
        {
            total = total.checked_add(current.take().unwrap_or(1).checked_mul(scale)?)?;
        } else if let Some(about) = listed(&ABOUT, word) {
            current = Some(current.unwrap_or(1).checked_mul(about)?);
        } else {
            let value = value(word)
                .or_else(|| word.parse().ok().filter(|value: &u64| *value < 1_000_000))?;
            current = Some(match current {
                None => value,
                // 'Tre cento', 'trecento venti', 'venti due'.
                Some(before) if value == 100 && (2..10).contains(&before) => 100 * before,
                Some(before)
                    if before > 0
                        && (before % 100 == 0 && value < 100
                            || before % 1_000 == 0 && value < 1_000) =>
                {
                    before + value
                }
                Some(before)
                    if before % 10 == 0
                        && (20..100).contains(&(before % 100))
                        && (1..10).contains(&value) =>
                {
                    before + value
                }
                Some(_) => return None,
            });
        }
    }
    let said = !words.is_empty() && (current.is_some() || total > 0);
    said.then(|| total.checked_add(current.unwrap_or_default()))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_their_numbers() {
        for (word, expected) in [
            ("zero", Some(0)),
            ("tre", Some(3)),
            ("diciassette", Some(17)),
            ("ventuno", Some(21)),
            ("trentotto", Some(38)),
            ("trentaotto", Some(38)),
            ("sessantatre", Some(63)),
            ("cinquantun", Some(51)),
            ("cento", Some(100)),
            ("centotto", Some(108)),
            ("centootto", Some(108)),
            ("centoventi", Some(120)),
            ("trecentoquarantacinque", Some(345)),
            ("novecentonovantanove", Some(999)),
            ("mille", Some(1_000)),
            ("millecinquecento", Some(1_500)),
            ("duemilaventisei", Some(2_026)),
            ("trecentomila", Some(300_000)),
            ("trentadieci", None),
            ("unocento", None),
            ("seimilione", None),
            ("casa", None),
            ("", None),
        ] {
            assert_eq!(value(word), expected, "{word}");
        }
    }

    #[test]
    fn some_words_are_one_number() {
        for (words, expected) in [
            ("trecento", Some(300)),
            ("tre cento", Some(300)),
            ("due mila", Some(2_000)),
            ("2 mila", Some(2_000)),
            ("mille e cinquecento", Some(1_500)),
            ("mille cinquecento", Some(1_500)),
            ("duemila e cinquecento", Some(2_500)),
            ("un milione", Some(1_000_000)),
            ("3 milioni e duecento mila", Some(3_200_000)),
            ("un centinaio", Some(100)),
            ("una ventina", Some(20)),
            ("due dozzine", None),
            ("un paio", Some(2)),
            ("cento venti tre", Some(123)),
            ("300", Some(300)),
            ("tre quattro", None),
            ("venti trenta", None),
            ("milione", None),
            ("e", None),
            ("", None),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(spoken(&words), expected, "{words:?}");
        }
    }
}
