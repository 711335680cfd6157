//! `segnalazioni backup`, as cron calls it: whole while reporters write, private, silent, and tidy (PRODUCT.md §13).

use std::fs;
use std::path::Path;
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::memmem;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::backups::{self, archive, back_up, kept_rows, lasting_files, unpacked};
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

/// Ids of the reports in a database.
fn ids(database: &Path) -> Vec<String> {
    let database = Connection::open(database).expect("a database");
    let ids = "SELECT id FROM segnalazioni";
    let mut ids = database.prepare(ids).expect("a query");
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
    let line = text(&output.stdout).trim_end();
    assert!(line.starts_with("Backup scritto e verificato: ") && line.ends_with("B)."));
    contains(line, &[".backup (2 segnalazioni, "]);
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
    let name = names(&folder).concat();
    assert!(name.starts_with("segnalazioni-2") && name.ends_with("Z.backup"));
    assert_eq!((mode(&folder), mode(&folder.join(&name))), (0o700, 0o600));

    let other = tempfile::tempdir().expect("a folder");
    let file = folder.join(name);
    backups::restore(other.path(), &file, &[]);
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
            wait_for("reports", || (ledger.count() >= more).then_some(()));
            let before = ledger.acknowledged();
            let kept = ids_in_backup(&back_up(folder.path(), &[]));
            let lost: Vec<_> = before.iter().filter(|id| !kept.contains(id)).collect();
            assert!(lost.is_empty(), "round {round}: {lost:?}");
            // The control: the same question to a copy of the file.
            let copy = folder.path().join("copia.db");
            fs::copy(folder.path().join("data/segnalazioni.db"), &copy).expect("copied");
            let copied = Connection::open(&copy).expect("a database");
            let count = "SELECT count(*) FROM segnalazioni";
            let found = copied.query_row(count, [], |row| row.get::<_, u32>(0));
            lost_by_copying += before.len().saturating_sub(found.unwrap_or(0) as usize);
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
    assert!(folder.path().join("data/segnalazioni.db-wal").exists());
    assert_eq!(ids_in_backup(&back_up(folder.path(), &[])), [id]);
}

#[test]
fn the_keys_are_not_in_it() {
    let program = archive(2);
    let (_, database) = unpacked(&back_up(program.home(), &[]));
    let keys = fs::read_to_string(program.data().join("segnalazioni.key")).expect("keys");
    let secret = |line: &str| line.starts_with("operational") || line.starts_with("newsroom");
    let secrets = keys.lines().filter(|line| secret(line));
    let secrets: Vec<&str> = secrets.filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(secrets.len(), 2);
    let found = |needle: &[u8]| memmem::find(&database, needle).is_some();
    for secret in secrets {
        let raw = URL_SAFE_NO_PAD.decode(secret).expect("a key");
        assert!(!found(secret.as_bytes()) && !found(&raw));
    }
    for text in Person::numbered(1).texts() {
        assert!(!found(text.as_bytes()), "{text}");
    }
    // The control: what is in the clear would be found.
    assert!(found(b"In lavorazione"));
}

#[test]
fn keep_leaves_the_newest_and_whatever_is_not_ours() {
    let program = archive(0);
    let folder = program.home().join("copie");
    fs::create_dir(&folder).expect("a folder");
    for other in "appunti.txt segnalazioni-20200101T000000Z.backup altro.backup".split(' ') {
        fs::write(folder.join(other), "non è un backup").expect("written");
    }
    let keep = |target: &'static str| ["--output", target, "--keep", "2"];
    let made = [(); 4].map(|()| back_up(program.home(), &keep("copie")));
    assert_eq!(names(&folder).len(), 5);
    assert!(made[2..].iter().all(|file| file.exists()));
    let refused = [&["backup"], &keep("uno.backup")[..]].concat();
    let line = fails(program.home(), &refused, "");
    contains(line, &["--keep vuole una cartella"]);
}

#[test]
fn it_streams_and_replaces_only_a_backup() {
    let program = archive(1);
    let home = program.home();
    let streamed = run(command(home, &["backup", "--output", "-"]), "");
    assert_eq!(text(&streamed.stderr), "");
    assert_eq!(streamed.status.code(), Some(0));
    let file = home.join("flusso.backup");
    fs::write(&file, &streamed.stdout).expect("written");
    let said = backups::verify(home, "flusso.backup");
    contains(said, &[" è integro: 1 segnalazione.\nAperte"]);
    // In place of an older one, as a fixed name in cron does.
    let replacing = ["backup", "--output", "flusso.backup"];
    assert_eq!(succeeds(home, &replacing, ""), "");
    assert_ne!(fs::read(&file).unwrap(), streamed.stdout);
    assert_eq!(mode(&file), 0o600);
    // Not in place of anything else.
    let before = lasting_files(program.data());
    let nowhere = "impossibile scrivere nella cartella manca";
    for (victim, words) in [
        ("data/segnalazioni.db", "non viene sovrascritto"),
        ("data/segnalazioni.key", "non viene sovrascritto"),
        ("manca/x.backup", nowhere),
    ] {
        let line = fails(home, &["backup", "--output", victim], "");
        contains(line, &[words]);
    }
    assert!(lasting_files(program.data()) == before);
}

#[test]
fn what_cannot_be_saved_is_told_in_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let line = fails(folder.path(), &["backup"], "");
    contains(line, &["la cartella dei dati ./data non esiste"]);
    assert!(!data.exists());
    fs::create_dir(data).expect("a folder");
    let line = fails(folder.path(), &["backup"], "");
    contains(line, &["non c'è un archivio"]);
    let program = archive(1);
    program.plant("CREATE TRIGGER spia AFTER INSERT ON segnalazioni BEGIN SELECT 1; END;");
    let line = fails(program.home(), &["backup"], "");
    contains(line, &["oggetto inatteso, trigger «spia»"]);
    assert_eq!(names(&program.data().join("backups")), [""; 0]);
}

#[test]
fn json_tells_what_was_saved() {
    let program = archive(3);
    let ask = |arguments: &[&str]| -> Value {
        serde_json::from_str(&succeeds(program.home(), arguments, "")).expect("JSON")
    };
    let saved = ask(&["backup", "--json"]);
    let file = program.home().join(saved["file"].as_str().unwrap());
    let (manifest, _) = unpacked(&file);
    assert_eq!(manifest["tables"]["segnalazioni"], 3);
    let bytes = fs::metadata(&file).unwrap().len();
    has(&saved, &json!({ "bytes": bytes, "manifest": manifest }));
    let verified = ask(&["verify", file.to_str().unwrap(), "--json"]);
    let expected = json!({ "kind": "archivio", "reports": 3, "manifest": manifest });
    has(&verified, &expected);
}
