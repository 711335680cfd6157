//! Reads the sections of the settings, and the phrases, inside of a transaction.
//! Must never keep a copy between two calls: what is in force between transactions is held by `in_force`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, Result};
use crate::domain::invalid::Invalid;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System};
use crate::store::{self, Section, Snapshot};

pub trait Sectioned: Serialize + DeserializeOwned + Default {
    const SECTION: Section;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>>;
    /// The section without what a form or a clipboard adds to its values; its rules are for what this leaves.
    fn tidied(self) -> Self {
        self
    }
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
    fn tidied(self) -> Self {
        self.trimmed()
    }
}

impl Sectioned for Email {
    const SECTION: Section = Section::Email;
    fn check(&self) -> std::result::Result<(), Vec<Invalid>> {
        self.validate()
    }
    fn tidied(self) -> Self {
        self.trimmed()
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
