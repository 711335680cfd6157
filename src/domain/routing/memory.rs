//! Remembers the reports that staff moved, so that the same report, mistyped or not, goes where they moved it, however
//! loudly its words speak for another desk (`PRODUCT.md §5`). It must never hold a text, nor answer for one that is only
//! about the same thing.

use super::Department;
use super::lessons::Correction;
use crate::domain::learn::ngrams::{Ngrams, letters};

/// What is compared: pieces of six characters. Shorter ones are shared by all that is long, because a language has few of
/// them; longer ones are lost to the first mistyped letter. A bucket must fit 16 bits.
const PIECES: Ngrams = Ngrams {
    shortest: 6,
    longest: 6,
    buckets: 1 << 16,
};
/// Words of 64 bits that hold one bit a bucket.
const WORDS: usize = PIECES.buckets as usize / 64;
/// From this likeness on (see [`Trace::likeness`]) it is the same report. Copies typed in a hurry reach 0.63 and more, at
/// any length; other texts 0.38 at most, be they as long as a report may be (40,000 characters).
const SAME: f64 = 0.6;
/// Begins the bytes of a memory, and names what [`PIECES`] measures: no class of a department, with which bytes of pieces
/// of four characters began.
const FORM: u8 = 0xF6;
/// More pieces than this are kept as one bit a bucket, which takes less: 8 KiB, the most that a report ever takes.
const LISTED: usize = WORDS * 8 / 2;
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
        let there = marks(&asked);
        let mut nearest: Option<(f64, Department)> = None;
        for trace in &self.0 {
            let near = trace.likeness(&there, asked.len());
            if near >= SAME && nearest.is_none_or(|(most, _)| near > most) {
                nearest = Some((near, trace.department));
            }
        }
        nearest.map(|(_, department)| department)
    }

    /// As bytes, to be sealed: [`FORM`], then by report the class of its department (8 bits), how many pieces (32 bits), and
    /// the pieces: up to [`LISTED`] of them 16 bits each, of more one bit a bucket. All little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORM];
        for trace in &self.0 {
            let count = u32::try_from(trace.pieces.len()).unwrap_or(u32::MAX);
            bytes.push(u8::try_from(trace.department.class()).unwrap_or(u8::MAX));
            bytes.extend(count.to_le_bytes());
            if trace.pieces.len() > LISTED {
                let marks = marks(&trace.pieces);
                bytes.extend(marks.iter().flat_map(|word| word.to_le_bytes()));
            } else {
                bytes.extend(trace.pieces.iter().flat_map(|piece| piece.to_le_bytes()));
            }
        }
        bytes
    }

    /// Reads what [`Memory::to_bytes`] wrote, or nothing at all; `None` when it is something else, or of another form.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut bytes = match bytes.split_first() {
            None => return Some(Self::default()),
            Some((form, rest)) => (*form == FORM).then_some(rest)?,
        };
        let mut traces = Vec::new();
        while let Some((class, rest)) = bytes.split_first() {
            let (count, rest) = rest.split_first_chunk()?;
            let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
            let (kept, rest) = rest.split_at_checked(count.min(LISTED) * 2)?;
            let pieces: Vec<u16> = if count > LISTED {
                marked(kept)
            } else {
                let pairs = kept.chunks_exact(2);
                pairs
                    .filter_map(|pair| Some(u16::from_le_bytes(*pair.first_chunk()?)))
                    .collect()
            };
            if pieces.len() != count {
                return None;
            }
            traces.push(Trace {
                pieces,
                department: *Department::ALL.get(usize::from(*class))?,
            });
            bytes = rest;
        }
        Some(Self(traces))
    }
}

impl Trace {
    /// How alike it is to a text whose pieces are marked in `there`, of which it has `asked`: the cosine of both, less what
    /// texts of these lengths share by mere chance, because so many pieces meet in the same buckets. 1 when they hold the
    /// same, about 0 when only chance brings them together.
    fn likeness(&self, there: &[u64], asked: usize) -> f64 {
        let marked = |piece: &&u16| {
            let word = there.get(usize::from(**piece) / 64).copied();
            word.is_some_and(|word| word >> (**piece % 64) & 1 == 1)
        };
        let count = |of: usize| f64::from(u32::try_from(of).unwrap_or(u32::MAX));
        let both = count(self.pieces.iter().filter(marked).count());
        let mean = (count(self.pieces.len()) * count(asked)).sqrt();
        let chance = mean / f64::from(PIECES.buckets);
        if mean > 0.0 && chance < 1.0 {
            (both / mean - chance) / (1.0 - chance)
        } else {
            0.0
        }
    }
}

/// One bit a bucket: those of the pieces.
fn marks(pieces: &[u16]) -> Vec<u64> {
    let mut marks = vec![0_u64; WORDS];
    for piece in pieces {
        if let Some(word) = marks.get_mut(usize::from(*piece) / 64) {
            *word |= 1 << (piece % 64);
        }
    }
    marks
}

/// The pieces whose bits are set in the bytes of [`marks`], in order.
fn marked(bytes: &[u8]) -> Vec<u16> {
    let bit = |piece: &u16| {
        let byte = bytes.get(usize::from(*piece) / 8).copied();
        byte.is_some_and(|byte| byte >> (*piece % 8) & 1 == 1)
    };
    (0..=u16::MAX).filter(bit).collect()
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
        for nothing in [&[][..], &Memory::default().to_bytes()] {
            assert_eq!(Memory::from_bytes(nothing), Some(Memory::default()));
        }
        for cut in [2, 5, bytes.len() - 1] {
            assert_eq!(Memory::from_bytes(&bytes[..cut]), None, "{cut}");
        }
        // Bytes of the form before this one began with the class of a department.
        assert_eq!(Memory::from_bytes(&bytes[1..]), None);
        let mut unknown = bytes;
        unknown[1] = 7;
        assert_eq!(Memory::from_bytes(&unknown), None);
        assert_eq!(Memory::from_bytes(&[FORM, 0, 255, 255, 255, 255]), None);
    }

    #[test]
    fn a_long_report_takes_8_kib_and_comes_back_whole() {
        // No two words alike.
        let long: Vec<String> = (0..9_000_u32)
            .map(|at| {
                hex::encode((at * 7_919).to_be_bytes()).replace(|c: char| c.is_ascii_digit(), "o")
            })
            .collect();
        let pieces = |words: usize| pieces(&letters(&long[..words].join(" "))).len();
        let counts: Vec<usize> = (1..=long.len()).collect();
        let fits = counts.partition_point(|words| pieces(*words) <= LISTED);
        assert!(fits > 0 && fits < long.len());
        for words in [fits, fits + 1, long.len()] {
            let kept = memory(&[(&long[..words].join(" "), Department::Scuola)]);
            let bytes = kept.to_bytes();
            assert_eq!(bytes.len(), 1 + 5 + (pieces(words) * 2).min(8_192));
            assert_eq!(Memory::from_bytes(&bytes), Some(kept));
            if words > fits {
                // A bit more than it says.
                let mut more = bytes;
                let zero = more.iter().rposition(|byte| *byte == 0).unwrap();
                more[zero] = 1;
                assert_eq!(Memory::from_bytes(&more), None);
            }
        }
    }
}
