//! Passkeys (PRODUCT.md §20): added, named, used and removed, by calls, and every answer that must let nobody in.

use serde_json::json;

use crate::people::set_up_totp;
use crate::support::MINUTE;
use crate::support::authenticator::{
    Answered, Authenticator, add, answer, answer_new, ask, ask_for_new, at_localhost, log_in_by,
    try_log_in_by, turned_away,
};
use crate::support::http::Client;
use crate::support::panel::{BROWSER, Editor, OTHER_PASSWORD, PASSWORD, browser_of};
use crate::support::people::{
    WORD, answer as choose, id_of, invite_again, join, log_in_as, try_log_in_as,
};
use crate::support::program::Program;

/// A newsroom where nobody is kept waiting: its administrator, Anna, a browser at `localhost`, and her authenticator.
struct Newsroom {
    program: Program,
    shared: Editor,
    anna: Editor,
    client: Client,
    key: Authenticator,
}

impl Newsroom {
    fn new() -> Self {
        let (program, shared) = Program::with_editor();
        shared.save_security(&json!({ "enableRateLimiting": false }));
        let (client, key) = at_localhost(&program.client());
        let anna = join(&shared, &client, "anna", "redattore", &[]);
        Self {
            program,
            shared,
            anna,
            client,
            key,
        }
    }

    /// The same, with a passkey.
    fn with_passkey() -> Self {
        let mut newsroom = Self::new();
        add(&newsroom.anna, &mut newsroom.key, "Telefono");
        newsroom
    }

    /// Entries of the log, the newest first: what was done, and about what.
    fn logged(&self) -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let rows = self.shared.rows("/logs?limit=20").into_iter();
        rows.map(|row| (text(&row["action"]), text(&row["about"])))
            .collect()
    }

    fn has_logged(&self, action: &str, about: &str) {
        let entry = (action.to_owned(), about.to_owned());
        assert!(self.logged().contains(&entry), "{:?}", self.logged());
    }
}

#[test]
fn a_passkey_is_added_named_used_and_removed() {
    let mut room = Newsroom::new();
    let none = room.anna.read("/account/passkeys");
    let origin = room.key.origin.clone();
    assert_eq!(
        none,
        json!({ "data": [], "host": origin, "offered": true, "sealed": false })
    );
    assert!(ask(&room.client)["question"].is_null(), "there is none yet");

    let added = add(&room.anna, &mut room.key, "  Telefono  di Anna ");
    has!(added, "name": "Telefono di Anna", "lastUsed": null, "opens": true);
    let id = added["id"].as_str().expect("an id").to_owned();
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «Telefono di Anna» aggiunta",
    );
    let people = room.shared.rows("/people");
    assert_eq!(people[0]["passkeys"], 1);

    let by_key = log_in_by(&room.client, &mut room.key);
    has!(by_key.read("/session"), "user": "anna", "locked": false, "secondFactor": "off");
    room.has_logged("LOGIN_SUCCESS", "passkey «Telefono di Anna»");
    let path = format!("/account/passkeys/{id}");
    let renamed = room
        .anna
        .modify(&path, &json!({ "name": "Vecchio" }))
        .expect(200)
        .json();
    has!(renamed, "id": id, "name": "Vecchio", "lastUsed": "2026-03-10T09:00:00Z");
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «Telefono di Anna», ora passkey «Vecchio»",
    );
    for name in ["", "   ", &"x".repeat(61)] {
        let refused = room.anna.modify(&path, &json!({ "name": name }));
        assert_eq!(refused.refused_fields(), ["name"]);
    }

    room.anna.delete(&path).expect(204);
    by_key.get("/session").no_session();
    room.anna.get("/session").expect(200);
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «Vecchio» tolta",
    );
    room.anna.delete(&path).not_found();
    room.anna
        .modify(&path, &json!({ "name": "Di nuovo" }))
        .not_found();
    assert!(
        ask(&room.client)["question"].is_null(),
        "there is none left"
    );
    assert_eq!(
        room.program
            .count("SELECT count(*) FROM key_slots WHERE kind = 'passkey'"),
        0
    );
}

