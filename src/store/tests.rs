//! The write path, through the store's own face: what is answered is on disk, and one bad job harms no other.

mod log;
mod pages;
mod plans;
mod sight;

use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;

use super::connection::{known_version, upgrade_to};
use super::*;

/// For rows that a test inserts itself: they are counted like those that [`Tx::insert_report`] stores.
const COUNTED: &str =
    "CREATE TEMP TRIGGER counted AFTER INSERT ON segnalazioni BEGIN
        UPDATE counts SET n = n + 1 WHERE kind = 'stato' AND key = NEW.stato AND department = NEW.department;
        INSERT INTO counts (kind, key, department, n) VALUES ('quarter', NEW.data_creazione / 900000, NEW.department, 1)
            ON CONFLICT (kind, key, department) DO UPDATE SET n = n + 1;
    END;";

fn open(folder: &Path) -> Store {
    Store::open(folder, Box::new(|| panic!("a sync failed"))).unwrap()
}

fn put(tx: &Tx<'_>, name: &str) -> Result<()> {
    tx.put_credential(name, 0)
}

fn stored(store: &Store) -> Option<String> {
    store.read(|snapshot| snapshot.credential()).unwrap()
}

/// Holds the writer until the gate is waited for: what is queued meanwhile becomes one transaction.
fn hold_writer(store: &Store) -> Arc<Barrier> {
    let together = Arc::new(Barrier::new(2));
    let gate = Arc::clone(&together);
    store.enqueue(
        Undo::Alone,
        move |_| {
            gate.wait();
            gate.wait();
            Ok::<_, Error>(())
        },
        |_| (),
    );
    // It has begun: what is queued from now on is not of its own transaction.
    together.wait();
    together
}

#[test]
fn a_change_that_fails_leaves_nothing_and_harms_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let together = hold_writer(&store);
    let (answers, outcomes) = sync_channel(3);
    for (name, fails) in [("uno", false), ("due", true), ("tre", false)] {
        let answers = answers.clone();
        store.enqueue(
            Undo::Alone,
            move |tx| {
                put(tx, name)?;
                if fails { Err(Error::Closed) } else { Ok(name) }
            },
            move |outcome: Result<&str>| answers.send((name, outcome.is_ok())).unwrap(),
        );
    }
    together.wait();
    let outcomes: Vec<_> = (0..3).map(|_| outcomes.recv().unwrap()).collect();
    assert_eq!(outcomes, [("uno", true), ("due", false), ("tre", true)]);
    assert_eq!(stored(&store).as_deref(), Some("tre"));
}

/// How three changes of one transaction end, the second of which fails, after it has written or before; and what is stored.
fn ends_beside_a_bare_one(written: bool) -> (Vec<(&'static str, bool)>, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(|tx| put(tx, "prima")).unwrap();
    let together = hold_writer(&store);
    let (answers, outcomes) = sync_channel(3);
    for name in ["uno", "due", "tre"] {
        let answers = answers.clone();
        store.enqueue(
            Undo::WithOthers,
            move |tx| {
                let fails = name == "due";
                if written || !fails {
                    put(tx, name)?;
                }
                if fails { Err(Error::Closed) } else { Ok(()) }
            },
            move |outcome: Result<()>| answers.send((name, outcome.is_ok())).unwrap(),
        );
    }
    together.wait();
    let outcomes = (0..3).map(|_| outcomes.recv().unwrap()).collect();
    store.write(|_| Ok::<_, Error>(())).unwrap();
    (outcomes, stored(&store))
}

#[test]
fn a_bare_change_that_fails_is_undone_with_those_before_it_if_it_has_written() {
    let refused = ends_beside_a_bare_one(false);
    let all = vec![("uno", true), ("due", false), ("tre", true)];
    assert_eq!(refused, (all, Some("tre".to_owned())));
    let broken = ends_beside_a_bare_one(true);
    // What came after it has a transaction of its own.
    let last = vec![("uno", false), ("due", false), ("tre", true)];
    assert_eq!(broken, (last, Some("tre".to_owned())));
}

#[test]
fn an_epoch_of_a_change_that_failed_is_stored_by_the_next() {
    let store = Store::in_memory().unwrap();
    let epoch = || EpochRow {
        id: 7,
        key_id: "k".to_owned(),
        born: 0,
        sealed: Vec::new(),
    };
    let paired = store.write(|tx| tx.activate_key_pair("k", &[0; 32], 0));
    paired.unwrap();
    let failed = store.write(move |tx| {
        tx.ensure_epoch(7, epoch)?;
        Err::<(), _>(Error::Closed)
    });
    assert!(failed.is_err());
    store.write(move |tx| tx.ensure_epoch(7, epoch)).unwrap();
    assert!(store.read(|snapshot| snapshot.epoch(7)).unwrap().is_some());
}

#[test]
fn a_change_that_panics_is_rolled_back_and_the_writer_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(|tx| put(tx, "prima")).unwrap();
    let outcome = store.write(|tx| -> Result<()> {
        put(tx, "durante")?;
        panic!("on purpose");
    });
    assert!(outcome.is_err());
    assert_eq!(stored(&store).as_deref(), Some("prima"));
    store.write(|tx| put(tx, "dopo")).unwrap();
    assert_eq!(stored(&store).as_deref(), Some("dopo"));
}

