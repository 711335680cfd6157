//! The age: years that have been lived, never those that are still to come.

use super::{ADULT_AGE, AGE_MAX, FieldError, is_dash};
use crate::domain::text;

/// Words that change the number beside them.
const OTHER_AGE: &str = "non|neanche|nemmeno|neppure|mica|quasi|circa|ca|meno|piu|oltre|sotto|sopra|under|over|minore|\
    maggiore|inferiore|superiore|almeno|massimo|minimo|entro|prima|verso|vicino|tra|fra|manca|mancano|presto|prossimo|\
    prossima|domani|dopodomani|compio|compiro|compiere|compierne|compira|faccio|faro|avro|divento|diventero|mese|mesi|\
    settimana|settimane|giorno|giorni";

/// Months and days make a future age, unless 'compiuti' precedes them.
const BIRTHDAYS: &str = "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|\
    lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|primavera|estate|autunno|inverno|natale|pasqua";

/// The only words beside the age of majority: a doubt must not let a minor in.
const REACHED: &str = "si|e|ho|ne|io|gia|appena|fatto|fatti|compiuto|compiuti|compiuta|anni|enne|sono|maggiorenne|la|mia|eta|di|a|da|poco";

/// One whole number from 1 to 120. Words around it are accepted ("ho 34 anni") unless they change it ("quasi 18").
pub fn parse_age(raw: &str) -> Result<u8, FieldError> {
    let answer = text::clean(raw);
    let is_digit = |character: char| character.is_ascii_digit();
    if answer
        .chars()
        .any(|character| character.is_numeric() && !is_digit(character))
    {
        return Err(FieldError::Malformed);
    }
    let mut numbers = answer
        .split(|character| !is_digit(character))
        .filter(|number| !number.is_empty());
    let (Some(number), None) = (numbers.next(), numbers.next()) else {
        return Err(FieldError::Malformed);
    };
    let before = answer.split(is_digit).next().unwrap_or_default();
    match number.parse::<u8>() {
        Ok(age @ 1..=AGE_MAX)
            if !changes_the_number(before) && !is_another_age(&answer, number, age) =>
        {
            Ok(age)
        }
        _ => Err(FieldError::Malformed),
    }
}

/// A negative number, or the tail of a decimal ("-5", "− 5", ".5").
fn changes_the_number(before: &str) -> bool {
    before.trim_end().ends_with(is_dash) || before.ends_with(['.', ','])
}

/// Behind any other age than that of majority, loose words are about something else.
fn is_another_age(answer: &str, number: &str, age: u8) -> bool {
    let folded = text::fold(answer);
    let (before, after) = folded.split_once(number).unwrap_or((&folded, ""));
    let loosely = |said: &str| said.replace("piu o meno", "").replace(" e non ", " ");
    let said = if age == ADULT_AGE {
        format!("{before} {after}")
    } else {
        format!("{before} {}", loosely(after))
    };
    let lived = said.contains("compiut");
    let beside = said.split(|character: char| !character.is_alphabetic());
    let mut words = beside.filter(|word| !word.is_empty());
    answer.contains(['<', '>', '~', '≈', '≤', '≥', '±'])
        || age == ADULT_AGE && said.contains(|sign: char| !is_plain(sign))
        || words.any(|word| {
            let birthday = text::is_listed(BIRTHDAYS, word);
            word.starts_with("minorenn")
                || text::is_listed(OTHER_AGE, word)
                || birthday && !lived
                || age == ADULT_AGE && !birthday && !text::is_listed(REACHED, word)
        })
}

/// Letters, blanks and plain punctuation.
fn is_plain(character: char) -> bool {
    character.is_alphabetic() || character.is_whitespace() || ".,:;!'’".contains(character)
}
