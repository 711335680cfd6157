//! An answer as words, numbers and dates, in the order in which they were said.

use jiff::civil::Date;

use super::is_dash;
use super::numerals::{near_numeral, numeral};
use crate::domain::text::{self, is_listed};

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Folded.
    Word(String),
    Number(Number),
    /// A day, or a month of a year (day 0).
    Birth(i16, i8, i8),
    /// Punctuation that ends a clause.
    Stop,
    /// Two figures with a mark between them ('34,5', '3/4'), or a number that is none ('-5').
    Odd,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub value: u32,
    /// 0 for a number in words.
    pub figures: usize,
    /// Of a word like 'sessantina'.
    pub around: bool,
    /// With an apostrophe before it, as years have.
    pub year: bool,
}

impl Number {
    fn spelled(value: u8) -> Self {
        Self {
            value: value.into(),
            figures: 0,
            around: false,
            year: false,
        }
    }
}

pub(super) const MONTHS: &str =
    "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre";
pub(super) const YEARS_OF_LIFE: &str =
    "anni|anne|ani|ann|annos|annus|agn|anny|annni|ani'|primavere|enne|enni|y|yo";
const BETWEEN_DATES: &str = "di|del|dell|nel|dello|anno|il|l";
/// Units that mean other things too.
const UNCERTAIN: &str = "sei|uno";

/// Reads an answer, whose day is `today`.
pub(super) fn pieces(raw: &str, today: Date) -> Vec<Piece> {
    let scanned = scan(&text::fold(&in_figures(&text::clean(raw))));
    let figures = joined(&scanned, |rest| numeric_date(rest, today));
    let numbers = joined(&figures, spelled);
    let dates = joined(&numbers, |rest| spoken_date(rest, today));
    joined(&dates, tens_and_units)
}

/// Digits of other scripts, keycaps and full width as the usual ones.
fn in_figures(raw: &str) -> String {
    let zeros = [
        '\u{FF10}',
        '\u{660}',
        '\u{6F0}',
        '\u{966}',
        '\u{1D7CE}',
        '\u{1D7D8}',
        '\u{1D7E2}',
        '\u{1D7EC}',
        '\u{1D7F6}',
    ];
    let figure = |sign: char| {
        let among =
            |zero: &char| (u32::from(*zero)..u32::from(*zero) + 10).contains(&u32::from(sign));
        let zero = zeros.iter().find(|zero| among(zero))?;
        char::from_digit(u32::from(sign) - u32::from(*zero), 10)
    };
    let kept = raw
        .chars()
        .filter(|sign| !matches!(sign, '\u{20E3}' | '\u{FE0F}'));
    kept.map(|sign| figure(sign).unwrap_or(sign)).collect()
}

/// Replaces what `join` reads at each place, with how many pieces that takes.
fn joined(pieces: &[Piece], join: impl Fn(&[Piece]) -> Option<(Piece, usize)>) -> Vec<Piece> {
    let (mut read, mut at) = (Vec::with_capacity(pieces.len()), 0);
    while let Some(piece) = pieces.get(at) {
        let (piece, taken) = join(&pieces[at..]).unwrap_or_else(|| (piece.clone(), 1));
        read.push(piece);
        at += taken;
    }
    read
}

fn scan(folded: &str) -> Vec<Piece> {
    let signs: Vec<char> = folded.chars().collect();
    let (mut read, mut at) = (Vec::new(), 0);
    while at < signs.len() {
        let (piece, end) = scan_one(&signs, at);
        read.extend(piece);
        at = end;
    }
    read
}

/// The piece that begins at a sign, if any, and where the next begins.
fn scan_one(signs: &[char], at: usize) -> (Option<Piece>, usize) {
    let end_of = |of: fn(&char) -> bool| {
        let more = signs[at..].iter().take_while(|sign| of(sign)).count();
        at + more
    };
    let near = |place: Option<usize>| place.and_then(|place| signs.get(place)).copied();
    let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
    let is_figure = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
    match signs[at] {
        sign if sign.is_ascii_digit() => {
            let end = end_of(|sign| sign.is_ascii_digit());
            let figures: String = signs[at..end].iter().collect();
            let number = Number {
                value: figures.parse().unwrap_or(u32::MAX),
                figures: figures.len(),
                around: false,
                year: before == Some('\''),
            };
            (Some(Piece::Number(number)), end)
        }
        sign if sign.is_alphabetic() => {
            let end = end_of(|sign| sign.is_alphabetic());
            (Some(Piece::Word(signs[at..end].iter().collect())), end)
        }
        sign if sign.is_numeric() => (Some(Piece::Odd), at + 1),
        '<' | '>' | '~' | '≈' | '≤' | '≥' | '±' => (Some(Piece::Odd), at + 1),
        '.' | ',' | '/' | '-' | ':' if is_figure(before) && is_figure(after) => {
            (Some(Piece::Word(signs[at].to_string())), at + 1)
        }
        '.' | ',' if is_figure(after) => (Some(Piece::Odd), at + 1),
        dash if is_dash(dash)
            && is_figure(near(Some(at + 1 + usize::from(after == Some(' ')))))
            && (before.is_none() || before == Some(' ') && after != Some(' ')) =>
        {
            (Some(Piece::Odd), at + 1)
        }
        dash if is_dash(dash) && before == Some(' ') && after == Some(' ') => {
            (Some(Piece::Stop), at + 1)
        }
        '+' if is_figure(after) && !is_figure(before) => (None, at + 1),
        '.' | ',' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '\n' | '"' | '«' | '»' | '…' => {
            (Some(Piece::Stop), at + 1)
        }
        sign @ ('+' | '%' | '€' | '$' | '°') => (Some(Piece::Word(sign.to_string())), at + 1),
        _ => (None, at + 1),
    }
}

