//! Signatures of reports: two bits of 2,048 for every three bytes in a row of what is searched (a Bloom filter). A report that
//! lacks a bit of the search need not be opened. They are made once a block is complete, and stored by bit: one sealed row holds
//! one bit of all reports of a block, so that a search reads a few rows. Must never reach the disk unsealed, nor exclude a
//! report that may match.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::archive::{BETWEEN, fold_each, read_part};
use super::{Order, Terms};
use crate::actions::Result;
use crate::store::{BITS, BLOCK, Snapshot, Store};
use crate::vault::{Epoch, Vault, VaultError, open_row, seal_row};

/// Associated data of a sealed row; the number changes with the meaning of the bits.
pub(super) const TABLE: &str = "signatures 3";
/// Bytes of a row: one bit of every report of a block.
const ROW: usize = 512;
/// Bytes that have two bits together.
const GRAM: usize = 3;
/// Grams that a search looks up, at most.
const GRAMS: usize = 12;

pub(super) fn bits(gram: &[u8]) -> [usize; 2] {
    let number = gram
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    [mixed >> 53, mixed >> 42].map(|bits| usize::try_from(bits).unwrap_or(0) % BITS)
}

fn row_id(block: i64, bit: usize) -> String {
    format!("{block}/{bit}")
}

pub(super) struct Signatures {
    key: Epoch,
    bits: Vec<usize>,
}

impl Signatures {
    /// `None` for a search that is too short, or has two forms.
    pub(super) fn of(vault: &Vault, terms: &Terms) -> Result<Option<Self>> {
        let [words] = terms.ways.as_slice() else {
            return Ok(None);
        };
        let grams = words.iter().flat_map(|word| word.needle().windows(GRAM));
        let grams = grams.take(GRAMS);
        let (bits, key) = (grams.flat_map(bits).collect(), vault.derived_epoch()?);
        Ok(Some(Self { key, bits }).filter(|signatures| !signatures.bits.is_empty()))
    }

    /// A bit for each report of a block that may match; all of them while it has no readable signatures.
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

/// Complete blocks without readable signatures, the newest first.
pub(super) fn unsigned(store: &Store, vault: &Vault) -> Result<Vec<i64>> {
    let (key, mut blocks) = (
        vault.derived_epoch()?,
        store.read(|snapshot| snapshot.whole_blocks())?,
    );
    blocks.retain(|(block, first)| open_row(&key, TABLE, &row_id(*block, 0), first).is_err());
    Ok(blocks.into_iter().map(|(block, _)| block).collect())
}

/// Stores nothing if one of the reports was erased meanwhile.
pub(super) fn sign(store: &Store, vault: &Arc<Vault>, block: i64) -> Result<()> {
    let mut rows = Zeroizing::new(vec![0_u8; BITS * ROW]);
    let (mut range, mut count) = ((block * BLOCK, block * BLOCK + BLOCK - 1), 0);
    while range.0 <= range.1 {
        let (reports, left) = read_part(store, vault, range, Order::OldestFirst, usize::MAX)?;
        (range, count) = (left, count + reports.len());
        fold_each(&reports, true, |seq, folded| {
            let row_id = usize::try_from(seq % BLOCK).unwrap_or(0);
            let fields = folded.split(|byte| *byte == BETWEEN);
            for bit in fields.flat_map(|field| field.windows(GRAM)).flat_map(bits) {
                rows[bit * ROW + row_id / 8] |= 1 << (row_id % 8);
            }
        });
    }
    let key = vault.derived_epoch()?;
    let seal = |(bit, row)| seal_row(&key, TABLE, &row_id(block, bit), row);
    let sealed = rows.chunks(ROW).enumerate().map(seal);
    let sealed = sealed.collect::<std::result::Result<Vec<_>, VaultError>>()?;
    Ok(store.write(move |tx| tx.put_signatures(block, count, &sealed))?)
}
