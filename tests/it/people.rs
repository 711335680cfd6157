//! People with a password of their own (PRODUCT.md §7): invited, let in, changed, removed; what their password opens.

use insta::assert_snapshot;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::support::backups::{self, back_up};
use crate::support::disk::database;
use crate::support::executable::{fails, succeeds};
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, browser_of, cookie_of, try_log_in};
use crate::support::people::{
    WORD, answer, id_of, invite, invite_again, join, log_in_as, try_log_in_as,
};
use crate::support::program::Program;
use crate::support::snapshot::table;
use crate::support::{DAY, HOUR, MINUTE, at_once};

fn opened(program: &Program, token: &str) -> Answer {
    let body = json!({ "token": token });
    program.client().post_json("/invitations/open", &body)
}

fn people(editor: &Editor) -> Vec<Value> {
    editor.rows("/people")
}

fn change(editor: &Editor, id: &str, change: &Value) -> Answer {
    editor.modify(&format!("/people/{id}"), change)
}

fn remove(editor: &Editor, id: &str) -> Answer {
    editor.delete(&format!("/people/{id}"))
}

#[test]
fn an_invitation_is_answered_once_and_lets_in_by_name_from_then_on() {
    let (program, editor) = Program::with_editor();
    let report = program.report(1);
    editor.change(&report, &json!({ "department": "lavoro" }));
    let client = program.client();
    let invited = invite(&editor, "Anna.B", "redattore", &["sanita", "lavoro"]);
    let told = opened(&program, &invited.token).expect(200).json();
    assert_eq!(told, json!({ "name": "Nome di Anna.B", "user": "anna.b" }));
    has!(people(&editor)[0], "state": "invitata", "lastLogin": null);
    try_log_in_as(&client, "anna.b", "", None).wrong_password();
    for bad in ["corta", "NomeDiAnnaB1!"] {
        let refused = answer(&client, &invited.token, bad);
        assert_eq!(refused.refused_fields(), ["password"], "{bad}");
    }
    let anna = Editor::of(&client, &answer(&client, &invited.token, WORD).expect(204));
    has!(
        anna.read("/session"),
        "id": invited.id, "user": "anna.b", "role": "redattore", "departments": ["sanita", "lavoro"],
        "secondFactor": "off"
    );
    assert_eq!(anna.report(&report)["nome"], "Nomeb");
    answer(&client, &invited.token, WORD).problem(404, "invito-non-valido");
    opened(&program, &invited.token).problem(404, "invito-non-valido");
    log_in_as(&client, " ANNA.b ");
    has!(people(&editor)[0], "state": "attiva", "lastLogin": "2026-03-10T09:00:00Z", "secondFactor": false);
    // A second one of that name is refused, and so are bad names.
    for (name, user, field) in [
        ("A", "anna.b", "user"),
        ("A", "a b", "user"),
        (" ", "aa", "name"),
    ] {
        let new = json!({ "name": name, "user": user, "role": "lettore" });
        assert_eq!(editor.post_json("/people", &new).refused_fields(), [field]);
    }
    let own = json!([{ "id": invited.id, "name": "Nome di Anna.B", "gone": false, "edits": true }]);
    assert_eq!(anna.read("/colleagues")["data"], own);
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
    program.round();
    let left = database(program.data())
        .query_row("SELECT count(invitation) + (SELECT count(*) FROM key_slots WHERE kind = 'invitation') FROM people",
            [], |row| row.get(0));
    assert_eq!(left, Ok(0_i64));
    // Who is active goes on with the old password until the new invitation is answered.
    let third = invite_again(&editor, &first.id);
    answer(&client, &third, WORD).expect(204);
    let fourth = invite_again(&editor, &first.id);
    let anna = log_in_as(&client, "anna");
    let chosen = answer(&client, &fourth, OTHER_PASSWORD).expect(204);
    let again = Editor::of(&client, &chosen);
    assert_eq!((anna.session(), again.session()), (401, 200));
    try_log_in_as(&client, "anna", WORD, None).wrong_password();
}

#[test]
fn a_name_that_is_not_there_answers_as_a_wrong_password() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    join(&editor, &client, "anna", "lettore", &[]);
    invite(&editor, "berta", "lettore", &[]);
    let detail = |answer: &Answer| {
        let told = answer.wrong_password();
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
    try_log_in(&client, WORD).wrong_password();
    // Five failures are five, whoever was meant.
    try_log_in_as(&client, "anna", WORD, None).problem(429, "troppi-tentativi");
}

