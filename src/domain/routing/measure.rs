//! What is measured of a report's text, in blocks of dimensions. It must never depend on settings, but for the keywords.

use super::Department;
use super::lexicon::{self, Hit};
use crate::domain::classify::{Features, TokenizedText, ngrams};
use crate::domain::settings::Email;

/// First block: character n-grams.
pub(super) const BUCKETS: u32 = 1 << 14;
/// Second block: shares of what the lexicon found, one a department.
const SHARES: u32 = BUCKETS;
/// All blocks together. A further one begins here: it adds its width, and [`measure`] puts it last.
pub const DIMENSIONS: u32 = SHARES + 7;
/// Added to the weight found before shares are taken: little evidence must not look like much.
const DOUBT: f64 = 6.0;

/// The features of a text, of which this was found in it.
pub(super) fn measure(reading: &TokenizedText<'_>, hits: &[Hit<'_>]) -> Features {
    let mut features = ngrams::features::<{ BUCKETS as usize }>(reading.padded(&reading.words));
    let found = Department::ALL
        .map(|department| -> f64 { hits.iter().map(|hit| hit.weights[department.class()]).sum() });
    let all = found.iter().sum::<f64>() + DOUBT;
    let shares = (SHARES..).zip(found.map(|weight| weight / all));
    features.extend(shares.filter(|(_, share)| *share > 0.0));
    features
}

/// Features of each text, as weights are trained with; of a text without anything to read there are none.
pub fn features<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Features> {
    let lexicon = lexicon::with(Email::default().desks().map(|(_, keywords)| keywords));
    let measured = |reading| measure(&reading, &lexicon.find(&reading));
    texts.map(TokenizedText::new).map(measured).collect()
}
