//! `POST /setup` and `/setup/recovery-code`: the first password, over the link on the operator's terminal.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, cookie_of, try_log_in};
use crate::support::program::Program;

fn token(program: &Program) -> String {
    let url = program.setup_url();
    let (page, token) = url.split_once('#').expect("a token in the fragment");
    assert!(page.ends_with("/paibeta/setup"), "{page}");
    token.to_owned()
}

fn ask_code(client: &Client, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    client.post_json("/setup/recovery-code", &body)
}

fn finish(client: &Client, token: &str, password: &str, code: &str) -> Answer {
    let body = json!({ "token": token, "password": password, "recoveryCode": code });
    client.post_json("/setup", &body)
}

fn code_in(answer: &Answer) -> String {
    let body = answer.clone().expect(200).json();
    body["recoveryCode"].as_str().expect("a code").to_owned()
}

/// A set-up that waits for its code: client, token and code.
fn begun() -> (Program, Client, String, String) {
    let program = Program::start();
    let (client, token) = (program.client(), token(&program));
    let code = code_in(&ask_code(&client, &token, PASSWORD));
    (program, client, token, code)
}

#[test]
fn until_a_password_is_set_nobody_can_log_in() {
    let program = Program::start();
    for password in ["", "admin", "password", "pelazzai"] {
        try_log_in(&program.client(), password).problem(503, "non-configurato");
    }
    program.client().get("/reports").no_session();
}

#[test]
fn the_link_sets_the_password_once_the_code_is_typed_back() {
    let (_program, client, token, code) = begun();
    let groups: Vec<&str> = code.split('-').collect();
    assert!(
        groups.len() == 8 && groups.iter().all(|group| group.len() == 4),
        "groups of letters"
    );

    // Typed as people type: small letters, blanks for dashes.
    let typed = code.to_lowercase().replace('-', " ");
    let answer = finish(&client, &token, PASSWORD, &typed).expect(204);
    let editor = Editor::with_cookie(&client, cookie_of(&answer));
    assert_eq!(editor.session(), 200);
    Editor::log_in(&client, PASSWORD);
}

#[test]
fn a_code_typed_wrong_is_refused_and_can_be_typed_again() {
    let (_program, client, token, code) = begun();
    let swapped = if code.starts_with('B') { "C" } else { "B" };
    let wrong = format!("{swapped}{}", &code[1..]);
    for typed in ["", "no", &code[..code.len() - 1], wrong.as_str()] {
        let refused = finish(&client, &token, PASSWORD, typed);
        assert_eq!(refused.refused_fields(), ["recoveryCode"]);
    }
    try_log_in(&client, PASSWORD).problem(503, "non-configurato");
    finish(&client, &token, PASSWORD, &code).expect(204);
}

#[test]
fn a_code_shown_again_takes_the_place_of_the_first() {
    let program = Program::start();
    let (client, token) = (program.client(), token(&program));
    let first = code_in(&ask_code(&client, &token, PASSWORD));
    let second = code_in(&ask_code(&client, &token, PASSWORD));
    assert_ne!(first, second);
    finish(&client, &token, PASSWORD, &first).invalid();
    finish(&client, &token, PASSWORD, &second).expect(204);
}

#[test]
fn a_wrong_link_opens_nothing() {
    let (_program, client, token, code) = begun();
    let (upper, longer) = (token.to_uppercase(), format!("{token}A"));
    for guess in ["", "x", &token[1..], &upper, &longer] {
        ask_code(&client, guess, PASSWORD).problem(401, "link-non-valido");
        finish(&client, guess, PASSWORD, &code).problem(401, "link-non-valido");
    }
    finish(&client, &token, PASSWORD, &code).expect(204);
}

#[test]
fn the_link_lives_for_thirty_minutes_and_is_new_at_each_start() {
    let mut program = Program::start();
    let first = token(&program);
    let minute = Duration::from_mins(1);
    program.clock.advance(29 * minute);
    let code = code_in(&ask_code(&program.client(), &first, PASSWORD));
    program.clock.advance(minute);
    ask_code(&program.client(), &first, PASSWORD).problem(401, "link-non-valido");
    finish(&program.client(), &first, PASSWORD, &code).problem(401, "link-non-valido");
    program.restart();
    let second = token(&program);
    assert_ne!(first, second);
    ask_code(&program.client(), &first, PASSWORD).problem(401, "link-non-valido");
    ask_code(&program.client(), &second, PASSWORD).expect(200);
}

#[test]
fn the_link_serves_once() {
    let (mut program, client, token, code) = begun();
    finish(&client, &token, PASSWORD, &code).expect(204);
    ask_code(&client, &token, OTHER_PASSWORD).problem(409, "gia-configurato");
    finish(&client, &token, OTHER_PASSWORD, &code).problem(409, "gia-configurato");
    program.restart();
    assert_eq!(
        program.running().setup_url(),
        None,
        "no link once a password is set"
    );
    program.log_in();
}

#[test]
fn a_weak_password_is_refused_at_both_steps() {
    let (_program, client, token, code) = begun();
    for weak in ["", "qwertyuiopasdf"] {
        for answer in [
            ask_code(&client, &token, weak),
            finish(&client, &token, weak, &code),
        ] {
            assert_eq!(answer.refused_fields(), ["password"]);
        }
    }
    let short = ask_code(&client, &token, "undici cara").invalid();
    let message = "La password deve avere almeno 12 caratteri.";
    assert_eq!(short["errors"]["password"], Value::from(message));
}
