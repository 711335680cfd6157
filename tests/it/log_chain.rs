//! The access log keeps what matters: each kind by itself, always what leaves or ends; and what somebody else changes in it is
//! seen by `doctor`, until it is emptied.

use std::fs;

use serde_json::json;

use crate::support::backups::{self, back_up};
use crate::support::disk::count;
use crate::support::doctor::ask;
use crate::support::executable::{Server, command, succeeds};
use crate::support::panel::{Editor, PASSWORD, try_log_in};
use crate::support::program::Program;
use crate::support::snapshot::table;
use crate::support::{DAY, MINUTE};

const CHECK: &str = "registro degli accessi";
const SOUND: &str = "senza vuoti";

/// What `doctor` says of the log of a program that has stopped.
#[track_caller]
fn says(program: &Program, state: &str, words: &str) {
    let (_, found) = ask(command(program.home(), &["doctor", "--json"]));
    found.says(CHECK, state, words);
}

/// A program with five entries of each kind, a minute apart, from 10:01 on.
fn lived() -> (Program, Editor) {
    let (program, editor) = Program::with_editor();
    editor.delete("/logs").expect(204);
    let id = program.report(1);
    for round in 0..5 {
        program.clock.advance(MINUTE);
        program.log_in();
        editor.report(&id);
        editor.get("/reports/export.csv").expect(200);
        editor.save("/settings/security", &json!({ "minWordCount": 3 + round }));
    }
    (program, editor)
}

/// What is done to the log, and the kind and place that `doctor` names then.
const ATTACKS: &str = "\
    DELETE FROM access_log WHERE kind = 'segnalazioni' AND n = 3 | «segnalazioni» dopo il 10/03/2026 10:02
    DELETE FROM access_log WHERE kind = 'accessi' AND n = 5 | «accessi» dopo il 10/03/2026 10:04
    DELETE FROM access_log WHERE kind = 'copie' AND n < 3 | «copie» fin dall'inizio
    DELETE FROM access_log WHERE kind = 'copie' | «copie» fin dall'inizio
    UPDATE access_log SET ip = '192.0.2.1' WHERE kind = 'accessi' AND n = 2 | «accessi» dopo il 10/03/2026 10:01
    UPDATE access_log SET person = 'x', who = 'Anna' WHERE kind = 'copie' AND n = 4 | «copie» dopo il 10/03/2026 10:03
    UPDATE access_log SET at = at + 1 WHERE kind = 'copie' AND n = 5 | «copie» dopo il 10/03/2026 10:04
    INSERT INTO access_log (kind, n, at, action, ip, user_agent, times, mac) SELECT kind, n + 1, at, action, ip, user_agent, \
        times, mac FROM access_log WHERE kind = 'accessi' AND n = 5 | «accessi» dopo il 10/03/2026 10:05
    UPDATE access_log SET report = (SELECT min(id) FROM segnalazioni) WHERE kind = 'copie' AND n = 1 | «copie» fin dall'inizio
    DELETE FROM access_log WHERE kind = 'copie' AND n = 5; UPDATE access_ends SET body = json_set(body, '$.ends.copie.last', 4, \
        '$.ends.copie.tip', (SELECT lower(hex(mac)) FROM access_log WHERE kind = 'copie' AND n = 4)) | «tutto»
    DELETE FROM access_log; DELETE FROM access_ends | «tutto»";

#[test]
fn what_is_removed_altered_inserted_or_cut_off_is_seen() {
    let (mut program, _) = lived();
    program.stop();
    says(&program, "ok", SOUND);
    let path = program.data().join("segnalazioni.db");
    let whole = fs::read(&path).expect("a database");
    for line in ATTACKS.lines() {
        let (attack, found) = line.trim().split_once(" | ").expect("a row");
        program.plant(attack);
        says(&program, "errore", found);
        fs::write(&path, &whole).expect("put back");
    }
    says(&program, "ok", SOUND);
}

#[test]
fn also_who_was_not_let_in_is_not_taken_out_unseen() {
    let (mut program, editor) = lived();
    try_log_in(&program.client(), "sbagliata").expect(401);
    assert_eq!(actions(&editor, "?action=LOGIN_FAILED").len(), 1);
    program.stop();
    says(&program, "ok", SOUND);
    program.plant("DELETE FROM access_log WHERE kind = 'rifiuti'");
    says(&program, "errore", "«rifiuti» fin dall'inizio");
}

