//! The administrators' password: one Argon2id derivation gives the login verifier and the key of the password slot
//! (PRODUCT.md §12, §7). Neither the password nor a half of the derivation must ever be stored: of the first half only
//! its SHA-256 is kept. The caller decides when and how often to verify, and against which record if no password is set.

use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::VaultError;
use super::secret::{self, KEY_LEN, Secret32};

/// The length of the salt in bytes, as RFC 9106 §3.1 recommends.
pub const SALT_LEN: usize = 16;
pub const VERIFIER_LEN: usize = 32;

/// Bounds for a stored record, so that a forged one cannot exhaust the machine. Memory in KiB (1 GiB).
const MAX_M_KIB: u32 = 1024 * 1024;
const MAX_T: u32 = 32;
const MAX_P: u32 = 16;

/// The cost of a derivation, stored with the slot so that it can be raised later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasswordParams {
    pub m_kib: u32,
    pub t: u32,
    pub p: u32,
}

impl Default for PasswordParams {
    /// 64 MiB, 3 passes, 1 lane: about 0.1 s, above the minimum of the OWASP Password Storage Cheat Sheet (19 MiB, 2).
    fn default() -> Self {
        Self {
            m_kib: 65_536,
            t: 3,
            p: 1,
        }
    }
}

impl PasswordParams {
    /// For tests that derive often.
    #[cfg(test)]
    pub const CHEAP: Self = Self {
        m_kib: 8,
        t: 1,
        p: 1,
    };

    fn checked(self) -> Result<Params, VaultError> {
        if self.m_kib > MAX_M_KIB || self.t > MAX_T || self.p > MAX_P {
            return Err(VaultError::BadParams);
        }
        Params::new(self.m_kib, self.t, self.p, None).map_err(|_| VaultError::BadParams)
    }
}

#[derive(Debug)]
pub struct Derived {
    /// SHA-256 of the first half: stored, and compared at login.
    pub verifier: [u8; VERIFIER_LEN],
    /// The second half: the key of the password slot.
    pub slot_key: Secret32,
}

pub fn new_salt() -> Result<[u8; SALT_LEN], VaultError> {
    secret::random()
}

/// One Argon2id derivation (RFC 9106, version 0x13) of 64 bytes. Slow and memory-hungry on purpose: not on a thread that
/// serves requests, and few at once.
pub fn derive(
    password: &[u8],
    params: &PasswordParams,
    salt: &[u8; SALT_LEN],
) -> Result<Derived, VaultError> {
    let mut output = Zeroizing::new([0; 2 * KEY_LEN]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.checked()?)
        .hash_password_into(password, salt, output.as_mut_slice())
        .map_err(|error| match error {
            argon2::Error::OutOfMemory => VaultError::NoMemory,
            _ => VaultError::BadParams,
        })?;
    let (verifier, slot_key) = output.split_at(KEY_LEN);
    Ok(Derived {
        verifier: Sha256::digest(verifier).into(),
        slot_key: Secret32::from_slice(slot_key).ok_or(VaultError::BadParams)?,
    })
}

#[cfg(test)]
mod tests {
    use argon2::{AssociatedData, ParamsBuilder};

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        rfc9106: Rfc9106,
        derivations: Vec<Derivation>,
    }

    #[derive(Deserialize)]
    struct Rfc9106 {
        m_kib: u32,
        t: u32,
        p: u32,
        password: String,
        salt: String,
        secret: String,
        associated_data: String,
        tag: String,
    }

    #[derive(Deserialize)]
    struct Derivation {
        params: PasswordParams,
        password: String,
        salt: String,
        output: String,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../../tests/vectors/argon2id.json")).unwrap()
    }

    fn bytes(text: &str) -> Vec<u8> {
        hex::decode(text).unwrap()
    }

    #[test]
    fn the_library_agrees_with_rfc_9106() {
        let vector = vectors().rfc9106;
        let params = ParamsBuilder::new()
            .m_cost(vector.m_kib)
            .t_cost(vector.t)
            .p_cost(vector.p)
            .data(AssociatedData::new(&bytes(&vector.associated_data)).unwrap())
            .build()
            .unwrap();
        let secret = bytes(&vector.secret);
        let argon =
            Argon2::new_with_secret(&secret, Algorithm::Argon2id, Version::V0x13, params).unwrap();
        let mut tag = [0; 32];
        argon
            .hash_password_into(&bytes(&vector.password), &bytes(&vector.salt), &mut tag)
            .unwrap();
        assert_eq!(hex::encode(tag), vector.tag);
    }

    #[test]
    fn derivations_agree_with_another_implementation() {
        let derivations = vectors().derivations;
        assert!(
            derivations
                .iter()
                .any(|d| d.params == PasswordParams::default())
        );
        for vector in derivations {
            let salt = bytes(&vector.salt).try_into().unwrap();
            let derived = derive(vector.password.as_bytes(), &vector.params, &salt).unwrap();
            let output = bytes(&vector.output);
            assert_eq!(derived.verifier[..], Sha256::digest(&output[..32])[..]);
            assert_eq!(derived.slot_key.expose()[..], output[32..]);
        }
    }

    #[test]
    fn only_the_right_password_salt_and_params_verify() {
        let salt = [7; SALT_LEN];
        let stored = derive(b"giusta", &PasswordParams::CHEAP, &salt).unwrap();
        let again = derive(b"giusta", &PasswordParams::CHEAP, &salt).unwrap();
        assert!(again.verifier == stored.verifier);
        let dearer = PasswordParams {
            t: 2,
            ..PasswordParams::CHEAP
        };
        for other in [
            derive(b"giust", &PasswordParams::CHEAP, &salt),
            derive(b"", &PasswordParams::CHEAP, &salt),
            derive(b"giusta", &dearer, &salt),
            derive(b"giusta", &PasswordParams::CHEAP, &[8; SALT_LEN]),
        ] {
            let other = other.unwrap();
            assert!(other.verifier != stored.verifier);
            assert!(!other.slot_key.ct_eq(&stored.slot_key));
        }
    }

    #[test]
    fn forged_params_are_refused_before_any_work() {
        for bad in [
            PasswordParams {
                m_kib: MAX_M_KIB + 1,
                ..PasswordParams::CHEAP
            },
            PasswordParams {
                m_kib: 7,
                ..PasswordParams::CHEAP
            },
            PasswordParams {
                t: 0,
                ..PasswordParams::CHEAP
            },
            PasswordParams {
                t: MAX_T + 1,
                ..PasswordParams::CHEAP
            },
            PasswordParams {
                p: 0,
                ..PasswordParams::CHEAP
            },
            PasswordParams {
                m_kib: 1024,
                p: MAX_P + 1,
                ..PasswordParams::CHEAP
            },
        ] {
            assert_eq!(
                derive(b"x", &bad, &[0; SALT_LEN]).unwrap_err(),
                VaultError::BadParams,
                "{bad:?}"
            );
        }
    }
}
