//! Multinomial logistic regression with an L2 penalty: fit it, ask it, keep it. It must never fit in an order, or with a
//! function, that another machine might do differently.
//!
//! It is fitted in the samples' own space: a few hundred texts and their scalar products are far fewer numbers than
//! thousands of dimensions, and the same products serve every part of a cross-validation. The weights are a sum of the
//! samples, `W = Σ αᵢ xᵢ`; the gradient of the loss with respect to `α` is then `wᵢ (pᵢ − yᵢ) + λ αᵢ`, which Nesterov's
//! method follows for a fixed number of rounds.

use super::math::softmax;
use super::{Features, Sample};

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

    /// Fits a head to all samples.
    pub fn fit(&self) -> Head {
        let alphas = self.alphas(|_| true);
        self.head(&alphas)
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

    /// Where a fit spends its time: counted by hand, because iterators cost a build without optimisation, as tests run
    /// in, ten times as much.
    fn scores_of(&self, at: usize, taken: &[usize], alphas: &[f64]) -> Vec<f64> {
        let (n, classes) = (self.samples.len(), self.options.classes);
        let products = &self.products[at * n..(at + 1) * n];
        let mut sums = vec![0.0; classes];
        let scores = sums.as_mut_slice();
        let mut place = 0;
        while place < taken.len() {
            let other = taken[place];
            let (product, from) = (products[other], other * classes);
            let mut class = 0;
            while class < classes {
                scores[class] += product * alphas[from + class];
                class += 1;
            }
            place += 1;
        }
        sums
    }

    /// The weights that the coefficients stand for.
    fn head(&self, alphas: &[f64]) -> Head {
        let Options {
            classes,
            dimensions,
            ..
        } = self.options;
        let mut weights = vec![0.0; (dimensions + 1) * classes];
        let constant = dimensions * classes;
        for (sample, coefficients) in self.samples.iter().zip(alphas.chunks_exact(classes)) {
            for (dimension, value) in sample.features.iter() {
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
        Head::quantised(classes, &weights)
    }
}

/// Scalar products of all pairs plus 1, row by row. One of a pair is laid out by dimension, so that the other only has to
/// look its own up.
fn products(samples: &[Sample]) -> Vec<f64> {
    let n = samples.len();
    let last = samples.iter().filter_map(|one| one.features.last());
    let mut laid_out = vec![0.0; last.max().map_or(0, |last| last as usize + 1)];
    let mut products = vec![0.0; n * n];
    for (i, one) in samples.iter().enumerate() {
        for (dimension, value) in one.features.iter() {
            laid_out[dimension as usize] = value;
        }
        for (j, other) in samples.iter().enumerate().take(i + 1) {
            let product = 1.0 + other.features.dot_laid_out(&laid_out);
            products[i * n + j] = product;
            products[j * n + i] = product;
        }
        for (dimension, _) in one.features.iter() {
            laid_out[dimension as usize] = 0.0;
        }
    }
    products
}

/// A trained classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    classes: usize,
    /// What one unit of a stored weight is worth.
    unit: f64,
    /// Divides the scores, so that probabilities are as sure as they are right.
    temperature: f64,
    /// By dimension, then class; behind the last dimension the constants.
    weights: Vec<i16>,
}

impl Head {
    fn quantised(classes: usize, weights: &[f64]) -> Self {
        let largest = weights.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let unit = if largest > 0.0 {
            largest / f64::from(i16::MAX)
        } else {
            1.0
        };
        Self {
            classes,
            unit,
            temperature: 1.0,
            weights: weights.iter().map(|weight| whole(weight / unit)).collect(),
        }
    }

    /// The same head with another temperature.
    pub fn with_temperature(self, temperature: f64) -> Self {
        Self {
            temperature,
            ..self
        }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Scores of the classes: the higher, the likelier.
    pub fn scores(&self, features: &Features) -> Vec<f64> {
        let constants = self.weights.len() / self.classes - 1;
        let mut scores: Vec<f64> = self.row(constants).collect();
        for (dimension, value) in features.iter() {
            let dimension = dimension as usize;
            if dimension < constants {
                for (score, weight) in scores.iter_mut().zip(self.row(dimension)) {
                    *score += value * weight;
                }
            }
        }
        scores
    }

    /// Probabilities of the classes; their sum is 1.
    pub fn probabilities(&self, features: &Features) -> Vec<f64> {
        softmax(&self.scores(features), self.temperature)
    }

    /// What a dimension with value 1 adds to the score of a class beyond what it adds to the others on average.
    pub fn contribution(&self, dimension: u32, class: usize) -> f64 {
        let row = || self.row(dimension as usize);
        let Some(own) = row().nth(class) else {
            return 0.0;
        };
        let others = f64::from(u32::try_from(self.classes).unwrap_or(u32::MAX)) - 1.0;
        let rest = row().sum::<f64>() - own;
        own - rest / others.max(1.0)
    }

    fn row(&self, dimension: usize) -> impl Iterator<Item = f64> {
        let from = dimension * self.classes;
        self.weights
            .get(from..from + self.classes)
            .unwrap_or_default()
            .iter()
            .map(|weight| f64::from(*weight) * self.unit)
    }

    /// The head as bytes: classes (32 bits), unit, temperature (64 bits each), then weights (16 bits each), all
    /// little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let classes = u32::try_from(self.classes).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(HEADER + self.weights.len() * 2);
        bytes.extend(classes.to_le_bytes());
        bytes.extend(self.unit.to_le_bytes());
        bytes.extend(self.temperature.to_le_bytes());
        bytes.extend(self.weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes
    }

    /// Reads what [`Head::to_bytes`] wrote; `None` when it is something else, or for other dimensions.
    pub fn from_bytes(bytes: &[u8], classes: usize, dimensions: usize) -> Option<Self> {
        let (header, weights) = bytes.split_at_checked(HEADER)?;
        let (count, header) = header.split_first_chunk()?;
        let (unit, header) = header.split_first_chunk()?;
        let (temperature, _) = header.split_first_chunk()?;
        let weights: Vec<i16> = weights
            .chunks_exact(2)
            .filter_map(|pair| Some(i16::from_le_bytes(*pair.first_chunk()?)))
            .collect();
        let head = Self {
            classes: usize::try_from(u32::from_le_bytes(*count)).ok()?,
            unit: f64::from_le_bytes(*unit),
            temperature: f64::from_le_bytes(*temperature),
            weights,
        };
        let sound = head.classes == classes
            && classes > 0
            && head.unit.is_finite()
            && head.temperature.is_finite()
            && head.temperature > 0.0
            && bytes.len() == HEADER + (dimensions + 1) * classes * 2;
        sound.then_some(head)
    }
}

/// Bytes before the weights.
const HEADER: usize = 4 + 8 + 8;

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
    use crate::domain::learn::math::highest;

    const OPTIONS: Options = Options {
        classes: 3,
        dimensions: 8,
        l2: 0.1,
        rounds: 100,
    };

    fn sample(label: usize, entries: &[(u32, f64)]) -> Sample {
        Sample {
            features: Features::new(entries.to_vec()),
            label,
            weight: 1.0,
            fold: Some(0),
        }
    }

    /// Each class has a dimension of its own; dimension 3 says nothing.
    fn samples() -> Vec<Sample> {
        (0..3)
            .flat_map(|label| {
                let own = u32::try_from(label).unwrap();
                [1.0, 0.7, 0.4].map(|size| sample(label, &[(own, size), (3, 0.5)]))
            })
            .collect()
    }

    #[test]
    fn what_tells_the_classes_apart_is_found() {
        let head = Training::new(&samples(), OPTIONS).fit();
        for one in samples() {
            let probabilities = head.probabilities(&one.features);
            assert_eq!(highest(&probabilities), Some(one.label));
        }
        assert!(head.contribution(0, 0) > 1.0 && head.contribution(0, 1) < 0.0);
        assert!(head.contribution(3, 0).abs() < 0.01);
        let nothing = head.probabilities(&Features::default());
        assert!(nothing.iter().all(|one| (one - 1.0 / 3.0).abs() < 0.01));
    }

    #[test]
    fn weights_say_what_the_samples_said() {
        let samples = samples();
        let training = Training::new(&samples, OPTIONS);
        let (head, alphas) = (training.fit(), training.alphas(|_| true));
        for (at, sample) in samples.iter().enumerate() {
            for (one, other) in head
                .scores(&sample.features)
                .iter()
                .zip(training.scores(at, &alphas))
            {
                assert!((one - other).abs() < 0.001);
            }
        }
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
        let light = Training::new(&pulled, OPTIONS).fit();
        if let Some(last) = pulled.last_mut() {
            last.weight = 20.0;
        }
        let heavy = Training::new(&pulled, OPTIONS).fit();
        let asked = Features::new(vec![(0, 0.7), (3, 0.5)]);
        assert_eq!(highest(&light.scores(&asked)), Some(0));
        assert_eq!(highest(&heavy.scores(&asked)), Some(2));
    }

    #[test]
    fn the_same_samples_give_the_same_bytes() {
        let fit = || Training::new(&samples(), OPTIONS).fit();
        assert_eq!(fit().to_bytes(), fit().to_bytes());
    }

    #[test]
    fn a_head_comes_back_from_its_bytes_and_from_no_others() {
        let head = Training::new(&samples(), OPTIONS)
            .fit()
            .with_temperature(0.7);
        let bytes = head.to_bytes();
        assert_eq!(Head::from_bytes(&bytes, 3, 8), Some(head));
        assert_eq!(Head::from_bytes(&bytes, 3, 9), None);
        assert_eq!(Head::from_bytes(&bytes, 2, 8), None);
        for cut in [0, 3, HEADER, bytes.len() - 1] {
            assert_eq!(Head::from_bytes(&bytes[..cut], 3, 8), None, "{cut}");
        }
        let mut cold = bytes.clone();
        cold[12..20].copy_from_slice(&0.0_f64.to_le_bytes());
        assert_eq!(Head::from_bytes(&cold, 3, 8), None);
    }

    #[test]
    fn nothing_to_learn_from_and_unknown_dimensions_are_answered() {
        let head = Training::new(&[], OPTIONS).fit();
        assert_eq!(head.scores(&Features::new(vec![(99, 1.0)])), [0.0; 3]);
        assert!(head.contribution(99, 0).abs() < f64::EPSILON);
    }
}
