//! `segnalazioni restore`: whole or not at all, with the archive before it kept, on this machine and on another one
//! (PRODUCT.md §9).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;

use crate::support::backups::{archive, back_up, home, kept_rows, lasting_files, unpacked};
use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::executable::{Server, command, fails, run, succeeds};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;

/// Kills of a restore; `make soak` has more.
const KILLS: u32 = 24;

/// Files of a data folder under another name than usual.
fn put_aside(data: &Path) -> Vec<PathBuf> {
    let names = disk::files(data).into_keys();
    names
        .filter(|path| path.to_string_lossy().contains("prima-del-ripristino"))
        .collect()
}

#[test]
fn the_archive_comes_back_and_the_one_before_it_is_kept() {
    let mut program = archive(3);
    let file = back_up(home(&program), &[]);
    let saved = kept_rows(program.data());
    program.start_again();
    submit(&program.client(), &Person::numbered(4));
    let session = program.log_in();
    program.stop();
    let later = kept_rows(program.data());

    let before = lasting_files(program.data());
    let file = file.to_str().unwrap();
    let said = succeeds(home(&program), &["restore", file, "--dry-run"], "");
    assert!(
        said.contains("Prova riuscita") && said.contains("3 segnalazioni"),
        "{said}"
    );
    assert!(
        lasting_files(program.data()) == before,
        "a trial changes nothing"
    );

    let said = succeeds(home(&program), &["restore", file], "");
    assert!(said.starts_with("Ripristinato il backup del "), "{said}");
    assert!(
        said.contains("3 segnalazioni") && said.contains("all'avvio si leggono subito"),
        "{said}"
    );
    assert_eq!(kept_rows(program.data()), saved);
    let [aside] = &put_aside(program.data())[..] else {
        panic!("one archive is kept")
    };
    assert!(
        said.contains(aside.file_name().unwrap().to_str().unwrap()),
        "{said}"
    );
    assert_eq!(disk::mode(aside), 0o600);
    let former = tempfile::tempdir().expect("a folder");
    fs::copy(aside, former.path().join("segnalazioni.db")).expect("copied");
    assert_eq!(kept_rows(former.path()), later, "nothing of it is lost");

    program.start_again();
    // Whoever was logged in then or since is not any more.
    let client = program.client();
    assert_eq!(
        Editor::with_cookie(&client, session.cookie().to_owned()).session(),
        401
    );
    let editor = program.log_in();
    assert_eq!(editor.all_ids().len(), 3);
    submit(&program.client(), &Person::numbered(9));
    assert_eq!(editor.all_ids().len(), 4);
}