#[test]
fn a_login_by_passkey_asks_for_no_code_and_knows_the_browser() {
    let mut room = Newsroom::with_passkey();
    let answered = try_log_in_by(&room.client, &mut room.key).expect(204);
    assert!(!browser_of(&answered).is_empty());
    assert_eq!(room.program.count("SELECT count(*) FROM login_attempts"), 0);
    let anna = Editor::of(&room.client, &answered);
    set_up_totp(&room.program, &anna);
    try_log_in_as(&room.client, "anna", WORD, None).problem(401, "secondo-fattore");
    log_in_by(&room.client, &mut room.key);
}

#[test]
fn only_the_password_adds_one_and_only_a_fresh_question() {
    let mut room = Newsroom::new();
    let path = "/account/passkeys/question";
    room.anna
        .post_json(path, &json!({ "password": OTHER_PASSWORD }))
        .wrong_password();
    room.shared
        .post_json(path, &json!({ "password": PASSWORD }))
        .conflict();
    let shared = room.shared.read("/account/passkeys");
    assert_eq!(
        shared,
        json!({ "data": [], "host": null, "offered": false, "sealed": false })
    );

    let question = ask_for_new(&room.anna);
    let made = room.key.create(&question["options"]);
    // A name may be written again.
    assert_eq!(
        answer_new(&room.anna, &question, &made, "").refused_fields(),
        ["name"]
    );
    let bruno = join(&room.shared, &room.client, "bruno", "redattore", &[]);
    let theirs = answer_new(&bruno, &question, &made, "Telefono");
    assert_eq!(theirs.refused_fields(), ["question"]);
    answer_new(&room.anna, &question, &made, "Telefono").expect(201);
    let again = answer_new(&room.anna, &question, &made, "Telefono");
    assert_eq!(again.refused_fields(), ["question"]);

    let late = ask_for_new(&room.anna);
    let made = room.key.create(&late["options"]);
    room.program.clock.advance(5 * MINUTE);
    let refused = answer_new(&room.anna, &late, &made, "Telefono");
    assert_eq!(refused.refused_fields(), ["question"]);

    // The password is another by the time of the answer.
    let question = ask_for_new(&room.anna);
    let made = room.key.create(&question["options"]);
    let other = room
        .anna
        .change_password(&room.client, WORD, OTHER_PASSWORD);
    assert_eq!(
        answer_new(&other, &question, &made, "Telefono").refused_fields(),
        ["question"]
    );
    // The last two that were made are known to nobody.
    turned_away(&try_log_in_by(&room.client, &mut room.key));
    room.key.forget();
    room.key.forget();
    log_in_by(&room.client, &mut room.key);
}

#[test]
fn a_false_registration_adds_nothing() {
    let mut room = Newsroom::new();
    let lies: [fn(&mut Authenticator); 3] = [
        |key| key.verifies = false,
        |key| key.origin = "https://redazione.esempio.it".to_owned(),
        |key| key.host = Some("esempio.it".to_owned()),
    ];
    for lie in lies {
        let question = ask_for_new(&room.anna);
        let mut liar = room.key.clone();
        lie(&mut liar);
        let made = liar.create(&question["options"]);
        let refused = answer_new(&room.anna, &question, &made, "Telefono");
        assert_eq!(refused.refused_fields(), ["answer"]);
    }
    let [earlier, question] = [ask_for_new(&room.anna), ask_for_new(&room.anna)];
    let made = room.key.create(&earlier["options"]);
    let refused = answer_new(&room.anna, &question, &made, "Telefono");
    assert_eq!(refused.refused_fields(), ["answer"]);
    for garbage in [json!({}), json!(null), json!("x"), json!({ "id": 1 })] {
        let question = ask_for_new(&room.anna);
        let made = Answered {
            answer: garbage,
            opens: None,
        };
        let refused = answer_new(&room.anna, &question, &made, "Telefono");
        assert_eq!(refused.refused_fields(), ["answer"]);
    }
    assert_eq!(room.program.count("SELECT count(*) FROM passkeys"), 0);
}

