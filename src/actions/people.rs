//! The people who log in by a name of their own: invited, let in, changed, removed.
//! Must never leave the newsroom without an administrator it has, nor anything that opens the archive with who was removed.

use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::authenticity::{Trust, amend, guard, trust};
use super::log_access::Action;
use super::login_limit::Account;
use super::set_password::{NewPassword, put_password};
use super::sign_in::renew_sessions;
use super::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::person::{self, Person, Role};
use crate::domain::routing::{Department, Departments};
use crate::store::{InvitationRow, PersonRow, Snapshot};
use crate::vault::{Secret32, SlotKind};

/// How long an invitation is valid, in ms (PRODUCT.md §10).
const INVITATION_MS: i64 = 72 * 60 * 60 * 1_000;
/// People at once.
const MOST: usize = 200;

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
    /// What they may do.
    pub role: Role,
    /// Departments that they see; none named: all.
    #[serde(default)]
    pub departments: Vec<Department>,
}

/// A change to a person; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PersonChange {
    /// First name and surname.
    #[schema(max_length = 60)]
    pub name: Option<String>,
    /// What they may do.
    #[schema(inline)]
    pub role: Option<Role>,
    /// Departments that they see; none named: all.
    pub departments: Option<Vec<Department>>,
    /// Only `false`: takes the second factor away.
    pub second_factor: Option<bool>,
}

/// What is stored of an invitation's link.
pub struct Invitation {
    pub token_hash: [u8; 32],
    pub slot_key: Secret32,
}

/// Adds a person, who is invited by this link; answers the id.
pub fn add(act: &Act<'_>, new: &NewPerson, invitation: &Invitation) -> Result<String> {
    let user = person::user(&new.user);
    let fits = match act.person_of(&user)? {
        None => person::check_user(&user),
        Some(_) => Err(Invalid::new(
            "user",
            "taken",
            "Questo nome utente è già in uso.",
        )),
    };
    let name = match (person::name(&new.name), fits) {
        (Ok(name), Ok(())) => name,
        (name, fits) => {
            let refused = [name.err(), fits.err()].into_iter().flatten();
            return Err(Error::Invalid(refused.collect()));
        }
    };
    let people = act.people()?;
    let here = people.iter().filter(|row| row.gone.is_none()).count();
    if here >= MOST {
        return Err(Error::Conflict("Ci sono già 200 persone: rimuovine una."));
    }
    let person = Person {
        id: Uuid::new_v4().to_string(),
        departments: seen(new.role, Departments::of(&new.departments)),
        role: new.role,
        name,
        user,
    };
    amend(act, || Ok(act.insert_person(&person, act.now)?))?;
    invite(act, &person.id, invitation)?;
    Ok(person.id)
}

/// Invites a person by this link, in the place of one from before. Who has a password goes on with it until they answer.
pub fn invite(act: &Act<'_>, id: &str, invitation: &Invitation) -> Result<()> {
    present(act, id)?;
    let row = InvitationRow {
        person: id.to_owned(),
        until: act.now + INVITATION_MS,
        slot: act
            .vault
            .seal_slot(SlotKind::Invitation, &invitation.slot_key)?,
    };
    amend(
        act,
        || Ok(act.put_invitation(&invitation.token_hash, &row)?),
    )?;
    act.log(Action::PeopleChanged, None)
}

pub fn change(act: &Act<'_>, id: &str, change: PersonChange) -> Result<()> {
    let row = present(act, id)?;
    if change.second_factor == Some(true) {
        let message = "Il secondo fattore lo attiva ognuno per sé.";
        let refused = Invalid::new("secondFactor", "own", message);
        return Err(Error::Invalid(vec![refused]));
    }
    let mut person = row.person();
    if let Some(typed) = change.name {
        person.name = person::name(&typed).map_err(|refused| Error::Invalid(vec![refused]))?;
    }
    person.role = change.role.unwrap_or(person.role);
    let named = change.departments.as_deref().map(Departments::of);
    person.departments = seen(person.role, named.unwrap_or(person.departments));
    if person.role != Role::Amministratore {
        keep_an_administrator(act, &row)?;
    }
    amend(act, || {
        act.change_person(&person)?;
        if change.second_factor == Some(false) {
            act.put_totp(id, None)?;
        }
        Ok(())
    })?;
    renew_sessions(act, row)?;
    act.log(Action::PeopleChanged, None)
}

/// Removes a person: what opened anything goes, what they did keeps their name.
pub fn remove(act: &Act<'_>, id: &str) -> Result<()> {
    let row = present(act, id)?;
    keep_an_administrator(act, &row)?;
    amend(act, || Ok(act.let_go(id, act.now)?))?;
    forget(act, id)?;
    act.log(Action::PeopleChanged, None)
}

/// Ends a person's sessions and forgets their browsers.
fn forget(act: &Act<'_>, id: &str) -> Result<()> {
    act.delete_sessions_of(Some(id))?;
    Ok(act.forget_browsers_of(id, None)?)
}

/// Who is invited by a link.
pub fn invited(
    snapshot: &Snapshot<'_>,
    token_hash: &[u8; 32],
    now: i64,
) -> Result<(PersonRow, InvitationRow)> {
    let invitation = snapshot.invitation(token_hash)?;
    let invitation = invitation.filter(|row| now < row.until);
    let invitation = invitation.ok_or(Error::BadInvitation)?;
    Ok((present(snapshot, &invitation.person)?, invitation))
}

/// Answers an invitation: the password is the person's from now on, the link is spent, and every session of theirs ends.
pub fn accept(act: &Act<'_>, invitation: &Invitation, password: &NewPassword) -> Result<Account> {
    guard(act, act.vault)?;
    let (row, found) = invited(act, &invitation.token_hash, act.now)?;
    let (kind, key) = (SlotKind::Invitation, &invitation.slot_key);
    let opened = act.vault.open_slot(kind, key, &found.slot);
    let private = opened.map_err(|_| Error::BadInvitation)?;
    if !act.vault.is_unlocked() {
        act.vault.unlock(private)?;
    }
    let account = Account::Person(row.id.clone());
    put_password(act, &account, password, None)?;
    amend(act, || Ok(act.drop_invitation(&row.id)?))?;
    forget(act, &row.id)?;
    let actor = act.actor.with(row.person());
    let by_them = Act {
        actor: &actor,
        ..*act
    };
    by_them.log(Action::PeopleChanged, None)?;
    Ok(account)
}

/// Sets a person's password on the server's command line. The second factor goes, also where the password is the same.
pub fn reset(act: &Act<'_>, id: &str, password: &NewPassword) -> Result<()> {
    present(act, id)?;
    put_password(act, &Account::Person(id.to_owned()), password, None)?;
    amend(act, || Ok(act.drop_invitation(id)?))?;
    forget(act, id)?;
    act.forget_login_attempts(i64::MAX)?;
    act.log(Action::PeopleChanged, None)
}

/// Forgets invitations past their end. Those of an altered archive open nothing.
pub fn drop_old_invitations(act: &Act<'_>) -> Result<()> {
    let past = |(_, until): &(String, i64)| *until <= act.now;
    let any = act.invitations()?.iter().any(past);
    if any && trust(act, act.vault.stamp())? != Trust::Alterato {
        amend(act, || Ok(act.drop_old_invitations(act.now)?))?;
    }
    Ok(())
}

/// Administrators see every department.
fn seen(role: Role, named: Departments) -> Departments {
    match role {
        Role::Amministratore => Departments::ALL,
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
        return Err(Error::Conflict(
            "È l'unico amministratore che può accedere: prima rendi amministratore un'altra persona.",
        ));
    }
    Ok(())
}
