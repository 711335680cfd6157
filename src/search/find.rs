//! Finds a run of bytes in a much longer one. It looks for the two rarest bytes of the needle at their distance, 64 places
//! at a time, in a shape that the compiler turns into vector instructions; only where both stand does it compare the rest.
//! Must never miss a place, whatever the needle.

/// Places looked at together.
const LANES: usize = 64;
/// Bytes from which the frequency of letters is taken.
const SAMPLE: usize = 4096;

/// What a report must have to be found.
pub(super) struct Sought {
    /// One of them must find something, where there are any.
    pub(super) finders: Vec<Finder>,
    /// Whether it must count as urgent, or must not.
    pub(super) urgent: Option<bool>,
}

impl Sought {
    /// `sample` is a piece of what will be searched.
    pub(super) fn new(needles: &[String], urgent: Option<bool>, sample: &[u8]) -> Self {
        let finders = needles.iter().map(|needle| Finder::new(needle, sample));
        Self {
            finders: finders.collect(),
            urgent,
        }
    }

    /// Whether a text has what is looked for; any has where nothing is.
    pub(super) fn stands_in(&self, text: &[u8]) -> bool {
        let found = |finder: &Finder| finder.find(text, 0).is_some();
        self.finders.is_empty() || self.finders.iter().any(found)
    }
}

/// A needle, ready to be looked for.
pub(super) struct Finder {
    needle: Vec<u8>,
    /// Offset and value of its rarest byte, and of the second rarest; the same one twice in a needle of one byte.
    rare: [(usize, u8); 2],
}

impl Finder {
    /// `sample` is a piece of what will be searched: what is rare there is looked for first.
    pub(super) fn new(needle: &str, sample: &[u8]) -> Self {
        let mut counts = [0_usize; 256];
        for byte in sample.iter().take(SAMPLE) {
            counts[usize::from(*byte)] += 1;
        }
        let mut places: Vec<(usize, u8)> = needle.bytes().enumerate().collect();
        places.sort_by_key(|(_, byte)| counts[usize::from(*byte)]);
        let first = places.first().copied().unwrap_or_default();
        let second = places.get(1).copied().unwrap_or(first);
        Self {
            needle: needle.as_bytes().to_vec(),
            rare: [first, second],
        }
    }

    /// The first place at or after `from` where the needle stands.
    pub(super) fn find(&self, hay: &[u8], from: usize) -> Option<usize> {
        // One past the last place where it could stand.
        let end = (hay.len() + 1).checked_sub(self.needle.len())?;
        let mut at = from;
        while at + LANES <= end {
            if let Some(found) = self.find_in_lanes(hay, at) {
                return Some(found);
            }
            at += LANES;
        }
        (at..end).find(|place| self.stands_at(hay, *place))
    }

    fn find_in_lanes(&self, hay: &[u8], at: usize) -> Option<usize> {
        let [(first_offset, first), (second_offset, second)] = self.rare;
        let firsts = hay.get(at + first_offset..)?.first_chunk::<LANES>()?;
        let seconds = hay.get(at + second_offset..)?.first_chunk::<LANES>()?;
        let mut any = 0_u8;
        for lane in 0..LANES {
            any |= u8::from(firsts[lane] == first) & u8::from(seconds[lane] == second);
        }
        if any == 0 {
            return None;
        }
        let both = |lane: &usize| firsts[*lane] == first && seconds[*lane] == second;
        let mut places = (0..LANES).filter(both).map(|lane| at + lane);
        places.find(|place| self.stands_at(hay, *place))
    }

    fn stands_at(&self, hay: &[u8], place: usize) -> bool {
        hay.get(place..)
            .is_some_and(|rest| rest.starts_with(&self.needle))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(hay: &[u8], needle: &[u8], from: usize) -> Option<usize> {
        (from..hay.len()).find(|at| hay[*at..].starts_with(needle))
    }

    #[test]
    fn it_stands_at_every_place_of_a_long_run() {
        for length in [1, 2, 3, 17, 64, 65, 130] {
            let needle = "z".repeat(length - 1) + "y";
            let finder = Finder::new(&needle, b"");
            for place in 0..300 {
                let mut hay = vec![b'z'; place];
                hay.extend_from_slice(needle.as_bytes());
                let whole = hay.len();
                assert_eq!(finder.find(&hay, 0), Some(place), "{length} at {place}");
                assert_eq!(finder.find(&hay, place + 1), None);
                assert_eq!(finder.find(&hay[..whole - 1], 0), None);
                hay.resize(whole + 200, b'-');
                assert_eq!(finder.find(&hay, place), Some(place));
            }
        }
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let finder = Finder::new("a", b"");
        assert_eq!(finder.find(b"", 0), None);
        assert_eq!(finder.find(b"a", 1), None);
        assert_eq!(finder.find(b"a", 100), None);
    }

    proptest! {
        #[test]
        fn it_finds_what_a_plain_search_finds(
            hay in "[ab]{0,400}", needle in "[abc]{1,6}", sample in "[abc]{0,20}", from in 0_usize..420
        ) {
            let finder = Finder::new(&needle, sample.as_bytes());
            prop_assert_eq!(finder.find(hay.as_bytes(), from), naive(hay.as_bytes(), needle.as_bytes(), from));
        }
    }
}