#[test]
fn ten_are_enough() {
    let mut room = Newsroom::new();
    for n in 0..10 {
        add(&room.anna, &mut room.key, &format!("Numero {n}"));
    }
    let asked = json!({ "password": WORD });
    room.anna
        .post_json("/account/passkeys/question", &asked)
        .conflict();
    let names: Vec<_> = room.anna.rows("/account/passkeys");
    assert_eq!(names.len(), 10);
}

#[test]
fn a_passkey_that_is_there_is_not_made_twice() {
    let mut room = Newsroom::new();
    let question = ask_for_new(&room.anna);
    let made = room.key.create(&question["options"]);
    let second = ask_for_new(&room.anna);
    assert_eq!(second["options"]["excludeCredentials"], json!([]));
    answer_new(&room.anna, &question, &made, "Telefono").expect(201);
    let third = ask_for_new(&room.anna);
    assert_eq!(
        third["options"]["excludeCredentials"][0]["id"],
        made.answer["id"]
    );
}

#[test]
fn an_answer_that_lies_lets_nobody_in() {
    let mut room = Newsroom::with_passkey();
    let before = room.program.count("SELECT count(*) FROM sessions");
    // No verification of its owner, another port, a page that looks like ours, another host.
    let lies: [fn(&mut Authenticator); 4] = [
        |key| key.verifies = false,
        |key| key.origin = "http://localhost:1".to_owned(),
        |key| key.origin = "https://redazione.esempio.it".to_owned(),
        |key| key.host = Some("esempio.it".to_owned()),
    ];
    for lie in lies {
        let mut liar = room.key.clone();
        lie(&mut liar);
        turned_away(&try_log_in_by(&room.client, &mut liar));
    }
    let anna = id_of(&room.anna).replace('-', "");
    for user in [&b""[..], &[0; 16], anna.as_bytes()] {
        let mut liar = room.key.clone();
        liar.belongs_to(user);
        turned_away(&try_log_in_by(&room.client, &mut liar));
    }
    assert_eq!(room.program.count("SELECT count(*) FROM sessions"), before);
    log_in_by(&room.client, &mut room.key);
}

#[test]
fn question_and_answer_serve_once_and_for_five_minutes() {
    let mut room = Newsroom::new();
    room.key.counter = None;
    add(&room.anna, &mut room.key, "Telefono");
    let question = ask(&room.client);
    let right = room.key.get(&question["options"]);
    answer(&room.client, &question, &right).expect(204);
    turned_away(&answer(&room.client, &question, &right));
    // The answer of before to a new question, and a new answer to the question of before.
    let next = ask(&room.client);
    turned_away(&answer(&room.client, &next, &right));
    let fresh = room.key.get(&question["options"]);
    turned_away(&answer(&room.client, &question, &fresh));
    // A question that was spent on a wrong answer.
    let mut liar = room.key.clone();
    liar.verifies = false;
    let spent = ask(&room.client);
    let wrong = liar.get(&spent["options"]);
    turned_away(&answer(&room.client, &spent, &wrong));
    let right = room.key.get(&spent["options"]);
    turned_away(&answer(&room.client, &spent, &right));

    for (minutes, in_time) in [(4, true), (5, false)] {
        let question = ask(&room.client);
        let right = room.key.get(&question["options"]);
        room.program.clock.advance(minutes * MINUTE);
        let answered = answer(&room.client, &question, &right);
        if in_time {
            answered.expect(204);
        } else {
            turned_away(&answered);
        }
    }
}

