//! Questions back and consents: the newsroom asks, and the holder of the code alone answers (PRODUCT.md §19).

use serde_json::{Value, json};

use crate::support::HOUR;
use crate::support::http::{Answer, Client};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::returning::{Visit, messages, report, try_code};
use crate::without_script::Browser;

const NIGHT: &str = "Di notte, verso le tre.";

fn questions() -> Value {
    json!([
        { "kind": "choice", "text": "Quando?", "options": [{ "key": "giorno", "text": "Di giorno" }, { "key": "notte", "text": "Di notte" }] },
        { "kind": "number", "text": "Quante volte?" },
        { "kind": "text", "text": "Chi altro lo sa?", "help": "Anche solo il ruolo." },
    ])
}

fn ask(editor: &Editor, id: &str, questions: &Value) -> Answer {
    let body = json!({ "text": "Tre domande.", "questions": questions });
    editor.post_json(&format!("/reports/{id}/messages"), &body)
}

fn answer(client: &Client, message: &Value, answers: &Value) -> Answer {
    let body = json!({ "message": message, "answers": answers });
    client.post_json("/receipts/answers", &body)
}

/// A visit as the client that holds its cookie.
fn client_of(program: &Program, visit: &Visit) -> Client {
    program.client().with("cookie", &visit.cookie)
}

fn texts(message: &Value) -> Vec<String> {
    let data = message["answers"]["data"].as_array().expect("answers");
    let text = |one: &Value| one["text"].as_str().expect("a text").to_owned();
    data.iter().map(text).collect()
}

#[test]
fn questions_are_answered_changed_and_closed_by_being_read() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, &questions()).expect(200);
    let visit = Visit::by(&program.client(), &code);
    let client = client_of(&program, &visit);
    let asked = visit.read()["messages"][0].clone();
    assert_eq!(asked["questions"].as_array().expect("three").len(), 3);
    assert_eq!(asked["questions"][0]["key"], "d1");

    let first = json!([{ "key": "d1", "value": "notte" }, { "key": "d3", "value": NIGHT }]);
    let thread = answer(&client, &asked["id"], &first).expect(200).json();
    assert_eq!(texts(&thread["messages"][0]), ["Di notte", NIGHT]);
    let waiting = editor.list("?todo=true")["data"][0]["todo"].clone();
    assert_eq!(waiting["why"], "answer");
    program.hides(&[NIGHT]);

    // What cannot be read is refused at its question, and leaves what was answered.
    let wrong = json!([{ "key": "d1", "value": "mai" }, { "key": "d2", "value": {} }]);
    let fields = answer(&client, &asked["id"], &wrong).refused_fields();
    assert_eq!(fields, ["answers.d1", "answers.d2"]);
    let second = json!([{ "key": "d2", "value": 3 }, { "key": "d1", "value": "giorno" }]);
    let thread = answer(&client, &asked["id"], &second).expect(200).json();
    // A question that was answered on another page, and not on this one, stays as it is.
    assert_eq!(texts(&thread["messages"][0]), ["Di giorno", "3", NIGHT]);
    let third = json!([{ "key": "d3", "value": null }]);
    let thread = answer(&client, &asked["id"], &third).expect(200).json();
    assert_eq!(texts(&thread["messages"][0]), ["Di giorno", "3"]);
    // The newsroom is told once of what it has not read.
    let told = program.count("SELECT count(*) FROM history WHERE kind = 'risposta'");
    assert_eq!(told, 1);

    editor.report(&id);
    answer(&client, &asked["id"], &first).conflict();
    let read = &messages(&editor, &id)["data"][0];
    assert_eq!(texts(read), ["Di giorno", "3"]);
    assert_eq!(read["answers"]["read"], true);
    let own = visit.data().expect(200).json();
    assert_eq!(texts(&own["messages"][0]), ["Di giorno", "3"]);
    editor.erase(&id).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM answers"), 0);
}

