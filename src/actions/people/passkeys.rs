//! A person's own passkeys: added, named, removed.
//! Must never be added without the password, nor leave a slot or a session of one that was removed.

use uuid::Uuid;

use crate::actions::access::account::{AccountHolder, ProvenPassword};
use crate::actions::access::login_limit::forgive;
use crate::actions::access::sign_in::lock_when_alone;
use crate::actions::archive::authenticity::amend;
use crate::actions::archive::sealing::put_slot;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Error, Result};
use crate::domain::person::{self, Person};
use crate::store::{Action, PasskeyRow};
use crate::vault::passkey::Made;
use crate::vault::{PASSKEY_SALT_LEN, Secret32, SlotKind, passkey_key};

/// Passkeys of one person at once (PRODUCT.md §20).
const MOST: usize = 10;

/// A passkey that an authenticator made.
pub struct NewPasskey {
    /// Stored form of the person's password, as it was proved when the question was asked.
    pub proved: String,
    pub host: String,
    pub name: String,
    pub made: Made,
    /// The result of `prf`, where the authenticator gave one.
    pub computed: Option<Secret32>,
    pub salt: [u8; PASSKEY_SALT_LEN],
}

/// The person's passkeys, before another is asked for: the password was right, and there is room.
pub fn begin(act: &Act<'_>, proven: &ProvenPassword) -> Result<Vec<PasskeyRow>> {
    let person = AccountHolder::who_proved(act, proven)?.person();
    let person = person.ok_or(Error::PersonNotFound)?;
    forgive(act, &proven.attempt)?;
    let own = act.passkeys_of(&person.id)?;
    refuse_more(&own)?;
    Ok(own)
}

fn refuse_more(own: &[PasskeyRow]) -> Result<()> {
    if own.len() >= MOST {
        return Err(Error::conflict(
            "Hai già dieci passkey: prima rimuovine una che non usi.",
        ));
    }
    Ok(())
}

/// Adds a passkey of the caller; answers its id. It opens the archive from now on, where that is open and the authenticator
/// computed something.
pub fn add(act: &Act<'_>, person: &Person, new: &NewPasskey) -> Result<String> {
    let name = person::name(&new.name)?;
    let holder = AccountHolder::of(act, Some(&person.id))?;
    let same = holder.is_some_and(|holder| holder.has_credential(&new.proved));
    if !same {
        return Err(Error::conflict("La tua password è cambiata: ricomincia."));
    }
    let own = act.passkeys_of(&person.id)?;
    refuse_more(&own)?;
    let name = free_name(&own, &name);
    if act.passkey_by_handle(&new.made.handle)?.is_some() {
        return Err(Error::conflict("Questa passkey c'è già."));
    }
    let row = PasskeyRow {
        id: Uuid::new_v4().to_string(),
        person: person.id.clone(),
        host: new.host.clone(),
        handle: new.made.handle.clone(),
        credential: new.made.credential.clone(),
        salt: new.salt,
        created: act.now,
        last_used: None,
        name,
    };
    let computed = new.computed.as_ref().filter(|_| act.vault.is_unlocked());
    amend(act, || {
        act.tx.insert_passkey(&row)?;
        let Some(computed) = computed else {
            return Ok(());
        };
        let key = passkey_key(computed, &row.salt)?;
        put_slot(act, SlotKind::Passkey, &row.id, &key)
    })?;
    act.log_of(person, &format!("{} aggiunta", row.told()))?;
    Ok(row.id)
}

/// The name, told from those of their other passkeys: 'Telefono (2)'. The one that was lost could not be found among others else.
fn free_name(others: &[PasskeyRow], name: &str) -> String {
    let numbered = (2..).map(|n| format!("{name} ({n})"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let is_free = |name: &String| others.iter().all(|row| row.name != *name);
    names.find(is_free).unwrap_or_default()
}

/// Logs that an answer of it was refused, since its counter had gone back.
pub fn note_copy(act: &Act<'_>, row: &PasskeyRow) -> Result<()> {
    let person = act.person(&row.person)?;
    let name = person.map(|person| person.name).unwrap_or_default();
    let about = format!(
        "{name}: {} rifiutata, il contatore è tornato indietro: forse ce n'è una copia",
        row.told()
    );
    act.log_about(Action::LoginFailed, about)
}

pub fn rename(act: &Act<'_>, person: &Person, id: &str, name: &str) -> Result<()> {
    let name = person::name(name)?;
    let row = own(act, person, id)?;
    let mut others = act.passkeys_of(&person.id)?;
    others.retain(|other| other.id != id);
    let name = free_name(&others, &name);
    if row.name == name {
        return Ok(());
    }
    amend(act, || Ok(act.tx.rename_passkey(id, &name)?))?;
    let after = PasskeyRow {
        name,
        ..row.clone()
    };
    act.log_of(person, &format!("{}, ora {}", row.told(), after.told()))
}

/// Removes one, with its slot and the sessions that began by it; the last one that is valid, at this host, stays where everybody needs
/// a second factor and there is no other.
pub fn remove(act: &Act<'_>, person: &Person, id: &str, host: Option<&str>) -> Result<()> {
    let row = own(act, person, id)?;
    let others = act.passkeys_of(&person.id)?.into_iter();
    let mut others = others.filter(|other| other.id != id);
    let is_valid = |row: &PasskeyRow| host == Some(&row.host);
    if security(act)?.require_second_factor
        && is_valid(&row)
        && !others.any(|other| is_valid(&other))
        && act.person(&person.id)?.is_none_or(|row| row.totp.is_none())
    {
        return Err(Error::conflict(
            "La redazione richiede il secondo fattore. Prima attiva l'app o aggiungi un'altra passkey.",
        ));
    }
    amend(act, || Ok(act.tx.delete_passkey(id)?))?;
    act.log_of(person, &format!("{} tolta", row.told()))?;
    lock_when_alone(act)
}

fn own(act: &Act<'_>, person: &Person, id: &str) -> Result<PasskeyRow> {
    let row = act.passkey(id)?.filter(|row| row.person == person.id);
    row.ok_or(Error::PasskeyNotFound)
}
