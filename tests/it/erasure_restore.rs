//! What was erased stays so whatever backup is gone back to: the ledger of the present archive and that of the file hold
//! together (PRODUCT.md §9).

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::backups::{archive, back_up, home};
use crate::support::disk::{count, mode, pieces_found, sealed_of};
use crate::support::doctor::ask;
use crate::support::executable::{Server, command, succeeds};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;

/// An archive of four reports of which the second was erased: backups of both kinds from before and from after.
struct Story {
    program: Program,
    erased: String,
    before: [String; 2],
    after: [String; 2],
}

fn story() -> Story {
    let mut program = archive(4);
    program.start_again();
    let editor = program.log_in();
    let erased = editor.all_ids()[1].clone();
    let before = saved(&program, &editor, "prima");
    let sealed = sealed_of(program.data(), &erased);
    editor.erase(&erased).expect(200);
    let after = saved(&program, &editor, "dopo");
    program.stop();
    assert_eq!(pieces_found(program.data(), &sealed), 0);
    Story {
        program,
        erased,
        before,
        after,
    }
}

/// A backup of the command and one of the panel.
fn saved(program: &Program, editor: &Editor, name: &str) -> [String; 2] {
    let (packed, json) = (format!("{name}.backup"), format!("{name}.json"));
    back_up(home(program), &["--output", &packed]);
    let told = editor.get("/backup").expect(200);
    fs::write(home(program).join(&json), told.text()).expect("written");
    [packed, json].map(|name| home(program).join(name).display().to_string())
}

fn restored(folder: &Path, file: &str) -> Value {
    let said = succeeds(folder, &["restore", file, "--json"], "");
    serde_json::from_str(&said).expect("JSON")
}

fn in_archive(folder: &Path, id: &str) -> bool {
    let sql = format!("SELECT count(*) FROM segnalazioni WHERE id = '{id}'");
    count(&folder.join("data"), &sql) == 1
}

#[test]
fn an_older_backup_of_either_kind_does_not_bring_it_back() {
    let story = story();
    let here = home(&story.program);
    for file in &story.before {
        let told = restored(here, file);
        assert_eq!(
            (&told["reports"], &told["stillErased"]),
            (&json!(3), &json!(1))
        );
        assert!(!in_archive(here, &story.erased), "{file}");
        let ledger = "SELECT count(*) FROM erased";
        assert_eq!(count(&here.join("data"), ledger), 1);
    }
    let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
    assert!(
        said.contains("1 segnalazione del backup era stata cancellata: non torna."),
        "{said}"
    );
    let server = Server::start(here);
    let editor = Editor::log_in(&server.client(), PASSWORD);
    assert_eq!(editor.all_ids().len(), 3);
    editor
        .get(&format!("/reports/{}", story.erased))
        .problem(410, "cancellata");
}

#[test]
fn the_ledger_travels_with_the_newer_backup_of_either_kind() {
    let story = story();
    for newer in &story.after {
        let machine = tempfile::tempdir().expect("a folder");
        // The control: a machine that never heard of the erasure takes it back.
        let told = restored(machine.path(), &story.before[0]);
        assert_eq!(told["stillErased"], 0);
        assert!(in_archive(machine.path(), &story.erased));
        restored(machine.path(), newer);
        for older in &story.before {
            let told = restored(machine.path(), older);
            assert_eq!(told["stillErased"], 1, "{newer}, then {older}");
            assert!(!in_archive(machine.path(), &story.erased));
        }
        let sums = "SELECT (SELECT sum(n) FROM counters) = count(*) FROM segnalazioni";
        assert_eq!(count(&machine.path().join("data"), sums), 1);
    }
}

/// The list of erased reports beside the database.
const LEDGER: &str = "data/segnalazioni.cancellate";

/// What becomes of a database.
fn lose(folder: &Path) {
    for name in [
        "segnalazioni.db",
        "segnalazioni.db-wal",
        "segnalazioni.db-shm",
    ] {
        // A log is not always there.
        let _ = fs::remove_file(folder.join("data").join(name));
    }
}