/// Somebody who can log in gets no more guesses at a colleague's password by doing so.
#[test]
fn ones_own_login_forgives_no_guesses_at_a_colleague() {
    let (program, editor) = Program::with_editor();
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
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "amministratore", &["sanita"]);
    let berta = join(&anna, &client, "berta", "amministratore", &[]);
    let (first, second) = (id_of(&anna), id_of(&berta));
    has!(anna.read("/session"), "departments": []);
    let demoted = json!({ "role": "redattore", "departments": ["scuola"] });
    change(&anna, &second, &demoted).expect(204);
    berta.get("/people").problem(403, "ruolo");
    has!(berta.read("/session"), "role": "redattore", "departments": ["scuola"]);
    // The last administrator stays one.
    remove(&editor, &first).conflict();
    change(&anna, &first, &json!({ "role": "lettore" })).conflict();
    change(&anna, &second, &json!({ "role": "amministratore" })).expect(204);
    assert_eq!(people(&berta).len(), 2);
    remove(&berta, &first).expect(204);
    assert_eq!(anna.session(), 401);
    try_log_in_as(&client, "anna", WORD, None).wrong_password();
    has!(berta.rows("/colleagues")[0], "name": "Nome di anna", "gone": true);
    assert_eq!(people(&berta).len(), 1);
    remove(&berta, &first).not_found();
    // The name is free again.
    join(&berta, &client, "anna", "lettore", &[]);
}

#[test]
fn the_log_says_to_whom_something_was_done_and_what() {
    let (program, shared) = Program::with_editor();
    let anna = join(&shared, &program.client(), "anna", "redattore", &[]);
    let id = id_of(&anna);
    let demoted = json!({ "role": "lettore", "departments": ["scuola"] });
    // The second time nothing is done.
    for _ in 0..2 {
        change(&shared, &id, &demoted).expect(204);
    }
    change(&shared, &id, &json!({ "secondFactor": false })).expect(204);
    remove(&shared, &id).expect(204);
    let log = shared.read("/logs?action=PEOPLE_CHANGED");
    assert_snapshot!(table(&log["data"], "who about"), @r"
    password della redazione Nome di anna (lettore): rimozione
    password della redazione Nome di anna (lettore): ruolo, reparti
    Nome di anna Nome di anna (redattore): password scelta
    password della redazione Nome di anna (redattore): invito
    ");
}

#[test]
fn the_shared_password_is_switched_off_only_beside_an_administrator() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let off = json!({ "sharedPassword": false });
    let refused = || editor.put("/settings/security", &off).refused_fields();
    assert_eq!(refused(), ["sharedPassword"]);
    invite(&editor, "berta", "amministratore", &[]);
    assert_eq!(refused(), ["sharedPassword"]);
    let anna = join(&editor, &client, "anna", "amministratore", &[]);
    anna.put("/settings/security", &off).expect(200);
    assert_eq!((editor.session(), anna.session()), (401, 200));
    try_log_in(&client, PASSWORD).wrong_password();
    // The way back is on the server.
    let reset = ["reset-password", "--stdin"];
    let said = succeeds(program.home(), &reset, OTHER_PASSWORD);
    assert!(said.contains("ora è di nuovo attiva"), "{said}");
    Editor::log_in(&client, OTHER_PASSWORD);
    log_in_as(&client, "anna");
}

#[test]
fn a_sealed_archive_opens_for_each_and_closes_behind_the_last() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let id = program.report(1);
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
    for _ in 0..2 {
        program
            .plant("DELETE FROM sessions WHERE last_seen < (SELECT max(last_seen) FROM sessions)");
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
    program.round();
    let answer = try_log_in_as(&client, "anna", OTHER_PASSWORD, None).expect(204);
    let anna = Editor::with_cookie(&client, cookie_of(&answer));
    assert_eq!(anna.report(&id)["nome"], "Nomeb");
    let reset = ["reset-password", "--stdin", "--user", "nessuno"];
    let refused = fails(&home, &reset, WORD);
    assert!(refused.contains("non c'è nessuno"), "{refused}");
}

#[test]
fn ones_own_password_is_changed_and_ends_only_ones_own_sessions() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "redattore", &[]);
    let there = log_in_as(&client, "anna");
    let weak = json!({ "current": WORD, "new": "nome di anna" });
    assert_eq!(anna.put("/password", &weak).refused_fields(), ["new"]);
    let anna = anna.change_password(&client, WORD, OTHER_PASSWORD);
    let expected = [200, 401, 200];
    assert_eq!([&anna, &there, &editor].map(Editor::session), expected);
    try_log_in_as(&client, "anna", WORD, None).wrong_password();
    try_log_in_as(&client, "anna", OTHER_PASSWORD, None).expect(204);
    Editor::log_in(&client, PASSWORD);
}

