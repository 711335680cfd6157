//! The one-time link by which the first password is set: a random token on the operator's terminal, valid 30 minutes.
//! Must never be written anywhere but to that terminal, nor serve twice.

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use subtle::ConstantTimeEq;

use crate::vault::RecoveryCode;

/// How long the link of a start is valid, in ms (PRODUCT.md §7).
const VALID_MS: i64 = 30 * 60 * 1000;

#[derive(Default)]
pub struct SetupLink(Mutex<Option<Issued>>);

struct Issued {
    token: String,
    expires: i64,
    /// The code that was shown, until it is typed back.
    code: Option<RecoveryCode>,
}

impl SetupLink {
    pub fn issue(&self, token: String, now: i64) {
        *self.0.lock() = Some(Issued {
            token,
            expires: now + VALID_MS,
            code: None,
        });
    }

    pub fn admits(&self, token: &str, now: i64) -> bool {
        self.valid(token, now).is_some()
    }

    /// Keeps the code to be typed back, in place of one shown earlier; `false` when the token is not valid.
    pub fn offer(&self, token: &str, now: i64, code: RecoveryCode) -> bool {
        let issued = self.valid(token, now);
        issued.map(|mut issued| issued.code = Some(code)).is_some()
    }

    /// Whether the token is valid and this is the code that was shown for it.
    pub fn typed_back(&self, token: &str, now: i64, code: &RecoveryCode) -> bool {
        let issued = self.valid(token, now);
        let shown = issued.as_ref().and_then(|issued| issued.code.as_ref());
        shown.is_some_and(|shown| shown.ct_eq(code))
    }

    pub fn spend(&self) {
        *self.0.lock() = None;
    }

    fn valid(&self, token: &str, now: i64) -> Option<MappedMutexGuard<'_, Issued>> {
        let valid = |issued: &mut Issued| {
            now < issued.expires && bool::from(issued.token.as_bytes().ct_eq(token.as_bytes()))
        };
        let issued = MutexGuard::try_map(self.0.lock(), Option::as_mut).ok()?;
        MappedMutexGuard::try_map(issued, |issued| valid(issued).then_some(issued)).ok()
    }
}