fn word(piece: Option<&Piece>) -> Option<&str> {
    match piece {
        Some(Piece::Word(word)) => Some(word),
        _ => None,
    }
}

fn number(piece: Option<&Piece>) -> Option<Number> {
    match piece {
        Some(Piece::Number(number)) => Some(*number),
        _ => None,
    }
}

/// '3/5/1980', '1980-05-03', '03 05 1980', '03051980'; else what a mark between figures makes of them.
fn numeric_date(rest: &[Piece], today: Date) -> Option<(Piece, usize)> {
    let first = number(rest.first())?;
    if first.figures == 8 {
        let (day, month, year) = (
            first.value / 1_000_000,
            first.value / 10_000 % 100,
            first.value % 10_000,
        );
        return Some((birth(year, 4, month, day, today)?, 1));
    }
    let mark = |at: usize| word(rest.get(at)).filter(|mark| is_listed(".|/|-|,|:", mark));
    let Some(between) = mark(1) else {
        let (second, third) = (number(rest.get(1))?, number(rest.get(2))?);
        let year = if third.figures == 4 { 4 } else { return None };
        return Some((
            birth(third.value, year, second.value, first.value, today)?,
            3,
        ));
    };
    let second = number(rest.get(2))?;
    if mark(3) == Some(between)
        && let Some(third) = number(rest.get(4))
    {
        let (year, day) = if first.figures == 4 {
            (first, third)
        } else {
            (third, first)
        };
        let read = birth(year.value, year.figures, second.value, day.value, today);
        return Some((read.unwrap_or(Piece::Odd), 5));
    }
    match between {
        // '67/68' are two numbers, '3-4' are two figures.
        "/" if first.value > 31 => Some((rest[0].clone(), 1)),
        "-" => Some((rest[0].clone(), 2)),
        "/" | "," => Some((Piece::Odd, 3)),
        // '19:30'.
        ":" => Some((rest[1].clone(), 3)),
        _ if second.figures == 3 => Some((
            Piece::Number(Number {
                value: u32::MAX,
                ..first
            }),
            3,
        )),
        _ => Some((Piece::Odd, 3)),
    }
}

/// A day of birth; a year of two figures is the last such year.
fn birth(year: u32, figures: usize, month: u32, day: u32, today: Date) -> Option<Piece> {
    let year = full_year(year, figures, today)?;
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Date::new(year, month, day.max(1)).ok()?;
    Some(Piece::Birth(year, month, day))
}

/// A past year that has this many figures.
pub(super) fn full_year(year: u32, figures: usize, today: Date) -> Option<i16> {
    let (year, now) = (i16::try_from(year).ok()?, today.year());
    match figures {
        0 | 2 if year < 100 => {
            Some(year + now / 100 * 100 - if year > now % 100 { 100 } else { 0 })
        }
        0 | 4 => Some(year),
        _ => None,
    }
    .filter(|year| (now - 120..=now).contains(year))
}

/// A number in words, whole or in two parts; a year in words.
fn spelled(rest: &[Piece]) -> Option<(Piece, usize)> {
    let first = word(rest.first())?;
    if let Some((year, taken)) = year_in_words(rest) {
        let number = Number {
            value: year,
            figures: 4,
            around: false,
            year: true,
        };
        return Some((Piece::Number(number), taken));
    }
    let whole = numeral(first).filter(|_| !is_listed(UNCERTAIN, first) || is_counted(rest));
    if let Some(value) = whole {
        return Some((Piece::Number(Number::spelled(value)), 1));
    }
    if let Some(second) = word(rest.get(1))
        && first.len() > 1
        && let Some(value) = numeral(&format!("{first}{second}")).filter(|value| *value > 10)
    {
        return Some((Piece::Number(Number::spelled(value)), 2));
    }
    let ended = |ending: &str| numeral(first.strip_suffix(ending)?).filter(|value| *value > 10);
    if let Some(value) = ["ina", "ena"]
        .into_iter()
        .find_map(ended)
        .filter(|value| value % 10 == 0)
    {
        let number = Number {
            around: true,
            ..Number::spelled(value)
        };
        return Some((Piece::Number(number), 1));
    }
    let fused = ["anni", "enne", "enni", "anne"].into_iter().find_map(ended);
    let lived = word(rest.get(1)).is_some_and(|next| is_listed(YEARS_OF_LIFE, next));
    let elided = || near_numeral(&format!("{first}a")).filter(|_| lived);
    let value = fused.or_else(|| near_numeral(first)).or_else(elided);
    if let Some(value) = value {
        return Some((Piece::Number(Number::spelled(value)), 1));
    }
    // 'Ultrasettantenne'.
    let beyond = first.strip_prefix("ultra")?;
    let value = numeral(beyond.strip_suffix("enne").unwrap_or(beyond))?;
    Some((
        Piece::Number(Number {
            around: true,
            ..Number::spelled(value)
        }),
        1,
    ))
}

