//! Logging in: the limit on guesses, the verdict on a password, the session. Also when a session ends.
//! Must never count a guess after it was tried: an attempt counts as failed until the password proves right.

use super::log_access::{Action, Actor, log_access};
use super::sealing::open_slot;
use super::secrets;
use super::settings::security;
use super::{Error, Result};
use crate::domain::settings::Security;
use crate::store::{SessionRow, Tx};
use crate::vault::{PrivateKey, Secret32, SlotKind, Vault, VaultError};

/// Failed attempts a client may make within [`WINDOW_MS`] (source of both figures: PRODUCT.md §6).
const ATTEMPTS: usize = 5;
/// 15 minutes, in ms.
const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// A session ends after 12 hours whatever happens (PRODUCT.md §6), in ms.
const SESSION_MS: i64 = 12 * 60 * MINUTE_MS;
/// A stored time this far ahead of the clock is believed, in ms; what lies further ahead was written by a wrong clock.
const CLOCK_SLACK_MS: i64 = MINUTE_MS;
const MINUTE_MS: i64 = 60_000;

#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    Try(String),
    /// Too many failures; in so many minutes again.
    Wait(i64),
    NotSetUp,
}

/// When a session ends if nobody does anything more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnd {
    /// In ms.
    pub at: i64,
    /// Minutes of inactivity that end it.
    pub idle_minutes: u32,
}

/// When a session ends, given the time somebody was last active. One from the future has ended: a clock that ran ahead
/// was set right, and would else keep it alive until it catches up.
pub fn session_end(session: &SessionRow, seen: i64, now: i64, security: &Security) -> SessionEnd {
    let idle = i64::from(security.session_timeout) * MINUTE_MS;
    let ahead = session.created.max(seen) > now + CLOCK_SLACK_MS;
    SessionEnd {
        at: if ahead {
            now
        } else {
            (seen + idle).min(session.created + SESSION_MS)
        },
        idle_minutes: security.session_timeout,
    }
}

/// Takes one of the client's attempts, in one transaction with the count: parallel guesses cannot slip past it.
pub fn admit(tx: &Tx<'_>, now: i64, client: &[u8; 16]) -> Result<Admission> {
    let Some(credential) = tx.credential()? else {
        return Ok(Admission::NotSetUp);
    };
    if !security(tx)?.enable_rate_limiting {
        return Ok(Admission::Try(credential));
    }
    tx.forget_login_attempts(now - WINDOW_MS, now + CLOCK_SLACK_MS)?;
    let attempts = tx.login_attempts(client, now - WINDOW_MS)?;
    if attempts.len() >= ATTEMPTS {
        let free_at = attempts[attempts.len() - ATTEMPTS] + WINDOW_MS;
        return Ok(Admission::Wait((free_at - now + MINUTE_MS - 1) / MINUTE_MS));
    }
    tx.insert_login_attempt(client, now)?;
    Ok(Admission::Try(credential))
}

/// What the key file needs after a login, so that it says the same as the database.
pub enum Upkeep {
    None,
    /// The private key, which it lacks though the archive is not sealed: a restore on a new machine, or a change of sealed
    /// mode that was cut off.
    Restore(PrivateKey),
    /// Its copy of the private key is to go: the archive is sealed, and that was cut off.
    Remove,
}

/// The password was right: begins a session, and opens the vault when it is locked. The caller does what the key file
/// needs.
pub fn begin_session(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    right: &Right<'_>,
    token_hash: &[u8; 32],
) -> Result<Upkeep> {
    if tx.credential()?.as_deref() != Some(right.credential) {
        return Err(Error::WrongPassword);
    }
    let opened = unlock(tx, vault, right)?;
    secrets::refresh(tx, vault, now)?;
    tx.forgive_login_attempts(right.client)?;
    end_expired_sessions(tx, now)?;
    tx.insert_session(token_hash, now)?;
    log_access(tx, now, right.actor, Action::LoginSuccess, None)?;
    Ok(opened)
}

pub fn end_expired_sessions(tx: &Tx<'_>, now: i64) -> Result<()> {
    let idle = i64::from(security(tx)?.session_timeout) * MINUTE_MS;
    Ok(tx.delete_expired_sessions(now - SESSION_MS, now - idle, now + CLOCK_SLACK_MS)?)
}

/// A password that proved right.
pub struct Right<'a> {
    /// Credential it was tried against.
    pub credential: &'a str,
    /// Second half of its derivation.
    pub slot_key: &'a Secret32,
    /// Whose attempts are forgiven.
    pub client: &'a [u8; 16],
    pub actor: &'a Actor,
}

/// The password was wrong; the attempt stays counted.
pub fn refuse(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    log_access(tx, now, actor, Action::LoginFailed, None)
}

fn unlock(tx: &Tx<'_>, vault: &Vault, right: &Right<'_>) -> Result<Upkeep> {
    let pair = tx.active_key_pair()?.ok_or(VaultError::Damaged)?;
    let kept = vault.is_copy_kept();
    let settled = kept != pair.sealed;
    if settled && vault.is_unlocked() {
        return Ok(Upkeep::None);
    }
    // Before the copy may go, this password must have been seen to open the archive.
    let key_id = pair.key_id.parse()?;
    let private = match open_slot(tx, SlotKind::Password, key_id, right.slot_key) {
        Err(error) if vault.is_unlocked() => {
            tracing::error!(%error, "the password's slot does not open: the key file stays as it is");
            return Ok(Upkeep::None);
        }
        opened => opened?,
    };
    vault.unlock(private.clone())?;
    Ok(match (settled, kept) {
        (true, _) => Upkeep::None,
        (false, true) => Upkeep::Remove,
        (false, false) => Upkeep::Restore(private),
    })
}
