//! Saves the sections of the settings, and the phrases; puts them back to their defaults.
//! Must never let a value past that its section's own rules refuse.

use serde_json::{Map, Value};

use super::log_access::{Action, Actor, log_access};
use super::settings::{Sectioned, load, security};
use super::{Error, Result};
use crate::domain::settings::{Security, overlay};
use crate::store::{self, Section, Snapshot, Tx};

pub fn preview<T: Sectioned>(snapshot: &Snapshot<'_>, body: Map<String, Value>) -> Result<T> {
    let changed = overlay(&load::<T>(snapshot)?, body).map_err(Error::Invalid)?;
    let changed = changed.tidied();
    changed.check().map_err(Error::Invalid)?;
    Ok(changed)
}

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

pub fn reset<T: Sectioned>(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<T> {
    tx.clear_settings(T::SECTION)?;
    log_access(tx, now, actor, changed_action::<T>(), None)?;
    Ok(T::default())
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

pub fn store_section<T: Sectioned>(tx: &Tx<'_>, now: i64, section: &T) -> Result<()> {
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
