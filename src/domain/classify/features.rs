//! What is measured of a text: few numbers in many dimensions. It must never hold the text.

/// A sparse vector: pairs of dimension and value, by dimension, each dimension once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Features(Vec<(u32, f64)>);

impl Features {
    /// The sums of values by dimension; what comes to zero is left out.
    pub fn new(mut entries: Vec<(u32, f64)>) -> Self {
        entries.sort_by_key(|(dimension, _)| *dimension);
        let mut summed: Vec<(u32, f64)> = Vec::with_capacity(entries.len());
        for (dimension, value) in entries {
            match summed.last_mut() {
                Some((last, sum)) if *last == dimension => *sum += value,
                _ => summed.push((dimension, value)),
            }
        }
        summed.retain(|(_, value)| *value != 0.0);
        Self(summed)
    }

    /// Puts a value behind the others. A dimension that is not above all others is ignored, for order is what makes the
    /// products quick.
    pub fn push(&mut self, dimension: u32, value: f64) {
        if value != 0.0 && self.0.last().is_none_or(|(last, _)| *last < dimension) {
            self.0.push((dimension, value));
        }
    }

    /// Pairs of dimension and value, by dimension.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.0.iter().copied()
    }

    /// The same direction with length 1; an empty one stays empty.
    pub fn normalised(self) -> Self {
        let length = self.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            Self(self.0.into_iter().map(|(at, x)| (at, x / length)).collect())
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_come_once_and_in_order() {
        let features = Features::new(vec![(7, 1.0), (2, 3.0), (7, 0.5), (4, 1.0), (4, -1.0)]);
        assert_eq!(features.iter().collect::<Vec<_>>(), [(2, 3.0), (7, 1.5)]);
    }

    #[test]
    fn lengths_become_one_except_of_nothing() {
        let unit = Features::new(vec![(1, 3.0), (2, 4.0)]).normalised();
        assert_eq!(unit.iter().collect::<Vec<_>>(), [(1, 0.6), (2, 0.8)]);
        assert_eq!(Features::default().normalised(), Features::default());
    }

    #[test]
    fn what_is_pushed_stands_behind() {
        let mut features = Features::new(vec![(5, 1.0)]);
        features.push(9, 2.0);
        features.push(9, 2.0);
        features.push(3, 2.0);
        features.push(11, 0.0);
        assert_eq!(features.iter().collect::<Vec<_>>(), [(5, 1.0), (9, 2.0)]);
    }
}
