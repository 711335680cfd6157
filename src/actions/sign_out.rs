//! Ends a session, and forgets those that are past their end.
//! Must never leave the cookie of an ended session usable.

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::store::Tx;
use crate::vault::Vault;

/// Ends the session. With the last one a sealed archive is locked, here, where no login can come in between.
pub fn sign_out(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    token_hash: &[u8; 32],
) -> Result<()> {
    if tx.delete_session(token_hash)? {
        log_access(tx, now, actor, Action::Logout, None)?;
    }
    lock_when_alone(tx, vault)
}

/// Locks a sealed archive when nobody is logged in. One that is not sealed stays as it is.
pub fn lock_when_alone(tx: &Tx<'_>, vault: &Vault) -> Result<()> {
    if tx.session_count()? == 0 {
        vault.lock();
    }
    Ok(())
}
