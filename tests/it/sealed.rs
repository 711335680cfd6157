//! Sealed mode (PRODUCT.md §12): the newsroom's key leaves the key file and comes back, cut off at any step without being
//! lost; a new start where nobody can open the archive.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::backups::{self, back_up, kept_rows};
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk::database;
use crate::support::doctor::examined;
use crate::support::executable::{Server, command, fails, run, serve, succeeds, text};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;
use crate::support::returning::try_code;
use crate::support::small_disk::SmallDisk;

const SEALED: &str = "/security/sealed";

fn key_file(data: &Path) -> PathBuf {
    data.join("segnalazioni.key")
}

/// Whether the key file opens the reports.
fn opens(data: &Path) -> bool {
    let keys = fs::read_to_string(key_file(data)).expect("the key file");
    keys.lines().any(|line| line.starts_with("newsroom "))
}

fn seal(editor: &Editor, code: &str) -> Value {
    editor.post_and_read(SEALED, &json!({ "recoveryCode": code }))
}

fn standing(editor: &Editor) -> (bool, bool) {
    let told = editor.read(SEALED);
    (told["sealed"] == true, told["complete"] == true)
}

/// An installation with one report; its editor, its recovery code, and the report's id.
fn newsroom() -> (Program, Editor, String, String) {
    let program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let id = program.report(1);
    (program, editor, code, id)
}

#[test]
fn without_the_right_code_nothing_is_sealed() {
    let (program, editor, code, _) = newsroom();
    let before = fs::read(key_file(program.data())).expect("the key file");
    let swapped = if code.starts_with('B') { "C" } else { "B" };
    let wrong = format!("{swapped}{}", &code[1..]);
    for (typed, words) in [
        ("", "non è scritto correttamente"),
        ("boh", "non è scritto correttamente"),
        (wrong.as_str(), "non è quello di questo archivio"),
    ] {
        let refused = editor.post_json(SEALED, &json!({ "recoveryCode": typed }));
        let told = refused.invalid()["errors"]["recoveryCode"].to_string();
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(standing(&editor), (false, true));
    assert!(fs::read(key_file(program.data())).expect("the key file") == before);
}

#[test]
fn a_sealed_archive_takes_reports_at_any_time_and_is_read_while_somebody_is_logged_in() {
    let (mut program, editor, code, first) = newsroom();
    assert!(opens(program.data()));
    let told = seal(&editor, &code.to_lowercase().replace('-', " "));
    assert_eq!(told, json!({ "sealed": true, "complete": true }));
    assert!(!opens(program.data()));
    let log = editor.read("/logs?limit=1");
    assert_eq!(log["data"][0]["action"], "SETTINGS_CHANGED");
    assert_eq!(editor.report(&first)["nome"], "Nomeb");
    editor.delete("/session").expect(204);

    // Nobody is logged in: reports are taken, and what goes by itself goes on.
    let second = program.report(2);
    program.round();
    program.running().back_up().expect("a round");
    program.restart();
    let third = program.report(3);
    program.round();
    let editor = program.log_in();
    let names = [&first, &second, &third].map(|id| editor.report(id)["nome"].clone());
    assert_eq!(names, ["Nomeb", "Nomec", "Nomed"]);
    let told = editor.read("/system/backups")["rehearsal"].clone();
    has!(told, "ok": true, "opened": false);
    examined(&editor).says("backup", "ok", "contenuti non aperti (modalità sigillata)");
    assert_eq!(standing(&editor), (true, true));
    assert!(!opens(program.data()), "a login leaves the file as it is");
}

#[test]
fn the_end_of_the_last_session_wipes_the_key_from_memory() {
    for sealed in [true, false] {
        let (mut program, editor, code, id) = newsroom();
        if sealed {
            seal(&editor, &code);
        }
        program.log_in().delete("/session").expect(204);
        assert_eq!(editor.report(&id)["nome"], "Nomeb", "somebody is left");
        // A session that comes back without a login has nothing to open the reports with.
        let thief = database(program.data());
        let kept = "CREATE TEMP TABLE kept AS SELECT * FROM sessions";
        thief.execute_batch(kept).expect("read");
        editor.delete("/session").expect(204);
        let back = "INSERT INTO sessions SELECT * FROM kept";
        thief.execute_batch(back).expect("written");
        let answer = editor.get(&format!("/reports/{id}"));
        if !sealed {
            answer.expect(200);
            continue;
        }
        answer.problem(503, "archivio-sigillato");
        editor.delete(SEALED).problem(503, "archivio-sigillato");
        // Nor has one that outlives a start of the server.
        program.log_in();
        drop(thief);
        program.restart();
        let editor = program.session(&editor);
        editor.get("/reports").problem(503, "archivio-sigillato");
        assert_eq!(program.log_in().report(&id)["nome"], "Nomeb");
    }
}

#[test]
fn login_and_logout_that_a_full_disk_refuses_leave_the_keys_as_they_were() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (mut program, _) = Program::start_at(disk.path());
    let (editor, code) = program.set_up_with_code();
    let unlimited = json!({ "enableRateLimiting": false });
    editor.save_security(&unlimited);
    let id = program.report(1);
    seal(&editor, &code);
    program.restart();
    let old = program.session(&editor);
    let locked = || old.get("/reports").problem(503, "archivio-sigillato");
    locked();
    disk.fill();
    try_log_in(&program.client(), PASSWORD).problem(507, "spazio-esaurito");
    locked();
    // The control: the room kept for editors is theirs now.
    let editor = program.log_in();
    old.delete("/session").expect(204);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    let filler = disk.fill();
    editor.delete("/session").problem(507, "spazio-esaurito");
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    fs::remove_file(filler).expect("removed");
    editor.delete("/session").expect(204);
}

