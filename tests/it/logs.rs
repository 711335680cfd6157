//! `GET /logs`: what administrators did, and nothing about reporters.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;

fn actions(log: &Value) -> Vec<String> {
    let entries = log["data"].as_array().expect("entries").iter();
    entries
        .map(|entry| entry["action"].as_str().expect("an action").to_owned())
        .collect()
}

#[test]
fn every_deed_of_an_editor_is_an_entry_newest_first() {
    let program = Program::start();
    let visitor = program.client().with("user-agent", "Prova/1.0");
    let (editor, _) = Editor::set_up(&visitor, &program.setup_url(), PASSWORD);
    let id = submit(&visitor, &Person::numbered(1));
    try_log_in(&visitor, "sbagliata").expect(401);
    program.clock.advance(Duration::from_mins(1));
    editor.report(&id);
    editor
        .patch(&id, &json!(1), &json!({ "stato": "Risolta" }))
        .expect(200);
    editor.save("/settings/system", &json!({ "darkMode": false }));
    editor.save("/prompts", &json!({ "welcome": "Età?" }));
    editor
        .put(
            "/password",
            &json!({ "current": PASSWORD, "new": OTHER_PASSWORD }),
        )
        .expect(204);
    editor.delete("/session").expect(204);

    let editor = Editor::log_in(&visitor, OTHER_PASSWORD);
    let log = editor.get("/logs").expect(200).json();
    let expected = [
        "LOGIN_SUCCESS",
        "LOGOUT",
        "SETTINGS_CHANGED",
        "PROMPTS_CHANGED",
        "SETTINGS_CHANGED",
        "REPORT_UPDATED",
        "REPORT_VIEWED",
        "LOGIN_FAILED",
        "LOGIN_SUCCESS",
        "SETTINGS_CHANGED",
    ];
    assert_eq!(actions(&log), expected);
    let viewed = json!({
        "timestamp": "2026-03-10T09:01:00Z", "action": "REPORT_VIEWED", "ip": "127.0.0.1",
        "userAgent": "Prova/1.0", "reportId": id,
    });
    assert_eq!(log["data"][6], viewed);
    let newest = editor.get("/logs?limit=1").json();
    assert_eq!(actions(&newest), ["LOGIN_SUCCESS"]);
}

#[test]
fn the_log_holds_nothing_of_reports_reporters_and_secrets() {
    let program = Program::behind_a_proxy();
    let reporter = program
        .client()
        .with("x-forwarded-for", "203.0.113.77")
        .with("user-agent", "TelefonoDelCittadino/9");
    let editor = program.set_up();
    let person = Person::numbered(1);
    let id = submit(&reporter, &person);
    editor
        .patch(&id, &json!(1), &json!({ "note": "Nota riservata." }))
        .expect(200);
    try_log_in(&program.client(), "password-tentata-123").expect(401);
    let log = editor.get("/logs").text().to_owned();
    assert!(log.contains("REPORT_UPDATED"));
    let mut forbidden = person.texts();
    forbidden.extend(
        [
            "203.0.113.77",
            "TelefonoDelCittadino",
            "Nota riservata",
            "password-tentata-123",
            PASSWORD,
            editor.cookie(),
        ]
        .map(str::to_owned),
    );
    for text in forbidden {
        assert!(!log.contains(&text), "{text}");
    }
}

#[test]
fn the_log_keeps_a_thousand_entries() {
    let mut program = Program::start();
    let editor = program.set_up();
    let id = submit(&program.client(), &Person::numbered(1));
    for _ in 0..1_010 {
        editor.report(&id);
    }
    assert_eq!(
        actions(&editor.get("/logs").json()).len(),
        200,
        "an answer has at most 200"
    );
    program.stop();
    let kept = crate::support::disk::count(program.data(), "SELECT count(*) FROM access_log");
    assert_eq!(kept, 1_000);
}

#[test]
fn logging_can_be_switched_off() {
    let program = Program::start();
    let editor = program.set_up();
    let before = actions(&editor.get("/logs").json()).len();
    editor.save("/settings/security", &json!({ "enableLogging": false }));
    let id = submit(&program.client(), &Person::numbered(1));
    editor.report(&id);
    try_log_in(&program.client(), "sbagliata").expect(401);
    assert_eq!(actions(&editor.get("/logs").json()).len(), before);
    editor.save("/settings/security", &json!({ "enableLogging": true }));
    assert_eq!(actions(&editor.get("/logs").json()).len(), before + 1);
}

#[test]
fn an_answer_has_between_one_and_two_hundred_entries() {
    let program = Program::start();
    let editor = program.set_up();
    for limit in ["0", "201", "x", "-1"] {
        let problem = editor
            .get(&format!("/logs?limit={limit}"))
            .problem(422, "dati-non-validi");
        assert!(problem["errors"]["limit"].is_string(), "{problem}");
    }
    editor.get("/logs?altro=1").problem(422, "dati-non-validi");
    editor.get("/logs?limit=200").expect(200);
}
