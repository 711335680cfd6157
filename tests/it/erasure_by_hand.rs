//! What was erased stays so when an older database is put in place by hand or by a replicator, without `restore`: the next
//! start of the server compares it with the list beside it (PRODUCT.md §9).

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::support::backups::{altered, archive, back_up, home, unpacked};
use crate::support::disk::{count, database};
use crate::support::executable::Server;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;

/// The list of erased reports beside the database.
const LEDGER: &str = "segnalazioni.cancellate";
/// How many reports of the older database nobody reads, more than the server looks at in one step.
const COPIES: i64 = 5_200;
/// How many of them were erased, more than it erases in one step.
const ERASED: i64 = 1_300;

/// An installation that has stopped, and its database of before its second report was erased.
struct Story {
    program: Program,
    erased: String,
    older: Vec<u8>,
}

fn story() -> Story {
    let mut program = archive(3);
    let older = unpacked(&back_up(home(&program), &["--output", "prima.backup"])).1;
    program.start_again();
    let editor = program.log_in();
    let erased = editor.all_ids()[1].clone();
    editor.erase(&erased).expect(200);
    program.stop();
    Story {
        program,
        erased,
        older,
    }
}

fn put_in_place(data: &Path, bytes: &[u8]) {
    for ending in ["", "-wal", "-shm"] {
        // A log is not always there.
        let _ = fs::remove_file(data.join(format!("segnalazioni.db{ending}")));
    }
    fs::write(data.join("segnalazioni.db"), bytes).expect("written");
}

/// Starts the server on its folder: how many reports it shows, how it answers for the erased one, and what it logged.
fn start(story: &Story) -> (usize, u16, String) {
    let server = Server::start(home(&story.program));
    let editor = Editor::log_in(&server.client(), PASSWORD);
    let answer = editor.get(&format!("/reports/{}", story.erased));
    let seen = (editor.all_ids().len(), answer.status, server.errors());
    server.kill();
    seen
}

/// Entries of the access log for what a start erased.
const NOTED: &str =
    "SELECT count(*) FROM access_log WHERE action = 'REPORT_ERASED' AND report IS NULL AND ip = ''";

#[test]
fn an_older_database_put_in_place_by_hand_does_not_bring_it_back() {
    let story = story();
    let data = story.program.data();
    let ledger = fs::read(data.join(LEDGER)).expect("a list");
    put_in_place(data, &story.older);
    let (reports, status, log) = start(&story);
    assert_eq!((reports, status), (2, 410));
    assert!(
        log.contains("erased again") && log.contains("reports=1"),
        "{log}"
    );
    assert!(!log.contains(&story.erased), "{log}");
    assert_eq!(count(data, "SELECT count(*) FROM erased"), 1);
    assert_eq!(count(data, NOTED), 1);
    assert!(fs::read(data.join(LEDGER)).expect("a list") == ledger);
    // Once is enough.
    let (reports, status, log) = start(&story);
    assert_eq!((reports, status), (2, 410));
    assert!(!log.contains("erased again"), "{log}");
    assert_eq!(count(data, NOTED), 1);
}

#[test]
fn a_list_that_cannot_be_read_or_is_of_another_archive_keeps_no_server_from_starting() {
    let mut other = archive(2);
    other.start_again();
    let editor = other.log_in();
    editor.erase(&editor.all_ids()[0]).expect(200);
    other.stop();
    let foreign = fs::read(other.data().join(LEDGER)).expect("a list");

    let story = story();
    let data = story.program.data();
    let whole = fs::read(data.join(LEDGER)).expect("a list");
    let again = |list: Option<&[u8]>| {
        put_in_place(data, &story.older);
        if let Some(bytes) = list {
            fs::write(data.join(LEDGER), bytes).expect("written");
        } else {
            fs::remove_file(data.join(LEDGER)).expect("removed");
            fs::create_dir(data.join(LEDGER)).expect("made");
        }
        start(&story)
    };
    // The control: nothing here knows of the erasure.
    let (reports, status, log) = again(Some(&foreign));
    assert_eq!((reports, status), (3, 200));
    assert!(!log.contains("erased again"), "{log}");
    // The line can still be read, the sum is gone.
    let (reports, status, log) = again(Some(&whole[..whole.len() - 10]));
    assert_eq!((reports, status), (2, 410));
    assert!(
        log.contains("was damaged") && log.contains("reports=1"),
        "{log}"
    );
    fs::remove_file(data.join(format!("{LEDGER}.rovinato"))).expect("removed");
    let (reports, status, log) = again(None);
    assert_eq!((reports, status), (3, 200));
    assert!(log.contains("cannot be read"), "{log}");
}

/// As the program makes it of an id.
fn trace(id: &str) -> String {
    hex::encode(Sha256::digest(format!("segnalazioni/erased/1\0{id}")))
}

#[test]
fn many_are_erased_in_steps_and_no_other() {
    let mut story = story();
    let copies = format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {COPIES})
         INSERT INTO segnalazioni (seq, id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, contenuto)
         SELECT 1000 + n, printf('copia-%05d', n), 'Nuova', data_creazione, data_creazione, '', impronta, epoch, contenuto
         FROM n, (SELECT * FROM segnalazioni ORDER BY seq LIMIT 1);"
    );
    let older = altered(&story.older, &copies);
    // Every fourth of them was erased later: the list beside the database says so.
    let lines: Vec<String> = (1..=ERASED)
        .map(|n| {
            format!(
                "(x'{}', {n}, 'scadenza')",
                trace(&format!("copia-{:05}", n * 4))
            )
        })
        .collect();
    let data = story.program.data().to_owned();
    let entered = format!(
        "INSERT INTO erased (trace, at, cause) VALUES {}",
        lines.join(",")
    );
    database(&data).execute_batch(&entered).expect("entered");
    story.program.start_again();
    story.program.stop();

    put_in_place(&data, &older);
    story.program.start_again();
    story.program.stop();
    let left = "SELECT count(*) FROM segnalazioni";
    assert_eq!(count(&data, left), 2 + COPIES - ERASED);
    let spared = "SELECT count(*) FROM segnalazioni WHERE id LIKE 'copia-%' AND CAST(substr(id, 7) AS INTEGER) % 4 = 0";
    assert_eq!(count(&data, spared), 0);
    assert_eq!(count(&data, "SELECT count(*) FROM erased"), ERASED + 1);
    assert_eq!(
        count(
            &data,
            "SELECT n FROM erased_counts WHERE cause = 'scadenza'"
        ),
        ERASED
    );
    assert_eq!(count(&data, NOTED), 1, "one entry for all");
}
