//! What is asked for again and again takes no more work as the archive grows, and deletions stay quick.

use super::COUNTED;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use crate::domain::asked::ConsentKind;
use crate::domain::delivery::{DeliveryKind, DeliveryState};
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::{Matter, Sight};
use crate::store::connection::{known_version, schema_of_version};
use crate::store::{
    Assigned, DeliveryFilter, Destination, ListFilter, Place, Result, SeqRange, Snapshot,
};

/// A moment after which nothing was received yet (ms).
const NOW: i64 = 9_000;
/// When the next attempt is (ms) of what failed a moment ago.
const LATER: i64 = 20_000;

const ANNA: &str = "00000000-0000-4000-8000-000000000001";

/// Parents of which no row is ever deleted.
const LASTING: [&str; 4] = ["departments", "epochs", "key_pairs", "people"];

#[test]
fn a_deleted_row_finds_its_children_by_an_index() {
    let connection = schema_of_version(known_version()).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    let mut statement = connection
        .prepare(
            "SELECT t.name, k.\"table\", k.\"from\", EXISTS (
                 SELECT 1 FROM pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
                 WHERE c.seqno = 0 AND c.name = k.\"from\" AND i.partial = 0)
                 OR EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE pk = 1 AND name = k.\"from\")
             FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'",
        )
        .unwrap();
    let mut rows = statement.raw_query();
    let mut found = 0;
    while let Some(row) = rows.next().unwrap() {
        let (table, parent, column): (String, String, String) =
            (row.get_unwrap(0), row.get_unwrap(1), row.get_unwrap(2));
        let indexed: bool = row.get_unwrap(3);
        assert!(
            indexed || LASTING.contains(&parent.as_str()),
            "{table}.{column}"
        );
        found += 1;
    }
    assert!(found > 3, "{found}");
}

/// An archive of so many reports, of each of which a mail and a call wait; half of them to be tried later.
fn archive_of(reports: u32) -> Connection {
    let connection = schema_of_version(known_version()).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    let sql = format!(
        "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES ('k', zeroblob(32), 0, 1);
         INSERT INTO epochs (id, key_id, born, sealed) VALUES (1, 'k', 0, x'00');
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {reports})
         INSERT INTO segnalazioni (id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
                                   contenuto, department, urgente, origine)
         SELECT 'r' || i, iif(i % 2, 'Nuova', 'Risolta'), i, i, '', zeroblob(16), 1, x'00',
                iif(i % 3, 'sanita', 'scuola'), i % 5 = 0,
                iif(i IN (14, 49, 210), 'lettera', 'chat')
         FROM n;
         UPDATE segnalazioni SET stato = 'Risolta' WHERE urgente = 1 AND seq > 40;
         UPDATE segnalazioni SET labels = 8 WHERE seq IN (9, 120, 290);
         UPDATE segnalazioni SET esito_entro = 5 WHERE seq IN (3, 131, 277);
         UPDATE segnalazioni SET sospetta = 1 WHERE seq IN (4, 99, 200);
         UPDATE segnalazioni SET department = 'lavoro' WHERE seq IN (5, 50, 130);
         INSERT INTO people (id, name, user, role, departments, created) VALUES ('{ANNA}', 'Anna', 'anna', 'lettore', NULL, 0);
         UPDATE segnalazioni SET assegnata = '{ANNA}' WHERE seq IN (9, 120, 290);
         INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body)
         SELECT id, 'email', 'a@b.it', id, seq, seq, iif(seq % 2, seq, {LATER}), x'00' FROM segnalazioni;
         INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body, state)
         SELECT id, 'webhook', 'https://b.it/', '-' || id, seq, seq, {LATER}, x'00', iif(seq = 7, 'sending', 'pending')
         FROM segnalazioni;
         INSERT INTO destinations (kind, address, tried, open_at, failures, refused) VALUES ('webhook', 'https://b.it/', 1, 1, 9, 0);"
    );
    connection.execute_batch(&sql).unwrap();
    connection
}

type Question = fn(&Snapshot<'_>) -> Result<usize>;

/// Steps that a question takes in such an archive.
fn steps(reports: u32, question: Question) -> u64 {
    let mut connection = archive_of(reports);
    let counted = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&counted);
    let step = move || {
        count.fetch_add(1, Ordering::Relaxed);
        false
    };
    connection.progress_handler(1, Some(step)).unwrap();
    assert!(question(&Snapshot::new(&connection)).unwrap() > 0);
    counted.load(Ordering::Relaxed)
}

