//! A multinomial logistic regression as it was trained: ask it for probabilities, and what an answer is made of.
//! Must never answer with anything but numbers, whatever the features.

use super::Features;
use super::math::softmax;

#[derive(Debug)]
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
    /// A head that finds all classes equally likely.
    pub fn undecided(classes: usize) -> Self {
        Self {
            classes,
            unit: 0.0,
            temperature: 1.0,
            weights: vec![0; classes],
        }
    }

    /// Probabilities of the classes; their sum is 1.
    pub fn probabilities(&self, features: &Features) -> Vec<f64> {
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
        softmax(&scores, self.temperature)
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

    /// Reads a head of so many classes and dimensions; `None` when the bytes are something else. Classes (32 bits), unit and
    /// temperature (64 bits each), then the weights (16 bits each), all little-endian.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes, two dimensions: the first speaks for class 0, the second for class 1.
    fn bytes() -> Vec<u8> {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        bytes.extend(0.5_f64.to_le_bytes());
        bytes.extend(2.0_f64.to_le_bytes());
        for weight in [4_i16, -4, -2, 2, 0, 0] {
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn weights_times_unit_by_temperature_make_the_probabilities() {
        let head = Head::from_bytes(&bytes(), 2, 2).unwrap();
        let [one, other] = head.probabilities(&Features::new(vec![(0, 1.0)]))[..] else {
            panic!("two classes");
        };
        // Scores 2 and -2, divided by 2.
        assert!((one - 1.0 / (1.0 + (-2.0_f64).exp())).abs() < 1e-12);
        assert!((one + other - 1.0).abs() < 1e-12);
        assert!((head.contribution(0, 0) - 4.0).abs() < 1e-12);
        assert!((head.contribution(1, 0) + 2.0).abs() < 1e-12);
    }

    #[test]
    fn other_bytes_are_no_head() {
        let bytes = bytes();
        assert!(Head::from_bytes(&bytes, 2, 3).is_none());
        assert!(Head::from_bytes(&bytes, 3, 2).is_none());
        for cut in [0, 3, HEADER, bytes.len() - 1] {
            assert!(Head::from_bytes(&bytes[..cut], 2, 2).is_none(), "{cut}");
        }
        let mut cold = bytes;
        cold[12..20].copy_from_slice(&0.0_f64.to_le_bytes());
        assert!(Head::from_bytes(&cold, 2, 2).is_none());
    }

    #[test]
    fn unknown_dimensions_are_answered() {
        for head in [
            Head::undecided(2),
            Head::from_bytes(&bytes(), 2, 2).unwrap(),
        ] {
            let features = Features::new(vec![(99, 1.0)]);
            assert_eq!(head.probabilities(&features), [0.5, 0.5]);
            assert!(head.contribution(99, 0).abs() < f64::EPSILON);
        }
    }
}
