//! Remembers the reports that staff moved, so that the same report, mistyped or not, goes where they moved it, however
//! loudly its words speak for another desk (`PRODUCT.md §5`). It must never hold a text, nor answer for one that is only
//! about the same thing.

use super::Department;
use crate::domain::classify::ngrams::{Ngrams, letters};

/// What is compared: pieces of six characters. Shorter ones are shared by all that is long, because a language has few of
/// them; longer ones are lost to the first mistyped letter. A bucket must fit 16 bits.
const PIECES: Ngrams = Ngrams {
    shortest: 6,
    longest: 6,
    buckets: 1 << 16,
};
/// From this likeness on (see [`likeness`]) it is the same report. Copies typed in a hurry reach 0.63 and more, at any
/// length; other texts 0.38 at most, be they as long as a report may be (40,000 characters).
const SAME: f64 = 0.6;
/// A text with fewer pieces says too little to be told from another.
const FEWEST: usize = 12;

/// The pieces of a text: each once, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces(Vec<u16>);

impl Pieces {
    /// Of a text; `None` when it says too little.
    pub fn of(text: &str) -> Option<Self> {
        let pieces = Self::of_letters(&letters(text));
        (pieces.0.len() >= FEWEST).then_some(pieces)
    }

    fn of_letters(letters: &str) -> Self {
        let mut found = Vec::with_capacity(letters.len());
        PIECES.each(letters, |bucket| found.extend(u16::try_from(bucket).ok()));
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// As bytes, to be sealed: 16 bits each, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let pieces = self.0.iter();
        pieces.flat_map(|piece| piece.to_le_bytes()).collect()
    }

    /// Reads what [`Pieces::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let pairs = bytes.chunks_exact(2);
        let pieces = pairs.filter_map(|pair| Some(u16::from_le_bytes(*pair.first_chunk()?)));
        Self(pieces.collect())
    }
}

/// The reports that staff moved, the latest move first, each with where it belongs.
#[derive(Debug, Clone, Default)]
pub struct Memory(Vec<(Pieces, Department)>);

impl FromIterator<(Pieces, Department)> for Memory {
    fn from_iter<T: IntoIterator<Item = (Pieces, Department)>>(moves: T) -> Self {
        Self(moves.into_iter().collect())
    }
}

impl Memory {
    /// Where staff moved the report that this text repeats: the nearest of several, of equals the latest.
    /// `letters` is the text as [`letters`] makes it.
    pub(super) fn recall(&self, letters: &str) -> Option<Department> {
        if self.0.is_empty() {
            return None;
        }
        let asked = Pieces::of_letters(letters);
        let mut marked = vec![false; PIECES.buckets as usize];
        for piece in &asked.0 {
            marked[usize::from(*piece)] = true;
        }
        let mut nearest: Option<(f64, Department)> = None;
        for (pieces, department) in &self.0 {
            let near = likeness(&pieces.0, &marked, asked.0.len());
            if near >= SAME && nearest.is_none_or(|(most, _)| near > most) {
                nearest = Some((near, *department));
            }
        }
        nearest.map(|(_, department)| department)
    }
}

/// How alike a text of these pieces is to one of `asked` pieces that are `marked`: the cosine of both, less what texts of
/// these lengths share by mere chance, because so many pieces meet in the same buckets. 1 when they hold the same, about 0
/// when only chance brings them together.
fn likeness(pieces: &[u16], marked: &[bool], asked: usize) -> f64 {
    let count = |of: usize| f64::from(u32::try_from(of).unwrap_or(u32::MAX));
    let both = count(
        pieces
            .iter()
            .filter(|piece| marked[usize::from(**piece)])
            .count(),
    );
    let mean = (count(pieces.len()) * count(asked)).sqrt();
    let chance = mean / f64::from(PIECES.buckets);
    if mean > 0.0 && chance < 1.0 {
        (both / mean - chance) / (1.0 - chance)
    } else {
        0.0
    }
}
