//! Table `masks`: what is covered in the clean copy of a report.

use crate::store::session::{Snapshot, Tx, columns, statements};

/// A mask; `body` is sealed under `epoch`.
#[derive(Debug, Clone)]
pub struct MaskRow {
    /// Grows with each change.
    pub versione: i64,
    pub epoch: i64,
    pub body: Vec<u8>,
}

columns! {
    MaskRow { versione, epoch, body }
}

impl Snapshot<'_> {
    statements! {
        find mask(report: &str) -> Option<MaskRow> = "SELECT versione, epoch, body FROM masks WHERE report = ?1";
    }
}

impl Tx<'_> {
    statements! {
        execute put_mask(report: &str, row: &MaskRow) =
            "INSERT INTO masks (report, versione, epoch, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET \
            versione = excluded.versione, epoch = excluded.epoch, body = excluded.body",
            [report, row.versione, row.epoch, row.body];
    }
}
