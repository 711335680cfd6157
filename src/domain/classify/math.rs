//! The exponential and the logarithm from additions and multiplications only: these give the same bits on every machine, which the system's
//! mathematics does not promise.

/// Larger exponents, in either direction, count as this.
const LIMIT: f64 = 700.0;
/// The upper bits of ln 2: multiples by small whole numbers stay exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const TERMS: u32 = 14;

pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-LIMIT, LIMIT);
    let power = (x * std::f64::consts::LOG2_E).round();
    let rest = x - power * LN_2_HIGH - power * LN_2_LOW;
    let mut sum = 1.0;
    for term in (1..=TERMS).rev() {
        sum = 1.0 + sum * rest / f64::from(term);
    }
    sum * power_of_two(power)
}

/// The natural logarithm of a positive number; of others, that of the smallest normal one.
pub fn ln(x: f64) -> f64 {
    let x = x.clamp(f64::MIN_POSITIVE, f64::MAX);
    // Newton's method on `exp`, from the exponent of the number.
    let mut guess = exponent(x) * std::f64::consts::LN_2;
    for _ in 0..6 {
        let reached = exp(guess);
        guess += 2.0 * (x - reached) / (x + reached);
    }
    guess
}

pub fn softmax(scores: &[f64], temperature: f64) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores
        .iter()
        .map(|score| exp((score - highest) / temperature))
        .collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|value| value / sum).collect()
}

/// The whole part of the logarithm to base 2, as it stands in the bits of a normal positive number.
fn exponent(x: f64) -> f64 {
    const MANTISSA_BITS: u32 = 52;
    const BIAS: f64 = 1_023.0;
    let bits = u32::try_from(x.to_bits() >> MANTISSA_BITS).unwrap_or(0);
    f64::from(bits) - BIAS
}

/// For whole numbers between -1022 and 1023, which go into the bits of the exponent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and 2046"
)]
fn power_of_two(power: f64) -> f64 {
    f64::from_bits(((power + 1023.0) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        for (x, expected) in [
            (0.0, 1.0),
            (1.0, std::f64::consts::E),
            (-1.0, 0.367_879_441_171_442_33),
            (20.0, 485_165_195.409_790_3),
            (std::f64::consts::LN_2, 2.0),
        ] {
            assert!((exp(x) / expected - 1.0).abs() < 1e-14, "{x}");
        }
        assert!(exp(f64::MAX).is_finite() && exp(f64::MIN) > 0.0);
    }

    /// Bits, not nearness: a machine that answers otherwise would route otherwise.
    #[test]
    fn bits_are_fixed() {
        let seen = [exp(0.1), exp(-3.7), softmax(&[1.0, 2.0, 3.5], 0.8)[2]].map(f64::to_bits);
        assert_eq!(
            seen,
            [
                4_607_656_066_507_473_108,
                4_582_783_292_742_766_660,
                4_605_698_196_399_306_509
            ]
        );
    }

    proptest! {
        #[test]
        fn near_the_systems_own(x in -690.0_f64..690.0) {
            prop_assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13);
        }

        #[test]
        fn probabilities_sum_to_one(scores in proptest::collection::vec(-1e6_f64..1e6, 1..9), temperature in 0.1_f64..5.0) {
            let probabilities = softmax(&scores, temperature);
            prop_assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(probabilities.iter().all(|one| (0.0..=1.0).contains(one)));
        }
    }
}
