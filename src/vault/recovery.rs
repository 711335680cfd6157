//! The recovery code: 128 random bits written as 32 consonants, shown once at set-up (PRODUCT.md §12). It must never be
//! stored, logged or shown a second time; `Display` is only for the page or terminal that shows it.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Secret32, VaultError, secret};

/// 16 letters, 4 bits each: no vowels, so no words, and none that is mistaken for another on paper.
const ALPHABET: &[u8; 16] = b"BCDFGHKLMNPRSTVZ";
const CODE_LEN: usize = 16;
const GROUP: usize = 4;
const LABEL: &str = "segnalazioni recovery slot 1";

#[derive(Zeroize, ZeroizeOnDrop)]
pub struct RecoveryCode([u8; CODE_LEN]);

impl RecoveryCode {
    pub fn generate() -> Result<Self, VaultError> {
        let mut code = Self([0; CODE_LEN]);
        secret::fill_random(&mut code.0)?;
        Ok(code)
    }

    /// Reads a code as people type it: in any case, with or without spaces and dashes, and with look-alikes (`0` for D, `1`
    /// for L, `8` for B).
    pub fn parse(text: &str) -> Result<Self, VaultError> {
        read_letters(text).map(Self)
    }

    /// Compares in constant time.
    pub fn ct_eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// The key of the slot. 128 random bits need no stretching.
    pub fn slot_key(&self) -> Result<Secret32, VaultError> {
        secret::derive(&self.0, LABEL)
    }
}

impl fmt::Display for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Zeroizing::new(letters(&self.0)))
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

pub(super) fn letters(bytes: &[u8]) -> String {
    // A growing buffer would leave parts of the code in memory.
    let mut text = String::with_capacity(3 * bytes.len());
    let values = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    for (at, value) in values.enumerate() {
        if at > 0 && at % GROUP == 0 {
            text.push('-');
        }
        text.push(char::from(ALPHABET[usize::from(value)]));
    }
    text
}

pub(super) fn read_letters<const N: usize>(text: &str) -> Result<[u8; N], VaultError> {
    let mut bytes = [0; N];
    let mut count = 0;
    for letter in text.chars().filter(|c| !is_separator(*c)) {
        let value = letter_value(letter).ok_or(VaultError::BadRecoveryCode)?;
        let byte: &mut u8 = bytes
            .get_mut(count / 2)
            .ok_or(VaultError::BadRecoveryCode)?;
        *byte = *byte << 4 | value;
        count += 1;
    }
    if count == 2 * N {
        Ok(bytes)
    } else {
        Err(VaultError::BadRecoveryCode)
    }
}

/// Whether a character separates groups, as people write them.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '_' | '.' | ','
        )
}

fn letter_value(letter: char) -> Option<u8> {
    let letter = match letter.to_ascii_uppercase() {
        '0' | 'O' => 'D',
        '1' | 'I' | 'J' => 'L',
        '2' => 'Z',
        '5' => 'S',
        '6' => 'G',
        '7' => 'T',
        '8' => 'B',
        'U' | 'Y' => 'V',
        'X' => 'K',
        other => other,
    };
    (0_u8..)
        .zip(ALPHABET)
        .find(|(_, known)| char::from(**known) == letter)
        .map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BYTES: [u8; CODE_LEN] = [
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32,
        0x10,
    ];
    const TEXT: &str = "BCDF-GHKL-MNPR-STVZ-ZVTS-RPNM-LKHG-FDCB";

    fn same(text: &str) -> bool {
        RecoveryCode::parse(text).is_ok_and(|code| code.ct_eq(&RecoveryCode(BYTES)))
    }

    #[test]
    fn the_code_is_letters_in_groups() {
        assert_eq!(RecoveryCode(BYTES).to_string(), TEXT);
        assert!(same(TEXT));
    }

    #[test]
    fn parsing_forgives_what_changes_nothing() {
        for text in [
            TEXT.to_lowercase(),
            TEXT.replace('-', ""),
            TEXT.replace('-', " "),
            TEXT.replace('-', "\u{2013}"),
            TEXT.replace('-', "\n"),
            format!("  {TEXT}.\u{a0}"),
            "8C0F-6HK1-MNPR-57YZ-2UTS-RPNM-IXH6-FOCB".to_owned(),
            "bcdf-ghkj-mnpr-stvz-zvts-rpnm-lkhg-fdcb".to_owned(),
        ] {
            assert!(same(&text), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_code_is_refused() {
        for text in [
            "",
            "----",
            &TEXT[1..],
            &TEXT[..TEXT.len() - 1],
            &format!("{TEXT}B"),
            &format!("{TEXT}-BCDF"),
            &TEXT.replacen('B', "A", 1),
            &TEXT.replacen('B', "Q", 1),
            &TEXT.replacen('B', "è", 1),
            &TEXT.replacen('-', "/", 1),
        ] {
            assert_eq!(
                RecoveryCode::parse(text).unwrap_err(),
                VaultError::BadRecoveryCode,
                "{text:?}"
            );
        }
    }

    /// Codes are on paper for years: their meaning is pinned by HKDF-SHA256 as Python's `hmac` computes it.
    #[test]
    fn the_slot_key_is_the_pinned_one() {
        let key = RecoveryCode(BYTES).slot_key().unwrap();
        assert_eq!(
            hex::encode(key.expose()),
            "2a5572ab3f86471ae2ff64a5f5c1e8dae0d38933269f68042810720b631b1087"
        );
    }

    proptest! {
        #[test]
        fn every_code_survives_paper(bytes: [u8; CODE_LEN]) {
            let text = RecoveryCode(bytes).to_string();
            prop_assert_eq!(text.len(), 39);
            prop_assert!(RecoveryCode::parse(&text).unwrap().ct_eq(&RecoveryCode(bytes)));
        }

    }
}
