//! The age among the words of an answer. It must never guess: where a number could be read in two ways, it is refused.

use std::ops::RangeInclusive;

use super::{FieldError, is_dash};
use crate::domain::text;

/// Ages that a person can have, in years (`PRODUCT.md §3`).
pub const AGE_RANGE: RangeInclusive<u8> = 1..=120;
/// Age of majority in Italy, in years: below it nothing is collected.
pub const ADULT_AGE: u8 = 18;
/// The age in years: one whole number from 1 to 120, words around it accepted ("ho 34 anni").
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
    if changes_the_number(before) {
        return Err(FieldError::Malformed);
    }
    match number.parse::<u8>() {
        Ok(age) if AGE_RANGE.contains(&age) => Ok(age),
        _ => Err(FieldError::Malformed),
    }
}

/// Whether what stands before the digits makes them negative or the tail of a decimal ("-5", "− 5", ".5", "meno 5").
fn changes_the_number(before: &str) -> bool {
    let signed = before.trim_end().ends_with(is_dash);
    let fraction = before.ends_with(['.', ',']);
    let minus = text::lower(before).split_whitespace().next_back() == Some("meno");
    signed || fraction || minus
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ages_that_are_understood() {
        for (raw, age) in [
            ("34", 34),
            (" 34 ", 34),
            ("ho 34 anni", 34),
            ("Ho 34 anni.", 34),
            ("34.", 34),
            ("34anni", 34),
            ("età: 34", 34),
            ("+34", 34),
            ("017", 17),
            ("1", 1),
            ("120", 120),
            ("18 (quasi diciannove)", 18),
            ("auto-dichiaro 40 anni", 40),
        ] {
            assert_eq!(parse_age(raw), Ok(age), "{raw:?}");
        }
    }

    #[test]
    fn ages_that_are_refused() {
        for raw in [
            "",
            "   ",
            "trentaquattro",
            "0",
            "121",
            "999999999999999999999",
            "34.5",
            "34,5",
            ".5",
            "1.000",
            "-34",
            "- 34",
            "\u{2212}34",
            "ho -34 anni",
            "meno 34",
            "34 o 35",
            "34 35",
            "3/4",
            "1e2",
            "34½",
            "３４",
            "٣٤",
            "34²",
            "\u{0}",
        ] {
            assert_eq!(parse_age(raw), Err(FieldError::Malformed), "{raw:?}");
        }
    }

    proptest! {
        #[test]
        fn one_number_in_words_is_its_value(age in 1_u8..=120, before in "[a-zèà ]{0,20}", after in "[a-zèà ]{0,20}") {
            prop_assume!(!before.trim_end().ends_with("meno"));
            prop_assert_eq!(parse_age(&format!("{before}{age}{after}")), Ok(age));
        }
    }
}
