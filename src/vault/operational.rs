//! Uses of the operational key, each under its own subkey: conversation tokens (PRODUCT.md §2), keyed fingerprints, and
//! data that the program must read at any time. The last are also sealed to the newsroom, in case the operational key
//! is replaced. Tokens are deterministic: must never hold a plaintext that two people may share (the receipt's code
//! inside prevents that), nor open a kept blob at another place than its own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Secret32, Vault, VaultError, aead, keypair};

const TOKEN: &[u8] = b"segnalazioni conversation";
const KEPT: &[u8] = b"segnalazioni kept";
const NEWSROOM: &[u8] = b"segnalazioni kept 1";
const FINGERPRINT_LEN: usize = 16;

type HmacSha256 = Hmac<Sha256>;

/// Proves that bytes were made with the operational key.
#[derive(Clone)]
pub struct Stamp {
    key: HmacSha256,
    id: String,
}

impl Stamp {
    pub(super) fn new(operational: &Secret32, id: String) -> Result<Self, VaultError> {
        let key = mac(operational, "segnalazioni authenticity 1")?;
        Ok(Self { key, id })
    }

    pub fn key_id(&self) -> &str {
        &self.id
    }

    /// The MAC of these parts at their place. Each part follows its length, so that different lists never give the same bytes.
    pub fn mark<'p>(&self, place: &'p str, parts: impl IntoIterator<Item = &'p [u8]>) -> [u8; 32] {
        let all = std::iter::once(place.as_bytes()).chain(parts);
        let mac = all.fold(self.key.clone(), |mac, part| {
            mac.chain_update((part.len() as u64).to_be_bytes())
                .chain_update(part)
        });
        mac.finalize().into_bytes().into()
    }
}

/// Compares in constant time.
pub fn is_mark(mark: &[u8; 32], stored: &[u8]) -> bool {
    mark.ct_eq(stored).into()
}

#[derive(Clone)]
pub(super) struct Operational {
    seal: Secret32,
    kept: Secret32,
    nonce: HmacSha256,
    fingerprint: HmacSha256,
    client: HmacSha256,
    stamp: Stamp,
}

impl Operational {
    pub(super) fn new(operational: &Secret32, stamp: Stamp) -> Result<Self, VaultError> {
        Ok(Self {
            stamp,
            seal: operational.subkey("segnalazioni conversation seal 1")?,
            kept: operational.subkey("segnalazioni kept seal 1")?,
            nonce: mac(operational, "segnalazioni conversation nonce 1")?,
            fingerprint: mac(operational, "segnalazioni fingerprint 1")?,
            client: mac(operational, "segnalazioni client mask 1")?,
        })
    }
}

impl Vault {
    /// Seals a conversation (PRODUCT.md §2). The nonce is a MAC of the plaintext, as in SIV (RFC 5297): equal plaintexts give
    /// equal tokens, and two plaintexts never share a nonce.
    pub fn seal_token(&self, plaintext: &[u8]) -> Result<String, VaultError> {
        let keys = &self.operational;
        let nonce = truncated(&keys.nonce, plaintext);
        let blob = aead::seal_with_nonce(&keys.seal, &[TOKEN], &nonce, plaintext)?;
        Ok(URL_SAFE_NO_PAD.encode(blob))
    }

    pub fn open_token(&self, token: &str) -> Result<Vec<u8>, VaultError> {
        let blob = URL_SAFE_NO_PAD.decode(token);
        let opened = blob.map(|blob| aead::open(&self.operational.seal, &[TOKEN], &blob));
        opened.ok().and_then(Result::ok).ok_or(VaultError::BadToken)
    }

    /// The beginning of the nonce, a MAC of the content: it identifies a token.
    pub fn token_hash(token: &str) -> [u8; FINGERPRINT_LEN] {
        let begin = token.get(..24).map(|begin| URL_SAFE_NO_PAD.decode(begin));
        let begin = begin.and_then(Result::ok).unwrap_or_default();
        let mark = begin.get(1..).and_then(<[u8]>::first_chunk);
        mark.copied().unwrap_or_default()
    }

    /// A keyed fingerprint, which reveals nothing of the text without the operational key.
    pub fn fingerprint(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        truncated(&self.operational.fingerprint, bytes)
    }

    /// A keyed mask of a client's address for the limits, so that no address is kept in memory.
    pub fn mask_client(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        truncated(&self.operational.client, bytes)
    }

    pub fn stamp(&self) -> &Stamp {
        &self.operational.stamp
    }

    pub fn seal_operational(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let place = [KEPT, table.as_bytes(), id.as_bytes()];
        aead::seal(&self.operational.kept, &place, plaintext)
    }

    /// Equal plaintexts give equal results: the nonce is a MAC of table, id and plaintext.
    pub fn seal_operational_equal(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let keys = &self.operational;
        let parts = [table.as_bytes(), id.as_bytes(), plaintext];
        let mark = keys.stamp.mark("kept nonce", parts);
        let nonce = mark.first_chunk().ok_or(VaultError::TooLong)?;
        let place = [KEPT, table.as_bytes(), id.as_bytes()];
        aead::seal_with_nonce(&keys.kept, &place, nonce, plaintext)
    }

    pub fn open_operational(
        &self,
        table: &str,
        id: &str,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let place = [KEPT, table.as_bytes(), id.as_bytes()];
        aead::open(&self.operational.kept, &place, sealed).map(Zeroizing::new)
    }

    pub fn seal_to_newsroom(
        &self,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let place = associated_data(table, id);
        keypair::seal_to(&self.public, NEWSROOM, &place, plaintext)
    }

