//! Which department a report goes to, and why (`PRODUCT.md §11`): by the whole text, by keywords, or by hand. Offline; any text
//! gets an answer.

mod analysis;
mod department;
mod lexicon;
mod measure;
mod memory;
mod smart;

pub use analysis::{Analysis, Score};
pub use department::{Department, DepartmentKey, Departments, Matter, Sight};
pub use measure::{DIMENSIONS, features};
pub use memory::{Memory, Pieces, mark_of};

use smart::Smart;

use super::settings::{Email, RoutingMode, entries};
use super::text::lower;

/// Routing settings prepared once for many texts.
pub enum Router {
    /// Always the fallback, for this reason.
    Fixed(String),
    /// Departments with their keywords, in their order; and the name of the fallback.
    Keywords(Vec<(Department, Vec<String>)>, String),
    Smart(Box<Smart>),
}

impl Router {
    pub fn new(email: &Email) -> Self {
        let departments = &email.departments;
        let general = &departments.general().name;
        match email.routing_mode {
            _ if !email.enable_department_routing => {
                Self::Fixed("Lo smistamento per reparti è disattivato.".to_owned())
            }
            RoutingMode::Manual => Self::Fixed(format!("Smistamento manuale: {general}.")),
            RoutingMode::Keywords => {
                let words = |list| entries(list).map(str::to_owned).collect();
                let desks = departments.desks().iter();
                let desks = desks.map(|desk| (desk.clone(), words(&desk.keywords)));
                Self::Keywords(desks.collect(), general.clone())
            }
            RoutingMode::Smart => {
                Self::Smart(Box::new(Smart::new(departments, email.routing_threshold)))
            }
        }
    }

    pub fn route(&self, memory: &Memory, text: &str) -> Analysis {
        match self {
            Self::Fixed(reason) => Analysis::plain(reason.clone()),
            Self::Keywords(desks, general) => by_keywords(desks, general, text),
            Self::Smart(smart) => smart.find(memory, text),
        }
    }
}

/// The first department with a keyword in the text, in any case. It is as simple as it looks: a newsroom that chooses it wants
/// to foresee the result.
fn by_keywords(desks: &[(Department, Vec<String>)], general: &str, text: &str) -> Analysis {
    let text = lower(text);
    for (department, keywords) in desks {
        let found = keywords.iter().filter(|word| text.contains(&lower(word)));
        let words: Vec<String> = found.cloned().collect();
        if !words.is_empty() {
            let (name, found) = (&department.name, words.join(", "));
            return Analysis {
                department: department.key,
                reason: format!("Parole chiave di {name}: {found}."),
                words,
                ..Analysis::default()
            };
        }
    }
    Analysis::plain(format!("Nessuna parola chiave trovata: {general}."))
}

#[cfg(test)]
fn route(email: &Email, text: &str) -> Analysis {
    Router::new(email).route(&Memory::default(), text)
}

#[cfg(test)]
mod departments_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod tests;
