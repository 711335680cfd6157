//! Epochs: symmetric keys that each seal one hour of reports (XChaCha20-Poly1305), stored only sealed to the newsroom
//! (PRODUCT.md §12). Writing costs one symmetric sealing, reading one key opening for each epoch. An epoch's key must never be
//! stored open, and a blob copied to another row or table must never open.

use super::keypair::{self, PrivateKey, PublicKey};
use super::{Secret32, Vault, VaultError, aead, secret};

const INFO: &[u8] = b"segnalazioni epoch 1";
const ROW: &[u8] = b"segnalazioni row";
const SALT: &str = "segnalazioni hashes of words 1";
const DERIVED: &str = "segnalazioni derived from reports 1";

/// An epoch whose key is at hand.
#[derive(Debug)]
pub struct Epoch {
    /// Random and positive, so that it is unique without asking the database.
    pub id: i64,
    key: Secret32,
}

impl Epoch {
    pub fn begin() -> Result<Self, VaultError> {
        Ok(Self {
            id: (i64::from_be_bytes(secret::random()?) & i64::MAX).max(1),
            key: Secret32::random()?,
        })
    }

    /// Seals the key with HPKE to the newsroom, bound to the ids of epoch and pair.
    pub fn seal(&self, public: &PublicKey) -> Result<Vec<u8>, VaultError> {
        let place = associated_data(self.id, public);
        keypair::seal_to(public, INFO, &place, self.key.expose())
    }

    pub fn open(id: i64, private: &PrivateKey, sealed: &[u8]) -> Result<Self, VaultError> {
        let place = associated_data(id, &private.public_key());
        let key = keypair::open_with(private, INFO, &place, sealed)?;
        let key = Secret32::from_slice(&key).ok_or(VaultError::Damaged)?;
        Ok(Self { id, key })
    }
}

fn associated_data(id: i64, public: &PublicKey) -> Vec<u8> {
    [id.to_be_bytes().as_slice(), &public.id()].concat()
}

#[cfg(test)]
impl Epoch {
    pub fn of_key(key: Secret32) -> Self {
        Self { id: 1, key }
    }
}

impl Vault {
    /// Seals what can be made again from reports, under a key that only the private key gives.
    pub fn derived_epoch(&self) -> Result<Epoch, VaultError> {
        Ok(Epoch {
            id: 0,
            key: self.private_key()?.to_secret().subkey(DERIVED)?,
        })
    }

    /// Salts hashes of what reports say: without the private key no hash tells its word.
    pub fn derived_salt(&self) -> Result<[u64; 2], VaultError> {
        let salt = self.private_key()?.to_secret().subkey(SALT)?;
        let (words, _) = salt.expose().as_chunks::<8>();
        Ok([words[0], words[1]].map(u64::from_le_bytes))
    }
}

pub fn seal_row(
    epoch: &Epoch,
    table: &str,
    id: &str,
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let place = [ROW, table.as_bytes(), id.as_bytes()];
    aead::seal(&epoch.key, &place, plaintext)
}

pub fn open_row(
    epoch: &Epoch,
    table: &str,
    id: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let mut plaintext = Vec::new();
    open_row_into(epoch, table, id, sealed, &mut plaintext)?;
    Ok(plaintext)
}

/// Like [`open_row`], into a buffer that may have held another plaintext.
pub fn open_row_into(
    epoch: &Epoch,
    table: &str,
    id: &str,
    sealed: &[u8],
    plaintext: &mut Vec<u8>,
) -> Result<(), VaultError> {
    let place = [ROW, table.as_bytes(), id.as_bytes()];
    aead::open_into(&epoch.key, &place, sealed, plaintext)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_epoch_opens_to_the_same_key() {
        let (private, public) = keypair::generate().unwrap();
        let epoch = Epoch::begin().unwrap();
        let sealed = epoch.seal(&public).unwrap();
        let opened = Epoch::open(epoch.id, &private, &sealed).unwrap();
        assert!(opened.key.ct_eq(&epoch.key));
    }

    #[test]
    fn an_epoch_moved_altered_or_of_another_pair_is_refused() {
        let (private, public) = keypair::generate().unwrap();
        let (stranger, _) = keypair::generate().unwrap();
        let epoch = Epoch::begin().unwrap();
        let sealed = epoch.seal(&public).unwrap();
        let refused = |id: i64, private: &PrivateKey, sealed: &[u8]| {
            assert_eq!(
                Epoch::open(id, private, sealed).unwrap_err(),
                VaultError::Damaged
            );
        };
        refused(epoch.id, &stranger, &sealed);
        refused(Epoch::begin().unwrap().id, &private, &sealed);
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 0x80;
            refused(epoch.id, &private, &altered);
        }
        // A key of another length, though rightly sealed.
        let short = keypair::seal_to(&public, INFO, &associated_data(epoch.id, &public), b"short");
        refused(epoch.id, &private, &short.unwrap());
    }

    /// Archives live for years, so the format is pinned: key 00…1f, nonce 100…123, made with Python (`HChaCha20` by hand
    /// over `ChaCha20Poly1305` of pyca/cryptography).
    #[test]
    fn the_format_is_the_pinned_one() {
        const SEALED: &str = "016465666768696a6b6c6d6e6f707172737475767778797a7b\
                              18128dd9c8219a45a5acf1904d3f75c9bcf347ee";
        let key: Vec<u8> = (0..32).collect();
        let epoch = Epoch {
            id: 1,
            key: Secret32::from_slice(&key).unwrap(),
        };
        assert_eq!(
            open_row(&epoch, "segnalazioni", "a-1", &hex::decode(SEALED).unwrap()).unwrap(),
            b"dati"
        );
    }

    #[test]
    fn a_blob_opens_only_in_its_place() {
        let (epoch, other) = (Epoch::begin().unwrap(), Epoch::begin().unwrap());
        let sealed = seal_row(&epoch, "segnalazioni", "a-1", b"dati").unwrap();
        assert_eq!(
            open_row(&epoch, "segnalazioni", "a-1", &sealed).unwrap(),
            b"dati"
        );
        for (epoch, table, id) in [
            (&epoch, "segnalazioni", "a-2"),
            (&epoch, "consegne", "a-1"),
            (&epoch, "segnalazionia", "-1"),
            (&epoch, "", "segnalazionia-1"),
            (&other, "segnalazioni", "a-1"),
        ] {
            assert_eq!(
                open_row(epoch, table, id, &sealed),
                Err(VaultError::Damaged),
                "{table}/{id}"
            );
        }
    }

    #[test]
    fn the_format_is_authenticated_as_well_as_read() {
        let epoch = Epoch::begin().unwrap();
        let mut sealed = seal_row(&epoch, "t", "1", b"dati").unwrap();
        sealed[0] = 2;
        assert_eq!(
            open_row(&epoch, "t", "1", &sealed),
            Err(VaultError::Damaged)
        );
    }
}