    pub fn open_from_newsroom(
        &self,
        table: &str,
        id: &str,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let place = associated_data(table, id);
        keypair::open_with(&self.private_key()?, NEWSROOM, &place, sealed)
    }
}

/// Table and id, separated by a byte that neither holds.
fn associated_data(table: &str, id: &str) -> Vec<u8> {
    [table.as_bytes(), &[0], id.as_bytes()].concat()
}

fn mac(operational: &Secret32, label: &str) -> Result<HmacSha256, VaultError> {
    let key = operational.subkey(label)?;
    HmacSha256::new_from_slice(key.expose()).map_err(|_| VaultError::TooLong)
}

fn truncated<const N: usize>(mac: &HmacSha256, bytes: &[u8]) -> [u8; N] {
    const { assert!(N <= 32) };
    let full = mac.clone().chain_update(bytes).finalize().into_bytes();
    let mut short = [0; N];
    short.copy_from_slice(&full[..N]);
    short
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::vault::KeyFile;

    fn vault(file: &KeyFile) -> Vault {
        Vault::new(file, file.newsroom.as_ref().unwrap().public_key()).unwrap()
    }

    fn file() -> KeyFile {
        let mut file = KeyFile::generate().unwrap();
        file.newsroom = Some(keypair::generate().unwrap().0);
        file
    }

    fn fresh() -> Vault {
        vault(&file())
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
    fn the_format_of_tokens_is_the_pinned_one() {
        let vector: Vector =
            serde_json::from_str(include_str!("../../tests/vectors/token.json")).unwrap();
        let mut file = file();
        let key = hex::decode(&vector.operational).unwrap();
        file.operational = Secret32::from_slice(&key).unwrap();
        let keys = vault(&file);
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
        let (ours, theirs) = (fresh(), fresh());
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
        let keys = fresh();
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

    proptest! {
        #[test]
        fn only_what_was_sealed_here_opens(
            said in prop::collection::vec(any::<u8>(), 0..300), noise in "[A-Za-z0-9_-]{0,120}|.*",
            at in any::<prop::sample::Index>(), bit in 0_u8..7,
        ) {
            static KEYS: LazyLock<Vault> = LazyLock::new(fresh);
            let mut token = KEYS.seal_token(&said).unwrap();
            prop_assert_eq!(KEYS.open_token(&token), Ok(said));
            prop_assert_eq!(KEYS.open_token(&noise), Err(VaultError::BadToken));
            let place = at.index(token.len());
            let other = char::from(token.as_bytes()[place] ^ (1 << bit));
            token.replace_range(place..=place, &other.to_string());
            prop_assert_eq!(KEYS.open_token(&token), Err(VaultError::BadToken));
        }
    }

    /// Secrets outlive upgrades, so the format is pinned: operational key 00…1f, nonce 100…123, made with Python as the
    /// tokens' vector was.
    #[test]
    fn the_format_of_secrets_is_the_pinned_one() {
        const SEALED: &str = "016465666768696a6b6c6d6e6f707172737475767778797a7b\
                              d53ce364dd9a0cd9d792067f357005824c8694155649";
        let mut file = file();
        let key: Vec<u8> = (0..32).collect();
        file.operational = Secret32::from_slice(&key).unwrap();
        let opened = vault(&file)
            .open_operational("secrets", "smtp_password", &hex::decode(SEALED).unwrap())
            .unwrap();
        assert_eq!(*opened, b"valore");
    }

    #[test]
    fn each_opens_at_its_own_place_only() {
        let vault = vault(&file());
        let sealed = vault.seal_operational("secrets", "a", b"valore").unwrap();
        assert_eq!(
            *vault.open_operational("secrets", "a", &sealed).unwrap(),
            b"valore"
        );
        let equal = |id: &str, text: &[u8]| {
            let sealed = vault.seal_operational_equal("secrets", id, text).unwrap();
            let opened = vault.open_operational("secrets", id, &sealed).unwrap();
            assert_eq!(*opened, text);
            sealed
        };
        assert_eq!(equal("a", b"valore"), equal("a", b"valore"));
        assert_ne!(equal("a", b"valore")[..25], equal("b", b"valore")[..25]);
        assert_ne!(equal("a", b"valore")[..25], equal("a", b"valora")[..25]);
        for (table, id) in [("secrets", "b"), ("deliveries", "a"), ("secretsa", "")] {
            assert_eq!(
                vault.open_operational(table, id, &sealed),
                Err(VaultError::Damaged)
            );
        }
        let sealed = vault.seal_to_newsroom("secrets", "a", b"valore").unwrap();
        assert_eq!(
            *vault.open_from_newsroom("secrets", "a", &sealed).unwrap(),
            b"valore"
        );
        assert_eq!(
            vault.open_from_newsroom("secrets", "b", &sealed),
            Err(VaultError::Damaged)
        );
    }

    #[test]
    fn another_machine_opens_only_the_newsrooms_copy() {
        let mut there = file();
        let sealed = vault(&there)
            .seal_operational("secrets", "a", b"valore")
            .unwrap();
        let to_newsroom = vault(&there)
            .seal_to_newsroom("secrets", "a", b"valore")
            .unwrap();
        there.operational = Secret32::random().unwrap();
        let here = vault(&there);
        assert_eq!(
            here.open_operational("secrets", "a", &sealed),
            Err(VaultError::Damaged)
        );
        assert_eq!(
            *here
                .open_from_newsroom("secrets", "a", &to_newsroom)
                .unwrap(),
            b"valore"
        );
        let private = there.newsroom.take().unwrap();
        let locked = Vault::new(&there, private.public_key()).unwrap();
        assert_eq!(
            locked.open_from_newsroom("secrets", "a", &to_newsroom),
            Err(VaultError::Locked)
        );
    }
}
