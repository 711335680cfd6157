//! The one-time link by which the first password is set: a random token on the operator's terminal, valid 30 minutes.
//! Must never be written anywhere but to that terminal, nor serve twice.

use parking_lot::Mutex;
use subtle::ConstantTimeEq;

use crate::vault::RecoveryCode;

/// How long the link of a start is valid, in ms (PRODUCT.md §6).
const VALID_MS: i64 = 30 * 60 * 1000;

/// The link of this start, if one was issued.
#[derive(Default)]
pub struct SetupLink {
    issued: Mutex<Option<Issued>>,
}

struct Issued {
    token: String,
    expires: i64,
    /// The code shown to whoever holds the link, until it is typed back.
    code: Option<RecoveryCode>,
}

impl SetupLink {
    /// Issues the link of this start.
    pub fn issue(&self, token: String, now: i64) {
        *self.issued.lock() = Some(Issued {
            token,
            expires: now + VALID_MS,
            code: None,
        });
    }

    /// Whether the token is the valid one.
    pub fn admits(&self, token: &str, now: i64) -> bool {
        self.issued
            .lock()
            .as_ref()
            .is_some_and(|issued| issued.admits(token, now))
    }

    /// Keeps the code to be typed back, in place of one shown earlier; `false` when the token is not valid.
    pub fn offer(&self, token: &str, now: i64, code: RecoveryCode) -> bool {
        let mut issued = self.issued.lock();
        let valid = issued.as_mut().filter(|issued| issued.admits(token, now));
        valid.map(|issued| issued.code = Some(code)).is_some()
    }

    /// Whether this is the code that was shown to whoever holds the valid token.
    pub fn typed_back(&self, token: &str, now: i64, code: &RecoveryCode) -> bool {
        let issued = self.issued.lock();
        let shown = issued
            .as_ref()
            .filter(|issued| issued.admits(token, now))
            .and_then(|issued| issued.code.as_ref());
        shown.is_some_and(|shown| shown.ct_eq(code))
    }

    /// Ends the link.
    pub fn spend(&self) {
        *self.issued.lock() = None;
    }
}

impl Issued {
    fn admits(&self, token: &str, now: i64) -> bool {
        now < self.expires && bool::from(self.token.as_bytes().ct_eq(token.as_bytes()))
    }
}
