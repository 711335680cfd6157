//! Sets a password, the shared one or a person's own: at the first set-up, by change in the panel, by an invitation, or on the
//! server's command line. Must never store a password, nor set one without the slot that lets it open the reports.

use serde::{Deserialize, Serialize};

use crate::actions::access::account::{AccountHolder, ProvenPassword};
use crate::actions::access::login_limit::{Attempt, forgive};
use crate::actions::archive::authenticity::amend;
use crate::actions::archive::sealing::put_slot;
use crate::actions::people::second_factor::carry;
use crate::actions::settings::sections::{security, store_section};
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::password::{check_password, comparable};
use crate::domain::settings::System;
use crate::store::Action;
use crate::vault::{
    PasswordParams, RecoveryCode, Secret32, SlotKind, VaultError, is_mark,
    password::{Derived, SALT_LEN, VERIFIER_LEN, derive, new_salt},
};

/// The stored part of the password: the parameters of its derivation, and the hash of the first half of the result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    params: PasswordParams,
    #[serde(with = "hex")]
    salt: [u8; SALT_LEN],
    #[serde(with = "hex")]
    verifier: [u8; VERIFIER_LEN],
}

/// A password ready to be set: derived, and no longer in the clear.
pub struct NewPassword {
    slot_key: Secret32,
    credential: String,
}

/// `own`: what else an attacker tries first, such as the name of who is to have it.
pub fn check(
    field: &str,
    password: &str,
    system: &System,
    own: &[&str],
) -> std::result::Result<(), Invalid> {
    let names = [
        system.product_name.as_str(),
        &system.assistant_name,
        &system.organization_name,
    ];
    check_password(password, &[&names[..], own].concat()).map_err(|invalid| invalid.at(field))
}

impl Credential {
    pub fn read(stored: &str) -> std::result::Result<Self, VaultError> {
        serde_json::from_str(stored).map_err(|_| VaultError::Damaged)
    }

    /// Derives a password as this credential was derived; `None` when it is not the same one. Takes about 0.1 s, twice that for one
    /// that has another form: up to version 1.0 passwords were derived as they were typed.
    pub fn prove(&self, password: &str) -> std::result::Result<Option<Derived>, VaultError> {
        let form = comparable(password);
        let proven = self.prove_form(&form)?;
        if proven.is_some() || form.as_str() == password {
            return Ok(proven);
        }
        self.prove_form(password)
    }

    fn prove_form(&self, form: &str) -> std::result::Result<Option<Derived>, VaultError> {
        let derived = derive(form.as_bytes(), &self.params, &self.salt)?;
        Ok(is_mark(&derived.verifier, &self.verifier).then_some(derived))
    }
}

impl NewPassword {
    /// Derives a password with a fresh salt. Takes about 0.1 s.
    pub fn derive(password: &str, params: PasswordParams) -> std::result::Result<Self, VaultError> {
        let salt = new_salt()?;
        let derived = derive(comparable(password).as_bytes(), &params, &salt)?;
        let credential = Credential {
            params,
            salt,
            verifier: derived.verifier,
        };
        let credential = serde_json::to_string(&credential).map_err(|_| VaultError::Damaged)?;
        Ok(Self {
            slot_key: derived.slot_key,
            credential,
        })
    }

    pub fn proven(&self, attempt: Attempt) -> ProvenPassword {
        ProvenPassword {
            credential: self.credential.clone(),
            slot_key: self.slot_key.clone(),
            attempt,
        }
    }
}

pub fn set_up(act: &Act<'_>, password: &NewPassword, code: &RecoveryCode) -> Result<()> {
    if act.credential()?.is_some() {
        return Err(Error::AlreadySetUp);
    }
    put_code(act, code)?;
    replace(act, password).map(drop)
}

pub fn put_code(act: &Act<'_>, code: &RecoveryCode) -> Result<()> {
    let key = code.slot_key()?;
    amend(act, || put_slot(act, SlotKind::Recovery, "", &key))
}

/// Changes the password of the account whose present one was proved: its sessions end, one of this hash begins, and only its
/// browser stays known.
pub fn change(
    act: &Act<'_>,
    proven: &ProvenPassword,
    password: &NewPassword,
    session: &[u8; 32],
) -> Result<()> {
    let holder = AccountHolder::who_proved(act, proven)?;
    let account = &proven.attempt.account;
    let totp = carry(&holder, proven, &password.slot_key)?;
    forgive(act, &proven.attempt)?;
    let totp = totp.as_deref();
    amend(act, || put_password(act, account.person(), password, totp))?;
    let (key, browser) = (account.key().unwrap_or_default(), proven.attempt.browser);
    act.tx.forget_browsers_of(key, browser.as_ref())?;
    act.tx.delete_sessions_of(account.person(), None)?;
    let holder = AccountHolder::of(act, account.person())?;
    holder
        .ok_or(Error::WrongPassword)?
        .begin(act, session, None)?;
    act.log_about(Action::SettingsChanged, "password")
}

/// Sets the shared password whatever the present one is, and switches it on: all sessions end, no browser stays known, and failed
/// logins are forgiven. Answers whether it was switched off.
pub fn replace(act: &Act<'_>, password: &NewPassword) -> Result<bool> {
    amend(act, || put_password(act, None, password, None))?;
    let mut security = security(act)?;
    let was_off = !security.shared_password;
    if was_off {
        security.shared_password = true;
        store_section(act, &security)?;
    }
    act.tx.delete_sessions()?;
    act.tx.forget_browsers()?;
    act.tx.forget_login_attempts(i64::MAX)?;
    act.log_about(Action::SettingsChanged, "password")?;
    Ok(was_off)
}

/// The slot, and what a login is compared with, of a person or of everybody: a change of what is signed. Without the password that was, a person's second factor cannot be opened, and goes.
pub(in crate::actions) fn put_password(
    act: &Act<'_>,
    person: Option<&str>,
    password: &NewPassword,
    totp: Option<&[u8]>,
) -> Result<()> {
    let owner = person.unwrap_or_default();
    put_slot(act, SlotKind::Password, owner, &password.slot_key)?;
    Ok(match person {
        Some(id) => act.tx.put_credential_of(id, &password.credential, totp),
        None => act.tx.put_credential(&password.credential, act.now),
    }?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 1.0 stored it.
    fn as_typed(password: &str) -> Credential {
        let salt = new_salt().unwrap();
        let derived = derive(password.as_bytes(), &PasswordParams::CHEAP, &salt).unwrap();
        Credential {
            params: PasswordParams::CHEAP,
            salt,
            verifier: derived.verifier,
        }
    }

    #[test]
    fn a_password_that_was_stored_as_it_was_typed_is_still_good() {
        let (composed, parted) = ("caffè-magnolia-19", "caffe\u{300}-magnolia-19");
        for (stored, typed, proves) in [
            (parted, parted, true),
            (composed, composed, true),
            (composed, parted, true),
            ("gatto\u{a0}lampada 19", "gatto\u{a0}lampada 19", true),
            (parted, "caffe-magnolia-19", false),
        ] {
            let found = as_typed(stored).prove(typed).unwrap();
            assert_eq!(found.is_some(), proves, "{stored:?} {typed:?}");
        }
    }
}
