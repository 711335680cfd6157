//! What the newsroom's own choices teach: a memory of the reports that staff moved, and a head that also learnt from them
//! (`PRODUCT.md §5`). It must never be used without its [`Guard`] having held, nor depend on the order in which choices were made.

use super::seed::{self, bundled_figures, train_while};
use super::{Config, Department, Memory, Model, smart};
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
    pub fn holds(self) -> bool {
        let lost = self.bundled.saturating_sub(self.right);
        u64::from(lost) * 100 <= u64::from(self.tested) * MOST_LOST
    }
}

/// What came of learning.
pub struct Learned {
    /// What was learnt.
    pub model: Model,
    /// Whether it may be used.
    pub guard: Guard,
    /// Corrections that are only remembered: their words speak so loudly for another department that a head which learnt
    /// from them would put others wrong.
    pub apart: usize,
}

/// So few corrections may all stay apart; of more, one in three.
const APART: usize = 7;
/// From so many corrections on, four in five to one desk that the guard does not let through are no newsroom's choices.
const ONE_SIDED: usize = 10;

/// Learns from these corrections, under the configured keywords; the same in any order give the same bits. All of them are
/// remembered; a head is fitted to the bundled data and to as many of them as the guard lets through. It takes seconds, and
/// asks several times whether it is still wanted: `None` when not.
pub fn learn(
    config: &Config,
    corrections: &[Correction],
    wanted: &dyn Fn() -> bool,
) -> Option<Learned> {
    let samples = samples(config, corrections);
    let whole = fitted(&samples, wanted)?;
    let fitted = if whole.guard.holds() || one_sided(&samples) {
        whole
    } else {
        with_the_quietest(&samples, wanted)?
    };
    Some(Learned {
        apart: samples.len() - fitted.learnt,
        guard: fitted.guard,
        model: Model {
            head: fitted.head,
            memory: Memory::new(corrections),
        },
    })
}

/// A head that was fitted to some of the corrections.
struct Fitted {
    head: Head,
    guard: Guard,
    learnt: usize,
}

fn fitted(samples: &[Sample], wanted: &dyn Fn() -> bool) -> Option<Fitted> {
    let bundled = bundled_figures();
    let (head, right) = if samples.is_empty() {
        (seed::bundled().head.clone(), bundled.right)
    } else {
        let trained = train_while(samples, wanted)?;
        let right = trained.figures().right;
        (trained.head, right)
    };
    Some(Fitted {
        head,
        guard: Guard {
            tested: bundled.tested,
            right,
            bundled: bundled.right,
        },
        learnt: samples.len(),
    })
}

/// Fits a head to as many of the samples as its guard lets through, from the first on. The guard does not hold when too many
/// would have to stay apart.
fn with_the_quietest(samples: &[Sample], wanted: &dyn Fn() -> bool) -> Option<Fitted> {
    let apart = APART.max(samples.len() / 3);
    let (mut held, mut failed) = (samples.len().saturating_sub(apart), samples.len());
    let mut best = fitted(samples.get(..held)?, wanted)?;
    if !best.guard.holds() {
        return Some(best);
    }
    while failed - held > 1 {
        let middle = usize::midpoint(held, failed);
        let tried = fitted(samples.get(..middle)?, wanted)?;
        if tried.guard.holds() {
            (held, best) = (middle, tried);
        } else {
            failed = middle;
        }
    }
    Some(best)
}

/// Whether nearly all go to one desk.
fn one_sided(samples: &[Sample]) -> bool {
    let to = |class: usize| samples.iter().filter(|one| one.label == class).count();
    let most = (0..Department::ALL.len()).map(to).max().unwrap_or(0);
    samples.len() >= ONE_SIDED && most * 5 >= samples.len() * 4
}

/// The likelier the bundled head finds a correction, the earlier; a text without anything to read teaches nothing.
fn samples(config: &Config, corrections: &[Correction]) -> Vec<Sample> {
    let lexicon = smart::lexicon_of(config);
    let mut ordered: Vec<&Correction> = corrections.iter().collect();
    ordered.sort();
    let sample = |correction: &Correction| {
        let features = smart::features(&lexicon, &correction.text)?;
        let label = correction.department.class();
        let likely = seed::bundled().head.probabilities(&features);
        let likely = likely.get(label).copied().unwrap_or_default();
        let sample = Sample {
            features,
            label,
            weight: WEIGHT,
            fold: None,
        };
        Some((likely, sample))
    };
    let mut samples: Vec<(f64, Sample)> = ordered.into_iter().filter_map(sample).collect();
    // Stable: of equals, the order of the texts decides.
    samples.sort_by(|one, other| other.0.total_cmp(&one.0));
    samples.into_iter().map(|(_, sample)| sample).collect()
}
