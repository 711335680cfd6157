//! Remembers the reports that staff moved: the same report, mistyped or not, goes where they moved it (`PRODUCT.md §11`). Holds
//! no text, and does not answer for a text about the same subject.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::DepartmentKey;
use crate::domain::classify::TokenizedText;
use crate::domain::classify::ngrams::each;

/// Pieces of six characters. Long texts share most shorter ones; one mistyped letter destroys too many longer ones. 16 bits of
/// their hashes are kept.
const PIECE: usize = 6;
/// A text of this [`likeness`] is the same report. Hasty copies reach 0.63 at any length; other texts 0.38 at most, up to
/// 40,000 characters.
const SAME: f64 = 0.6;
/// A text with fewer pieces says too little.
const FEWEST: usize = 12;

/// Each piece once, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pieces(Vec<u16>);

impl Pieces {
    /// `None` for a text that says too little.
    pub fn of(text: &str) -> Option<Self> {
        let pieces = Self::of_letters(TokenizedText::new(text).all_letters());
        (pieces.0.len() >= FEWEST).then_some(pieces)
    }

    fn of_letters(letters: &str) -> Self {
        let mut found = Vec::with_capacity(letters.len());
        each::<PIECE, PIECE>(letters, |hash| {
            found.extend(u16::try_from(hash & 0xffff));
        });
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let pieces = self.0.iter();
        pieces.flat_map(|piece| piece.to_le_bytes()).collect()
    }

    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (pieces, _) = bytes.as_chunks();
        Self(pieces.iter().copied().map(u16::from_le_bytes).collect())
    }
}

/// The latest move first.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Identifies the moves, also after a restart.
    pub mark: u64,
    /// How many pieces each move has, and where it went.
    moves: Vec<(usize, DepartmentKey)>,
    /// By piece, the moves that hold it, as ranges of their numbers, the end excluded: near copies are moved one after the other.
    /// A report then costs the moves that share a piece with it, not all pieces of all moves.
    holders: Vec<Vec<(u16, u16)>>,
}

/// Identifies a value in every process.
pub fn mark_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl FromIterator<(Pieces, DepartmentKey)> for Memory {
    fn from_iter<T: IntoIterator<Item = (Pieces, DepartmentKey)>>(moves: T) -> Self {
        let (mut known, mut holders, mut mark) = (Vec::new(), Vec::new(), 0);
        for (number, (pieces, department)) in (0..u16::MAX).zip(moves) {
            mark = mark_of(&(mark, &pieces, department));
            holders.resize(1 << 16, Vec::new());
            for piece in &pieces.0 {
                let ranges: &mut Vec<(u16, u16)> = &mut holders[usize::from(*piece)];
                match ranges.last_mut() {
                    Some((_, end)) if *end == number => *end += 1,
                    _ => ranges.push((number, number + 1)),
                }
            }
            known.push((pieces.0.len(), department));
        }
        Self {
            mark,
            moves: known,
            holders,
        }
    }
}

impl Memory {
    /// Where staff moved the nearest report that this text repeats; of equals the latest.
    pub(super) fn recall(&self, letters: &str) -> Option<DepartmentKey> {
        if self.moves.is_empty() {
            return None;
        }
        let asked = Pieces::of_letters(letters).0;
        // One more where a range begins, one less behind it: the running sum is how many pieces a move shares.
        let mut steps = vec![0_usize; self.moves.len() + 1];
        let holders = asked.iter().map(|piece| &self.holders[usize::from(*piece)]);
        for (from, end) in holders.flatten() {
            let [from, end] = [from, end].map(|at| usize::from(*at));
            steps[from] = steps[from].wrapping_add(1);
            steps[end] = steps[end].wrapping_sub(1);
        }
        let (mut shared, mut nearest) = (0_usize, None::<(f64, DepartmentKey)>);
        for ((pieces, department), step) in self.moves.iter().zip(steps) {
            shared = shared.wrapping_add(step);
            let near = likeness(*pieces, asked.len(), shared);
            if near >= SAME && nearest.is_none_or(|(most, _)| near > most) {
                nearest = Some((near, *department));
            }
        }
        nearest.map(|(_, department)| department)
    }
}

/// The cosine of two texts with so many pieces, and `both` in common, less what texts of these lengths share by chance. 1 for
/// the same pieces, about 0 for chance alone.
fn likeness(pieces: usize, asked: usize, both: usize) -> f64 {
    let [pieces, asked, both] =
        [pieces, asked, both].map(|count| f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    let mean = (pieces * asked).sqrt();
    let chance = mean / f64::from(1 << 16);
    if mean > 0.0 && chance < 1.0 {
        (both / mean - chance) / (1.0 - chance)
    } else {
        0.0
    }
}
