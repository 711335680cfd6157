//! People with a password of their own (PRODUCT.md §10): invited, let in, changed, removed; what their password opens.

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::database;
use crate::support::executable::{fails, succeeds};
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, browser_of, cookie_of, try_log_in};
use crate::support::people::{
    WORD, answer, id_of, invite, invite_again, join, log_in_as, try_log_in_as,
};
use crate::support::program::Program;
use crate::support::{DAY, HOUR, MINUTE, has};

fn opened(program: &Program, token: &str) -> Answer {
    let body = json!({ "token": token });
    program.client().post_json("/invitations/open", &body)
}

fn people(editor: &Editor) -> Vec<Value> {
    let list = editor.get("/people").expect(200).json();
    list["data"].as_array().expect("people").clone()
}

fn change(editor: &Editor, id: &str, change: &Value) -> Answer {
    let request = editor.api("PATCH", &format!("/people/{id}"));
    request.json(change).send()
}

fn remove(editor: &Editor, id: &str) -> Answer {
    editor.delete(&format!("/people/{id}"))
}

#[test]
fn an_invitation_is_answered_once_and_lets_in_by_name_from_then_on() {
    let program = Program::start();
    let editor = program.set_up();
    let report = submit(&program.client(), &Person::numbered(1));
    let client = program.client();
    let invited = invite(&editor, "Anna.B", "redattore", &["sanita", "lavoro"]);
    let told = opened(&program, &invited.token).expect(200).json();
    assert_eq!(told, json!({ "name": "Nome di Anna.B", "user": "anna.b" }));
    has(
        &people(&editor)[0],
        &json!({ "state": "invitata", "lastLogin": null }),
    );
    try_log_in_as(&client, "anna.b", "", None).problem(401, "password-non-valida");
    for bad in ["corta", "NomeDiAnnaB1!"] {
        let refused = answer(&client, &invited.token, bad);
        assert_eq!(refused.refused_fields(), ["password"], "{bad}");
    }
    let anna = Editor::of(&client, &answer(&client, &invited.token, WORD).expect(204));
    has(
        &anna.get("/session").expect(200).json(),
        &json!({ "id": invited.id, "user": "anna.b", "role": "redattore", "departments": ["sanita", "lavoro"],
            "secondFactor": "off" }),
    );
    assert_eq!(anna.report(&report)["nome"], "Nomeb");
    answer(&client, &invited.token, WORD).problem(404, "invito-non-valido");
    opened(&program, &invited.token).problem(404, "invito-non-valido");
    log_in_as(&client, " ANNA.b ");
    has(
        &people(&editor)[0],
        &json!({ "state": "attiva", "lastLogin": "2026-03-10T09:00:00Z", "secondFactor": false }),
    );
    // A second one of that name is refused, and so are bad names.
    for (name, user, field) in [
        ("A", "anna.b", "user"),
        ("A", "a b", "user"),
        (" ", "aa", "name"),
    ] {
        let new = json!({ "name": name, "user": user, "role": "lettore" });
        assert_eq!(editor.post_json("/people", &new).refused_fields(), [field]);
    }
    let names = anna.get("/colleagues").expect(200).json();
    let own = json!([{ "id": invited.id, "name": "Nome di Anna.B", "gone": false }]);
    assert_eq!(names["data"], own);
}

#[test]
fn an_invitation_ends_after_three_days_or_with_the_next() {
    let program = Program::start();
    program.set_up();
    let (client, editor) = (program.client(), program.log_in());
    let first = invite(&editor, "anna", "lettore", &[]);
    let second = invite_again(&editor, &first.id);
    opened(&program, &first.token).problem(404, "invito-non-valido");
    program.clock.advance(2 * DAY + 23 * HOUR);
    opened(&program, &second).expect(200);
    program.clock.advance(HOUR);
    opened(&program, &second).problem(404, "invito-non-valido");
    answer(&client, &second, WORD).problem(404, "invito-non-valido");
    let editor = program.log_in();
    assert_eq!(people(&editor)[0]["state"], "scaduta");
    program.running().tidy().expect("a round");
    let left = database(program.data())
        .query_row("SELECT count(*) FROM invitations", [], |row| row.get(0));
    assert_eq!(left, Ok(0_i64));
    // Who is active goes on with the old password until the new invitation is answered.
    let third = invite_again(&editor, &first.id);
    answer(&client, &third, WORD).expect(204);
    let fourth = invite_again(&editor, &first.id);
    let anna = log_in_as(&client, "anna");
    let again = Editor::of(
        &client,
        &answer(&client, &fourth, OTHER_PASSWORD).expect(204),
    );
    assert_eq!((anna.session(), again.session()), (401, 200));
    try_log_in_as(&client, "anna", WORD, None).problem(401, "password-non-valida");
}

