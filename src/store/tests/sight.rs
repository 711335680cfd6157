//! What a caller may see is decided in one place: every statement finds the reports in sight alone, but for the few that say they
//! mean all.

use super::COUNTED;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64};

use rusqlite::Connection;

use crate::domain::routing::{Matter, Sight};
use crate::store::connection::{known_version, schema_of_version};
use crate::store::session::{OF_REPORTS, Tx};
use crate::store::{ListFilter, Place, Snapshot};

/// Statements that mean the whole archive, for every caller: bounds of dates among the numbers of reports and messages, what routing remembers, and
/// the reports of a label that goes, and of a callout that is to be deleted.
const WHOLE: [(&str, usize); 8] = [
    ("agenda.rs", 2),
    ("asked.rs", 1),
    ("callouts.rs", 1),
    ("counts.rs", 1),
    ("labels.rs", 1),
    ("reports.rs", 2),
    ("routing_memory.rs", 3),
    ("stories.rs", 1),
];
/// Where a connection is used without them: the one way.
const AROUND: [(&str, usize); 1] = [("session.rs", 2)];

/// Source files of the store with so many places of this text, tests apart.
fn places(text: &str) -> Vec<(String, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap();
            if source.contains("impl Snapshot<'_>") || source.contains("impl Tx<'_>") {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.push((name, source.matches(text).count()));
            }
        }
    }
    assert!(found.len() > 10);
    found.retain(|(_, places)| *places > 0);
    found.sort();
    found
}

#[test]
fn only_these_statements_mean_the_whole_archive_whoever_asks() {
    let named = |list: &[(&str, usize)]| {
        let owned = list
            .iter()
            .map(|(file, places)| ((*file).to_owned(), *places));
        owned.collect::<Vec<_>>()
    };
    // `narrowed` has one for each table.
    let mut whole = places("main.");
    whole.retain(|(file, _)| file != "session.rs");
    assert_eq!(whole, named(&WHOLE));
    assert_eq!(places("self.connection."), named(&AROUND));
}

#[test]
fn every_table_with_rows_of_reports_is_narrowed() {
    let connection = schema_of_version(known_version()).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    let sql = "SELECT t.name, k.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k \
               WHERE t.type = 'table' AND k.\"table\" = 'segnalazioni'";
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.raw_query();
    let mut found = 0;
    while let Some(row) = rows.next().unwrap() {
        let (table, column): (String, String) = (row.get_unwrap(0), row.get_unwrap(1));
        let narrowed = OF_REPORTS
            .iter()
            .any(|(name, columns, _)| *name == table && columns.contains(&column.as_str()));
        assert!(narrowed, "{table}.{column}");
        found += 1;
    }
    assert!(found >= 6, "{found}");
}

/// Two reports of a desk, four of another, each with a row in every table about it.
fn archive() -> Connection {
    let connection = schema_of_version(known_version()).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    connection
        .execute_batch(
            "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES ('k', zeroblob(32), 0, 1);
             INSERT INTO epochs (id, key_id, born, sealed) VALUES (1, 'k', 0, x'00');
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
             INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
                                       contenuto, department, risposta)
             SELECT 'r' || i, 'Nuova', i, i, '', zeroblob(16), 1, x'00', iif(i % 3, 'sanita', 'scuola'), i FROM n;
             INSERT INTO history (report, at, kind) SELECT id, 1, 'note' FROM segnalazioni;
             INSERT INTO messages (report, at, author, text) SELECT id, 1, 'segnalante', x'00' FROM segnalazioni;
             INSERT INTO answers (report, message, at, read, body) SELECT report, n, 1, 0, x'00' FROM messages;
             INSERT INTO consents (report, message, kind, asked) SELECT report, n, 'voce', 1 FROM messages;
             INSERT INTO masks (report, versione, epoch, body) SELECT id, 1, 1, x'00' FROM segnalazioni;
             INSERT INTO comments (report, n, at, epoch, text) SELECT id, 1, 1, 1, x'00' FROM segnalazioni;
             INSERT INTO snoozes (report, person) SELECT id, '' FROM segnalazioni;
             INSERT INTO people (id, name, user, role, departments, created) VALUES (printf('%036d', 1), 'Anna', 'anna', 'lettore', NULL, 0);
             INSERT INTO mentions (person, report, at) SELECT printf('%036d', 1), id, 1 FROM segnalazioni;
             INSERT INTO looks (person, report, at) SELECT '', id, 1 FROM segnalazioni;
             INSERT INTO attachments (id, conversation, report, n, size, arrived, media_type, created, sent, epoch, name, key, copy)
             SELECT printf('%036d', seq), id, id, 1, 1, 1, 'a/b', 1, 1, 1, x'00', x'00', x'00' FROM segnalazioni;
             INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body)
             SELECT id, 'email', 'a', id, 1, 1, 1, x'00' FROM segnalazioni;
             INSERT INTO routing_memory (report, at, epoch, pieces) SELECT id, 1, 1, x'00' FROM segnalazioni;
             INSERT INTO batches (at, total, done, changed, session, change) VALUES (1, 6, 6, 6, x'00', '{}');
             INSERT INTO batch_reports (batch, seq, versione, stato, department, urgente, labels)
             SELECT 1, seq, 2, 'Nuova', department, 0, 0 FROM segnalazioni;
             INSERT INTO apart (a, b) VALUES (1, 2), (2, 3), (3, 6), (4, 5);
             INSERT INTO sketches (report, sealed) SELECT seq, x'00' FROM segnalazioni;
             UPDATE segnalazioni SET storia = printf('%036d', seq);
             INSERT INTO stories (id, version, epoch, sealed) SELECT storia, 1, 1, x'00' FROM segnalazioni;
             INSERT INTO erased (trace, at, cause) VALUES (zeroblob(32), 1, 'richiesta');",
        )
        .unwrap();
    connection
}

