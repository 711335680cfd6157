//! Pages of a period, against every report looked at one by one, with a clock that was ahead for a while and gaps.

use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::store::connection::{known_version, schema_of_version};
use crate::store::{ListFilter, Place, Snapshot};

/// Reports in the archive: several times what is looked at before the index is.
const REPORTS: i64 = 400;

#[test]
fn a_page_of_a_period_has_what_a_look_at_every_report_finds() {
    let connection = schema_of_version(known_version()).unwrap();
    // In order of arrival but for every ninth, whose date is that of a clock 200 ahead; every seventh is gone.
    connection
        .execute_batch(&format!(
            "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES ('k', zeroblob(32), 0, 1);
             INSERT INTO epochs (id, key_id, born, sealed) VALUES (1, 'k', 0, x'00');
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {REPORTS})
             INSERT INTO segnalazioni (seq, id, stato, data_creazione, data_aggiornamento, privacy_version, impronta,
                                       epoch, contenuto, department, urgente)
             SELECT i, 'r' || i, CASE i % 3 WHEN 0 THEN 'Nuova' ELSE 'Risolta' END, i + (i % 9 = 0) * 200, 0, '',
                    zeroblob(16), 1, x'00', CASE WHEN i > 60 THEN 'sanita' ELSE 'scuola' END, i % 5 = 0
             FROM n WHERE i % 7 <> 0;"
        ))
        .unwrap();
    let snapshot = Snapshot::new(&connection);
    let everything = snapshot.report_page(&ListFilter::default(), Place::Top, 10_000);
    let all = everything.unwrap().rows;
    let mut compared = 0;
    for (since, urgente) in [0, 55, 250, 390, 420, 590, 601]
        .into_iter()
        .flat_map(|since| [None, Some(true), Some(false)].map(|urgente| (since, urgente)))
    {
        for stato in [None, Some(Stato::Nuova)] {
            for department in [None, Some(Department::Sanita), Some(Department::Scuola)] {
                let filter = ListFilter {
                    sospette: None,
                    answered: false,
                    stato,
                    department,
                    urgente,
                    since: Some(since),
                };
                let right: Vec<i64> = all
                    .iter()
                    .filter(|row| filter.admits(row))
                    .map(|row| row.seq)
                    .collect();
                for (limit, from) in [(1, i64::MAX), (20, i64::MAX), (20, 300), (20, 130), (3, 61)]
                {
                    let place = if from == i64::MAX {
                        Place::Top
                    } else {
                        Place::Before(from)
                    };
                    let page = snapshot.report_page(&filter, place, limit).unwrap();
                    let found: Vec<i64> = page.rows.iter().map(|row| row.seq).collect();
                    let below: Vec<i64> = right.iter().copied().filter(|seq| *seq < from).collect();
                    assert_eq!(
                        found,
                        below[..limit.min(below.len())],
                        "{filter:?} {place:?}"
                    );
                    assert_eq!(page.older, below.len() > limit, "{filter:?} {place:?}");
                    let edge = found.first().copied().unwrap_or(from.saturating_sub(1));
                    let newer = from != i64::MAX && right.iter().any(|seq| *seq > edge);
                    assert_eq!(page.newer, newer, "{filter:?} {place:?}");
                    compared += found.len();
                }
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}