#[test]
fn a_name_that_is_not_there_answers_as_a_wrong_password() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    join(&editor, &client, "anna", "lettore", &[]);
    invite(&editor, "berta", "lettore", &[]);
    let detail = |answer: &Answer| {
        let told = answer.problem(401, "password-non-valida");
        (told["title"].clone(), told["detail"].clone())
    };
    let wrong = detail(&try_log_in_as(&client, "anna", OTHER_PASSWORD, None));
    // Also with the shared password, which is what its derivation is compared with.
    for (user, password) in [
        ("nessuno", WORD),
        ("nessuno", PASSWORD),
        ("berta", PASSWORD),
    ] {
        assert_eq!(detail(&try_log_in_as(&client, user, password, None)), wrong);
    }
    try_log_in(&client, WORD).problem(401, "password-non-valida");
    // Five failures are five, whoever was meant.
    try_log_in_as(&client, "anna", WORD, None).problem(429, "troppi-tentativi");
}

/// Somebody who can log in gets no more guesses at a colleague's password by doing so.
#[test]
fn ones_own_login_forgives_no_guesses_at_a_colleague() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    join(&editor, &client, "anna", "amministratore", &[]);
    join(&editor, &client, "carla", "lettore", &[]);
    let guess = |client: &Client| try_log_in_as(client, "anna", OTHER_PASSWORD, None).status;
    let mut answers = Vec::new();
    for _ in 0..5 {
        let own = try_log_in_as(&client, "carla", WORD, None);
        if own.status != 204 {
            answers.push(own.status);
            continue;
        }
        // Neither the browser by which Carla is known, nor what her login forgives, counts for Anna.
        let known = format!("segnalazioni-browser={}", browser_of(&own));
        let known = client.with("cookie", &known);
        answers.extend([guess(&known), guess(&known), guess(&client)]);
    }
    let tried = answers.iter().filter(|status| **status == 401).count();
    assert_eq!(tried, 5, "{answers:?}");
}

#[test]
fn who_is_removed_or_demoted_is_so_with_the_next_request() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "amministratore", &["sanita"]);
    let berta = join(&anna, &client, "berta", "amministratore", &[]);
    let (first, second) = (id_of(&anna), id_of(&berta));
    has(&anna.get("/session").json(), &json!({ "departments": [] }));
    change(
        &anna,
        &second,
        &json!({ "role": "redattore", "departments": ["scuola"] }),
    )
    .expect(204);
    berta.get("/people").problem(403, "ruolo");
    has(
        &berta.get("/session").expect(200).json(),
        &json!({ "role": "redattore", "departments": ["scuola"] }),
    );
    // The last administrator stays one.
    remove(&editor, &first).problem(409, "conflitto");
    change(&anna, &first, &json!({ "role": "lettore" })).problem(409, "conflitto");
    change(&anna, &second, &json!({ "role": "amministratore" })).expect(204);
    assert_eq!(people(&berta).len(), 2);
    remove(&berta, &first).expect(204);
    assert_eq!(anna.session(), 401);
    try_log_in_as(&client, "anna", WORD, None).problem(401, "password-non-valida");
    let names = berta.get("/colleagues").expect(200).json();
    has(
        &names["data"][0],
        &json!({ "name": "Nome di anna", "gone": true }),
    );
    assert_eq!(people(&berta).len(), 1);
    remove(&berta, &first).problem(404, "non-trovato");
    // The name is free again.
    join(&berta, &client, "anna", "lettore", &[]);
}

#[test]
fn the_shared_password_is_switched_off_only_beside_an_administrator() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    let off = json!({ "sharedPassword": false });
    let refused = editor.put("/settings/security", &off);
    assert_eq!(refused.refused_fields(), ["sharedPassword"]);
    invite(&editor, "berta", "amministratore", &[]);
    let refused = editor.put("/settings/security", &off);
    assert_eq!(refused.refused_fields(), ["sharedPassword"]);
    let anna = join(&editor, &client, "anna", "amministratore", &[]);
    anna.put("/settings/security", &off).expect(200);
    assert_eq!((editor.session(), anna.session()), (401, 200));
    try_log_in(&client, PASSWORD).problem(401, "password-non-valida");
    // The way back is on the server.
    let said = succeeds(
        program.home(),
        &["reset-password", "--stdin"],
        OTHER_PASSWORD,
    );
    assert!(said.contains("ora è di nuovo attiva"), "{said}");
    Editor::log_in(&client, OTHER_PASSWORD);
    log_in_as(&client, "anna");
}

