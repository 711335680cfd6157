//! The timed work: once a minute, sessions past their end are forgotten, and a sealed archive is locked when nobody is
//! logged in any more.
//! Must never do in one step what would block writers for long.

use std::sync::Arc;

use crate::actions::Result;
use crate::actions::sign_in::end_expired_sessions;
use crate::actions::sign_out::lock_when_alone;
use crate::store::Store;
use crate::vault::Vault;

/// One round.
///
/// # Errors
/// When the database fails.
pub fn tidy(store: &Store, vault: &Arc<Vault>, now: i64) -> Result<()> {
    let vault = Arc::clone(vault);
    store.write(move |tx| {
        end_expired_sessions(tx, now)?;
        lock_when_alone(tx, &vault)
    })
}
