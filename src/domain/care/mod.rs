//! Wording that suggests imminent harm: an intent of one's own, a threat to others, a present danger (`PRODUCT.md §11`). The
//! result is a hint for people, which may be wrong in both directions, and decides nothing.
//!
//! Each sentence is judged by itself, by the rules of [`grammar`], and the gravest counts. A text of some length is also measured
//! by [`signals`] (groups of phrases and what they mean together) and by its character n-grams, which a head trained on
//! `models/care` weighs; [`passages`] makes sure that a grave one is not lost in a long account.

mod grammar;
mod passages;
mod signals;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use grammar::{Grammar, Verdict};
pub use passages::passages;
pub use signals::Measure;

use super::classify::{LinearModel, TokenizedText, Word};
use super::declare::names;

names! {
    /// The concern that the wording of a text suggests.
    // The classes of the model have this order, behind the class of no concern.
    pub enum Concern {
        /// The writer may be about to harm themselves.
        SelfHarm = "self_harm",
        /// The writer may be about to harm others.
        Threat = "threat",
        /// The writer, or a person whom they tell of, may be in danger now.
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

pub const CLASSES: usize = 1 + Concern::ALL.len();
/// The probability from which a whole text is a concern. It is far below one half: a missed concern costs more than a look at
/// a harmless report.
const WHOLE: f64 = 0.26;
/// A long text has many passages, hence many chances to be wrong: each needs more.
const PASSAGE: f64 = 0.9;

/// The threshold for a text in which the rules know a figure of speech.
const FIGURED: f64 = 0.5;
/// Words below which only the rules decide: so few have too little wording to be weighed.
const SPOKEN: usize = 16;

/// `None` if the files do not fit each other, which a test excludes.
static MODEL: LazyLock<Option<(Measure, LinearModel<CLASSES, CLASSES>)>> = LazyLock::new(|| {
    let measure = Measure::bundled()?;
    let weights = include_bytes!("../../../models/care/head.bin");
    let head = LinearModel::from_bytes(weights, measure.dimensions())?;
    Some((measure, head))
});

/// `None` if a line of the file is no rule, which a test excludes.
static GRAMMAR: LazyLock<Option<Grammar>> = LazyLock::new(Grammar::bundled);

/// The gravest reading of any sentence by the rules of grammar, else of the whole text and its passages as far as they are sure
/// enough; the same on every machine.
pub fn concern(text: &str) -> Option<Concern> {
    let reading = TokenizedText::new(text);
    let ruled = GRAMMAR.as_ref()?.judge(&reading);
    match ruled {
        Verdict::Grave(concern) => Some(concern),
        _ if reading.words.len() < SPOKEN => None,
        Verdict::Harmless => weighed(text, &reading, FIGURED),
        Verdict::Unknown => weighed(text, &reading, WHOLE),
    }
}

/// Where the words stand that make a text a concern: those that rules of grammar took for the gravest, else every phrase of a grave
/// group. Nothing where the text is none.
pub fn grave_words(text: &str) -> Vec<Range<usize>> {
    let Some(found) = concern(text) else {
        return Vec::new();
    };
    let reading = TokenizedText::new(text);
    let ruled = GRAMMAR.as_ref().map(|rules| rules.places(&reading, found));
    let words = ruled.filter(|places| !places.is_empty()).or_else(|| {
        let (measure, _) = MODEL.as_ref()?;
        Some(measure.grave_places(&reading))
    });
    let places = words.unwrap_or_default().into_iter();
    let places = places.filter_map(|words| {
        let words = reading.words.get(words)?;
        Some(words.first()?.at.start..words.last()?.at.end)
    });
    places.collect()
}

/// The concern by the model, if the whole text is as probable as `enough`.
fn weighed(text: &str, reading: &TokenizedText<'_>, enough: f64) -> Option<Concern> {
    let words = &reading.words;
    // A passage is grave only where the whole text is.
    let whole = judged(reading, words)?;
    let mut gravest = Some(whole).filter(|(any, _)| *any >= enough);
    for passage in passages(text) {
        let from = words.partition_point(|word| word.at.start < passage.start);
        let to = words.partition_point(|word| word.at.start < passage.end);
        if let Some((any, concern)) = judged(reading, &words[from..to])
            && any >= PASSAGE
            && gravest.is_none_or(|(most, _)| any > most)
        {
            gravest = Some((any, concern));
        }
    }
    gravest.map(|(_, concern)| concern)
}

/// The probability of any concern, and the likeliest one; `None` without a grave signal.
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