/// Whoever writes the database cannot make a reader an administrator.
#[test]
fn rights_that_are_written_into_the_database_end_the_session() {
    for plant in [
        "UPDATE people SET role = 'amministratore'",
        "UPDATE people SET departments = NULL",
        "UPDATE sessions SET person = NULL",
        "UPDATE sessions SET person = (SELECT id FROM people WHERE user = 'capo') WHERE person IS NOT NULL",
    ] {
        let (program, editor) = Program::with_editor();
        let client = program.client();
        join(&editor, &client, "capo", "amministratore", &[]);
        let carla = join(&editor, &client, "carla", "lettore", &["scuola"]);
        assert_eq!(carla.session(), 200);
        let chief = people(&editor)[0]["id"].as_str().expect("an id").to_owned();
        program.plant(plant);
        assert_eq!(carla.session(), 401, "{plant}");
        // What the program does later for the true one makes it no better.
        change(&editor, &chief, &json!({ "name": "Capo Nuovo" }));
        assert_eq!(carla.session(), 401, "{plant}");
    }
}

/// Leaves this client no attempt at an account without a link.
fn lock_out(client: &Client, user: &str) {
    for _ in 0..5 {
        try_log_in_as(client, user, OTHER_PASSWORD, None).wrong_password();
    }
}

fn link_for(program: &Program, user: &str) -> String {
    let said = succeeds(program.home(), &["login-link", "--user", user], "");
    let link = said.split_once("/login#").expect("a link").1;
    link.lines().next().expect("a token").to_owned()
}

#[test]
fn a_link_for_one_account_is_none_for_another() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    join(&editor, &client, "anna", "lettore", &[]);
    lock_out(&client, "anna");
    let link = link_for(&program, "anna");
    let with = |body: Value| client.post_json("/session", &body).status;
    assert_eq!(with(json!({ "password": PASSWORD, "link": link })), 429);
    let own = json!({ "user": "anna", "password": WORD, "link": link });
    assert_eq!(with(own.clone()), 204);
    program.clock.advance(MINUTE);
    assert_eq!(with(own), 429, "it is spent");
}

#[test]
fn login_link_lets_one_of_several_logins_in() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    join(&editor, &client, "anna", "lettore", &[]);
    lock_out(&client, "anna");
    for _ in 0..4 {
        let login = json!({ "user": "anna", "password": WORD, "link": link_for(&program, "anna") });
        let mut statuses = at_once(6, |_| client.post_json("/session", &login).status);
        statuses.sort_unstable();
        assert_eq!(statuses[0], 204, "{statuses:?}");
        let mut refused = statuses[1..].iter();
        assert!(
            refused.all(|status| [409, 429].contains(status)),
            "{statuses:?}"
        );
    }
}

#[test]
fn a_browser_that_two_accounts_share_lets_in_at_each() {
    let (program, editor) = Program::with_editor();
    join(&editor, &program.client(), "anna", "lettore", &[]);
    let first = try_log_in_as(&program.client(), "anna", WORD, None).expect(204);
    let known = format!("segnalazioni-browser={}", browser_of(&first));
    let client = program.client().with("cookie", &known);
    program.clock.advance(200 * DAY);
    try_log_in(&client, PASSWORD).expect(204);
    // It is known for the shared password alone by now.
    program.clock.advance(166 * DAY);
    try_log_in_as(&client, "anna", WORD, None).expect(204);
    // In two windows at once.
    join(&program.log_in(), &client, "berta", "lettore", &[]);
    let both = at_once(4, |_| try_log_in_as(&client, "berta", WORD, None).status);
    assert_eq!(both, [204; 4]);
}

/// What an app shows at the program's time, so many steps of half a minute from now.
pub fn code_of(secret: &str, program: &Program, steps: i64) -> String {
    let secret = Secret::try_from_base32(secret).expect("Base32");
    let totp = Builder::new().with_secret(secret).build().expect("a TOTP");
    let seconds = program.clock.now_ms() / 1_000 + 30 * steps;
    totp.generate(u64::try_from(seconds).expect("a time"))
        .to_string()
}

