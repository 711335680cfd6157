//! `POST /reports`: what staff take down by telephone, by letter or in person goes the way of every report (PRODUCT.md §3).

use serde_json::{Value, json};

use crate::support::chat::{GRAVE, Person};
use crate::support::panel::ids;
use crate::support::people::{id_of, join};
use crate::support::program::Program;

fn account() -> String {
    Person::numbered(1).segnalazione
}

#[test]
fn a_name_and_an_account_are_enough_and_the_rest_is_as_in_the_chat() {
    let (program, editor) = Program::with_editor();
    program.report(9);
    let entry = json!({ "nome": " Ida ", "cognome": "Bruni", "segnalazione": account(), "origine": "telefono" });
    let id = editor.post_and_read("/reports", &entry)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let report = editor.report(&id);
    has!(
        report,
        "nome": "Ida", "origin": "telefono", "department": "ambiente", "eta": 0, "telefono": "", "stato": "Nuova"
    );
    assert_eq!(ids(&editor.list("?origin=telefono")), [&*id]);
    let file = editor.get("/reports/export.csv?extra=true&origin=telefono");
    let file = file.expect(200);
    assert!(
        file.text().trim_end().ends_with(r#""no";"";"";"""#),
        "an age that nobody told is none: {}",
        file.text()
    );
    assert_eq!(
        editor.list("?search=bruni")["data"][0]["origin"],
        "telefono"
    );
    assert_eq!(
        editor.list("?origin=chat")["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(editor.list("")["counters"]["new"], 2);
    let entries = editor.read("/logs");
    let logged = entries["data"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one["reportId"] == json!(id));
    assert!(logged);

    let whole = json!({
        "nome": "Ida", "cognome": "Bruni", "segnalazione": GRAVE, "origine": "di persona", "eta": 44,
        "telefono": "+39 333 1234567", "email": "ida@esempio.it", "indirizzo": "Via Roma 1, Milano",
    });
    let id = editor.post_and_read("/reports", &whole)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let report = editor.report(&id);
    has!(report, "telefono": "3331234567", "eta": 44, "urgenteOra": true, "origin": "di persona");
}

#[test]
fn one_that_is_sent_again_under_its_key_is_one_report() {
    let (_program, editor) = Program::with_editor();
    let mut entry = json!({
        "nome": "Ida", "cognome": "Bruni", "segnalazione": account(), "origine": "telefono", "key": "una scheda",
    });
    let send = |entry: &Value| editor.post_json("/reports", entry);
    let first = send(&entry).expect(200).json();
    assert_eq!(send(&entry).expect(200).json(), first);
    assert_eq!(ids(&editor.list("")).len(), 1);
    entry["nome"] = json!("Irma");
    send(&entry).conflict();
    entry["key"] = json!("un'altra");
    assert_ne!(send(&entry).expect(200).json(), first);
    // An empty one is none.
    entry["key"] = json!("");
    assert_ne!(
        send(&entry).expect(200).json(),
        send(&entry).expect(200).json()
    );
    entry["key"] = json!("x".repeat(37));
    send(&entry).invalid();
}

#[test]
fn what_the_chat_would_refuse_is_refused_at_its_field() {
    let (_program, editor) = Program::with_editor();
    let refused = |change: Value| {
        let mut entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account(), "origine": "lettera" });
        entry
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        let problem = editor.post_json("/reports", &entry).invalid();
        problem["errors"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        refused(json!({ "nome": "", "cognome": "3" })),
        ["cognome", "nome"]
    );
    assert_eq!(
        refused(json!({ "telefono": "12", "email": "ida", "indirizzo": "qui" })),
        ["email", "indirizzo", "telefono"]
    );
    assert_eq!(
        refused(json!({ "segnalazione": "Troppo breve." })),
        ["segnalazione"]
    );
    assert_eq!(refused(json!({ "eta": 17 })), ["eta"]);
    assert_eq!(refused(json!({ "eta": 130 })), ["eta"]);
    assert_eq!(refused(json!({ "origine": "chat" })), ["origine"]);
    assert!(ids(&editor.list("")).is_empty());
}

#[test]
fn the_webhook_hears_of_it_and_nobody_without_an_address_is_written_to() {
    let (_program, editor) = Program::with_editor();
    editor.call("https://esempio.it/");
    let entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account(), "origine": "telefono" });
    let id = editor.post_and_read("/reports", &entry)["id"].clone();
    let kinds = editor.report(id.as_str().unwrap())["consegne"].clone();
    assert_eq!(kinds.as_array().unwrap().len(), 1, "{kinds}");
    assert_eq!(kinds[0]["tipo"], "webhook");
}

#[test]
fn its_history_says_who_took_it_down_and_who_opened_it_first() {
    let (program, shared) = Program::with_editor();
    let [anna, bruno] =
        ["anna", "bruno"].map(|user| join(&shared, &program.client(), user, "redattore", &[]));
    let entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account(), "origine": "telefono" });
    let entered = anna.post_and_read("/reports", &entry);
    let id = entered["id"].as_str().expect("an id");
    let authors = |id: &str| {
        let story = shared.quiet().report(id)["storia"].clone();
        let told = |one: &Value| (one["tipo"].clone(), one["author"].clone());
        story
            .as_array()
            .expect("a history")
            .iter()
            .map(told)
            .collect::<Vec<_>>()
    };
    let (received, opened) = (json!("ricevuta"), json!("aperta"));
    bruno.report(id);
    anna.report(id);
    let both = [
        (received.clone(), json!(id_of(&anna))),
        (opened.clone(), json!(id_of(&bruno))),
    ];
    assert_eq!(authors(id), both);
    // Out of the chat, opened by the shared password: nobody by name.
    let other = program.report(2);
    shared.report(&other);
    anna.report(&other);
    assert_eq!(
        authors(&other),
        [(received, Value::Null), (opened, Value::Null)]
    );
}