#[test]
fn only_questions_that_can_be_answered_are_sent() {
    let (program, editor) = Program::with_editor();
    let (id, _) = report(&program.client(), 1);
    let question = json!({ "kind": "text", "text": "Chi?" });
    for (wrong, field) in [
        (json!(vec![question.clone(); 7]), "questions"),
        (json!([{ "kind": "text", "text": " " }]), "questions.0.text"),
        (
            json!([{ "kind": "choice", "text": "Chi?", "options": [] }]),
            "questions.0.options",
        ),
        (
            json!([{ "kind": "yes_no", "text": "Vero?", "options": [{ "key": "si", "text": "Sì", "next": "end:Grazie" }, { "key": "no", "text": "No" }] }]),
            "questions.0.options",
        ),
    ] {
        assert_eq!(
            ask(&editor, &id, &wrong).refused_fields(),
            [field],
            "{wrong}"
        );
    }
    assert_eq!(messages(&editor, &id)["data"], json!([]));
    ask(&editor, &id, &json!(vec![question; 6])).expect(200);
}

/// A cookie with another sign in one of its places.
fn altered(cookie: &str, attempt: usize) -> String {
    let (name, value) = cookie.split_once('=').expect("a cookie");
    let mut signs: Vec<char> = value.chars().collect();
    // The last ones may carry no more than padding.
    let at = attempt % (signs.len() - 2);
    signs[at] = if signs[at] == 'A' { 'B' } else { 'A' };
    format!("{name}={}", signs.into_iter().collect::<String>())
}

#[test]
fn nobody_but_the_holder_of_the_code_answers() {
    takes_nothing_forged(200);
}

#[test]
#[ignore = "soak"]
fn of_ten_thousand_forged_answers_none_is_taken() {
    takes_nothing_forged(10_000);
}

fn takes_nothing_forged(forged: usize) {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let (_, other) = report(&program.client(), 2);
    ask(&editor, &id, &questions()).expect(200);
    let consents = format!("/reports/{id}/consents");
    let asked = json!({ "kind": "voce", "text": "Possiamo far sentire la tua voce?" });
    let thread = editor.post_json(&consents, &asked).expect(200).json();
    let [message, consent] = [0, 1].map(|at| thread["data"][at]["id"].clone());
    let (yes, given) = (
        json!([{ "key": "d1", "value": "notte" }]),
        json!({ "given": true }),
    );
    let at = format!("/receipts/consents/{consent}");
    let stranger = Visit::by(&program.client(), &other);
    for client in [&program.client(), &*editor] {
        answer(client, &message, &yes).problem(401, "visita-scaduta");
        client.post_json(&at, &given).problem(401, "visita-scaduta");
    }
    let stranger_client = client_of(&program, &stranger);
    answer(&stranger_client, &message, &yes).conflict();
    stranger_client.post_json(&at, &given).conflict();
    let own = Visit::by(&program.client(), &code).cookie;
    for attempt in 0..forged {
        let cookie = match attempt % 3 {
            0 => altered(&own, attempt),
            1 => altered(&stranger.cookie, attempt),
            _ => stranger.cookie.clone(),
        };
        let client = program.client().with("cookie", &cookie);
        let refused = if attempt % 2 == 0 {
            answer(&client, &json!(attempt % 40), &yes)
        } else {
            client.post_json(&format!("/receipts/consents/{}", attempt % 40), &given)
        };
        assert!(matches!(refused.status, 401 | 409), "{}", refused.text());
    }
    try_code(&program.client(), &code).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM answers"), 0);
    assert_eq!(
        program.count("SELECT count(*) FROM consents WHERE given IS NOT NULL"),
        0
    );
}

