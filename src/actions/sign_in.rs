//! Sessions: how one begins once a password proved right, when it ends, logging out.
//! Must never leave the cookie of an ended session usable.

use super::authenticity::{Trust, guard, sample};
use super::log_access::Action;
use super::login_limit::{Attempt, forgive, know_browser};
use super::sealing::open_slot;
use super::secrets;
use super::settings::security;
use super::{Act, Error, Result};
use crate::domain::settings::Security;
use crate::store::{SessionRow, Tx};
use crate::vault::{PrivateKey, Secret32, SlotKind, Vault, VaultError};

/// A session ends after 12 hours whatever happens (PRODUCT.md §6), in ms.
const SESSION_MS: i64 = 12 * 60 * MINUTE_MS;
pub(super) const SESSIONS: usize = 20;
/// A stored time this far ahead of the clock is believed, in ms; what lies further ahead was written by a wrong clock.
const CLOCK_SLACK_MS: i64 = MINUTE_MS;
const MINUTE_MS: i64 = 60_000;

/// When a session ends (ms) if nobody does anything more, given the time somebody was last active. One from the future has ended: a clock that ran ahead
/// was set right, and would else keep it alive until it catches up.
pub fn session_end(session: &SessionRow, seen: i64, now: i64, security: &Security) -> i64 {
    let idle = i64::from(security.session_timeout) * MINUTE_MS;
    let ahead = session.created.max(seen) > now + CLOCK_SLACK_MS;
    if ahead {
        return now;
    }
    (seen + idle).min(session.created + SESSION_MS)
}

/// What the key file needs after a login, so that it says the same as the database.
pub enum Upkeep {
    None,
    /// The private key, which it lacks though the archive is not sealed: a restore on a new machine, or a change of sealed
    /// mode that was cut off.
    Restore(PrivateKey),
    /// Its copy of the private key is to go: the archive is sealed, and that was cut off.
    Remove,
    /// Nothing, and nobody is logged in: the password does not open this archive.
    Refused,
}

/// The password was right: opens its slot, begins a session, knows the browser, and opens the vault when it is locked. The caller
/// does what the key file needs.
pub fn begin_session(
    act: &Act<'_>,
    proven: &Proven,
    token_hash: &[u8; 32],
    browser_hash: &[u8; 32],
) -> Result<Upkeep> {
    if act.credential()?.as_ref() != Some(&proven.credential) {
        return Err(Error::WrongPassword);
    }
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    let opened = unlock(act, &proven.slot_key, held)?;
    if matches!(opened, Upkeep::Refused) {
        refuse(act)?;
        return Ok(opened);
    }
    secrets::refresh(act, held)?;
    forgive(act, &proven.attempt)?;
    know_browser(act, &proven.attempt, browser_hash)?;
    end_expired_sessions(act, act.now)?;
    if !proven.attempt.is_known() {
        act.announce_newcomer(act.now)?;
    }
    act.insert_session(token_hash, act.now, SESSIONS)?;
    act.log(Action::LoginSuccess, None)?;
    Ok(opened)
}

pub fn end_expired_sessions(tx: &Tx<'_>, now: i64) -> Result<()> {
    let idle = i64::from(security(tx)?.session_timeout) * MINUTE_MS;
    Ok(tx.delete_expired_sessions(now - SESSION_MS, now - idle, now + CLOCK_SLACK_MS)?)
}

pub struct Proven {
    pub credential: String,
    /// Second half of its derivation.
    pub slot_key: Secret32,
    pub attempt: Attempt,
}

pub fn refuse(act: &Act<'_>) -> Result<()> {
    act.log(Action::LoginFailed, None)
}

/// Ends the session. With the last one a sealed archive is locked, here, where no login can come in between.
pub fn sign_out(act: &Act<'_>, token_hash: &[u8; 32]) -> Result<()> {
    if act.delete_session(token_hash)? > 0 {
        act.log(Action::Logout, None)?;
    }
    lock_when_alone(act, act.vault)
}

/// Locks a sealed archive when nobody is logged in. One that is not sealed stays as it is.
pub fn lock_when_alone(tx: &Tx<'_>, vault: &Vault) -> Result<()> {
    if tx.session_count()? == 0 {
        vault.lock();
    }
    Ok(())
}

/// Where the rows came from elsewhere (`held`), the key must open the reports.
fn unlock(act: &Act<'_>, slot_key: &Secret32, held: bool) -> Result<Upkeep> {
    let vault = act.vault;
    let pair = act.active_key_pair()?.ok_or(VaultError::Damaged)?;
    let private = match open_slot(act, vault, SlotKind::Password, slot_key) {
        Err(Error::Vault(error)) => {
            tracing::error!(%error, "the password's slot does not open: nobody is let in");
            return Ok(Upkeep::Refused);
        }
        opened => opened?,
    };
    if !vault.is_unlocked() {
        vault.unlock(private.clone())?;
        if held && sample(act, vault)?.is_foreign() {
            vault.lock();
            tracing::error!(
                "the password's slot has a key that does not open the reports: nobody is let in"
            );
            return Ok(Upkeep::Refused);
        }
    }
    let kept = vault.is_copy_kept();
    Ok(match (kept != pair.sealed, kept) {
        (true, _) => Upkeep::None,
        (false, true) => Upkeep::Remove,
        (false, false) => Upkeep::Restore(private),
    })
}
