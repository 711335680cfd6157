//! Pages of a period, against every report looked at one by one, with a clock that was ahead for a while and gaps, for who sees
//! everything and for who sees some departments.

use super::COUNTED;
use rusqlite::Connection;

use crate::domain::report::{Origine, Stato};
use crate::domain::routing::{Matter, Sight};
use crate::store::connection::{known_version, schema_of_version};
use crate::store::{Error, ListFilter, ListPage, ListRow, Place, Position, SeqRange, Snapshot};

/// Reports in the archive: several times what is looked at before the index is.
const REPORTS: i64 = 400;

/// In order of arrival but for every ninth, whose date is that of a clock 200 ahead; every seventh is gone.
fn archive() -> Connection {
    let connection = schema_of_version(known_version()).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    connection
        .execute_batch(&format!(
            "INSERT INTO key_pairs (key_id, public_key, created, active) VALUES ('k', zeroblob(32), 0, 1);
             INSERT INTO epochs (id, key_id, born, sealed) VALUES (1, 'k', 0, x'00');
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {REPORTS})
             INSERT INTO segnalazioni (seq, id, stato, data_creazione, data_aggiornamento, privacy_version, impronta,
                                       epoch, contenuto, department, urgente, sospetta, origine)
             SELECT i, 'r' || i, CASE i % 3 WHEN 0 THEN 'Nuova' ELSE 'Risolta' END, i + (i % 9 = 0) * 200, 0, '',
                    zeroblob(16), 1, x'00', CASE WHEN i <= 60 THEN 'scuola' WHEN i % 2 THEN 'sanita' ELSE 'lavoro' END, i % 5 = 0,
                    iif(i % 4 = 0, 1, NULL), CASE i % 11 WHEN 1 THEN 'lettera' WHEN 2 THEN 'di persona' ELSE 'chat' END
             FROM n WHERE i % 7 <> 0;"
        ))
        .unwrap();
    connection
}

/// What a filter lets through, said in other words than the store's.
fn admits(filter: &ListFilter, row: &ListRow) -> bool {
    filter.stato.is_none_or(|one| one == row.stato)
        && filter.department.is_none_or(|one| one == row.department)
        && filter.urgente.is_none_or(|one| one == row.urgente)
        && filter.origine.is_none_or(|one| one == row.origine)
        && filter.sospette.is_none_or(|one| one == row.sospetta)
        && filter.since.is_none_or(|since| row.data_creazione >= since)
        && filter.until.is_none_or(|until| row.data_creazione < until)
}

/// What people may see.
fn sights() -> [Sight; 3] {
    let some = [
        &[Matter::Scuola.key()][..],
        &[Matter::Scuola.key(), Matter::Sanita.key()],
    ];
    let [one, two] = some.map(Sight::of);
    [Sight::ALL, one, two]
}

/// Every report that a caller may see, newest first.
fn all_in(sight: &Sight, whole: &Snapshot<'_>) -> Vec<ListRow> {
    let everything = whole.report_page(&ListFilter::default(), Place::Top, 10_000);
    let mut all = everything.unwrap().rows;
    all.retain(|row| sight.has(row.department));
    assert!(all.len() > 50);
    all
}

#[test]
fn a_page_of_a_period_has_what_a_look_at_every_report_finds() {
    let connection = archive();
    for sight in &sights() {
        let snapshot = Snapshot::new(&connection);
        pages_are_those_of(&snapshot.seeing(sight), &all_in(sight, &snapshot));
    }
}

/// A position in a list by arrival alone.
fn behind(seq: i64) -> Position {
    Position {
        pressing: false,
        seq,
    }
}

