//! `DELETE /settings`: everything on the three screens goes back to its default, and nothing else does.

use serde_json::json;

use crate::support::panel::{PASSWORD, try_log_in};
use crate::support::program::Program;

const SECTIONS: [&str; 3] = ["/settings/security", "/settings/system", "/settings/email"];

#[test]
fn settings_go_back_to_their_defaults() {
    let program = Program::start();
    let editor = program.set_up();
    let defaults = SECTIONS.map(|section| editor.get(section).expect(200).json());
    let changes = [
        json!({ "allowedIPs": "127.0.0.0/8", "minWordCount": 3, "autoArchiveDays": 7, "enableLogging": false }),
        json!({ "organizationName": "La Gazzetta", "primaryColor": "#aa0000", "darkMode": false }),
        json!({ "emailRecipient": "tip@esempio.it", "routingMode": "manual", "dept_lavoro_keywords": "turni" }),
    ];
    for (section, change) in SECTIONS.iter().zip(&changes) {
        editor.put(section, change).expect(200);
    }
    let answer = editor.api("DELETE", "/settings").send().expect(204);
    assert!(answer.body.is_empty());
    for (section, default) in SECTIONS.iter().zip(&defaults) {
        assert_eq!(editor.get(section).json(), *default);
    }
    let branding = program.client().get("/branding").json();
    assert_eq!(
        branding["organizationName"],
        defaults[1]["organizationName"]
    );
}

#[test]
fn password_sessions_phrases_log_and_login_attempts_stay() {
    let program = Program::start();
    let editor = program.set_up();
    editor
        .put(
            "/prompts",
            &json!({ "welcome": "Benvenuti. Quanti anni hai?" }),
        )
        .expect(200);
    for _ in 0..4 {
        try_log_in(&program.client(), "sbagliata").expect(401);
    }
    let before = editor.get("/logs").json()["data"]
        .as_array()
        .unwrap()
        .clone();
    editor.api("DELETE", "/settings").send().expect(204);

    let after = editor.get("/logs").json()["data"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(after[0]["action"], "SETTINGS_CHANGED");
    assert_eq!(after[1..], before);
    assert_eq!(editor.session(), 200);
    assert_eq!(
        editor.get("/prompts").json()["welcome"],
        "Benvenuti. Quanti anni hai?"
    );
    // The fifth failure is still the last that is allowed.
    try_log_in(&program.client(), "sbagliata").expect(401);
    try_log_in(&program.client(), PASSWORD).problem(429, "troppi-tentativi");
}

#[test]
fn nobody_else_resets_anything() {
    let program = Program::start();
    let editor = program.set_up();
    editor
        .put(SECTIONS[1], &json!({ "organizationName": "La Gazzetta" }))
        .expect(200);
    program
        .client()
        .api("DELETE", "/settings")
        .send()
        .problem(401, "non-autenticato");
    let foreign = editor
        .api("DELETE", "/settings")
        .header("sec-fetch-site", "cross-site");
    foreign.send().problem(403, "origine-non-valida");
    assert_eq!(
        editor.get(SECTIONS[1]).json()["organizationName"],
        "La Gazzetta"
    );
}