/// What a security key computes travels sealed for the browser, in the signed data.
#[test]
fn a_security_key_that_writes_extensions_into_its_data_gets_in() {
    let mut room = Newsroom::new();
    for length in [32, 64, 80] {
        room.key.extends = length;
        let added = add(&room.anna, &mut room.key, "Chiave USB");
        assert_eq!(added["opens"], true);
        log_in_by(&room.client, &mut room.key);
        // One that is asked to create, and computes nothing.
        room.key.computes = false;
        log_in_by(&room.client, &mut room.key);
        room.key.computes = true;
    }
}

#[test]
fn a_counter_that_goes_back_is_refused_and_one_that_stays_at_zero_is_not() {
    let mut room = Newsroom::with_passkey();
    log_in_by(&room.client, &mut room.key);
    let mut copy = room.key.clone();
    log_in_by(&room.client, &mut room.key);
    turned_away(&try_log_in_by(&room.client, &mut copy));
    copy.counter = Some(0);
    turned_away(&try_log_in_by(&room.client, &mut copy));
    copy.counter = None;
    turned_away(&try_log_in_by(&room.client, &mut copy));
    room.has_logged(
        "LOGIN_FAILED",
        "Nome di anna: passkey «Telefono» rifiutata, il contatore è tornato indietro: forse ce n'è una copia",
    );
    log_in_by(&room.client, &mut room.key);

    let mut synchronised = room.key.clone();
    synchronised.counter = None;
    add(&room.anna, &mut synchronised, "Nel cloud");
    for _ in 0..2 {
        log_in_by(&room.client, &mut synchronised);
    }
}

#[test]
fn two_authenticators_of_one_person_and_those_of_two_people_are_told_apart() {
    let mut room = Newsroom::with_passkey();
    let first_id = room.anna.rows("/account/passkeys")[0]["id"].clone();
    let mut second = Authenticator::at(&room.key.origin);
    let added = add(&room.anna, &mut second, "Computer");
    let bruno = join(&room.shared, &room.client, "bruno", "lettore", &[]);
    let mut his = Authenticator::at(&room.key.origin);
    add(&bruno, &mut his, "Telefono");
    for (key, user) in [
        (&mut room.key, "anna"),
        (&mut second, "anna"),
        (&mut his, "bruno"),
    ] {
        let session = log_in_by(&room.client, key);
        assert_eq!(session.read("/session")["user"], user);
    }
    // With another's name on it, a key is nobody's.
    let mut liar = his.clone();
    liar.belongs_to(&hex::decode(id_of(&room.anna).replace('-', "")).expect("an id"));
    turned_away(&try_log_in_by(&room.client, &mut liar));
    // Nobody reaches another's.
    for id in [&first_id, &added["id"]] {
        let path = format!("/account/passkeys/{}", id.as_str().expect("an id"));
        bruno.modify(&path, &json!({ "name": "Mio" })).not_found();
        bruno.delete(&path).not_found();
        room.shared.delete(&path).conflict();
    }
    let path = format!("/account/passkeys/{}", first_id.as_str().expect("an id"));
    room.anna.delete(&path).expect(204);
    turned_away(&try_log_in_by(&room.client, &mut room.key));
    log_in_by(&room.client, &mut second);
}

#[test]
fn who_was_removed_or_invited_anew_has_no_way_in() {
    let mut room = Newsroom::with_passkey();
    let by_key = log_in_by(&room.client, &mut room.key);
    let id = id_of(&room.anna);
    // Until they answer, they go on as before.
    let token = invite_again(&room.shared, &id);
    log_in_by(&room.client, &mut room.key);
    choose(&room.client, &token, OTHER_PASSWORD).expect(204);
    by_key.get("/session").no_session();
    refused_or_unasked(&room.client, &mut room.key);
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «Telefono» tolta",
    );

    let bruno = join(&room.shared, &room.client, "bruno", "lettore", &[]);
    let mut his = Authenticator::at(&room.key.origin);
    add(&bruno, &mut his, "Chiave");
    let session = log_in_by(&room.client, &mut his);
    let question = ask(&room.client);
    let answered = his.get(&question["options"]);
    room.shared
        .delete(&format!("/people/{}", id_of(&bruno)))
        .expect(204);
    session.get("/session").no_session();
    turned_away(&answer(&room.client, &question, &answered));
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di bruno (lettore): passkey «Chiave» tolta",
    );
    assert_eq!(room.program.count("SELECT count(*) FROM passkeys"), 0);
    assert_eq!(
        room.program
            .count("SELECT count(*) FROM key_slots WHERE kind = 'passkey'"),
        0
    );
}

