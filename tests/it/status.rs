//! What a stranger may ask: `GET /status` and `/healthz`, whether reports can be taken; `/branding` and `/privacy`, how the
//! newsroom shows itself at that moment.

use serde_json::{Value, json};

use crate::support::program::{Program, START, at};

#[test]
fn a_working_archive_is_online() {
    let program = Program::start();
    let status = program.client().read("/status");
    let expected = json!({
        "database": "online", "version": env!("CARGO_PKG_VERSION"), "siege": false, "appearance": at(START),
    });
    assert_eq!(status, expected);
}

#[test]
fn a_page_learns_that_it_looks_old_and_only_then() {
    let (program, editor) = Program::with_editor();
    let version = || program.client().read("/status")["appearance"].clone();
    let mut last = version();
    editor
        .put("/settings/system", &json!({ "primaryColor": "blu" }))
        .expect(422);
    assert_eq!(version(), last, "nothing has changed");
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
    let (program, editor) = Program::with_editor();
    let info = editor.read("/system");
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["database"], "online");
    let built: jiff::Timestamp = info["built"].as_str().unwrap().parse().expect("a moment");
    assert!(built.as_millisecond() > at("2026-01-01T00:00:00Z"));
    assert!(info["commit"].as_str().unwrap().len() >= 7);
    program.client().get("/system").no_session();
}

#[test]
fn supervisors_learn_that_it_lives_and_nothing_else() {
    let program = Program::start();
    let answer = program.client().page("/paibeta/healthz").expect(200);
    assert_eq!(answer.text(), "ok\n");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn names_and_colours_begin_with_their_defaults() {
    let program = Program::start();
    let branding = program.client().read("/branding");
    let expected = json!({
        "productName": "PelazzAI",
        "assistantName": "PelazzAI",
        "organizationName": "Le Iene",
        "logoUrl": null,
        "primaryColor": "#2563eb",
        "darkMode": true,
        "deviceTheme": true,
    });
    assert_eq!(branding, expected);
}

#[test]
fn a_saved_name_and_colour_apply_at_once_to_call_and_page() {
    let program = Program::start();
    let change = json!({
        "productName": "Filo diretto",
        "assistantName": "Vera",
        "organizationName": "La <Gazzetta>",
        "primaryColor": "#aa3300",
        "darkMode": false,
    });
    program.set_up().save_system(&change);
    let branding = program.client().read("/branding");
    for (key, value) in change.as_object().unwrap() {
        assert_eq!(branding[key], *value, "{key}");
    }
    let page = program.client().page("/paibeta/").expect(200);
    let html = page.text();
    assert!(html.contains("Filo diretto") && html.contains("La &#60;Gazzetta&#62;"));
    assert!(html.contains(r#"data-theme="light dark""#) && !html.contains("La <Gazzetta>"));
}

#[test]
fn the_notice_has_a_version_that_follows_its_wording_and_is_kept_with_the_report() {
    let (program, editor) = Program::with_editor();
    let first = program.client().read("/privacy");
    assert!(first["text"].as_str().unwrap().contains("redazione"));
    assert_eq!(first["url"], Value::Null);

    let change =
        json!({ "privacyNotice": "Un altro testo.", "privacyUrl": "https://esempio.it/privacy" });
    editor.save_system(&change);
    let second = program.client().read("/privacy");
    assert_eq!(second["text"], "Un altro testo.");
    assert_eq!(second["url"], "https://esempio.it/privacy");
    assert_ne!(second["version"], first["version"]);

    let id = program.report(1);
    assert_eq!(editor.report(&id)["privacyVersion"], second["version"]);
}