fn pages_are_those_of(snapshot: &Snapshot<'_>, all: &[ListRow]) {
    let mut compared = 0;
    for (since, urgente) in [0, 55, 250, 390, 420, 590, 601]
        .into_iter()
        .flat_map(|since| [None, Some(true), Some(false)].map(|urgente| (since, urgente)))
    {
        for stato in [None, Some(Stato::Nuova)] {
            for department in [None, Some(Matter::Sanita.key()), Some(Matter::Scuola.key())] {
                let filter = ListFilter {
                    stato,
                    department,
                    urgente,
                    since: Some(since),
                    ..ListFilter::default()
                };
                let right: Vec<i64> = all
                    .iter()
                    .filter(|row| admits(&filter, row))
                    .map(|row| row.seq)
                    .collect();
                for (limit, from) in [(1, i64::MAX), (20, i64::MAX), (20, 300), (20, 130), (3, 61)]
                {
                    let place = if from == i64::MAX {
                        Place::Top
                    } else {
                        Place::After(behind(from))
                    };
                    let page = snapshot.report_page(&filter, place, limit).unwrap();
                    let found: Vec<i64> = page.rows.iter().map(|row| row.seq).collect();
                    let below: Vec<i64> = right.iter().copied().filter(|seq| *seq < from).collect();
                    assert_eq!(
                        found,
                        below[..limit.min(below.len())],
                        "{filter:?} {place:?}"
                    );
                    assert_eq!(page.after, below.len() > limit, "{filter:?} {place:?}");
                    let edge = found.first().copied().unwrap_or(from.saturating_sub(1));
                    let newer = from != i64::MAX && right.iter().any(|seq| *seq > edge);
                    assert_eq!(page.before, newer, "{filter:?} {place:?}");
                    compared += found.len();
                }
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_filter_is_counted_and_turned_round_as_a_look_at_every_report_says() {
    let connection = archive();
    for sight in &sights() {
        let snapshot = Snapshot::new(&connection);
        counts_are_those_of(&snapshot.seeing(sight), &all_in(sight, &snapshot));
        let newest = snapshot.seeing(sight).newest_seq().unwrap();
        assert_eq!(newest, all_in(sight, &snapshot)[0].seq);
    }
}

fn counts_are_those_of(snapshot: &Snapshot<'_>, all: &[ListRow]) {
    let dates = [
        (None, None),
        (Some(55), None),
        (Some(250), Some(420)),
        (None, Some(61)),
        (Some(9), Some(3)),
    ];
    let kinds = [None, Some(Stato::Nuova)]
        .into_iter()
        .flat_map(|stato| [None, Some(Matter::Scuola.key())].map(|department| (stato, department)));
    let marks = [
        (None, None, None),
        (Some(true), None, None),
        (Some(false), None, Some(Origine::Chat)),
        (None, Some(false), None),
        (None, Some(true), Some(Origine::Lettera)),
        (Some(false), Some(false), Some(Origine::DiPersona)),
    ];
    let mut counted = 0;
    for (stato, department) in kinds {
        for (since, until) in dates {
            for (urgente, sospette, origine) in marks {
                let mut filter = ListFilter {
                    stato,
                    department,
                    urgente,
                    origine,
                    sospette,
                    since,
                    until,
                    ..ListFilter::default()
                };
                let admitted = all.iter().filter(|row| admits(&filter, row));
                let mut right: Vec<i64> = admitted.map(|row| row.seq).collect();
                let mut one_by_one: Vec<i64> = all.iter().map(|row| row.seq).collect();
                one_by_one.retain(|seq| snapshot.admits(&filter, *seq).unwrap());
                assert_eq!(one_by_one, right, "{filter:?}");
                let matching = snapshot.matching(&filter).unwrap();
                assert_eq!(matching, i64::try_from(right.len()).unwrap(), "{filter:?}");
                right.reverse();
                let range = SeqRange::of(40, 300);
                let inside = snapshot.seqs(&filter, range).unwrap();
                let mut sealed = Vec::new();
                let visited = snapshot.each_sealed(&filter, &[range], false, |row| {
                    sealed.push(row.seq);
                    Ok::<_, Error>(true)
                });
                visited.unwrap();
                let mut between = right.clone();
                between.retain(|seq| (40..=300).contains(seq));
                assert_eq!(sealed, between, "{filter:?}");
                assert!(between.iter().all(|seq| inside.contains(seq)), "{filter:?}");
                filter.oldest_first = true;
                assert_eq!(leafed(snapshot, &filter), right, "{filter:?}");
                counted += matching;
            }
        }
    }
    assert!(counted > 500, "{counted}");
}

/// The arrival numbers of a filter, seven to a page; each page back again must be the one before.
fn leafed(snapshot: &Snapshot<'_>, filter: &ListFilter) -> Vec<i64> {
    let page = |place| snapshot.report_page(filter, place, 7).unwrap();
    let seqs = |page: &ListPage| page.rows.iter().map(|row| row.seq).collect::<Vec<_>>();
    let (mut found, mut before, mut now) = (Vec::new(), Vec::new(), page(Place::Top));
    loop {
        if let Some(first) = now.rows.first().filter(|_| now.before) {
            assert_eq!(seqs(&page(Place::Before(first.position()))), before);
        }
        assert_eq!(now.before, !found.is_empty());
        before = seqs(&now);
        found.extend(&before);
        match now.rows.last().filter(|_| now.after) {
            Some(last) => now = page(Place::After(last.position())),
            None => return found,
        }
    }
}
