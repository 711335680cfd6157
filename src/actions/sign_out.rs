//! Ends a session, and forgets those that are past their end.
//! Must never leave the cookie of an ended session usable.

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::store::Tx;

/// Ends the session. `true` when it was the last one.
///
/// # Errors
/// When the database fails.
pub fn sign_out(tx: &Tx<'_>, now: i64, actor: &Actor, token_hash: &[u8; 32]) -> Result<bool> {
    if tx.delete_session(token_hash)? {
        log_access(tx, now, actor, Action::Logout, None)?;
    }
    Ok(tx.session_count()? == 0)
}