#[test]
fn a_consent_is_given_and_taken_back_with_its_dates() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let words = "Possiamo scrivere il tuo nome?";
    let asked = json!({ "kind": "nome", "text": words });
    editor
        .post_json(&format!("/reports/{id}/consents"), &asked)
        .expect(200);
    let visit = Visit::by(&program.client(), &code);
    let client = client_of(&program, &visit);
    let message = visit.read()["messages"][0].clone();
    has!(message, "text": words, "consent": { "id": message["id"], "kind": "nome", "given": null, "asked": "2026-03-10T09:00:00Z", "answered": null, "givenAt": null });
    let decide = |given: bool| {
        let at = format!("/receipts/consents/{}", message["id"]);
        client
            .post_json(&at, &json!({ "given": given }))
            .expect(200)
            .json()
    };
    assert_eq!(decide(true)["messages"][0]["consent"]["given"], true);
    assert_eq!(decide(true)["messages"][0]["consent"]["given"], true);
    program.clock.advance(crate::support::MINUTE);
    let taken = decide(false)["messages"][0]["consent"].clone();
    has!(taken, "given": false, "answered": "2026-03-10T09:01:00Z", "givenAt": "2026-03-10T09:00:00Z");
    let events = editor.report(&id)["storia"]
        .as_array()
        .expect("events")
        .clone();
    let events: Vec<_> = events
        .iter()
        .filter(|one| one["tipo"] == "consenso")
        .collect();
    assert_eq!(events.len(), 2);
    has!(*events[0], "da": "nome", "a": "1", "data": "2026-03-10T09:00:00Z");
    has!(*events[1], "da": "nome", "a": "ritirato", "data": "2026-03-10T09:01:00Z");
    assert_eq!(
        editor.list("?todo=true")["data"][0]["todo"]["why"],
        "answer"
    );
}

/// The same was asked twice, and a page that is behind decides about the first.
#[test]
fn of_two_messages_for_one_consent_the_last_decision_holds() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let asked = json!({ "kind": "voce", "text": "Possiamo far sentire la tua voce?" });
    let path = format!("/reports/{id}/consents");
    let ids = [(); 2].map(|()| {
        let thread = editor.post_json(&path, &asked).expect(200).json();
        thread["data"]
            .as_array()
            .expect("messages")
            .last()
            .expect("one")["id"]
            .clone()
    });
    let client = client_of(&program, &Visit::by(&program.client(), &code));
    let mut events = 0;
    for (at, given, before) in [
        (0, false, false),
        (1, true, false),
        (0, false, true),
        (0, false, false),
        (1, true, false),
        (0, true, true),
        (1, false, true),
    ] {
        let address = format!("/receipts/consents/{}", ids[at]);
        client
            .post_json(&address, &json!({ "given": given }))
            .expect(200);
        let found = editor.list("?consent=voce")["data"]
            .as_array()
            .expect("rows")
            .len();
        assert_eq!(found, usize::from(given), "{at} {given}");
        let report = editor.report(&id);
        let consents = report["consents"].as_array().expect("consents");
        let last = consents.iter().rfind(|one| !one["given"].is_null());
        assert_eq!(last.expect("one")["given"], given);
        let told: Vec<_> = report["storia"]
            .as_array()
            .expect("events")
            .iter()
            .filter(|one| one["tipo"] == "consenso")
            .cloned()
            .collect();
        if told.len() > events {
            let said = if given {
                "1"
            } else if before {
                "ritirato"
            } else {
                "0"
            };
            assert_eq!(told.last().expect("one")["a"], said, "{at} {given}");
        }
        events = told.len();
    }
    // The fourth said again what held.
    assert_eq!(events, 6);
    let page = Browser::of(&program.client()).enter(&code);
    let lines = page
        .html()
        .matches("\">Far sentire la tua voce</a>")
        .count();
    assert_eq!(lines, 1);
}

