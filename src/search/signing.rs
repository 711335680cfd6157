//! Makes the signatures of a block of reports once it is complete. Must never let one reach the disk unsealed.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::Order;
use super::archive::{BETWEEN, Part, fold_each, read_part};
use super::signatures::{GRAM, ROW, TABLE, bits, row_id};
use crate::actions::Result;
use crate::store::{BITS, BLOCK, SeqRange, Store};
use crate::vault::{Vault, VaultError, open_row, seal_row};

/// Complete blocks without readable signatures, the newest first.
pub(super) fn unsigned(store: &Store, vault: &Vault) -> Result<Vec<i64>> {
    let (key, mut blocks) = (
        vault.derived_epoch()?,
        store.read(|snapshot| snapshot.whole_blocks())?,
    );
    blocks.retain(|(block, first)| open_row(&key, TABLE, &row_id(*block, 0), first).is_err());
    Ok(blocks.into_iter().map(|(block, _)| block).collect())
}

/// Stores the signatures of a block, unless one of its reports was erased meanwhile.
pub(super) fn sign(store: &Store, vault: &Arc<Vault>, block: i64) -> Result<()> {
    let mut rows = Zeroizing::new(vec![0_u8; BITS * ROW]);
    let first = block * BLOCK;
    let (mut range, mut count) = (SeqRange::of(first, first + BLOCK - 1), 0);
    while !range.is_empty() {
        let Part { reports, left } =
            read_part(store, vault, range, Order::OldestFirst, usize::MAX)?;
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