/// Whether 'sei' or 'uno' is a number: beside another, or before years.
fn is_counted(rest: &[Piece]) -> bool {
    match rest.get(1) {
        Some(Piece::Word(next)) => is_listed(YEARS_OF_LIFE, next) || numeral(next).is_some(),
        Some(Piece::Number(_)) => true,
        _ => false,
    }
}

/// 'millenovecentocinquantasette', 'mille novecento cinquantasette', 'duemilaquattro'.
fn year_in_words(rest: &[Piece]) -> Option<(u32, usize)> {
    let mut said = String::new();
    for taken in 1..=4 {
        said.push_str(word(rest.get(taken - 1))?);
        let behind = |prefix: &str, hundreds: u32| {
            let behind = said.strip_prefix(prefix)?;
            let year = if behind.is_empty() {
                0
            } else {
                numeral(behind)?.into()
            };
            Some(hundreds + year)
        };
        let year = behind("millenovecento", 1900)
            .or_else(|| behind("duemila", 2000))
            .or_else(|| behind("novecento", 1900));
        let goes_on = word(rest.get(taken)).is_some_and(|next| numeral(next).is_some());
        if let Some(year) = year.filter(|_| !goes_on) {
            return Some((year, taken));
        }
    }
    None
}

/// 'nove maggio 1957', '9 di maggio del 57', 'maggio 1957'; a day without a year is no number.
fn spoken_date(rest: &[Piece], today: Date) -> Option<(Piece, usize)> {
    let month_at = |at: usize| {
        let said = word(rest.get(at))?;
        let months = MONTHS
            .split('|')
            .position(|month| month == said || said.len() == 3 && month.starts_with(said));
        u32::try_from(months?).ok().map(|month| month + 1)
    };
    let first = number(rest.first())
        .map(|day| day.value)
        .filter(|day| *day <= 31);
    let first = first.or_else(|| (word(rest.first()) == Some("primo")).then_some(1));
    let (day, mut at) = match first {
        Some(day) if month_at(1).is_some() => (day, 1),
        Some(day) if word(rest.get(1)) == Some("di") => (day, 2),
        Some(_) => return None,
        None => (0, 0),
    };
    let month = month_at(at)?;
    at += 1;
    let without_year = at;
    while word(rest.get(at)).is_some_and(|word| is_listed(BETWEEN_DATES, word)) {
        at += 1;
    }
    let year =
        number(rest.get(at)).filter(|year| year.value > 31 || year.figures == 2 || year.year);
    let lived = word(rest.get(at + 1)).is_some_and(|next| is_listed(YEARS_OF_LIFE, next));
    let born = year
        .filter(|_| !lived)
        .and_then(|year| birth(year.value, year.figures, month, day, today));
    match born {
        Some(born) => Some((born, at + 1)),
        None if day > 0 => Some((rest[without_year - 1].clone(), without_year)),
        None => None,
    }
}

/// 'settanta due', 'settanta 2', 'trenta e quattro', 'cento venti': where nothing is counted by the second.
fn tens_and_units(rest: &[Piece]) -> Option<(Piece, usize)> {
    let tens = number(rest.first())?;
    let joint = usize::from(matches!(word(rest.get(1)), Some("e" | "ed")));
    let unit = number(rest.get(1 + joint))?;
    let fits = match tens.value {
        20..=90 if tens.value % 10 == 0 => unit.value < 10,
        100 => unit.value <= 20,
        _ => false,
    };
    let counts = match word(rest.get(2 + joint)) {
        Some(next) => !is_listed(YEARS_OF_LIFE, next) && !is_listed(BEHIND_AN_AGE, next),
        None => false,
    };
    let one = unit.value > 0 && unit.figures <= 2 && !unit.around && !tens.around;
    (fits && one && !counts).then(|| {
        let value = tens.value + unit.value;
        let joined = Number {
            value,
            figures: 0,
            around: false,
            year: false,
        };
        (Piece::Number(joined), 2 + joint)
    })
}

/// Words behind an age that belong to it.
pub(super) const BEHIND_AN_AGE: &str = "compiuti|compiute|compiuto|compiuta|suonati|suonate|appena|gia|tondi|passati|fatti|finiti|circa|ca|e|ed|ma|io|e'|\
    adesso|ora|oggi|mezzo|mezza|grazie|x|signora|signore|ok|si|abbondanti|precisi|esatti|giusti";