#[test]
fn without_a_script_a_refusal_stands_at_its_question_and_nothing_is_lost() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let mut asked = questions();
    asked[1]["max"] = json!(100);
    ask(&editor, &id, &asked).expect(200);
    let page = Browser::of(&program.client()).enter(&code).has(&[
        "1\u{a0}di\u{a0}3",
        "Anche solo il ruolo.",
        "name=\"answers\" value=\"1\"",
    ]);
    let typed = [
        ("a.1.d1", "notte"),
        ("a.1.d2", "2001"),
        ("a.1.d3", NIGHT),
        ("answers", "1"),
    ];
    let refused = page.send(&typed);
    let refused = refused.has(&[
        "<title>Errore: ",
        "<a href=\"#a.1.d2\">Quante volte?</a>",
        "id=\"w.a.1.d2\">Il numero più grande che vale qui è 100.",
        "value=\"2001\"",
        "value=\"notte\" checked",
        NIGHT,
    ]);
    let once = refused.html().matches("Il numero più grande").count();
    assert_eq!(once, 1);

    // The visit ends meanwhile: what was entered comes back with the code.
    program.clock.advance(HOUR);
    let over = refused.send(&typed).status(401);
    let again = over.has(&["non è partito"]).send(&[("code", &code)]);
    let again = again
        .status(200)
        .has(&["value=\"2001\"", "value=\"notte\" checked", NIGHT]);
    let right = [
        ("a.1.d1", "notte"),
        ("a.1.d2", "una decina"),
        ("a.1.d3", ""),
        ("answers", "1"),
    ];
    let done = again.send(&right);
    done.has(&["Inviate il", "una decina", "Saltata", "Cambia le risposte"]);
    let read = Visit::by(&program.client(), &code).read();
    assert_eq!(texts(&read["messages"][0]), ["Di notte", "una decina"]);
}

#[test]
fn without_a_script_two_pages_do_not_undo_each_other_and_what_comes_too_late_is_kept() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let mut asked = questions();
    asked[1] = json!({ "kind": "choices", "text": "Che cosa?", "options": [{ "key": "a", "text": "Carne" }, { "key": "b", "text": "Pesce" }] });
    ask(&editor, &id, &asked).expect(200);
    let [one, other] = [(); 2].map(|()| Browser::of(&program.client()).enter(&code));
    let answered = || texts(&Visit::by(&program.client(), &code).read()["messages"][0]);
    let sent = [
        ("a.1.d2", "a"),
        ("a.1.d2", "b"),
        ("a.1.d3", NIGHT),
        ("answers", "1"),
    ];
    let one = one.send(&sent);
    assert_eq!(answered(), ["Carne, Pesce", NIGHT]);
    other.send(&[("a.1.d1", "giorno"), ("a.1.d3", ""), ("answers", "1")]);
    assert_eq!(answered(), ["Di giorno", "Carne, Pesce", NIGHT]);
    let one = one.send(&[
        ("had.1", "d2"),
        ("had.1", "d3"),
        ("a.1.d3", ""),
        ("answers", "1"),
    ]);
    assert_eq!(answered(), ["Di giorno"]);
    let one = one.has(&["name=\"had.1\" value=\"d1\""]);
    editor.report(&id);
    let late = one.send(&[("a.1.d2", "b"), ("a.1.d3", NIGHT), ("answers", "1")]);
    late.has(&["Che cosa?\nPesce\n\nChi altro lo sa?\nDi notte, verso le tre.</textarea>"]);
    assert_eq!(answered(), ["Di giorno"]);
}

#[test]
fn a_key_stands_for_the_same_questions() {
    let (program, editor) = Program::with_editor();
    let (id, _) = report(&program.client(), 1);
    let path = format!("/reports/{id}/messages");
    let body =
        |questions: Value| json!({ "text": "Tre domande.", "key": "k1", "questions": questions });
    editor.post_json(&path, &body(questions())).expect(200);
    editor.post_json(&path, &body(questions())).expect(200);
    for other in [json!([questions()[0]]), json!([])] {
        editor.post_json(&path, &body(other)).conflict();
    }
}