fn to(kind: DeliveryKind) -> Destination {
    let address = match kind {
        DeliveryKind::Webhook => "https://b.it/",
        _ => "a@b.it",
    };
    Destination {
        kind,
        address: address.to_owned(),
    }
}

fn only(set: fn(&mut ListFilter)) -> ListFilter {
    let mut filter = ListFilter::default();
    set(&mut filter);
    filter
}

/// What a caller sees of it whose departments have few reports.
fn desks<'c>(snapshot: &Snapshot<'c>) -> Snapshot<'c> {
    snapshot.seeing(&Sight::of(&[Matter::Lavoro.key(), Matter::Ambiente.key()]))
}

fn page(snapshot: &Snapshot<'_>, filter: &ListFilter) -> Result<usize> {
    Ok(snapshot.report_page(filter, Place::Top, 20)?.rows.len())
}

/// Reports of a small archive and of a large one.
const FEW: u32 = 300;
const MANY: u32 = 6_000;

fn takes_no_more(name: &str, question: Question) {
    let (small, large) = (steps(FEW, question), steps(MANY, question));
    assert!(large <= small + small / 2 + 50, "{name}: {small}, {large}");
}

#[test]
fn what_is_asked_for_often_takes_no_more_steps_in_a_larger_archive() {
    let questions: [(&str, Question); 19] = [
        ("a page", |snapshot| page(snapshot, &ListFilter::default())),
        ("a page of a status", |snapshot| {
            page(snapshot, &only(|of| of.stato = Some(Stato::Risolta)))
        }),
        ("a page of a department", |snapshot| {
            page(
                snapshot,
                &only(|of| of.department = Some(Matter::Scuola.key())),
            )
        }),
        ("a page of the urgent", |snapshot| {
            page(snapshot, &only(|of| of.urgente = Some(true)))
        }),
        ("a page of the oldest", |snapshot| {
            page(snapshot, &only(|of| of.oldest_first = true))
        }),
        ("a page of what came by letter", |snapshot| {
            page(snapshot, &only(|of| of.origine = Some(Origine::Lettera)))
        }),
        ("how many match", |snapshot| {
            let filters = [
                only(|of| of.sospette = Some(false)),
                only(|of| (of.sospette, of.stato) = (Some(false), Some(Stato::Risolta))),
                only(|of| of.department = Some(Matter::Scuola.key())),
            ];
            let counts = filters.iter().map(|filter| snapshot.matching(filter));
            let counts: Vec<i64> = counts.collect::<Result<_>>()?;
            Ok(usize::try_from(counts.iter().sum::<i64>()).unwrap())
        }),
        ("a page of a label", |snapshot| {
            let labels = 1 << 3;
            page(
                snapshot,
                &ListFilter {
                    labels,
                    ..ListFilter::default()
                },
            )
        }),
        ("a page of a person, and how many there are", |snapshot| {
            let assigned = ANNA.parse().ok().map(Assigned::To);
            let filter = ListFilter {
                assigned,
                ..ListFilter::default()
            };
            let nobody = only(|of| of.assigned = Some(Assigned::Nobody));
            let free = usize::try_from(snapshot.matching(&nobody)?).unwrap();
            Ok(page(snapshot, &filter)? + page(snapshot, &nobody)? + free)
        }),
        ("the counters", |snapshot| {
            Ok(usize::try_from(
                snapshot
                    .status_counts()?
                    .iter()
                    .map(|(_, n)| n)
                    .sum::<i64>(),
            )
            .unwrap())
        }),
        ("what waits", |snapshot| Ok(snapshot.waiting(NOW)?.len())),
        ("when a mail is due", |snapshot| {
            Ok(snapshot.due_at(&to(DeliveryKind::Email), NOW)?.iter().len())
        }),
        ("when a call is due", |snapshot| {
            Ok(snapshot
                .due_at(&to(DeliveryKind::Webhook), NOW)?
                .iter()
                .len())
        }),
        ("the next mail", |snapshot| {
            Ok(snapshot.next_sending(&to(DeliveryKind::Email), 10)?.len())
        }),
        ("the next call", |snapshot| {
            Ok(snapshot.next_sending(&to(DeliveryKind::Webhook), 10)?.len())
        }),
        ("whether calls are troubled", |snapshot| {
            let troubled = snapshot.deliveries_troubled(DeliveryKind::Webhook, 0, 3)?;
            Ok(usize::from(troubled))
        }),
        ("a page of deliveries", |snapshot| {
            let pending = DeliveryFilter {
                state: Some(DeliveryState::Pending),
                retrying: None,
            };
            Ok(snapshot.deliveries(pending, None, 20)?.len())
        }),
        ("the counts of deliveries", |snapshot| {
            let counters = snapshot.delivery_counters(Some(DeliveryKind::Email))?;
            Ok(usize::try_from(counters.unwrap().pending).unwrap())
        }),
        ("a report by its id", |snapshot| {
            Ok(usize::from(snapshot.report("r7")?.is_some()))
        }),
    ];
    for (name, question) in questions {
        takes_no_more(name, question);
    }
}

