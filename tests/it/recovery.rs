//! The recovery code: what brings the reports back when the key file has lost the newsroom's key (PRODUCT.md §12, §7).

use std::fs;
use std::path::Path;

use crate::support::chat::{Person, submit};
use crate::support::contains;
use crate::support::executable::{self, Server, command};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};

/// An installation with one report and no copy of the newsroom's key; the code and the report's id.
fn without_the_copy(folder: &Path) -> (String, String) {
    let output = executable::run(command(folder, &["reset-password", "--stdin"]), PASSWORD);
    let mut lines = executable::text(&output.stdout).lines();
    let code = lines.find_map(|line| line.strip_prefix("Codice di recupero: "));
    let server = Server::start(folder);
    let id = submit(&server.client(), &Person::numbered(1));
    drop(server);

    let path = folder.join("data/segnalazioni.key");
    let keys = fs::read_to_string(&path).expect("the key file");
    let kept: Vec<&str> = keys
        .lines()
        .filter(|line| !line.starts_with("newsroom "))
        .collect();
    // One line is the newsroom's key.
    assert_eq!(kept.len() + 1, keys.lines().count());
    fs::write(&path, kept.join("\n") + "\n").expect("written");
    (code.expect("a code").to_owned(), id)
}

fn reset(folder: &Path, input: &str) -> (Option<i32>, String) {
    let output = executable::run(command(folder, &["reset-password", "--stdin"]), input);
    assert!(output.stdout.is_empty());
    let complaint = executable::text(&output.stderr).to_owned();
    (output.status.code(), complaint)
}

#[test]
fn the_code_sets_a_password_that_opens_the_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, id) = without_the_copy(folder.path());
    let typed = code.to_lowercase().replace('-', " ");
    let (status, complaint) = reset(folder.path(), &format!("{OTHER_PASSWORD}\n{typed}\n"));
    assert_eq!((status, complaint.as_str()), (Some(0), ""));
    let server = Server::start(folder.path());
    try_log_in(&server.client(), PASSWORD).problem(401, "password-non-valida");
    let editor = Editor::log_in(&server.client(), OTHER_PASSWORD);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    // The login has put the key back: the next start reads without one.
    drop(server);
    let server = Server::start(folder.path());
    let editor = server.session(&editor);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

#[test]
fn without_the_right_code_no_password_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, id) = without_the_copy(folder.path());
    let swapped = if code.starts_with('B') { "C" } else { "B" };
    let wrong = format!("{swapped}{}", &code[1..]);
    for (second, reason) in [
        (String::new(), "serve il codice di recupero"),
        ("\n".to_owned(), "non è scritto correttamente"),
        ("boh\n".to_owned(), "non è scritto correttamente"),
        (format!("{wrong}\n"), "non apre la chiave della redazione"),
    ] {
        let (status, complaint) = reset(folder.path(), &format!("{OTHER_PASSWORD}\n{second}"));
        assert_eq!(status, Some(1), "{second:?}");
        contains(&complaint, &[reason]);
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        let quoted = complaint.contains(&wrong) || complaint.contains(OTHER_PASSWORD);
        assert!(!quoted, "{complaint}");
    }
    // The old password still works, and opens the reports by its own slot.
    let server = Server::start(folder.path());
    try_log_in(&server.client(), OTHER_PASSWORD).problem(401, "password-non-valida");
    let editor = server.log_in();
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

/// Serves once on an empty folder, with or without a report, then loses the key file; nobody has set a password.
fn lost_before_set_up(folder: &Path, with_report: bool) {
    let server = Server::start(folder);
    if with_report {
        submit(&server.client(), &Person::numbered(1));
    }
    drop(server);
    fs::remove_file(folder.join("data/segnalazioni.key")).expect("removed");
}

#[test]
fn a_key_file_lost_before_anything_was_sealed_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    lost_before_set_up(folder.path(), false);
    let server = Server::start(folder.path());
    let id = submit(&server.client(), &Person::numbered(2));
    executable::succeeds(folder.path(), &["reset-password", "--stdin"], PASSWORD);
    let editor = server.log_in();
    assert_eq!(editor.report(&id)["nome"], "Nomec");
}

#[test]
fn no_report_is_taken_that_nobody_could_ever_open() {
    let folder = tempfile::tempdir().expect("a folder");
    lost_before_set_up(folder.path(), true);
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    for arguments in [&serve[..], &["reset-password", "--stdin"]] {
        let complaint = executable::fails(folder.path(), arguments, PASSWORD);
        contains(&complaint, &["rimettere al suo posto il file originale"]);
    }
}

#[test]
fn a_code_that_could_not_be_shown_does_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut shell = std::process::Command::new("/bin/sh");
    executable::confine(&mut shell, folder.path());
    let script = "exec \"$0\" reset-password --stdin > /dev/full";
    shell.args(["-c", script, executable::PATH]);
    let output = executable::run(shell, PASSWORD);
    assert!(!output.status.success());
    let printed = executable::succeeds(folder.path(), &["reset-password", "--stdin"], PASSWORD);
    assert!(printed.starts_with("Codice di recupero: "), "{printed}");
}