#[test]
fn who_skips_all_questions_is_said_to_have_done_so() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, &questions()).expect(200);
    let client = client_of(&program, &Visit::by(&program.client(), &code));
    answer(&client, &json!(1), &json!([])).expect(200);
    let todo = &editor.list("?todo=true")["data"][0]["todo"];
    assert_eq!(todo["said"], "Ha saltato le domande.");
}

#[test]
fn answers_that_arrive_twice_are_taken_also_where_they_were_read_in_between() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    ask(&editor, &id, &questions()).expect(200);
    let client = client_of(&program, &Visit::by(&program.client(), &code));
    let first = json!([{ "key": "d3", "value": NIGHT }]);
    answer(&client, &json!(1), &first).expect(200);
    editor.report(&id);
    answer(&client, &json!(1), &first).expect(200);
    let other = json!([{ "key": "d3", "value": "Nessuno." }]);
    answer(&client, &json!(1), &other).conflict();
}

#[test]
fn a_batch_of_questions_is_one_table_of_who_read_and_answered() {
    let (program, editor) = Program::with_editor();
    let told: Vec<_> = (1..=3).map(|n| report(&program.client(), n)).collect();
    let ids: Vec<&str> = told.iter().map(|(id, _)| &**id).collect();
    let body = json!({ "ids": ids, "text": "Una domanda.", "key": "k1", "questions": [questions()[0], questions()[1]] });
    let sent = editor.post_json("/messages/bulk", &body).expect(200).json();
    let again = editor.post_json("/messages/bulk", &body).expect(200).json();
    assert_eq!(sent["batch"], again["batch"]);
    let table = format!(
        "/messages/bulk/{}/answers",
        sent["batch"].as_str().expect("an id")
    );
    let [first, second] = [0, 1].map(|at| Visit::by(&program.client(), &told[at].1));
    let message = first.read()["messages"][0]["id"].clone();
    let value = json!([{ "key": "d1", "value": "notte" }]);
    answer(&client_of(&program, &first), &message, &value).expect(200);
    second.read();
    has!(editor.read("/messages/bulk")["data"][0], "questions": 2, "sent": 3, "read": 2, "answered": 1);
    let read = editor.read(&table);
    let row = |at: usize| {
        let rows = read["data"].as_array().expect("rows");
        rows.iter()
            .find(|row| row["report"] == *told[at].0)
            .expect("a row")
    };
    has!(*row(0), "read": true, "answered": true, "answers": { "d1": "Di notte" });
    has!(*row(1), "read": true, "answered": false, "answers": {});
    has!(*row(2), "read": false, "answered": false, "answers": {});
    let value = json!([{ "key": "d1", "value": "giorno" }]);
    answer(&client_of(&program, &first), &message, &value).conflict();
    let counts = json!({ "d1": [{ "option": "giorno", "n": 0 }, { "option": "notte", "n": 1 }] });
    assert_eq!(read["counts"], counts);
    editor.get("/messages/bulk/no/answers").not_found();
}

#[test]
fn what_was_asked_is_taken_back_until_its_reporter_has_read_it() {
    let (program, editor) = Program::with_editor();
    let (id, code) = report(&program.client(), 1);
    let visit = Visit::by(&program.client(), &code);
    let said = json!({ "text": "Posso ritirarla?" });
    let client = client_of(&program, &visit);
    client
        .post_json("/receipts/withdrawal", &json!({}))
        .expect(200);
    client.post_json("/receipts/messages", &said).expect(200);
    let before = editor.list("")["data"][0].clone();
    program.clock.advance(crate::support::MINUTE);
    let closing = json!({ "text": "Resta.", "questions": questions(), "closesWithdrawal": true });
    let call = format!("/reports/{id}/messages");
    let thread = editor.post_json(&call, &closing).expect(200).json();
    let at = format!("{call}/{}", thread["data"][1]["id"]);
    let answered = editor.list("")["data"][0].clone();
    assert_eq!(answered["withdrawal"], Value::Null);
    assert_eq!(answered["answerWaiting"], false);

    let mine = format!("{call}/{}", thread["data"][0]["id"]);
    editor.delete(&mine).conflict();
    let left = editor.delete(&at).expect(200).json();
    assert_eq!(left["data"], json!([thread["data"][0]]));
    assert_eq!(editor.list("")["data"][0], before);
    editor.delete(&at).conflict();
    editor.delete(&format!("{call}/mai")).not_found();

    let asked = json!({ "kind": "volto", "text": "Possiamo mostrarti?" });
    let ask = || {
        let consents = format!("/reports/{id}/consents");
        let thread = editor.post_json(&consents, &asked).expect(200).json();
        format!("{call}/{}", thread["data"][1]["id"])
    };
    editor.delete(&ask()).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM consents"), 0);
    let read = ask();
    visit.read();
    editor.delete(&read).conflict();
}