#[test]
fn what_a_desk_asks_for_takes_no_more_steps_in_a_larger_archive() {
    let questions: [(&str, Question); 6] = [
        ("a page with urgent ones on top", |snapshot| {
            page(snapshot, &only(|of| of.pressing_first = true))
        }),
        ("a page of what is due", |snapshot| {
            page(snapshot, &only(|of| of.due = Some((0, NOW))))
        }),
        ("a page of what was set aside", |snapshot| {
            page(snapshot, &only(|of| of.sospette = Some(true)))
        }),
        ("a page of a status with a label", |snapshot| {
            let filter = only(|of| (of.stato, of.labels) = (Some(Stato::Risolta), 1 << 3));
            page(snapshot, &filter)
        }),
        ("a page without what is put off", |snapshot| {
            let filter = only(|of| of.snoozed = Some((false, NOW)));
            Ok(page(snapshot, &filter)? + usize::try_from(snapshot.matching(&filter)?).unwrap())
        }),
        ("how many have a mark", |snapshot| {
            let filters = [
                only(|of| of.files = true),
                only(|of| of.due = Some((0, NOW))),
                only(|of| of.snoozed = Some((true, NOW))),
                only(|of| of.labels = 1 << 3),
            ];
            let counts = filters.iter().map(|filter| snapshot.count_marked(filter));
            Ok(usize::try_from(counts.sum::<Result<i64>>()?).unwrap())
        }),
    ];
    for (name, question) in questions {
        takes_no_more(name, question);
    }
}

#[test]
fn questions_about_everything_take_more_steps_in_a_larger_archive() {
    let every: Question = |snapshot| {
        let mut seen = 0;
        let everything = [SeqRange::ALL];
        snapshot.each_sealed(&ListFilter::default(), &everything, true, |_| {
            seen += 1;
            Ok::<_, crate::store::Error>(true)
        })?;
        Ok(seen)
    };
    assert!(steps(MANY, every) > 10 * steps(FEW, every));
    let all: Question = |snapshot| {
        Ok(snapshot
            .next_sending(&to(DeliveryKind::Email), usize::MAX)?
            .len())
    };
    assert!(steps(MANY, all) > 10 * steps(FEW, all));
}

#[test]
fn whoever_sees_small_desks_waits_no_longer_in_a_larger_archive() {
    let questions: [(&str, Question); 4] = [
        ("a page of two small desks", |snapshot| {
            page(&desks(snapshot), &ListFilter::default())
        }),
        ("a page of a status of two small desks", |snapshot| {
            let sorted = only(|of| of.stato = Some(Stato::Risolta));
            page(&desks(snapshot), &sorted)
        }),
        ("how many match of two small desks", |snapshot| {
            let matching = desks(snapshot).matching(&only(|of| of.sospette = Some(false)))?;
            Ok(usize::try_from(matching).unwrap())
        }),
        ("the newest of two small desks", |snapshot| {
            Ok(usize::try_from(desks(snapshot).newest_seq()?).unwrap())
        }),
    ];
    for (name, question) in questions {
        takes_no_more(name, question);
    }
}

/// The steps of SQLite's plan for a page of a filter, all stretches together.
fn page_plan(snapshot: &Snapshot<'_>, filter: &ListFilter) -> String {
    let plans = filter.stretches(None, false).into_iter().map(|stretch| {
        let rows = snapshot.first_rows(&stretch, 20);
        let sql = format!("EXPLAIN QUERY PLAN {}", snapshot.restricted(&rows.sql));
        let mut statement = snapshot.connection.prepare(&sql).unwrap();
        let steps = statement.query_map(rows.between(stretch.range), |row| row.get(3));
        let steps: Vec<String> = steps.unwrap().collect::<rusqlite::Result<_>>().unwrap();
        steps.join("; ")
    });
    plans.collect::<Vec<_>>().join(" / ")
}

