//! Sealed mode, and reports of a pair that was abandoned (PRODUCT.md §4): the newsroom's private key leaves the key file or
//! comes back, and epochs are brought over from a pair whose recovery code was found.
//! Must never seal an archive whose recovery code was not seen to open it, nor delete a pair, a slot or an epoch.

use super::log_access::{Action, Actor, log_access};
use super::sealing::open_slot;
use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::store::{EpochRow, Snapshot, Tx};
use crate::vault::{
    KeyId, NewsroomCopy, PrivateKey, RecoveryCode, SealedEpoch, SlotKind, Vault, VaultError,
};

/// Epochs that one transaction brings over: others wait for no longer than for any change.
pub const EPOCHS: usize = 100;

/// Reads a recovery code as it was typed.
pub fn read_code(typed: &str) -> Result<RecoveryCode> {
    RecoveryCode::parse(typed).map_err(|_| {
        refusal(
            "Il codice non è scritto correttamente: sono 32 lettere, in otto gruppi di quattro.",
        )
    })
}

/// The private key of a pair, opened with its recovery code.
pub fn open_with_code(
    snapshot: &Snapshot<'_>,
    key_id: KeyId,
    code: &RecoveryCode,
) -> Result<PrivateKey> {
    open_slot(snapshot, SlotKind::Recovery, key_id, &code.slot_key()?)
}

/// Says that the archive is sealed, once the recovery code was seen to open it. The copy of the key is still in the key
/// file: that the caller removes next.
pub fn seal(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    code: &RecoveryCode,
) -> Result<()> {
    match open_with_code(tx, vault.key_id(), code) {
        Ok(private) if private.public_key() == vault.public_key() => {}
        Ok(_) | Err(Error::Vault(_)) => {
            return Err(refusal(
                "Il codice non è quello di questo archivio: ricontrolla le lettere.",
            ));
        }
        Err(other) => return Err(other),
    }
    tx.set_sealed(&vault.key_id().to_string(), true)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

/// Says that the archive is not sealed any more, and answers with the copy for the key file, which the caller writes next.
pub fn unseal(tx: &Tx<'_>, vault: &Vault, now: i64, actor: &Actor) -> Result<NewsroomCopy> {
    let copy = vault.newsroom_copy()?;
    tx.set_sealed(&vault.key_id().to_string(), false)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)?;
    Ok(copy)
}

/// Says again what was said before, where the key file could not be changed.
pub fn take_back(tx: &Tx<'_>, vault: &Vault, sealed: bool) -> Result<()> {
    Ok(tx.set_sealed(&vault.key_id().to_string(), sealed)?)
}

/// The private key of an abandoned pair that reports are still sealed to, by its recovery code.
pub fn find_abandoned(snapshot: &Snapshot<'_>, code: &RecoveryCode) -> Result<PrivateKey> {
    for key_id in snapshot.abandoned_pairs()? {
        match open_with_code(snapshot, key_id.parse()?, code) {
            Err(Error::Vault(VaultError::WrongSecret)) => {}
            found => return found,
        }
    }
    Err(refusal(
        "Il codice non apre nessuna delle segnalazioni rimaste chiuse: ricontrolla le lettere.",
    ))
}

/// Seals at most [`EPOCHS`] epochs of an abandoned pair to the present one; answers how many there were. What they seal is
/// not touched.
pub fn bring_back(tx: &Tx<'_>, vault: &Vault, private: &PrivateKey) -> Result<usize> {
    let key_id = private.key_id();
    let rows = tx.epochs_of(&key_id.to_string(), EPOCHS)?;
    for row in &rows {
        let sealed = SealedEpoch {
            id: row.id,
            key_id,
            born_ms: row.born,
            sealed: row.sealed.clone(),
        };
        let anew = sealed.open(private)?.seal(&vault.public_key())?;
        tx.reseal_epoch(&EpochRow {
            id: anew.id,
            key_id: anew.key_id.to_string(),
            born: anew.born_ms,
            sealed: anew.sealed,
        })?;
    }
    Ok(rows.len())
}

fn refusal(message: &str) -> Error {
    Error::Invalid(vec![Invalid::new("recoveryCode", "mismatch", message)])
}
