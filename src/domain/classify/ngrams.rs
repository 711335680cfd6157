//! Character n-grams of a text, counted in a fixed number of buckets: no vocabulary, so nothing of what people wrote is
//! kept in a model. It must never depend on the machine: the hash is FNV-1a over UTF-8.

use super::Features;

/// Shortest and longest of what is counted, in characters.
pub const LENGTHS: (usize, usize) = (3, 5);

/// The n-grams of letters that [`super::Reading::padded`] gives, counted in so many buckets (a power of two, 64 at least),
/// damped (a repeat counts less than the first) and brought to length 1. They cross the borders of words.
pub fn features(padded: &str, buckets: u32) -> Features {
    let mut counts = vec![0_u32; buckets as usize];
    // A bit for each bucket that is not empty: few of them are not.
    let mut met = vec![0_u64; counts.len() / 64];
    each(padded, LENGTHS, |hash| {
        let bucket = hash & (buckets - 1);
        counts[bucket as usize] += 1;
        met[bucket as usize / 64] |= 1 << (bucket % 64);
    });
    let mut damped = Features::with_capacity(counts.len().min(3 * padded.len()));
    for (block, mut bits) in (0..).zip(met) {
        while bits != 0 {
            let bucket = 64 * block + bits.trailing_zeros();
            damped.push((bucket, f64::from(counts[bucket as usize]).sqrt()));
            bits &= bits - 1;
        }
    }
    let length = damped.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
    for (_, value) in &mut damped {
        *value /= length;
    }
    damped
}

/// Shows each n-gram of these lengths to `visit`, as a hash. That of a longer one continues that of the shorter one.
#[inline]
pub fn each(letters: &str, (shortest, longest): (usize, usize), mut visit: impl FnMut(u32)) {
    let bytes = letters.as_bytes();
    for from in (0..bytes.len()).filter(|at| letters.is_char_boundary(*at)) {
        let (mut hash, mut length) = (OFFSET, 0);
        for (at, byte) in (from + 1..).zip(&bytes[from..]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
            if letters.is_char_boundary(at) {
                length += 1;
                if length >= shortest {
                    visit(mixed(hash));
                }
                if length == longest {
                    break;
                }
            }
        }
    }
}

/// The lowest bits of FNV depend on the lowest bits of the bytes only; the upper half depends on all of them.
fn mixed(hash: u64) -> u32 {
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or(0)
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

#[cfg(test)]
mod tests {
    use super::super::Reading;
    use super::*;
    use proptest::prelude::*;

    const BUCKETS: u32 = 1 << 14;

    /// The bucket of one n-gram.
    fn bucket(gram: &str) -> u32 {
        let hash = gram.bytes().fold(OFFSET, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(PRIME)
        });
        mixed(hash) & (BUCKETS - 1)
    }

    #[test]
    fn each_gram_of_every_length_is_shown_once() {
        let mut seen = Vec::new();
        each("èabcd", LENGTHS, |hash| seen.push(hash & (BUCKETS - 1)));
        let expected = ["èab", "èabc", "èabcd", "abc", "abcd", "bcd"].map(bucket);
        assert_eq!(seen, expected);
        each("ab", LENGTHS, |_| panic!("too short for any"));
    }

    /// Buckets are part of every trained head.
    #[test]
    fn buckets_are_fixed() {
        assert_eq!(["tan", "ospe", " lavo"].map(bucket), [705, 10_708, 14_043]);
    }

    #[test]
    fn nothing_has_the_grams_of_nothing() {
        assert_eq!(features("", BUCKETS), []);
    }

    proptest! {
        #[test]
        fn any_text_has_features_of_length_one_or_none(raw in any::<String>()) {
            let reading = Reading::new(&raw);
            let features = features(reading.padded(&reading.words), BUCKETS);
            let squares: f64 = features.iter().map(|(_, x)| x * x).sum();
            prop_assert!(squares == 0.0 || (squares - 1.0).abs() < 1e-9);
            prop_assert!(features.iter().all(|(at, _)| *at < BUCKETS));
        }
    }
}