#[test]
fn the_list_finds_what_waits_for_a_reporter_and_what_they_consent_to() {
    let (program, editor) = Program::with_editor();
    let told: Vec<_> = (1..=3).map(|n| report(&program.client(), n)).collect();
    let [asked, written, _] = [0, 1, 2].map(|at: usize| told[at].0.clone());
    let found = |query: &str| {
        let list = editor.list(query);
        let rows = list["data"].as_array().expect("rows").iter();
        let mut ids: Vec<_> = rows.map(|row| row["id"].clone()).collect();
        ids.sort_by_key(Value::to_string);
        ids
    };
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<_> = ids.iter().map(|id| json!(id)).collect();
        ids.sort_by_key(Value::to_string);
        ids
    };
    let said = json!({ "text": "Grazie." });
    editor
        .post_json(&format!("/reports/{written}/messages"), &said)
        .expect(200);
    let words = "Possiamo far sentire la tua voce?";
    let ask = |words: &str| {
        let asked_for = json!({ "kind": "voce", "text": words });
        let thread = editor.post_json(&format!("/reports/{asked}/consents"), &asked_for);
        let thread = thread.expect(200).json();
        let said = thread["data"].as_array().expect("messages");
        said.last().expect("a message")["id"].clone()
    };
    let first = ask(words);
    assert_eq!(found("?waiting=true"), sorted(&[&asked, &written]));
    assert_eq!(editor.list("")["counts"]["waiting"], 2);
    let visit = Visit::by(&program.client(), &told[0].1);
    let client = client_of(&program, &visit);
    let decide = |id: &Value, given: bool| {
        let at = format!("/receipts/consents/{id}");
        client
            .post_json(&at, &json!({ "given": given }))
            .expect(200);
    };
    decide(&first, true);
    assert_eq!(found("?waiting=true"), sorted(&[&written]));
    assert_eq!(found("?consent=voce"), sorted(&[&asked]));
    assert!(found("?consent=nome").is_empty());
    let shown = editor.report(&asked)["consents"].clone();
    assert_eq!(
        shown,
        json!([{ "id": first, "kind": "voce", "given": true, "givenAt": "2026-03-10T09:00:00Z", "text": words,
            "asked": "2026-03-10T09:00:00Z", "answered": "2026-03-10T09:00:00Z" }])
    );

    program.clock.advance(crate::support::MINUTE);
    let second = ask("E anche in radio?");
    assert_eq!(found("?consent=voce"), sorted(&[&asked]));
    decide(&second, false);
    assert!(found("?consent=voce").is_empty());
    let texts: Vec<_> = editor.report(&asked)["consents"]
        .as_array()
        .expect("two")
        .iter()
        .map(|one| one["text"].clone())
        .collect();
    assert_eq!(texts, [words, "E anche in radio?"]);
    let change = json!({ "stato": "Risolta" });
    editor.change(&written, &change);
    assert!(found("?waiting=true").is_empty());
    editor.get("/reports?consent=tutto").expect(422);
}
