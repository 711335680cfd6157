//! The key of pages that wait for their browser: 128 random bits in the address of the page, and nowhere else. The program itself
//! cannot open such a page before its address is asked for.

use std::fmt;

use super::{Secret32, VaultError, aead, secret};

const LENGTH: usize = 16;
const KEY: &str = "segnalazioni page key 1";
const MARK: &str = "segnalazioni page mark 1";

pub struct PageKey([u8; LENGTH]);

impl PageKey {
    pub fn generate() -> Result<Self, VaultError> {
        secret::random().map(Self)
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = Self([0; LENGTH]);
        hex::decode_to_slice(text, &mut key.0).ok()?;
        Some(key)
    }

    /// The id by which the pages are found. It reveals nothing of the key.
    pub fn mark(&self) -> Result<Secret32, VaultError> {
        secret::derive(&self.0, MARK)
    }

    /// Seals a page; `place` distinguishes it from others under the same key.
    pub fn seal(&self, place: &[u8], page: &[u8]) -> Result<Vec<u8>, VaultError> {
        aead::seal(&secret::derive(&self.0, KEY)?, &[place], page)
    }

    pub fn open(&self, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        aead::open(&secret::derive(&self.0, KEY)?, &[place], sealed)
    }
}

impl fmt::Display for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_in_the_address_opens_and_only_in_its_place() {
        let (key, other) = (PageKey::generate().unwrap(), PageKey::generate().unwrap());
        let sealed = key.seal(b"1", b"pagina").unwrap();
        let again = PageKey::parse(&key.to_string()).unwrap();
        assert_eq!(again.open(b"1", &sealed).unwrap(), b"pagina");
        assert_eq!(again.open(b"2", &sealed), Err(VaultError::Damaged));
        assert_eq!(other.open(b"1", &sealed), Err(VaultError::Damaged));
        assert!(again.mark().unwrap().ct_eq(&key.mark().unwrap()));
        assert!(!again.mark().unwrap().ct_eq(&other.mark().unwrap()));
    }

    #[test]
    fn what_is_no_key_is_none() {
        let text = PageKey::generate().unwrap().to_string();
        for text in ["", "x", &text[1..], &format!("{text}0"), &"è".repeat(16)] {
            assert!(PageKey::parse(text).is_none(), "{text}");
        }
    }
}
