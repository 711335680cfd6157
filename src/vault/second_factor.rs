//! A person's second factor: the secret of a TOTP (RFC 6238), and recovery codes for a lost device, sealed under the key of the
//! password's slot. Must never accept a code twice, nor be stored open.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use totp_rs::{Builder, Secret, Totp};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::keypair::{ID_LEN, id_of};
use super::recovery::{letters, read_letters};
use super::{Secret32, VaultError, aead, secret};

const PURPOSE: &[u8] = b"segnalazioni second factor";
/// The length of the secret in bytes, as RFC 4226 recommends.
const SECRET_LEN: usize = 20;
const RECOVERY_CODES: usize = 10;
const STEP_SECONDS: u64 = 30;
/// A code further ahead (steps) was accepted while the clock was wrong.
const AHEAD: u64 = 2;
/// The number of latest codes that are kept: more than are valid at one moment.
const USED_KEPT: usize = 8;
/// The bytes of a recovery code: 64 random bits, beside the password.
const CODE_LEN: usize = 8;

pub fn new_totp_secret() -> Result<Zeroizing<String>, VaultError> {
    let bytes = Zeroizing::new(secret::random::<SECRET_LEN>()?);
    Ok(Zeroizing::new(Secret::from(bytes.to_vec()).to_base32()))
}

/// The content of a QR code (`otpauth:`).
pub fn totp_uri(secret: &str, issuer: &str, account: &str) -> Result<String, VaultError> {
    let plain = |text: &str| text.replace(':', " ");
    let secret = Secret::try_from_base32(secret).map_err(|_| VaultError::Damaged)?;
    let totp = Builder::new()
        .with_secret(secret)
        .with_issuer(Some(plain(issuer)))
        .with_account_name(plain(account))
        .build();
    totp.and_then(|totp| totp.to_url())
        .map_err(|_| VaultError::Damaged)
}

#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct TotpFactor {
    #[serde(with = "hex")]
    secret: [u8; SECRET_LEN],
    /// Steps of the latest codes, the newest at the end: they and older ones are refused.
    used: Vec<u64>,
    codes: Vec<[u8; ID_LEN]>,
}

impl TotpFactor {
    /// A new factor and its recovery codes; `None` if the typed code does not fit the secret.
    pub fn begin(
        secret: &str,
        typed: &str,
        now_ms: i64,
    ) -> Result<Option<(Self, Vec<String>)>, VaultError> {
        let secret = Secret::try_from_base32(secret.trim()).map_err(|_| VaultError::Damaged)?;
        let secret = secret.as_bytes().try_into();
        let secret: [u8; SECRET_LEN] = secret.map_err(|_| VaultError::Damaged)?;
        let mut factor = Self {
            secret,
            used: Vec::new(),
            codes: Vec::new(),
        };
        if !factor.accept(typed, now_ms)? {
            return Ok(None);
        }
        let mut shown = Vec::new();
        for _ in 0..RECOVERY_CODES {
            let code = Zeroizing::new(secret::random::<CODE_LEN>()?);
            factor.codes.push(id_of(&code[..]));
            shown.push(letters(&*code));
        }
        Ok(Some((factor, shown)))
    }

    pub fn seal(&self, slot_key: &Secret32, person: &str) -> Result<Vec<u8>, VaultError> {
        let bytes = serde_json::to_vec(self).map_err(|_| VaultError::Damaged)?;
        aead::seal(
            slot_key,
            &[PURPOSE, person.as_bytes()],
            &Zeroizing::new(bytes),
        )
    }

    pub fn open(slot_key: &Secret32, person: &str, sealed: &[u8]) -> Result<Self, VaultError> {
        let bytes = aead::open(slot_key, &[PURPOSE, person.as_bytes()], sealed)?;
        serde_json::from_slice(&Zeroizing::new(bytes)).map_err(|_| VaultError::Damaged)
    }

