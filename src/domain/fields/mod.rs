//! Parsers for the answers to the chat's questions (`PRODUCT.md §2`). Each cleans what was typed and returns the value
//! to store.

mod age;
mod email;
mod numerals;
mod phone;
mod said;

pub use age::{AgeReading, read_age, told_age};
pub use email::{ascii_email, find_emails, is_mailbox, parse_email, slip_of};
pub use numerals::is_numeral;
pub use phone::{
    find_phones, parse_any_phone, parse_phone, phone_digits, shown_phone, taken_phone,
};

use std::ops::RangeInclusive;

use super::text;

pub const AGE_MAX: u8 = 120;
/// Age of majority in Italy: nothing is collected from minors.
pub const ADULT_AGE: u8 = 18;
pub const NAME_MAX: usize = 100;
pub const ADDRESS_MAX: usize = 300;
pub const REPORT_MAX: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldError {
    /// The section's `invalid` or `tooShort` text answers.
    Malformed,
    /// With the Italian sentence for the reporter.
    TooLong(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimum {
    pub chars: usize,
    pub words: usize,
}

pub fn parse_name(raw: &str) -> Result<String, FieldError> {
    person(raw, "Il nome")
}

pub fn parse_surname(raw: &str) -> Result<String, FieldError> {
    person(raw, "Il cognome")
}

/// A digit in a name is an age, a house number or a slip.
fn person(raw: &str, what: &str) -> Result<String, FieldError> {
    let name = text::clean_line(raw);
    if name.contains(char::is_numeric) {
        return Err(FieldError::Malformed);
    }
    bounded(name, what, 2..=NAME_MAX)
}

pub fn parse_address(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean(raw), "L'indirizzo", 10..=ADDRESS_MAX)
}

pub fn parse_report(raw: &str, minimum: Minimum) -> Result<String, FieldError> {
    let length = minimum.chars..=REPORT_MAX;
    let account = bounded(text::clean(raw), "Il racconto", length)?;
    if text::word_count(&account) < minimum.words {
        return Err(FieldError::Malformed);
    }
    Ok(account)
}

pub fn parse_addition(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean(raw), "Il testo aggiuntivo", 1..=REPORT_MAX)
}

/// How many telephone numbers and e-mail addresses are written in a text.
pub fn contacts_in(raw: &str) -> usize {
    let (emails, rest) = email::written_emails(raw);
    emails.len() + find_phones(&rest).len()
}

/// The first of `words` (in [`text::lower`] case) in the text, also inside a longer word.
pub fn first_of<'a>(raw: &str, words: &'a [String]) -> Option<&'a str> {
    let haystack = text::lower(&text::clean(raw));
    let found = words
        .iter()
        .filter_map(|word| Some((haystack.find(word.as_str())?, word)));
    found.min().map(|(_, word)| word.as_str())
}

/// In characters; invisible text counts as none. `what` is the subject of the refusal, with its article.
fn bounded(value: String, what: &str, range: RangeInclusive<usize>) -> Result<String, FieldError> {
    let (length, max) = (text::char_count(&value), *range.end());
    if length > max {
        let (max, length) = (grouped(max), grouped(length));
        return Err(FieldError::TooLong(format!(
            "{what} supera il limite: al massimo {max} caratteri, ne hai scritti {length}. Accorcia il testo e invialo di nuovo."
        )));
    }
    if !range.contains(&length) || text::is_blank(&value) {
        return Err(FieldError::Malformed);
    }
    Ok(value)
}

/// Keyboards and copied text bring other dashes than the hyphen.
fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}

