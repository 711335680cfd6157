//! Wording that suggests that somebody is about to come to harm: an intent of one's own, a threat to others, danger that
//! is there now (`PRODUCT.md §11`). It must never decide anything: it gives people a hint, which may be wrong in both directions.
//!
//! A text is measured by [`signals`] (groups of phrases and what they mean together) and by its character n-grams, which a
//! head trained on `data/care` weighs; [`passages`] makes sure that one grave sentence is not lost in a long account.

mod passages;
mod signals;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use passages::passages;
pub use signals::Measure;

use super::classify::{LinearModel, TokenizedText, Word};
use super::declare::names;

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
    pub const fn label(self) -> &'static str {
        match self {
            Self::SelfHarm => "Intento autolesivo",
            Self::Threat => "Minaccia ad altri",
            Self::Danger => "Pericolo in corso",
        }
    }
}

/// No concern, and the three of [`Concern::ALL`].
pub const CLASSES: usize = 1 + Concern::ALL.len();
/// A whole text is a concern from this probability on. A concern that is missed costs more than a look at a report that
/// is none: hence far below one half.
const WHOLE: f64 = 0.26;
/// A passage of a long text, of which there are many chances to be wrong, needs more.
const PASSAGE: f64 = 0.7;

/// What is measured and the weights that belong to it; `None` if the files do not fit each other, which a test excludes.
static MODEL: LazyLock<Option<(Measure, LinearModel<CLASSES, CLASSES>)>> = LazyLock::new(|| {
    let measure = Measure::bundled()?;
    let weights = include_bytes!("../../../data/care/head.bin");
    let head = LinearModel::from_bytes(weights, measure.dimensions())?;
    Some((measure, head))
});

/// What the wording of a text suggests: the gravest reading of the whole text and of its passages that is sure enough.
/// `None` for most texts. Total, and the same for the same text on every machine.
pub fn concern(text: &str) -> Option<Concern> {
    let reading = TokenizedText::new(text);
    let words = &reading.words;
    // What is grave in a passage is grave in the whole, too.
    let whole = judged(&reading, words)?;
    let mut gravest = Some(whole).filter(|(any, _)| *any >= WHOLE);
    for passage in passages(text) {
        let from = words.partition_point(|word| word.at.start < passage.start);
        let to = words.partition_point(|word| word.at.start < passage.end);
        if let Some((any, concern)) = judged(&reading, &words[from..to])
            && any >= PASSAGE
            && gravest.is_none_or(|(most, _)| any > most)
        {
            gravest = Some((any, concern));
        }
    }
    gravest.map(|(_, concern)| concern)
}

/// How likely any concern is by these words, and the likeliest one; `None` when nothing in them is grave.
fn judged(reading: &TokenizedText<'_>, words: &[Word]) -> Option<(f64, Concern)> {
    let (measure, head) = MODEL.as_ref()?;
    let signals = measure.signals(reading, words);
    if !measure.is_grave(&signals) {
        return None;
    }
    let probabilities = head.probabilities(&Measure::features(reading, words, &signals));
    let concerns = probabilities.into_iter().skip(1).zip(Concern::ALL);
    let any = concerns.clone().map(|(probability, _)| probability).sum();
    let (_, concern) = concerns.max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some((any, concern))
}
