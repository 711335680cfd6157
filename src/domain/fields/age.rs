//! The age: a number of years that have been lived. It must never make an age of one that is still to come.

use super::{AGE_MAX, FieldError, is_dash};
use crate::domain::text;

/// Words that make another age of the number beside them.
const OTHER_AGE: &str = "non|neanche|nemmeno|neppure|mica|quasi|circa|meno|piu|oltre|sotto|sopra|under|over|minore|\
    maggiore|inferiore|superiore|almeno|massimo|minimo|entro|prima|verso|vicino|tra|fra|manca|mancano|presto|prossimo|\
    prossima|domani|dopodomani|compio|compiro|compiere|compierne|compira|faccio|faro|avro|divento|diventero|mese|mesi|\
    settimana|settimane|giorno|giorni";

/// When a birthday is; behind 'compiuti' it has been.
const BIRTHDAYS: &str = "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|\
    lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|primavera|estate|autunno|inverno|natale|pasqua";

/// The age in years: one whole number from 1 to 120, words around it accepted ("ho 34 anni") unless they make it an age
/// that is not reached ("quasi 18").
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
    if changes_the_number(before) || is_another_age(&answer) {
        return Err(FieldError::Malformed);
    }
    match number.parse::<u8>() {
        Ok(age @ 1..=AGE_MAX) => Ok(age),
        _ => Err(FieldError::Malformed),
    }
}

/// Whether what stands before the digits makes them negative or the tail of a decimal ("-5", "− 5", ".5").
fn changes_the_number(before: &str) -> bool {
    before.trim_end().ends_with(is_dash) || before.ends_with(['.', ','])
}

fn is_another_age(answer: &str) -> bool {
    let folded = text::fold(answer);
    let mut words = folded.split(|character: char| !character.is_alphabetic());
    let lived = folded.contains("compiut");
    words.any(|word| {
        let is_in = |list: &str| list.split('|').any(|one| one == word);
        is_in(OTHER_AGE) || !lived && is_in(BIRTHDAYS)
    })
}
