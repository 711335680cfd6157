//! Which department a report goes to, and why (`PRODUCT.md §11`): by the whole text, by keywords, or by hand. Offline; any text
//! gets an answer.

mod analysis;
mod department;
mod lexicon;
mod measure;
mod memory;
mod smart;

pub use analysis::{Analysis, Score};
pub use department::{Department, Departments};
pub use measure::{DIMENSIONS, features};
pub use memory::{Memory, Pieces, mark_of};

use lexicon::Lexicon;

use super::settings::{Email, RoutingMode, entries};
use super::text::lower;

/// Routing settings prepared once for many texts.
pub enum Router {
    /// Always the fallback, for this reason.
    Fixed(&'static str),
    /// Keywords of the departments, in their order.
    Keywords([Vec<String>; 6]),
    /// A lexicon with the configured keywords, and the threshold in percent.
    Smart(Box<Lexicon>, u32),
}

impl Router {
    pub fn new(email: &Email) -> Self {
        let keywords = email.desks().map(|(_, keywords)| keywords);
        match email.routing_mode {
            _ if !email.enable_department_routing => {
                Self::Fixed("Lo smistamento per reparti è disattivato.")
            }
            RoutingMode::Manual => Self::Fixed("Smistamento manuale: Redazione Generale."),
            RoutingMode::Keywords => {
                Self::Keywords(keywords.map(|list| entries(list).map(str::to_owned).collect()))
            }
            RoutingMode::Smart => {
                Self::Smart(Box::new(lexicon::with(keywords)), email.routing_threshold)
            }
        }
    }

    pub fn route(&self, memory: &Memory, text: &str) -> Analysis {
        match self {
            Self::Fixed(reason) => Analysis::plain(reason),
            Self::Keywords(keywords) => by_keywords(keywords, text),
            Self::Smart(lexicon, threshold) => smart::find(*threshold, lexicon, memory, text),
        }
    }
}

/// The first department with a keyword in the text, in any case. It is as simple as it looks: a newsroom that chooses it wants
/// to foresee the result.
fn by_keywords(keywords: &[Vec<String>; 6], text: &str) -> Analysis {
    let text = lower(text);
    for (department, keywords) in Department::ALL.into_iter().zip(keywords) {
        let found = keywords.iter().filter(|word| text.contains(&lower(word)));
        let words: Vec<String> = found.cloned().collect();
        if !words.is_empty() {
            let (name, found) = (department.name(), words.join(", "));
            return Analysis {
                department,
                reason: format!("Parole chiave di {name}: {found}."),
                words,
                ..Analysis::default()
            };
        }
    }
    Analysis::plain("Nessuna parola chiave trovata: Redazione Generale.")
}

#[cfg(test)]
fn route(email: &Email, text: &str) -> Analysis {
    Router::new(email).route(&Memory::default(), text)
}

#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod tests;
