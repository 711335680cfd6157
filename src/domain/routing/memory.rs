//! Remembers the reports that staff moved, so that the same report, mistyped or not, goes where they moved it, however
//! loudly its words speak for another desk (`PRODUCT.md §5`). It must never hold a text, nor answer for one that is only
//! about the same thing.

use super::Department;
use super::lessons::Correction;
use crate::domain::learn::ngrams::{Ngrams, letters};

/// What is compared: pieces of four characters. Copies typed in a hurry share 75 to 96 in a hundred of them, reports of the
/// same subject 37 at most.
const PIECES: Ngrams = Ngrams {
    shortest: 4,
    longest: 4,
    buckets: 1 << 14,
};
/// Words of 64 bits that hold one bit a bucket.
const WORDS: usize = PIECES.buckets as usize / 64;
/// From this cosine on it is the same report.
const SAME: f64 = 0.72;
/// A text with fewer pieces says too little to be told from another.
const FEWEST: usize = 12;

/// A report that staff moved: which pieces it holds, in order, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Trace {
    pieces: Vec<u16>,
    department: Department,
}

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory(Vec<Trace>);

impl Memory {
    /// Of these corrections, in an order of its own.
    #[must_use]
    pub fn new(corrections: &[Correction]) -> Self {
        let trace = |correction: &Correction| Trace {
            pieces: pieces(&letters(&correction.text)),
            department: correction.department,
        };
        let mut traces: Vec<Trace> = corrections.iter().map(trace).collect();
        traces.retain(|trace| trace.pieces.len() >= FEWEST);
        traces.sort();
        Self(traces)
    }

    /// Where staff moved the report that this text repeats: the nearest of several, the first in the fixed order of equals.
    /// `letters` is the text as [`letters`] makes it.
    pub(super) fn recall(&self, letters: &str) -> Option<Department> {
        if self.0.is_empty() {
            return None;
        }
        let asked = pieces(letters);
        let mut there = vec![0_u64; WORDS];
        for piece in &asked {
            if let Some(word) = there.get_mut(usize::from(*piece) / 64) {
                *word |= 1 << (piece % 64);
            }
        }
        let mut nearest: Option<(f64, Department)> = None;
        for trace in &self.0 {
            let near = trace.cosine(&there, asked.len());
            if near >= SAME && nearest.is_none_or(|(most, _)| near > most) {
                nearest = Some((near, trace.department));
            }
        }
        nearest.map(|(_, department)| department)
    }

    /// As bytes, to be sealed: by report the class of its department (8 bits), how many pieces (32 bits), the pieces
    /// (16 bits each), all little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for trace in &self.0 {
            let count = u32::try_from(trace.pieces.len()).unwrap_or(u32::MAX);
            bytes.push(u8::try_from(trace.department.class()).unwrap_or(u8::MAX));
            bytes.extend(count.to_le_bytes());
            bytes.extend(trace.pieces.iter().flat_map(|piece| piece.to_le_bytes()));
        }
        bytes
    }

    /// Reads what [`Memory::to_bytes`] wrote; `None` when it is something else.
    pub(super) fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut traces = Vec::new();
        while let Some((class, rest)) = bytes.split_first() {
            let (count, rest) = rest.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*count)).ok()?;
            let (pieces, rest) = rest.split_at_checked(length.checked_mul(2)?)?;
            let pieces = pieces
                .chunks_exact(2)
                .filter_map(|pair| Some(u16::from_le_bytes(*pair.first_chunk()?)));
            traces.push(Trace {
                pieces: pieces.collect(),
                department: *Department::ALL.get(usize::from(*class))?,
            });
            bytes = rest;
        }
        Some(Self(traces))
    }
}

impl Trace {
    /// How alike it is to a text whose pieces are marked in `there`, of which it has `asked`.
    fn cosine(&self, there: &[u64], asked: usize) -> f64 {
        let marked = |piece: &&u16| {
            let word = there.get(usize::from(**piece) / 64).copied();
            word.is_some_and(|word| word >> (**piece % 64) & 1 == 1)
        };
        let count = |of: usize| f64::from(u32::try_from(of).unwrap_or(u32::MAX));
        let both = count(self.pieces.iter().filter(marked).count());
        let all = count(self.pieces.len()) * count(asked);
        if all > 0.0 { both / all.sqrt() } else { 0.0 }
    }
}

/// Each piece once, in order.
fn pieces(letters: &str) -> Vec<u16> {
    let mut found = Vec::with_capacity(letters.len());
    PIECES.each(letters, |_, bucket| {
        found.extend(u16::try_from(bucket).ok());
    });
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: &str = "Il pozzo comunale di Fontanile è chiuso da marzo e nessuno dice perché.";
    const LAKE: &str = "Il lago di Fontanile è chiuso ai bagnanti da giugno, e nessuno lo dice.";

    fn memory(moved: &[(&str, Department)]) -> Memory {
        let correction = |(text, department): &(&str, Department)| Correction {
            text: (*text).to_owned(),
            department: *department,
        };
        Memory::new(&moved.iter().map(correction).collect::<Vec<_>>())
    }

    fn recall(memory: &Memory, text: &str) -> Option<Department> {
        memory.recall(&letters(text))
    }

    #[test]
    fn the_same_is_recalled_and_the_like_is_not() {
        let memory = memory(&[(WELL, Department::Ambiente), ("corto", Department::Scuola)]);
        for same in [
            WELL,
            "il pozo comunale di fontanile e chiuso da marzo, e nesuno dice perche",
        ] {
            assert_eq!(recall(&memory, same), Some(Department::Ambiente), "{same}");
        }
        for other in [LAKE, "corto", "", "?"] {
            assert_eq!(recall(&memory, other), None, "{other}");
        }
    }

    #[test]
    fn the_nearest_decides_and_not_the_order() {
        let both = [(WELL, Department::Scuola), (LAKE, Department::Lavoro)];
        let turned = [both[1], both[0]];
        assert_eq!(memory(&both), memory(&turned));
        for (text, department) in both {
            assert_eq!(recall(&memory(&both), text), Some(department));
        }
    }

    #[test]
    fn it_comes_back_from_its_bytes_and_from_no_others() {
        let kept = memory(&[(WELL, Department::Generale), (LAKE, Department::Corruzione)]);
        let bytes = kept.to_bytes();
        assert_eq!(Memory::from_bytes(&bytes), Some(kept));
        assert_eq!(Memory::from_bytes(&[]), Some(Memory::default()));
        for cut in [1, 4, bytes.len() - 1] {
            assert_eq!(Memory::from_bytes(&bytes[..cut]), None, "{cut}");
        }
        let mut unknown = bytes;
        unknown[0] = 7;
        assert_eq!(Memory::from_bytes(&unknown), None);
        assert_eq!(Memory::from_bytes(&[0, 255, 255, 255, 255]), None);
    }
}
