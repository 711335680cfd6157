//! Wording that suggests that somebody is about to come to harm: an intent of one's own, a threat to others, danger that
//! is there now (`PRODUCT.md §5`). It must never decide anything: it gives people a hint, which may be wrong in both directions.
//!
//! A text is measured by [`signals`] (groups of phrases and what they mean together) and by its character n-grams;
//! [`model`] weighs them with a head trained on `data/care`; [`passages`] makes sure that one grave sentence is not lost in
//! a long account.

mod model;
mod passages;
mod signals;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use model::{CLASSES, Measure};
pub use passages::passages;

use super::declare::names;
use model::Model;

names! {
    /// What the wording of a text suggests.
    // The order is that of the head's classes, of which the first is none.
    pub enum Concern {
        /// The writer may be about to harm themselves.
        SelfHarm = "self_harm",
        /// The writer may be about to harm others.
        Threat = "threat",
        /// The writer, or somebody whom they tell of, may be in danger now.
        Danger = "danger",
    }
}

impl Concern {
    /// What the newsroom reads.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SelfHarm => "Intento autolesivo",
            Self::Threat => "Minaccia ad altri",
            Self::Danger => "Pericolo in corso",
        }
    }
}

/// What the wording of a text suggests; `None` for most texts. Total, and the same for the same text on every machine.
pub fn concern(text: &str) -> Option<Concern> {
    static MODEL: LazyLock<Option<Model>> = LazyLock::new(Model::bundled);
    MODEL.as_ref()?.concern(text)
}
