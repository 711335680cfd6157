//! The settings as they are now, parsed and made ready once: the sentences of the chat, the desks, the colours.
//! Must never be older than the last commit of this process, nor than what its last transaction noticed of another one that
//! has the data folder open.

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::actions::Result;
use crate::actions::archive::authenticity::{Trust, trust};
use crate::actions::intake::converse::Script;
use crate::actions::settings::sections::parse;
use crate::domain::color::{Color, DEFAULT_PRIMARY};
use crate::domain::routing::{Router, mark_of};
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
    pub script: Script,
    pub router: Lazy<Router>,
    /// What tells the settings of this router from others, also after a restart.
    pub routing: u64,
    /// The main colour; the default where the settings hold none that can be read.
    pub primary: Color,
    /// Name of the logo's content; `None` without a logo.
    pub logo: Option<String>,
    pub trust: Trust,
}

/// What is made when it is first wanted: a router takes milliseconds, and most calls route nothing.
pub type Lazy<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

#[derive(PartialEq, Eq)]
struct Sources {
    trust: Trust,
    sections: [Option<String>; 4],
    logo: Option<String>,
}

struct Held {
    revision: u64,
    sources: Sources,
    settings: Arc<InForce>,
}

pub struct Settings {
    held: Mutex<Option<Held>>,
    /// The first version: a page that outlived the process then asks once more.
    begun: i64,
}

impl Settings {
    pub fn since(now: i64) -> Self {
        Self {
            held: Mutex::default(),
            begun: now,
        }
    }

    /// The settings as they are now. Costs a look at a counter in memory as long as nothing changed.
    pub fn in_force(&self, store: &Store, stamp: &Stamp) -> Result<Arc<InForce>> {
        let mut held = self.held.lock();
        let revision = store.revision();
        if let Some(held) = held.as_ref().filter(|held| held.revision == revision) {
            return Ok(Arc::clone(&held.settings));
        }
        let stamp = stamp.clone();
        let reading = move |snapshot: &Snapshot<'_>| read(snapshot, &stamp);
        let sources = match &*held {
            // At the start nobody else wants a reader.
            None => store.read(reading),
            // Not by one of the readers, for which the others would wait here.
            Some(_) => store.read_apart(reading),
        }?;
        tell(held.as_ref().map(|held| held.sources.trust), sources.trust);
        let settings = match held.as_ref() {
            Some(held) if held.sources == sources => Arc::clone(&held.settings),
            before => {
                let mut settings = sources.settings(self.begun)?;
                if let Some(Held {
                    sources: old,
                    settings: before,
                    ..
                }) = before
                {
                    let changed = sources.system() != old.system() || sources.logo != old.logo;
                    settings.version = before.version + 1;
                    settings.appearance = before.appearance + i64::from(changed);
                }
                Arc::new(settings)
            }
        };
        *held = Some(Held {
            revision,
            sources,
            settings: Arc::clone(&settings),
        });
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
    let section = |section| snapshot.settings(section);
    Ok(Sources {
        trust: trust(snapshot, stamp)?,
        sections: [
            section(Section::Security)?,
            section(Section::System)?,
            section(Section::Email)?,
            section(Section::Prompts)?,
        ],
        logo: snapshot.logo_hash()?,
    })
}

impl Sources {
    fn system(&self) -> Option<&String> {
        let [_, system, ..] = &self.sections;
        system.as_ref()
    }

    fn settings(&self, version: i64) -> Result<InForce> {
        let [security, system, email_body, prompts] = &self.sections;
        let security: Security = parse(security.as_deref())?;
        let system: System = parse(system.as_deref())?;
        let email: Email = parse(email_body.as_deref())?;
        let phrases = parse(prompts.as_deref())?;
        let routed = email.clone();
        Ok(InForce {
            version,
            appearance: version,
            script: Script::new(&phrases, &security, &system),
            routing: mark_of(email_body),
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
