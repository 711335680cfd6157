//! `segnalazioni reset-password`: on an empty folder, a stopped and a running installation, and what it must refuse
//! (PRODUCT.md §7).

use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::executable::installation;
use crate::support::executable::{Server, fails, succeeds};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::{disk, wait_for};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The password in what `reset-password --generate` printed.
fn generated(printed: &str) -> String {
    let line = printed.lines().next().expect("a line");
    line.strip_prefix("Password: ")
        .expect("a password")
        .to_owned()
}

#[test]
fn a_password_can_be_set_on_an_empty_folder() {
    let folder = folder();
    let printed = succeeds(
        folder.path(),
        &["reset-password", "--stdin"],
        &format!("{PASSWORD}\n"),
    );
    // The recovery code, shown this once; the password, never.
    let code = printed
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("Codice di recupero: "));
    assert_eq!(code.expect("a code").split('-').count(), 8);
    assert!(printed.contains("Conservalo lontano dal server") && !printed.contains(PASSWORD));

    let server = Server::start(folder.path());
    assert!(
        !server.output().contains("setup#"),
        "no link: the password is set"
    );
    let editor = server.log_in();
    let id = submit(&server.client(), &Person::numbered(1));
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
}

#[test]
fn a_new_password_on_a_stopped_installation_is_silent_and_ends_the_sessions() {
    let folder = installation();
    let server = Server::start(folder.path());
    let cookie = server.log_in().cookie().to_owned();
    drop(server);
    let printed = succeeds(
        folder.path(),
        &["reset-password", "--stdin"],
        OTHER_PASSWORD,
    );
    assert_eq!(printed, "");
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
    let editors = [
        Editor::log_in(&client, PASSWORD),
        Editor::log_in(&client, PASSWORD),
    ];
    for _ in 0..5 {
        try_log_in(&client, "sbagliata").problem(401, "password-non-valida");
    }
    try_log_in(&client, PASSWORD).problem(429, "troppi-tentativi");

    let password = generated(&succeeds(
        folder.path(),
        &["reset-password", "--generate"],
        "",
    ));
    let groups: Vec<&str> = password.split('-').collect();
    assert!(
        groups.len() == 5 && groups.iter().all(|group| group.len() == 5),
        "five groups of five"
    );
    assert!(editors.iter().all(|editor| editor.session() == 401));
    // Whoever was locked out by the failures gets in with the new one.
    let editor = Editor::log_in(&client, &password);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    let other = generated(&succeeds(
        folder.path(),
        &["reset-password", "--generate"],
        "",
    ));
    assert_ne!(other, password);
}

#[test]
fn a_first_password_on_a_running_installation_spends_the_link() {
    let folder = folder();
    let server = Server::start(folder.path());
    let link = wait_for("the link", || {
        server
            .output()
            .lines()
            .find(|line| line.contains("/setup#"))
            .map(str::to_owned)
    });
    succeeds(folder.path(), &["reset-password", "--stdin"], PASSWORD);
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
    succeeds(
        folder.path(),
        &["reset-password", "--stdin"],
        OTHER_PASSWORD,
    );
    try_log_in(&client, OTHER_PASSWORD).problem(403, "accesso-negato");
    succeeds(
        folder.path(),
        &["reset-password", "--stdin", "--clear-allowed-ips"],
        PASSWORD,
    );
    let editor = Editor::log_in(&client, PASSWORD);
    let security = editor.get("/settings/security").expect(200).json();
    assert_eq!(security["allowedIPs"], "");
    assert_eq!(security["sessionTimeout"], 30, "nothing else is touched");
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
        assert!(
            input.trim().is_empty() || !line.contains(input.trim()),
            "it is quoted: {line}"
        );
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
    assert!(
        seen("cmdline").contains("serve"),
        "the control: this is the process's own line"
    );
    for place in [
        seen("cmdline"),
        seen("environ"),
        server.output(),
        server.errors(),
    ] {
        assert!(!place.contains(PASSWORD));
    }
    assert!(disk::holding(folder.path(), PASSWORD.as_bytes()).is_empty());
}