/// Where nobody has one any more, nothing is asked: the answer is to a question of nobody's.
fn refused_or_unasked(client: &Client, key: &mut Authenticator) {
    let mut question = ask(client);
    if question["question"].is_null() {
        question = json!({ "question": "x", "options": {
            "challenge": "AAAA", "userVerification": "required", "extensions": { "prf": { "eval": { "first": "AAAA" } } },
        } });
    }
    let answered = key.get(&question["options"]);
    turned_away(&answer(client, &question, &answered));
}

/// What an administrator does when a telephone is lost.
#[test]
fn a_second_factor_that_is_taken_away_takes_the_passkeys_along_at_once() {
    let mut room = Newsroom::with_passkey();
    let mut other = Authenticator::at(&room.key.origin);
    let bruno = join(&room.shared, &room.client, "bruno", "lettore", &[]);
    add(&bruno, &mut other, "Che una domanda ci sia");
    let by_key = log_in_by(&room.client, &mut room.key);
    let path = format!("/people/{}", id_of(&room.anna));
    let gone = room
        .shared
        .api("PATCH", &path)
        .json(&json!({ "secondFactor": false }));
    gone.send().expect(204);
    by_key.get("/session").no_session();
    turned_away(&try_log_in_by(&room.client, &mut room.key));
    room.anna.get("/session").expect(200);
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «Telefono» tolta",
    );
}

#[test]
fn a_change_of_password_leaves_them_and_ends_the_sessions() {
    let mut room = Newsroom::with_passkey();
    let by_key = log_in_by(&room.client, &mut room.key);
    room.anna
        .change_password(&room.client, WORD, OTHER_PASSWORD);
    by_key.get("/session").no_session();
    let by_key = log_in_by(&room.client, &mut room.key);
    assert_eq!(by_key.rows("/account/passkeys")[0]["opens"], true);
    // A change of rights leaves the session, with other rights.
    let path = format!("/people/{}", id_of(&by_key));
    room.shared
        .modify(&path, &json!({ "role": "lettore" }))
        .expect(204);
    assert_eq!(by_key.read("/session")["role"], "lettore");
}

#[test]
fn a_session_whose_passkey_is_not_its_persons_is_none() {
    let mut room = Newsroom::with_passkey();
    let by_key = log_in_by(&room.client, &mut room.key);
    by_key.get("/session").expect(200);
    room.program.plant("UPDATE sessions SET passkey = NULL");
    by_key.get("/session").no_session();
    room.anna.get("/session").expect(200);
}

#[test]
fn a_passkey_that_another_program_wrote_lets_nobody_in() {
    let mut room = Newsroom::with_passkey();
    log_in_by(&room.client, &mut room.key);
    room.program.plant("UPDATE passkeys SET name = 'Altro'");
    let answered = try_log_in_by(&room.client, &mut room.key);
    answered.problem(503, "archivio-alterato");
}

