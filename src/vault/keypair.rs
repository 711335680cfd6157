//! The newsroom's X25519 key pair, and HPKE to it (RFC 9180): base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
//! `ChaCha20Poly1305`, one message a context. Base mode does not authenticate the sender: it must never be taken for a
//! signature.

use std::convert::Infallible;
use std::fmt;

use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, OpModeS, Serializable};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::VaultError;
use super::secret::{self, KEY_LEN, Secret32};

type HpkePrivate = <X25519HkdfSha256 as Kem>::PrivateKey;
type HpkePublic = <X25519HkdfSha256 as Kem>::PublicKey;
type HpkeEncapped = <X25519HkdfSha256 as Kem>::EncappedKey;

pub(super) const ID_LEN: usize = 16;

/// The first 16 bytes of SHA-256, by which a key or a code is known.
pub(super) fn id_of(bytes: &[u8]) -> [u8; ID_LEN] {
    let mut id = [0; ID_LEN];
    id.copy_from_slice(&Sha256::digest(bytes)[..ID_LEN]);
    id
}

/// The public half, which seals to the newsroom and opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_LEN]);

impl PublicKey {
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VaultError> {
        bytes.try_into().map(Self).map_err(|_| VaultError::Damaged)
    }

    pub fn as_bytes(&self) -> &[u8; KEY_LEN] {
        &self.0
    }

    /// The id that data sealed to the pair are bound to.
    pub(super) fn id(&self) -> [u8; ID_LEN] {
        id_of(&self.0)
    }

    pub fn key_id(&self) -> String {
        hex::encode(self.id())
    }

    fn hpke(&self) -> Result<HpkePublic, VaultError> {
        HpkePublic::from_bytes(&self.0).map_err(|_| VaultError::Damaged)
    }
}

#[derive(Clone)]
pub struct PrivateKey {
    key: Box<HpkePrivate>,
    public: PublicKey,
}

impl PrivateKey {
    /// Any 32 bytes are a private key (RFC 7748 clamps them).
    pub fn from_secret(secret: &Secret32) -> Result<Self, VaultError> {
        let key = HpkePrivate::from_bytes(secret.expose()).map_err(|_| VaultError::Damaged)?;
        let mut public = [0; KEY_LEN];
        X25519HkdfSha256::sk_to_pk(&key).write_exact(&mut public);
        Ok(Self {
            key: Box::new(key),
            public: PublicKey(public),
        })
    }

