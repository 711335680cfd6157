//! The sections of the settings, the phrases and the logo: read, saved, put back to their defaults.
//! Must never let a value past that its section's own rules refuse, nor keep an address beside a logo that did not come from
//! it, nor a copy between two calls: what is in force between transactions is held by `in_force`.

use std::net::IpAddr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::map::Entry;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::actions::archive::authenticity::amend;
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::SecretName;
use crate::domain::invalid::Invalid;
use crate::domain::media::image::Image;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System, overlay, trimmed};
use crate::store::{self, Action, Section, Snapshot};

const NAME_BYTES: usize = 16;
/// The word that the log has for settings that were reset.
const DEFAULTS: &str = "valori predefiniti";

pub trait Sectioned: Serialize + DeserializeOwned + Default {
    const SECTION: Section;
    const RULES: fn(&Self) -> std::result::Result<(), Vec<Invalid>>;

    /// With what other tables hold of it.
    fn joined(self, _: &Snapshot<'_>) -> Result<Self> {
        Ok(self)
    }

    /// As a body changes it.
    fn changed_by(&self, body: Map<String, Value>) -> std::result::Result<Self, Vec<Invalid>> {
        overlay(self, body)
    }

    /// Its fields by their names.
    fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// Stores what other tables hold of it.
    fn store_beside(&self, _: &Act<'_>) -> Result<()> {
        Ok(())
    }
}

macro_rules! sectioned {
    ($($kind:ident = $section:ident,)+) => {$(
        impl Sectioned for $kind {
            const SECTION: Section = Section::$section;
            const RULES: fn(&Self) -> std::result::Result<(), Vec<Invalid>> = Self::validate;
        }
    )+};
}

sectioned! {
    Security = Security,
    System = System,
    Phrases = Prompts,
}

impl Sectioned for Email {
    const SECTION: Section = Section::Email;
    const RULES: fn(&Self) -> std::result::Result<(), Vec<Invalid>> = Self::validate;

    fn joined(self, snapshot: &Snapshot<'_>) -> Result<Self> {
        let departments = snapshot.departments()?;
        Ok(Self {
            departments,
            ..self
        })
    }

    fn changed_by(&self, body: Map<String, Value>) -> std::result::Result<Self, Vec<Invalid>> {
        self.changed_by(body).map(Self::completed)
    }

    fn fields(&self) -> Map<String, Value> {
        let desks = self.desk_fields().into_iter();
        let mut fields: Map<_, _> = desks.map(|(name, value)| (name, value.into())).collect();
        if let Ok(Value::Object(own)) = serde_json::to_value(self) {
            fields.extend(own);
        }
        fields
    }

    fn store_beside(&self, act: &Act<'_>) -> Result<()> {
        let mut desks = self.departments.desks().iter();
        Ok(desks.try_for_each(|desk| act.tx.put_desk(desk))?)
    }
}

/// Reads a section; what was never saved has its default.
pub fn load<T: Sectioned>(snapshot: &Snapshot<'_>) -> Result<T> {
    parse::<T>(snapshot.settings(T::SECTION)?.as_deref())?.joined(snapshot)
}

pub fn parse<T: Sectioned>(body: Option<&str>) -> Result<T> {
    let read = body.map_or_else(|| Ok(T::default()), serde_json::from_str);
    read.map_err(|error| Error::Store(store::Error::Damaged(error.to_string())))
}

pub fn security(snapshot: &Snapshot<'_>) -> Result<Security> {
    load(snapshot)
}

pub fn preview<T: Sectioned>(snapshot: &Snapshot<'_>, body: Map<String, Value>) -> Result<T> {
    let changed = load::<T>(snapshot)?.changed_by(trimmed(body));
    let changed = changed.map_err(Error::Invalid)?;
    T::RULES(&changed).map_err(Error::Invalid)?;
    Ok(changed)
}

