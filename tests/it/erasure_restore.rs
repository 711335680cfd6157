//! What was erased stays so whatever backup is gone back to: the ledger of the present archive and that of the file hold
//! together (PRODUCT.md §13).

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::backups::{self, archive, back_up};
use crate::support::disk::{count, pieces_found, sealed_of};
use crate::support::doctor::ask;
use crate::support::executable::{Server, command, succeeds};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::{assert_gone, contains, has};

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
    back_up(program.home(), &["--output", &packed]);
    let told = editor.get("/backup").expect(200);
    fs::write(program.home().join(&json), told.text()).expect("written");
    [packed, json].map(|name| program.home().join(name).display().to_string())
}

fn restored(folder: &Path, file: &str) -> Value {
    let said = backups::restore(folder, file, &["--force", "--json"]);
    serde_json::from_str(&said).expect("JSON")
}

fn in_archive(folder: &Path, id: &str) -> bool {
    let sql = format!("SELECT count(*) FROM segnalazioni WHERE id = '{id}'");
    count(&folder.join("data"), &sql) == 1
}

#[test]
fn an_older_backup_of_either_kind_does_not_bring_it_back() {
    let story = story();
    let here = story.program.home();
    for file in &story.before {
        let told = restored(here, file);
        has(&told, &json!({ "reports": 3, "stillErased": 1 }));
        assert!(!in_archive(here, &story.erased), "{file}");
        let ledger = "SELECT count(*) FROM erased";
        assert_eq!(count(&here.join("data"), ledger), 1);
    }
    let said = succeeds(here, &["restore", &story.before[0], "--dry-run"], "");
    contains(
        &said,
        &["1 segnalazione del backup era stata cancellata: non torna."],
    );
    let server = Server::start(here);
    let editor = server.log_in();
    assert_eq!(editor.all_ids().len(), 3);
    assert_gone(&editor, &story.erased);
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
        let sums =
            "SELECT (SELECT sum(n) FROM counts WHERE kind = 'stato') = count(*) FROM segnalazioni";
        assert_eq!(count(&machine.path().join("data"), sums), 1);
    }
}

#[test]
fn where_the_present_archive_cannot_tell_the_operator_is_told() {
    for (loss, ledger) in [
        (None, "letto"),
        (Some(None), "assente"),
        (Some(Some("rovinato ".repeat(2_000))), "illeggibile"),
        (Some(Some(String::new())), "illeggibile"),
    ] {
        let story = story();
        let here = story.program.home();
        let present = here.join("data/segnalazioni.db");
        let known = loss.is_none();
        match loss {
            None => {}
            Some(None) => fs::remove_file(&present).expect("removed"),
            Some(Some(content)) => fs::write(&present, content).expect("written"),
        }
        for file in &story.before {
            let arguments = ["restore", file, "--force", "--dry-run"];
            let trial = succeeds(here, &arguments, "");
            assert_eq!(
                trial.contains("vanno cancellate di nuovo"),
                !known,
                "{trial}"
            );
        }
        let told = restored(here, &story.before[0]);
        assert_eq!(told["ledger"], ledger);
        assert_eq!(told["stillErased"], u8::from(known));
        assert_eq!(in_archive(here, &story.erased), !known);
    }
}

/// What a restore or backup leaves that is killed, with a whole archive in it.
fn left_by_a_killed_command(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!(".segnalazioni-scratch-{name}"));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&path)
        .unwrap();
    let file = path.join("segnalazioni.db");
    fs::write(&file, "").unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
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
    let (_, found) = ask(command(program.home(), &["doctor", "--json"]));
    found.says("cartella dei dati", "attenzione", "comando interrotto");
    program.start_again();
    assert!(at_start.iter().all(|path| !path.exists()));

    let later = left();
    // The control: what a running command holds.
    let held = left_by_a_killed_command(&data, "b");
    let lock = fs::File::open(&held).unwrap();
    lock.lock().unwrap();
    let editor = program.log_in();
    let erased = editor.erase(&editor.all_ids()[0]).expect(200);
    assert_eq!(erased.json()["settled"], true);
    assert!(later.iter().all(|path| !path.exists()));
    assert!(held.join("segnalazioni.db").exists());
    drop(lock);
}
