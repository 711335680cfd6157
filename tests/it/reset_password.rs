//! `segnalazioni reset-password`: on an empty folder, a stopped and a running installation, and what it must refuse
//! (PRODUCT.md §7).

use std::io::{Seek, Write};
use std::path::Path;

use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::executable::{Server, command, fails, installation, succeeds};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::{contains, disk, has, wait_for};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// `reset-password` with a password on standard input; what it printed.
fn reset(folder: &Path, password: &str) -> String {
    succeeds(folder, &["reset-password", "--stdin"], password)
}

fn generated(folder: &Path) -> String {
    let printed = succeeds(folder, &["reset-password", "--generate"], "");
    let line = printed.lines().next().expect("a line");
    let password = line.strip_prefix("Password: ");
    password.expect("a password").to_owned()
}

#[test]
fn a_password_can_be_set_on_an_empty_folder() {
    let folder = folder();
    let printed = reset(folder.path(), &format!("{PASSWORD}\n"));
    // The recovery code, shown this once; the password, never.
    let code = printed
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("Codice di recupero: "));
    assert_eq!(code.expect("a code").split('-').count(), 8);
    assert!(printed.contains("Conservalo lontano dal server") && !printed.contains(PASSWORD));

    let server = Server::start(folder.path());
    // No link: the password is set.
    assert!(!server.output().contains("setup#"));
    let editor = server.log_in();
    let id = submit(&server.client(), &Person::numbered(1));
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

/// Editors and shells of other systems put marks around it, and one of them takes accents apart.
#[test]
fn a_file_with_the_password_may_come_from_any_editor() {
    for (written, typed) in [
        (
            "\u{feff}gatto-lampada-nuvola-19\r\n",
            "gatto-lampada-nuvola-19",
        ),
        (
            "caffe\u{300}-perche\u{301}-magnolia-19\n",
            "caffè-perché-magnolia-19",
        ),
        (
            "\u{feff}caffè-perché-magnolia-19",
            "caffe\u{300}-perche\u{301}-magnolia-19",
        ),
    ] {
        let folder = folder();
        reset(folder.path(), written);
        let server = Server::start(folder.path());
        Editor::log_in(&server.client(), typed);
    }
    // UTF-16, as some of them save.
    let home = folder();
    let mut reset = command(home.path(), &["reset-password", "--stdin"]);
    let file = tempfile::tempfile().expect("a file");
    let utf16: Vec<u8> = "\u{feff}gatto-lampada-nuvola-19\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    (&file).write_all(&utf16).expect("written");
    (&file).rewind().expect("at its start");
    let output = reset.stdin(file).output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("UTF-8"), "{said}");
    assert!(!said.contains("stream"), "{said}");
}

#[test]
fn a_new_password_on_a_stopped_installation_is_silent_and_ends_the_sessions() {
    let folder = installation();
    let server = Server::start(folder.path());
    let cookie = server.log_in().cookie().to_owned();
    drop(server);
    assert_eq!(reset(folder.path(), OTHER_PASSWORD), "");
    let server = Server::start(folder.path());
    assert_eq!(Editor::with_cookie(&server.client(), cookie).session(), 401);
    try_log_in(&server.client(), PASSWORD).problem(401, "password-non-valida");
    Editor::log_in(&server.client(), OTHER_PASSWORD);
}

#[test]
fn a_new_password_on_a_running_installation_acts_at_once() {
    let folder = installation();
    let server = Server::start(folder.path());
    let client = server.client();
    let id = submit(&client, &Person::numbered(1));
    let editors = [(); 2].map(|()| server.log_in());
    for _ in 0..5 {
        try_log_in(&client, "sbagliata").problem(401, "password-non-valida");
    }
    try_log_in(&client, PASSWORD).problem(429, "troppi-tentativi");

    let password = generated(folder.path());
    let groups: Vec<usize> = password.split('-').map(str::len).collect();
    assert_eq!(groups, [5; 5]);
    assert!(editors.iter().all(|editor| editor.session() == 401));
    // The failures lock no client out of the new one.
    let editor = Editor::log_in(&client, &password);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    assert_ne!(generated(folder.path()), password);
}

#[test]
fn a_first_password_on_a_running_installation_spends_the_link() {
    let folder = folder();
    let server = Server::start(folder.path());
    let link = wait_for("the link", || {
        let output = server.output();
        let mut lines = output.lines();
        lines
            .find(|line| line.contains("/setup#"))
            .map(str::to_owned)
    });
    reset(folder.path(), PASSWORD);
    let token = link.split_once('#').expect("a token").1;
    let body = json!({ "token": token, "password": OTHER_PASSWORD });
    let answer = server.client().post_json("/setup/recovery-code", &body);
    answer.problem(409, "gia-configurato");
    server.log_in();
}

#[test]
fn an_allow_list_that_shut_everybody_out_is_lifted_only_when_asked() {
    let folder = installation();
    let server = Server::start(folder.path());
    let client = server.client();
    let editor = Editor::log_in(&client, PASSWORD);
    let shut = json!({ "allowedIPs": "203.0.113.1", "sessionTimeout": 30 });
    editor.save("/settings/security?confirm=true", &shut);
    try_log_in(&client, PASSWORD).problem(403, "accesso-negato");
    reset(folder.path(), OTHER_PASSWORD);
    try_log_in(&client, OTHER_PASSWORD).problem(403, "accesso-negato");
    let lifted = ["reset-password", "--stdin", "--clear-allowed-ips"];
    succeeds(folder.path(), &lifted, PASSWORD);
    let editor = Editor::log_in(&client, PASSWORD);
    // Nothing else is touched.
    let expected = json!({ "allowedIPs": "", "sessionTimeout": 30 });
    has(&editor.read("/settings/security"), &expected);
}

#[test]
fn a_password_that_will_not_do_changes_nothing() {
    let folder = installation();
    for (input, reason) in [
        ("", "lo standard input è vuoto"),
        ("\n", "almeno 12 caratteri"),
        ("corta\n", "almeno 12 caratteri"),
        ("correcthorsebatterystaple\n", "tra le più usate"),
        ("Redazione!2024\n", "tra le più usate"),
    ] {
        let line = fails(folder.path(), &["reset-password", "--stdin"], input);
        assert!(line.contains(reason), "{input:?}: {line}");
        let typed = input.trim();
        assert!(typed.is_empty() || !line.contains(typed), "{line}");
    }
    let line = fails(folder.path(), &["reset-password"], "");
    assert!(line.contains("usare --stdin o --generate"), "{line}");
    let server = Server::start(folder.path());
    server.log_in();
}

#[test]
fn the_password_is_in_no_argument_file_or_line() {
    let folder = installation();
    let server = Server::start(folder.path());
    server.log_in();
    let seen = |name: &str| {
        let path = format!("/proc/{}/{name}", server.pid().as_raw_nonzero());
        String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned()
    };
    let [line, environment] = ["cmdline", "environ"].map(seen);
    // The control: this is the process's own line.
    contains(&line, &["serve"]);
    for place in [line, environment, server.output(), server.errors()] {
        assert!(!place.contains(PASSWORD));
    }
    assert!(disk::holding(folder.path(), PASSWORD.as_bytes()).is_empty());
}
