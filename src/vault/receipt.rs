//! The receipt of a report: 100 random bits written as 20 letters and digits, which only the reporter has. The code gives the id
//! of the report, and a key that opens what is sealed for the receipt. Must never be stored, logged or put into an address;
//! `Display` is only for the response that gives it to the reporter.

use std::fmt::{self, Write};

use uuid::Builder;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Secret32, Vault, VaultError, aead, secret};
use crate::domain::text::visible_line;

/// Five bits each: digits and letters that cannot be mistaken for each other (no I, L, O, U).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 20;
const GROUP: usize = 5;
const KEY_LABEL: &str = "segnalazioni receipt key 1";
/// HKDF label of the report's id. The id of the archive's first key is appended.
const ID_LABEL: &str = "segnalazioni receipt id 1 ";

#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct ReceiptCode([u8; LENGTH]);

impl ReceiptCode {
    pub fn generate() -> Result<Self, VaultError> {
        let mut code = Self(secret::random()?);
        code.0.iter_mut().for_each(|value| *value &= 31);
        Ok(code)
    }

    /// Reads a code as people type it: upper or lower case, with or without spaces and dashes, O for 0, I and L for 1.
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_groups(&[&visible_line(text)])
    }

    /// Finds the codes that a longer text may hold, such as a pasted line, link or page. Words beside a code can look like groups of
    /// it: only the archive tells which of these codes is the receipt of a report.
    pub fn all_in(text: &str) -> Vec<Self> {
        if let Some(code) = Self::parse(text) {
            return vec![code];
        }
        let line = visible_line(text);
        let words = line.split(|sign: char| !sign.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut codes = Vec::new();
        for from in 0..words.len() {
            let code = first_groups(&words[from..]).and_then(Self::from_groups);
            if let Some(code) = code.filter(|code| !codes.contains(code)) {
                codes.push(code);
            }
        }
        codes
    }

    fn from_groups(groups: &[&str]) -> Option<Self> {
        let mut code = Self([0; LENGTH]);
        let mut places = code.0.iter_mut();
        let written = groups.iter().flat_map(|group| group.chars());
        for character in written.filter(|character| character.is_alphanumeric()) {
            *places.next()? = value_of(character)?;
        }
        places.next().is_none().then_some(code)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let code = Self(bytes.try_into().ok()?);
        code.0.iter().all(|value| *value < 32).then_some(code)
    }

    pub fn key(&self) -> Result<Secret32, VaultError> {
        secret::derive(&self.0, KEY_LABEL)
    }
}

impl Vault {
    /// The id of the report: a hash of the code and the archive's first public key, so that codes still work after the archive is
    /// restored on another machine, and after its keys are replaced.
    pub fn report_id(&self, code: &ReceiptCode) -> Result<String, VaultError> {
        let label = [ID_LABEL, &self.archive].concat();
        let hash = secret::derive(&code.0, &label)?;
        let id = hash.expose().first_chunk().ok_or(VaultError::Damaged)?;
        Ok(Builder::from_random_bytes(*id).into_uuid().to_string())
    }
}

pub fn seal_for_receipt(
    key: &Secret32,
    associated: &str,
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::seal(key, &[associated.as_bytes()], plaintext)
}

pub fn open_with_receipt(
    key: &Secret32,
    associated: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::open(key, &[associated.as_bytes()], sealed)
}

impl fmt::Display for ReceiptCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, value) in self.0.iter().enumerate() {
            if at > 0 && at % GROUP == 0 {
                f.write_char('-')?;
            }
            f.write_char(char::from(ALPHABET[usize::from(*value) % ALPHABET.len()]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ReceiptCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceiptCode(…)")
    }
}

/// The first words that together are as long as a code, if each is a whole number of groups.
fn first_groups<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let mut length = 0;
    let end = words.iter().position(|word| {
        length += word.len();
        !word.len().is_multiple_of(GROUP) || length >= LENGTH
    })?;
    (length == LENGTH && words[end].len().is_multiple_of(GROUP)).then_some(&words[..=end])
}

