//! Table `notices`: where and when people are told by mail what waits for them, and up to where they were.

use super::session::{Snapshot, Tx, columns, statements};

#[derive(Debug, Clone, Default)]
pub struct NoticeRow {
    /// Confirmed; empty for none.
    pub email: String,
    /// With blanks between them.
    pub hours: String,
    /// Whether urgent reports are told at once.
    pub urgent: bool,
    /// The hour (ms) of the last notice.
    pub told: i64,
    /// Arrival number of the last report that was there when they were told of urgent ones.
    pub seen: i64,
}

columns! {
    NoticeRow { email, hours, urgent, told, seen }
}

impl Snapshot<'_> {
    statements! {
        /// Those of a person; an empty id for the newsroom as a whole.
        find notices_of(person: &str) -> Option<NoticeRow> =
            "SELECT email, hours, urgent, told, seen FROM notices WHERE person = ?1";
        /// Urgent reports that have come after this one, but those set aside, and those of senders who are.
        value urgent_since(seq: i64) -> i64 =
            "SELECT count(*) FROM segnalazioni WHERE urgente = 1 AND seq > ?1 AND sospetta IS NULL AND da_parte IS NULL";
        /// Stories with three reports and more that have come after this one, as lists show them.
        value grown_since(seq: i64) -> i64 =
            "SELECT count(*) FROM (SELECT 1 FROM segnalazioni WHERE storia IS NOT NULL AND seq > ?1 AND da_parte IS NULL \
            GROUP BY storia HAVING count(*) >= 3)";
    }
}

impl Tx<'_> {
    statements! {
        execute put_notices(person: &str, row: &NoticeRow) =
            "INSERT OR REPLACE INTO notices (person, email, hours, urgent, told, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [person, row.email, row.hours, row.urgent, row.told, row.seen];
        /// A person was told of this hour (ms), and of what was there then.
        execute note_told(person: &str, told: i64, seen: i64) =
            "INSERT INTO notices (person, email, hours, urgent, told, seen) VALUES (?1, '', '', 0, ?2, ?3) \
            ON CONFLICT DO UPDATE SET told = excluded.told, seen = excluded.seen";
    }
}
