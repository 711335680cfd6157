//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) as rows, slots and tokens use it: one blob `1 ‖ nonce (24) ‖ ciphertext ‖
//! tag (16)`, bound to its place. Nonces are random, or a MAC of the plaintext: they must never be a counter, and a blob must
//! never be sealed without saying where it belongs.
//!
//! `HChaCha20` makes a key for the one blob out of key and nonce; what follows is ring's ChaCha20-Poly1305 (RFC 8439).

use chacha20::{R20, hchacha};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroize;

use super::{Secret32, VaultError, secret};

const FORMAT: u8 = 1;
pub(super) const NONCE_LEN: usize = 24;
const TAG_LEN: usize = 16;
/// The number of bytes that sealing adds.
pub(super) const OVERHEAD: usize = 1 + NONCE_LEN + TAG_LEN;

/// Seals under a random nonce.
pub(super) fn seal(
    key: &Secret32,
    place: &[&[u8]],
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    seal_with_nonce(key, place, &secret::random()?, plaintext)
}

/// Like [`seal`], with a nonce chosen by the caller, which must never be used for two plaintexts.
pub(super) fn seal_with_nonce(
    key: &Secret32,
    place: &[&[u8]],
    nonce: &[u8; NONCE_LEN],
    plaintext: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let mut blob = Vec::with_capacity(1 + NONCE_LEN + plaintext.len() + TAG_LEN);
    blob.push(FORMAT);
    blob.extend_from_slice(nonce);
    blob.extend_from_slice(plaintext);
    let (cipher, nonce) = cipher(key, nonce)?;
    let (_, body) = blob.split_at_mut(1 + NONCE_LEN);
    let tag = cipher
        .seal_in_place_separate_tag(nonce, Aad::from(associated_data(place)), body)
        .map_err(|_| VaultError::TooLong)?;
    blob.extend_from_slice(tag.as_ref());
    Ok(blob)
}

pub(super) fn open(key: &Secret32, place: &[&[u8]], blob: &[u8]) -> Result<Vec<u8>, VaultError> {
    let mut plaintext = Vec::new();
    open_into(key, place, blob, &mut plaintext)?;
    Ok(plaintext)
}

/// Like [`open`], into a buffer that may have held another plaintext.
pub(super) fn open_into(
    key: &Secret32,
    place: &[&[u8]],
    blob: &[u8],
    plaintext: &mut Vec<u8>,
) -> Result<(), VaultError> {
    let parts = blob
        .strip_prefix(&[FORMAT])
        .and_then(<[u8]>::split_first_chunk);
    let (nonce, sealed) = parts.ok_or(VaultError::Damaged)?;
    let (cipher, nonce) = cipher(key, nonce)?;
    plaintext.clear();
    plaintext.extend_from_slice(sealed);
    let opened = cipher.open_in_place(nonce, Aad::from(associated_data(place)), plaintext);
    let len = opened.map_err(|_| VaultError::Damaged)?.len();
    plaintext.truncate(len);
    Ok(())
}

fn cipher(key: &Secret32, nonce: &[u8; NONCE_LEN]) -> Result<(LessSafeKey, Nonce), VaultError> {
    let (derivation, rest) = nonce.split_at(16);
    let derivation = derivation.try_into().map_err(|_| VaultError::Damaged)?;
    let mut subkey = hchacha::<R20>(key.expose().into(), derivation);
    let bound = UnboundKey::new(&CHACHA20_POLY1305, &subkey);
    subkey.as_mut_slice().zeroize();
    let mut short = [0; ring::aead::NONCE_LEN];
    short[4..].copy_from_slice(rest);
    let cipher = LessSafeKey::new(bound.map_err(|_| VaultError::Damaged)?);
    Ok((cipher, Nonce::assume_unique_for_key(short)))
}

