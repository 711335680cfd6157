//! The newsroom's departments: named, ordered, added, changed, and removed (`PRODUCT.md §11`).
//! Must never leave a person without a department, nor a report in one that was removed for longer than its move takes.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::access::sign_in::renew_sessions;
use crate::actions::archive::authenticity::amend;
use crate::actions::desk::bulk::STEP;
use crate::actions::desk::edit_reports::{ExpectedVersion, given, move_from_removed};
use crate::actions::desk::views::views_follow;
use crate::actions::settings::department_list::version;
use crate::actions::{Act, Error, Result};
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::person::Person;
use crate::domain::routing::{Department, DepartmentKey, Departments, Matter, Sight};
use crate::domain::settings::checked_desk;
use crate::domain::text::{char_count, clean_line, fold, has_controls};
use crate::store::Action;

/// A department to be added.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDepartment {
    /// 2 to 40 characters.
    #[schema(min_length = 2, max_length = 40)]
    pub name: String,
    /// Who gets its mail, separated by commas.
    #[serde(default)]
    pub email: String,
    /// Words and phrases that speak for it, separated by commas.
    #[serde(default)]
    pub keywords: String,
    /// The matter that it works on, of those that the analysis knows.
    pub matter: Option<Matter>,
}

/// A change to a department. Absent fields stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DepartmentChange {
    /// 2 to 40 characters.
    #[schema(min_length = 2, max_length = 40)]
    pub name: Option<String>,
    /// Who gets its mail, separated by commas.
    pub email: Option<String>,
    /// Words and phrases that speak for it, separated by commas.
    pub keywords: Option<String>,
    /// The matter that it works on; null for another one.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Matter>)]
    pub matter: Option<MatterChange>,
}

/// A matter, or null for none of those that the analysis knows.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub struct MatterChange(Option<Matter>);

/// Puts a list of departments, as a file has it, in the place of those that there are.
pub fn replace(act: &Act<'_>, listed: &Departments) -> Result<()> {
    let gone = listed.gone().iter().map(|(key, _)| *key);
    let mut keys: Vec<DepartmentKey> = listed.keys().chain(gone).collect();
    keys.sort_unstable();
    let twice = keys.windows(2).any(|pair| pair[0] == pair[1]);
    if twice || listed.desks().len() > Departments::MOST {
        let message = "Più reparti di quanti ce ne possono stare, o due con la stessa chiave.";
        return Err(Invalid::new("departments", "range", message).into());
    }
    let mut all = listed.iter();
    all.try_for_each(|one| checked(listed, one.clone()).map(drop))?;
    amend(act, || Ok(act.tx.put_departments(listed, act.now)?))
}

/// Adds a department behind the others.
pub fn add(act: &Act<'_>, expected: &ExpectedVersion, new: &NewDepartment) -> Result<()> {
    let present = expected_list(act, expected)?;
    if present.desks().len() >= Departments::MOST {
        let most = Departments::MOST;
        let message = format!("Ci sono già {most} reparti: prima togline uno.");
        return Err(Error::Conflict(message.into()));
    }
    let key = DepartmentKey::made_from(&new.name, |key| present.was_given(key));
    let department = Department {
        key,
        name: new.name.clone(),
        email: new.email.clone(),
        keywords: new.keywords.clone(),
        matter: new.matter,
    };
    let department = checked(&present, department)?;
    amend(act, || Ok(act.tx.insert_department(&department)?))?;
    log(act, "reparto nuovo", &department.name)
}

pub fn change(
    act: &Act<'_>,
    expected: &ExpectedVersion,
    key: DepartmentKey,
    change: DepartmentChange,
) -> Result<()> {
    let present = expected_list(act, expected)?;
    let before = present.get(key).ok_or(Error::DepartmentNotFound)?;
    let others = change.email.is_some() || change.keywords.is_some() || change.matter.is_some();
    if key == DepartmentKey::GENERALE && others {
        let message = "Questo reparto riceve ciò che non è di altri: ha un nome, e l'indirizzo «emailFallback».";
        return Err(Invalid::new("email", "fixed", message).into());
    }
    let after = Department {
        key,
        name: change.name.unwrap_or_else(|| before.name.clone()),
        email: change.email.unwrap_or_else(|| before.email.clone()),
        keywords: change.keywords.unwrap_or_else(|| before.keywords.clone()),
        matter: change.matter.map_or(before.matter, |asked| asked.0),
    };
    let after = checked(&present, after)?;
    if after == *before {
        return Ok(());
    }
    amend(act, || Ok(act.tx.change_department(&after)?))?;
    log(act, "reparto", &after.name)
}

