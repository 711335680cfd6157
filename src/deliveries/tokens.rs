//! Keeps the token for the mail server in memory until shortly before its end. It must never reach the disk or a log.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use zeroize::Zeroizing;

use crate::clock::Clock;

/// The token that is kept. Clones share it.
#[derive(Clone, Default)]
pub struct Tokens {
    /// Its steady side measures how long a token lasts: a clock that is wrong or set changes nothing.
    clock: Clock,
    kept: Arc<Mutex<Option<KeptToken>>>,
}

struct KeptToken {
    /// A hash of what it was asked for with.
    of: [u8; 32],
    token: Zeroizing<String>,
    /// On the steady clock, in ms.
    until: i64,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Tokens")
    }
}

impl Tokens {
    pub fn by(clock: &Clock) -> Self {
        Self {
            clock: clock.clone(),
            kept: Arc::default(),
        }
    }

    /// The present moment on the steady clock, in ms.
    pub(super) fn now_ms(&self) -> i64 {
        self.clock.steady_ms()
    }

    pub(super) fn kept(&self, of: [u8; 32]) -> Option<Zeroizing<String>> {
        let (now, kept) = (self.now_ms(), self.kept.lock());
        let kept = kept.as_ref()?;
        (kept.of == of && now < kept.until).then(|| kept.token.clone())
    }

    /// Keeps this one in the place of any other.
    pub(super) fn keep(&self, of: [u8; 32], token: &Zeroizing<String>, until: i64) {
        let token = token.clone();
        *self.kept.lock() = Some(KeptToken { of, token, until });
    }
}