#[test]
fn sealed_mode_is_left_and_the_server_reads_by_itself_again() {
    let (mut program, editor, code, id) = newsroom();
    seal(&editor, &code);
    let told = editor.delete(SEALED).expect(200).json();
    has!(told, "sealed": false, "complete": true);
    assert!(opens(program.data()));
    program.restart();
    // The same session, with no login since the start.
    let editor = program.session(&editor);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

#[test]
fn going_back_to_a_backup_neither_seals_nor_unseals() {
    let (mut program, editor, code, id) = newsroom();
    back_up(program.home(), &["--output", "aperto.backup"]);
    seal(&editor, &code);
    back_up(program.home(), &["--output", "sigillato.backup"]);
    program.stop();
    assert_eq!(access_after_restore(&program, "aperto.backup"), "sigillato");
    program.start_again();
    let editor = program.log_in();
    assert_eq!(standing(&editor), (true, true));
    assert!(!opens(program.data()));

    editor.delete(SEALED).expect(200);
    program.stop();
    assert_eq!(access_after_restore(&program, "sigillato.backup"), "subito");
    program.start_again();
    let editor = program.log_in();
    assert_eq!(standing(&editor), (false, true));
    assert!(opens(program.data()));
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

/// What `restore` says of how the reports can be read.
fn access_after_restore(program: &Program, file: &str) -> String {
    let said = backups::restore(program.home(), file, &["--json"]);
    let told: Value = serde_json::from_str(&said).expect("JSON");
    told["access"].as_str().expect("a word").to_owned()
}

#[test]
fn a_lost_password_of_a_sealed_archive_takes_the_code_and_leaves_it_sealed() {
    let (mut program, editor, code, id) = newsroom();
    seal(&editor, &code);
    program.stop();
    let home = program.home().to_owned();
    let refused = fails(&home, &["reset-password", "--stdin"], OTHER_PASSWORD);
    assert!(refused.contains("serve il codice di recupero"), "{refused}");
    let given = format!("{OTHER_PASSWORD}\n{code}\n");
    succeeds(&home, &["reset-password", "--stdin"], &given);
    assert!(!opens(program.data()));
    program.start_again();
    let editor = Editor::log_in(&program.client(), OTHER_PASSWORD);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    assert_eq!(standing(&editor), (true, true));
}

/// What a kill at one step leaves: what the database says, whether the key file has the copy, and whether the file that was
/// being written lies beside it.
const STEPS: [(bool, bool, bool); 6] = [
    (true, true, false),
    (true, true, true),
    (true, false, true),
    (false, false, false),
    (false, false, true),
    (false, true, true),
];

#[test]
fn cut_off_at_any_step_nothing_is_lost_and_the_next_login_ends_what_was_begun() {
    for (sealed, copied, leftover) in STEPS {
        let at = format!("sealed {sealed}, copied {copied}, leftover {leftover}");
        let (mut program, editor, code, id) = newsroom();
        let (path, archive) = (
            key_file(program.data()),
            program.data().join("segnalazioni.db"),
        );
        program.stop();
        let with_copy = fs::read(&path).expect("the key file");
        let open = fs::read(&archive).expect("an archive");
        program.start_again();
        seal(&program.session(&editor), &code);
        let without = fs::read(&path).expect("the key file");
        program.stop();
        if !sealed {
            fs::write(&archive, &open).expect("written");
        }
        let (present, other) = if copied {
            (&with_copy, &without)
        } else {
            (&without, &with_copy)
        };
        fs::write(&path, present).expect("written");
        let left = path.with_file_name(".segnalazioni.key.0123456789abcdef.tmp");
        if leftover {
            fs::write(&left, other).expect("written");
        }
        program.start_again();
        let taken = program.report(2);
        let editor = program.log_in();
        assert_eq!(editor.report(&id)["nome"], "Nomeb", "{at}");
        assert_eq!(editor.report(&taken)["nome"], "Nomec", "{at}");
        assert_eq!(standing(&editor), (sealed, true), "{at}");
        assert_eq!(opens(program.data()), !sealed, "{at}");
        assert!(!left.exists(), "what a kill left beside it is gone: {at}");
    }
}

/// Sets the first password by the command; the recovery code.
fn set_up(folder: &Path) -> String {
    let output = run(command(folder, &["reset-password", "--stdin"]), PASSWORD);
    let line = text(&output.stdout).lines().next().expect("a line");
    line.strip_prefix("Codice di recupero: ")
        .expect("a code")
        .to_owned()
}

#[test]
fn a_key_file_that_cannot_be_written_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = set_up(folder.path());
    let data = folder.path().join("data");
    // A name so long that no other file can be written beside it for a moment.
    let long = data.join(format!("{}.key", "k".repeat(240)));
    fs::rename(key_file(&data), &long).expect("renamed");
    let before = fs::read(&long).expect("the key file");
    let mut started = serve(folder.path());
    started.env("SEGNALAZIONI_KEY_FILE", &long);
    let server = Server::spawn(started, folder.path());
    let id = submit(&server.client(), &Person::numbered(1));
    let editor = server.log_in();
    let body = json!({ "recoveryCode": code });
    let refused = editor.post_json(SEALED, &body);
    refused.problem(503, "file-delle-chiavi");
    assert_eq!(standing(&editor), (false, true));
    assert!(fs::read(&long).expect("the key file") == before);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

#[test]
fn a_new_start_puts_the_closed_archive_aside_whole_until_its_code_is_found() {
    let (mut program, editor, code, old) = newsroom();
    let home = program.home().to_owned();
    let settings = json!({ "productName": "Vera Voce" });
    editor.save_system(&settings);
    let abandon = ["reset-password", "--abandon", "--stdin"];
    let refused = fails(&home, &abandon, OTHER_PASSWORD);
    assert!(refused.contains("già in uso"), "{refused}");
    program.stop();
    let refused = fails(&home, &abandon, OTHER_PASSWORD);
    assert!(refused.contains("--abandon non serve"), "{refused}");
    program.start_again();
    let editor = program.session(&editor);
    seal(&editor, &code);
    let begun = Chat::at_the_end(&program.client(), &Person::numbered(3));
    program.stop();
    let before = kept_rows(program.data());
    let said = succeeds(&home, &abandon, OTHER_PASSWORD);
    for told in [
        "L'archivio di prima (1 segnalazione) è in ",
        "La modalità sigillata ora è disattivata",
    ] {
        assert!(said.contains(told), "{said}");
    }
    assert!(!said.contains(&code), "a new code: {said}");
    let aside = said
        .split("«segnalazioni restore --force ")
        .nth(1)
        .expect("a way back");
    let aside = aside.split('»').next().expect("a path").to_owned();

    // An empty archive with the settings of before, open to the new password.
    program.start_again();
    let client = program.client();
    try_log_in(&client, PASSWORD).wrong_password();
    let new = submit(&client, &Person::numbered(2));
    let editor = Editor::log_in(&client, OTHER_PASSWORD);
    assert_eq!(standing(&editor), (false, true));
    assert_eq!(editor.all_ids(), [new.as_str()]);
    // Nobody is handed a code that would open nothing here.
    let last = Reply::of(&turn(&client, begun.token(), "no"));
    try_code(&client, &last.receipt.expect("a code")).expect(200);
    let system = editor.read("/settings/system");
    assert_eq!(system["productName"], "Vera Voce");
    program.running().back_up().expect("a round");
    let told = editor.read("/system/backups");
    assert_eq!(told["alarming"], false);
    program.stop();

    // The code is found: everything is as it was, and the new archive is put aside in turn.
    let said = backups::restore(&home, &aside, &[]);
    assert!(said.contains("modalità sigillata"), "{said}");
    assert_eq!(kept_rows(program.data()), before);
    let given = format!("{OTHER_PASSWORD}\n{code}\n");
    succeeds(&home, &["reset-password", "--stdin"], &given);
    program.start_again();
    let editor = Editor::log_in(&program.client(), OTHER_PASSWORD);
    assert_eq!(editor.report(&old)["nome"], "Nomeb");
    assert_eq!(standing(&editor), (true, true));
}