#[test]
fn going_on_hides_nothing_and_emptying_begins_anew() {
    for attack in [
        "DELETE FROM access_log WHERE kind = 'segnalazioni' AND n = 5",
        "DELETE FROM access_log; DELETE FROM access_ends",
        "UPDATE access_ends SET body = '{}'",
        // So old that it would go by age.
        "UPDATE access_log SET at = 0 WHERE kind = 'copie'",
        "DELETE FROM access_log WHERE kind = 'copie'; DELETE FROM access_ends; DELETE FROM authenticity",
    ] {
        let (mut program, _) = lived();
        program.stop();
        program.plant(attack);
        let word = format!("{PASSWORD}\n");
        succeeds(program.home(), &["reset-password", "--stdin"], &word);
        program.start_again();
        program.round();
        let editor = program.log_in();
        let id = editor.all_ids().remove(0);
        editor.report(&id);
        program.restart();
        program.stop();
        says(&program, "errore", "voci tolte");

        program.start_again();
        program.log_in().delete("/logs").expect(204);
        program.stop();
        says(&program, "ok", SOUND);
    }
}

#[test]
fn a_backup_of_a_broken_log_does_not_bring_it_back_whole() {
    let (mut program, _) = lived();
    program.stop();
    program.plant("DELETE FROM access_log WHERE kind = 'copie'; DELETE FROM access_ends");
    let backup = back_up(program.home(), &[]);
    backups::restore(program.home(), &backup, &[]);
    says(&program, "errore", "voci tolte");
}

#[test]
fn openings_push_out_no_login_and_what_is_dropped_by_rule_is_no_hole() {
    let (mut program, editor) = lived();
    let id = editor.all_ids().remove(0);
    for _ in 0..1_100 {
        editor.report(&id);
    }
    assert_eq!(actions(&editor, "?kind=accessi").len(), 5);
    let settings = actions(&editor, "?kind=impostazioni&limit=1");
    assert_eq!(settings, ["SETTINGS_CHANGED"]);
    program.stop();
    let kept = "SELECT count(*) FROM access_log WHERE kind = 'segnalazioni'";
    assert_eq!(program.count(kept), 1_000);
    says(&program, "ok", SOUND);

    // A month later all of it is too old, by the setting.
    program.clock.advance(31 * DAY);
    program.start_again();
    program.round();
    program.log_in();
    program.stop();
    assert_eq!(program.count("SELECT count(*) FROM access_log"), 1);
    says(&program, "ok", SOUND);
}

fn actions(editor: &Editor, query: &str) -> Vec<String> {
    let log = table(&editor.read(&format!("/logs{query}"))["data"], "action");
    log.lines().map(str::to_owned).collect()
}

#[test]
fn what_leaves_or_ends_is_logged_also_where_logging_is_off() {
    let (program, editor) = lived();
    editor.save("/settings/security", &json!({ "enableLogging": false }));
    editor.delete("/logs").expect(204);
    let id = editor.all_ids().remove(0);
    editor.report(&id);
    editor.change(&id, &json!({ "note": "x" }));
    program.log_in();
    let dossier = format!("/reports/{id}/dossier.zip");
    for path in ["/reports/export.csv", &dossier, "/backup"] {
        editor.get(path).expect(200);
    }
    editor.save("/prompts", &json!({ "welcome": "Ciao." }));
    editor.erase(&id).expect(200);
    let expected = "REPORT_ERASED PROMPTS_CHANGED BACKUP EXPORT_ZIP EXPORT_CSV LOGS_CLEARED";
    assert_eq!(actions(&editor, "").join(" "), expected);
}

#[test]
fn a_log_that_comes_back_is_sound_here_and_on_another_machine() {
    let (mut program, editor) = lived();
    let backup = back_up(program.home(), &[]);
    let file = backups::of_panel(&program, &editor);
    program.stop();
    for file in &[backup, file] {
        backups::restore(program.home(), file, &["--force"]);
        says(&program, "ok", SOUND);
        let there = tempfile::tempdir().expect("a folder");
        backups::restore(there.path(), file, &[]);
        Server::start(there.path()).stop();
        let (_, found) = ask(command(there.path(), &["doctor", "--json"]));
        found.says(CHECK, "ok", SOUND);
        let entries = "SELECT count(*) FROM access_log";
        assert!(count(&there.path().join("data"), entries) >= 20);
    }
}