    /// Clamped (RFC 9180 §7.1.2).
    pub fn to_secret(&self) -> Secret32 {
        let Ok(secret) = Secret32::write(|bytes| {
            self.key.write_exact(bytes);
            Ok::<_, Infallible>(())
        });
        secret
    }

    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    pub fn key_id(&self) -> String {
        self.public.key_id()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

pub fn generate() -> Result<(PrivateKey, PublicKey), VaultError> {
    let private = PrivateKey::from_secret(&Secret32::random()?)?;
    let public = private.public_key();
    Ok((private, public))
}

/// Seals to the newsroom: the encapsulated key (32 bytes), then the ciphertext with its tag. Opening needs the same `info`
/// (the purpose) and `aad` (the place).
pub fn seal_to(
    public: &PublicKey,
    info: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    // Without random numbers of the system the library would panic; this returns an error.
    secret::random::<1>()?;
    let (encapped, ciphertext) = hpke::single_shot_seal::<
        ChaCha20Poly1305,
        HkdfSha256,
        X25519HkdfSha256,
    >(&OpModeS::Base, &public.hpke()?, info, plaintext, aad)
    .map_err(|error| match error {
        hpke::HpkeError::EncapError => VaultError::WrongKey,
        _ => VaultError::TooLong,
    })?;
    let mut sealed = encapped.to_bytes().to_vec();
    sealed.extend_from_slice(&ciphertext);
    Ok(sealed)
}

pub fn open_with(
    private: &PrivateKey,
    info: &[u8],
    aad: &[u8],
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    let (encapped, ciphertext) = sealed
        .split_at_checked(HpkeEncapped::size())
        .ok_or(VaultError::Damaged)?;
    let encapped = HpkeEncapped::from_bytes(encapped).map_err(|_| VaultError::Damaged)?;
    hpke::single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        &private.key,
        &encapped,
        info,
        ciphertext,
        aad,
    )
    .map(Zeroizing::new)
    .map_err(|_| VaultError::Damaged)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vector {
        mode: u8,
        kem_id: u16,
        kdf_id: u16,
        aead_id: u16,
        info: String,
        #[serde(rename = "ikmR")]
        ikm_r: String,
        #[serde(rename = "pkRm")]
        pk_r: String,
        #[serde(rename = "skRm")]
        sk_r: String,
        enc: String,
        pt: String,
        encryptions: Vec<VectorEncryption>,
    }

    #[derive(Deserialize)]
    struct VectorEncryption {
        sequence: u32,
        aad: String,
        ct: String,
    }

    fn vector() -> Vector {
        serde_json::from_str(include_str!("../../tests/vectors/hpke_rfc9180_a2.json")).unwrap()
    }

    fn bytes(text: &str) -> Vec<u8> {
        hex::decode(text).unwrap()
    }

    fn vector_private(vector: &Vector) -> PrivateKey {
        PrivateKey::from_secret(&Secret32::from_slice(&bytes(&vector.sk_r)).unwrap()).unwrap()
    }

    #[test]
    fn the_vector_is_for_our_suite() {
        use hpke::aead::Aead;
        use hpke::kdf::Kdf;
        let vector = vector();
        assert_eq!(vector.mode, 0);
        assert_eq!(vector.kem_id, X25519HkdfSha256::KEM_ID);
        assert_eq!(vector.kdf_id, HkdfSha256::KDF_ID);
        assert_eq!(vector.aead_id, ChaCha20Poly1305::AEAD_ID);
    }

    #[test]
    fn keys_agree_with_rfc_9180() {
        let vector = vector();
        let private = vector_private(&vector);
        assert_eq!(hex::encode(private.public_key().as_bytes()), vector.pk_r);
        let (derived, _) = X25519HkdfSha256::derive_keypair(&bytes(&vector.ikm_r));
        assert_eq!(
            hex::encode(derived.to_bytes()),
            hex::encode(private.to_secret().expose())
        );
    }

    #[test]
    fn opening_agrees_with_rfc_9180() {
        let vector = vector();
        let first = &vector.encryptions[0];
        assert_eq!(first.sequence, 0);
        let sealed = [bytes(&vector.enc), bytes(&first.ct)].concat();
        let opened = open_with(
            &vector_private(&vector),
            &bytes(&vector.info),
            &bytes(&first.aad),
            &sealed,
        );
        assert_eq!(*opened.unwrap(), bytes(&vector.pt));
    }

    #[test]
    fn a_key_survives_its_bytes() {
        let (private, public) = generate().unwrap();
        let again = PrivateKey::from_secret(&private.to_secret()).unwrap();
        assert_eq!(again.public_key(), public);
        assert_eq!(PublicKey::from_bytes(public.as_bytes()).unwrap(), public);
        assert_eq!(private.key_id(), public.key_id());
        assert_eq!(public.id(), Sha256::digest(public.as_bytes())[..ID_LEN]);
        assert_eq!(public.key_id(), hex::encode(public.id()));
        assert_ne!(generate().unwrap().1, public);
    }

    #[test]
    fn bad_keys_are_refused() {
        assert_eq!(PublicKey::from_bytes(&[1; 31]), Err(VaultError::Damaged));
        let degenerate = PublicKey::from_bytes(&[0; 32]).unwrap();
        assert_eq!(
            seal_to(&degenerate, b"", b"", b"x"),
            Err(VaultError::WrongKey)
        );
    }

    #[test]
    fn only_the_right_key_info_and_aad_open() {
        let (private, public) = generate().unwrap();
        let sealed = seal_to(&public, b"info", b"aad", b"segreto").unwrap();
        assert_eq!(
            **open_with(&private, b"info", b"aad", &sealed).unwrap(),
            *b"segreto"
        );
        assert_ne!(
            seal_to(&public, b"info", b"aad", b"segreto").unwrap(),
            sealed
        );
        let (other, _) = generate().unwrap();
        for result in [
            open_with(&other, b"info", b"aad", &sealed),
            open_with(&private, b"inf", b"aad", &sealed),
            open_with(&private, b"info", b"aa", &sealed),
            open_with(&private, b"info", b"aad", &sealed[..31]),
            open_with(&private, b"info", b"aad", &[]),
        ] {
            assert_eq!(result, Err(VaultError::Damaged));
        }
    }
}