#[test]
fn every_kind_of_page_is_read_from_an_index_in_its_order() {
    let connection = archive_of(9);
    let snapshot = Snapshot::new(&connection);
    let rows: [(ListFilter, &[&str]); 30] = [
        (only(|_| ()), &["INTEGER PRIMARY KEY"]),
        (only(|of| of.stato = Some(Stato::Nuova)), &["stato"]),
        (
            only(|of| of.department = Some(Matter::Lavoro.key())),
            &["reparto"],
        ),
        (
            only(|of| (of.stato, of.department) = (Some(Stato::Nuova), Some(Matter::Lavoro.key()))),
            &["reparto_stato"],
        ),
        (only(|of| of.urgente = Some(true)), &["urgente"]),
        (only(|of| of.origine = Some(Origine::Lettera)), &["origine"]),
        (only(|of| of.sospette = Some(true)), &["da_parte"]),
        (only(|of| of.answered = true), &["attende"]),
        (only(|of| of.waiting = true), &["in_attesa"]),
        (
            only(|of| of.consent = Some(ConsentKind::Voce)),
            &["consensi"],
        ),
        (only(|of| of.aside = Some(true)), &["ignorate"]),
        (only(|of| of.aside = Some(false)), &["INTEGER PRIMARY KEY"]),
        (
            only(|of| (of.todo, of.aside) = (Some(NOW), Some(false))),
            &["da_fare"],
        ),
        (
            only(|of| (of.unread, of.aside) = (true, Some(false))),
            &["non_lette"],
        ),
        (only(|of| of.todo = Some(NOW)), &["da_fare"]),
        (
            only(|of| (of.archived, of.aside) = (Some(false), Some(false))),
            &["INTEGER PRIMARY KEY"],
        ),
        (
            only(|of| {
                (of.archived, of.aside) = (Some(false), Some(false));
                (of.snoozed, of.pressing_first) = (Some((false, NOW)), true);
            }),
            &["preme", "INTEGER PRIMARY KEY"],
        ),
        (
            only(|of| (of.archived, of.todo) = (Some(false), Some(NOW))),
            &["da_fare"],
        ),
        (only(|of| of.archived = Some(true)), &["stato"]),
        (
            only(|of| (of.todo, of.pressing_first) = (Some(NOW), true)),
            &["preme", "da_fare"],
        ),
        (only(|of| of.withdrawal = Some(true)), &["ritiro"]),
        (only(|of| of.unread = true), &["non_lette"]),
        (only(|of| of.files = true), &["allegati"]),
        (only(|of| of.due = Some((0, NOW))), &["promesse"]),
        (only(|of| of.snoozed = Some((true, NOW))), &["rinviata"]),
        (only(|of| of.labels = 8), &["etichette"]),
        (
            only(|of| (of.stato, of.labels) = (Some(Stato::Risolta), 8)),
            &["etichette"],
        ),
        (
            only(|of| of.assigned = Some(Assigned::To(ANNA.parse().unwrap()))),
            &["assegnata"],
        ),
        (
            only(|of| of.pressing_first = true),
            &["preme", "INTEGER PRIMARY KEY"],
        ),
        (
            only(|of| (of.pressing_first, of.stato) = (true, Some(Stato::Nuova))),
            &["preme", "stato"],
        ),
    ];
    for (mut filter, indexes) in rows {
        for (oldest_first, sight) in [
            (false, snapshot.seeing(&Sight::ALL)),
            (true, snapshot.seeing(&Sight::ALL)),
            (false, desks(&snapshot)),
        ] {
            filter.oldest_first = oldest_first;
            let plan = page_plan(&sight, &filter);
            assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
            let whole = sight.visible_departments().is_all();
            for (part, index) in plan.split(" / ").zip(indexes).filter(|_| whole) {
                let by_index = part.contains(&format!("INDEX segnalazioni_{index} ("));
                assert!(
                    by_index || part.contains(&format!("USING {index}")),
                    "{filter:?}: {plan}"
                );
            }
        }
    }
}
