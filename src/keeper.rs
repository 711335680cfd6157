//! The timed work: once a minute, sessions past their end are forgotten, and a sealed archive is locked when nobody is
//! logged in any more.
//! Must never do in one step what would block writers for long.

use crate::actions::sign_in::end_expired_sessions;
use crate::actions::{Error, Result};
use crate::store::Store;
use crate::vault::Vault;

/// One round.
///
/// # Errors
/// When the database fails.
pub fn tidy(store: &Store, vault: &Vault, now: i64) -> Result<()> {
    let nobody = store.write(move |tx| {
        end_expired_sessions(tx, now)?;
        Ok::<_, Error>(tx.session_count()? == 0)
    })?;
    if nobody {
        vault.lock();
    }
    Ok(())
}
