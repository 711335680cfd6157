//! Table `asides`: senders that are set aside, and `segnalazioni.da_parte`, by which their reports are.

use crate::domain::routing::Sight;
use crate::store::session::{Snapshot, Tx, columns, statements};

/// A sender that is set aside.
#[derive(Debug)]
pub struct SenderRow {
    pub id: String,
    /// The departments whose new reports it is for.
    pub departments: Sight,
    /// Telephone number and e-mail address, sealed under the operational key.
    pub sealed: Vec<u8>,
}

columns! {
    SenderRow { id, departments, sealed }
}

impl Snapshot<'_> {
    statements! {
        list senders_aside() -> Vec<SenderRow> = "SELECT id, departments, sealed FROM asides ORDER BY id";
        /// Ids of the reports of a sender that is set aside.
        values reports_of_sender(aside: &str) -> Vec<String> =
            "SELECT id FROM segnalazioni WHERE da_parte IS NOT NULL AND da_parte = ?1";
    }
}

impl Tx<'_> {
    statements! {
        execute put_sender(row: &SenderRow) =
            "INSERT INTO asides (id, departments, sealed) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
            [row.id, row.departments, row.sealed];
        execute forget_sender(aside: &str) = "DELETE FROM asides WHERE id = ?1";
        execute set_sender_aside(report: &str, aside: Option<&str>) = "UPDATE segnalazioni SET da_parte = ?2 WHERE id = ?1";
    }
}
