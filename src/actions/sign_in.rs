//! Logging in: the limit on guesses, the verdict on a password, the session. Also when a session ends.
//! Must never count a guess after it was tried: an attempt counts as failed until the password proves right.

use super::log_access::{Action, Actor, log_access};
use super::secrets;
use super::set_password::Credential;
use super::settings::security;
use super::{Error, Result};
use crate::domain::settings::Security;
use crate::store::{SessionRow, Tx};
use crate::vault::{PrivateKey, Secret32, Slot, Vault, VaultError};

/// Failed attempts a client may make within [`WINDOW_MS`] (source of both figures: PRODUCT.md §6).
const ATTEMPTS: usize = 5;
/// 15 minutes, in ms.
const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// A session ends after 12 hours whatever happens (PRODUCT.md §6), in ms.
const SESSION_MS: i64 = 12 * 60 * MINUTE_MS;
/// A stored time this far ahead of the clock is believed, in ms; what lies further ahead was written by a wrong clock.
const CLOCK_SLACK_MS: i64 = MINUTE_MS;
const MINUTE_MS: i64 = 60_000;

/// Whether a password may be tried.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may, against this credential.
    Try(String),
    /// Too many failures; in so many minutes again.
    Wait(i64),
    /// No password has been set yet.
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
#[must_use]
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
///
/// # Errors
/// When the database fails.
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

/// The password was right: begins a session, and opens the vault when it is locked. Answers with the private key when
/// the vault was locked for want of a copy in the key file, not by choice (a restore on a new machine): the caller puts
/// it back there.
///
/// # Errors
/// [`Error::WrongPassword`] when the password was changed in the meantime.
pub fn begin_session(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    right: &Right<'_>,
    token_hash: &[u8; 32],
) -> Result<Option<PrivateKey>> {
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

/// Notes that a person did something in a session.
///
/// # Errors
/// When the database fails.
pub fn note_activity(tx: &Tx<'_>, now: i64, token_hash: &[u8; 32]) -> Result<()> {
    Ok(tx.touch_session(token_hash, now)?)
}

/// Forgets the sessions that are past their end.
///
/// # Errors
/// When the database fails.
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
    /// Who it is.
    pub actor: &'a Actor,
}

/// The password was wrong; the attempt stays counted.
///
/// # Errors
/// When the database fails.
pub fn refuse(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    log_access(tx, now, actor, Action::LoginFailed, None)
}

fn unlock(tx: &Tx<'_>, vault: &Vault, right: &Right<'_>) -> Result<Option<PrivateKey>> {
    if vault.is_unlocked() {
        return Ok(None);
    }
    let pair = tx.active_key_pair()?.ok_or(VaultError::Damaged)?;
    let row = tx
        .slot(&pair.key_id, "password")?
        .ok_or(VaultError::WrongSecret)?;
    let kind = Credential::read(right.credential)?.slot_kind()?;
    let private = Slot {
        kind,
        key_id: pair.key_id.parse()?,
        blob: row.blob,
    }
    .open(right.slot_key)?;
    vault.unlock(private.clone())?;
    Ok((!pair.sealed).then_some(private))
}