/// With Italian thousands separators.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups
        .map(String::from_utf8_lossy)
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINIMUM: Minimum = Minimum {
        chars: 70,
        words: 10,
    };

    #[test]
    fn names_are_cleaned_and_bounded() {
        assert_eq!(parse_name(" Li "), Ok("Li".to_owned()));
        assert_eq!(parse_name("Anna \n  Maria"), Ok("Anna Maria".to_owned()));
        assert_eq!(parse_surname("D\u{202E}'Àngelo"), Ok("D'Àngelo".to_owned()));
        for raw in [
            "",
            " ",
            "A",
            " A ",
            "e\u{301}",
            "\u{200D}\u{200D}\u{200D}",
            "Mario Rossi 3",
            "M4rio",
            "34",
        ] {
            assert_eq!(parse_name(raw), Err(FieldError::Malformed), "{raw:?}");
            assert_eq!(parse_surname(raw), Err(FieldError::Malformed), "{raw:?}");
        }
        assert!(parse_name(&"è".repeat(100)).is_ok());
        let Err(FieldError::TooLong(refusal)) = parse_surname(&"è".repeat(101)) else {
            unreachable!("101 characters must be refused as too long");
        };
        assert_eq!(
            refusal,
            "Il cognome supera il limite: al massimo 100 caratteri, ne hai scritti 101. \
             Accorcia il testo e invialo di nuovo."
        );
    }

    #[test]
    fn addresses_have_ten_to_three_hundred_characters() {
        assert_eq!(parse_address(" Via Roma 1 "), Ok("Via Roma 1".to_owned()));
        assert_eq!(parse_address("Via Roma1"), Err(FieldError::Malformed));
        assert_eq!(
            parse_address("         a          "),
            Err(FieldError::Malformed)
        );
        assert!(parse_address(&"x".repeat(300)).is_ok());
        assert!(matches!(
            parse_address(&"x".repeat(301)),
            Err(FieldError::TooLong(_))
        ));
    }

    #[test]
    fn accounts_need_characters_and_words() {
        let ten_words_70 = "parola ".repeat(9) + "perché!";
        assert_eq!(text::char_count(&ten_words_70), 70);
        assert_eq!(
            parse_report(&ten_words_70, MINIMUM),
            Ok(ten_words_70.clone())
        );
        let ten_words_69 = &ten_words_70[..ten_words_70.len() - 1];
        assert_eq!(
            parse_report(ten_words_69, MINIMUM),
            Err(FieldError::Malformed)
        );
        let nine_words = "parolona ".repeat(9);
        assert!(text::char_count(&nine_words) > 70);
        assert_eq!(
            parse_report(&nine_words, MINIMUM),
            Err(FieldError::Malformed)
        );
        let nothing = Minimum { chars: 0, words: 0 };
        assert_eq!(parse_report("  ", nothing), Err(FieldError::Malformed));
        assert!(parse_report(&"è ".repeat(10_000), MINIMUM).is_ok());
        let Err(FieldError::TooLong(refusal)) = parse_report(&"è".repeat(20_001), MINIMUM) else {
            unreachable!("20,001 characters must be refused as too long");
        };
        assert!(refusal.contains("al massimo 20.000 caratteri"));
        assert!(refusal.contains("20.001"));
    }

    #[test]
    fn additions_are_anything_visible_within_bounds() {
        assert_eq!(parse_addition(" x "), Ok("x".to_owned()));
        assert_eq!(parse_addition(" \u{200B}\n"), Err(FieldError::Malformed));
        assert!(parse_addition(&"x".repeat(20_000)).is_ok());
        assert!(parse_addition(&"x".repeat(20_001)).is_err());
    }

    #[test]
    fn forbidden_words_are_found_whatever_the_case_and_form() {
        let words = vec!["avvocato".to_owned(), "perché".to_owned()];
        for raw in [
            "AVVOCATO",
            "il mio avvocatone",
            "PERCHE\u{301}",
            "avvo\u{200B}cato",
        ] {
            assert!(first_of(raw, &words).is_some(), "{raw:?}");
        }
        assert_eq!(first_of("Perché un avvocato?", &words), Some("perché"));
        assert_eq!(first_of("perche", &words), None);
        assert_eq!(first_of("avvocato", &[]), None);
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.000"),
            (20_000, "20.000"),
            (1_234_567, "1.234.567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }

    proptest! {
        #[test]
        fn an_accepted_value_is_accepted_again_unchanged(raw in any::<String>()) {
            for parse in [parse_name, parse_surname, parse_phone, parse_any_phone, parse_email, parse_address, parse_addition] {
                if let Ok(value) = parse(&raw) {
                    prop_assert_eq!(parse(&value), Ok(value.clone()));
                }
            }
        }
    }
}
