//! The allow-list of addresses: who may reach the panel, on every call and not only at login, and how nobody saws off
//! the branch that they sit on (PRODUCT.md §7).

use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::http::{Answer, Client};
use crate::support::panel::{COOKIE, Editor, PASSWORD, try_log_in};
use crate::support::program::Program;

fn refused(answer: &Answer) {
    let problem = answer.problem(403, "accesso-negato");
    assert_eq!(problem["detail"], "Accesso negato: IP non autorizzato");
}

/// A program behind a proxy, a client for each address, and an editor at 192.0.2.10.
fn behind_a_proxy() -> (Program, impl Fn(&str) -> Client, Editor) {
    let program = Program::behind_a_proxy();
    let client = program.client();
    let from = move |address: &str| client.with("x-forwarded-for", address);
    let (editor, _) = Editor::set_up(&from("192.0.2.10"), &program.setup_url(), PASSWORD);
    (program, from, editor)
}

fn allow(editor: &Editor, list: &str) -> Answer {
    editor.put("/settings/security", &json!({ "allowedIPs": list }))
}

#[test]
fn networks_decide_in_both_families_and_in_every_spelling() {
    let (_program, from, editor) = behind_a_proxy();
    let list = "192.0.2.0/24, 198.51.100.7, 2001:db8:5::/48, ::ffff:203.0.113.9";
    allow(&editor, list).expect(200);
    for (address, admitted) in [
        ("192.0.2.255", true),
        ("::ffff:192.0.2.1", true),
        ("192.0.3.1", false),
        ("198.51.100.7", true),
        ("198.51.100.8", false),
        ("2001:db8:5:ffff::1", true),
        ("2001:db8:6::1", false),
        ("203.0.113.9", true),
        ("203.0.113.10", false),
        ("::1", false),
    ] {
        let answer = try_log_in(&from(address), PASSWORD);
        if admitted {
            answer.expect(204);
        } else {
            refused(&answer);
        }
    }
}

#[test]
fn a_session_carried_elsewhere_opens_nothing() {
    let (_program, from, editor) = behind_a_proxy();
    let id = submit(&from("203.0.113.1"), &Person::numbered(1));
    allow(&editor, "192.0.2.0/24").expect(200);
    // Behind a proxy it is bound.
    let bound = format!("__Host-{COOKIE}={}", editor.cookie());
    let elsewhere = from("203.0.113.1").with("cookie", &bound);
    let stolen = Editor::with_cookie(&elsewhere, editor.cookie().to_owned());
    for path in [
        "/session",
        "/reports",
        "/settings/security",
        "/logs",
        &format!("/reports/{id}"),
    ] {
        let answer = stolen.get(path);
        refused(&answer);
        assert!(!answer.text().contains("Nomeb"));
        editor.get(path).expect(200);
    }
    refused(&stolen.patch(&id, &json!(1), &json!({ "stato": "Risolta" })));
    assert_eq!(editor.report(&id)["stato"], "Nuova");
    // The public side knows no list.
    submit(&from("203.0.113.1"), &Person::numbered(2));
}

#[test]
fn from_a_refused_address_right_and_wrong_password_are_told_alike() {
    let (_program, from, editor) = behind_a_proxy();
    allow(&editor, "192.0.2.0/24").expect(200);
    let outside = from("203.0.113.1");
    let (right, wrong) = (
        try_log_in(&outside, PASSWORD),
        try_log_in(&outside, "sbagliata"),
    );
    refused(&right);
    // Alike in everything but the number of the request.
    let told = |answer: &Answer| {
        let mut problem = answer.problem(403, "accesso-negato");
        problem["requestId"].take();
        problem
    };
    assert_eq!(told(&right), told(&wrong));
    // Nor do such tries use up anybody's attempts.
    for _ in 0..10 {
        refused(&try_log_in(&outside, "sbagliata"));
    }
    allow(&editor, "").expect(200);
    Editor::log_in(&outside, PASSWORD);
}

#[test]
fn a_list_that_would_shut_its_author_out_asks_first() {
    let (_program, from, editor) = behind_a_proxy();
    let problem = allow(&editor, "203.0.113.0/24").problem(409, "esclusione");
    assert!(problem["detail"].as_str().unwrap().contains("192.0.2.10"));
    assert_eq!(problem["address"], "192.0.2.10");
    assert_eq!(editor.session(), 200);
    assert_eq!(editor.read("/settings/security")["allowedIPs"], "");

    let list = json!({ "allowedIPs": "203.0.113.0/24" });
    editor
        .put("/settings/security?confirm=false", &list)
        .problem(409, "esclusione");
    editor.save("/settings/security?confirm=true", &list);
    refused(&editor.get("/session"));
    Editor::log_in(&from("203.0.113.200"), PASSWORD);
}
