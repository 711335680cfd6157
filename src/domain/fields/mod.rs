//! What counts as an answer to each question of the chat. Every parser takes what the person typed, cleans it and
//! gives the value that is stored. It must never decide what the chat says next: it only tells why not.

mod age;
mod contact;

pub use age::{ADULT_AGE, AGE_RANGE, parse_age};
pub use contact::{is_mailbox, parse_email, parse_phone, phone_digits};

use std::fmt;

use super::text;

/// Shortest name and surname, in characters.
pub const NAME_MIN: usize = 2;
/// Longest name and surname, in characters.
pub const NAME_MAX: usize = 100;
/// Shortest postal address, in characters.
pub const ADDRESS_MIN: usize = 10;
/// Longest postal address, in characters.
pub const ADDRESS_MAX: usize = 300;
/// Longest account, and longest additional text, in characters.
pub const REPORT_MAX: usize = 20_000;
/// Why an answer is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldError {
    /// It is not what was asked, or less than it: the section's `invalid` or `tooShort` text answers.
    Malformed,
    /// It is longer than can be stored.
    TooLong(TooLong),
}

/// An answer beyond its upper bound. `Display` is the Italian sentence for the person who typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The subject of the sentence, with its article.
    what: &'static str,
    /// Upper bound, in characters.
    pub max: usize,
    /// What was typed, in characters.
    pub length: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, max, length } = self;
        write!(
            formatter,
            "{what} supera il limite: al massimo {} caratteri, ne hai scritti {}. Accorcia il testo e invialo di nuovo.",
            grouped(*max),
            grouped(*length),
        )
    }
}

/// The smallest account that is worth reading, from the security settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimum {
    /// At least so many characters.
    pub chars: usize,
    /// At least so many words.
    pub words: usize,
}

/// The first name.
pub fn parse_name(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean_line(raw), "Il nome", NAME_MIN, NAME_MAX)
}

/// The surname.
pub fn parse_surname(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean_line(raw), "Il cognome", NAME_MIN, NAME_MAX)
}

/// The postal address.
pub fn parse_address(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean(raw), "L'indirizzo", ADDRESS_MIN, ADDRESS_MAX)
}

/// The account of what happened.
pub fn parse_report(raw: &str, minimum: Minimum) -> Result<String, FieldError> {
    let account = bounded(
        text::clean(raw),
        "Il racconto",
        minimum.chars.max(1),
        REPORT_MAX,
    )?;
    if text::word_count(&account) < minimum.words {
        return Err(FieldError::Malformed);
    }
    Ok(account)
}

/// What is added to the account at the end.
pub fn parse_addition(raw: &str) -> Result<String, FieldError> {
    bounded(text::clean(raw), "Il testo aggiuntivo", 1, REPORT_MAX)
}

/// Whether the text holds one of `words` (already in [`text::lower`] case) anywhere, also inside a longer word.
pub fn contains_any(raw: &str, words: &[String]) -> bool {
    let haystack = text::lower(&text::clean(raw));
    words.iter().any(|word| haystack.contains(word.as_str()))
}

/// Checks the length of a cleaned value, in characters. Nothing visible counts as nothing at all.
fn bounded(
    value: String,
    what: &'static str,
    min: usize,
    max: usize,
) -> Result<String, FieldError> {
    let length = text::char_count(&value);
    if length > max {
        return Err(FieldError::TooLong(TooLong { what, max, length }));
    }
    if length < min || text::is_blank(&value) {
        return Err(FieldError::Malformed);
    }
    Ok(value)
}

/// The hyphen and its typographic relatives, which keyboards and copied text bring along.
fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}

/// The number with Italian thousands separators.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    grouped
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
        for raw in ["", " ", "A", " A ", "e\u{301}", "\u{200D}\u{200D}\u{200D}"] {
            assert_eq!(parse_name(raw), Err(FieldError::Malformed), "{raw:?}");
            assert_eq!(parse_surname(raw), Err(FieldError::Malformed), "{raw:?}");
        }
        assert!(parse_name(&"è".repeat(100)).is_ok());
        let Err(FieldError::TooLong(refusal)) = parse_surname(&"è".repeat(101)) else {
            unreachable!("101 characters must be refused as too long");
        };
        assert_eq!(
            refusal.to_string(),
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
            Err(FieldError::TooLong(TooLong {
                max: 300,
                length: 301,
                ..
            }))
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
        assert!(refusal.to_string().contains("al massimo 20.000 caratteri"));
        assert!(refusal.to_string().contains("20.001"));
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
            assert!(contains_any(raw, &words), "{raw:?}");
        }
        assert!(!contains_any("perche", &words));
        assert!(!contains_any("avvocato", &[]));
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
            for parse in [parse_name, parse_surname, parse_phone, parse_email, parse_address, parse_addition] {
                if let Ok(value) = parse(&raw) {
                    prop_assert_eq!(parse(&value), Ok(value.clone()));
                }
            }
        }

    }
}
