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

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use model::{CLASSES, Measure};
pub use passages::passages;

use model::Model;

/// What the wording of a text suggests.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// The writer may be about to harm themselves.
    SelfHarm,
    /// The writer may be about to harm others.
    Threat,
    /// The writer, or somebody whom they tell of, may be in danger now.
    Danger,
}

impl Concern {
    /// Every concern, in the order of the head's classes; class 0 is none.
    pub const ALL: [Self; 3] = [Self::SelfHarm, Self::Threat, Self::Danger];

    /// The name that is stored and that clients see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SelfHarm => "self_harm",
            Self::Threat => "threat",
            Self::Danger => "danger",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }

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
