//! Character n-grams of a text, counted in a fixed number of buckets: no vocabulary, so nothing of what people wrote is
//! kept in a model. It must never depend on the machine: the hash is FNV-1a over UTF-8.

use super::Features;
use crate::domain::text;

/// Which n-grams are counted, and in how many buckets.
#[derive(Debug, Clone, Copy)]
pub struct Ngrams {
    /// Shortest, in characters.
    pub shortest: usize,
    /// Longest, in characters.
    pub longest: usize,
    /// Buckets, a power of two: the dimensions that this block takes, from 0 on.
    pub buckets: u32,
}

impl Ngrams {
    /// The n-grams of a text that [`letters`] prepared, damped (a repeat counts less than the first) and brought to
    /// length 1. They cross the borders of words.
    pub fn features(&self, letters: &str) -> Features {
        let padded = format!(" {letters} ");
        let mut counts = vec![0_u32; self.buckets as usize];
        self.each(&padded, |bucket| {
            if let Some(count) = counts.get_mut(bucket as usize) {
                *count += 1;
            }
        });
        let damped = (0..).zip(counts).filter(|(_, count)| *count > 0);
        let damped = damped.map(|(bucket, count)| (bucket, f64::from(count).sqrt()));
        Features::new(damped.collect()).normalised()
    }

    /// Shows the bucket of each n-gram to `visit`. The hash of a longer one continues that of the shorter one.
    pub fn each(&self, letters: &str, mut visit: impl FnMut(u32)) {
        let starts = letters.char_indices().map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain([letters.len()]).collect();
        for (at, from) in starts.iter().copied().enumerate() {
            let (mut hash, mut read) = (OFFSET, from);
            for length in 1..=self.longest {
                let Some(to) = starts.get(at + length) else {
                    break;
                };
                hash = hashed(hash, &letters.as_bytes()[read..*to]);
                read = *to;
                if length >= self.shortest {
                    visit(self.bucket_of(hash));
                }
            }
        }
    }

    fn bucket_of(&self, hash: u64) -> u32 {
        // The lowest bits of FNV depend on the lowest bits of the bytes only; the upper half depends on all of them.
        let mixed = (hash >> 32) ^ (hash & 0xffff_ffff);
        let bucket = mixed & u64::from(self.buckets - 1);
        u32::try_from(bucket).unwrap_or(0)
    }
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of what was hashed before and of these bytes.
fn hashed(before: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(before, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    })
}

/// A text as n-grams want it: folded (`domain::text::fold`), with one space where something else than letters and digits
/// stands, and each digit as `0`, so that sums of money look alike.
pub fn letters(raw: &str) -> String {
    let mut kept = String::with_capacity(raw.len());
    for character in text::fold(raw).chars() {
        if character.is_ascii_digit() {
            kept.push('0');
        } else if character.is_alphanumeric() {
            kept.push(character);
        } else if !kept.is_empty() && !kept.ends_with(' ') {
            kept.push(' ');
        }
    }
    kept.truncate(kept.trim_end().len());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NGRAMS: Ngrams = Ngrams {
        shortest: 3,
        longest: 5,
        buckets: 1 << 14,
    };

    #[test]
    fn letters_are_folded_words() {
        assert_eq!(
            letters("  Città: 1.340 euro… all'ASL! "),
            "citta 0 000 euro all asl"
        );
        assert_eq!(letters("?!"), "");
    }

    #[test]
    fn each_gram_of_every_length_is_shown_once() {
        let mut seen = Vec::new();
        NGRAMS.each("èabcd", |bucket| seen.push(bucket));
        let expected = ["èab", "èabc", "èabcd", "abc", "abcd", "bcd"]
            .map(|gram| NGRAMS.bucket_of(hashed(OFFSET, gram.as_bytes())));
        assert_eq!(seen, expected);
        NGRAMS.each("ab", |_| panic!("too short for any"));
    }

    /// Buckets are part of every trained head.
    #[test]
    fn buckets_are_fixed() {
        assert_eq!(
            ["tan", "ospe", " lavo"].map(|gram| NGRAMS.bucket_of(hashed(OFFSET, gram.as_bytes()))),
            [705, 10_708, 14_043]
        );
    }

    #[test]
    fn nothing_has_the_grams_of_nothing() {
        assert_eq!(NGRAMS.features(""), Features::default());
    }

    proptest! {
        #[test]
        fn any_text_has_features_of_length_one_or_none(raw in any::<String>()) {
            let features = NGRAMS.features(&letters(&raw));
            let squares: f64 = features.iter().map(|(_, x)| x * x).sum();
            prop_assert!(squares == 0.0 || (squares - 1.0).abs() < 1e-9);
            prop_assert!(features.iter().all(|(at, _)| at < NGRAMS.buckets));
        }
    }
}