#[test]
fn what_was_answered_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    {
        let store = open(folder.path());
        store.write(|tx| put(tx, "resta")).unwrap();
    }
    assert_eq!(stored(&open(folder.path())).as_deref(), Some("resta"));
}

#[test]
fn a_reader_sees_one_snapshot_whatever_is_written_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path()));
    store.write(|tx| put(tx, "prima")).unwrap();
    let writer = Arc::clone(&store);
    let seen = store
        .read(move |snapshot| {
            let before = snapshot.credential()?;
            writer.write(|tx| put(tx, "dopo"))?;
            Ok::<_, Error>((before, snapshot.credential()?))
        })
        .unwrap();
    assert_eq!(seen, (Some("prima".to_owned()), Some("prima".to_owned())));
    assert_eq!(stored(&store).as_deref(), Some("dopo"));
}

#[test]
fn many_threads_each_get_their_own_answer() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                for round in 0..50 {
                    let value = thread * 1000 + round;
                    assert_eq!(store.write(move |_| Ok::<_, Error>(value)).unwrap(), value);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 400);
}

#[test]
fn a_database_in_memory_reads_what_it_wrote() {
    let store = Store::in_memory().unwrap();
    store.write(|tx| put(tx, "qui")).unwrap();
    assert_eq!(stored(&store).as_deref(), Some("qui"));
}

#[test]
fn a_folder_serves_one_program_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let held = lock_folder(folder.path()).unwrap();
    assert!(matches!(lock_folder(folder.path()), Err(Error::InUse(_))));
    drop(held);
    assert!(lock_folder(folder.path()).is_ok());
}

#[test]
fn another_programs_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("segnalazioni.db");
    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign
        .execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7;")
        .unwrap();
    drop(foreign);
    let before = std::fs::read(&path).unwrap();
    let refused = Store::open(folder.path(), Box::new(|| ())).err();
    assert!(matches!(refused, Some(Error::Foreign(_))), "{refused:?}");
    std::fs::write(
        &path,
        b"no database at all, but long enough to have a header",
    )
    .unwrap();
    let refused = Store::open(folder.path(), Box::new(|| ())).err();
    assert!(matches!(refused, Some(Error::Foreign(_))), "{refused:?}");
    std::fs::write(&path, &before).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_newer_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let path = folder.path().join("segnalazioni.db");
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    drop(newer);
    let refused = Store::open(folder.path(), Box::new(|| ())).err();
    assert!(
        matches!(refused, Some(Error::Newer { found: 999, .. })),
        "{refused:?}"
    );
}

#[test]
fn an_older_database_is_told_from_this_one_and_from_none() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(upgrade_to(folder.path(), 9), None);
    drop(open(folder.path()));
    let known = known_version();
    assert_eq!(
        upgrade_to(folder.path(), known + 1),
        Some((known, known + 1))
    );
    assert_eq!(upgrade_of(folder.path()), None);
    std::fs::write(folder.path().join("segnalazioni.db"), "no database").unwrap();
    assert_eq!(upgrade_to(folder.path(), 9), None);
}

