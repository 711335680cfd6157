//! The receipt of a report: 100 random bits written as 20 letters and digits, which only the reporter has. The code gives the id
//! of the report, and a key that opens what is sealed for the receipt. Must never be stored, logged or put into an address;
//! `Display` is for the answer that hands it over.

use std::fmt::{self, Write};

use uuid::Builder;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Secret32, Vault, VaultError, aead, secret};
use crate::domain::text::visible_line;

/// Five bits each: digits and letters that are not mistaken for each other and form no words (no I, L, O, U).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 20;
const GROUP: usize = 5;
const KEY: &str = "segnalazioni receipt key 1";
/// For HKDF; the name of the newsroom's key follows.
const ID: &str = "segnalazioni receipt id 1 ";

#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct ReceiptCode([u8; LENGTH]);

impl ReceiptCode {
    pub fn generate() -> Result<Self, VaultError> {
        let mut code = Self(secret::random()?);
        code.0.iter_mut().for_each(|value| *value &= 31);
        Ok(code)
    }

    /// Reads a code as people type it: upper or lower case, with or without spaces and dashes, O for 0, I and L for 1. In a longer
    /// text, such as a link or a saved page, the one code that stands in it.
    pub fn parse(text: &str) -> Option<Self> {
        let line = visible_line(text);
        Self::of(&[&line]).or_else(|| Self::find(&line))
    }

    fn of(parts: &[&str]) -> Option<Self> {
        let mut code = Self([0; LENGTH]);
        let mut places = code.0.iter_mut();
        let written = parts.iter().flat_map(|part| part.chars());
        for character in written.filter(|character| character.is_alphanumeric()) {
            *places.next()? = value_of(character)?;
        }
        places.next().is_none().then_some(code)
    }

    /// The one run of groups that is a code; words that stand before or behind it are not parted from it by what parts its groups.
    fn find(line: &str) -> Option<Self> {
        let words: Vec<&str> = line
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let runs = (0..words.len()).filter_map(|from| {
            let end = run_end(&words[from..])? + from;
            let code = Self::of(&words[from..end])?;
            Some((is_evenly_parted(line, &words[from..end]), code))
        });
        let (even, other): (Vec<_>, Vec<_>) = runs.partition(|(even, _)| *even);
        let mut codes = if even.is_empty() { other } else { even }.into_iter();
        let (_, code) = codes.next()?;
        codes.all(|(_, again)| again == code).then_some(code)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let code = Self(bytes.try_into().ok()?);
        code.0.iter().all(|value| *value < 32).then_some(code)
    }

    pub fn key(&self) -> Result<Secret32, VaultError> {
        secret::derive(&self.0, KEY)
    }
}

impl Vault {
    /// The id of the report: a hash of the code and the newsroom's public key, so that a restored archive knows its codes on
    /// any machine.
    pub fn report_of(&self, code: &ReceiptCode) -> Result<String, VaultError> {
        let label = [ID, &self.key_id()].concat();
        let hash = secret::derive(&code.0, &label)?;
        let id = hash.expose().first_chunk().ok_or(VaultError::Damaged)?;
        Ok(Builder::from_random_bytes(*id).into_uuid().to_string())
    }
}

pub fn seal_for_receipt(
    key: &Secret32,
    place: &str,
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::seal(key, &[place.as_bytes()], plaintext)
}

pub fn open_with_receipt(
    key: &Secret32,
    place: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    aead::open(key, &[place.as_bytes()], sealed)
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

/// Where the words from the first on end that are as long as a code together, each of whole groups.
fn run_end(words: &[&str]) -> Option<usize> {
    let mut length = 0;
    let end = words.iter().position(|word| {
        length += word.len();
        !word.len().is_multiple_of(GROUP) || length >= LENGTH
    })?;
    (length == LENGTH && words[end].len().is_multiple_of(GROUP)).then_some(end + 1)
}

/// Whether the same sign stands between all words, which are parts of `line`.
fn is_evenly_parted(line: &str, words: &[&str]) -> bool {
    let place = |part: &str| part.as_ptr().addr() - line.as_ptr().addr();
    let mut gaps = words
        .windows(2)
        .map(|pair| &line[place(pair[0]) + pair[0].len()..place(pair[1])]);
    let first = gaps.next();
    gaps.all(|gap| Some(gap) == first)
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
        // GlobaLeaks, SecureDrop: a whole line, a link or the saved file is pasted.
        for around in [
            "Codice: {}",
            "il mio codice è {} grazie",
            "Anche {}",
            "https://example.it/segnala/seguito#{}",
            "Codice: {}\n\nPer seguire la segnalazione apri https://example.it/seguito e inserisci il codice.\nNon darlo a nessuno.\n",
            "«{}».",
            "{}\n{}",
            "\u{200B}{}\u{FFFC}",
        ] {
            let shapes = ["-", "", " – ", "_"].map(|sign| TEXT.replace('-', sign));
            for shape in shapes {
                let text = around.replace("{}", &shape);
                assert!(ReceiptCode::parse(&text) == Some(code.clone()), "{text:?}");
            }
        }
        let two = format!("{TEXT} oppure {}", TEXT.replace('0', "9"));
        assert!(
            ReceiptCode::parse(&two).is_none(),
            "which of two is not known"
        );
        let long = format!("{TEXT}0");
        for text in [
            "",
            "-",
            &TEXT[1..],
            &long,
            &TEXT.replace('A', "U"),
            &TEXT.replace('A', "è"),
        ] {
            assert!(ReceiptCode::parse(text).is_none(), "{text:?}");
        }
        assert_eq!(format!("{code:?}"), "ReceiptCode(…)");
    }

    /// Codes are on paper: what they open is pinned, by HKDF-SHA256 as Python's `hmac` computes it.
    #[test]
    fn the_key_of_a_code_is_the_pinned_one() {
        let code = ReceiptCode::parse(TEXT).unwrap();
        assert_eq!(
            hex::encode(secret::derive(code.as_bytes(), KEY).unwrap().expose()),
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
        let id = vault.report_of(&code).unwrap();
        assert_ne!(id, vault.report_of(&other).unwrap());
        let elsewhere = Vault::in_memory().unwrap();
        assert_ne!(id, elsewhere.report_of(&code).unwrap());
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
