//! The form of phone numbers and e-mail addresses. Whether they reach a person is not checked.

use std::ops::RangeInclusive;

use super::{FieldError, bounded, is_dash};
use crate::domain::text;

/// In characters: a forward path has 256 octets, two of them brackets (RFC 5321 §4.5.3.1.3).
const EMAIL_MAX: usize = 254;
const PHONE_DIGITS: usize = 10;
/// The leading zero included.
const LANDLINE_DIGITS: RangeInclusive<usize> = 6..=11;
/// Country code included (ITU-T E.164 has at most 15).
const FOREIGN_DIGITS: RangeInclusive<usize> = 7..=15;

/// Ten digits, without separators and Italian prefix.
pub fn parse_phone(raw: &str) -> Result<String, FieldError> {
    let digits = phone_digits(raw).ok_or(FieldError::Malformed)?;
    // Many write the prefix without its plus.
    let digits = match digits.strip_prefix("39") {
        Some(mobile) if mobile.len() == PHONE_DIGITS => mobile.to_owned(),
        _ => digits,
    };
    if digits.len() == PHONE_DIGITS && digits.starts_with('3') {
        Ok(digits)
    } else {
        Err(FieldError::Malformed)
    }
}

/// Also landlines and foreign numbers, in international form; an Italian mobile stays ten digits.
pub fn parse_any_phone(raw: &str) -> Result<String, FieldError> {
    let number = phone_digits(raw).ok_or(FieldError::Malformed)?;
    match number.strip_prefix('+') {
        Some(foreign) if FOREIGN_DIGITS.contains(&foreign.len()) => Ok(number),
        None if LANDLINE_DIGITS.contains(&number.len()) && number.starts_with('0') => {
            Ok(format!("+39{number}"))
        }
        _ => parse_phone(raw),
    }
}

/// A number or a part of one as it is stored: without separators and Italian prefix, other prefixes behind a `+`. `None`
/// without digits, or with anything else.
pub fn phone_digits(raw: &str) -> Option<String> {
    let compact: String = text::clean(raw)
        .chars()
        .filter(|character| !is_phone_separator(*character))
        .collect();
    let prefixed = compact
        .strip_prefix('+')
        .or_else(|| compact.strip_prefix("00"));
    let (plus, digits) = match prefixed.map(|number| number.strip_prefix("39").ok_or(number)) {
        None => ("", compact.as_str()),
        Some(Ok(italian)) => ("", italian),
        Some(Err(foreign)) => ("+", foreign),
    };
    let only_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| format!("{plus}{digits}"))
}

/// As typed, trimmed: no spaces, one @, a dotted domain.
pub fn parse_email(raw: &str) -> Result<String, FieldError> {
    let address = text::clean(raw);
    let Some((local, domain)) = address.split_once('@') else {
        return Err(FieldError::Malformed);
    };
    let local_ok = !local.is_empty()
        && !local
            .chars()
            .any(|character| character.is_whitespace() || "()<>[]:;,\\\"".contains(character));
    let domain_ok = domain.contains('.') && domain.split('.').all(is_domain_label);
    if local_ok && domain_ok {
        bounded(address, "L'indirizzo email", 0..=EMAIL_MAX)
    } else {
        Err(FieldError::Malformed)
    }
}

/// An address that every mail server accepts: ASCII, a dot-atom (RFC 5321 §4.1.2). Reporters may write theirs in any script;
/// the newsroom's own must always work.
pub fn is_mailbox(address: &str) -> bool {
    let atom = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte))
    };
    let local = address.split('@').next().unwrap_or_default();
    local.len() <= 64
        && address.is_ascii()
        && local.split('.').all(atom)
        && parse_email(address).is_ok_and(|cleaned| cleaned == address)
}

fn is_phone_separator(character: char) -> bool {
    character.is_whitespace() || is_dash(character) || matches!(character, '.' | '(' | ')' | '/')
}

