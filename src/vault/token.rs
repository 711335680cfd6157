//! What lives under the operational key: conversation tokens (PRODUCT.md §3), keyed fingerprints and what is kept for the
//! program itself, each under a subkey of its own. Tokens are deterministic, so they must never carry a plaintext that two
//! people may share: the random report id inside sees to that.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Secret32, VaultError, aead};

/// The first format of a token: base64url of `1 ‖ nonce (24) ‖ ciphertext ‖ tag (16)`.
const TOKEN_FORMAT: u8 = 1;
/// Keeps tokens apart from every other use of the cipher.
const PURPOSE: &[u8] = b"segnalazioni conversation";
/// The first format of what is kept: `1 ‖ nonce (24) ‖ ciphertext ‖ tag (16)`.
const KEPT_FORMAT: u8 = 1;
/// Keeps what is kept apart from every other use of the cipher.
const KEPT: &[u8] = b"segnalazioni kept";
/// Length of a fingerprint and of a masked address, in bytes.
pub const FINGERPRINT_LEN: usize = 16;

type HmacSha256 = Hmac<Sha256>;

/// The subkeys of the operational key, derived once.
pub(super) struct Operational {
    seal: Secret32,
    kept: Secret32,
    nonce: HmacSha256,
    fingerprint: HmacSha256,
    client: HmacSha256,
}

impl Operational {
    pub(super) fn new(operational: &Secret32) -> Result<Self, VaultError> {
        Ok(Self {
            seal: operational.subkey("segnalazioni conversation seal 1")?,
            kept: operational.subkey("segnalazioni kept seal 1")?,
            nonce: mac(operational, "segnalazioni conversation nonce 1")?,
            fingerprint: mac(operational, "segnalazioni fingerprint 1")?,
            client: mac(operational, "segnalazioni client mask 1")?,
        })
    }

    /// The nonce is a MAC of the plaintext, as in SIV (RFC 5297): the same plaintext gives the same token, and two
    /// plaintexts never share a nonce.
    pub(super) fn seal_token(&self, plaintext: &[u8]) -> Result<String, VaultError> {
        let nonce = truncated(&self.nonce, plaintext);
        let blob = aead::seal_with_nonce(&self.seal, TOKEN_FORMAT, &[PURPOSE], &nonce, plaintext)?;
        Ok(URL_SAFE_NO_PAD.encode(blob))
    }

    pub(super) fn open_token(&self, token: &str) -> Result<Vec<u8>, VaultError> {
        let blob = URL_SAFE_NO_PAD
            .decode(token)
            .map_err(|_| VaultError::BadToken)?;
        aead::open(&self.seal, TOKEN_FORMAT, &[PURPOSE], &blob).map_err(|_| VaultError::BadToken)
    }

    pub(super) fn seal_kept(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let place = [KEPT, table.as_bytes(), id.as_bytes()];
        aead::seal(&self.kept, KEPT_FORMAT, &place, plaintext)
    }

    pub(super) fn open_kept(
        &self,
        table: &str,
        id: &str,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let place = [KEPT, table.as_bytes(), id.as_bytes()];
        aead::open(&self.kept, KEPT_FORMAT, &place, sealed)
    }

    pub(super) fn fingerprint(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        truncated(&self.fingerprint, bytes)
    }

    pub(super) fn mask_client(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        truncated(&self.client, bytes)
    }
}

fn mac(operational: &Secret32, label: &str) -> Result<HmacSha256, VaultError> {
    let key = operational.subkey(label)?;
    HmacSha256::new_from_slice(key.expose()).map_err(|_| VaultError::TooLong)
}

/// The first `N` bytes, at most 32, of HMAC-SHA256.
fn truncated<const N: usize>(mac: &HmacSha256, bytes: &[u8]) -> [u8; N] {
    const { assert!(N <= 32) };
    let full = mac.clone().chain_update(bytes).finalize().into_bytes();
    let mut short = [0; N];
    short.copy_from_slice(&full[..N]);
    short
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn operational() -> Operational {
        Operational::new(&Secret32::random().unwrap()).unwrap()
    }

    #[derive(Deserialize)]
    struct Vector {
        operational: String,
        plaintext: String,
        token: String,
        fingerprint: String,
        client: String,
    }

    /// A token outlives restarts and upgrades, so its format is pinned by values made with other software.
    #[test]
    fn the_format_is_the_pinned_one() {
        let vector: Vector =
            serde_json::from_str(include_str!("../../tests/vectors/token.json")).unwrap();
        let key = Secret32::from_slice(&hex::decode(&vector.operational).unwrap()).unwrap();
        let keys = Operational::new(&key).unwrap();
        assert_eq!(
            keys.seal_token(vector.plaintext.as_bytes()).unwrap(),
            vector.token
        );
        assert_eq!(
            keys.open_token(&vector.token).unwrap(),
            vector.plaintext.as_bytes()
        );
        assert_eq!(
            hex::encode(keys.fingerprint(vector.plaintext.as_bytes())),
            vector.fingerprint
        );
        assert_eq!(
            hex::encode(keys.mask_client(vector.plaintext.as_bytes())),
            vector.client
        );
    }

    #[test]
    fn a_token_is_stable_and_foreign_ones_are_refused() {
        let (ours, theirs) = (operational(), operational());
        let token = ours.seal_token(b"stato").unwrap();
        assert_eq!(ours.seal_token(b"stato").unwrap(), token);
        assert_ne!(ours.seal_token(b"stata").unwrap()[..20], token[..20]);
        assert_eq!(
            ours.open_token(&theirs.seal_token(b"stato").unwrap()),
            Err(VaultError::BadToken)
        );
    }

    #[test]
    fn malformed_tokens_are_refused() {
        let keys = operational();
        let token = keys.seal_token(b"stato").unwrap();
        for end in 0..token.len() {
            assert_eq!(
                keys.open_token(&token[..end]),
                Err(VaultError::BadToken),
                "{end}"
            );
        }
        for bad in [
            format!("{token}A"),
            format!("{token}="),
            format!(" {token}"),
            "è".repeat(40),
        ] {
            assert_eq!(keys.open_token(&bad), Err(VaultError::BadToken), "{bad}");
        }
    }
}
