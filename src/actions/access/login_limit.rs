//! The limit on guesses: who may try a password now, and when again. Strangers are counted by client, by network and all
//! together; a browser that logged in before is counted by itself, so that no flood of strangers shuts it out.
//! Must never let a password be tried that was not counted before (an attempt counts as failed until it proves right), nor
//! let a clock that is set back loosen a count.

use crate::actions::archive::authenticity::guard;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Error, Result};
use crate::store::LoginAttempt;

/// Failed attempts of a client, or of a known browser, within [`WINDOW_MS`] (PRODUCT.md §7).
const OWN: usize = 5;
/// Those of an IPv6 /48: a provider gives its customers /64 networks by the thousand.
const NETWORK: usize = 8 * OWN;
const STRANGERS: usize = 100;
const WINDOW_MS: i64 = 15 * MINUTE_MS;
const MINUTE_MS: i64 = 60_000;
/// Browsers that are known at once for an account; of more the one that logged in longest ago is forgotten.
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

/// Whose password is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Account {
    Shared,
    /// A person's id.
    Person(String),
    /// The passkeys of a person. What they prove says nothing of the password: neither forgives guesses at the other, nor makes a
    /// browser known there.
    Passkeys {
        person: String,
        key: String,
    },
    /// There is no such person, or the shared password is switched off: nothing lets in.
    Nobody,
}

impl Account {
    pub fn person(&self) -> Option<&str> {
        match self {
            Self::Person(id) | Self::Passkeys { person: id, .. } => Some(id),
            Self::Shared | Self::Nobody => None,
        }
    }

    /// As rows name it.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Shared => Some(""),
            Self::Person(id) => Some(id),
            Self::Passkeys { key, .. } => Some(key),
            Self::Nobody => None,
        }
    }
}

#[derive(Clone)]
pub struct Attempt {
    pub account: Account,
    bucket: [u8; 16],
    /// The token of a browser that has logged in to this account before.
    pub browser: Option<[u8; 32]>,
    /// The same, where it logged in to any: it goes on being known by that.
    pub carried: Option<[u8; 32]>,
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
        /// Whether the limit of all unknown clients together was reached, while the client itself has attempts left.
        crowd: bool,
    },
    NotSetUp,
}

/// Whether an attempt at an account was counted and may go on.
pub enum Counted {
    Try(Attempt),
    /// As in [`Admission::Wait`].
    Wait {
        minutes: i64,
        crowd: bool,
    },
}

/// Takes one attempt at a password, in one transaction with the count: parallel guesses cannot slip past it.
pub fn admit(act: &Act<'_>, origin: &Origin, user: Option<&str>) -> Result<Admission> {
    guard(act, act.vault)?;
    let Some(shared) = act.credential()? else {
        return Ok(Admission::NotSetUp);
    };
    let (account, credential) = account(act, user, shared)?;
    Ok(match count(act, origin, account)? {
        Counted::Try(attempt) => Admission::Try(credential, attempt),
        Counted::Wait { minutes, crowd } => Admission::Wait { minutes, crowd },
    })
}

/// Counts one attempt at an account, whatever it is made with, as failed until it proves right.
pub(super) fn count(act: &Act<'_>, origin: &Origin, account: Account) -> Result<Counted> {
    let attempt = attempt(act, origin, account)?;
    if !security(act)?.enable_rate_limiting {
        return Ok(Counted::Try(attempt));
    }
    forget_old_attempts(act)?;
    let made = LoginAttempt {
        at: act.now,
        bucket: Some(attempt.bucket),
        network: origin.network,
        account: attempt.account.key().map(str::to_owned),
        known: attempt.is_known(),
    };
    let (own, crowd) = free_at(&act.login_attempts()?, &made);
    if let Some(free_at) = own.max(crowd) {
        return Ok(Counted::Wait {
            minutes: minutes_until(free_at, act.now),
            crowd: crowd > own,
        });
    }
    act.tx.insert_login_attempt(&made)?;
    Ok(Counted::Try(attempt))
}

/// Whose password is tried, and what its derivation is compared with: the shared one's where there is no such account, so that a name that
/// does not exist costs and answers the same.
fn account(act: &Act<'_>, user: Option<&str>, shared: String) -> Result<(Account, String)> {
    let Some(user) = user else {
        let open = security(act)?.shared_password;
        let account = open.then_some(Account::Shared);
        return Ok((account.unwrap_or(Account::Nobody), shared));
    };
    let person = act.person_of(user)?;
    let known = person.and_then(|person| Some((Account::Person(person.id), person.credential?)));
    Ok(known.unwrap_or((Account::Nobody, shared)))
}

/// Whose attempt it would be: the link's while it is valid, else the browser's if it is known, else the client's. Who is known
/// for one account is none at another's: a colleague gets no guesses by it.
pub fn attempt(act: &Act<'_>, origin: &Origin, account: Account) -> Result<Attempt> {
    let known = |hash: Option<[u8; 32]>, account: Option<&str>| match hash {
        Some(hash) if act.knows_browser(&hash, account, act.now)? => Ok(Some(hash)),
        _ => Ok::<_, Error>(None),
    };
    let at_it = |hash| account.key().map_or(Ok(None), |key| known(hash, Some(key)));
    let (link, browser) = (at_it(origin.link)?, at_it(origin.browser)?);
    let bucket = link.or(browser);
    let bucket = bucket.and_then(|hash| hash.first_chunk().copied());
    Ok(Attempt {
        bucket: bucket.unwrap_or(origin.client),
        browser,
        carried: known(origin.browser, None)?,
        link,
        account,
    })
}