#[test]
fn a_sealed_archive_opens_for_each_and_closes_behind_the_last() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let id = submit(&program.client(), &Person::numbered(1));
    join(&editor, &program.client(), "anna", "redattore", &[]);
    let berta = invite(&editor, "berta", "lettore", &[]);
    let sealed = json!({ "recoveryCode": code });
    editor.post_json("/security/sealed", &sealed).expect(200);
    // Nobody is logged in since the start: each opens it, also by an invitation.
    for who in ["anna", "berta", "redazione"] {
        program.restart();
        let client = program.client();
        let editor = match who {
            "anna" => log_in_as(&client, "anna"),
            "berta" => Editor::of(&client, &answer(&client, &berta.token, WORD).expect(204)),
            _ => program.log_in(),
        };
        assert_eq!(editor.report(&id)["nome"], "Nomeb", "{who}");
    }
    let client = program.client();
    let (anna, shared) = (log_in_as(&client, "anna"), program.log_in());
    let all = database(program.data());
    for _ in 0..2 {
        let others = "DELETE FROM sessions WHERE last_seen < (SELECT max(last_seen) FROM sessions)";
        all.execute_batch(others).expect("written");
    }
    anna.delete("/session").expect(204);
    assert_eq!(shared.report(&id)["nome"], "Nomeb");
    // One's own way back is the same as the newsroom's.
    let reset = ["reset-password", "--stdin", "--user", "Anna"];
    let home = program.home().to_owned();
    let refused = fails(&home, &reset, OTHER_PASSWORD);
    assert!(refused.contains("serve il codice di recupero"), "{refused}");
    succeeds(&home, &reset, &format!("{OTHER_PASSWORD}\n{code}\n"));
    program.clock.advance(HOUR);
    program.running().tidy().expect("a round");
    let answer = try_log_in_as(&client, "anna", OTHER_PASSWORD, None).expect(204);
    let anna = Editor::with_cookie(&client, cookie_of(&answer));
    assert_eq!(anna.report(&id)["nome"], "Nomeb");
    let refused = fails(
        &home,
        &["reset-password", "--stdin", "--user", "nessuno"],
        WORD,
    );
    assert!(refused.contains("non c'è nessuno"), "{refused}");
}

#[test]
fn ones_own_password_is_changed_and_ends_only_ones_own_sessions() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "redattore", &[]);
    let there = log_in_as(&client, "anna");
    let refused = anna.put(
        "/password",
        &json!({ "current": WORD, "new": "nome di anna" }),
    );
    assert_eq!(refused.refused_fields(), ["new"]);
    let anna = anna.change_password(&client, WORD, OTHER_PASSWORD);
    assert_eq!(
        (anna.session(), there.session(), editor.session()),
        (200, 401, 200)
    );
    try_log_in_as(&client, "anna", WORD, None).problem(401, "password-non-valida");
    try_log_in_as(&client, "anna", OTHER_PASSWORD, None).expect(204);
    Editor::log_in(&client, PASSWORD);
}

/// Whoever writes the database cannot make a reader an administrator.
#[test]
fn rights_that_are_written_into_the_database_end_the_session() {
    for plant in [
        "UPDATE people SET role = 'amministratore'",
        "UPDATE people SET departments = 127",
        "UPDATE sessions SET person = NULL",
        "UPDATE sessions SET person = (SELECT id FROM people WHERE user = 'capo')",
    ] {
        let program = Program::start();
        let editor = program.set_up();
        let client = program.client();
        join(&editor, &client, "capo", "amministratore", &[]);
        let carla = join(&editor, &client, "carla", "lettore", &["scuola"]);
        assert_eq!(carla.session(), 200);
        database(program.data())
            .execute_batch(plant)
            .expect("written");
        assert_eq!(carla.session(), 401, "{plant}");
    }
}

#[test]
fn a_link_for_one_account_is_none_for_another() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    join(&editor, &client, "anna", "lettore", &[]);
    for _ in 0..5 {
        try_log_in_as(&client, "anna", OTHER_PASSWORD, None).problem(401, "password-non-valida");
    }
    let said = succeeds(program.home(), &["login-link", "--user", "anna"], "");
    let link = said.split_once("/login#").expect("a link").1;
    let link = link.lines().next().expect("a token");
    let with = |body: Value| client.post_json("/session", &body).status;
    assert_eq!(with(json!({ "password": PASSWORD, "link": link })), 429);
    let own = json!({ "user": "anna", "password": WORD, "link": link });
    assert_eq!(with(own.clone()), 204);
    program.clock.advance(MINUTE);
    assert_eq!(with(own), 429, "it is spent");
}
