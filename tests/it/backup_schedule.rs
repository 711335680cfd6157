//! The backups that the server makes by itself: when they are due, how many are kept, what is told of them
//! (PRODUCT.md §9).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::mode;
use crate::support::executable::{Server, command, run, succeeds};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::{Program, at};
use crate::support::wait_for;

const DAY: Duration = Duration::from_hours(24);
const HOUR: Duration = Duration::from_hours(1);
const PATIENCE: Duration = Duration::from_mins(1);

/// The backups of a program, oldest first.
fn backups(program: &Program) -> Vec<PathBuf> {
    backups_in(program.data())
}

fn backups_in(data: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(data.join("backups")) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "backup")
        })
        .collect();
    found.sort();
    found
}

/// One round of what the server does once a minute.
fn round(program: &Program) {
    program.running().back_up().expect("a round");
}

/// What the panel is told. The session may have ended with the days that went by.
fn told(program: &Program) -> Value {
    program.log_in().get("/system/backups").expect(200).json()
}

fn set(editor: &Editor, frequency: &str) {
    let body = json!({ "backupFrequency": frequency });
    editor.put("/settings/system", &body).expect(200);
}

#[test]
fn nothing_is_saved_before_there_is_a_password_and_then_at_once() {
    let program = Program::start();
    submit(&program.client(), &Person::numbered(1));
    round(&program);
    assert_eq!(backups(&program), Vec::<PathBuf>::new());
    let editor = program.set_up();
    assert_eq!(
        editor.get("/system/backups").expect(200).json(),
        json!({ "frequency": "weekly", "last": null, "lastError": null, "overdue": false, "rehearsal": null,
            "alarming": false, "files": [] })
    );
    round(&program);
    let [file] = &backups(&program)[..] else {
        panic!("one backup")
    };
    assert_eq!(
        file.file_name().unwrap(),
        "segnalazioni-20260310T090000Z.backup"
    );
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(
        editor.get("/system/backups").expect(200).json(),
        json!({
            "frequency": "weekly",
            "last": { "at": "2026-03-10T09:00:00Z", "bytes": fs::metadata(file).unwrap().len(), "verified": true },
            "lastError": null,
            "overdue": false,
            "rehearsal": { "at": "2026-03-10T09:00:00Z", "ok": true, "message": null, "opened": true },
            "alarming": false,
            "files": [{
                "name": "segnalazioni-20260310T090000Z.backup", "at": "2026-03-10T09:00:00Z",
                "bytes": fs::metadata(file).unwrap().len(), "good": true,
            }],
        })
    );
    let log = editor.get("/logs?action=BACKUP").json()["data"].clone();
    assert_eq!(
        (&log[0]["ip"], log.as_array().unwrap().len()),
        (&json!(""), 1)
    );
    let said = succeeds(program.data(), &["verify", file.to_str().unwrap()], "");
    assert!(said.contains("1 segnalazione"), "{said}");
}

#[test]
fn the_executable_makes_them_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = command(folder.path(), &["reset-password", "--stdin"]);
    assert!(run(set, &format!("{PASSWORD}\n")).status.success());
    let _server = Server::start(folder.path());
    let data = folder.path().join("data");
    wait_for("a backup", PATIENCE, || {
        (backups_in(&data).len() == 1).then_some(())
    });
}

#[test]
fn the_date_of_the_newest_decides_also_after_days_of_being_off() {
    let mut program = Program::start();
    let editor = program.set_up();
    for (frequency, early, late) in [
        ("daily", "2026-03-11T08:59:59Z", "2026-03-11T09:00:00Z"),
        ("weekly", "2026-03-18T08:59:59Z", "2026-03-18T09:00:00Z"),
        // The clocks went forward in between.
        ("monthly", "2026-04-18T07:59:59Z", "2026-04-18T08:00:00Z"),
    ] {
        let editor = if frequency == "daily" {
            editor.clone()
        } else {
            program.log_in()
        };
        set(&editor, frequency);
        round(&program);
        let before = backups(&program).len();
        program.clock.set(at(early));
        round(&program);
        assert_eq!(backups(&program).len(), before, "{frequency}");
        program.clock.set(at(late));
        round(&program);
        assert_eq!(backups(&program).len(), before + 1, "{frequency}");
    }
    set(&program.log_in(), "disabled");
    program.clock.advance(400 * DAY);
    round(&program);
    let before = backups(&program).len();
    assert_eq!(told(&program)["overdue"], false);
    set(&program.log_in(), "weekly");
    assert_eq!(told(&program)["overdue"], true);
    program.stop();
    program.clock.advance(100 * DAY);
    program.start_again();
    round(&program);
    // One for all that was missed.
    assert_eq!(backups(&program).len(), before + 1);
    assert_eq!(told(&program)["overdue"], false);
}

#[test]
fn the_last_fourteen_are_kept() {
    let program = Program::start();
    set(&program.set_up(), "daily");
    let mut made = Vec::new();
    for _ in 0..16 {
        round(&program);
        made.push(backups(&program).pop().expect("a backup"));
        program.clock.advance(DAY);
    }
    assert_eq!(backups(&program), made[2..]);
}

#[test]
fn a_clock_that_was_ahead_for_a_while_stops_no_backup() {
    let program = Program::start();
    program.set_up();
    program.clock.advance(1_000 * DAY);
    round(&program);
    program.clock.set(at("2026-03-11T09:00:00Z"));
    round(&program);
    round(&program);
    assert_eq!(backups(&program).len(), 2);
    assert_eq!(told(&program)["last"]["at"], "2026-03-11T09:00:00Z");
    // Nor does one that was behind make one each minute.
    program.clock.set(at("2026-03-10T12:00:00Z"));
    round(&program);
    round(&program);
    assert_eq!(backups(&program).len(), 3);
}

