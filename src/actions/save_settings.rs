//! Saves the sections of the settings, and the phrases; puts them back to their defaults.
//! Must never let a value past that its section's own rules refuse.

use serde_json::{Map, Value};

use super::log_access::{Action, Actor, log_access};
use super::settings::{Sectioned, load, security};
use super::{Error, Result};
use crate::domain::settings::{Security, overlay};
use crate::store::{self, Section, Snapshot, Tx};

/// The section as it would be after a change.
pub fn preview<T: Sectioned>(snapshot: &Snapshot<'_>, body: Map<String, Value>) -> Result<T> {
    let changed = overlay(&load::<T>(snapshot)?, body).map_err(Error::Invalid)?;
    let changed = changed.tidied();
    changed.check().map_err(Error::Invalid)?;
    Ok(changed)
}

/// Saves a section.
pub fn save<T: Sectioned>(
    tx: &Tx<'_>,
    now: i64,
    actor: &Actor,
    body: Map<String, Value>,
) -> Result<T> {
    let changed: T = preview(tx, body)?;
    store_section(tx, now, &changed)?;
    log_access(tx, now, actor, changed_action::<T>(), None)?;
    Ok(changed)
}

/// Puts a section back to its defaults.
pub fn reset<T: Sectioned>(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<T> {
    tx.clear_settings(T::SECTION)?;
    log_access(tx, now, actor, changed_action::<T>(), None)?;
    Ok(T::default())
}

/// Saves a section out of a file: what it holds laid over the defaults. Answers the fields that break a rule; they keep
/// their defaults.
pub fn lay_over_defaults<T: Sectioned>(
    tx: &Tx<'_>,
    now: i64,
    mut body: Map<String, Value>,
) -> Result<Vec<String>> {
    let mut ignored = Vec::new();
    loop {
        let checked = overlay(&T::default(), body.clone())
            .map(T::tidied)
            .and_then(|section| section.check().map(|()| section));
        match checked {
            Ok(section) => {
                store_section(tx, now, &section)?;
                return Ok(ignored);
            }
            Err(refusals) => {
                let before = ignored.len();
                for refusal in refusals {
                    if remove(&mut body, &refusal.field) {
                        ignored.push(refusal.field);
                    }
                }
                // A rule over several fields may name one that the file does not have.
                if ignored.len() == before {
                    ignored.extend(std::mem::take(&mut body).into_iter().map(|(key, _)| key));
                }
            }
        }
    }
}

/// Takes a field, by its dotted name, out of a body.
fn remove(body: &mut Map<String, Value>, field: &str) -> bool {
    match field.split_once('.') {
        None => body.remove(field).is_some(),
        Some((group, inner)) => match body.get_mut(group) {
            Some(Value::Object(nested)) => remove(nested, inner),
            _ => body.remove(group).is_some(),
        },
    }
}

/// Lifts the allow-list (`reset-password --clear-allowed-ips`).
pub fn clear_allowed_ips(tx: &Tx<'_>, now: i64) -> Result<()> {
    let security = Security {
        allowed_ips: String::new(),
        ..security(tx)?
    };
    store_section(tx, now, &security)?;
    log_access(tx, now, &Actor::default(), Action::SettingsChanged, None)
}

/// Stores a section as it is.
pub(super) fn store_section<T: Sectioned>(tx: &Tx<'_>, now: i64, section: &T) -> Result<()> {
    let body = serde_json::to_string(section)
        .map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))?;
    Ok(tx.put_settings(T::SECTION, &body, now)?)
}

pub(super) fn changed_action<T: Sectioned>() -> Action {
    match T::SECTION {
        Section::Prompts => Action::PromptsChanged,
        Section::Security | Section::System | Section::Email => Action::SettingsChanged,
    }
}
