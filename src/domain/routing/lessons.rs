//! What the newsroom's own choices teach: a head that also learnt from the reports that staff moved (`PRODUCT.md §5`).
//! It must never be used without its [`Guard`] having held, nor depend on the order in which choices were made.

use super::seed::{bundled_figures, bundled_head, train_while};
use super::{Config, Department, smart};
use crate::domain::learn::Sample;
use crate::domain::learn::softmax::Head;

/// How much a correction counts beside a bundled report: somebody of this newsroom looked at it.
const WEIGHT: f64 = 1.5;
/// How many of a hundred bundled reports a head may put wrong that the bundled one puts right.
const MOST_LOST: u64 = 1;

/// A report that staff moved.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Correction {
    /// What it says.
    pub text: String,
    /// Where they moved it; the fallback is a department like any other.
    pub department: Department,
}

/// How a head that was taught does on the bundled reports, beside the bundled one; both judged by cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Bundled reports.
    pub tested: u32,
    /// Of these, put where they belong with what was learnt.
    pub right: u32,
    /// Of these, put where they belong without it.
    pub bundled: u32,
}

impl Guard {
    /// Whether what was learnt may be used: at most one point of accuracy is lost.
    #[must_use]
    pub fn holds(self) -> bool {
        let lost = self.bundled.saturating_sub(self.right);
        u64::from(lost) * 100 <= u64::from(self.tested) * MOST_LOST
    }
}

/// What came of learning.
pub struct Learned {
    /// The head.
    pub head: Head,
    /// Whether it may be used.
    pub guard: Guard,
}

/// Fits a head to the bundled data and to these corrections, under the configured keywords; the same corrections in any
/// order give the same bits. It takes seconds, and asks several times whether it is still wanted: `None` when not.
#[must_use]
pub fn learn(
    config: &Config,
    corrections: &[Correction],
    wanted: &dyn Fn() -> bool,
) -> Option<Learned> {
    let bundled = bundled_figures();
    let guard = |right| Guard {
        tested: bundled.tested,
        right,
        bundled: bundled.right,
    };
    if corrections.is_empty() {
        return Some(Learned {
            head: bundled_head().clone(),
            guard: guard(bundled.right),
        });
    }
    let trained = train_while(&samples(config, corrections), wanted)?;
    Some(Learned {
        guard: guard(trained.figures().right),
        head: trained.head,
    })
}

/// In an order of their own; a text without anything to read teaches nothing.
fn samples(config: &Config, corrections: &[Correction]) -> Vec<Sample> {
    let lexicon = smart::lexicon_of(config);
    let mut ordered: Vec<&Correction> = corrections.iter().collect();
    ordered.sort();
    let sample = |correction: &Correction| {
        Some(Sample {
            features: smart::features(&lexicon, &correction.text)?,
            label: correction.department.class(),
            weight: WEIGHT,
            fold: None,
        })
    };
    ordered.into_iter().filter_map(sample).collect()
}