#[test]
fn whoever_sees_a_desk_finds_its_rows_in_every_table_and_no_others() {
    let connection = archive();
    let whole = Snapshot::new(&connection);
    let desk = whole.seeing(&Sight::of(&[Matter::Scuola.key()]));
    let count = |of: &Snapshot<'_>, table: &str| -> i64 {
        of.value(&format!("SELECT count(*) FROM {table}"), [])
            .unwrap()
    };
    let tables = OF_REPORTS.map(|(table, ..)| table).into_iter();
    for table in tables.chain(["segnalazioni"]) {
        let (all, own) = if table == "apart" { (4, 1) } else { (6, 2) };
        assert_eq!(
            (count(&whole, table), count(&desk, table)),
            (all, own),
            "{table}"
        );
    }
    assert_eq!((count(&whole, "erased"), count(&desk, "erased")), (1, 0));
    for other in ["r1", "r2", "r4", "r5"] {
        assert!(whole.report(other).unwrap().is_some());
        assert!(desk.report(other).unwrap().is_none());
        assert!(desk.messages(other).unwrap().is_empty());
        assert!(desk.attachment(other, 1).unwrap().is_none());
    }
    assert!(desk.report("r3").unwrap().is_some() && desk.attachment("r3", 1).unwrap().is_some());
    assert_eq!(
        (
            whole.answers_waiting().unwrap(),
            desk.answers_waiting().unwrap()
        ),
        (6, 2)
    );
    assert_eq!(
        (
            whole.counted(None, None).unwrap(),
            desk.counted(None, None).unwrap()
        ),
        (6, 2)
    );
    let page = desk
        .report_page(&ListFilter::default(), Place::Top, 9)
        .unwrap();
    assert_eq!(
        page.rows.iter().map(|row| row.seq).collect::<Vec<_>>(),
        [6, 3]
    );
    assert_eq!(whole.moves().unwrap().len(), desk.moves().unwrap().len());
}

#[test]
fn what_routing_remembers_stays_bounded_whoever_moves_reports() {
    let connection = archive();
    connection
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
             INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
                                       contenuto, department)
             SELECT 'm' || i, 'Nuova', i, i, '', zeroblob(16), 1, x'00', 'sanita' FROM n;
             INSERT INTO routing_memory (report, at, epoch, pieces)
             SELECT id, data_creazione, 1, x'00' FROM segnalazioni WHERE id LIKE 'm%'",
        )
        .unwrap();
    let (revision, epoch) = (AtomicU64::default(), AtomicI64::default());
    let whole = Tx::new(&connection, &revision, &epoch);
    let desk = whole.seeing(&Sight::of(&[Matter::Scuola.key()]));
    desk.put_move("r3", 1_000, 1, &[0]).unwrap();
    assert_eq!(whole.move_count().unwrap(), 500);
}
