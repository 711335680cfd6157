//! `GET /branding` and `GET /privacy`: what a stranger sees of the newsroom, as the settings say it at that moment.

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::program::Program;

#[test]
fn names_and_colours_begin_with_their_defaults() {
    let program = Program::start();
    let branding = program.client().get("/branding").expect(200).json();
    let expected = json!({
        "productName": "PelazzAI",
        "assistantName": "PelazzAI",
        "organizationName": "Le Iene",
        "logoUrl": null,
        "primaryColor": "#2563eb",
        "darkMode": true,
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
    program.set_up().save("/settings/system", &change);
    let branding = program.client().get("/branding").expect(200).json();
    for (key, value) in change.as_object().unwrap() {
        assert_eq!(branding[key], *value, "{key}");
    }
    let page = program.client().page("/paibeta/").expect(200);
    let html = page.text();
    assert!(html.contains("Filo diretto") && html.contains("La &lt;Gazzetta&gt;"));
    assert!(html.contains(r#"data-theme="light""#) && !html.contains("La <Gazzetta>"));
}

#[test]
fn the_notice_has_a_version_that_follows_its_wording_and_is_kept_with_the_report() {
    let program = Program::start();
    let editor = program.set_up();
    let first = program.client().get("/privacy").expect(200).json();
    assert!(first["text"].as_str().unwrap().contains("redazione"));
    assert_eq!(first["url"], Value::Null);

    let change =
        json!({ "privacyNotice": "Un altro testo.", "privacyUrl": "https://esempio.it/privacy" });
    editor.save("/settings/system", &change);
    let second = program.client().get("/privacy").expect(200).json();
    assert_eq!(second["text"], "Un altro testo.");
    assert_eq!(second["url"], "https://esempio.it/privacy");
    assert_ne!(second["version"], first["version"]);

    let id = submit(&program.client(), &Person::numbered(1));
    assert_eq!(editor.report(&id)["privacyVersion"], second["version"]);
}
