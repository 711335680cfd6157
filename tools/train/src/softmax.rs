//! Multinomial logistic regression with an L2 penalty. It must never fit in an order, or with a function, that another machine
//! might do differently: the same samples give the same bytes everywhere.
//!
//! It is fitted in the samples' own space: a few hundred texts and their scalar products are far fewer numbers than
//! thousands of dimensions, and the same products serve every part of a cross-validation. The weights are a sum of the
//! samples, `W = Σ αᵢ xᵢ`; the gradient of the loss with respect to `α` is then `wᵢ (pᵢ − yᵢ) + λ αᵢ`, which Nesterov's
//! method follows for a fixed number of rounds.

use segnalazioni::testing::domain::Features;
use segnalazioni::testing::domain::softmax;

/// A text to learn from.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What is measured of it.
    pub features: Features,
    /// Number of its class.
    pub label: usize,
    /// How much it counts; 1 for an ordinary one.
    pub weight: f64,
    /// The part of a cross-validation in which it is tested; `None` for one that is only learnt from.
    pub fold: Option<usize>,
}

/// What a fit is told.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Number of classes.
    pub classes: usize,
    /// Dimensions of the features; what lies beyond is not learnt.
    pub dimensions: usize,
    /// Weight of the penalty: more of it means a plainer head.
    pub l2: f64,
    /// Steps of the descent.
    pub rounds: usize,
}

/// Samples with their scalar products, ready to fit any part of them.
pub struct Training<'a> {
    samples: &'a [Sample],
    options: Options,
    /// Scalar products of all pairs plus 1 (for the constant that every class has), row by row.
    products: Vec<f64>,
}

impl<'a> Training<'a> {
    /// Takes the scalar products: the slow part, once.
    pub fn new(samples: &'a [Sample], options: Options) -> Self {
        let products = products(samples);
        Self {
            samples,
            options,
            products,
        }
    }

    /// The samples.
    pub fn samples(&self) -> &'a [Sample] {
        self.samples
    }

    /// Fits a head to all samples; its bytes, as the program reads them.
    pub fn fit(&self, temperature: f64) -> Vec<u8> {
        let alphas = self.alphas(|_| true);
        to_bytes(self.options.classes, temperature, &self.weights(&alphas))
    }

    /// Scores of the samples that are tested in a part of the cross-validation, by heads fitted to the others: pairs of
    /// sample number and scores.
    pub fn held_out(&self, fold: usize) -> Vec<(usize, Vec<f64>)> {
        let alphas = self.alphas(|sample| sample.fold != Some(fold));
        self.samples
            .iter()
            .enumerate()
            .filter(|(_, sample)| sample.fold == Some(fold))
            .map(|(at, _)| (at, self.scores(at, &alphas)))
            .collect()
    }

    /// Coefficients of the samples, class by class within each; those left out have none.
    fn alphas(&self, learns_from: impl Fn(&Sample) -> bool) -> Vec<f64> {
        let taken: Vec<usize> = (0..self.samples.len())
            .filter(|at| learns_from(&self.samples[*at]))
            .collect();
        let (classes, l2) = (self.options.classes, self.options.l2);
        let steepest = self.steepest(&taken);
        let step = 1.0 / (steepest + l2);
        let momentum = ((steepest + l2).sqrt() - l2.sqrt()) / ((steepest + l2).sqrt() + l2.sqrt());
        let mut alphas = vec![0.0; self.samples.len() * classes];
        let mut ahead = alphas.clone();
        for _ in 0..self.options.rounds {
            let mut next = alphas.clone();
            for &at in &taken {
                let sample = &self.samples[at];
                let expected = softmax(&self.scores_of(at, &taken, &ahead), 1.0);
                for (class, probability) in expected.into_iter().enumerate() {
                    let wanted = if class == sample.label { 1.0 } else { 0.0 };
                    let place = at * classes + class;
                    let slope = sample.weight * (probability - wanted) + l2 * ahead[place];
                    next[place] = ahead[place] - step * slope;
                }
            }
            for (place, value) in next.iter().enumerate() {
                ahead[place] = value + momentum * (value - alphas[place]);
            }
            alphas = next;
        }
        alphas
    }

    /// A bound of the loss's curvature: half the largest row sum of the weighted products.
    fn steepest(&self, taken: &[usize]) -> f64 {
        let n = self.samples.len();
        let row = |at: usize| -> f64 {
            let sum: f64 = taken
                .iter()
                .map(|other| self.products[at * n + other].abs() * self.samples[*other].weight)
                .sum();
            sum / 2.0
        };
        taken.iter().map(|at| row(*at)).fold(0.0, f64::max)
    }

    fn scores(&self, at: usize, alphas: &[f64]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.samples.len()).collect();
        self.scores_of(at, &all, alphas)
    }

    fn scores_of(&self, at: usize, taken: &[usize], alphas: &[f64]) -> Vec<f64> {
        let (n, classes) = (self.samples.len(), self.options.classes);
        let products = &self.products[at * n..(at + 1) * n];
        let mut scores = vec![0.0; classes];
        for &other in taken {
            let alphas = &alphas[other * classes..(other + 1) * classes];
            for (score, alpha) in scores.iter_mut().zip(alphas) {
                *score += products[other] * alpha;
            }
        }
        scores
    }

    /// The weights that the coefficients stand for.
    fn weights(&self, alphas: &[f64]) -> Vec<f64> {
        let Options {
            classes,
            dimensions,
            ..
        } = self.options;
        let mut weights = vec![0.0; (dimensions + 1) * classes];
        let constant = dimensions * classes;
        for (sample, coefficients) in self.samples.iter().zip(alphas.chunks_exact(classes)) {
            for (dimension, value) in sample.features.iter().copied() {
                let from = dimension as usize * classes;
                if from < constant {
                    for (class, coefficient) in coefficients.iter().enumerate() {
                        weights[from + class] += value * coefficient;
                    }
                }
            }
            for (class, coefficient) in coefficients.iter().enumerate() {
                weights[constant + class] += coefficient;
            }
        }
        weights
    }
}

