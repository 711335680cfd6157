//! Demonstration mode: eight invented reports in memory, a password that everybody may know, and an untouched disk
//! (PRODUCT.md §15).

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::executable::{Server, command};
use crate::support::panel::{Editor, ids, try_log_in};
use crate::support::program::{Program, START};
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner};
use crate::support::snapshot::table;
use crate::support::wait_for;

const DEMO_PASSWORD: &str = "dimostrazione-aperta";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn eight_reports_can_be_worked_on_with_the_password_on_the_login_page() {
    let program = Program::demo(&[]);
    let client = program.client();
    assert_eq!(client.get("/status").json()["database"], "demo");
    assert_eq!(program.running().setup_url(), None);
    let shows = |path: &str| client.page(path).expect(200).text().contains(DEMO_PASSWORD);
    assert!(shows("/paibeta/login"));
    assert!(!shows("/paibeta/"), "reporters need not know it");

    let editor = Editor::log_in(&client, DEMO_PASSWORD);
    let page = editor.list("");
    let mut numbers = ids(&page);
    numbers.sort_unstable();
    assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7", "8"]);
    let times = table(&page["data"], "data_creazione");
    let times: Vec<&str> = times.lines().collect();
    assert!(times.is_sorted_by(|one, other| one >= other) && times[0] < START);
    for status in ["new", "inProgress", "resolved"] {
        assert!(page["counters"][status].as_i64() > Some(0), "{status}");
    }
    let new = submit(&client, &Person::numbered(1));
    assert_eq!(ids(&editor.list(""))[0], new);
    let seal = editor.api("POST", "/security/sealed");
    let seal = seal.json(&json!({ "recoveryCode": "" })).send();
    for refused in [seal, editor.delete("/security/sealed")] {
        refused.problem(409, "dimostrazione");
    }
    // The password on the login page works for whoever comes next.
    let change = json!({ "current": DEMO_PASSWORD, "new": "girasoli sotto la pioggia" });
    let refused = editor.api("PUT", "/password").json(&change).send();
    assert_eq!(refused.refused_fields(), ["new"]);
    Editor::log_in(&client, DEMO_PASSWORD);
    assert_eq!(names(program.home()), [""; 0], "nothing is written");
}

#[test]
fn nothing_is_sent_whatever_the_settings_say() {
    let mail = MailServer::start(Manner::default());
    let hook = Receiver::answering("200 OK");
    let program = Program::demo(&[("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")]);
    let editor = Editor::log_in(&program.client(), DEMO_PASSWORD);
    editor.mail_to(mail.port());
    editor.call(&hook.url());
    let id = program.report(1);
    let reasons = wait_for("the end of the deliveries", || {
        let all = editor.report(&id)["consegne"].clone();
        let ended = [0, 1].iter().all(|one| all[one]["stato"] == "fallita");
        ended.then(|| [0, 1].map(|one| all[one]["ultimoErrore"].clone()))
    });
    let words = json!("In modalità demo non parte nulla: né email né webhook.");
    assert_eq!(reasons, [words.clone(), words]);
    assert_eq!((mail.visits().len(), hook.connections()), (0, 0));
}

#[test]
fn the_executable_writes_nothing_and_says_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["serve", "--demo", "--listen", "127.0.0.1:0"];
    let server = Server::spawn(command(folder.path(), &arguments), folder.path());
    submit(&server.client(), &Person::numbered(1));
    let output = wait_for("the greeting", || {
        Some(server.output()).filter(|said| said.contains("Modalità dimostrativa"))
    });
    assert!(!output.contains(DEMO_PASSWORD) && !output.contains("setup#"));
    let mut written = names(folder.path()).into_iter();
    assert!(written.all(|name| name.starts_with("std")));
    let real = Server::start(folder.path());
    try_log_in(&real.client(), DEMO_PASSWORD).problem(503, "non-configurato");
    let login = real.client().page("/paibeta/login").expect(200);
    assert!(!login.text().contains(DEMO_PASSWORD), "shown nowhere else");
}
