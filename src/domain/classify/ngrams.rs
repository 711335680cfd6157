//! Character n-grams of a text, counted in a fixed number of buckets by FNV-1a over UTF-8. There is no vocabulary: nothing that
//! people wrote is kept in a model.

use super::Features;

pub const SHORTEST: usize = 3;
pub const LONGEST: usize = 5;

/// The n-grams of [`super::TokenizedText::padded`], counted in buckets (a power of two, 64 at least), damped and brought to
/// length 1. They cross the borders of words.
pub fn features<const BUCKETS: usize>(padded: &str) -> Features {
    let mut counts = vec![0_u16; BUCKETS];
    // A bit for each of the few buckets that are used.
    let mut met = vec![0_u64; BUCKETS / 64];
    each::<SHORTEST, LONGEST>(padded, |hash| {
        let bucket = hash as usize % BUCKETS;
        counts[bucket] = counts[bucket].saturating_add(1);
        met[bucket / 64] |= 1 << (bucket % 64);
    });
    let full: u32 = met.iter().map(|bits| bits.count_ones()).sum();
    let mut damped = vec![(0, 0.0); full as usize];
    let (mut free, mut squares) = (damped.iter_mut(), 0.0);
    for (block, mut bits) in (0..).zip(met) {
        while bits != 0
            && let Some(feature) = free.next()
        {
            let bucket = 64 * block + bits.trailing_zeros();
            *feature = (bucket, f64::from(counts[bucket as usize]).sqrt());
            squares += feature.1 * feature.1;
            bits &= bits - 1;
        }
    }
    let length = squares.sqrt();
    for (_, value) in &mut damped {
        *value /= length;
    }
    damped
}

/// Gives the hash of each n-gram to `visit`. The hash of a longer one continues that of the shorter one.
#[inline]
pub fn each<const SHORTEST: usize, const LONGEST: usize>(letters: &str, visit: impl FnMut(u32)) {
    if letters.is_ascii() {
        each_until::<SHORTEST, LONGEST>(letters, |_| true, visit);
    } else {
        each_until::<SHORTEST, LONGEST>(letters, |at| letters.is_char_boundary(at), visit);
    }
}

/// `is_end` says where characters end.
#[inline]
fn each_until<const SHORTEST: usize, const LONGEST: usize>(
    letters: &str,
    is_end: impl Fn(usize) -> bool,
    mut visit: impl FnMut(u32),
) {
    let bytes = letters.as_bytes();
    for from in (0..bytes.len()).filter(|at| is_end(*at)) {
        let (mut hash, mut length) = (OFFSET, 0);
        for (at, byte) in (from + 1..).zip(&bytes[from..]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
            if is_end(at) {
                length += 1;
                if length >= SHORTEST {
                    visit(mixed(hash));
                }
                if length == LONGEST {
                    break;
                }
            }
        }
    }
}

/// The lowest bits of FNV depend only on the lowest bits of the bytes.
#[inline]
fn mixed(hash: u64) -> u32 {
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or(0)
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a of a text.
pub fn fnv(text: &str) -> u64 {
    fnv_of(text.bytes())
}

/// FNV-1a of bytes.
pub fn fnv_of(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::super::TokenizedText;
    use super::*;
    use proptest::prelude::*;

    const BUCKETS: usize = 1 << 14;

    /// The bucket of one n-gram.
    fn bucket(gram: &str) -> usize {
        mixed(fnv(gram)) as usize % BUCKETS
    }

    #[test]
    fn each_gram_of_every_length_is_shown_once() {
        for (letters, grams) in [
            ("èabcd", vec!["èab", "èabc", "èabcd", "abc", "abcd", "bcd"]),
            ("abcdè", vec!["abc", "abcd", "abcdè", "bcd", "bcdè", "cdè"]),
            ("eabcd", vec!["eab", "eabc", "eabcd", "abc", "abcd", "bcd"]),
            ("ab", vec![]),
        ] {
            let mut seen = Vec::new();
            each::<SHORTEST, LONGEST>(letters, |hash| seen.push(hash as usize % BUCKETS));
            let expected: Vec<usize> = grams.into_iter().map(bucket).collect();
            assert_eq!(seen, expected, "{letters}");
        }
    }

    /// Buckets are part of every trained head.
    #[test]
    fn buckets_are_fixed() {
        assert_eq!(["tan", "ospe", " lavo"].map(bucket), [705, 10_708, 14_043]);
    }

    #[test]
    fn nothing_has_the_grams_of_nothing() {
        assert_eq!(features::<BUCKETS>(""), []);
    }

    proptest! {
        #[test]
        fn any_text_has_features_of_length_one_or_none(raw in any::<String>()) {
            let reading = TokenizedText::new(&raw);
            let features = features::<BUCKETS>(reading.padded(&reading.words));
            let squares: f64 = features.iter().map(|(_, x)| x * x).sum();
            prop_assert!(squares == 0.0 || (squares - 1.0).abs() < 1e-9);
            prop_assert!(features.iter().all(|(at, _)| (*at as usize) < BUCKETS));
        }
    }
}