/// The format, then each part after its length, so that different places never give the same bytes.
fn associated_data(place: &[&[u8]]) -> Vec<u8> {
    let length: usize = place.iter().map(|part| 8 + part.len()).sum();
    let mut data = Vec::with_capacity(1 + length);
    data.push(FORMAT);
    for part in place {
        data.extend_from_slice(&(part.len() as u64).to_be_bytes());
        data.extend_from_slice(part);
    }
    data
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::{Aead, Payload};
    use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
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

    /// Another implementation of the cipher, to compare with.
    fn reference(key: &Secret32) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(key.expose().into())
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
            reference(&key)
                .encrypt(&XNonce::from(nonce), payload)
                .unwrap(),
            expected
        );

        // Associated data does not enter the keystream: our own blob carries the draft's ciphertext, under another tag.
        let blob = seal_with_nonce(&key, &[], &nonce, &plaintext).unwrap();
        assert_eq!(blob[0], 1);
        assert_eq!(blob[1..=NONCE_LEN], nonce);
        assert_eq!(
            blob[1 + NONCE_LEN..blob.len() - TAG_LEN],
            bytes(&vector.ciphertext)
        );
        assert_ne!(blob[blob.len() - TAG_LEN..], bytes(&vector.tag));
        assert_eq!(open(&key, &[], &blob).unwrap(), plaintext);
    }

    #[test]
    fn cut_and_foreign_blobs_are_refused() {
        let key = Secret32::random().unwrap();
        let blob = seal(&key, &[b"here"], b"x").unwrap();
        for len in 0..blob.len() {
            assert_eq!(
                open(&key, &[b"here"], &blob[..len]),
                Err(VaultError::Damaged),
                "{len}"
            );
        }
        let another_format = [&[2], &blob[1..]].concat();
        assert_eq!(
            open(&key, &[b"here"], &another_format),
            Err(VaultError::Damaged)
        );
        let other = Secret32::random().unwrap();
        assert_eq!(open(&other, &[b"here"], &blob), Err(VaultError::Damaged));
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_and_is_only_longer(plaintext in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let key = Secret32::random().unwrap();
            let blob = seal(&key, &[b"a", b""], &plaintext).unwrap();
            prop_assert_eq!(blob.len(), plaintext.len() + 1 + NONCE_LEN + TAG_LEN);
            prop_assert_eq!(open(&key, &[b"a", b""], &blob).unwrap(), plaintext);
        }

        #[test]
        fn it_seals_what_another_implementation_opens_and_the_other_way_round(
            key in any::<[u8; 32]>(), nonce in any::<[u8; NONCE_LEN]>(),
            place in proptest::collection::vec(any::<u8>(), 0..100),
            plaintext in proptest::collection::vec(any::<u8>(), 0..2000),
            at in any::<proptest::sample::Index>(), bit in 0_u8..8,
        ) {
            let key = Secret32::from_slice(&key).unwrap();
            let aad = associated_data(&[&place]);
            let payload = Payload { msg: &plaintext, aad: &aad };
            let theirs = reference(&key).encrypt(&XNonce::from(nonce), payload).unwrap();
            let mut blob = seal_with_nonce(&key, &[&place], &nonce, &plaintext).unwrap();
            prop_assert_eq!(&blob[1 + NONCE_LEN..], &theirs[..]);
            let mut room = vec![7; 3000];
            open_into(&key, &[&place], &blob, &mut room).unwrap();
            prop_assert_eq!(&room, &plaintext);
            // Any bit of nonce, ciphertext or tag; another place; another key.
            let elsewhere = [place.as_slice(), b"x"].concat();
            prop_assert_eq!(open(&key, &[&elsewhere], &blob), Err(VaultError::Damaged));
            let other = Secret32::random().unwrap();
            prop_assert_eq!(open(&other, &[&place], &blob), Err(VaultError::Damaged));
            let at = at.index(blob.len());
            blob[at] ^= 1 << bit;
            prop_assert_eq!(open(&key, &[&place], &blob), Err(VaultError::Damaged));
        }
    }
}
