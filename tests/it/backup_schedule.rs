//! The backups that the server makes by itself: when they are due, how many are kept, what is told of them
//! (PRODUCT.md §13).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::backups;
use crate::support::disk::mode;
use crate::support::executable::{Server, installation};
use crate::support::panel::Editor;
use crate::support::program::{Program, at};
use crate::support::snapshot::table;
use crate::support::wait_for;
use crate::support::{DAY, HOUR, contains, has};

fn backups(program: &Program) -> Vec<PathBuf> {
    backups_in(program.data())
}

fn backups_in(data: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data.join("backups")).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "backup"))
        .collect();
    found.sort();
    found
}

fn round(program: &Program) {
    program.running().back_up().expect("a round");
}

fn told(program: &Program) -> Value {
    program.log_in().get("/system/backups").expect(200).json()
}

fn set(editor: &Editor, frequency: &str) {
    let body = json!({ "backupFrequency": frequency });
    editor.save("/settings/system", &body);
}

#[test]
fn nothing_is_saved_before_there_is_a_password_and_then_at_once() {
    let program = Program::start();
    program.report(1);
    round(&program);
    assert_eq!(backups(&program), Vec::<PathBuf>::new());
    let editor = program.set_up();
    let mut told = json!({ "frequency": "weekly", "last": null, "lastError": null, "incomplete": null, "overdue": false,
        "rehearsal": null, "alarming": false, "files": [] });
    assert_eq!(editor.get("/system/backups").expect(200).json(), told);
    round(&program);
    let [file] = &backups(&program)[..] else {
        panic!("one backup")
    };
    let name = "segnalazioni-20260310T090000Z.backup";
    assert_eq!(file.file_name().unwrap(), name);
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    let (at, bytes) = ("2026-03-10T09:00:00Z", fs::metadata(file).unwrap().len());
    told["last"] = json!({ "name": name, "at": at, "bytes": bytes, "good": true });
    told["rehearsal"] = json!({ "at": at, "ok": true, "message": null, "opened": true });
    told["files"] = json!([told["last"]]);
    assert_eq!(editor.get("/system/backups").expect(200).json(), told);
    let log = editor.get("/logs?action=BACKUP").json()["data"].clone();
    assert_eq!(table(&log, "action ip"), "BACKUP ");
    let said = backups::verify(program.data(), file);
    assert!(said.contains("1 segnalazione"), "{said}");
}

#[test]
fn the_executable_makes_them_by_itself() {
    let folder = installation();
    let _server = Server::start(folder.path());
    let data = folder.path().join("data");
    wait_for("a backup", || (backups_in(&data).len() == 1).then_some(()));
}

#[test]
fn the_date_of_the_newest_decides_also_after_days_of_being_off() {
    let (mut program, _) = Program::with_editor();
    for (frequency, early, late) in [
        ("daily", "2026-03-11T08:59:59Z", "2026-03-11T09:00:00Z"),
        ("weekly", "2026-03-18T08:59:59Z", "2026-03-18T09:00:00Z"),
        // The clocks went forward in between.
        ("monthly", "2026-04-18T07:59:59Z", "2026-04-18T08:00:00Z"),
    ] {
        set(&program.log_in(), frequency);
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
fn a_failure_is_told_tried_again_after_an_hour_and_forgotten_when_it_works() {
    let (program, _) = Program::with_editor();
    round(&program);
    // What is read of the settings is in memory from then on.
    told(&program);
    program.clock.advance(7 * DAY);
    let [present, aside] = ["segnalazioni.db", "altrove"].map(|name| program.data().join(name));
    fs::rename(&present, &aside).expect("moved");
    round(&program);
    let failed = told(&program);
    assert_eq!(failed["lastError"]["at"], "2026-03-17T09:00:00Z");
    let reason = failed["lastError"].to_string();
    contains(reason, &["non c'è un archivio"]);
    assert_eq!(failed["last"]["good"], true);
    assert_eq!(failed["overdue"], false);
    fs::rename(&aside, &present).expect("moved back");
    let moment = Duration::from_millis(1);
    program.clock.advance(HOUR.saturating_sub(moment));
    round(&program);
    assert_eq!(backups(&program).len(), 1, "not yet");
    program.clock.advance(moment);
    round(&program);
    assert_eq!(backups(&program).len(), 2);
    assert_eq!(told(&program)["lastError"], Value::Null);
}

#[test]
fn a_damaged_backup_does_not_count_and_one_of_the_command_does() {
    let (program, _) = Program::with_editor();
    round(&program);
    program.clock.advance(DAY);
    let folder = program.data().join("backups");
    let named = |name: &str| folder.join(format!("segnalazioni-{name}.backup"));
    let last = |at: &str, good: Option<bool>, overdue: bool| {
        let told = told(&program);
        has(&told["last"], &json!({ "at": at, "good": good }));
        assert_eq!(told["overdue"], overdue);
        told
    };
    // Newer than the good one, and not whole.
    let whole = fs::read(&backups(&program)[0]).expect("a backup");
    fs::write(named("20260311T000000Z"), &whole[..whole.len() - 1]).expect("written");
    last("2026-03-11T00:00:00Z", None, false);
    round(&program);
    let read = last("2026-03-10T09:00:00Z", Some(true), false);
    let files = [0, 1].map(|number| read["files"][number]["good"] == true);
    assert_eq!(files, [false, true]);
    program.clock.advance(8 * DAY);
    let late = last("2026-03-10T09:00:00Z", Some(true), true);
    assert_eq!(late["alarming"], true);
    // What cron has made is as good as what the server makes.
    fs::write(named("20260318T000000Z"), &whole).expect("copied");
    round(&program);
    assert_eq!(backups(&program).len(), 3);
    last("2026-03-18T00:00:00Z", Some(true), false);
}

#[test]
fn the_newest_is_rehearsed_every_week_and_a_failure_shows() {
    let program = Program::start();
    set(&program.set_up(), "daily");
    for number in 1..=2 {
        program.report(number);
    }
    round(&program);
    for day in 11..=17 {
        program.clock.advance(DAY);
        round(&program);
        let last = if day < 17 { 10 } else { 17 };
        let at = format!("2026-03-{last}T09:00:00Z");
        let expected = json!({ "at": at, "ok": true, "message": null, "opened": true });
        assert_eq!(told(&program)["rehearsal"], expected, "{day}");
    }
    // A report that no key opens any more is in no sum; only a rehearsal finds it.
    let damage = "UPDATE segnalazioni SET contenuto = zeroblob(80) WHERE seq = 2";
    program.plant(damage);
    program.clock.advance(7 * DAY);
    round(&program);
    let told = told(&program);
    has(&told, &json!({ "alarming": true, "overdue": false }));
    assert_eq!(told["rehearsal"]["ok"], false);
    assert_eq!(told["last"]["good"], true);
    let reason = told["rehearsal"]["message"].to_string();
    contains(&reason, &["la segnalazione più recente non si apre"]);
    let left = fs::read_dir(program.data().join("backups")).expect("a folder");
    let mut names = left.map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| !name.to_string_lossy().starts_with('.')));
}
