//! Signatures of reports: two bits of 2,048 for every three successive bytes of the searched text (a Bloom filter). A report that
//! lacks a bit of the search need not be opened. They are stored by bit: one sealed row holds one bit of all reports of a block, so
//! that a search reads a few rows. `signing` makes them. Must never exclude a report that may match.

use super::Terms;
use crate::actions::Result;
use crate::store::{BITS, Snapshot};
use crate::vault::{Epoch, Vault, open_row};

/// Associated data of a sealed row; the number changes with the meaning of the bits.
pub(super) const TABLE: &str = "signatures 3";
/// Bytes of a row: one bit of every report of a block.
pub(super) const ROW: usize = 512;
/// The number of successive bytes that two bits stand for.
pub(super) const GRAM: usize = 3;
/// Limit of the grams that a search looks up.
const GRAMS: usize = 12;

pub(super) fn bits(gram: &[u8]) -> [usize; 2] {
    let number = gram
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    [mixed >> 53, mixed >> 42].map(|bits| usize::try_from(bits).unwrap_or(0) % BITS)
}

pub(super) fn row_id(block: i64, bit: usize) -> String {
    format!("{block}/{bit}")
}

pub(super) struct Signatures {
    key: Epoch,
    bits: Vec<usize>,
}

impl Signatures {
    /// The bits of a search; `None` if it is too short or has two forms.
    pub(super) fn of(vault: &Vault, terms: &Terms) -> Result<Option<Self>> {
        let [words] = terms.ways.as_slice() else {
            return Ok(None);
        };
        let grams = words.iter().flat_map(|word| word.needle().windows(GRAM));
        let grams = grams.take(GRAMS);
        let (bits, key) = (grams.flat_map(bits).collect(), vault.derived_epoch()?);
        Ok(Some(Self { key, bits }).filter(|signatures| !signatures.bits.is_empty()))
    }

    /// One bit for each report of a block, set if it may match; all set if the block has no readable signatures.
    pub(super) fn candidates(&self, snapshot: &Snapshot<'_>, block: i64) -> Result<Vec<u8>> {
        let mut candidates = vec![0xFF; ROW];
        for bit in &self.bits {
            let sealed = snapshot.signature_row(block, *bit)?.unwrap_or_default();
            let Ok(row) = open_row(&self.key, TABLE, &row_id(block, *bit), &sealed) else {
                return Ok(vec![0xFF; ROW]);
            };
            for (candidates, row) in candidates.iter_mut().zip(row) {
                *candidates &= row;
            }
            if candidates.iter().all(|byte| *byte == 0) {
                break;
            }
        }
        Ok(candidates)
    }
}
