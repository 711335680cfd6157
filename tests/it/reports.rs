//! `GET /reports/{id}`: the whole report, its version, and what is noted of its being read.

use serde_json::json;

use crate::support::MINUTE;
use crate::support::chat::{Person, submit};
use crate::support::program::Program;
use crate::support::snapshot::table;

#[test]
fn a_report_has_everything_that_was_said_and_its_history() {
    let (program, editor) = Program::with_editor();
    let person = Person::numbered(1);
    let id = submit(&program.client(), &person);
    program.clock.advance(5 * MINUTE);
    let answer = editor.get(&format!("/reports/{id}")).expect(200);
    assert_eq!(answer.header("etag"), Some("\"1\""));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let notice = program.client().read("/privacy")["version"].clone();
    let expected = json!({
        "id": id, "nome": person.nome, "cognome": person.cognome, "telefono": person.telefono,
        "email": person.email, "indirizzo": person.indirizzo, "segnalazione": person.segnalazione, "eta": 19,
        "stato": "Nuova", "note": "", "data_creazione": "2026-03-10T09:00:00Z",
        "data_aggiornamento": "2026-03-10T09:00:00Z", "versione": 1, "privacyVersion": notice,
        "urgente": null, "urgenteOra": false, "urgentWords": [], "aside": false, "lastSeen": null, "scadenza": null, "consegne": [],
        "storia": [
            { "tipo": "ricevuta", "data": "2026-03-10T09:00:00Z", "author": null },
            { "tipo": "aperta", "data": "2026-03-10T09:05:00Z", "author": null },
        ],
        "attachments": [], "consents": [], "inoltrata": null, "labels": [], "story": null, "maybe": null, "inchiesta": null, "risposte": [], "origin": "chat", "assegnataA": null, "due": { "what": "first", "at": "2026-03-17T22:59:59.999Z" }, "snooze": null, "withdrawal": null,
    });
    let mut seen = answer.json();
    let members = seen.as_object_mut().unwrap();
    for routed in [
        "department",
        "departmentName",
        "reason",
        "matchedKeywords",
        "scores",
        "secondary",
    ] {
        assert!(members.remove(routed).is_some(), "{routed}: see `routing`");
    }
    assert_eq!(seen, expected);
}

#[test]
fn the_first_opening_is_the_one_that_counts() {
    let (program, editor, ids) = Program::with_reports(1);
    editor.report(&ids[0]);
    program.clock.advance(MINUTE);
    let again = editor.report(&ids[0]);
    assert_eq!(
        table(&again["storia"], "tipo data"),
        "ricevuta 2026-03-10T09:00:00Z\naperta 2026-03-10T09:00:00Z"
    );
    assert_eq!(again["versione"], 1, "reading is no change");
}

#[test]
fn refresh_leaves_no_trace_only_of_what_its_session_has_opened() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let id = submit(&client, &Person::numbered(1));
    let other = submit(&client, &Person::numbered(2));
    let opened = |id: &str| {
        let log = editor.read("/logs");
        let entries = log["data"].as_array().expect("entries").iter();
        let of = entries.filter(|entry| entry["reportId"] == id);
        of.filter(|entry| entry["action"] == "REPORT_VIEWED")
            .count()
    };
    // A first reading that calls itself a refresh is an opening.
    let seen = editor.quiet().report(&id);
    assert_eq!(seen["storia"][1]["tipo"], "aperta");
    assert_eq!(opened(&id), 1);
    editor.quiet().report(&id);
    assert_eq!(opened(&id), 1, "the control: a refresh");
    assert_eq!(opened(&other), 0);
    editor.quiet().report(&other);
    assert_eq!(opened(&other), 1, "of another report");
    let second = program.log_in();
    second.quiet().report(&id);
    assert_eq!(opened(&id), 2, "of another session");
    editor.report(&id);
    assert_eq!(opened(&id), 3, "a reading that is no refresh");
    program.restart();
    let editor = program.log_in();
    editor.quiet().report(&id);
    let log = editor.read("/logs?limit=1")["data"][0].clone();
    assert_eq!(log["action"], "REPORT_VIEWED");
}

#[test]
fn a_report_that_is_not_there_is_not_found() {
    let (_program, editor) = Program::with_editor();
    for id in [
        "00000000-0000-4000-8000-000000000000",
        "1",
        "%27",
        "..%2f..",
        "x".repeat(500).as_str(),
    ] {
        editor.get(&format!("/reports/{id}")).not_found();
        editor
            .patch(id, &json!(1), &json!({ "stato": "Risolta" }))
            .not_found();
    }
}
