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
    /// Whether it comes from a word like 'sessantina'.
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
    let run = |of: fn(&char) -> bool| -> String {
        signs[at..].iter().take_while(|sign| of(sign)).collect()
    };
    let end = |run: &str| at + text::char_count(run);
    match signs[at] {
        sign if sign.is_ascii_digit() => {
            let figures = run(char::is_ascii_digit);
            let number = Number {
                value: figures.parse().unwrap_or(u32::MAX),
                figures: figures.len(),
                around: false,
                year: at > 0 && signs[at - 1] == '\'',
            };
            (Some(Piece::Number(number)), end(&figures))
        }
        sign if sign.is_alphabetic() => {
            let word = run(|sign| sign.is_alphabetic());
            let end = end(&word);
            (Some(Piece::Word(word)), end)
        }
        _ => (mark(signs, at), at + 1),
    }
}

/// The meaning of a sign that is neither figure nor letter.
fn mark(signs: &[char], at: usize) -> Option<Piece> {
    let near = |place: Option<usize>| place.and_then(|place| signs.get(place)).copied();
    let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
    let is_figure = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
    match signs[at] {
        sign if sign.is_numeric() => Some(Piece::Odd),
        '<' | '>' | '~' | '≈' | '≤' | '≥' | '±' => Some(Piece::Odd),
        '.' | ',' | '/' | '-' | ':' if is_figure(before) && is_figure(after) => {
            Some(Piece::Word(signs[at].to_string()))
        }
        '.' | ',' if is_figure(after) => Some(Piece::Odd),
        dash if is_dash(dash)
            && is_figure(near(Some(at + 1 + usize::from(after == Some(' ')))))
            && (before.is_none() || before == Some(' ') && after != Some(' ')) =>
        {
            Some(Piece::Odd)
        }
        dash if is_dash(dash) && before == Some(' ') && after == Some(' ') => Some(Piece::Stop),
        '+' if is_figure(after) && !is_figure(before) => None,
        '.' | ',' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '\n' | '"' | '«' | '»' | '…' => {
            Some(Piece::Stop)
        }
        sign @ ('+' | '%' | '€' | '$' | '°') => Some(Piece::Word(sign.to_string())),
        _ => None,
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
        let (day_and_month, year) = (first.value / 10_000, first.value % 10_000);
        let born = birth(year, 4, day_and_month % 100, day_and_month / 100, today)?;
        return Some((born, 1));
    }
    let mark = |at: usize| word(rest.get(at)).filter(|mark| is_listed(".|/|-|,|:", mark));
    let Some(between) = mark(1) else {
        let (second, third) = (number(rest.get(1))?, number(rest.get(2))?);
        let whole = third.figures == 4;
        let born = || birth(third.value, 4, second.value, first.value, today);
        return Some((whole.then(born)??, 3));
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
    Some(marked(between, first, second))
}

/// The meaning of two numbers with a mark between them, and the number of pieces that it takes.
fn marked(between: &str, first: Number, second: Number) -> (Piece, usize) {
    match between {
        // '67/68' are two numbers, '3-4' are two figures.
        "/" if first.value > 31 => (Piece::Number(first), 1),
        "-" => (Piece::Number(first), 2),
        // '19:30'.
        ":" => (Piece::Word(between.to_owned()), 3),
        "." if second.figures == 3 => {
            let value = u32::MAX;
            (Piece::Number(Number { value, ..first }), 3)
        }
        _ => (Piece::Odd, 3),
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

/// A year or a number in words, whole or in two parts.
fn spelled(rest: &[Piece]) -> Option<(Piece, usize)> {
    let first = word(rest.first())?;
    let (number, taken) = year_in_words(rest)
        .or_else(|| Some((whole_number(first, rest)?, 1)))
        .or_else(|| Some((parted_number(first, rest)?, 2)))
        .or_else(|| Some((rough_number(first)?, 1)))
        .or_else(|| Some((slipped_number(first, rest)?, 1)))?;
    Some((Piece::Number(number), taken))
}

fn whole_number(first: &str, rest: &[Piece]) -> Option<Number> {
    let value = numeral(first).filter(|_| !is_listed(UNCERTAIN, first) || is_counted(rest));
    value.map(Number::spelled)
}

/// 'Sessanta sette'.
fn parted_number(first: &str, rest: &[Piece]) -> Option<Number> {
    let second = word(rest.get(1)).filter(|_| first.len() > 1)?;
    let value = numeral(&format!("{first}{second}")).filter(|value| *value > 10);
    value.map(Number::spelled)
}

/// 'Sessantina', 'ultrasettantenne'.
fn rough_number(first: &str) -> Option<Number> {
    let tens = ["ina", "ena"]
        .into_iter()
        .find_map(|ending| numeral(first.strip_suffix(ending)?))
        .filter(|value| *value > 10 && value % 10 == 0);
    let beyond = || {
        let beyond = first.strip_prefix("ultra")?;
        numeral(beyond.strip_suffix("enne").unwrap_or(beyond))
    };
    let value = tens.or_else(beyond)?;
    Some(Number {
        around: true,
        ..Number::spelled(value)
    })
}

/// With the years behind it ('sessantenne'), or with a slip.
fn slipped_number(first: &str, rest: &[Piece]) -> Option<Number> {
    let fused = ["anni", "enne", "enni", "anne"]
        .into_iter()
        .find_map(|ending| numeral(first.strip_suffix(ending)?).filter(|value| *value > 10));
    let lived = word(rest.get(1)).is_some_and(|next| is_listed(YEARS_OF_LIFE, next));
    let elided = || near_numeral(&format!("{first}a")).filter(|_| lived);
    let value = fused.or_else(|| near_numeral(first)).or_else(elided);
    value.map(Number::spelled)
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
fn year_in_words(rest: &[Piece]) -> Option<(Number, usize)> {
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
        if let Some(value) = year.filter(|_| !goes_on) {
            let year = Number {
                value,
                figures: 4,
                around: false,
                year: true,
            };
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