#[test]
fn beside_a_server_or_another_program_it_is_refused() {
    let mut program = archive(1);
    let file = back_up(home(&program), &[]);
    let arguments = ["restore", file.to_str().unwrap()];
    program.start_again();
    let line = fails(home(&program), &arguments, "");
    assert!(
        line.contains("fermare prima il server") && line.contains("già in uso"),
        "{line}"
    );
    let line = fails(
        home(&program),
        &[&arguments[..], &["--dry-run"]].concat(),
        "",
    );
    assert!(line.contains("fermare prima il server"), "{line}");
    program.stop();
    // Not a server, but somebody whose changes would be lost.
    let other = disk::database(program.data());
    let count = |of: &Connection| {
        of.query_row("SELECT count(*) FROM segnalazioni", [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
    };
    assert_eq!(count(&other), 1);
    let line = fails(home(&program), &arguments, "");
    assert!(line.contains("già in uso"), "{line}");
    assert_eq!(put_aside(program.data()), Vec::<PathBuf>::new());
    assert_eq!(count(&other), 1);
    drop(other);
    succeeds(home(&program), &arguments, "");
}

#[test]
fn on_another_machine_the_first_login_opens_the_reports() {
    let program = archive(2);
    let file = back_up(home(&program), &[]);
    let machine = tempfile::tempdir().expect("a folder");
    // It has run already, and has keys and a pair of its own.
    let server = Server::start(machine.path());
    server.kill();
    let said = succeeds(machine.path(), &["restore", file.to_str().unwrap()], "");
    assert!(said.contains("accedere una volta al pannello"), "{said}");
    for round in ["with the login", "from the key file"] {
        let server = Server::start(machine.path());
        let editor = Editor::log_in(&server.client(), PASSWORD);
        let names: Vec<Value> = editor
            .all_ids()
            .iter()
            .map(|id| editor.report(id)["nome"].clone())
            .collect();
        assert_eq!(names, ["Nome2", "Nome1"], "{round}");
        server.kill();
    }
    let keys = fs::read_to_string(machine.path().join("data/segnalazioni.key")).expect("keys");
    let copies = keys.lines().filter(|line| line.starts_with("newsroom "));
    assert_eq!(copies.count(), 1);
}

#[test]
fn what_nobody_could_ever_read_is_not_put_in_place() {
    // Reports, and no password: only the key file opens them.
    let mut program = Program::start();
    submit(&program.client(), &Person::numbered(1));
    program.stop();
    let file = back_up(home(&program), &[]);
    let file = file.to_str().unwrap();
    let machine = tempfile::tempdir().expect("a folder");
    let line = fails(machine.path(), &["restore", file], "");
    assert!(line.contains("prima che ci fosse una password"), "{line}");
    assert!(!machine.path().join("data/segnalazioni.db").exists());
    // With its key file it is.
    let said = succeeds(home(&program), &["restore", file], "");
    assert!(said.contains("si leggono subito"), "{said}");

    // And such an archive is not put aside for one whose key would take the place of its own.
    let other = back_up(home(&archive(1)), &["--output", "altro.backup"]);
    let copied = home(&program).join("altro.backup");
    assert!(!other.exists(), "its folder is gone with its program");
    let again = archive(1);
    fs::copy(back_up(home(&again), &[]), &copied).expect("copied");
    let before = kept_rows(program.data());
    let line = fails(home(&program), &["restore", "altro.backup"], "");
    assert!(line.contains("Impostare prima una password"), "{line}");
    assert_eq!(kept_rows(program.data()), before);
}

/// The first schema, with what a database of today has in common with it.
fn first_version(today: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let old = Connection::open(folder.join("segnalazioni.db")).expect("a database");
    old.execute_batch(include_str!("../../src/store/migrations/0001_reports.sql"))
        .expect("the first schema");
    old.execute_batch(&format!(
        "PRAGMA user_version = 1; PRAGMA foreign_keys = OFF;
         ATTACH DATABASE '{}' AS today; DELETE FROM counters;",
        today.join("segnalazioni.db").display()
    ))
    .expect("attached");
    for (table, columns) in columns_of(&old) {
        old.execute_batch(&format!(
            "INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM today.{table}"
        ))
        .expect("copied");
    }
    // The trigger counted what the copied counters hold already.
    old.execute_batch(
        "UPDATE counters SET n = (SELECT n FROM today.counters t WHERE t.stato = counters.stato)",
    )
    .expect("counted");
}

/// Tables of a database, each with its columns.
fn columns_of(database: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT m.name, group_concat(c.name, ', ') FROM sqlite_schema m, pragma_table_info(m.name) c
               WHERE m.type = 'table' GROUP BY m.name ORDER BY m.name = 'counters' DESC";
    let mut statement = database.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Rows of the tables and columns that the first schema has.
fn first_rows(data: &Path, first: &[(String, String)]) -> BTreeMap<String, Vec<String>> {
    let database = disk::database(data);
    let rows = |columns: &str, table: &str| {
        let quoted: Vec<String> = columns
            .split(", ")
            .map(|name| format!("quote({name})"))
            .collect();
        let sql = format!(
            "SELECT {} FROM {table} ORDER BY 1",
            quoted.join(" || '|' || ")
        );
        let mut statement = database.prepare(&sql).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    };
    first
        .iter()
        .filter(|(table, _)| !["sessions", "login_attempts"].contains(&table.as_str()))
        .map(|(table, columns)| (table.clone(), rows(columns, table)))
        .collect()
}

/// Backups of each schema that was released, made by the program of then; password: that of all tests.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/backups")
}

/// With `UPDATE_FIXTURES` in the environment a backup is kept for the programs to come.
fn keep_for_later(file: &Path) {
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let version = &unpacked(file).0["schemaVersion"];
        let kept = fixtures().join(format!("schema-{version}.backup"));
        fs::copy(file, kept).expect("copied");
    }
}

#[test]
fn an_archive_of_the_first_schema_is_saved_as_it_is_and_comes_back_as_one_of_today() {
    let program = archive(6);
    let old = tempfile::tempdir().expect("a folder");
    let data = old.path().join("data");
    first_version(program.data(), &data);
    let first = columns_of(&disk::database(&data));
    let file = back_up(old.path(), &[]);
    assert_eq!(unpacked(&file).0["schemaVersion"], 1);
    keep_for_later(&file);
    keep_for_later(&back_up(home(&program), &[]));
    let version = |data: &Path| disk::count(data, "SELECT user_version FROM pragma_user_version");
    assert_eq!(version(&data), 1, "saving migrates nothing");
    let saved = first_rows(&data, &first);
    assert_eq!(saved["segnalazioni"].len(), 6);

    let machine = tempfile::tempdir().expect("a folder");
    let said = succeeds(machine.path(), &["restore", file.to_str().unwrap()], "");
    assert!(said.contains("6 segnalazioni"), "{said}");
    let restored = machine.path().join("data");
    assert!(version(&restored) > 1);
    assert_eq!(first_rows(&restored, &first), saved);
    assert_eq!(
        disk::count(&restored, "SELECT sum(n) FROM arrivals"),
        6,
        "what later schemas count is counted"
    );
    let server = Server::start(machine.path());
    let editor = Editor::log_in(&server.client(), PASSWORD);
    assert_eq!(editor.report(&editor.all_ids()[0])["nome"], "Nome6");
}

#[test]
fn backups_kept_from_earlier_versions_still_come_back() {
    let mut seen = 0;
    for entry in fs::read_dir(fixtures()).expect("fixtures") {
        let file = entry.expect("an entry").path();
        if file
            .extension()
            .is_none_or(|extension| extension != "backup")
        {
            continue;
        }
        seen += 1;
        let machine = tempfile::tempdir().expect("a folder");
        succeeds(machine.path(), &["restore", file.to_str().unwrap()], "");
        let server = Server::start(machine.path());
        let editor = Editor::log_in(&server.client(), PASSWORD);
        let ids = editor.all_ids();
        assert_eq!(ids.len(), 6, "{}", file.display());
        let report = editor.report(&ids[0]);
        assert_eq!(report["nome"], "Nome6");
        assert_eq!(report["note"], "Nota 6");
    }
    assert!(seen >= 2, "the fixtures are not where they are looked for");
}

#[test]
fn a_restore_killed_at_any_moment_leaves_the_old_or_the_new() {
    let program = archive(4);
    let old = tempfile::tempdir().expect("a folder");
    let set = command(old.path(), &["reset-password", "--stdin"]);
    assert!(run(set, PASSWORD).status.success());
    // The old archive was killed itself: part of it is in its log.
    let server = Server::start(old.path());
    submit(&server.client(), &Person::numbered(7));
    server.kill();
    assert!(old.path().join("data/segnalazioni.db-wal").exists());
    let file = back_up(home(&program), &[]);
    let new = kept_rows(program.data());
    let former = kept_rows(&old.path().join("data"));
    let arguments = ["restore", file.to_str().unwrap()];

    let folder = tempfile::tempdir().expect("a folder");
    let fresh = |number: u32| {
        let place = folder.path().join(number.to_string());
        fs::create_dir_all(place.join("data")).expect("a folder");
        for path in disk::files(&old.path().join("data")).into_keys() {
            let copy = place.join("data").join(path.file_name().unwrap());
            fs::copy(path, copy).expect("copied");
        }
        place
    };
    // How long it takes here, to spread the kills over it.
    let begun = Instant::now();
    let place = fresh(KILLS);
    succeeds(&place, &arguments, "");
    assert_eq!(kept_rows(&place.join("data")), new);
    let whole = begun.elapsed();
    let (mut olds, mut news) = (0, 0);
    for number in 0..KILLS {
        let place = fresh(number);
        let mut child = command(&place, &arguments).spawn().expect("it runs");
        thread::sleep(whole * number / KILLS);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        // Whoever opens it to write finishes or takes back what SQLite was at, as the server would.
        let reports = disk::count(&place.join("data"), "SELECT count(*) FROM segnalazioni");
        assert!([1, 4].contains(&reports));
        let found = kept_rows(&place.join("data"));
        if found == former {
            olds += 1;
        } else {
            assert_eq!(found, new, "kill {number}");
            news += 1;
        }
        // What it left behind is in nobody's way.
        succeeds(&place, &arguments, "");
        assert_eq!(kept_rows(&place.join("data")), new, "after kill {number}");
        let left = disk::files(&place.join("data")).into_keys();
        let mut scratch = left.filter(|path| path.to_string_lossy().contains("scratch"));
        assert_eq!(scratch.next(), None, "after kill {number}");
    }
    assert!(olds > 0, "no kill came early enough: {news} came late");
    assert!(Duration::ZERO < whole);
}