/// Puts the departments into this order, which names each; `generale` stands last, whether it is named or not.
pub fn reorder(act: &Act<'_>, expected: &ExpectedVersion, keys: &[DepartmentKey]) -> Result<()> {
    let present = expected_list(act, expected)?;
    let named = keys.iter().filter(|key| **key != DepartmentKey::GENERALE);
    let named: Vec<DepartmentKey> = named.copied().collect();
    let mut sorted = named.clone();
    sorted.sort_unstable();
    let mut all: Vec<DepartmentKey> = present.desks().iter().map(|desk| desk.key).collect();
    all.sort_unstable();
    if sorted != all {
        let message = "L'ordine deve nominare ogni reparto una volta: ricarica la pagina.";
        return Err(Invalid::new("keys", "range", message).into());
    }
    amend(act, || {
        let mut places = named.iter().enumerate();
        Ok(places.try_for_each(|(place, key)| act.tx.put_place(*key, place))?)
    })?;
    act.log_about(Action::SettingsChanged, "ordine dei reparti")
}

/// Removes a department: callouts and saved filters follow to `heir`, people lose it, and its reports are moved by
/// [`move_step`]. One that was removed already is no obstacle.
pub fn remove(
    act: &Act<'_>,
    expected: &ExpectedVersion,
    key: DepartmentKey,
    heir: DepartmentKey,
) -> Result<()> {
    let present = act.departments()?;
    if !present.has(key) && present.was_given(key) {
        return Ok(());
    }
    let present = expected_list(act, expected)?;
    let name = &present.get(key).ok_or(Error::DepartmentNotFound)?.name;
    if key == DepartmentKey::GENERALE {
        let message = "Questo reparto riceve ciò che non è di altri: si può solo rinominare.";
        return Err(Error::Conflict(message.into()));
    }
    if heir == key || !present.has(heir) {
        let message = "Scegli un altro reparto per le sue segnalazioni.";
        return Err(Invalid::new("to", "range", message).into());
    }
    people_lose(act, key)?;
    act.tx.callouts_follow(key, heir)?;
    views_follow(act, key, heir)?;
    let remover = act.actor.author();
    amend(act, || {
        Ok(act
            .tx
            .remove_department(key, heir, act.now, remover.as_deref())?)
    })?;
    log(act, "reparto tolto", name)
}

/// Moves some reports out of departments that were removed; answers how many.
pub fn move_step(act: &Act<'_>) -> Result<usize> {
    let left = act.left_behind(STEP)?;
    for (id, remover) in &left {
        let person = remover.as_ref().map(|id| act.person(id)).transpose()?;
        let actor = match person.flatten() {
            Some(row) => act.actor.with(row.person()),
            None => act.actor.clone(),
        };
        let by_them = Act {
            actor: &actor,
            ..*act
        };
        move_from_removed(&by_them, id)?;
    }
    Ok(left.len())
}

/// Takes a department from each person who sees it among others; refused where a person sees no other.
fn people_lose(act: &Act<'_>, key: DepartmentKey) -> Result<()> {
    let people = act.people()?.into_iter();
    let bound: Vec<_> = people
        .filter(|row| !row.departments.is_all() && row.departments.has(key))
        .map(|row| (without(&row.departments, key), row))
        .collect();
    let left = bound
        .iter()
        .filter(|(rest, row)| rest.is_none() && row.gone.is_none());
    let names: Vec<&str> = left.map(|(_, row)| &*row.name).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let message = format!(
            "Vede solo questo reparto: {names}. Prima scegli un altro reparto in «Persone»."
        );
        return Err(Error::Conflict(message.into()));
    }
    for (rest, row) in bound {
        let Some(departments) = rest else { continue };
        let person = Person {
            departments,
            ..row.person()
        };
        amend(act, || Ok(act.tx.change_person(&person)?))?;
        renew_sessions(act, row)?;
    }
    Ok(())
}

/// `None` where nothing would be left, which must not come to mean everything.
fn without(sight: &Sight, key: DepartmentKey) -> Option<Sight> {
    let rest = sight.keys().iter().copied().filter(|one| *one != key);
    let rest: Vec<DepartmentKey> = rest.collect();
    (!rest.is_empty()).then(|| Sight::of(&rest))
}

fn expected_list(act: &Act<'_>, expected: &ExpectedVersion) -> Result<Departments> {
    let present = act.departments()?;
    expected.check(version(&present))?;
    Ok(present)
}

/// Cleaned and checked; the name is another than those of the others.
fn checked(present: &Departments, typed: Department) -> Result<Department> {
    let name = clean_line(&typed.name);
    let mut others = present.iter().filter(|other| other.key != typed.key);
    let bad = if !(2..=40).contains(&char_count(&name)) || has_controls(&name, true) {
        let message = "Il nome deve avere da 2 a 40 caratteri.";
        Some(Invalid::new("name", "range", message))
    } else if others.any(|other| fold(&other.name) == fold(&name)) {
        let message = "C'è già un reparto con questo nome.";
        Some(Invalid::new("name", "taken", message))
    } else {
        None
    };
    let (department, refused) = checked_desk(Department { name, ..typed });
    verdict(bad.into_iter().chain(refused)).map_err(Error::Invalid)?;
    Ok(department)
}

fn log(act: &Act<'_>, what: &str, name: &str) -> Result<()> {
    act.log_about(Action::SettingsChanged, format!("{what}: {name}"))
}
