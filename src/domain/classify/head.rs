//! A trained multinomial logistic regression. Any features give finite probabilities.

use super::math::softmax;

#[derive(Debug)]
pub struct LinearModel<const CLASSES: usize, const LANES: usize> {
    unit: f64,
    /// Divides the scores, so that probabilities are calibrated.
    temperature: f64,
    weights: Vec<[i16; LANES]>,
    constants: [i16; LANES],
}

impl<const CLASSES: usize, const LANES: usize> LinearModel<CLASSES, LANES> {
    pub fn probabilities(&self, features: &[(u32, f64)]) -> Vec<f64> {
        let mut scores = [0.0; LANES];
        self.add(&mut scores, 1.0, &self.constants);
        for (dimension, value) in features {
            if let Some(weights) = self.weights.get(*dimension as usize) {
                self.add(&mut scores, *value, weights);
            }
        }
        softmax(&scores[..CLASSES], self.temperature)
    }

    #[inline]
    fn add(&self, scores: &mut [f64; LANES], value: f64, weights: &[i16; LANES]) {
        for class in 0..LANES {
            scores[class] += value * (f64::from(weights[class]) * self.unit);
        }
    }

    /// The amount that a dimension with value 1 adds to a class beyond the average of the others, in whole units, so
    /// that sums are exact.
    #[inline]
    pub fn contribution(&self, dimension: u32, class: usize) -> i32 {
        let Some(weights) = self.weights.get(dimension as usize) else {
            return 0;
        };
        let own = weights.get(class).map_or(0, |weight| i32::from(*weight));
        let weights = &weights[..CLASSES];
        weights.iter().map(|weight| own - i32::from(*weight)).sum()
    }

    /// `None` for other bytes. The format: classes (32 bits), unit and temperature (64 bits each), weights (16 bits each) by
    /// dimension, then the constants; all little-endian.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Option<Self> {
        let (header, weights) = bytes.split_at_checked(HEADER)?;
        let (count, header) = header.split_first_chunk()?;
        let (unit, header) = header.split_first_chunk()?;
        let (temperature, _) = header.split_first_chunk()?;
        let (pairs, _) = weights.as_chunks();
        let weights: Vec<i16> = pairs.iter().copied().map(i16::from_le_bytes).collect();
        let rows = weights.chunks_exact(CLASSES).map(|row| {
            let mut padded = [0; LANES];
            padded[..CLASSES].copy_from_slice(row);
            padded
        });
        let mut rows: Vec<[i16; LANES]> = rows.collect();
        let constants = rows.pop()?;
        let head = Self {
            unit: f64::from_le_bytes(*unit),
            temperature: f64::from_le_bytes(*temperature),
            weights: rows,
            constants,
        };
        let sound = usize::try_from(u32::from_le_bytes(*count)).ok()? == CLASSES
            && (0.0..f64::INFINITY).contains(&head.unit)
            && head.temperature.is_finite()
            && head.temperature > 0.0
            && bytes.len() == HEADER + (dimensions + 1) * CLASSES * 2;
        sound.then_some(head)
    }
}

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
        let head = LinearModel::<2, 4>::from_bytes(&bytes(), 2).unwrap();
        let [one, other] = head.probabilities(&[(0, 1.0)])[..] else {
            panic!("two classes");
        };
        // Scores 2 and -2, divided by 2.
        assert!((one - 1.0 / (1.0 + (-2.0_f64).exp())).abs() < 1e-12);
        assert!((one + other - 1.0).abs() < 1e-12);
        assert_eq!([0, 1].map(|at| head.contribution(at, 0)), [8, -4]);
    }

    #[test]
    fn other_bytes_are_no_head() {
        let bytes = bytes();
        assert!(LinearModel::<2, 4>::from_bytes(&bytes, 3).is_none());
        assert!(LinearModel::<3, 4>::from_bytes(&bytes, 2).is_none());
        for cut in [0, 3, HEADER, bytes.len() - 1] {
            assert!(
                LinearModel::<2, 4>::from_bytes(&bytes[..cut], 2).is_none(),
                "{cut}"
            );
        }
        let mut cold = bytes;
        cold[12..20].copy_from_slice(&0.0_f64.to_le_bytes());
        assert!(LinearModel::<2, 4>::from_bytes(&cold, 2).is_none());
    }

    #[test]
    fn unknown_dimensions_are_answered() {
        let head = LinearModel::<2, 4>::from_bytes(&bytes(), 2).unwrap();
        assert_eq!(head.probabilities(&[(99, 1.0)]), [0.5, 0.5]);
        assert_eq!(head.contribution(99, 0), 0);
    }
}
