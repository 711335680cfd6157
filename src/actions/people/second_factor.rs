//! A person's second factor: set up, asked for at a login, taken away.
//! Must never be set up or taken away without the password, nor let codes be guessed by who has that.

use crate::actions::access::account::{AccountHolder, ProvenPassword};
use crate::actions::access::login_limit::{Attempt, admit_code, count_code, forgive, take_back};
use crate::actions::archive::authenticity::amend;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Error, Result};
use crate::domain::person::Person;
use crate::vault::{Secret32, TotpFactor, VaultError};

/// The answer to a login that needs a second factor.
pub enum CodeCheck {
    /// The code is right, or none is needed.
    Enough,
    Wanted,
    Wrong,
    /// There are no codes: a passkey is the second factor, and logs in by itself.
    Passkey,
    /// Too many were wrong; in so many minutes again.
    Wait(i64),
}

/// Checks the code of a login whose password was proved. `host` is where passkeys are valid.
pub(in crate::actions) fn ask(
    act: &Act<'_>,
    holder: &AccountHolder,
    proven: &ProvenPassword,
    code: Option<&str>,
    host: Option<&str>,
) -> Result<CodeCheck> {
    let Some((person, sealed)) = holder.second_factor() else {
        return without_codes(act, holder, proven, host);
    };
    let Some(code) = code.filter(|code| !code.trim().is_empty()) else {
        // The password was right: that is no failure, and forgives none.
        take_back(act, &proven.attempt)?;
        return Ok(CodeCheck::Wanted);
    };
    if let Some(minutes) = admit_code(act, person)? {
        return Ok(CodeCheck::Wait(minutes));
    }
    let mut factor = TotpFactor::open(&proven.slot_key, person, sealed)?;
    if !factor.accept(code, act.now)? {
        count_code(act, person)?;
        return Ok(CodeCheck::Wrong);
    }
    let sealed = factor.seal(&proven.slot_key, person)?;
    amend(act, || Ok(act.tx.put_totp(person, Some(&sealed))?))?;
    Ok(CodeCheck::Enough)
}

/// Where everybody needs a second factor, a password alone lets nobody in whose second factor is a passkey.
fn without_codes(
    act: &Act<'_>,
    holder: &AccountHolder,
    proven: &ProvenPassword,
    host: Option<&str>,
) -> Result<CodeCheck> {
    let (Some(person), Some(host)) = (holder.person(), host) else {
        return Ok(CodeCheck::Enough);
    };
    if !security(act)?.require_second_factor || !act.has_passkey_at(&person.id, host)? {
        return Ok(CodeCheck::Enough);
    }
    take_back(act, &proven.attempt)?;
    Ok(CodeCheck::Passkey)
}

/// Sets up the second factor of the account whose password was proved, in the place of one from before.
pub fn set_up(act: &Act<'_>, proven: &ProvenPassword, factor: &TotpFactor) -> Result<()> {
    let person = person(act, proven)?;
    let sealed = factor.seal(&proven.slot_key, &person.id)?;
    put(act, &proven.attempt, &person, Some(&sealed))
}

/// Takes it away, unless everybody needs one and there is no passkey that is valid at this host either.
pub fn take_away(act: &Act<'_>, proven: &ProvenPassword, host: Option<&str>) -> Result<()> {
    let person = person(act, proven)?;
    let other = host.map(|host| act.has_passkey_at(&person.id, host));
    if security(act)?.require_second_factor && other.transpose()? != Some(true) {
        return Err(Error::conflict(
            "La redazione richiede il secondo fattore: si può solo sostituire.",
        ));
    }
    put(act, &proven.attempt, &person, None)
}

fn person(act: &Act<'_>, proven: &ProvenPassword) -> Result<Person> {
    let person = AccountHolder::who_proved(act, proven)?.person();
    person.ok_or(Error::PersonNotFound)
}

fn put(act: &Act<'_>, attempt: &Attempt, person: &Person, sealed: Option<&[u8]>) -> Result<()> {
    forgive(act, attempt)?;
    amend(act, || Ok(act.tx.put_totp(&person.id, sealed)?))?;
    let done = sealed.map_or("secondo fattore tolto", |_| "secondo fattore");
    act.log_of(person, done)
}

/// Carries the second factor over to another password; `None` if there is none.
pub(in crate::actions) fn carry(
    holder: &AccountHolder,
    proven: &ProvenPassword,
    to: &Secret32,
) -> std::result::Result<Option<Vec<u8>>, VaultError> {
    let Some((person, sealed)) = holder.second_factor() else {
        return Ok(None);
    };
    let factor = TotpFactor::open(&proven.slot_key, person, sealed)?;
    factor.seal(to, person).map(Some)
}
