//! `DELETE /settings`: everything on the three screens goes back to its default, and nothing else does.

use serde_json::json;

use crate::support::disk::count;
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
        json!({ "organizationName": "La Gazzetta", "primaryColor": "#aa0000", "webhookApiKey": "segreta" }),
        json!({ "emailRecipient": "tip@esempio.it", "routingMode": "manual", "smtpPassword": "segreta" }),
    ];
    for (section, change) in SECTIONS.iter().zip(&changes) {
        editor.save(section, change);
    }
    editor.delete("/settings").expect(204);
    assert_eq!(SECTIONS.map(|section| editor.get(section).json()), defaults);
    let secrets = "SELECT count(*) FROM secrets";
    assert_eq!(count(program.data(), secrets), 0);
}

#[test]
fn password_sessions_phrases_log_and_login_attempts_stay() {
    let program = Program::start();
    let editor = program.set_up();
    editor.save(
        "/prompts",
        &json!({ "welcome": "Benvenuti. Quanti anni hai?" }),
    );
    for _ in 0..4 {
        try_log_in(&program.client(), "sbagliata").expect(401);
    }
    let before = editor.get("/logs").json()["data"]
        .as_array()
        .unwrap()
        .clone();
    editor.delete("/settings").expect(204);

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
