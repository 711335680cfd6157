//! Weighs what is measured of a text. The weights are a file of the repository, made by `tools/train` from the examples
//! beside it. It must never use anything but the text.

use super::Concern;
use super::passages::passages;
use super::signals::Signals;
use crate::domain::classify::ngrams::{Ngrams, letters};
use crate::domain::classify::{Features, Head};

/// The n-grams that are counted.
const NGRAMS: Ngrams = Ngrams {
    shortest: 3,
    longest: 5,
    buckets: 1 << 12,
};
/// What a signal weighs beside all n-grams of the text together, whose length is 1.
const SIGNAL: f64 = 0.2;
/// A whole text is a concern from this probability on. A concern that is missed costs more than a look at a report that
/// is none: hence far below one half.
const WHOLE: f64 = 0.26;
/// A passage of a long text, of which there are many chances to be wrong, needs more.
const PASSAGE: f64 = 0.7;
/// No concern, and the three of [`Concern::ALL`].
pub const CLASSES: usize = 1 + Concern::ALL.len();

static SIGNALS: &str = include_str!("../../../data/care/signals.json");
static HEAD: &[u8] = include_bytes!("../../../data/care/head.bin");

/// Signals and the weights that belong to them.
pub(super) struct Model {
    measure: Measure,
    head: Head,
}

/// What is measured of a text.
pub struct Measure(Signals);

impl Measure {
    /// With the signals of the repository.
    pub fn bundled() -> Option<Self> {
        Some(Self(Signals::read(SIGNALS)?))
    }

    pub fn dimensions(&self) -> usize {
        NGRAMS.buckets as usize + self.0.dimensions()
    }

    /// The features of a text: its n-grams, and behind them its signals; and whether any of these is grave.
    pub fn features(&self, text: &str) -> (Features, bool) {
        let letters = letters(text);
        let mut features = NGRAMS.features(&letters);
        let signals = self.0.measure(&letters);
        for (dimension, signal) in (NGRAMS.buckets..).zip(&signals) {
            features.push(dimension, signal * SIGNAL);
        }
        (features, self.0.is_grave(&signals))
    }
}

impl Model {
    /// The model of the repository; `None` if its files do not fit each other, which a test excludes.
    pub(super) fn bundled() -> Option<Self> {
        let measure = Measure::bundled()?;
        let head = Head::from_bytes(HEAD, CLASSES, measure.dimensions())?;
        Some(Self { measure, head })
    }

    /// The gravest reading of the whole text and of its passages that is sure enough.
    pub(super) fn concern(&self, text: &str) -> Option<Concern> {
        let whole = [(text, WHOLE)].into_iter();
        let parts = passages(text).into_iter().map(|part| (part, PASSAGE));
        let mut gravest: Option<(f64, Concern)> = None;
        for (part, threshold) in whole.chain(parts) {
            let Some((probability, concern)) = self.read(part) else {
                continue;
            };
            if probability >= threshold && gravest.is_none_or(|(most, _)| probability > most) {
                gravest = Some((probability, concern));
            }
        }
        gravest.map(|(_, concern)| concern)
    }

    /// How probable any concern is, and the likeliest one; `None` where no word is grave.
    fn read(&self, text: &str) -> Option<(f64, Concern)> {
        let (features, grave) = self.measure.features(text);
        if !grave {
            return None;
        }
        let probabilities = self.head.probabilities(&features);
        let concerns = Concern::ALL
            .into_iter()
            .zip(probabilities.iter().copied().skip(1));
        let mut likeliest = (f64::NEG_INFINITY, Concern::Danger);
        let mut any = 0.0;
        for (concern, probability) in concerns {
            any += probability;
            if probability > likeliest.0 {
                likeliest = (probability, concern);
            }
        }
        Some((any, likeliest.1))
    }
}
