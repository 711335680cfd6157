//! The settings as they are now, parsed and made ready once: the sentences of the chat, the desks, the colours.
//! Must never be older than the last commit of this process, nor than what its last transaction noticed of another one that
//! has the data folder open.

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::actions::Result;
use crate::actions::archive::authenticity::{Trust, trust};
use crate::actions::settings::sections::parse;
use crate::domain::chat::Rules;
use crate::domain::color::{Color, DEFAULT_PRIMARY};
use crate::domain::routing::{Departments, Router, mark_of};
use crate::domain::settings::{Email, Security, System};
use crate::store::{self, Section, Snapshot, Store};
use crate::vault::Stamp;

pub struct InForce {
    /// Another number after each change.
    pub version: i64,
    /// Another number after each change of names, colours, theme or logo.
    pub appearance: i64,
    pub security: Security,
    pub system: System,
    pub email: Email,
    pub rules: Rules,
    pub router: Lazy<Router>,
    /// A value that identifies the settings of this router, also after a restart.
    pub routing: u64,
    /// The main colour; the default where the settings hold none that can be read.
    pub primary: Color,
    /// Name of the logo's content; `None` without a logo.
    pub logo: Option<String>,
    pub trust: Trust,
}

/// A value made at first use: a router takes milliseconds, and most calls route nothing.
pub type Lazy<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

#[derive(PartialEq, Eq)]
struct Sources {
    trust: Trust,
    /// In the order of [`Section::ALL`].
    sections: [Option<String>; 4],
    departments: Departments,
    logo: Option<String>,
}

struct Held {
    revision: u64,
    sources: Sources,
    settings: Arc<InForce>,
}

pub struct Settings {
    /// Locked for a moment: who asks for what is ready never waits for the database.
    held: Mutex<Option<Arc<Held>>>,
    /// Locked while they are read anew.
    reading: Mutex<()>,
    /// The first version: a page that outlived the process then asks once more.
    begun: i64,
}

impl Settings {
    pub fn since(now: i64) -> Self {
        Self {
            held: Mutex::default(),
            reading: Mutex::default(),
            begun: now,
        }
    }

    /// The settings of this revision of the store, if they were read already.
    pub fn ready(&self, revision: u64) -> Option<Arc<InForce>> {
        let held = self.held.lock();
        let held = held.as_ref().filter(|held| held.revision == revision)?;
        Some(Arc::clone(&held.settings))
    }

    /// The settings as they are now, from the database where something changed; not on the event loop.
    pub fn in_force(&self, store: &Store, stamp: &Stamp) -> Result<Arc<InForce>> {
        if let Some(ready) = self.ready(store.revision()) {
            return Ok(ready);
        }
        let _one = self.reading.lock();
        let revision = store.revision();
        if let Some(ready) = self.ready(revision) {
            return Ok(ready);
        }
        let before = self.held.lock().clone();
        let stamp = stamp.clone();
        let reading = move |snapshot: &Snapshot<'_>| read(snapshot, &stamp);
        let sources = match &before {
            // At the start no other reader waits.
            None => store.read(reading),
            // Not by one of the readers, for which the others would wait here.
            Some(_) => store.read_apart(reading),
        }?;
        tell(
            before.as_ref().map(|before| before.sources.trust),
            sources.trust,
        );
        let settings = match before {
            Some(before) if before.sources == sources => Arc::clone(&before.settings),
            before => Arc::new(sources.settings_after(before.as_deref(), self.begun)?),
        };
        *self.held.lock() = Some(Arc::new(Held {
            revision,
            sources,
            settings: Arc::clone(&settings),
        }));
        Ok(settings)
    }
}

/// Says it once when the archive turns out to be altered, and when it is right again.
fn tell(before: Option<Trust>, now: Trust) {
    match (before, now) {
        (Some(Trust::Alterato), Trust::Alterato) => {}
        (_, Trust::Alterato) => tracing::error!(
            "password, keys or settings were changed by something else than this program: nobody can log in and nothing is sent \
             until somebody runs «segnalazioni reset-password» on this machine"
        ),
        (Some(Trust::Alterato), _) => {
            tracing::info!("password, keys and settings are trusted again");
        }
        _ => {}
    }
}

fn read(snapshot: &Snapshot<'_>, stamp: &Stamp) -> store::Result<Sources> {
    let mut sections = <[Option<String>; 4]>::default();
    for (stored, section) in sections.iter_mut().zip(Section::ALL) {
        *stored = snapshot.settings(section)?;
    }
    Ok(Sources {
        trust: trust(snapshot, stamp)?,
        sections,
        departments: snapshot.departments()?,
        logo: snapshot.logo_hash()?,
    })
}

impl Sources {
    fn system(&self) -> Option<&String> {
        let [_, system, ..] = &self.sections;
        system.as_ref()
    }

    fn settings_after(&self, before: Option<&Held>, begun: i64) -> Result<InForce> {
        let mut settings = self.settings(begun)?;
        if let Some(Held {
            sources,
            settings: old,
            ..
        }) = before
        {
            let changed = self.system() != sources.system() || self.logo != sources.logo;
            settings.version = old.version + 1;
            settings.appearance = old.appearance + i64::from(changed);
        }
        Ok(settings)
    }

    fn settings(&self, version: i64) -> Result<InForce> {
        let [security, system, email_body, prompts] = &self.sections;
        let security: Security = parse(security.as_deref())?;
        let system: System = parse(system.as_deref())?;
        let email = Email {
            departments: self.departments.clone(),
            ..parse(email_body.as_deref())?
        };
        let phrases = parse(prompts.as_deref())?;
        let routed = email.clone();
        Ok(InForce {
            version,
            appearance: version,
            rules: Rules::new(&phrases, &security, &system),
            routing: mark_of(&(email_body, &self.departments)),
            router: LazyLock::new(Box::new(move || Router::new(&routed))),
            primary: Color::parse(&system.primary_color).unwrap_or(DEFAULT_PRIMARY),
            logo: self.logo.clone(),
            trust: self.trust,
            security,
            system,
            email,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::Vault;

    #[test]
    fn ready_settings_are_answered_while_the_database_is_read() {
        let (store, vault) = (Store::in_memory().unwrap(), Vault::in_memory().unwrap());
        let settings = Settings::since(1);
        let revision = store.revision();
        assert!(settings.ready(revision).is_none(), "the control");
        settings.in_force(&store, vault.stamp()).unwrap();
        let reading = settings.reading.lock();
        assert_eq!(settings.ready(revision).unwrap().version, 1);
        assert!(settings.ready(revision + 1).is_none());
        drop(reading);
    }
}
