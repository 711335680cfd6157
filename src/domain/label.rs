//! Labels of reports; the labels of one report are bits of a number.

use serde::{Serialize as _, Serializer};

use super::declare::names;

pub const MOST: u8 = 50;
pub const NAME_CHARS: usize = 30;

names! {
    /// Colour of a label.
    #[derive(Default)]
    pub enum LabelColor {
        #[default]
        Grigio = "grigio",
        Rosso = "rosso",
        Arancio = "arancio",
        Giallo = "giallo",
        Verde = "verde",
        Azzurro = "azzurro",
        Blu = "blu",
        Viola = "viola",
    }
}

/// No bit for a number that no label has.
pub fn bit(number: u8) -> i64 {
    match number {
        1..=MOST => 1 << number,
        _ => 0,
    }
}

pub fn bits(numbers: &[u8]) -> i64 {
    numbers.iter().fold(0, |bits, number| bits | bit(*number))
}

pub fn numbers(bits: i64) -> Vec<u8> {
    let of = |number: &u8| bits & bit(*number) != 0;
    (1..=MOST).filter(of).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde lends it")]
pub fn serialize<S: Serializer>(bits: &i64, to: S) -> Result<S::Ok, S::Error> {
    numbers(*bits).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_numbers_are_the_same_labels() {
        let all: Vec<u8> = (1..=MOST).collect();
        assert_eq!(numbers(bits(&all)), all);
        assert_eq!(numbers(bits(&[7, 3, 7])), [3, 7]);
        assert_eq!(bits(&[0, MOST + 1, u8::MAX]), 0);
        assert!(bits(&all) > 0);
    }
}
