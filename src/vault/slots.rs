//! Slots: the newsroom's private key, each time sealed under one of the secrets that may open it, like LUKS
//! (PRODUCT.md §12). The copy in the server key file is the third slot, and lives in `keyfile`. A slot must never
//! hold the secret that opens it.

use zeroize::Zeroizing;

use super::keypair::{PrivateKey, PublicKey};
use super::{Secret32, VaultError, aead, secret};
use crate::domain::declare::names;

const PURPOSE: &[u8] = b"segnalazioni slot";

names! {
    /// The secret that opens a slot; its name is stored and authenticated.
    pub enum SlotKind {
        /// The shared password or a person's own, through Argon2id.
        Password = "password",
        /// The recovery code, through HKDF.
        Recovery = "recovery",
        /// The token of an invitation, through HKDF.
        Invitation = "invitation",
        /// What a passkey's authenticator alone computes (PRF), through HKDF.
        Passkey = "passkey",
    }
}

/// The key of an invitation's slot. Its token has 256 random bits.
pub fn invitation_key(token: &str) -> Result<Secret32, VaultError> {
    secret::derive(token.as_bytes(), "segnalazioni invitation slot 1")
}

/// The length of a passkey's salt in bytes.
pub const PASSKEY_SALT_LEN: usize = 32;

/// The key of a passkey's slot, from what its authenticator computed and its own salt.
pub fn passkey_key(
    computed: &Secret32,
    salt: &[u8; PASSKEY_SALT_LEN],
) -> Result<Secret32, VaultError> {
    secret::derive_salted(computed.expose(), salt, "segnalazioni passkey slot 1")
}

/// Seals the private key under a slot key, bound to the kind's name and the key id.
pub(super) fn seal(
    kind: SlotKind,
    private: &PrivateKey,
    slot_key: &Secret32,
) -> Result<Vec<u8>, VaultError> {
    let place = [
        PURPOSE,
        kind.as_str().as_bytes(),
        &private.public_key().id(),
    ];
    aead::seal(slot_key, &place, private.to_secret().expose())
}

pub(super) fn open(
    kind: SlotKind,
    public: &PublicKey,
    slot_key: &Secret32,
    blob: &[u8],
) -> Result<PrivateKey, VaultError> {
    let place = [PURPOSE, kind.as_str().as_bytes(), &public.id()];
    let inside = aead::open(slot_key, &place, blob).map_err(|_| VaultError::WrongSecret)?;
    let inside = Secret32::from_slice(&Zeroizing::new(inside)).ok_or(VaultError::Damaged)?;
    let private = PrivateKey::from_secret(&inside)?;
    if private.public_key() == *public {
        Ok(private)
    } else {
        Err(VaultError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::super::keypair::generate;
    use super::*;

    /// Slots are all that is left after a restore, so the format is pinned: slot key 00…1f, private key 40…5f (clamped),
    /// made with Python (`HChaCha20` by hand over `ChaCha20Poly1305` of pyca/cryptography).
    #[test]
    fn the_format_is_the_pinned_one() {
        const BLOB: &str = "016465666768696a6b6c6d6e6f707172737475767778797a7b\
                            3c32bbf3bb6bcfc5cf79d774ea22f3860bea0022b0799ce7d40c3efc7703264f\
                            27eedc29fa7010cd7c93e2f88f0e0f14";
        let secret =
            |bytes: std::ops::Range<u8>| Secret32::from_slice(&bytes.collect::<Vec<u8>>()).unwrap();
        let public = PrivateKey::from_secret(&secret(64..96))
            .unwrap()
            .public_key();
        assert_eq!(public.key_id(), "67ca2ffd6fe9efab3d76e37c34990a5a");
        let blob = hex::decode(BLOB).unwrap();
        let private = open(SlotKind::Recovery, &public, &secret(0..32), &blob).unwrap();
        assert_eq!(
            private.to_secret().expose()[..],
            (64..96).collect::<Vec<u8>>()
        );
    }

    /// Made with Python's `hmac` by RFC 5869: extract and one expand.
    #[test]
    fn the_key_of_a_passkey_is_the_pinned_one() {
        let computed = Secret32::from_slice(&(0..32).collect::<Vec<u8>>()).unwrap();
        let salt: [u8; 32] = std::array::from_fn(|n| u8::try_from(n).unwrap() + 0x40);
        let key = passkey_key(&computed, &salt).unwrap();
        assert_eq!(
            hex::encode(key.expose()),
            "269bc1ecf2d8fede92107fac8c1449ca5179d884e0f4e529637be9ad790543c0"
        );
        assert!(!key.ct_eq(&passkey_key(&computed, &[0; 32]).unwrap()));
        let other = Secret32::random().unwrap();
        assert!(!key.ct_eq(&passkey_key(&other, &salt).unwrap()));
    }

    #[test]
    fn a_slot_taken_for_another_does_not_open() {
        let (private, public) = generate().unwrap();
        let (_, stranger) = generate().unwrap();
        let key = Secret32::random().unwrap();
        let slot = seal(SlotKind::Password, &private, &key).unwrap();
        assert!(open(SlotKind::Password, &public, &key, &slot).is_ok());
        for (kind, public, key) in [
            (SlotKind::Recovery, public, key.clone()),
            (SlotKind::Password, stranger, key.clone()),
            (SlotKind::Password, public, Secret32::random().unwrap()),
        ] {
            let refused = open(kind, &public, &key, &slot);
            assert_eq!(refused.unwrap_err(), VaultError::WrongSecret);
        }
    }

    #[test]
    fn a_key_that_is_not_the_named_one_is_refused() {
        let (_, public) = generate().unwrap();
        let key = Secret32::random().unwrap();
        let place = [PURPOSE, b"recovery", &public.id()];
        for inside in [Secret32::random().unwrap().expose().as_slice(), b"short"] {
            let blob = aead::seal(&key, &place, inside).unwrap();
            let refused = open(SlotKind::Recovery, &public, &key, &blob);
            assert_eq!(refused.unwrap_err(), VaultError::Damaged);
        }
    }
}
