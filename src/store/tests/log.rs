//! The log of writes: its keeper carries it over beside the writer, and it begins anew, also after a long reading.

use super::*;

/// Pages written to the log since it was begun anew, and how many of them wait to be carried over.
fn progress(folder: &Path) -> (i64, i64) {
    let eye = connection::open_log_keeper(folder, std::time::Duration::ZERO).unwrap();
    eye.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        let (written, carried): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok((written, written - carried))
    })
    .unwrap()
}

fn written(folder: &Path) -> i64 {
    progress(folder).0
}

/// A connection that reads from the moment of its opening.
fn reading(folder: &Path) -> rusqlite::Connection {
    let reader = connection::open_reader(folder).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    Snapshot::new(&reader).credential().unwrap();
    reader
}

/// Commits until the log has so many pages.
fn fill(store: &Store, folder: &Path, pages: i64) {
    while written(folder) < pages {
        for number in 0..50 {
            store
                .write(move |tx| put(tx, &format!("{number:04}").repeat(500)))
                .unwrap();
        }
    }
}

/// Commits until the log has begun anew: its keeper needs a moment without a commit.
fn until_begun_anew(store: &Store, folder: &Path) {
    let mut longest = 0;
    for number in 0..200_000 {
        store.write(move |tx| put(tx, &number.to_string())).unwrap();
        let now = written(folder);
        if now < longest {
            return;
        }
        longest = now;
    }
    panic!("the log only grows: {longest} pages");
}

#[test]
fn the_log_begins_anew_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    until_begun_anew(&store, folder.path());
    until_begun_anew(&store, folder.path());
    assert_eq!(store.load().failed, 0);
}

#[test]
fn the_log_waits_for_who_reads_and_begins_anew_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path()));
    store.write(|tx| put(tx, "prima")).unwrap();
    let (begun, reads) = sync_channel(0);
    let (go_on, held) = sync_channel::<()>(0);
    let reader = Arc::clone(&store);
    let long = std::thread::spawn(move || {
        reader.read_apart(move |snapshot| {
            let first = snapshot.credential()?;
            begun.send(()).unwrap();
            held.recv().unwrap();
            Ok::<_, Error>((first, snapshot.credential()?))
        })
    });
    reads.recv().unwrap();
    // Far beyond where it would have begun anew: it cannot while it is read.
    fill(&store, folder.path(), 6_000);
    go_on.send(()).unwrap();
    let (first, last) = long.join().unwrap().unwrap();
    assert_eq!(first.as_deref(), Some("prima"));
    assert_eq!(last, first, "what was read changed meanwhile");
    until_begun_anew(&store, folder.path());
    drop(store);
    let again = open(folder.path());
    assert!(stored(&again).is_some());
}

#[test]
fn the_log_begins_anew_also_between_short_readings_that_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(|tx| put(tx, "prima")).unwrap();
    let earlier = reading(folder.path());
    fill(&store, folder.path(), 3_000);
    let later = reading(folder.path());
    drop(earlier);
    // The keeper gets as far as the later one lets it, and is not called again for a thousand pages.
    for number in 0..200_000 {
        store.write(move |tx| put(tx, &number.to_string())).unwrap();
        if progress(folder.path()).1 < 500 {
            break;
        }
    }
    let (long, waiting) = progress(folder.path());
    assert!(
        long >= 3_000 && (1..500).contains(&waiting),
        "{long} {waiting}"
    );
    drop(later);
    for number in 0..10 {
        store.write(move |tx| put(tx, &number.to_string())).unwrap();
    }
    let now = written(folder.path());
    assert!(now < 1_000, "{now}");
}

#[test]
fn nothing_is_carried_over_while_the_log_is_replicated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("replica")).unwrap();
    std::fs::write(folder.path().join("replica/in-corso"), "").unwrap();
    let store = open(folder.path());
    fill(&store, folder.path(), 850);
    // One page at a time: one length at which it is carried over is enough to spoil the replica.
    let mut lengths = std::collections::BTreeSet::new();
    for number in 0..250 {
        store.write(move |tx| put(tx, &number.to_string())).unwrap();
        lengths.insert(written(folder.path()));
    }
    assert!((950..1_050).all(|length| lengths.contains(&length)));
    let (written, waiting) = progress(folder.path());
    assert_eq!(waiting, written);
}
