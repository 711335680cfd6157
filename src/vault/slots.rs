//! Slots: the newsroom's private key, each time sealed under one of the secrets that may open it, like LUKS
//! (PRODUCT.md §4). The copy in the server key file is the third slot, and lives in `keyfile`. A slot must never
//! hold the secret that opens it.

use zeroize::Zeroizing;

use super::keypair::{KeyId, PrivateKey};
use super::{Secret32, VaultError, aead};

/// The first format of a slot: `1 ‖ nonce (24) ‖ sealed private key (32) ‖ tag (16)`.
const SLOT_FORMAT: u8 = 1;
/// Keeps slots apart from every other use of the cipher.
const PURPOSE: &[u8] = b"segnalazioni slot";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// The administrators' password, through Argon2id.
    Password,
    /// The recovery code, through HKDF.
    Recovery,
}

impl SlotKind {
    /// The name of the kind, as stored and as authenticated.
    pub fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Recovery => "recovery",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub kind: SlotKind,
    /// The key pair whose private half is inside.
    pub key_id: KeyId,
    /// The sealed private key, bound to the kind's name and to the key id.
    pub blob: Vec<u8>,
}

impl Slot {
    /// Seals the private key under a slot key ([`super::password::derive`] or [`super::recovery::RecoveryCode::slot_key`]).
    pub fn seal(
        kind: SlotKind,
        private: &PrivateKey,
        slot_key: &Secret32,
    ) -> Result<Self, VaultError> {
        let key_id = private.key_id();
        let place = [PURPOSE, kind.name().as_bytes(), key_id.as_bytes()];
        let blob = aead::seal(slot_key, SLOT_FORMAT, &place, private.to_secret().expose())?;
        Ok(Self { kind, key_id, blob })
    }

    pub fn open(&self, slot_key: &Secret32) -> Result<PrivateKey, VaultError> {
        let place = [PURPOSE, self.kind.name().as_bytes(), self.key_id.as_bytes()];
        let inside = match aead::open(slot_key, SLOT_FORMAT, &place, &self.blob) {
            Err(VaultError::Damaged) => return Err(VaultError::WrongSecret),
            other => Zeroizing::new(other?),
        };
        let private =
            PrivateKey::from_secret(&Secret32::from_slice(&inside).ok_or(VaultError::Damaged)?)?;
        if private.key_id() == self.key_id {
            Ok(private)
        } else {
            Err(VaultError::Damaged)
        }
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
        let slot = Slot {
            kind: SlotKind::Recovery,
            key_id: "67ca2ffd6fe9efab3d76e37c34990a5a".parse().unwrap(),
            blob: hex::decode(BLOB).unwrap(),
        };
        let slot_key = Secret32::from_slice(&(0..32).collect::<Vec<u8>>()).unwrap();
        let private = slot.open(&slot_key).unwrap();
        assert_eq!(
            private.to_secret().expose()[..],
            (64..96).collect::<Vec<u8>>()
        );
    }

    #[test]
    fn a_slot_taken_for_another_does_not_open() {
        let (private, _) = generate().unwrap();
        let (_, stranger) = generate().unwrap();
        let key = Secret32::random().unwrap();
        let slot = Slot::seal(SlotKind::Password, &private, &key).unwrap();
        let other_kind = Slot {
            kind: SlotKind::Recovery,
            ..slot.clone()
        };
        assert_eq!(other_kind.open(&key).unwrap_err(), VaultError::WrongSecret);
        let other_pair = Slot {
            key_id: stranger.key_id(),
            ..slot
        };
        assert_eq!(other_pair.open(&key).unwrap_err(), VaultError::WrongSecret);
    }

    #[test]
    fn a_key_that_is_not_the_named_one_is_refused() {
        let (private, _) = generate().unwrap();
        let key = Secret32::random().unwrap();
        let key_id = private.key_id();
        let place = [PURPOSE, b"recovery", key_id.as_bytes()];
        for inside in [Secret32::random().unwrap().expose().as_slice(), b"short"] {
            let blob = aead::seal(&key, SLOT_FORMAT, &place, inside).unwrap();
            let slot = Slot {
                kind: SlotKind::Recovery,
                key_id,
                blob,
            };
            assert_eq!(slot.open(&key).unwrap_err(), VaultError::Damaged);
        }
    }
}
