//! `PUT /password`: what it takes, and which sessions it ends.

use serde_json::json;

use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;

#[test]
fn a_change_ends_every_other_session_at_once() {
    let program = Program::start();
    let (here, there) = (program.set_up(), program.log_in());
    let body = json!({ "current": PASSWORD, "new": OTHER_PASSWORD });
    here.put("/password", &body).expect(204);
    assert_eq!((here.session(), there.session()), (200, 401));
    let client = program.client();
    try_log_in(&client, PASSWORD).problem(401, "password-non-valida");
    Editor::log_in(&client, OTHER_PASSWORD);
}

#[test]
fn a_wrong_present_password_changes_nothing() {
    let program = Program::start();
    let (here, there) = (program.set_up(), program.log_in());
    let body = json!({ "current": OTHER_PASSWORD, "new": "collina-forchetta-neve-tamburo" });
    here.put("/password", &body)
        .problem(401, "password-non-valida");
    assert_eq!((here.session(), there.session()), (200, 200));
    program.log_in();
}

#[test]
fn a_new_password_keeps_to_the_rules() {
    let program = Program::start();
    let editor = program.set_up();
    for new in [
        "corta",
        "",
        "correcthorsebatterystaple",
        "PelazzAI PelazzAI",
        "redazione2026",
    ] {
        let body = json!({ "current": PASSWORD, "new": new });
        let problem = editor
            .put("/password", &body)
            .problem(422, "dati-non-validi");
        assert!(problem["errors"]["new"].is_string(), "{problem}");
        assert!(
            new.is_empty() || !problem.to_string().contains(new),
            "it is quoted"
        );
    }
    assert_eq!(editor.session(), 200);
    program.log_in();
}
