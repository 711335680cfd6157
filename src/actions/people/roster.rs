//! The people who log in by a name of their own: invited, let in, changed, removed.
//! Must never leave the newsroom without an administrator it has, nor anything that opens the archive with who was removed.

use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actions::access::login_limit::{Account, passkeys_of};
use crate::actions::access::set_password::{NewPassword, put_password};
use crate::actions::access::sign_in::renew_sessions;
use crate::actions::archive::authenticity::{Trust, amend, guard, trust};
use crate::actions::archive::sealing::{open_slot, put_slot};
use crate::actions::desk::edit_reports::record;
use crate::actions::settings::department_list;
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::person::{self, Person, Role};
use crate::domain::report::Stato;
use crate::domain::routing::{DepartmentKey, Sight};
use crate::store::{ChangeKind, PasskeyRow, PersonRow, Snapshot};
use crate::vault::{Secret32, SlotKind};

/// How long an invitation is valid, in ms (PRODUCT.md §7).
const INVITATION_MS: i64 = 72 * 60 * 60 * 1_000;
const TAKEN: &str = "Questo nome utente è già in uso.";

/// A person to be invited.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    /// First name and surname.
    #[schema(max_length = 60)]
    pub name: String,
    /// The name to log in by.
    #[schema(max_length = 60)]
    pub user: String,
    /// Their role.
    pub role: Role,
    /// Departments that they see; none named: all.
    #[serde(default)]
    pub departments: Vec<DepartmentKey>,
}

/// A change to a person. Absent fields stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PersonChange {
    /// First name and surname.
    #[schema(max_length = 60)]
    pub name: Option<String>,
    /// Their role.
    #[schema(inline)]
    pub role: Option<Role>,
    /// Departments that they see; none named: all.
    pub departments: Option<Vec<DepartmentKey>>,
    /// Only `false`: takes the second factor away.
    pub second_factor: Option<bool>,
}

/// The stored part of an invitation's link.
pub struct Invitation {
    pub token_hash: [u8; 32],
    pub slot_key: Secret32,
}

/// Adds a person, who is invited by this link; answers the id.
pub fn add(act: &Act<'_>, new: &NewPerson, invitation: &Invitation) -> Result<String> {
    known_all(act, &new.departments)?;
    let user = person::user(&new.user);
    let fits = match act.person_of(&user)? {
        None => person::check_user(&user),
        Some(_) => Err(Invalid::new("user", "taken", TAKEN)),
    };
    let name = match (person::name(&new.name), fits) {
        (Ok(name), Ok(())) => name,
        (name, fits) => {
            let refused = [name.err(), fits.err()].into_iter().flatten();
            return Err(Error::Invalid(refused.collect()));
        }
    };
    let person = Person {
        id: Uuid::new_v4().to_string(),
        departments: seen(new.role, sight_of(act, &new.departments)?),
        role: new.role,
        name,
        user,
    };
    amend(act, || Ok(act.tx.insert_person(&person, act.now)?))?;
    invite(act, &person.id, invitation)?;
    Ok(person.id)
}

/// Invites a person by this link, in the place of one from before. Who has a password goes on with it until they answer.
pub fn invite(act: &Act<'_>, id: &str, invitation: &Invitation) -> Result<()> {
    let row = present(act, id)?;
    let until = act.now + INVITATION_MS;
    amend(act, || {
        put_slot(act, SlotKind::Invitation, id, &invitation.slot_key)?;
        Ok(act
            .tx
            .put_invitation(id, Some(&invitation.token_hash), Some(until))?)
    })?;
    act.log_of(&row.person(), "invito")
}

