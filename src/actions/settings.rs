//! The sections of the settings, and the phrases: read, saved, put back to their defaults.
//! Must never let a value past that its section's own rules refuse, nor keep a copy between two calls: what is in force
//! between transactions is held by `in_force`.

use std::net::IpAddr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::log_access::Action;
use super::{Act, Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System, overlay, trimmed};
use crate::store::{self, SecretName, Section, Snapshot};

pub trait Sectioned: Serialize + DeserializeOwned + Default {
    const SECTION: Section;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>>;
}

impl Sectioned for Security {
    const SECTION: Section = Section::Security;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

impl Sectioned for System {
    const SECTION: Section = Section::System;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

impl Sectioned for Email {
    const SECTION: Section = Section::Email;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

impl Sectioned for Phrases {
    const SECTION: Section = Section::Prompts;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
}

/// Reads a section; what was never saved has its default.
pub fn load<T: Sectioned>(snapshot: &Snapshot<'_>) -> Result<T> {
    parse(snapshot.settings(T::SECTION)?.as_deref())
}

pub fn parse<T: Sectioned>(body: Option<&str>) -> Result<T> {
    let read = body.map_or_else(|| Ok(T::default()), serde_json::from_str);
    read.map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))
}

pub fn security(snapshot: &Snapshot<'_>) -> Result<Security> {
    load(snapshot)
}

/// The section as it would be with a change.
pub fn preview<T: Sectioned>(snapshot: &Snapshot<'_>, body: Map<String, Value>) -> Result<T> {
    let changed = overlay(&load::<T>(snapshot)?, trimmed(body)).map_err(Error::Invalid)?;
    changed.check().map_err(Error::Invalid)?;
    Ok(changed)
}

pub fn save<T: Sectioned>(act: &Act<'_>, body: Map<String, Value>) -> Result<T> {
    let changed: T = preview(act, body)?;
    store_section(act, &changed)?;
    log_change::<T>(act)?;
    Ok(changed)
}

/// Saves the security settings; an allow-list that shuts this address out only when that was confirmed.
pub fn save_security(
    act: &Act<'_>,
    body: Map<String, Value>,
    address: IpAddr,
    confirmed: bool,
) -> Result<Security> {
    if !confirmed && !preview::<Security>(act, body.clone())?.allows(address) {
        return Err(Error::WouldLockOut(address));
    }
    save(act, body)
}

pub fn reset<T: Sectioned>(act: &Act<'_>) -> Result<T> {
    act.clear_settings(T::SECTION)?;
    log_change::<T>(act)?;
    Ok(T::default())
}

/// Puts the three screens of settings back to their defaults, the secrets of mail server and webhook included. Password,
/// sessions, access log, login attempts and phrases stay (PRODUCT.md §8).
pub fn reset_all(act: &Act<'_>) -> Result<()> {
    for section in [Section::Security, Section::System, Section::Email] {
        act.clear_settings(section)?;
    }
    for name in SecretName::ALL {
        act.drop_secret(name)?;
    }
    act.clear_logo()?;
    act.log(Action::SettingsChanged, None)
}

/// Lifts the allow-list (`reset-password --clear-allowed-ips`).
pub fn clear_allowed_ips(act: &Act<'_>) -> Result<()> {
    let mut security = security(act)?;
    security.allowed_ips.clear();
    store_section(act, &security)?;
    act.log(Action::SettingsChanged, None)
}

pub fn store_section<T: Sectioned>(act: &Act<'_>, section: &T) -> Result<()> {
    let body = serde_json::to_string(section)
        .map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))?;
    Ok(act.put_settings(T::SECTION, &body, act.now)?)
}

pub(super) fn log_change<T: Sectioned>(act: &Act<'_>) -> Result<()> {
    let action = match T::SECTION {
        Section::Prompts => Action::PromptsChanged,
        Section::Security | Section::System | Section::Email => Action::SettingsChanged,
    };
    act.log(action, None)
}
