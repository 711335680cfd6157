//! The logarithm and the largest of some values, with the same bits on every machine.

use segnalazioni::testing::domain::exp;

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

/// Number of the largest value, the first of equals; `None` of nothing.
pub fn highest(values: &[f64]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, value) in values.iter().copied().enumerate() {
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((at, value));
        }
    }
    best.map(|(at, _)| at)
}

/// The whole part of the logarithm to base 2, as it stands in the bits of a normal positive number.
fn exponent(x: f64) -> f64 {
    const MANTISSA_BITS: u32 = 52;
    const BIAS: f64 = 1_023.0;
    let bits = u32::try_from(x.to_bits() >> MANTISSA_BITS).unwrap_or(0);
    f64::from(bits) - BIAS
}