pub fn change(act: &Act<'_>, id: &str, change: PersonChange) -> Result<()> {
    let row = present(act, id)?;
    let takes_factor = change.second_factor.is_some();
    let person = changed(act, &row, change)?;
    if person.role != Role::Amministratore {
        keep_an_administrator(act, &row)?;
    }
    // Who has lost the telephone has lost the passkeys on it too.
    let lost = takes_factor.then(|| act.passkeys_of(id));
    let lost = lost.transpose()?.unwrap_or_default();
    let loses_factor = takes_factor && row.totp.is_some();
    let done = [
        (person.name != row.name, "nome"),
        (person.role != row.role, "ruolo"),
        (person.departments != row.departments, "reparti"),
        (loses_factor, "secondo fattore tolto"),
    ];
    let done = done.iter().filter_map(|(is, word)| is.then_some(*word));
    let done = done.collect::<Vec<_>>().join(", ");
    if done.is_empty() && lost.is_empty() {
        return Ok(());
    }
    amend(act, || {
        act.tx.change_person(&person)?;
        if loses_factor {
            act.tx.put_totp(id, None)?;
        }
        lost.iter()
            .try_for_each(|one| Ok(act.tx.delete_passkey(&one.id)?))
    })?;
    log_removed(act, &person, &lost)?;
    end_assignments(act, id, |department, _| !person.departments.has(department))?;
    renew_sessions(act, row)?;
    if done.is_empty() {
        return Ok(());
    }
    act.log_of(&person, &done)
}

/// The person as the change makes them.
fn changed(act: &Act<'_>, row: &PersonRow, change: PersonChange) -> Result<Person> {
    if change.second_factor == Some(true) {
        let message = "Il secondo fattore lo attiva ognuno per sé.";
        return Err(Invalid::new("secondFactor", "own", message).into());
    }
    let mut person = row.person();
    if let Some(typed) = change.name {
        person.name = person::name(&typed)?;
    }
    person.role = change.role.unwrap_or(person.role);
    known_all(act, change.departments.as_deref().unwrap_or_default())?;
    let named = change
        .departments
        .as_deref()
        .map(|named| sight_of(act, named));
    let named = named.transpose()?;
    person.departments = seen(person.role, named.unwrap_or(person.departments));
    Ok(person)
}

/// Takes reports from a person; the history of each says so.
fn end_assignments(
    act: &Act<'_>,
    id: &str,
    ends: impl Fn(DepartmentKey, Stato) -> bool,
) -> Result<()> {
    // An administrator sees all departments.
    for (report, department, stato) in act.assigned_to(id)? {
        if ends(department, stato) {
            act.tx.end_assignment(&report, act.now)?;
            record(act, &report, [(ChangeKind::Assegnata, Some(id), None)])?;
        }
    }
    Ok(())
}

/// Removes a person: what opened anything goes, what they did keeps their name.
pub fn remove(act: &Act<'_>, id: &str) -> Result<()> {
    let row = present(act, id)?;
    keep_an_administrator(act, &row)?;
    let passkeys = act.passkeys_of(id)?;
    amend(act, || Ok(act.tx.let_go(id, act.now)?))?;
    // Closed reports keep their name; open ones would wait for a person who is gone.
    end_assignments(act, id, |_, stato| stato.is_open())?;
    forget(act, id)?;
    log_removed(act, &row.person(), &passkeys)?;
    act.log_of(&row.person(), "rimozione")
}

/// Adds people known by id and name alone, as people who went.
pub fn remember_gone<'p>(
    act: &Act<'_>,
    mut people: impl Iterator<Item = (&'p str, &'p str)>,
) -> Result<()> {
    amend(act, || {
        Ok(people.try_for_each(|(id, name)| act.tx.remember_person(id, name, act.now))?)
    })
}

fn forget(act: &Act<'_>, id: &str) -> Result<()> {
    act.tx.delete_sessions_of(Some(id), None)?;
    if let Some(passkeys) = passkeys_of(id).key() {
        act.tx.forget_browsers_of(passkeys, None)?;
    }
    Ok(act.tx.forget_browsers_of(id, None)?)
}

/// Who is invited by a link.
pub fn invited(snapshot: &Snapshot<'_>, token_hash: &[u8; 32], now: i64) -> Result<PersonRow> {
    snapshot
        .invited(token_hash, now)?
        .ok_or(Error::BadInvitation)
}