pub fn save<T: Sectioned>(act: &Act<'_>, body: Map<String, Value>) -> Result<T> {
    let (before, changed): (T, T) = (load(act)?, preview(act, body)?);
    store_section(act, &changed)?;
    log_change(act, &before, &changed, &[])?;
    Ok(changed)
}

/// Saves the security settings; an allow-list that shuts this address out only when that was confirmed. Where the shared password is
/// switched off, its sessions end.
pub fn save_security(
    act: &Act<'_>,
    body: Map<String, Value>,
    address: IpAddr,
    confirmed: bool,
) -> Result<Security> {
    let wanted = preview::<Security>(act, body.clone())?;
    if !confirmed && !wanted.allows(address) {
        return Err(Error::WouldLockOut(address));
    }
    if !wanted.shared_password {
        if act.administrators()? == 0 {
            let message = "Prima serve un amministratore con un nome utente: invitalo da «Persone» e fagli scegliere la password.";
            return Err(Invalid::new("sharedPassword", "noAdministrator", message).into());
        }
        act.tx.delete_sessions_of(None, None)?;
    }
    save(act, body)
}

pub fn reset<T: Sectioned>(act: &Act<'_>) -> Result<T> {
    amend(act, || Ok(act.tx.clear_settings(T::SECTION)?))?;
    act.log_about(action_of(T::SECTION), DEFAULTS)?;
    Ok(T::default())
}

/// Puts the three screens of settings back to their defaults, the secrets of mail server and webhook included. Password,
/// sessions, access log, login attempts and phrases stay (PRODUCT.md §8), and so does what decides who gets in.
pub fn reset_all(act: &Act<'_>) -> Result<()> {
    let security = security(act)?.reset();
    for section in [Section::Security, Section::System, Section::Email] {
        amend(act, || Ok(act.tx.clear_settings(section)?))?;
    }
    let email: Email = load(act)?;
    amend(act, || email.with_first_desks().store_beside(act))?;
    if security != Security::default() {
        store_section(act, &security)?;
    }
    for name in SecretName::ALL {
        act.tx.drop_secret(name)?;
    }
    act.tx.clear_logo()?;
    act.log_about(Action::SettingsChanged, DEFAULTS)
}

pub fn clear_unreadable(act: &Act<'_>) -> Result<()> {
    clear_if_unreadable::<Security>(act)?;
    clear_if_unreadable::<System>(act)?;
    clear_if_unreadable::<Email>(act)?;
    clear_if_unreadable::<Phrases>(act)
}

fn clear_if_unreadable<T: Sectioned>(act: &Act<'_>) -> Result<()> {
    match load::<T>(act) {
        Err(Error::Store(store::Error::Damaged(_))) => {
            tracing::error!(
                section = T::SECTION.as_str(),
                "settings cannot be read: back to their defaults"
            );
            amend(act, || Ok(act.tx.clear_settings(T::SECTION)?))
        }
        read => read.map(drop),
    }
}

/// Lifts the allow-list (`reset-password --clear-allowed-ips`).
pub fn clear_allowed_ips(act: &Act<'_>) -> Result<()> {
    let mut security = security(act)?;
    security.allowed_ips.clear();
    store_section(act, &security)?;
    act.log_about(Action::SettingsChanged, "allowedIPs")
}

pub fn store_section<T: Sectioned>(act: &Act<'_>, section: &T) -> Result<()> {
    let damaged = |error: serde_json::Error| store::Error::Damaged(error.to_string());
    let mut body = serde_json::to_value(section).map_err(damaged)?;
    if let Some(stored) = act.settings(T::SECTION)? {
        keep_unknown(&mut body, serde_json::from_str(&stored).map_err(damaged)?);
    }
    let body = body.to_string();
    amend(act, || {
        act.tx.put_settings(T::SECTION, &body, act.now)?;
        section.store_beside(act)
    })
}