    /// Accepts a code of the app or a recovery code, once.
    pub fn accept(&mut self, typed: &str, now_ms: i64) -> Result<bool, VaultError> {
        let digits: String = typed.chars().filter(|one| !one.is_whitespace()).collect();
        let seconds = u64::try_from(now_ms / 1_000).unwrap_or_default();
        if let Some(step) = totp(&self.secret)?.check(&digits, seconds) {
            return Ok(self.take(step, seconds / STEP_SECONDS));
        }
        let Ok(code) = read_letters::<CODE_LEN>(typed) else {
            return Ok(false);
        };
        let typed = id_of(&code[..]);
        let before = self.codes.len();
        self.codes.retain(|kept| !bool::from(kept.ct_eq(&typed)));
        Ok(self.codes.len() < before)
    }
}

impl TotpFactor {
    /// Accepts a step once. If the last step lies ahead, the clock was wrong then and was corrected: the owner would be shut
    /// out until that moment, so only the codes themselves are compared.
    fn take(&mut self, step: u64, now: u64) -> bool {
        let later = self
            .used
            .last()
            .is_none_or(|last| step > *last || *last > now + AHEAD);
        let fresh = later && !self.used.contains(&step);
        if fresh {
            let surplus = (self.used.len() + 1).saturating_sub(USED_KEPT);
            self.used.drain(..surplus);
            self.used.push(step);
        }
        fresh
    }
}

fn totp(secret: &[u8]) -> Result<Totp, VaultError> {
    let built = Builder::new().with_secret(secret.to_vec()).build();
    built.map_err(|_| VaultError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B, and the last six digits of its codes for SHA-1.
    const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const CODES: [(i64, &str); 3] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (20_000_000_000, "353130"),
    ];

    #[test]
    fn codes_are_those_of_rfc_6238_and_serve_once() {
        for (seconds, code) in CODES {
            let begun = TotpFactor::begin(SECRET, code, seconds * 1_000).unwrap();
            let (mut factor, shown) = begun.expect("the right code");
            assert_eq!(shown.len(), 10);
            assert!(!factor.accept(code, seconds * 1_000).unwrap(), "again");
            for again in [true, false] {
                let typed = shown[3].to_lowercase().replace('-', " ");
                assert_eq!(factor.accept(&typed, 0).unwrap(), again);
            }
            assert!(factor.accept(&shown[9], 0).unwrap());
        }
        assert!(
            TotpFactor::begin(SECRET, "287083", 59_000)
                .unwrap()
                .is_none()
        );
        assert!(TotpFactor::begin(SECRET, "", 59_000).unwrap().is_none());
        assert!(TotpFactor::begin("GEZDGNBV", "287082", 59_000).is_err());
    }

    #[test]
    fn clock_that_ran_ahead_shuts_out_no_owner_and_takes_no_code_twice() {
        let [(now, code), (later, later_code), (ahead, ahead_code)] = CODES;
        let begun = TotpFactor::begin(SECRET, ahead_code, ahead * 1_000).unwrap();
        let (mut factor, _) = begun.expect("the right code");
        let tries = [
            (code, now, true),
            (code, now, false),
            (later_code, later, true),
            (code, now, false),
            (ahead_code, ahead, false),
        ];
        for (code, at, fresh) in tries {
            let accepted = factor.accept(code, at * 1_000).unwrap();
            assert_eq!(accepted, fresh, "{code} at {at}");
        }
    }

    #[test]
    fn it_opens_for_its_password_and_person_alone() {
        let (key, other) = (Secret32::random().unwrap(), Secret32::random().unwrap());
        let (factor, _) = TotpFactor::begin(SECRET, "287082", 59_000)
            .unwrap()
            .unwrap();
        let sealed = factor.seal(&key, "anna").unwrap();
        assert!(TotpFactor::open(&key, "anna", &sealed).is_ok());
        assert!(TotpFactor::open(&key, "berta", &sealed).is_err());
        assert!(TotpFactor::open(&other, "anna", &sealed).is_err());
    }

    #[test]
    fn an_app_is_told_secret_issuer_and_account() {
        let secret = new_totp_secret().unwrap();
        let uri = totp_uri(&secret, "Le Iene: sede", "anna.b").unwrap();
        assert!(
            uri.starts_with("otpauth://totp/") && uri.contains(&*secret),
            "{uri}"
        );
        assert!(
            uri.contains("Le%20Iene%20%20sede") && uri.contains("anna.b"),
            "{uri}"
        );
    }
}
