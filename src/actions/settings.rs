//! Reads and saves the sections of the settings, and the phrases.
//! Must never let a value past that its section's own rules refuse, nor keep a copy between two calls.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::log_access::{Action, Actor, log_access};
use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Security, System, overlay};
use crate::store::{self, Section, Snapshot, Tx};

/// A section: where it is stored, what it must satisfy, how a change of it is logged.
pub trait Sectioned: Serialize + DeserializeOwned + Default {
    /// Where it is stored.
    const SECTION: Section;
    /// How a change is logged.
    const CHANGED: Action;
    /// Its rules.
    ///
    /// # Errors
    /// One entry a field that breaks a rule.
    fn check(&self) -> std::result::Result<(), Vec<Invalid>>;
}

impl Sectioned for Security {
    const SECTION: Section = Section::Security;
    const CHANGED: Action = Action::SettingsChanged;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

impl Sectioned for System {
    const SECTION: Section = Section::System;
    const CHANGED: Action = Action::SettingsChanged;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

impl Sectioned for Phrases {
    const SECTION: Section = Section::Prompts;
    const CHANGED: Action = Action::PromptsChanged;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

/// Reads a section; what was never saved has its default.
///
/// # Errors
/// When the database fails or holds something else than the section.
pub fn load<T: Sectioned>(snapshot: &Snapshot<'_>) -> Result<T> {
    let Some(body) = snapshot.settings(T::SECTION)? else {
        return Ok(T::default());
    };
    serde_json::from_str(&body)
        .map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))
}

/// The security settings.
///
/// # Errors
/// As [`load`].
pub fn security(snapshot: &Snapshot<'_>) -> Result<Security> {
    load(snapshot)
}

/// The section as it would be after a change.
///
/// # Errors
/// [`Error::Invalid`] for an unknown key, a wrong type, or a broken rule.
pub fn preview<T: Sectioned>(snapshot: &Snapshot<'_>, body: Map<String, Value>) -> Result<T> {
    let changed = overlay(&load::<T>(snapshot)?, body).map_err(Error::Invalid)?;
    changed.check().map_err(Error::Invalid)?;
    Ok(changed)
}

/// Saves a section.
///
/// # Errors
/// As [`preview`], or when the database fails.
pub fn save<T: Sectioned>(
    tx: &Tx<'_>,
    now: i64,
    actor: &Actor,
    body: Map<String, Value>,
) -> Result<T> {
    let changed: T = preview(tx, body)?;
    store_section(tx, now, &changed)?;
    log_access(tx, now, actor, T::CHANGED, None)?;
    Ok(changed)
}

/// Puts a section back to its defaults.
///
/// # Errors
/// When the database fails.
pub fn reset<T: Sectioned>(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<T> {
    tx.clear_settings(T::SECTION)?;
    log_access(tx, now, actor, T::CHANGED, None)?;
    Ok(T::default())
}

/// Lifts the allow-list (`reset-password --clear-allowed-ips`).
///
/// # Errors
/// When the database fails.
pub fn clear_allowed_ips(tx: &Tx<'_>, now: i64) -> Result<()> {
    let security = Security {
        allowed_ips: String::new(),
        ..security(tx)?
    };
    store_section(tx, now, &security)?;
    log_access(tx, now, &Actor::default(), Action::SettingsChanged, None)
}

fn store_section<T: Sectioned>(tx: &Tx<'_>, now: i64, section: &T) -> Result<()> {
    let body = serde_json::to_string(section)
        .map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))?;
    Ok(tx.put_settings(T::SECTION, &body, now)?)
}
