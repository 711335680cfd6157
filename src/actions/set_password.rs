//! Sets the password: at the first set-up, by change in the panel, or on the server's command line.
//! Must never store a password, nor set one without the slot that lets it open the reports.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use super::log_access::{Action, Actor, log_access};
use super::sealing::put_slot;
use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::password::check_password;
use crate::domain::settings::System;
use crate::store::Tx;
use crate::vault::{
    PasswordParams, RecoveryCode, Secret32, SlotKind, Vault, VaultError,
    password::{Derived, SALT_LEN, VERIFIER_LEN, derive, new_salt, verifies},
};

/// What is stored of the password: how it was derived, and the hash of the first half of the derivation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    params: PasswordParams,
    salt: String,
    verifier: String,
}

/// A password ready to be set: derived, and no longer in the clear.
pub struct NewPassword {
    slot_key: Secret32,
    credential: String,
}

/// Checks a new password against the rules and the newsroom's own names.
pub fn check(field: &str, password: &str, system: &System) -> std::result::Result<(), Invalid> {
    let names = [
        system.product_name.as_str(),
        &system.assistant_name,
        &system.organization_name,
    ];
    check_password(password, &names).map_err(|invalid| invalid.at(field))
}

impl Credential {
    pub fn read(stored: &str) -> std::result::Result<Self, VaultError> {
        serde_json::from_str(stored).map_err(|_| VaultError::Damaged)
    }

    /// Derives a password as this credential was derived; `None` when it is not the same one. Takes about 0.1 s.
    pub fn prove(&self, password: &str) -> std::result::Result<Option<Derived>, VaultError> {
        let salt: [u8; SALT_LEN] = decode(&self.salt)?;
        let verifier: [u8; VERIFIER_LEN] = decode(&self.verifier)?;
        let derived = derive(password.as_bytes(), &self.params, &salt)?;
        Ok(verifies(&derived, &verifier).then_some(derived))
    }
}

impl NewPassword {
    /// Derives a password with a fresh salt. Takes about 0.1 s.
    pub fn derive(password: &str, params: PasswordParams) -> std::result::Result<Self, VaultError> {
        let salt = new_salt()?;
        let derived = derive(password.as_bytes(), &params, &salt)?;
        let credential = Credential {
            params,
            salt: STANDARD_NO_PAD.encode(salt),
            verifier: STANDARD_NO_PAD.encode(derived.verifier),
        };
        let credential = serde_json::to_string(&credential).map_err(|_| VaultError::Damaged)?;
        Ok(Self {
            slot_key: derived.slot_key,
            credential,
        })
    }

    pub fn credential(&self) -> &str {
        &self.credential
    }

    pub fn slot_key(&self) -> &Secret32 {
        &self.slot_key
    }
}

/// First set-up: password and recovery code, both able to open the reports.
pub fn set_up(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    password: &NewPassword,
    code: &RecoveryCode,
) -> Result<()> {
    if tx.credential()?.is_some() {
        return Err(Error::AlreadySetUp);
    }
    put_slot(tx, vault, now, SlotKind::Recovery, &code.slot_key()?)?;
    replace(tx, vault, now, actor, password)
}

/// Changes the password; every session but the caller's ends.
pub fn change(tx: &Tx<'_>, vault: &Vault, now: i64, change: &Change<'_>) -> Result<()> {
    if tx.credential()?.as_deref() != Some(change.proven) {
        return Err(Error::WrongPassword);
    }
    tx.forgive_login_attempts(change.client)?;
    put_password(tx, vault, now, change.password)?;
    tx.delete_sessions_except(Some(change.keep))?;
    log_access(tx, now, change.actor, Action::SettingsChanged, None)
}

pub struct Change<'a> {
    pub actor: &'a Actor,
    /// The credential that the present password proved.
    pub proven: &'a str,
    pub password: &'a NewPassword,
    /// The caller's address, masked: its failed attempts are forgiven.
    pub client: &'a [u8; 16],
    /// Hash of the caller's session, which goes on.
    pub keep: &'a [u8; 32],
}

/// Sets the password whatever the present one is: all sessions end, and failed logins are forgiven.
pub fn replace(
    tx: &Tx<'_>,
    vault: &Vault,
    now: i64,
    actor: &Actor,
    password: &NewPassword,
) -> Result<()> {
    put_password(tx, vault, now, password)?;
    tx.delete_sessions_except(None)?;
    tx.forget_login_attempts(i64::MAX, i64::MAX)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

fn put_password(tx: &Tx<'_>, vault: &Vault, now: i64, password: &NewPassword) -> Result<()> {
    put_slot(tx, vault, now, SlotKind::Password, &password.slot_key)?;
    Ok(tx.put_credential(&password.credential, now)?)
}

fn decode<const N: usize>(text: &str) -> std::result::Result<[u8; N], VaultError> {
    let bytes = STANDARD_NO_PAD
        .decode(text)
        .map_err(|_| VaultError::Damaged)?;
    bytes.try_into().map_err(|_| VaultError::Damaged)
}