/// Answers an invitation: the password is the person's from now on, the link is spent, and every session of theirs ends.
pub fn accept(act: &Act<'_>, invitation: &Invitation, password: &NewPassword) -> Result<Account> {
    guard(act, act.vault)?;
    let row = invited(act, &invitation.token_hash, act.now)?;
    let person = row.person();
    let (kind, key) = (SlotKind::Invitation, &invitation.slot_key);
    let private = match open_slot(act, act.vault, kind, &person.id, key) {
        Err(Error::Vault(_)) => return Err(Error::BadInvitation),
        opened => opened?,
    };
    let opened = act.vault.unlocked_with(private)?;
    let vault = &opened;
    let actor = act.actor.with(person.clone());
    let by_them = Act {
        actor: &actor,
        ..*act
    };
    // Who has no password chooses one after an exchange of keys: no passkey was stolen, and none opens anything since.
    let passkeys = match row.credential {
        Some(_) => act.passkeys_of(&row.id)?,
        None => Vec::new(),
    };
    put_anew(&Act { vault, ..by_them }, &row, password, &passkeys)?;
    by_them.log_of(&person, "password scelta")?;
    Ok(Account::Person(person.id))
}

/// Gives a person a password in the place of all that opened anything for them, but for passkeys that are not named.
fn put_anew(
    act: &Act<'_>,
    row: &PersonRow,
    password: &NewPassword,
    passkeys: &[PasskeyRow],
) -> Result<()> {
    let id = row.id.as_str();
    amend(act, || {
        for passkey in passkeys {
            act.tx.delete_passkey(&passkey.id)?;
        }
        act.tx.drop_slots_of(id)?;
        act.tx.put_invitation(id, None, None)?;
        put_password(act, Some(id), password, None)
    })?;
    log_removed(act, &row.person(), passkeys)?;
    forget(act, id)
}

fn log_removed(act: &Act<'_>, person: &Person, gone: &[PasskeyRow]) -> Result<()> {
    let mut gone = gone.iter();
    gone.try_for_each(|passkey| act.log_of(person, &format!("{} tolta", passkey.told())))
}

/// Sets a person's password on the server's command line. Second factor and passkeys go, also where the password is the same.
/// Answers how many passkeys there were.
pub fn reset(act: &Act<'_>, id: &str, password: &NewPassword) -> Result<usize> {
    let row = present(act, id)?;
    let passkeys = act.passkeys_of(id)?;
    put_anew(act, &row, password, &passkeys)?;
    act.tx.forget_login_attempts(i64::MAX)?;
    act.log_of(&row.person(), "password, sul server")?;
    Ok(passkeys.len())
}

/// Forgets invitations past their end. Those of an altered archive open nothing.
pub fn drop_old_invitations(act: &Act<'_>) -> Result<()> {
    let past = |row: &PersonRow| row.invited_until.is_some_and(|until| until <= act.now);
    let any = act.people()?.iter().any(past);
    if any && trust(act, act.vault.stamp())? != Trust::Alterato {
        amend(act, || Ok(act.tx.drop_old_invitations(act.now)?))?;
    }
    Ok(())
}

fn known_all(act: &Act<'_>, named: &[DepartmentKey]) -> Result<()> {
    let mut named = named.iter();
    named.try_for_each(|key| department_list::known(act, *key, "departments"))
}

/// A person who is given every present department also sees every later one.
fn sight_of(act: &Act<'_>, named: &[DepartmentKey]) -> Result<Sight> {
    let every = act.departments()?.keys().all(|key| named.contains(&key));
    Ok(if every { Sight::ALL } else { Sight::of(named) })
}

/// Administrators see every department.
fn seen(role: Role, named: Sight) -> Sight {
    match role {
        Role::Amministratore => Sight::ALL,
        Role::Redattore | Role::Lettore => named,
    }
}

fn present(snapshot: &Snapshot<'_>, id: &str) -> Result<PersonRow> {
    let row = snapshot.person(id)?.filter(|row| row.gone.is_none());
    row.ok_or(Error::PersonNotFound)
}

/// The last administrator who can log in stays one.
fn keep_an_administrator(act: &Act<'_>, row: &PersonRow) -> Result<()> {
    let one = row.role == Role::Amministratore && row.credential.is_some();
    if one && act.administrators()? == 1 {
        return Err(Error::conflict(
            "È l'unico amministratore che può accedere: prima rendi amministratore un'altra persona.",
        ));
    }
    Ok(())
}