/// Sets up the second factor of somebody with the password [`WORD`]: the secret, and the recovery codes.
pub fn set_up_totp(program: &Program, person: &Editor) -> (String, Vec<String>) {
    let offer = person.post_and_read("/account/totp", &json!({}));
    let secret = offer["secret"].as_str().expect("a secret").to_owned();
    let uri = offer["uri"].as_str().expect("a link");
    assert!(
        uri.starts_with("otpauth://totp/") && uri.contains(&secret),
        "{uri}"
    );
    let code = code_of(&secret, program, 0);
    let asked = |code: &str, password: &str| {
        let body = json!({ "secret": secret, "code": code, "password": password });
        person.post_json("/account/totp", &body)
    };
    let wrong = code_of(&secret, program, 5);
    assert_eq!(asked(&wrong, WORD).refused_fields(), ["code"]);
    asked(&code, OTHER_PASSWORD).wrong_password();
    let set = asked(&code, WORD).expect(200).json();
    let codes = set["recoveryCodes"].as_array().expect("codes").iter();
    let codes: Vec<_> = codes
        .map(|code| code.as_str().expect("a code").to_owned())
        .collect();
    assert_eq!(codes.len(), 10);
    (secret, codes)
}

#[test]
fn a_second_factor_is_asked_for_and_each_code_serves_once() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "redattore", &[]);
    let (secret, codes) = set_up_totp(&program, &anna);
    has!(anna.read("/session"), "secondFactor": "on");
    let log_in = |code: Option<&str>| try_log_in_as(&client, "anna", WORD, code);
    log_in(None).problem(401, "secondo-fattore");
    try_log_in_as(&client, "anna", OTHER_PASSWORD, None).wrong_password();
    // The code that set it up served already.
    log_in(Some(&code_of(&secret, &program, 0))).problem(401, "secondo-fattore");
    program.clock.advance(MINUTE);
    let code = code_of(&secret, &program, 0);
    log_in(Some(&format!(" {} {} ", &code[..3], &code[3..]))).expect(204);
    for used in [&code, &code_of(&secret, &program, -1)] {
        log_in(Some(used)).problem(401, "secondo-fattore");
    }
    log_in(Some(&codes[0].to_lowercase())).expect(204);
    log_in(Some(&codes[0])).problem(401, "secondo-fattore");
    // A new password keeps it.
    anna.change_password(&client, WORD, OTHER_PASSWORD);
    let now = |code| try_log_in_as(&client, "anna", OTHER_PASSWORD, code);
    now(None).problem(401, "secondo-fattore");
    let anna = Editor::of(&client, &now(Some(&codes[1])).expect(204));
    let off_with = |password: &str| {
        let off = anna.api("DELETE", "/account/totp");
        off.json(&json!({ "password": password })).send()
    };
    off_with(WORD).wrong_password();
    let off = || off_with(OTHER_PASSWORD);
    let required =
        |required: bool| editor.save_security(&json!({ "requireSecondFactor": required }));
    required(true);
    off().conflict();
    required(false);
    off().expect(204);
    now(None).expect(204);
    let shared = editor.post_json("/account/totp", &json!({}));
    shared.conflict();
}

#[test]
fn wrong_codes_are_counted_from_wherever_they_come() {
    let program = Program::behind_a_proxy();
    let editor = program.set_up();
    let from = |host: usize| {
        let address = format!("203.0.113.{host}");
        program.from(&address)
    };
    let anna = join(&editor, &from(250), "anna", "redattore", &[]);
    let (secret, _) = set_up_totp(&program, &anna);
    program.clock.advance(MINUTE);
    let log_in = |host, code: Option<&str>| try_log_in_as(&from(host), "anna", WORD, code).status;
    let wrong = code_of(&secret, &program, 50);
    // To be asked for a code is no failure, and forgives none.
    let mut answers: Vec<_> = (0..7)
        .flat_map(|_| [log_in(1, Some(&wrong)), log_in(1, None)])
        .collect();
    assert_eq!(
        answers.iter().filter(|status| **status == 401).count(),
        9,
        "{answers:?}"
    );
    answers = (2..9).map(|host| log_in(host, Some(&wrong))).collect();
    assert_eq!(answers, [401, 401, 401, 401, 401, 429, 429]);
    let code = code_of(&secret, &program, 0);
    assert_eq!(log_in(100, Some(&code)), 429);
    // Codes are counted also where passwords are not, and no longer.
    editor.save_security(&json!({ "enableRateLimiting": false }));
    assert_eq!(log_in(100, Some(&code)), 429);
    program.clock.advance(15 * MINUTE);
    assert_eq!(log_in(100, Some(&code_of(&secret, &program, 0))), 204);
}

