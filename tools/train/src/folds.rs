//! How good a head is, judged on samples it has not learnt from. It must never test a sample with a head that saw it.

use segnalazioni::testing::domain::{ln, softmax};

use crate::math::highest;
use crate::softmax::{Sample, Training};

/// One sample that was tested.
#[derive(Debug, Clone)]
pub struct Tested {
    /// Its class.
    pub label: usize,
    /// Scores of the classes, by a head that did not see it.
    pub scores: Vec<f64>,
}

/// Tests each sample that has a fold with a head fitted to everything outside of this fold.
pub fn cross_validate(training: &Training<'_>) -> Vec<Tested> {
    (0..parts(training))
        .flat_map(|fold| tested_in(training, fold))
        .collect()
}

fn parts(training: &Training<'_>) -> usize {
    let folds = training.samples().iter().filter_map(|sample| sample.fold);
    folds.max().map_or(0, |last| last + 1)
}

fn tested_in(training: &Training<'_>, fold: usize) -> impl Iterator<Item = Tested> {
    let samples = training.samples();
    let tested = training.held_out(fold).into_iter();
    tested.map(move |(sample, scores)| Tested {
        label: samples[sample].label,
        scores,
    })
}

/// The part of the cross-validation for each sample in turn, so that each part holds as many of each class.
pub fn stratified(labels: &[usize], parts: usize) -> Vec<usize> {
    let mut seen = vec![0_usize; labels.iter().max().map_or(0, |most| most + 1)];
    labels
        .iter()
        .map(|label| {
            let part = seen[*label] % parts.max(1);
            seen[*label] += 1;
            part
        })
        .collect()
}

/// The temperature under which the tested samples were least surprising, between 0.2 and 3.
pub fn temperature(tested: &[Tested]) -> f64 {
    const FINEST: u32 = 50;
    let candidates = (FINEST / 5..=FINEST * 3).map(|step| f64::from(step) / f64::from(FINEST));
    let surprise = |temperature: f64| -> f64 {
        tested
            .iter()
            .map(|one| -ln(softmax(&one.scores, temperature)[one.label]))
            .sum()
    };
    let mut best = (1.0, f64::INFINITY);
    for candidate in candidates {
        let surprise = surprise(candidate);
        if surprise < best.1 {
            best = (candidate, surprise);
        }
    }
    best.0
}

/// How often which class was taken for which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    /// By true class, then by answer.
    counts: Vec<u32>,
}

impl Confusion {
    /// Of pairs of true class and answer.
    pub fn new(classes: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut counts = vec![0; classes * classes];
        for (label, answer) in pairs {
            counts[label * classes + answer] += 1;
        }
        Self { classes, counts }
    }

    /// Of tested samples, each answered with its likeliest class.
    pub fn of(classes: usize, tested: &[Tested]) -> Self {
        let answers = tested
            .iter()
            .filter_map(|one| Some((one.label, highest(&one.scores)?)));
        Self::new(classes, answers)
    }

    /// How often `label` was answered with `answer`.
    pub fn count(&self, label: usize, answer: usize) -> u32 {
        self.counts[label * self.classes + answer]
    }

    /// How many were answered right.
    pub fn right(&self) -> u32 {
        (0..self.classes)
            .map(|class| self.count(class, class))
            .sum()
    }

    /// How many there are.
    pub fn tested(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// Share that was answered right; 0 of nothing.
    pub fn accuracy(&self) -> f64 {
        share(self.right(), self.tested())
    }

    /// The harmonic mean of a class's precision and recall.
    pub fn f1(&self, class: usize) -> f64 {
        let right = self.count(class, class);
        let labelled: u32 = (0..self.classes)
            .map(|other| self.count(class, other))
            .sum();
        let answered: u32 = (0..self.classes)
            .map(|other| self.count(other, class))
            .sum();
        share(2 * right, labelled + answered)
    }

    /// The mean of all classes' [`Confusion::f1`].
    pub fn macro_f1(&self) -> f64 {
        let sum: f64 = (0..self.classes).map(|class| self.f1(class)).sum();
        sum / f64::from(u32::try_from(self.classes.max(1)).unwrap_or(u32::MAX))
    }
}

/// Folds for samples that have none yet, by class.
pub fn assign(samples: &mut [Sample], parts: usize) {
    let labels: Vec<usize> = samples.iter().map(|sample| sample.label).collect();
    for (sample, part) in samples.iter_mut().zip(stratified(&labels, parts)) {
        sample.fold = Some(part);
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 {
        0.0
    } else {
        f64::from(part) / f64::from(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::softmax::Options;

    fn sample(label: usize, dimension: u32) -> Sample {
        Sample {
            features: vec![(dimension, 1.0)],
            label,
            weight: 1.0,
            fold: None,
        }
    }

    #[test]
    fn parts_hold_as_many_of_each_class() {
        assert_eq!(stratified(&[0, 1, 0, 0, 1, 0], 2), [0, 0, 1, 0, 1, 1]);
        assert_eq!(stratified(&[], 5), [0_usize; 0]);
    }

    #[test]
    fn a_tested_sample_was_not_learnt_from() {
        // Each sample has a dimension of its own: whoever has not seen it cannot know its class.
        let mut samples: Vec<_> = (0..6).map(|at| sample(at as usize % 2, at)).collect();
        assign(&mut samples, 3);
        let options = Options {
            classes: 2,
            dimensions: 6,
            l2: 0.1,
            rounds: 50,
        };
        let training = Training::new(&samples, options);
        let tested = cross_validate(&training);
        assert_eq!(tested.len(), 6);
        for one in &tested {
            assert!((one.scores[0] - one.scores[1]).abs() < 1e-9);
        }
        samples.push(Sample {
            fold: None,
            ..samples[0].clone()
        });
        let tested = cross_validate(&Training::new(&samples, options));
        assert_eq!(tested.len(), 6, "only learnt from");
        assert!(tested[0].scores[0] > tested[0].scores[1] + 0.1);
    }

    #[test]
    fn temperature_answers_to_how_often_a_head_is_right() {
        let tested = |right: usize| -> Vec<Tested> {
            (0..10)
                .map(|sample| Tested {
                    label: usize::from(sample >= right),
                    scores: vec![2.0, 0.0],
                })
                .collect()
        };
        assert!(temperature(&tested(10)) < 0.5);
        // A difference of 2 / t with 7 of 10 right: t = 2 / ln(7 / 3).
        assert!((temperature(&tested(7)) - 2.36).abs() < 0.02);
    }

    #[test]
    fn confusion_counts() {
        let confusion = Confusion::new(2, [(0, 0), (0, 0), (0, 1), (1, 1)]);
        assert_eq!((confusion.count(0, 1), confusion.count(1, 0)), (1, 0));
        assert_eq!((confusion.right(), confusion.tested()), (3, 4));
        assert!((confusion.accuracy() - 0.75).abs() < 1e-12);
        assert!((confusion.f1(0) - 0.8).abs() < 1e-12);
        assert!((confusion.macro_f1() - f64::midpoint(0.8, 2.0 / 3.0)).abs() < 1e-12);
        assert!(Confusion::new(2, []).accuracy().abs() < 1e-12);
    }
}
