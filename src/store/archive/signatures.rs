//! Table `signatures`: what a search knows of blocks of reports before it opens any, sealed (`search::signatures`).

use rusqlite::params;

use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, rows, statements};

/// Reports of a block, by arrival number, and its rows here: the triggers have the same numbers.
pub const BLOCK: i64 = 4096;
pub const BITS: usize = 2048;

fn number(block: i64, bit: usize) -> i64 {
    block * rows(BITS) + rows(bit)
}

impl Snapshot<'_> {
    statements! {
        /// One bit of every report of a block, sealed.
        find_value signature_row(block: i64, bit: usize) -> Option<Vec<u8>> =
            "SELECT sealed FROM signatures WHERE number = ?1", [number(block, bit)];
        /// Blocks of which every report has arrived and one is still there, the newest first, each with its first row, or nothing.
        list whole_blocks() -> Vec<(i64, Vec<u8>)> =
            "WITH RECURSIVE blocks (block) AS (SELECT max(seq) / ?1 FROM segnalazioni UNION ALL SELECT (SELECT max(seq) / ?1 \
            FROM segnalazioni WHERE seq < block * ?1) FROM blocks WHERE block > 0) SELECT block, coalesce((SELECT sealed \
            FROM signatures WHERE number = block * ?2), x'') FROM blocks \
            WHERE block >= 0 AND (block + 1) * ?1 - 1 <= (SELECT max(seq) FROM segnalazioni)", [BLOCK, rows(BITS)];
    }
}

impl Tx<'_> {
    statements! {
        execute drop_signatures() = "DELETE FROM signatures";
    }

    /// Stores the rows of a block, made from so many reports, unless one was erased since: none is ever added to a whole block.
    pub fn put_signatures(&self, block: i64, reports: usize, sealed: &[Vec<u8>]) -> Result<()> {
        let present =
            "SELECT count(*) FROM segnalazioni WHERE seq BETWEEN ?1 * ?2 AND ?1 * ?2 + ?2 - 1";
        if self.value::<i64>(present, [block, BLOCK])? != rows(reports) {
            return Ok(());
        }
        let sql = "INSERT OR REPLACE INTO signatures (number, sealed) VALUES (?1, ?2)";
        let mut sealed = sealed.iter().enumerate();
        sealed.try_for_each(|(bit, row)| self.execute(sql, params![number(block, bit), row]))
    }
}
