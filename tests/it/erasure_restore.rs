//! What was erased stays so whatever backup is gone back to: the ledger of the present archive and that of the file hold
//! together (PRODUCT.md §9).

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

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

#[test]
fn a_database_that_is_lost_or_damaged_takes_no_erasure_with_it() {
    for (ruin, with_ledger) in [
        (lose as fn(&Path), true),
        (damage, true),
        // The control: without the list beside the database it comes back, and the operator is told.
        (lose, false),
        (damage, false),
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
    let story = story();
    let here = home(&story.program);
    lose(here);
    assert_eq!(restored(here, &story.before[1])["stillErased"], 1);
    assert!(!in_archive(here, &story.erased));
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
