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
mod training;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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

    /// The concern of that name.
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

/// Whether a report counts as urgent: as the program read it, turned round each time that an editor saw it differently.
pub fn is_urgent(read: Option<Concern>, turns: usize) -> bool {
    read.is_some() != (turns % 2 == 1)
}

/// What the wording of a text suggests; `None` for most texts. Total, and the same for the same text on every machine.
pub fn concern(text: &str) -> Option<Concern> {
    static MODEL: LazyLock<Option<Model>> = LazyLock::new(Model::bundled);
    MODEL.as_ref()?.concern(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_round_trip() {
        for one in Concern::ALL {
            assert_eq!(Concern::parse(one.as_str()), Some(one));
            assert_eq!(serde_json::to_value(one).unwrap(), one.as_str());
        }
        assert_eq!(Concern::parse("none"), None);
    }

    #[test]
    fn grave_words_are_seen_and_figures_of_speech_are_not() {
        for (text, expected) in [
            (
                "Non ce la faccio più, stasera la faccio finita. Ho già scritto la lettera a mia moglie.",
                Some(Concern::SelfHarm),
            ),
            (
                "Domani vado sotto casa sua con la tanica di benzina e lo ammazzo, so dove abita.",
                Some(Concern::Threat),
            ),
            (
                "È sul pianerottolo e sta sfondando la porta, mi ammazza. Ho chiuso i bambini in bagno, aiuto.",
                Some(Concern::Danger),
            ),
            (
                "Questo lavoro mi ammazza: turni di dodici ore e straordinari mai pagati.",
                None,
            ),
            (
                "Il film sul suicidio di quel ragazzo è stato pagato con fondi della Regione, ho le carte.",
                None,
            ),
            ("", None),
        ] {
            assert_eq!(concern(text), expected, "{text}");
        }
    }

    #[test]
    fn one_grave_sentence_in_a_long_account_is_seen() {
        let ordinary = "Il Comune ha affidato la manutenzione del verde senza gara, alla ditta del cognato dell'assessore. \
                        Le fatture sono tutte sotto soglia e portano la stessa data. ";
        let grave = "Adesso basta: stanotte mi ammazzo, ho preparato tutto e ho scritto una lettera d'addio. ";
        let long = |middle: &str| format!("{}{middle}{}", ordinary.repeat(12), ordinary.repeat(12));
        assert_eq!(concern(&long("")), None);
        assert_eq!(concern(&long(grave)), Some(Concern::SelfHarm));
    }

    #[test]
    fn hostile_texts_of_any_size_are_answered() {
        for hostile in [
            "\0".repeat(20_000),
            ". ".repeat(10_000),
            "a.".repeat(10_000),
            "aiuto ".repeat(3_300),
            "è".repeat(20_000),
            "\u{202E}".repeat(20_000),
            "a\u{301}\u{323}".repeat(20_000),
            "👩\u{200D}👩\u{200D}👧 ".repeat(5_000),
            "\u{FDFA}".repeat(20_000),
        ] {
            assert_eq!(concern(&hostile), concern(&hostile));
        }
    }

    proptest! {
        #[test]
        fn any_text_has_one_answer(text in any::<String>()) {
            prop_assert_eq!(concern(&text), concern(&text));
        }
    }
}