/// Scalar products of all pairs plus 1, row by row. One of a pair is laid out by dimension, so that the other only has to
/// look its own up.
fn products(samples: &[Sample]) -> Vec<f64> {
    let n = samples.len();
    let last = samples
        .iter()
        .flat_map(|one| one.features.iter().copied().map(|(at, _)| at));
    let mut laid_out = vec![0.0; last.max().map_or(0, |last| last as usize + 1)];
    let mut products = vec![0.0; n * n];
    for (i, one) in samples.iter().enumerate() {
        for (dimension, value) in one.features.iter().copied() {
            laid_out[dimension as usize] = value;
        }
        for (j, other) in samples.iter().enumerate().take(i + 1) {
            let dot: f64 = other
                .features
                .iter()
                .map(|(at, value)| value * laid_out[*at as usize])
                .sum();
            let product = 1.0 + dot;
            products[i * n + j] = product;
            products[j * n + i] = product;
        }
        for (dimension, _) in one.features.iter().copied() {
            laid_out[dimension as usize] = 0.0;
        }
    }
    products
}

/// Classes (32 bits), unit and temperature (64 bits each), then the weights in units (16 bits each), all little-endian.
fn to_bytes(classes: usize, temperature: f64, weights: &[f64]) -> Vec<u8> {
    let largest = weights.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let unit = if largest > 0.0 {
        largest / f64::from(i16::MAX)
    } else {
        1.0
    };
    let mut bytes = u32::try_from(classes)
        .unwrap_or(u32::MAX)
        .to_le_bytes()
        .to_vec();
    bytes.extend(unit.to_le_bytes());
    bytes.extend(temperature.to_le_bytes());
    bytes.extend(
        weights
            .iter()
            .flat_map(|weight| whole(weight / unit).to_le_bytes()),
    );
    bytes
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded and within the range, which the largest weight sets"
)]
fn whole(value: f64) -> i16 {
    value.round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::highest;
    use segnalazioni::testing::domain::LinearModel;

    const OPTIONS: Options = Options {
        classes: 3,
        dimensions: 8,
        l2: 0.1,
        rounds: 100,
    };

    fn sample(label: usize, entries: &[(u32, f64)]) -> Sample {
        Sample {
            features: entries.to_vec(),
            label,
            weight: 1.0,
            fold: Some(0),
        }
    }

    /// Each class has a dimension of its own; dimension 3 says nothing.
    fn samples() -> Vec<Sample> {
        let own = |label: u32| {
            [1.0, 0.7, 0.4].map(|size| sample(label as usize, &[(label, size), (3, 0.5)]))
        };
        (0..3).flat_map(own).collect()
    }

    fn head(samples: &[Sample]) -> LinearModel<3, 4> {
        LinearModel::from_bytes(&Training::new(samples, OPTIONS).fit(1.0), 8).unwrap()
    }

    #[test]
    fn what_tells_the_classes_apart_is_found() {
        let head = head(&samples());
        for one in samples() {
            assert_eq!(highest(&head.probabilities(&one.features)), Some(one.label));
        }
        let own = head.contribution(0, 0);
        assert!(own > 0 && head.contribution(0, 1) < 0);
        assert!(head.contribution(3, 0).abs() < own / 50);
    }

    #[test]
    fn the_loss_is_at_its_least() {
        let samples = samples();
        let training = Training::new(&samples, OPTIONS);
        let alphas = training.alphas(|_| true);
        for (at, sample) in samples.iter().enumerate() {
            let expected = softmax(&training.scores(at, &alphas), 1.0);
            for (class, probability) in expected.into_iter().enumerate() {
                let wanted = if class == sample.label { 1.0 } else { 0.0 };
                let slope = probability - wanted + OPTIONS.l2 * alphas[at * 3 + class];
                assert!(slope.abs() < 1e-4, "{slope}");
            }
        }
    }

    #[test]
    fn a_heavier_sample_pulls_more() {
        let mut pulled = samples();
        pulled.push(sample(2, &[(0, 0.7), (3, 0.5)]));
        let asked = [(0, 0.7), (3, 0.5)];
        assert_eq!(highest(&head(&pulled).probabilities(&asked)), Some(0));
        pulled[9].weight = 20.0;
        assert_eq!(highest(&head(&pulled).probabilities(&asked)), Some(2));
    }
}