/// Letters of any script, digits, inner hyphens; at most 63 characters (RFC 1035 §2.3.4).
fn is_domain_label(label: &str) -> bool {
    !label.is_empty()
        && text::char_count(label) <= 63
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.chars().all(|character| {
            character.is_alphanumeric()
                || character == '-'
                || unicode_normalization::char::is_combining_mark(character)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_number_is_its_digits() {
        for (raw, digits) in [
            ("333 123", Some("333123")),
            ("+39333", Some("333")),
            ("0039 (333) 1-2.3", Some("333123")),
            ("4567", Some("4567")),
            ("+39", None),
            (" - ", None),
            ("+41 312", Some("+41312")),
            ("0041 312", Some("+41312")),
            ("333x", None),
            ("", None),
        ] {
            assert_eq!(phone_digits(raw).as_deref(), digits, "{raw}");
        }
    }

    #[test]
    fn phones_lose_separators_and_prefix() {
        for raw in [
            "3123456789",
            " 312 345 6789 ",
            "312.345.67.89",
            "312-345-6789",
            "(312) 3456789",
            "+39 312 3456789",
            "+393123456789",
            "0039 312 3456789",
            "39 312 345 6789",
            "312/3456789",
            "393123456789",
            "(+39) 312\u{2011}345\u{2013}6789",
            "\u{202A}+39 312\u{A0}345 6789\u{202C}",
        ] {
            assert_eq!(parse_phone(raw), Ok("3123456789".to_owned()), "{raw:?}");
        }
        assert_eq!(parse_phone("393 1234567"), Ok("3931234567".to_owned()));
    }

    #[test]
    fn phones_that_are_refused() {
        for raw in [
            "",
            "312345678",
            "31234567890",
            "2123456789",
            "0612345678",
            "390612345678",
            "+41 312 3456789",
            "+39+393123456789",
            "312345678a",
            "tel 3123456789",
            "３123456789",
            "3123456789 3123456789",
        ] {
            assert_eq!(parse_phone(raw), Err(FieldError::Malformed), "{raw:?}");
        }
    }

    #[test]
    fn other_phones_are_stored_in_international_form() {
        for (raw, kept) in [
            ("312 345 6789", Some("3123456789")),
            ("+39 312 3456789", Some("3123456789")),
            ("06 1234 5678", Some("+390612345678")),
            ("+39 06 12345678", Some("+390612345678")),
            ("0041 79 123 45 67", Some("+41791234567")),
            ("+1 (212) 555-0100", Some("+12125550100")),
            ("+3123456789", Some("+3123456789")),
            ("312345678", None),
            ("0612", None),
            ("+41 79", None),
            ("+1234567890123456", None),
            ("800 123456", None),
        ] {
            assert_eq!(parse_any_phone(raw).ok().as_deref(), kept, "{raw}");
        }
        assert_eq!(parse_phone("+3123456789"), Err(FieldError::Malformed));
    }

    #[test]
    fn emails_are_stored_as_typed() {
        for raw in [
            "mario@example.it",
            "Mario.Rossi+tag@Sub.Example.COM",
            "a@b.c",
            "o'neil@example.org",
            "perché@città.it",
            "x_y-z@ex-ample.co.uk",
        ] {
            assert_eq!(parse_email(&format!("  {raw}\n")), Ok(raw.to_owned()));
        }
    }

    #[test]
    fn mailboxes_work_everywhere() {
        for address in [
            "redazione@example.it",
            "a.b+c@sub.example.it",
            "o'neil@example.org",
        ] {
            assert!(is_mailbox(address), "{address}");
        }
        let long = format!("{}@example.it", "a".repeat(65));
        for address in [
            "",
            "redazione",
            " a@example.it",
            "a@example.it\n",
            "a@example.it\r\nBcc: b@example.it",
            "a@example.it,b@example.it",
            "Redazione <a@example.it>",
            "a..b@example.it",
            ".a@example.it",
            "perché@example.it",
            "a@città.it",
            long.as_str(),
        ] {
            assert!(!is_mailbox(address), "{address:?}");
        }
    }

    #[test]
    fn emails_that_are_refused() {
        for raw in [
            "",
            "mario",
            "mario@",
            "@example.it",
            "mario@example",
            "mario@@example.it",
            "mario@ex@ample.it",
            "mario rossi@example.it",
            "mario@exam ple.it",
            "mario@.it",
            "mario@example.",
            "mario@example..it",
            "mario@-example.it",
            "mario@example-.it",
            "mario@exa_mple.it",
            "mario,rossi@example.it",
            "<mario@example.it>",
            "a@b.it\nBcc: c@d.it",
        ] {
            assert_eq!(parse_email(raw), Err(FieldError::Malformed), "{raw:?}");
        }
        let long = format!("{}@example.it", "a".repeat(250));
        assert!(matches!(parse_email(&long), Err(FieldError::TooLong(_))));
    }
}