/// When there is room for one more (ms), where now there is none: among its own, and among those of all strangers.
fn free_at(counted: &[LoginAttempt], made: &LoginAttempt) -> (Option<i64>, Option<i64>) {
    let own = room_at(counted, OWN, |one| one.bucket == made.bucket);
    if made.known {
        return (own, None);
    }
    let of_network = |one: &LoginAttempt| made.network.is_some() && one.network == made.network;
    let near = room_at(counted, NETWORK, of_network);
    (own.max(near), room_at(counted, STRANGERS, |one| !one.known))
}

/// Free attempts among those that count.
fn room_at(
    counted: &[LoginAttempt],
    limit: usize,
    counts: impl Fn(&LoginAttempt) -> bool,
) -> Option<i64> {
    let mut newest_first = counted.iter().rev().filter(|one| counts(one));
    newest_first.nth(limit - 1).map(|one| one.at + WINDOW_MS)
}

/// Forgets attempts that count no more. One from the future was written before the clock was set back: it counts from now
/// on, so that it is neither lost nor kept for ever.
pub fn forget_old_attempts(act: &Act<'_>) -> Result<()> {
    act.tx.date_login_attempts(act.now)?;
    Ok(act.tx.forget_login_attempts(act.now - WINDOW_MS)?)
}

/// Forgets browsers that were not used for a year, and links that were not used at all.
pub fn forget_old_browsers(act: &Act<'_>) -> Result<()> {
    Ok(act.tx.forget_old_browsers(act.now)?)
}

/// The password was right: what was counted before it at this account is forgiven. The failures of a stranger still count among
/// those of all.
pub fn forgive(act: &Act<'_>, attempt: &Attempt) -> Result<()> {
    take_back(act, attempt)?;
    let account = attempt.account.key().unwrap_or_default();
    Ok(act.tx.forget_buckets(&attempt.bucket, account)?)
}

/// The password was right and nothing came of it: that attempt alone counts no more.
pub fn take_back(act: &Act<'_>, attempt: &Attempt) -> Result<()> {
    let account = attempt.account.key().unwrap_or_default();
    Ok(act.tx.forget_attempt(&attempt.bucket, account)?)
}

/// Wrong codes of a person's second factor within [`WINDOW_MS`], from wherever: who gets to be asked has the password.
const CODES: usize = 10;

/// When a code may be tried again, in minutes; `None`: now.
pub fn admit_code(act: &Act<'_>, person: &str) -> Result<Option<i64>> {
    let account = Some(codes_of(person));
    let free_at = room_at(&act.login_attempts()?, CODES, |one| one.account == account);
    let free_at = free_at.filter(|free_at| *free_at > act.now);
    Ok(free_at.map(|free_at| minutes_until(free_at, act.now)))
}

pub fn count_code(act: &Act<'_>, person: &str) -> Result<()> {
    let made = LoginAttempt {
        at: act.now,
        bucket: None,
        network: None,
        account: Some(codes_of(person)),
        known: true,
    };
    Ok(act.tx.insert_login_attempt(&made)?)
}

/// The account of a person's passkeys.
pub fn passkeys_of(person: &str) -> Account {
    Account::Passkeys {
        person: person.to_owned(),
        key: format!("{person} passkey"),
    }
}

/// Beside the person's password, of which an id alone says that it was tried.
fn codes_of(person: &str) -> String {
    format!("{person} totp")
}

fn minutes_until(moment: i64, now: i64) -> i64 {
    (moment - now + MINUTE_MS - 1) / MINUTE_MS
}

/// Knows the browser of a login from now on by this hash: the one that it brought, where that was known already, so that an
/// answer that is lost takes nothing from it. The link is spent: of two logins that bring it at once, the second is refused.
/// A browser that was not known is announced to the account's sessions.
pub fn know_browser(act: &Act<'_>, attempt: &Attempt, hash: &[u8; 32]) -> Result<()> {
    if !attempt.is_known() {
        act.tx
            .announce_newcomer(attempt.account.person(), act.now)?;
    }
    let account = attempt.account.key().unwrap_or_default();
    if let Some(link) = &attempt.link
        && act.tx.forget_browser(link, account)? == 0
    {
        return Err(Error::conflict(
            "Questo link di accesso è già stato usato. Accedi senza, o chiedine un altro a chi gestisce il server.",
        ));
    }
    if let Some(before) = &attempt.browser {
        act.tx.forget_browser(before, account)?;
    }
    Ok(act
        .tx
        .insert_browser(hash, account, act.now + KNOWN_MS, BROWSERS)?)
}

/// Makes a link for one login to an account. Until it is used, the browser that brings it counts as known.
pub fn issue_link(act: &Act<'_>, hash: &[u8; 32], account: &str) -> Result<()> {
    Ok(act
        .tx
        .insert_browser(hash, account, act.now + LINK_MS, BROWSERS)?)
}
