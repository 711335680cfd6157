//! The limit on guesses: who may try a password now, and when again. Strangers are counted by client, by network and all
//! together; a browser that logged in before is counted by itself, so that no flood of strangers shuts it out.
//! Must never let a password be tried that was not counted before (an attempt counts as failed until it proves right), nor
//! let a clock that is set back loosen a count.

use super::authenticity::{Trust, trust};
use super::settings::security;
use super::{Act, Error, Result};
use crate::store::{LoginAttempt, Tx};

/// Failed attempts of a client, or of a known browser, within [`WINDOW_MS`] (PRODUCT.md §6).
const OWN: usize = 5;
/// Those of an IPv6 /48: a provider gives its customers /64 networks by the thousand.
const NETWORK: usize = 8 * OWN;
const STRANGERS: usize = 100;
const WINDOW_MS: i64 = 15 * MINUTE_MS;
const MINUTE_MS: i64 = 60_000;
/// Browsers that are known at once; of more the one that logged in longest ago is forgotten.
const BROWSERS: usize = 50;
/// How long a browser is known after its last login: a year, in ms.
const KNOWN_MS: i64 = 365 * 24 * 60 * MINUTE_MS;
const LINK_MS: i64 = 30 * MINUTE_MS;

/// Where an attempt comes from: masks of the address and of its /48, and hashes of what the browser is known by and of a
/// login link's token.
#[derive(Clone)]
pub struct Origin {
    pub client: [u8; 16],
    pub network: Option<[u8; 16]>,
    pub browser: Option<[u8; 32]>,
    pub link: Option<[u8; 32]>,
}

#[derive(Clone)]
pub struct Attempt {
    bucket: [u8; 16],
    pub browser: Option<[u8; 32]>,
    /// The login link that it came by, while that was valid.
    link: Option<[u8; 32]>,
}

impl Attempt {
    /// Whether it is counted apart from those of strangers.
    pub fn is_known(&self) -> bool {
        self.link.or(self.browser).is_some()
    }
}

pub enum Admission {
    Try(String, Attempt),
    /// Too many failures; in so many minutes again.
    Wait {
        minutes: i64,
        /// Of strangers together: the client itself has attempts left.
        crowd: bool,
    },
    NotSetUp,
    /// Something else than the program changed who gets in.
    Altered,
}

/// Takes one attempt, in one transaction with the count: parallel guesses cannot slip past it.
pub fn admit(act: &Act<'_>, origin: &Origin) -> Result<Admission> {
    if trust(act, act.vault.stamp())? == Trust::Alterato {
        return Ok(Admission::Altered);
    }
    let Some(credential) = act.credential()? else {
        return Ok(Admission::NotSetUp);
    };
    let attempt = attempt(act, origin)?;
    if !security(act)?.enable_rate_limiting {
        return Ok(Admission::Try(credential, attempt));
    }
    settle(act, act.now)?;
    let made = LoginAttempt {
        at: act.now,
        bucket: Some(attempt.bucket),
        network: origin.network,
        known: attempt.is_known(),
    };
    let (own, crowd) = free_at(&act.login_attempts()?, &made);
    if let Some(free_at) = own.max(crowd) {
        return Ok(Admission::Wait {
            minutes: (free_at - act.now + MINUTE_MS - 1) / MINUTE_MS,
            crowd: crowd > own,
        });
    }
    act.insert_login_attempt(&made)?;
    Ok(Admission::Try(credential, attempt))
}

/// Whose attempt it would be: the link's while it is valid, else the browser's if it is known, else the client's.
pub fn attempt(act: &Act<'_>, origin: &Origin) -> Result<Attempt> {
    let known = |hash: Option<[u8; 32]>| match hash {
        Some(hash) if act.knows_browser(&hash, act.now)? => Ok(Some(hash)),
        _ => Ok::<_, Error>(None),
    };
    let (link, browser) = (known(origin.link)?, known(origin.browser)?);
    let bucket = link.or(browser);
    let bucket = bucket.and_then(|hash| hash.first_chunk().copied());
    Ok(Attempt {
        bucket: bucket.unwrap_or(origin.client),
        browser,
        link,
    })
}

/// When there is room for one more (ms), where now there is none: among its own, and among those of all strangers.
fn free_at(counted: &[LoginAttempt], made: &LoginAttempt) -> (Option<i64>, Option<i64>) {
    let free_at = |limit: usize, counts: &dyn Fn(&LoginAttempt) -> bool| {
        let mut newest_first = counted.iter().rev().filter(|one| counts(one));
        newest_first.nth(limit - 1).map(|one| one.at + WINDOW_MS)
    };
    let own = free_at(OWN, &|one| one.bucket == made.bucket);
    if made.known {
        return (own, None);
    }
    let near = made
        .network
        .and_then(|_| free_at(NETWORK, &|one| one.network == made.network));
    (own.max(near), free_at(STRANGERS, &|one| !one.known))
}

/// Forgets attempts that count no more. One from the future was written before the clock was set back: it counts from now
/// on, so that it is neither lost nor kept for ever.
pub fn settle(tx: &Tx<'_>, now: i64) -> Result<()> {
    tx.date_login_attempts(now)?;
    Ok(tx.forget_login_attempts(now - WINDOW_MS)?)
}

/// The password was right: what was counted before it is forgiven. The failures of a stranger still count among those of
/// all.
pub fn forgive(act: &Act<'_>, attempt: &Attempt) -> Result<()> {
    Ok(act.forgive_login_attempts(&attempt.bucket)?)
}

/// Knows the browser of a login from now on by this hash: the one that it brought, where that was known already, so that an
/// answer that is lost takes nothing from it. The link is spent.
pub fn know_browser(act: &Act<'_>, attempt: &Attempt, hash: &[u8; 32]) -> Result<()> {
    for before in attempt.link.iter().chain(&attempt.browser) {
        act.forget_browser(before)?;
    }
    Ok(act.insert_browser(hash, act.now + KNOWN_MS, BROWSERS)?)
}

/// Makes a link for one login: whoever brings it is taken for a browser that is known, until it is used.
pub fn issue_link(act: &Act<'_>, hash: &[u8; 32]) -> Result<()> {
    Ok(act.insert_browser(hash, act.now + LINK_MS, BROWSERS)?)
}
