//! `GET /status` and `/healthz`: whether reports can be taken, and nothing more.

use serde_json::json;

use crate::support::program::{Program, START, at};

#[test]
fn a_working_archive_is_online() {
    let program = Program::start();
    let status = program.client().get("/status").expect(200).json();
    let expected = json!({
        "database": "online", "version": env!("CARGO_PKG_VERSION"), "appearance": at(START),
    });
    assert_eq!(status, expected);
}

#[test]
fn a_page_learns_that_it_looks_old_and_only_then() {
    let program = Program::start();
    let editor = program.set_up();
    let version = || program.client().get("/status").json()["appearance"].clone();
    let mut last = version();
    editor.save("/settings/security", &json!({ "minWordCount": 4 }));
    editor
        .put("/settings/system", &json!({ "primaryColor": "blu" }))
        .expect(422);
    assert_eq!(version(), last, "nothing to be seen has changed");
    let colour = json!({ "primaryColor": "#aa0000" });
    let changes = [
        editor.api("PUT", "/settings/system").json(&colour),
        editor.api("DELETE", "/settings"),
    ];
    for change in changes {
        assert!(change.send().status < 300);
        assert_ne!(version(), last);
        last = version();
    }
}

#[test]
fn an_editor_learns_what_runs_and_since_when() {
    let program = Program::start();
    let editor = program.set_up();
    let info = editor.get("/system").expect(200).json();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["database"], "online");
    let built: jiff::Timestamp = info["built"].as_str().unwrap().parse().expect("a moment");
    assert!(built.as_millisecond() > at("2026-01-01T00:00:00Z"));
    assert!(info["commit"].as_str().unwrap().len() >= 7);
    program
        .client()
        .get("/system")
        .problem(401, "non-autenticato");
}

#[test]
fn supervisors_learn_that_it_lives_and_nothing_else() {
    let program = Program::start();
    let answer = program.client().page("/paibeta/healthz").expect(200);
    assert_eq!(answer.text(), "ok\n");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
