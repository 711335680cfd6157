//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) as rows, slots and tokens use it: one blob that holds format, nonce and
//! ciphertext, bound to its place. Nonces are random, or a MAC of the plaintext: they must never be a counter, and a
//! blob must never be sealed without saying where it belongs.

use chacha20poly1305::{AeadInOut, Key, KeyInit, Tag, XChaCha20Poly1305, XNonce};

use super::{Secret32, VaultError, secret};

/// Length of the nonce, in bytes: long enough that random ones do not meet.
pub(super) const NONCE_LEN: usize = 24;
/// Length of the Poly1305 tag, in bytes.
const TAG_LEN: usize = 16;
/// What sealing adds to a plaintext, in bytes: format, nonce, tag.
pub(super) const OVERHEAD: usize = 1 + NONCE_LEN + TAG_LEN;

/// Seals under a random nonce: `format ‖ nonce ‖ ciphertext ‖ tag`, bound to `format` and to the parts of `place`.
pub(super) fn seal(
    key: &Secret32,
    format: u8,
    place: &[&[u8]],
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    seal_with_nonce(key, format, place, &secret::random()?, plaintext)
}

/// Like [`seal`], under a nonce the caller vouches for: the same one must never meet two plaintexts.
pub(super) fn seal_with_nonce(
    key: &Secret32,
    format: u8,
    place: &[&[u8]],
    nonce: &[u8; NONCE_LEN],
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let mut blob = Vec::with_capacity(plaintext.len() + OVERHEAD);
    blob.push(format);
    blob.extend_from_slice(nonce);
    blob.extend_from_slice(plaintext);
    let (_, body) = blob.split_at_mut(1 + NONCE_LEN);
    let tag = cipher(key)
        .encrypt_inout_detached(
            &XNonce::from(*nonce),
            &associated_data(format, place),
            body.into(),
        )
        .map_err(|_| VaultError::TooLong)?;
    blob.extend_from_slice(&tag);
    Ok(blob)
}

/// Opens what [`seal`] made with the same key, format and place.
pub(super) fn open(
    key: &Secret32,
    format: u8,
    place: &[&[u8]],
    blob: &[u8],
) -> Result<Vec<u8>, VaultError> {
    match blob.first() {
        None => return Err(VaultError::Damaged),
        Some(&found) if found != format => return Err(VaultError::UnknownFormat(found)),
        Some(_) => {}
    }
    let (nonce, rest) = blob[1..]
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(VaultError::Damaged)?;
    let (body, tag) = rest
        .split_last_chunk::<TAG_LEN>()
        .ok_or(VaultError::Damaged)?;
    let mut plaintext = body.to_vec();
    cipher(key)
        .decrypt_inout_detached(
            &XNonce::from(*nonce),
            &associated_data(format, place),
            plaintext.as_mut_slice().into(),
            &Tag::from(*tag),
        )
        .map_err(|_| VaultError::Damaged)?;
    Ok(plaintext)
}

fn cipher(key: &Secret32) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(<&Key>::from(key.expose()))
}

/// The format, then each part after its length: no two places give the same bytes.
fn associated_data(format: u8, place: &[&[u8]]) -> Vec<u8> {
    let mut data = vec![format];
    for part in place {
        data.extend_from_slice(&(part.len() as u64).to_be_bytes());
        data.extend_from_slice(part);
    }
    data
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::{Aead, Payload};
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vector {
        key: String,
        nonce: String,
        aad: String,
        plaintext: String,
        ciphertext: String,
        tag: String,
    }

    fn bytes(text: &str) -> Vec<u8> {
        hex::decode(text).unwrap()
    }

    #[test]
    fn the_cipher_agrees_with_the_draft() {
        let vector: Vector =
            serde_json::from_str(include_str!("../../tests/vectors/xchacha20poly1305.json"))
                .unwrap();
        let key = Secret32::from_slice(&bytes(&vector.key)).unwrap();
        let nonce: [u8; NONCE_LEN] = bytes(&vector.nonce).try_into().unwrap();
        let expected = [bytes(&vector.ciphertext), bytes(&vector.tag)].concat();
        let (plaintext, aad) = (bytes(&vector.plaintext), bytes(&vector.aad));
        let payload = Payload {
            msg: &plaintext,
            aad: &aad,
        };
        assert_eq!(
            cipher(&key).encrypt(&XNonce::from(nonce), payload).unwrap(),
            expected
        );

        // Associated data does not enter the keystream: our own blob carries the draft's ciphertext, under another tag.
        let blob = seal_with_nonce(&key, 1, &[], &nonce, &plaintext).unwrap();
        assert_eq!(blob[0], 1);
        assert_eq!(blob[1..=NONCE_LEN], nonce);
        assert_eq!(
            blob[1 + NONCE_LEN..blob.len() - TAG_LEN],
            bytes(&vector.ciphertext)
        );
        assert_ne!(blob[blob.len() - TAG_LEN..], bytes(&vector.tag));
        assert_eq!(open(&key, 1, &[], &blob).unwrap(), plaintext);
    }

    #[test]
    fn cut_and_foreign_blobs_are_refused() {
        let key = Secret32::random().unwrap();
        let blob = seal(&key, 1, &[b"here"], b"x").unwrap();
        for len in 0..blob.len() {
            assert_eq!(
                open(&key, 1, &[b"here"], &blob[..len]),
                Err(VaultError::Damaged),
                "{len}"
            );
        }
        assert_eq!(
            open(&key, 2, &[b"here"], &blob),
            Err(VaultError::UnknownFormat(1))
        );
        let other = Secret32::random().unwrap();
        assert_eq!(open(&other, 1, &[b"here"], &blob), Err(VaultError::Damaged));
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_and_is_only_longer(plaintext in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let key = Secret32::random().unwrap();
            let blob = seal(&key, 3, &[b"a", b""], &plaintext).unwrap();
            prop_assert_eq!(blob.len(), plaintext.len() + OVERHEAD);
            prop_assert_eq!(open(&key, 3, &[b"a", b""], &blob).unwrap(), plaintext);
        }

    }
}
