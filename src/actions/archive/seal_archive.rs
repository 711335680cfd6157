//! Sealed mode (PRODUCT.md §12): the newsroom's private key leaves the key file or comes back.
//! Must never seal an archive whose recovery code was not seen to open it, nor delete a pair, a slot or an epoch.

use crate::actions::archive::authenticity::amend;
use crate::actions::archive::sealing::open_slot;
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::store::{Action, Snapshot};
use crate::vault::{PrivateKey, RecoveryCode, SlotKind, Vault};

pub fn read_code(typed: &str) -> Result<RecoveryCode> {
    RecoveryCode::parse(typed).map_err(|_| {
        refusal(
            "Il codice non è scritto correttamente: sono 32 lettere, in otto gruppi di quattro.",
        )
    })
}

pub fn open_with_code(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    code: &RecoveryCode,
) -> Result<PrivateKey> {
    open_slot(snapshot, vault, SlotKind::Recovery, "", &code.slot_key()?)
}

/// Says that the archive is sealed, once the recovery code was seen to open it. The copy of the key is still in the key
/// file: that the caller removes next.
pub fn seal(act: &Act<'_>, code: &RecoveryCode) -> Result<()> {
    open_with_code(act, act.vault, code).map_err(|error| match error {
        Error::Vault(_) => {
            refusal("Il codice non è quello di questo archivio: ricontrolla le lettere.")
        }
        other => other,
    })?;
    set_sealed(act, true)?;
    act.log_about(Action::SettingsChanged, "modalità sigillata")
}

/// Says that the archive is not sealed any more. The private key, which is at hand, the caller writes into the key file next.
pub fn unseal(act: &Act<'_>) -> Result<()> {
    act.vault.private_key()?;
    set_sealed(act, false)?;
    act.log_about(Action::SettingsChanged, "modalità sigillata")
}

/// Says whether the archive is sealed; by itself only to say again what was said before, where the key file could not be
/// changed.
pub fn set_sealed(act: &Act<'_>, sealed: bool) -> Result<()> {
    let key_id = act.vault.key_id();
    amend(act, || Ok(act.tx.set_sealed(&key_id, sealed)?))
}

fn refusal(message: &str) -> Error {
    Invalid::new("recoveryCode", "mismatch", message).into()
}