#[test]
fn a_required_second_factor_is_met_by_one_which_then_stays() {
    let mut room = Newsroom::new();
    room.shared
        .save_security(&json!({ "requireSecondFactor": true }));
    assert_eq!(room.anna.read("/session")["secondFactor"], "required");
    room.anna
        .get("/reports")
        .problem(403, "secondo-fattore-richiesto");
    let first = add(&room.anna, &mut room.key, "Telefono");
    assert_eq!(room.anna.read("/session")["secondFactor"], "off");
    room.anna.get("/reports").expect(200);
    let path = |passkey: &serde_json::Value| {
        format!(
            "/account/passkeys/{}",
            passkey["id"].as_str().expect("an id")
        )
    };
    let told = room.anna.delete(&path(&first)).conflict();
    assert!(
        told["detail"]
            .as_str()
            .expect("words")
            .contains("Prima attiva")
    );
    // A password that was typed into a false page opens nothing by itself.
    let alone = try_log_in_as(&room.client, "anna", WORD, None);
    alone.problem(401, "passkey-richiesta");
    let by_key = log_in_by(&room.client, &mut room.key);
    assert_eq!(by_key.read("/session")["secondFactor"], "off");
    by_key.get("/reports").expect(200);
    let second = add(&room.anna, &mut room.key, "Computer");
    room.anna.delete(&path(&first)).expect(204);
    room.anna.delete(&path(&second)).conflict();
    room.shared
        .save_security(&json!({ "requireSecondFactor": false }));
    room.anna.delete(&path(&second)).expect(204);
}

