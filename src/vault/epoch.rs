//! Epochs: symmetric keys that each seal one hour of reports, stored only sealed to the newsroom (PRODUCT.md §4).
//! Writing costs one symmetric sealing, reading one key opening for each epoch. An epoch's key must never be stored open.

use super::keypair::{self, KeyId, PrivateKey, PublicKey};
use super::{Secret32, VaultError, secret};

/// How long an epoch seals new reports, in milliseconds: one hour (PRODUCT.md §4).
pub const EPOCH_LIFE_MS: i64 = 60 * 60 * 1000;

/// What kind of thing is sealed, for HPKE: an epoch key, first format.
const INFO: &[u8] = b"segnalazioni epoch 1";

/// An epoch whose key is at hand.
#[derive(Debug)]
pub struct Epoch {
    /// Random, positive: unique without asking the database.
    pub id: i64,
    /// When it began, in milliseconds UTC.
    pub born_ms: i64,
    key: Secret32,
}

/// An epoch as the database keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedEpoch {
    pub id: i64,
    pub key_id: KeyId,
    /// When it began, in milliseconds UTC. For people: nothing is decided by it, so it is not authenticated.
    pub born_ms: i64,
    /// The epoch's key, sealed with HPKE to the newsroom, bound to `id` and `key_id`.
    pub sealed: Vec<u8>,
}

impl Epoch {
    pub fn begin(now_ms: i64) -> Result<Self, VaultError> {
        let id = (i64::from_be_bytes(secret::random()?) & i64::MAX).max(1);
        Ok(Self {
            id,
            born_ms: now_ms,
            key: Secret32::random()?,
        })
    }

    pub fn seal(&self, public: &PublicKey) -> Result<SealedEpoch, VaultError> {
        let key_id = public.key_id();
        let sealed = keypair::seal_to(
            public,
            INFO,
            &associated_data(self.id, key_id),
            self.key.expose(),
        )?;
        Ok(SealedEpoch {
            id: self.id,
            key_id,
            born_ms: self.born_ms,
            sealed,
        })
    }

    /// Whether a new epoch is due. A clock that went back by more than an epoch makes one due as well.
    pub fn is_over(&self, now_ms: i64) -> bool {
        now_ms.abs_diff(self.born_ms) >= EPOCH_LIFE_MS.unsigned_abs()
    }

    pub(super) fn key(&self) -> &Secret32 {
        &self.key
    }
}

impl SealedEpoch {
    pub fn open(&self, private: &PrivateKey) -> Result<Epoch, VaultError> {
        if private.key_id() != self.key_id {
            return Err(VaultError::WrongKey);
        }
        let key = keypair::open_with(
            private,
            INFO,
            &associated_data(self.id, self.key_id),
            &self.sealed,
        )?;
        let key = Secret32::from_slice(&key).ok_or(VaultError::Damaged)?;
        Ok(Epoch {
            id: self.id,
            born_ms: self.born_ms,
            key,
        })
    }
}

fn associated_data(id: i64, key_id: KeyId) -> Vec<u8> {
    [id.to_be_bytes().as_slice(), key_id.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_epoch_opens_to_the_same_key() {
        let (private, public) = keypair::generate().unwrap();
        let epoch = Epoch::begin(1234).unwrap();
        let sealed = epoch.seal(&public).unwrap();
        assert_eq!(
            (sealed.id, sealed.key_id, sealed.born_ms),
            (epoch.id, public.key_id(), 1234)
        );
        let opened = sealed.open(&private).unwrap();
        assert_eq!((opened.id, opened.born_ms), (epoch.id, 1234));
        assert!(opened.key.ct_eq(&epoch.key));
    }

    #[test]
    fn an_epoch_moved_altered_or_of_another_pair_is_refused() {
        let (private, public) = keypair::generate().unwrap();
        let (stranger, _) = keypair::generate().unwrap();
        let sealed = Epoch::begin(0).unwrap().seal(&public).unwrap();
        let other = Epoch::begin(0).unwrap().seal(&public).unwrap();
        assert_eq!(sealed.open(&stranger).unwrap_err(), VaultError::WrongKey);
        let relabelled = SealedEpoch {
            key_id: stranger.key_id(),
            ..sealed.clone()
        };
        assert_eq!(relabelled.open(&stranger).unwrap_err(), VaultError::Damaged);
        assert_eq!(relabelled.open(&private).unwrap_err(), VaultError::WrongKey);
        let moved = SealedEpoch {
            id: other.id,
            ..sealed.clone()
        };
        assert_eq!(moved.open(&private).unwrap_err(), VaultError::Damaged);
        for at in 0..sealed.sealed.len() {
            let mut altered = sealed.clone();
            altered.sealed[at] ^= 0x80;
            assert_eq!(
                altered.open(&private).unwrap_err(),
                VaultError::Damaged,
                "{at}"
            );
        }
        // A key of another length, though rightly sealed.
        let aad = associated_data(sealed.id, sealed.key_id);
        let short = keypair::seal_to(&public, INFO, &aad, b"short").unwrap();
        let short = SealedEpoch {
            sealed: short,
            ..sealed
        };
        assert_eq!(short.open(&private).unwrap_err(), VaultError::Damaged);
    }

    #[test]
    fn an_epoch_lasts_one_hour_either_way() {
        let epoch = Epoch::begin(10 * EPOCH_LIFE_MS).unwrap();
        for (now, over) in [
            (epoch.born_ms, false),
            (epoch.born_ms + EPOCH_LIFE_MS - 1, false),
            (epoch.born_ms + EPOCH_LIFE_MS, true),
            (epoch.born_ms - EPOCH_LIFE_MS + 1, false),
            (epoch.born_ms - EPOCH_LIFE_MS, true),
            (i64::MIN, true),
            (i64::MAX, true),
        ] {
            assert_eq!(epoch.is_over(now), over, "{now}");
        }
    }
}
