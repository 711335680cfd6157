//! Passwords and keys of mail server and webhook: kept, read back, and sealed anew after a restore on another machine or
//! for another key pair (PRODUCT.md §4).
//! Must never answer a client with one, nor keep one in the clear longer than its use.

use zeroize::Zeroizing;

use super::{Act, Result};
use crate::store::{SecretName, SecretRow, Snapshot};
use crate::vault::{Vault, VaultError};

/// Table that they are sealed for.
const TABLE: &str = "secrets";

pub fn is_set(snapshot: &Snapshot<'_>, name: SecretName) -> Result<bool> {
    Ok(snapshot.secret(name)?.is_some())
}

/// Keeps a secret; from `until` on, if given, it counts no more.
pub fn keep(act: &Act<'_>, name: SecretName, value: &str, until: Option<i64>) -> Result<()> {
    let (id, plaintext) = (name.as_str(), value.as_bytes());
    let row = SecretRow {
        operational: act.vault.seal_operational(TABLE, id, plaintext)?,
        newsroom: act.vault.seal_to_newsroom(TABLE, id, plaintext)?,
        key_id: act.vault.key_id(),
        until,
    };
    Ok(act.put_secret(name, &row, act.now)?)
}

pub fn recall(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
    name: SecretName,
) -> Result<Option<Zeroizing<String>>> {
    let row = snapshot.secret(name)?;
    let Some(row) = row.filter(|row| row.until.is_none_or(|until| now < until)) else {
        return Ok(None);
    };
    let opened = vault.open_operational(TABLE, name.as_str(), &row.operational)?;
    Ok(Some(text(&opened)?))
}

/// The keys that sign the calls of the webhook: the present one and, for a day, the one before.
pub fn signing_keys(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
) -> Result<Vec<Zeroizing<String>>> {
    let names = [SecretName::WebhookSecret, SecretName::WebhookSecretBefore];
    let mut keys = Vec::new();
    for name in names {
        keys.extend(recall(snapshot, vault, now, name)?);
    }
    Ok(keys)
}

/// Seals anew what one of today's keys does not open: under the operational key after a restore on another machine, to
/// the newsroom's pair after that was replaced. What neither opens is forgotten, for it would show as set and be of no
/// use.
pub fn refresh(act: &Act<'_>) -> Result<()> {
    let vault = act.vault;
    for name in SecretName::ALL {
        let Some(row) = act.secret(name)? else {
            continue;
        };
        let here = vault.open_operational(TABLE, name.as_str(), &row.operational);
        if here.is_ok() && row.key_id == vault.key_id() {
            continue;
        }
        let opened =
            here.or_else(|_| vault.open_from_newsroom(TABLE, name.as_str(), &row.newsroom));
        match opened {
            Ok(plaintext) => keep(act, name, &text(&plaintext)?, row.until)?,
            Err(VaultError::Locked) => return Err(VaultError::Locked.into()),
            Err(error) => {
                tracing::error!(name = name.as_str(), %error, "a secret of the settings cannot be opened any more");
                act.drop_secret(name)?;
            }
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Result<Zeroizing<String>> {
    let text = std::str::from_utf8(bytes).map_err(|_| VaultError::Damaged)?;
    Ok(Zeroizing::new(text.to_owned()))
}