/// What the server may have saved by itself goes.
fn forget_backups(folder: &Path) {
    match fs::remove_dir_all(folder.join("data/backups")) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
        _ => {}
    }
}

fn damage(folder: &Path) {
    lose(folder);
    fs::write(
        folder.join("data/segnalazioni.db"),
        "rovinato ".repeat(2_000),
    )
    .expect("written");
}

/// Nothing is left of a database but its name.
fn empty(folder: &Path) {
    lose(folder);
    fs::write(folder.join("data/segnalazioni.db"), "").expect("written");
}

#[test]
fn a_database_that_is_lost_or_damaged_takes_no_erasure_with_it() {
    for (ruin, with_ledger) in [
        (lose as fn(&Path), true),
        (damage, true),
        (empty, true),
        // The control: without the list beside the database it comes back, and the operator is told.
        (lose, false),
        (damage, false),
        (empty, false),
    ] {
        let story = story();
        let here = home(&story.program);
        // The older backup comes from another disk: this folder has none.
        forget_backups(here);
        assert_eq!(mode(&here.join(LEDGER)), 0o600);
        ruin(here);
        if !with_ledger {
            fs::remove_file(here.join(LEDGER)).expect("removed");
        }
        let trial = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
        let told = restored(here, &story.before[0]);
        assert_eq!(told["stillErased"], u8::from(with_ledger));
        assert_eq!(told["ledgerUnreadable"], !with_ledger);
        assert_eq!(told["ledgerReadUpTo"], Value::Null);
        assert_eq!(in_archive(here, &story.erased), !with_ledger);
        assert_eq!(
            trial.contains("vanno cancellate di nuovo"),
            !with_ledger,
            "{trial}"
        );
    }
}

#[test]
fn the_panels_file_does_not_bring_it_back_after_a_loss_either() {
    for ruin in [lose as fn(&Path), empty] {
        let story = story();
        let here = home(&story.program);
        ruin(here);
        assert_eq!(restored(here, &story.before[1])["stillErased"], 1);
        assert!(!in_archive(here, &story.erased));
    }
}

#[test]
fn without_the_list_the_newest_backup_of_the_folder_and_what_was_put_aside_are_asked() {
    let story = story();
    let here = home(&story.program);
    let newest = back_up(here, &[]);
    fs::write(
        newest.with_file_name("segnalazioni-29990101T000000Z.backup"),
        "altro",
    )
    .unwrap();
    lose(here);
    fs::remove_file(here.join(LEDGER)).expect("removed");
    let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
    assert!(said.contains("quello del backup del "), "{said}");
    let told = restored(here, &story.before[0]);
    assert_eq!(told["stillErased"], 1);
    assert_eq!(told["ledgerUnreadable"], true);
    assert!(told["ledgerReadUpTo"].is_string(), "{told}");
    assert!(!in_archive(here, &story.erased));

    // Once more, with nothing left but the archive that another restore puts aside.
    restored(here, &story.before[0]);
    forget_backups(here);
    assert!(!here.join(LEDGER).exists(), "no server has begun since");
    lose(here);
    let told = restored(here, &story.before[0]);
    assert_eq!(told["stillErased"], 1);
    assert_eq!(told["ledgerUnreadable"], true);
    assert!(!in_archive(here, &story.erased));
}

#[test]
fn a_damaged_list_is_noticed_and_made_anew_of_the_archive() {
    let story = story();
    let here = home(&story.program);
    let good = fs::read(here.join(LEDGER)).expect("a list");
    forget_backups(here);
    for length in [good.len() - 1, good.len() / 2, 0] {
        fs::write(here.join(LEDGER), &good[..length]).expect("written");
        let kept = fs::read(here.join("data/segnalazioni.db")).expect("a database");
        lose(here);
        let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
        assert!(
            said.contains("vanno cancellate di nuovo"),
            "{length}: {said}"
        );
        fs::write(here.join("data/segnalazioni.db"), kept).expect("written");
    }
    let server = Server::start(here);
    let errors = server.errors();
    assert!(
        errors.contains("the list of erased reports was damaged"),
        "{errors}"
    );
    server.kill();
    assert!(fs::read(here.join(LEDGER)).expect("a list") == good);
    let aside = here.join("data/segnalazioni.cancellate.rovinato");
    assert_eq!(mode(&aside), 0o600);
    let (_, found) = ask(command(here, &["doctor", "--json"]));
    found.says("archivio", "attenzione", "era rovinato ed è stato rifatto");
    fs::remove_file(aside).expect("removed");
    let (_, found) = ask(command(here, &["doctor", "--json"]));
    found.says("archivio", "ok", "integro");
    // And what a killed server did not get round to.
    fs::remove_file(here.join(LEDGER)).expect("removed");
    Server::start(here).kill();
    assert!(fs::read(here.join(LEDGER)).expect("a list") == good);
}

