//! Whether the rows that decide who gets in and where reports go (passwords, people, slots, key pairs, settings) are those that this
//! program wrote: one MAC over all of them, under a subkey of the operational key, which is in no database and no backup.
//! Must never sign rows of another origin as confirmed, nor change a guarded row without a check before.

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::access::log_chain;
use crate::actions::archive::sealing::open_report;
use crate::actions::{Act, Error, Result};
use crate::store::{self, Action, Snapshot, Tx};
use crate::vault::{PublicKey, Stamp, Vault, is_mark};

const PLACE: &str = "archive";
/// Reports that are opened to see whether a key is theirs.
const SAMPLE: i64 = 8;

/// Who wrote the guarded rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// The program's own.
    Integro,
    /// They came from elsewhere: nothing is sent until an editor confirms where it goes.
    DaConfermare,
    /// Something else than the program changed them: no login succeeds, and nothing is sent.
    Alterato,
}

pub fn trust(snapshot: &Snapshot<'_>, stamp: &Stamp) -> store::Result<Trust> {
    // The rows must not be read through a trigger or view of another program.
    let row = if snapshot.has_own_schema()? {
        snapshot.authenticity()?
    } else {
        None
    };
    let Some((held, mac)) = row else {
        return Ok(Trust::Alterato);
    };
    let made = mark(snapshot, stamp, held)?;
    Ok(match (is_mark(&made, &mac), held) {
        (true, false) => Trust::Integro,
        (true, true) => Trust::DaConfermare,
        (false, _) => Trust::Alterato,
    })
}

/// Whether the rows were signed with these keys, so that the archive is theirs.
pub fn fits(snapshot: &Snapshot<'_>, stamp: &Stamp) -> store::Result<bool> {
    Ok(trust(snapshot, stamp)? != Trust::Alterato)
}

/// Says that the rows as they are now are the program's own; where they are not, `held`.
pub fn sign(tx: &Tx<'_>, stamp: &Stamp, held: bool) -> store::Result<()> {
    tx.put_authenticity(held, &mark(tx, stamp, held)?)
}

/// Takes over what is there, the access log with it, as the program's own; `held` where it came from elsewhere. Passkeys have then
/// not been used: see [`confirm`].
pub fn adopt(tx: &Tx<'_>, stamp: &Stamp, held: bool) -> store::Result<()> {
    log_chain::adopt(tx, stamp)?;
    if held {
        tx.forget_passkey_uses()?;
    }
    sign(tx, stamp, held)
}

fn mark(snapshot: &Snapshot<'_>, stamp: &Stamp, held: bool) -> store::Result<[u8; 32]> {
    let rows = snapshot.guarded()?;
    let mut parts: Vec<&[u8]> = vec![if held { b"held" } else { b"" }];
    for (table, key, content, rest) in &rows {
        parts.extend([table.as_bytes(), key.as_bytes(), content, rest.as_bytes()]);
    }
    Ok(stamp.mark(PLACE, parts))
}

pub fn guard(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Trust> {
    match trust(snapshot, vault.stamp())? {
        Trust::Alterato => Err(Error::Altered),
        trust => Ok(trust),
    }
}

pub fn amend<T>(act: &Act<'_>, change: impl FnOnce() -> Result<T>) -> Result<T> {
    let held = guard(act, act.vault)? == Trust::DaConfermare;
    let changed = change()?;
    sign(act.tx, act.vault.stamp(), held)?;
    Ok(changed)
}

/// An editor says that reports may go where the settings say. Of passkeys this says nothing: while it is not said one is used only
/// where it opens the reports, and what was not used until then may be a stranger's, and goes.
pub fn confirm(act: &Act<'_>) -> Result<()> {
    if guard(act, act.vault)? == Trust::DaConfermare {
        remove_unused_passkeys(act)?;
        sign(act.tx, act.vault.stamp(), false)?;
        act.log_about(Action::SettingsChanged, "indirizzi confermati")?;
    }
    Ok(())
}

fn remove_unused_passkeys(act: &Act<'_>) -> Result<()> {
    for row in act.people()? {
        for passkey in act.passkeys_of(&row.id)? {
            if passkey.last_used.is_none() {
                act.tx.delete_passkey(&passkey.id)?;
                let done = format!("passkey «{}» tolta: veniva da fuori", passkey.name);
                act.log_of(&row.person(), &done)?;
            }
        }
    }
    Ok(())
}

/// Takes altered rows over, by a command on the machine: the pair is that of the vault, the mode what the key file shows, nothing
/// is sent until an editor confirms where it goes, and people are to be invited anew: their rights and passkeys may be forged.
pub fn take_over(act: &Act<'_>) -> Result<()> {
    let (public, copied): (PublicKey, bool) = (act.vault.public_key(), act.vault.is_copy_kept());
    act.tx
        .activate_key_pair(&public.key_id(), public.as_bytes(), act.now)?;
    act.tx.set_sealed(&public.key_id(), !copied)?;
    act.tx.close_people()?;
    act.tx.delete_passkeys()?;
    Ok(sign(act.tx, act.vault.stamp(), true)?)
}

/// How many of a few reports, the oldest, the newest and some between, the key at hand opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sample {
    pub tried: i64,
    pub opened: i64,
}

impl Sample {
    /// Whether most are not the key's: those that came since may be, also where the key is a stranger's.
    pub fn is_foreign(&self) -> bool {
        self.opened * 2 < self.tried
    }
}

pub fn sample(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Sample> {
    let mut sample = Sample::default();
    for row in snapshot.spread_reports(SAMPLE)? {
        sample.tried += 1;
        match open_report(snapshot, vault, &row) {
            Ok(_) => sample.opened += 1,
            Err(Error::Vault(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sample)
}
