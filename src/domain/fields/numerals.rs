//! Numbers in words, from one to a hundred and twenty, as they are written, elided, spoken in dialect or slipped by a letter.

use std::collections::HashMap;
use std::sync::LazyLock;

const UNITS: [&str; 9] = [
    "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove",
];
const TEENS: [&str; 10] = [
    "dieci",
    "undici",
    "dodici",
    "tredici",
    "quattordici",
    "quindici",
    "sedici",
    "diciassette",
    "diciotto",
    "diciannove",
];
const TENS: [&str; 8] = [
    "venti",
    "trenta",
    "quaranta",
    "cinquanta",
    "sessanta",
    "settanta",
    "ottanta",
    "novanta",
];
/// Short words of dialects, too far from their Italian ones.
const DIALECT: [(&str, u8); 9] = [
    ("vinti", 20),
    ("vinte", 20),
    ("vint", 20),
    ("trinta", 30),
    ("otanta", 80),
    ("dodis", 12),
    ("tredis", 13),
    ("sedis", 16),
    ("sidici", 16),
];
/// Words one letter away from a number, and other in meaning.
const OTHER_WORDS: [&str; 4] = ["trentino", "trentina", "trentini", "predici"];
/// Shorter numbers are too near to other words.
const SLIPS_FROM: usize = 7;
/// Letters from which a number may be wrong in two.
const TWO_SLIPS_FROM: usize = 10;
const GREATEST: u8 = 120;

static WHOLE: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    (1..=GREATEST)
        .map(|number| (spelled(number), number))
        .collect()
});

/// In words; `""` for 0.
pub(super) fn spelled(number: u8) -> String {
    let at = |list: &[&str], index: u8| list[usize::from(index)].to_owned();
    match number {
        0 => String::new(),
        1..10 => at(&UNITS, number - 1),
        10..20 => at(&TEENS, number - 10),
        20..100 => {
            let (tens, unit) = (at(&TENS, number / 10 - 2), spelled(number % 10));
            let elided = unit.starts_with(['u', 'o']);
            let tens = &tens[..tens.len() - usize::from(elided)];
            format!("{tens}{unit}")
        }
        _ => format!("cento{}", spelled(number - 100)),
    }
}

/// The number that a folded word is, also elided ('trent', 'quarantun').
pub(super) fn numeral(word: &str) -> Option<u8> {
    let elided = || {
        let whole = |vowel| WHOLE.get(&format!("{word}{vowel}")).copied();
        ['o', 'a', 'e', 'i']
            .into_iter()
            .find_map(whole)
            .filter(|number| *number > 10)
    };
    let dialect = || {
        DIALECT
            .iter()
            .find(|(one, _)| *one == word)
            .map(|(_, number)| *number)
    };
    WHOLE.get(word).copied().or_else(elided).or_else(dialect)
}

/// Whether a folded word is a number beyond ten: the smaller ones mean other things too.
pub fn is_numeral(word: &str) -> bool {
    numeral(word).is_some_and(|number| number > 10)
}

/// The one number from which a folded word differs by a slip or, where it is long, by two.
pub(super) fn near_numeral(word: &str) -> Option<u8> {
    if word.len() + 1 < SLIPS_FROM || OTHER_WORDS.contains(&word) {
        return None;
    }
    let most = 1 + usize::from(word.len() >= TWO_SLIPS_FROM);
    let long = WHOLE.iter().filter(|(whole, _)| whole.len() >= SLIPS_FROM);
    let mut near: Vec<(usize, u8)> = long
        .filter(|(whole, _)| whole.len().abs_diff(word.len()) <= most)
        .map(|(whole, number)| (distance(whole, word), *number))
        .filter(|(slips, _)| *slips <= most)
        .collect();
    near.sort_unstable();
    match near[..] {
        [(_, number)] => Some(number),
        [(one, number), (other, _), ..] if one < other => Some(number),
        _ => None,
    }
}

/// Letters to change, add or drop between two words.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, sign) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != sign);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