#[test]
fn a_panels_file_with_a_broken_ledger_changes_nothing() {
    let story = story();
    let here = home(&story.program);
    let mut file: Value =
        serde_json::from_str(&fs::read_to_string(&story.after[1]).unwrap()).unwrap();
    assert_eq!(file["erased"].as_array().unwrap().len(), 1);
    for wrong in [
        json!("x"),
        json!([{ "trace": "zz", "at": "2026-03-10T09:00:00Z", "cause": "richiesta" }]),
    ] {
        file["erased"] = wrong;
        let path = here.join("rovinato.json");
        fs::write(&path, file.to_string()).unwrap();
        let line =
            crate::support::executable::fails(here, &["restore", path.to_str().unwrap()], "");
        assert!(line.contains("«erased»"), "{line}");
    }
    assert_eq!(
        count(&here.join("data"), "SELECT count(*) FROM segnalazioni"),
        3
    );
}

/// What a restore or backup leaves that is killed, with a whole archive in it.
fn left_by_a_killed_command(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!(".segnalazioni-scratch-{name}"));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&path)
        .unwrap();
    for file in ["segnalazioni.lock", "segnalazioni.db"] {
        fs::write(path.join(file), "").unwrap();
        fs::set_permissions(path.join(file), fs::Permissions::from_mode(0o600)).unwrap();
    }
    path
}

#[test]
fn what_a_killed_command_left_is_gone_after_a_start_and_when_an_erasure_is_settled() {
    let mut program = archive(2);
    let data = program.data().to_owned();
    let left = || {
        [data.clone(), data.join("backups")].map(|folder| left_by_a_killed_command(&folder, "a"))
    };
    let at_start = left();
    let (_, found) = ask(command(home(&program), &["doctor", "--json"]));
    found.says("cartella dei dati", "attenzione", "comando interrotto");
    program.start_again();
    assert!(at_start.iter().all(|path| !path.exists()));

    let later = left();
    // The control: what a running command holds.
    let held = left_by_a_killed_command(&data, "b");
    let lock = fs::File::open(held.join("segnalazioni.lock")).unwrap();
    lock.lock().unwrap();
    let editor = program.log_in();
    let erased = editor.erase(&editor.all_ids()[0]).expect(200);
    assert_eq!(erased.json()["settled"], true);
    assert!(later.iter().all(|path| !path.exists()));
    assert!(held.join("segnalazioni.db").exists());
    drop(lock);
}

#[test]
fn making_a_damaged_list_anew_loses_no_line_and_is_not_forgotten() {
    let story = story();
    let here = home(&story.program);
    forget_backups(here);
    lose(here);
    let damaged = fs::read_to_string(here.join(LEDGER)).unwrap() + "x\n";
    fs::write(here.join(LEDGER), &damaged).unwrap();
    let line = damaged.lines().nth(1).unwrap();
    // Here the new list cannot be written.
    let in_the_way = here.join("data/.segnalazioni.cancellate.tmp");
    fs::create_dir(&in_the_way).unwrap();
    Server::start(here).kill();
    assert_eq!(fs::read_to_string(here.join(LEDGER)).unwrap(), damaged);
    fs::remove_dir(&in_the_way).unwrap();
    // One that was killed after it had put the damaged one aside.
    let aside = here.join("data/segnalazioni.cancellate.rovinato");
    fs::rename(here.join(LEDGER), &aside).unwrap();
    Server::start(here).kill();
    assert!(
        fs::read_to_string(here.join(LEDGER))
            .unwrap()
            .contains(line)
    );
    // Damaged once more: both are kept, and both are read.
    fs::write(here.join(LEDGER), "altro").unwrap();
    Server::start(here).kill();
    assert!(
        fs::read_to_string(here.join(LEDGER))
            .unwrap()
            .contains(line)
    );
    let kept = fs::read_to_string(&aside).unwrap();
    assert!(
        kept.starts_with(&damaged) && kept.ends_with("altro"),
        "{kept}"
    );

    let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
    assert!(said.contains("era rovinato ed è stato rifatto"), "{said}");
    assert!(said.contains("vanno cancellate di nuovo"), "{said}");
    let told = restored(here, &story.before[0]);
    assert_eq!(told["ledgerUnreadable"], true);
    assert_eq!(told["stillErased"], 1);
}