#[test]
fn a_failure_is_told_tried_again_after_an_hour_and_forgotten_when_it_works() {
    let program = Program::start();
    program.set_up();
    round(&program);
    program.clock.advance(7 * DAY);
    // In the place of the next backup's folder for what is being made stands nothing that can be written to.
    let folder = program.data().join("backups");
    let aside = program.data().join("altrove");
    fs::rename(program.data().join("segnalazioni.db"), &aside).expect("moved");
    round(&program);
    let failed = told(&program);
    assert_eq!(failed["lastError"]["at"], "2026-03-17T09:00:00Z");
    let message = failed["lastError"]["message"].as_str().expect("a reason");
    assert!(message.contains("non c'è un archivio"), "{message}");
    assert_eq!(
        (&failed["last"]["verified"], &failed["overdue"]),
        (&json!(true), &json!(false))
    );
    fs::rename(&aside, program.data().join("segnalazioni.db")).expect("moved back");
    program
        .clock
        .advance(HOUR.saturating_sub(Duration::from_millis(1)));
    round(&program);
    assert_eq!(backups(&program).len(), 1, "not yet");
    program.clock.advance(Duration::from_millis(1));
    round(&program);
    assert_eq!(backups(&program).len(), 2);
    assert_eq!(told(&program)["lastError"], Value::Null);
    assert_eq!(
        fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn a_damaged_backup_does_not_count_and_one_of_the_command_does() {
    let program = Program::start();
    program.set_up();
    round(&program);
    program.clock.advance(DAY);
    // Newer than the good one, and not whole.
    let damaged = program
        .data()
        .join("backups/segnalazioni-20260311T000000Z.backup");
    let mut bytes = fs::read(&backups(&program)[0]).expect("a backup");
    bytes.truncate(bytes.len() - 1);
    fs::write(&damaged, &bytes).expect("written");
    let unread = told(&program);
    assert_eq!(
        (&unread["last"]["at"], &unread["last"]["verified"]),
        (&json!("2026-03-11T00:00:00Z"), &json!(false))
    );
    round(&program);
    let read = told(&program);
    assert_eq!(read["last"]["at"], "2026-03-10T09:00:00Z");
    let files = read["files"].as_array().expect("a list").iter();
    let files: Vec<_> = files.map(|file| (&file["at"], &file["good"])).collect();
    assert_eq!(
        files,
        [
            (&json!("2026-03-11T00:00:00Z"), &json!(false)),
            (&json!("2026-03-10T09:00:00Z"), &json!(true)),
        ]
    );
    program.clock.advance(8 * DAY);
    let late = told(&program);
    assert_eq!(
        (&late["overdue"], &late["alarming"]),
        (&json!(true), &json!(true))
    );
    // What cron has made is as good as what the server makes.
    let newest = program
        .data()
        .join("backups/segnalazioni-20260318T000000Z.backup");
    fs::copy(&backups(&program)[0], &newest).expect("copied");
    round(&program);
    assert_eq!(backups(&program).len(), 3);
    let now = told(&program);
    assert_eq!(
        (&now["last"]["at"], &now["last"]["verified"]),
        (&json!("2026-03-18T00:00:00Z"), &json!(true))
    );
    assert_eq!(now["overdue"], false);
}

#[test]
fn the_newest_is_rehearsed_every_week_and_a_failure_shows() {
    let program = Program::start();
    set(&program.set_up(), "daily");
    for number in 1..=2 {
        submit(&program.client(), &Person::numbered(number));
    }
    round(&program);
    for day in 11..=17 {
        program.clock.advance(DAY);
        round(&program);
        let rehearsed = if day < 17 {
            "2026-03-10T09:00:00Z"
        } else {
            "2026-03-17T09:00:00Z"
        };
        let rehearsal = told(&program)["rehearsal"].clone();
        assert_eq!(
            rehearsal,
            json!({ "at": rehearsed, "ok": true, "message": null, "opened": true }),
            "{day}"
        );
    }
    // A report that no key opens any more is in no sum; only a rehearsal finds it.
    let database =
        rusqlite::Connection::open(program.data().join("segnalazioni.db")).expect("a database");
    database
        .execute_batch("UPDATE segnalazioni SET contenuto = zeroblob(80) WHERE seq = 2")
        .expect("damage");
    drop(database);
    program.clock.advance(7 * DAY);
    round(&program);
    let told = told(&program);
    assert_eq!(
        (&told["rehearsal"]["ok"], &told["last"]["verified"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        (&told["alarming"], &told["overdue"]),
        (&json!(true), &json!(false))
    );
    let message = told["rehearsal"]["message"].as_str().expect("a reason");
    assert!(
        message.contains("la segnalazione più recente non si apre"),
        "{message}"
    );
    let left = fs::read_dir(program.data().join("backups")).expect("a folder");
    let scratch = left.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with('.')
    });
    assert_eq!(scratch.count(), 0, "a rehearsal leaves nothing");
}

#[test]
fn a_demonstration_saves_nothing_and_strangers_are_told_nothing() {
    let program = Program::start();
    program.set_up();
    program
        .client()
        .get("/system/backups")
        .problem(401, "non-autenticato");
}