#[test]
fn a_change_of_settings_raises_the_revision_before_and_after_its_commit_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(|tx| put(tx, "prima")).unwrap();
    let before = store.revision();
    store.write(|tx| put(tx, "dopo")).unwrap();
    assert_eq!(store.revision(), before);
    let together = hold_writer(&store);
    store.enqueue(
        Undo::Alone,
        |tx| tx.put_settings(Section::Email, "{}", 0),
        |saved: Result<()>| saved.unwrap(),
    );
    let (answers, outcomes) = sync_channel(1);
    store.enqueue(
        Undo::Alone,
        |tx| Ok::<_, Error>(tx.revision()),
        move |seen| answers.send(seen.unwrap()).unwrap(),
    );
    together.wait();
    let during = outcomes.recv().unwrap();
    assert!(before < during, "{before} {during}");
    let after = store.revision();
    assert!(during < after, "{during} {after}");
}

#[test]
fn what_another_process_commits_raises_the_revision_with_the_next_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let (store, other) = (open(folder.path()), open(folder.path()));
    store.write(|tx| put(tx, "prima")).unwrap();
    let before = store.revision();
    other
        .write(|tx| tx.put_settings(Section::Security, "{}", 0))
        .unwrap();
    assert_eq!(store.revision(), before);
    let inside = store.write(|tx| Ok::<_, Error>(tx.revision())).unwrap();
    assert!(before < inside, "{before} {inside}");
    store.write(|tx| put(tx, "dopo")).unwrap();
    let settled = store.revision();
    store.write(|tx| put(tx, "ancora")).unwrap();
    assert_eq!(store.revision(), settled);
}

#[test]
fn readings_beyond_the_pool_wait_and_each_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(|tx| put(tx, "qui")).unwrap();
    let inside = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            let (store, inside) = (&store, Arc::clone(&inside));
            scope.spawn(move || {
                let read = store.read(move |snapshot| {
                    let now = inside.fetch_add(1, Ordering::AcqRel) + 1;
                    let found = snapshot.credential();
                    inside.fetch_sub(1, Ordering::AcqRel);
                    Ok::<_, Error>((now, found?))
                });
                let (now, found) = read.unwrap();
                assert!(now <= 4, "{now}");
                assert_eq!(found.as_deref(), Some("qui"));
            });
        }
    });
}

/// A row with a number far away: each block that is there is looked at, and no number between.
#[test]
fn whole_blocks_are_those_that_hold_a_report_however_far_apart() {
    let store = Store::in_memory().unwrap();
    let blocks = store.write(|tx| {
        tx.connection.execute_batch(
            "INSERT INTO key_pairs VALUES ('p', zeroblob(32), 0, 1, 0);
             INSERT INTO epochs VALUES (1, 'p', 0, x'');
             WITH seqs (seq) AS (VALUES (-9), (1), (4095), (4096), (9000000000000000))
             INSERT INTO segnalazioni (seq, id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta,
                 epoch, contenuto) SELECT seq, 'r' || seq, 'Nuova', 'generale', 0, 0, '1', zeroblob(16), 1, x'' FROM seqs",
        )?;
        let first: Vec<i64> = tx.whole_blocks()?.into_iter().map(|(block, _)| block).collect();
        let last = "INSERT INTO segnalazioni (seq, id, stato, department, data_creazione, data_aggiornamento, privacy_version,
            impronta, epoch, contenuto) SELECT 9223372036854775807, 'z', stato, department, data_creazione, data_aggiornamento,
            privacy_version, impronta, epoch, contenuto FROM segnalazioni WHERE seq = 1";
        tx.connection.execute_batch(last)?;
        let then: Vec<i64> = tx.whole_blocks()?.into_iter().map(|(block, _)| block).collect();
        Ok::<_, Error>((first, then))
    });
    let far = 9_000_000_000_000_000 / BLOCK;
    assert_eq!(blocks.unwrap(), (vec![1, 0], vec![far, 1, 0]));
}