#[test]
fn a_list_that_cannot_be_read_keeps_nobody_from_a_restore() {
    for with_database in [true, false] {
        let story = story();
        let here = home(&story.program);
        fs::remove_file(here.join(LEDGER)).unwrap();
        fs::create_dir(here.join(LEDGER)).unwrap();
        if !with_database {
            forget_backups(here);
            lose(here);
        }
        let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
        assert!(
            said.contains("segnalazioni.cancellate: è una cartella"),
            "{said}"
        );
        assert!(said.contains("vanno cancellate di nuovo"), "{said}");
        let told = restored(here, &story.before[0]);
        assert_eq!(told["ledgerUnreadable"], true);
        assert_eq!(told["stillErased"], u8::from(with_database));
    }
}

#[test]
fn a_backup_dated_ahead_does_not_hide_a_newer_list() {
    let program = archive(3);
    let here = home(&program).to_owned();
    let server = Server::start(&here);
    let editor = Editor::log_in(&server.client(), PASSWORD);
    let before = back_up(&here, &[]);
    let ahead = before.with_file_name("segnalazioni-29990101T000000Z.backup");
    fs::rename(&before, &ahead).unwrap();
    let file = here.join("prima.backup");
    fs::copy(&ahead, &file).unwrap();
    editor.erase(&editor.all_ids()[0]).expect(200);
    back_up(&here, &[]);
    server.kill();
    lose(&here);
    fs::remove_file(here.join(LEDGER)).unwrap();
    let told = restored(&here, file.to_str().unwrap());
    assert_eq!(told["stillErased"], 1);
    let (read, made) = (told["ledgerReadUpTo"].as_str(), told["created"].as_str());
    assert!(read.is_some() && read >= made, "{told}");
}

#[test]
fn a_new_installation_says_that_it_knows_nothing_of_erasures() {
    let story = story();
    let says = |folder: &Path| {
        succeeds(folder, &["restore", &story.before[1]], "")
            .contains("non sa che cosa è stato cancellato")
    };
    let machine = tempfile::tempdir().expect("a folder");
    assert!(says(machine.path()));
    let started = tempfile::tempdir().expect("a folder");
    Server::start(started.path()).kill();
    assert!(says(started.path()));
    // The control: the one that has erased.
    assert!(!says(home(&story.program)));
}

#[test]
fn a_backup_of_another_installation_is_said_to_be_one() {
    let story = story();
    let other = archive(2);
    for trial in [&["--dry-run"][..], &[]] {
        let told = |folder: &Path, file: &str| {
            let arguments = [&["restore", file], trial].concat();
            let said = succeeds(folder, &arguments, "").contains("di un'altra installazione");
            let arguments = [&arguments[..], &["--json"]].concat();
            let told: Value = serde_json::from_str(&succeeds(folder, &arguments, "")).unwrap();
            (said, told["ledgerOfOthers"].clone())
        };
        // The control: its own, from before and from after.
        for own in [&story.before[0], &story.after[0]] {
            assert_eq!(told(home(&story.program), own), (false, json!(false)));
        }
        // The second of the two restores has that installation's archive before it.
        let again = json!(!trial.is_empty());
        assert_eq!(told(home(&other), &story.before[0]), (true, again));
    }
}
