//! Other keys for the whole archive, after a theft of the key file (`decisions/0023`): every epoch is sealed to another pair, what the
//! program seals for itself is sealed under another operational key, and all that opened a slot is chosen anew.
//! Must never leave a row that the former keys open, but for one that no key opened before, nor be part done.

use crate::actions::access::log_chain;
use crate::actions::access::set_password::{self, NewPassword};
use crate::actions::archive::authenticity::{Trust, guard, sign};
use crate::actions::desk::sender_aside;
use crate::actions::outbox::queue;
use crate::actions::people::roster::{self, Invitation};
use crate::actions::settings::secrets;
use crate::actions::{Act, Error, Result};
use crate::store::Action;
use crate::vault::{RecoveryCode, Vault};

/// The keys to come, and what opens them.
pub struct ComingKeys {
    /// Unlocked.
    pub vault: Vault,
    /// The newsroom's password.
    pub password: NewPassword,
    pub code: RecoveryCode,
    /// By whose answers people choose their passwords, each with the id of the person.
    pub invitations: Vec<(String, Invitation)>,
}

pub struct Rekeyed {
    /// Whether the newsroom's password was switched off: it is on again.
    pub was_off: bool,
    /// Passkeys that stay, and open nothing until their next use.
    pub passkeys: usize,
    /// Epochs whose key did not open: their reports stay unreadable, as they were.
    pub unreadable: usize,
}

/// Replaces the keys. The act has the present ones, unlocked.
pub fn rekey(act: &Act<'_>, coming: &ComingKeys) -> Result<Rekeyed> {
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    let vault = &coming.vault;
    let renewed = Act { vault, ..*act };
    change_pair(act, vault)?;
    let unreadable = reseal_epochs(act, vault)?;
    secrets::carry(&renewed, act.vault)?;
    queue::carry(&renewed, act.vault)?;
    sender_aside::carry(&renewed, act.vault)?;
    // Both are made from reports, under a key of the private one, and are made again.
    act.tx.drop_signatures()?;
    act.tx.drop_sketches()?;
    act.tx.drop_slots()?;
    act.tx.close_people()?;
    log_chain::carry(act.tx, act.vault.stamp(), vault.stamp())?;
    sign(act.tx, vault.stamp(), held)?;
    set_password::put_code(&renewed, &coming.code)?;
    let was_off = set_password::replace(&renewed, &coming.password)?;
    for (person, invitation) in &coming.invitations {
        roster::invite(&renewed, person, invitation)?;
    }
    renewed.log_about(Action::SettingsChanged, "chiavi sostituite")?;
    Ok(Rekeyed {
        was_off,
        passkeys: act.passkey_ids()?.len(),
        unreadable,
    })
}

/// The former pair stays, marked as one that no key file has: the first of them names the archive.
fn change_pair(act: &Act<'_>, vault: &Vault) -> Result<()> {
    let pair = act.active_key_pair()?;
    let sealed = pair.ok_or(Error::Altered)?.sealed;
    act.tx.set_sealed(&act.vault.key_id(), true)?;
    let public = vault.public_key();
    act.tx
        .activate_key_pair(&public.key_id(), public.as_bytes(), act.now)?;
    Ok(act.tx.set_sealed(&public.key_id(), sealed)?)
}

/// Answers how many did not open.
fn reseal_epochs(act: &Act<'_>, vault: &Vault) -> Result<usize> {
    let (mut unreadable, key_id) = (0, vault.key_id());
    for epoch in act.epochs_of(&act.vault.key_id())? {
        match act.vault.reseal_epoch(epoch.id, &epoch.sealed, vault) {
            Ok(sealed) => act.tx.put_epoch(epoch.id, &key_id, &sealed)?,
            Err(_) => unreadable += 1,
        }
    }
    Ok(unreadable)
}