/// Fields that a later version added are kept, for the return to that version.
fn keep_unknown(body: &mut Value, stored: Value) {
    if let (Value::Object(body), Value::Object(stored)) = (body, stored) {
        for (name, value) in stored {
            match body.entry(name) {
                Entry::Vacant(slot) => drop(slot.insert(value)),
                Entry::Occupied(mut slot) => keep_unknown(slot.get_mut(), value),
            }
        }
    }
}

/// Logs which settings are others than before, by their names; `secrets` are those of secrets that changed.
pub(in crate::actions) fn log_change<T: Sectioned>(
    act: &Act<'_>,
    before: &T,
    after: &T,
    secrets: &[&str],
) -> Result<()> {
    let (before, after) = (before.fields(), after.fields());
    let changed = after
        .iter()
        .filter(|(name, value)| before.get(*name) != Some(value));
    let names = changed
        .map(|(name, _)| name.as_str())
        .chain(secrets.iter().copied());
    act.log_about(action_of(T::SECTION), names.collect::<Vec<_>>().join(", "))
}

const fn action_of(section: Section) -> Action {
    match section {
        Section::Prompts => Action::PromptsChanged,
        Section::Security | Section::System | Section::Email => Action::SettingsChanged,
    }
}

/// Takes a logo that was handed in; the address of an earlier one goes.
pub fn set_logo(act: &Act<'_>, image: &Image) -> Result<()> {
    store_logo(act, image)?;
    forget_address(act)
}

pub fn remove_logo(act: &Act<'_>) -> Result<()> {
    act.tx.clear_logo()?;
    forget_address(act)
}

/// Once settings are saved over others (before, after): the logo of their new address comes with them, and without an address the
/// logo that came from one goes.
pub fn follow_address(
    act: &Act<'_>,
    [before, after]: [&System; 2],
    fetched: Option<&Image>,
) -> Result<()> {
    match fetched {
        Some(image) => store_logo(act, image),
        None if after.logo_url.is_empty() && !before.logo_url.is_empty() => {
            Ok(act.tx.clear_logo()?)
        }
        None => Ok(()),
    }
}

/// Stores a picture under its name: 128 bits of its SHA-256, in hexadecimal.
fn store_logo(act: &Act<'_>, image: &Image) -> Result<()> {
    let name = hex::encode(&Sha256::digest(&image.bytes)[..NAME_BYTES]);
    Ok(act
        .tx
        .put_logo(&name, image.content_type, &image.bytes, act.now)?)
}

fn forget_address(act: &Act<'_>) -> Result<()> {
    let mut system: System = load(act)?;
    if !system.logo_url.is_empty() {
        system.logo_url.clear();
        store_section(act, &system)?;
    }
    act.log_about(Action::SettingsChanged, "logo")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::newsroom::{Newsroom, in_memory};

    #[test]
    fn settings_of_a_newer_version_outlive_a_save_by_this_one() {
        let Newsroom { store, vault } = in_memory(0).unwrap();
        let stored = store.write(move |tx| {
            let act = Act::unattended(tx, &vault, 1);
            let mut newer = serde_json::to_value(Phrases::default()).unwrap();
            newer["farewell"] = json!({"tone": "warm"});
            newer["collectName"]["hints"] = json!(["a", "b"]);
            amend(&act, || {
                Ok(tx.put_settings(Section::Prompts, &newer.to_string(), 1)?)
            })?;
            let changed = json!({"collectName": {"prompt": "Come ti chiami?"}});
            save::<Phrases>(&act, changed.as_object().unwrap().clone())?;
            newer["collectName"]["prompt"] = json!("Come ti chiami?");
            Ok::<_, Error>((tx.settings(Section::Prompts)?, newer))
        });
        let (stored, expected) = stored.unwrap();
        let stored: Value = serde_json::from_str(&stored.unwrap()).unwrap();
        assert_eq!(stored, expected);
    }
}
