//! The features of a report's text, in blocks of dimensions. Only the configured keywords change them.

use super::Departments;
use super::lexicon::{self, CLASSES, Hit};
use crate::domain::classify::{Features, TokenizedText, ngrams};

/// First block: character n-grams.
pub(super) const BUCKETS: u32 = 1 << 14;
/// Second block: shares of what the lexicon found, one a class.
const SHARES: u32 = BUCKETS;
/// A further block begins here: it adds its width, and [`measure`] puts it last.
pub const DIMENSIONS: u32 = SHARES + 7;
/// Little evidence must not look like much: this is added before shares are taken.
pub(super) const DOUBT: f64 = 6.0;

pub(super) fn measure(reading: &TokenizedText<'_>, hits: &[Hit<'_, CLASSES>]) -> Features {
    let mut features = ngrams::features::<{ BUCKETS as usize }>(reading.padded(&reading.words));
    let found = weights(hits);
    let all = found.iter().sum::<f64>() + DOUBT;
    let shares = (SHARES..).zip(found.map(|weight| weight / all));
    features.extend(shares.filter(|(_, share)| *share > 0.0));
    features
}

/// The sums of the weights of the words found, by class or place.
pub(super) fn weights<const N: usize>(hits: &[Hit<'_, N>]) -> [f64; N] {
    std::array::from_fn(|class| hits.iter().map(|hit| hit.weights[class]).sum())
}

/// For training; none for a text without words.
pub fn features<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Features> {
    let lexicon = lexicon::of_matters(&Departments::default());
    let measured = |reading| measure(&reading, &lexicon.find(&reading));
    texts.map(TokenizedText::new).map(measured).collect()
}
