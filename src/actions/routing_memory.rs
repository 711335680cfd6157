//! What routing remembers of the reports that staff moved (`PRODUCT.md §5`): taken down, opened, forgotten.
//! Must never keep pieces in the clear once the archive is locked.

use std::sync::Arc;

use parking_lot::Mutex;

use super::log_access::{Action, Actor, log_access};
use super::sealing::{PIECES, open, open_content, seal};
use super::{Error, Result};
use crate::domain::routing::{Department, Memory, Pieces};
use crate::store::{MemoryVersion, MoveRow, ReportRow, Snapshot, Tx};
use crate::vault::{Vault, VaultError};

/// Takes down that staff moved a report, in place of an earlier move of it. Back where it arrived there is nothing to
/// remember.
pub(super) fn note_move(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    row: &ReportRow,
    department: Department,
) -> Result<()> {
    let content = open_content(tx, vault, row)?;
    if content.analysis.department == department {
        return Ok(tx.drop_move(&row.id)?);
    }
    remember(tx, vault, now, now, &row.id, &content.report.segnalazione)
}

/// Remembers a report that was moved at this time. A text that says too little to be told from another is not remembered.
pub(super) fn remember(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    moved: i64,
    id: &str,
    text: &str,
) -> Result<()> {
    let Some(pieces) = Pieces::of(text) else {
        return Ok(tx.drop_move(id)?);
    };
    let sealed = seal(tx, vault, now, PIECES, id, &pieces.to_bytes())?;
    Ok(tx.put_move(id, moved, sealed.epoch, &sealed.blob)?)
}

/// Forgets all moves. Reports stay where they are.
pub fn forget_moves(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    tx.drop_moves()?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

/// The memory as it was last opened, until it changes or the archive is locked.
#[derive(Default)]
pub struct OpenedMemory(Mutex<Option<(MemoryVersion, Arc<Memory>)>>);

impl OpenedMemory {
    /// What is remembered; nothing while the archive is locked, because pieces are as sealed as their reports.
    pub fn get(&self, snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Arc<Memory>> {
        if !vault.is_unlocked() {
            return Ok(Arc::default());
        }
        let version = snapshot.memory_version()?;
        if let Some((of, memory)) = &*self.0.lock()
            && *of == version
        {
            return Ok(Arc::clone(memory));
        }
        let memory = Arc::new(open_moves(snapshot, vault)?);
        *self.0.lock() = Some((version, Arc::clone(&memory)));
        // Locked meanwhile: whoever locked the archive found nothing to wipe.
        self.follow_vault(vault);
        Ok(memory)
    }

    /// Drops what is held if the archive is locked.
    pub fn follow_vault(&self, vault: &Vault) {
        if !vault.is_unlocked() {
            *self.0.lock() = None;
        }
    }
}

/// What can be opened; a move that cannot be must not keep the others, or a report, from their way.
fn open_moves(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Memory> {
    let mut memory = Vec::new();
    for row in snapshot.moves()? {
        let MoveRow {
            report,
            department,
            epoch,
            pieces,
        } = row;
        match open(snapshot, vault, epoch, PIECES, &report, &pieces) {
            Ok(pieces) => memory.push((Pieces::from_bytes(&pieces), department)),
            Err(Error::Vault(VaultError::Locked)) => return Ok(Memory::default()),
            Err(Error::Vault(error)) => {
                tracing::error!(%report, %error, "what routing remembers of a report cannot be opened");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(memory.into_iter().collect())
}