#[test]
fn a_second_factor_that_is_required_comes_first_and_a_lost_one_has_a_way_back() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let anna = join(&editor, &client, "anna", "redattore", &[]);
    editor.save_security(&json!({ "requireSecondFactor": true }));
    let barred = |path| anna.get(path).problem(403, "secondo-fattore-richiesto");
    barred("/reports");
    barred("/colleagues");
    has!(anna.read("/session"), "secondFactor": "required");
    set_up_totp(&program, &anna);
    anna.list("");
    // An administrator takes it away, or whoever runs the server; both are in the log.
    let id = id_of(&anna);
    let on = change(&editor, &id, &json!({ "secondFactor": true }));
    assert_eq!(on.refused_fields(), ["secondFactor"]);
    let changes = |editor: &Editor| editor.rows("/logs?action=PEOPLE_CHANGED");
    let before = changes(&editor).len();
    change(&editor, &id, &json!({ "secondFactor": false })).expect(204);
    assert_eq!(changes(&editor).len(), before + 1);
    barred("/reports");
    set_up_totp(&program, &anna);
    let reset = ["reset-password", "--stdin", "--user", "anna"];
    succeeds(program.home(), &reset, WORD);
    assert_eq!(anna.session(), 401);
    let anna = log_in_as(&client, "anna");
    has!(anna.read("/session"), "secondFactor": "required");
    assert_eq!(changes(&editor)[0]["ip"], "");
}

#[test]
fn ones_own_sessions_are_listed_and_ended() {
    let (program, editor) = Program::with_editor();
    let phone = program.client().with("user-agent", "Telefono/1");
    let first = join(&editor, &phone, "anna", "lettore", &[]);
    program.clock.advance(MINUTE);
    let second = log_in_as(&program.client().with("user-agent", "Computer/1"), "anna");
    let third = log_in_as(&program.client(), "anna");
    let all = first.rows("/account/sessions");
    assert_eq!(all.len(), 3, "{all:?}");
    let mut current = all.iter().filter(|one| one["current"] == true);
    has!(current.next().unwrap(), "userAgent": "Telefono/1", "created": "2026-03-10T09:00:00Z");
    let computer = all.iter().find(|one| one["userAgent"] == "Computer/1");
    let id = computer.unwrap()["id"].as_str().unwrap();
    let path = format!("/account/sessions/{id}");
    editor.delete(&path).not_found();
    first.delete(&path).expect(204);
    first.delete(&path).not_found();
    assert_eq!([&second, &third].map(Editor::session), [401, 200]);
    first.delete("/account/sessions").expect(204);
    let expected = [200, 401, 200];
    assert_eq!([&first, &third, &editor].map(Editor::session), expected);
}

#[test]
fn who_was_removed_does_not_come_back_with_an_older_backup() {
    let (mut program, editor) = Program::with_editor();
    for user in ["anna", "carla"] {
        join(&editor, &program.client(), user, "amministratore", &[]);
    }
    let file = back_up(program.home(), &[]);
    let anna = log_in_as(&program.client(), "anna");
    remove(&editor, &id_of(&anna)).expect(204);
    program.stop();
    backups::restore(program.home(), &file, &[]);
    program.start_again();
    log_in_as(&program.client(), "carla");
    try_log_in_as(&program.client(), "anna", WORD, None).wrong_password();
    has!(program.log_in().rows("/colleagues")[0], "name": "Nome di anna", "gone": true);
}

#[test]
fn people_come_along_with_a_backup_and_stay_with_the_panels_file() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (mut program, editor) = Program::with_editor();
    let anna = join(&editor, &program.client(), "anna", "redattore", &[]);
    let (_, codes) = set_up_totp(&program, &anna);
    let berta = invite(&editor, "berta", "lettore", &[]);
    let json = backups::of_panel(&program, &editor);
    program.stop();
    // On another machine the second factor opens, and an invitation is void.
    let file = back_up(program.home(), &[]);
    backups::restore(elsewhere.path(), &file, &[]);
    let (there, _) = Program::start_at(elsewhere.path());
    let log_in = |client: &Client| try_log_in_as(client, "anna", WORD, Some(&codes[0]));
    log_in(&there.client()).expect(204);
    opened(&there, &berta.token).problem(404, "invito-non-valido");
    backups::restore(program.home(), &json, &[]);
    program.start_again();
    log_in(&program.client()).expect(204);
    opened(&program, &berta.token).expect(200);
}
