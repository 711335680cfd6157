//! Empties the access log, and says in the empty one who did.
//! Must never touch the login attempts: an emptied log gives nobody new guesses.

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::store::Tx;

pub fn clear_logs(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    tx.clear_access_log()?;
    log_access(tx, now, actor, Action::LogsCleared, None)
}