#[test]
fn other_addresses_are_told_where_and_offered_none() {
    let none = json!({ "question": null, "options": null, "host": null });
    let variables = [
        ("SEGNALAZIONI_PUBLIC_URL", "https://redazione.example.it"),
        ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let program = Program::start_with(&variables);
    let client = program
        .from("192.0.2.7")
        .with("host", "redazione.example.it");
    let (shared, _) = Editor::set_up(&client, &program.setup_url(), PASSWORD);
    let anna = join(&shared, &client, "anna", "redattore", &[]);
    let elsewhere = program.from("192.0.2.7").with("host", "192.0.2.1");
    assert_eq!(ask(&client), none, "nobody has one");
    assert_eq!(ask(&elsewhere), none);
    let mut key = Authenticator::at("https://redazione.example.it");
    add(&anna, &mut key, "Telefono");
    log_in_by(&client, &mut key);
    for host in [
        "192.0.2.1",
        "example.it",
        "localhost:8080",
        "x.redazione.example.it",
        "abc.onion",
    ] {
        let there = program.from("192.0.2.7").with("host", host);
        let told =
            json!({ "question": null, "options": null, "host": "https://redazione.example.it" });
        assert_eq!(ask(&there), told, "{host}");
    }
    // A proxy may call by another host: the page says where it is.
    let page = elsewhere.with("origin", "https://redazione.example.it");
    assert!(ask(&page)["question"].is_string());
    let cookie = format!("__Host-segnalazioni={}", anna.cookie());
    let there = elsewhere.with("cookie", &cookie);
    let told = there.read("/account/passkeys");
    has!(told, "host": "https://redazione.example.it", "offered": false);
    there
        .post_json("/account/passkeys/question", &json!({ "password": WORD }))
        .conflict();
    // An address that the list shuts out is asked nothing.
    shared.save_security(&json!({ "allowedIPs": "192.0.2.7" }));
    let stranger = program
        .from("192.0.2.8")
        .with("host", "redazione.example.it");
    assert_eq!(ask(&stranger), none);
    let question = ask(&client);
    let answered = key.get(&question["options"]);
    answer(&stranger, &question, &answered).problem(403, "accesso-negato");
}

#[test]
fn plain_addresses_have_none() {
    let variables = [
        ("SEGNALAZIONI_PUBLIC_URL", "http://redazione.example.it"),
        ("SEGNALAZIONI_INSECURE_HTTP", "true"),
    ];
    let program = Program::start_with(&variables);
    let client = program.client().with("host", "redazione.example.it");
    let (shared, _) = Editor::set_up(&program.client(), &program.setup_url(), PASSWORD);
    join(&shared, &program.client(), "anna", "redattore", &[]);
    let none = json!({ "question": null, "options": null, "host": null });
    assert_eq!(ask(&client), none);
    let anna = log_in_as(&program.client(), "anna");
    has!(anna.read("/account/passkeys"), "host": null, "offered": false);
    anna.post_json("/account/passkeys/question", &json!({ "password": WORD }))
        .conflict();
}

#[test]
fn this_machine_is_told_by_its_name() {
    let room = Newsroom::with_passkey();
    let by_number = room.program.client();
    let told = ask(&by_number);
    assert!(told["question"].is_null());
    assert_eq!(told["host"], room.key.origin);
}

/// Whoever holds the authenticator does not get guesses at the password by it.
#[test]
fn a_login_by_passkey_forgives_no_guess_at_a_password() {
    let mut room = Newsroom::with_passkey();
    room.shared
        .save_security(&json!({ "enableRateLimiting": true }));
    let guess = |session: &Client| {
        session.post_json("/session/unlock", &json!({ "password": "non è questa" }))
    };
    let answered = try_log_in_by(&room.client, &mut room.key).expect(204);
    let known = room
        .client
        .with("cookie", &format!("{BROWSER}={}", browser_of(&answered)));
    let session = Editor::of(&known, &answered);
    for _ in 0..5 {
        guess(&session).problem(401, "password-non-valida");
    }
    guess(&session).problem(429, "troppi-tentativi");
    // In the browser that is known: its key still logs in.
    let again = log_in_by(&known, &mut room.key);
    guess(&again).problem(429, "troppi-tentativi");
}

#[test]
fn a_name_stands_for_one_and_cannot_forge_the_log() {
    let mut room = Newsroom::with_passkey();
    let mut second = Authenticator::at(&room.key.origin);
    assert_eq!(
        add(&room.anna, &mut second, "Telefono")["name"],
        "Telefono (2)"
    );
    let mut third = Authenticator::at(&room.key.origin);
    let added = add(&room.anna, &mut third, "x» tolta. passkey «y");
    room.has_logged(
        "PEOPLE_CHANGED",
        "Nome di anna (redattore): passkey «x\" tolta. passkey \"y» aggiunta",
    );
    let path = format!("/account/passkeys/{}", added["id"].as_str().expect("an id"));
    for name in ["Telefono (3)", "Telefono (3)"] {
        let renamed = room
            .anna
            .api("PATCH", &path)
            .json(&json!({ "name": "Telefono" }));
        assert_eq!(renamed.send().expect(200).json()["name"], name);
    }
    log_in_by(&room.client, &mut room.key);
}

#[test]
fn wrong_answers_are_counted_as_wrong_passwords_are() {
    let mut room = Newsroom::with_passkey();
    room.shared
        .save_security(&json!({ "enableRateLimiting": true }));
    let mut liar = room.key.clone();
    liar.verifies = false;
    for _ in 0..5 {
        turned_away(&try_log_in_by(&room.client, &mut liar));
    }
    let waits = try_log_in_by(&room.client, &mut room.key).problem(429, "troppi-tentativi");
    assert!(
        waits["detail"]
            .as_str()
            .expect("words")
            .contains("15 minuti")
    );
    try_log_in_as(&room.client, "anna", WORD, None).problem(429, "troppi-tentativi");
    room.program.clock.advance(15 * MINUTE);
    log_in_by(&room.client, &mut room.key);
    // What is right is forgiven.
    for _ in 0..10 {
        log_in_by(&room.client, &mut room.key);
    }
    room.program.round();
    let denied = room.shared.read("/logs?action=LOGIN_FAILED");
    assert_eq!(denied["data"][0]["count"], 5);
}

#[test]
fn the_demonstration_adds_none() {
    let program = Program::demo(&[]);
    let (client, _) = at_localhost(&program.client());
    let shared = Editor::log_in(&client, "dimostrazione-aperta");
    let anna = join(&shared, &client, "prova", "redattore", &[]);
    let refused = anna.post_json("/account/passkeys/question", &json!({ "password": WORD }));
    assert_eq!(refused.refused_fields(), ["password"]);
}
