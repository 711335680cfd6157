//! The largest of some values.

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
