//! What is measured of a report's text, in blocks of dimensions. It must never depend on settings, but for the keywords.

use super::Department;
use super::lexicon::{self, Hit, Lexicon, Word, words};
use crate::domain::classify::Features;
use crate::domain::classify::ngrams::{Ngrams, letters};
use crate::domain::settings::Email;

/// First block: character n-grams.
pub(super) const NGRAMS: Ngrams = Ngrams {
    shortest: 3,
    longest: 5,
    buckets: 1 << 14,
};
/// Second block: shares of what the lexicon found, one a department.
const SHARES: u32 = NGRAMS.buckets;
/// All blocks together. A further one begins here: it adds its width, and [`measure`] pushes it last.
pub const DIMENSIONS: u32 = SHARES + 7;
/// Added to the weight found before shares are taken: little evidence must not look like much.
const DOUBT: f64 = 6.0;

pub(super) struct Measured {
    pub(super) features: Features,
    /// As the n-grams see it.
    pub(super) letters: String,
    pub(super) words: Vec<Word>,
    pub(super) hits: Vec<Hit>,
}

pub(super) fn measure(lexicon: &Lexicon, text: &str) -> Measured {
    let (letters, words) = (letters(text), words(text));
    let hits = lexicon.find(&words);
    let mut features = NGRAMS.features(&letters);
    let found = Department::ALL
        .map(|department| -> f64 { hits.iter().map(|hit| hit.weights[department.class()]).sum() });
    let all = found.iter().sum::<f64>() + DOUBT;
    for (dimension, weight) in (SHARES..).zip(found) {
        features.push(dimension, weight / all);
    }
    Measured {
        features,
        letters,
        words,
        hits,
    }
}

/// Features of each text, as weights are trained with; of a text without anything to read there are none.
pub fn features<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Features> {
    let settings = Email::default();
    let lexicon = lexicon::with(settings.desks().map(|(_, keywords)| keywords));
    let measured = texts.map(|text| measure(&lexicon, text));
    measured
        .map(|one| {
            if one.letters.is_empty() {
                Features::default()
            } else {
                one.features
            }
        })
        .collect()
}
