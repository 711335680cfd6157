//! `segnalazioni backup`, as cron calls it: whole while reporters write, private, silent, and tidy (PRODUCT.md §13).

use std::fs;
use std::path::Path;
use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::backups::{archive, back_up, kept_rows, lasting_files, unpacked};
use crate::support::chat::{Person, submit};
use crate::support::disk::mode;
use crate::support::executable::{
    PATH, Server, command, confine, fails, installation, run, succeeds, text,
};
use crate::support::load::Ledger;
use crate::support::program::Program;
use crate::support::{contains, has, wait_for};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a text")).collect();
    names.sort();
    names
}

fn ids(database: &Path) -> Vec<String> {
    let database = Connection::open(database).expect("a database");
    let mut ids = database
        .prepare("SELECT id FROM segnalazioni")
        .expect("a query");
    let ids = ids.query_map([], |row| row.get(0)).expect("ids");
    ids.map(|id| id.expect("an id")).collect()
}

fn ids_in_backup(file: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    fs::write(&path, unpacked(file).1).expect("written");
    ids(&path)
}

#[test]
fn on_a_terminal_it_says_file_reports_and_size() {
    let program = archive(2);
    let mut terminal = std::process::Command::new("script");
    confine(&mut terminal, program.home());
    terminal.args(["-qec", &format!("'{PATH}' backup"), "/dev/null"]);
    let output = run(terminal, "");
    let said = text(&output.stdout);
    let line = said.trim_end();
    assert!(line.starts_with("Backup scritto e verificato: "), "{said}");
    assert!(
        line.contains(".backup (2 segnalazioni, ") && line.ends_with("B)."),
        "{said}"
    );
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn beside_a_server_it_says_nothing_and_every_row_comes_back() {
    let (mut program, _) = Program::with_editor();
    for number in 1..=5 {
        program.report(number);
    }
    assert_eq!(succeeds(program.home(), &["backup"], ""), "");
    program.stop();
    let folder = program.data().join("backups");
    let [name] = &names(&folder)[..] else {
        panic!("one file")
    };
    assert!(
        name.starts_with("segnalazioni-2") && name.ends_with("Z.backup"),
        "{name}"
    );
    assert_eq!((mode(&folder), mode(&folder.join(name))), (0o700, 0o600));

    let other = tempfile::tempdir().expect("a folder");
    let file = folder.join(name);
    succeeds(other.path(), &["restore", file.to_str().unwrap()], "");
    let restored = kept_rows(&other.path().join("data"));
    assert_eq!(restored, kept_rows(program.data()));
    assert_eq!(restored["segnalazioni"].len(), 5);
}

#[test]
fn no_report_acknowledged_before_it_is_missing_though_reporters_go_on() {
    let folder = installation();
    let server = Server::start(folder.path());
    server.log_in().expects_a_flood();
    let (client, ledger) = (server.client(), Ledger::default());
    let mut lost_by_copying = 0;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| ledger.tell_stories(&client));
        }
        for round in 1..=4 {
            let more = ledger.count() + 5;
            let enough = || (ledger.count() >= more).then_some(());
            wait_for("reports", enough);
            let before = ledger.acknowledged();
            let kept = ids_in_backup(&back_up(folder.path(), &[]));
            let lost: Vec<_> = before.iter().filter(|id| !kept.contains(id)).collect();
            assert!(lost.is_empty(), "round {round}: {lost:?}");
            // The control: the same question to a copy of the file.
            let copy = folder.path().join("copia.db");
            fs::copy(folder.path().join("data/segnalazioni.db"), &copy).expect("copied");
            let copied = Connection::open(&copy).expect("a database");
            let found: Result<i64, _> =
                copied.query_row("SELECT count(*) FROM segnalazioni", [], |row| row.get(0));
            lost_by_copying += before
                .len()
                .saturating_sub(usize::try_from(found.unwrap_or(0)).unwrap());
        }
        server.kill();
    });
    assert!(lost_by_copying > 0, "a plain copy would have done");
}

#[test]
fn after_a_kill_what_lies_in_the_log_is_saved_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let id = submit(&server.client(), &Person::numbered(1));
    server.kill();
    let data = folder.path().join("data");
    assert!(data.join("segnalazioni.db-wal").exists());
    assert_eq!(ids_in_backup(&back_up(folder.path(), &[])), [id]);
}

