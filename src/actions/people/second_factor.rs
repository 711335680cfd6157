//! A person's second factor: set up, asked for at a login, taken away.
//! Must never be set up or taken away without the password, nor let codes be guessed by who has that.

use crate::actions::access::account::{Holder, Proven};
use crate::actions::access::login_limit::{Attempt, admit_code, count_code, forgive, take_back};
use crate::actions::archive::authenticity::amend;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Error, Result};
use crate::domain::person::Person;
use crate::vault::{SecondFactor, Secret32, VaultError};

/// What a login is told that needs a second factor.
pub enum Asked {
    /// The code is right, or none is needed.
    Enough,
    Wanted,
    Wrong,
    /// Too many were wrong; in so many minutes again.
    Wait(i64),
}

/// Asks whoever proved the password of an account for a code.
pub(in crate::actions) fn ask(
    act: &Act<'_>,
    holder: &Holder,
    proven: &Proven,
    code: Option<&str>,
) -> Result<Asked> {
    let Some((person, sealed)) = holder.second_factor() else {
        return Ok(Asked::Enough);
    };
    let Some(code) = code.filter(|code| !code.trim().is_empty()) else {
        // The password was right: that is no failure, and forgives none.
        take_back(act, &proven.attempt)?;
        return Ok(Asked::Wanted);
    };
    if let Some(minutes) = admit_code(act, person)? {
        return Ok(Asked::Wait(minutes));
    }
    let mut factor = SecondFactor::open(&proven.slot_key, person, sealed)?;
    if !factor.accept(code, act.now)? {
        count_code(act, person)?;
        return Ok(Asked::Wrong);
    }
    let sealed = factor.seal(&proven.slot_key, person)?;
    amend(act, || Ok(act.tx.put_totp(person, Some(&sealed))?))?;
    Ok(Asked::Enough)
}

/// Sets it up for whoever proved their password, in the place of one from before.
pub fn set_up(act: &Act<'_>, proven: &Proven, factor: &SecondFactor) -> Result<()> {
    let person = person(act, proven)?;
    let sealed = factor.seal(&proven.slot_key, &person.id)?;
    put(act, &proven.attempt, &person, Some(&sealed))
}

/// Takes it away, unless everybody needs one.
pub fn take_away(act: &Act<'_>, proven: &Proven) -> Result<()> {
    let person = person(act, proven)?;
    if security(act)?.require_second_factor {
        return Err(Error::Conflict(
            "La redazione richiede il secondo fattore: si può solo sostituire.",
        ));
    }
    put(act, &proven.attempt, &person, None)
}

fn person(act: &Act<'_>, proven: &Proven) -> Result<Person> {
    let person = Holder::who_proved(act, proven)?.person();
    person.ok_or(Error::PersonNotFound)
}

fn put(act: &Act<'_>, attempt: &Attempt, person: &Person, sealed: Option<&[u8]>) -> Result<()> {
    forgive(act, attempt)?;
    amend(act, || Ok(act.tx.put_totp(&person.id, sealed)?))?;
    let done = sealed.map_or("secondo fattore tolto", |_| "secondo fattore");
    act.log_of(person, done)
}

/// The same second factor under another password; `None` where there is none.
pub(in crate::actions) fn carry(
    holder: &Holder,
    proven: &Proven,
    to: &Secret32,
) -> std::result::Result<Option<Vec<u8>>, VaultError> {
    let Some((person, sealed)) = holder.second_factor() else {
        return Ok(None);
    };
    let factor = SecondFactor::open(&proven.slot_key, person, sealed)?;
    factor.seal(to, person).map(Some)
}
