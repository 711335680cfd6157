//! Notes in the access log that a backup was downloaded.
//! Must never be left out before the first byte of a backup is sent.

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::store::Tx;

pub fn note_backup(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    log_access(tx, now, actor, Action::Backup, None)
}
