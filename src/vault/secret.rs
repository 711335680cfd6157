//! A 32-byte secret, and the only access to the system's random numbers.
//! Secrets must never be printed, compared in variable time, or left in memory after use.

use std::fmt;

use hkdf::Hkdf;
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::VaultError;

pub const KEY_LEN: usize = 32;

/// Wiped when dropped. On the heap, moving it moves a pointer and leaves no copy on the stack.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Secret32(Box<[u8; KEY_LEN]>);

impl Secret32 {
    pub fn random() -> Result<Self, VaultError> {
        Self::write(fill_random)
    }

    /// `None` unless there are exactly 32 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; KEY_LEN] = bytes.try_into().ok()?;
        Some(Self(Box::new(*bytes)))
    }

    /// `fill` writes the key into its final place.
    pub(super) fn write<E>(fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut secret = Self(Box::new([0; KEY_LEN]));
        fill(secret.0.as_mut_slice())?;
        Ok(secret)
    }

    /// HKDF-SHA256 (RFC 5869) without salt, one key for each purpose.
    pub(super) fn subkey(&self, label: &str) -> Result<Self, VaultError> {
        derive(self.expose(), label)
    }

    /// The bytes. The caller is responsible for where they go.
    pub fn expose(&self) -> &[u8; KEY_LEN] {
        &self.0
    }

    /// Compares in constant time.
    pub fn ct_eq(&self, other: &Self) -> bool {
        self.0.ct_eq(other.0.as_ref()).into()
    }
}

impl fmt::Debug for Secret32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret32(…)")
    }
}

/// As [`derive`], with a salt.
pub(super) fn derive_salted(ikm: &[u8], salt: &[u8], label: &str) -> Result<Secret32, VaultError> {
    let hkdf = Hkdf::<Sha256>::new(Some(salt), ikm);
    Secret32::write(|key| hkdf.expand(label.as_bytes(), key)).map_err(|_| VaultError::TooLong)
}

/// HKDF-SHA256 (RFC 5869) of `ikm`, which must hold at least 100 random bits, to one 32-byte key.
pub(super) fn derive(ikm: &[u8], label: &str) -> Result<Secret32, VaultError> {
    let hkdf = Hkdf::<Sha256>::new(None, ikm);
    Secret32::write(|key| hkdf.expand(label.as_bytes(), key)).map_err(|_| VaultError::TooLong)
}

pub(super) fn fill_random(buffer: &mut [u8]) -> Result<(), VaultError> {
    getrandom::fill(buffer).map_err(|_| VaultError::NoRandomness)
}

pub(super) fn random<const N: usize>() -> Result<[u8; N], VaultError> {
    let mut bytes = [0; N];
    fill_random(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        let secret = Secret32::from_slice(&[0x41; KEY_LEN]).unwrap();
        assert_eq!(format!("{secret:?}"), "Secret32(…)");
    }

    #[test]
    fn only_32_bytes_make_a_key() {
        for len in [0, 31, 33, 64] {
            assert!(Secret32::from_slice(&vec![7; len]).is_none(), "{len}");
        }
        assert_eq!(
            Secret32::from_slice(&[7; KEY_LEN]).unwrap().expose(),
            &[7; KEY_LEN]
        );
    }

    /// RFC 5869, appendix A.3: SHA-256, no salt, no info; the first 32 of its 42 bytes.
    #[test]
    fn derivation_agrees_with_rfc_5869() {
        let key = derive(&[0x0b; 22], "").unwrap();
        assert_eq!(
            hex::encode(key.expose()),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        );
    }
}
