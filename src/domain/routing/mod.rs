//! Which department a report goes to, and why (`PRODUCT.md §5`): by what the whole text is about, by keywords, or by
//! hand. Everything happens in here, offline. It must never fail: any text, however long or strange, gets an answer.

mod analysis;
mod department;
mod keywords;
mod lexicon;
mod measure;
mod memory;
mod smart;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use analysis::{Analysis, moved_reason};
pub use department::Department;
pub use measure::{DIMENSIONS, features};
pub use memory::{Memory, Pieces};

use lexicon::Lexicon;

use super::settings::{Email, RoutingMode, entries};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Desk {
    /// Its address; empty for none.
    pub email: String,
    /// Its keywords, as typed.
    pub keywords: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub enabled: bool,
    pub mode: RoutingMode,
    /// How sure the analysis must be of a department, in percent.
    pub threshold: u32,
    /// Who gets what has no address of its own.
    pub recipient: String,
    /// Who gets what fits no department.
    pub fallback: String,
    /// The six departments, in their order.
    pub desks: [Desk; 6],
}

impl From<&Email> for Config {
    fn from(settings: &Email) -> Self {
        Self {
            enabled: settings.enable_department_routing,
            mode: settings.routing_mode,
            threshold: settings.routing_threshold,
            recipient: settings.email_recipient.clone(),
            fallback: settings.email_fallback.clone(),
            desks: settings.desks().map(|desk| Desk {
                email: desk.email.to_owned(),
                keywords: entries(desk.keywords).map(str::to_owned).collect(),
            }),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::from(&Email::default())
    }
}

impl Config {
    /// Where mail about a report of this department goes, while routing is on: to its own address, for the fallback
    /// department to [`Config::fallback`]. What is missing is replaced by [`Config::recipient`], and that by the
    /// fallback's. Empty when there is none at all.
    pub fn email(&self, department: Department) -> &str {
        let own = match self.desks.get(department.class()) {
            Some(desk) => &desk.email,
            None => &self.fallback,
        };
        let own = if self.enabled { own } else { "" };
        [own, &self.recipient, &self.fallback]
            .into_iter()
            .find(|address| !address.is_empty())
            .unwrap_or_default()
    }
}

/// How likely a department is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Score {
    /// The department.
    pub department: Department,
    /// In percent, rounded.
    pub percent: u8,
}

/// Where a report goes, and why; by default to nobody in particular.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Routing {
    pub department: Department,
    /// Where mail about it goes; empty when no address is set.
    pub email: String,
    /// Why, in Italian.
    pub reason: String,
    /// The words that spoke most for it, at most six.
    pub matched_keywords: Vec<String>,
    /// How likely each department is, the likeliest first; empty unless the text was analysed.
    pub scores: Vec<Score>,
    /// The other department that the text touches.
    pub secondary: Option<Department>,
}

/// The settings of routing made ready: what is costly of them is done once, however many texts are routed.
pub struct Router {
    config: Config,
    method: Method,
}

enum Method {
    Off,
    Manual,
    Keywords,
    /// By this lexicon, which holds the configured keywords too.
    Smart(Lexicon),
}

impl Router {
    pub fn new(config: Config) -> Self {
        let method = match config.mode {
            _ if !config.enabled => Method::Off,
            RoutingMode::Manual => Method::Manual,
            RoutingMode::Keywords => Method::Keywords,
            RoutingMode::Smart => Method::Smart(lexicon::of(&config)),
        };
        Self { config, method }
    }

    /// Whether it asks the memory.
    pub fn remembers(&self) -> bool {
        matches!(self.method, Method::Smart(_))
    }

    pub fn route(&self, memory: &Memory, text: &str) -> Routing {
        let found = match &self.method {
            Method::Off => Found::plain("Lo smistamento per reparti è disattivato."),
            Method::Manual => Found::plain("Smistamento manuale: Redazione Generale."),
            Method::Keywords => keywords::find(&self.config, text),
            Method::Smart(lexicon) => smart::find(self.config.threshold, lexicon, memory, text),
        };
        Routing {
            email: self.config.email(found.department).to_owned(),
            department: found.department,
            reason: found.reason,
            matched_keywords: found.words,
            scores: found.scores,
            secondary: found.secondary,
        }
    }
}

/// Routes a single text under these settings, without a memory.
pub fn route(config: &Config, text: &str) -> Routing {
    Router::new(config.clone()).route(&Memory::default(), text)
}

#[derive(Debug, Default)]
struct Found {
    department: Department,
    reason: String,
    words: Vec<String>,
    scores: Vec<Score>,
    secondary: Option<Department>,
}

impl Found {
    /// The fallback, for a reason that needs no text.
    fn plain(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod tests;
