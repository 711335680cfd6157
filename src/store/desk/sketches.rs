//! Table `sketches`: what stories are found by, a sealed row a report (`search::stories`). A report that is erased takes its row
//! with it.

use crate::store::session::{Snapshot, Tx, rows, statements};

impl Snapshot<'_> {
    statements! {
        /// Sketches of reports above this arrival number, in order.
        list sketches(above: i64, limit: usize as rows) -> Vec<(i64, Vec<u8>)> =
            "SELECT report, sealed FROM sketches WHERE report > ?1 ORDER BY report LIMIT ?2";
        /// Arrival numbers of reports above this one that have no sketch, in order.
        values unsketched(above: i64, limit: usize as rows) -> Vec<i64> =
            "SELECT seq FROM segnalazioni WHERE seq > ?1 AND NOT EXISTS (SELECT 1 FROM sketches WHERE report = seq) \
            ORDER BY seq LIMIT ?2";
    }
}

impl Tx<'_> {
    statements! {
        /// Keeps the sketch of a report, unless that was erased meanwhile.
        execute put_sketch(report: i64, sealed: &[u8]) =
            "INSERT OR REPLACE INTO sketches (report, sealed) SELECT seq, ?2 FROM segnalazioni WHERE seq = ?1";
        execute drop_sketches() = "DELETE FROM sketches";
    }
}