fn value_of(character: char) -> Option<u8> {
    let character = match character.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    (0_u8..)
        .zip(ALPHABET)
        .find(|(_, known)| char::from(**known) == character)
        .map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "0123A-BCDEF-GHJKM-NPQRS";

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = ReceiptCode::parse(TEXT).unwrap();
        assert_eq!(code.to_string(), TEXT);
        for text in [
            TEXT.to_lowercase(),
            TEXT.replace('-', ""),
            format!(" {}\n", TEXT.replace('-', " – ")),
            TEXT.replace("01", "oi"),
            TEXT.replace("01", "OL"),
        ] {
            assert!(ReceiptCode::parse(&text) == Some(code.clone()), "{text:?}");
        }
        // People paste the whole line, a link or the saved file (as GlobaLeaks and SecureDrop have seen).
        for around in [
            "Codice: {}",
            "il mio codice è {} grazie",
            "Anche {}",
            "Salve {} grazie mille",
            "https://example.it/segnala/seguito#{}",
            "Codice: {}\n\nPer seguire la segnalazione apri https://example.it/seguito e inserisci il codice.\nNon darlo a nessuno.\n",
            "«{}».",
            "{}\n{}",
            "\u{200B}{}\u{FFFC}",
        ] {
            let shapes = ["-", "", " ", " – ", "_"].map(|sign| TEXT.replace('-', sign));
            for shape in shapes {
                let text = around.replace("{}", &shape);
                assert!(ReceiptCode::all_in(&text).contains(&code), "{text:?}");
            }
        }
        let two = format!("{TEXT} oppure {}", TEXT.replace('0', "9"));
        assert_eq!(ReceiptCode::all_in(&two).len(), 2);
        let long = format!("{TEXT}0");
        for text in [
            "",
            "-",
            &TEXT[1..],
            &long,
            &TEXT.replace('A', "U"),
            &TEXT.replace('A', "è"),
        ] {
            assert!(ReceiptCode::all_in(text).is_empty(), "{text:?}");
        }
        assert_eq!(format!("{code:?}"), "ReceiptCode(…)");
    }

    /// Codes exist on paper, so this derivation must never change. HKDF-SHA256, computed with Python's `hmac`.
    #[test]
    fn the_key_of_a_code_is_the_pinned_one() {
        let code = ReceiptCode::parse(TEXT).unwrap();
        assert_eq!(
            hex::encode(secret::derive(code.as_bytes(), KEY_LABEL).unwrap().expose()),
            "98cd71af819d68db32309392442b14688922dc258d693d6a204793750be48782"
        );
    }

    #[test]
    fn only_the_code_opens_and_only_in_its_place() {
        let vault = Vault::in_memory().unwrap();
        let (code, other) = (
            ReceiptCode::generate().unwrap(),
            ReceiptCode::generate().unwrap(),
        );
        let id = vault.report_id(&code).unwrap();
        assert_ne!(id, vault.report_id(&other).unwrap());
        let elsewhere = Vault::in_memory().unwrap();
        assert_ne!(id, elsewhere.report_id(&code).unwrap());
        let sealed = seal_for_receipt(&code.key().unwrap(), "qui", b"ciao").unwrap();
        let open =
            |code: &ReceiptCode, place| open_with_receipt(&code.key().unwrap(), place, &sealed);
        assert_eq!(open(&code, "qui").unwrap(), b"ciao");
        assert_eq!(open(&code, "altrove"), Err(VaultError::Damaged));
        assert_eq!(open(&other, "qui"), Err(VaultError::Damaged));
    }

    proptest! {
        #[test]
        fn every_code_survives_paper(bytes: [u8; LENGTH]) {
            let code = ReceiptCode(bytes.map(|byte| byte & 31));
            prop_assert!(ReceiptCode::parse(&code.to_string()) == Some(code.clone()));
            prop_assert!(ReceiptCode::from_bytes(code.as_bytes()) == Some(code.clone()));
        }
    }
}