#[test]
fn the_keys_are_not_in_it() {
    let program = archive(2);
    let file = back_up(program.home(), &[]);
    let (_, database) = unpacked(&file);
    let keys = fs::read_to_string(program.data().join("segnalazioni.key")).expect("keys");
    let secrets: Vec<&str> = keys
        .lines()
        .filter(|line| line.starts_with("operational") || line.starts_with("newsroom"))
        .map(|line| line.rsplit(' ').next().expect("a key"))
        .collect();
    assert_eq!(secrets.len(), 2);
    let contains = |needle: &[u8]| database.windows(needle.len()).any(|part| part == needle);
    for secret in secrets {
        use base64::Engine;
        let raw = base64::engine::general_purpose::URL_SAFE_NO_PAD
            .decode(secret)
            .expect("a key");
        assert!(!contains(secret.as_bytes()) && !contains(&raw));
    }
    for text in Person::numbered(1).texts() {
        assert!(!contains(text.as_bytes()), "{text}");
    }
    // The control: what is in the clear would be found.
    assert!(contains(b"In lavorazione"));
}

#[test]
fn keep_leaves_the_newest_and_whatever_is_not_ours() {
    let program = archive(0);
    let folder = program.home().join("copie");
    fs::create_dir(&folder).expect("a folder");
    for other in [
        "appunti.txt",
        "segnalazioni-20200101T000000Z.backup",
        "altro.backup",
    ] {
        fs::write(folder.join(other), "non è un backup").expect("written");
    }
    let made: Vec<String> = (0..4)
        .map(|_| {
            let file = back_up(program.home(), &["--output", "copie", "--keep", "2"]);
            file.file_name().unwrap().to_str().unwrap().to_owned()
        })
        .collect();
    let left = names(&folder);
    assert_eq!(left.len(), 5, "{left:?}");
    for name in &made[2..] {
        assert!(left.contains(name), "{left:?}");
    }
    let line = fails(
        program.home(),
        &["backup", "--output", "uno.backup", "--keep", "2"],
        "",
    );
    assert!(line.contains("--keep vuole una cartella"), "{line}");
}

#[test]
fn it_streams_and_replaces_only_a_backup() {
    let program = archive(1);
    let home = program.home();
    let streamed = run(command(home, &["backup", "--output", "-"]), "");
    assert_eq!(
        (streamed.status.code(), streamed.stderr.len()),
        (Some(0), 0)
    );
    let file = home.join("flusso.backup");
    fs::write(&file, &streamed.stdout).expect("written");
    let said = succeeds(home, &["verify", "flusso.backup"], "");
    contains(&said, &[" è integro: 1 segnalazione.\nAperte"]);
    // In place of an older one, as a fixed name in cron does.
    assert_eq!(
        succeeds(home, &["backup", "--output", "flusso.backup"], ""),
        ""
    );
    assert_ne!(fs::read(&file).unwrap(), streamed.stdout);
    assert_eq!(mode(&file), 0o600);
    // Not in place of anything else.
    let before = lasting_files(program.data());
    for (victim, words) in [
        ("data/segnalazioni.db", "non viene sovrascritto"),
        ("data/segnalazioni.key", "non viene sovrascritto"),
        (
            "manca/x.backup",
            "impossibile scrivere nella cartella manca",
        ),
    ] {
        let line = fails(home, &["backup", "--output", victim], "");
        assert!(line.contains(words), "{line}");
    }
    assert!(lasting_files(program.data()) == before);
}

#[test]
fn what_cannot_be_saved_is_told_in_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = fails(folder.path(), &["backup"], "");
    contains(&line, &["la cartella dei dati ./data non esiste"]);
    assert!(!folder.path().join("data").exists());
    fs::create_dir(folder.path().join("data")).expect("a folder");
    let line = fails(folder.path(), &["backup"], "");
    assert!(line.contains("non c'è un archivio"), "{line}");
    let program = archive(1);
    let spy = "CREATE TRIGGER spia AFTER INSERT ON segnalazioni BEGIN SELECT 1; END;";
    program.plant(spy);
    let line = fails(program.home(), &["backup"], "");
    assert!(line.contains("oggetto inatteso, trigger «spia»"), "{line}");
    assert_eq!(names(&program.data().join("backups")), Vec::<String>::new());
}

#[test]
fn json_tells_what_was_saved() {
    let program = archive(3);
    let ask = |arguments: &[&str]| -> Value {
        serde_json::from_str(&succeeds(program.home(), arguments, "")).expect("JSON")
    };
    let saved = ask(&["backup", "--json"]);
    let file = program.home().join(saved["file"].as_str().unwrap());
    assert_eq!(saved["bytes"], fs::metadata(&file).unwrap().len());
    let (manifest, _) = unpacked(&file);
    assert_eq!(manifest["tables"]["segnalazioni"], 3);
    let verified = ask(&["verify", file.to_str().unwrap(), "--json"]);
    has(&verified, &json!({ "kind": "archivio", "reports": 3 }));
    assert_eq!(
        (&saved["manifest"], &verified["manifest"]),
        (&manifest, &manifest)
    );
}
