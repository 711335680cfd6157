//! What reporters answered to questions back, and consented to, where it is found, counted and taken out (PRODUCT.md §19).

use serde_json::{Value, json};

use crate::support::contains;
use crate::support::http::Client;
use crate::support::panel::{Editor, ids};
use crate::support::people::join;
use crate::support::program::Program;
use crate::support::returning::{Visit, report};

const WHO: &str = "Il custode notturno Ravizza";
const WHEN: &str = "Quando è successo?";
const WORDS: &str = "Possiamo far sentire la tua voce in onda?";

/// Reports whose reporters were asked two questions in one batch: each with its visit, and the id of the batch.
fn asked(program: &Program, editor: &Editor, reports: usize) -> (Vec<(String, Visit)>, String) {
    let told: Vec<_> = (1..=reports)
        .map(|number| {
            let (id, code) = report(&program.client(), number);
            (id, Visit::by(&program.client(), &code))
        })
        .collect();
    let ids: Vec<&str> = told.iter().map(|(id, _)| &**id).collect();
    let questions = json!([
        { "kind": "choice", "text": WHEN, "options": [{ "key": "a", "text": "Di giorno" }, { "key": "b", "text": "Di notte" }] },
        { "kind": "text", "text": "Chi altro lo sa?" },
    ]);
    let body = json!({ "ids": ids, "text": "Due domande.", "questions": questions });
    let sent = editor.post_json("/messages/bulk", &body).expect(200).json();
    let batch = sent["batch"].as_str().expect("an id").to_owned();
    (told, batch)
}

fn client_of(program: &Program, visit: &Visit) -> Client {
    program.client().with("cookie", &visit.cookie)
}

/// Answers what was asked first.
fn answer(program: &Program, visit: &Visit, answers: &Value) {
    let message = visit.read()["messages"][0]["id"].clone();
    let body = json!({ "message": message, "answers": answers });
    let client = client_of(program, visit);
    client.post_json("/receipts/answers", &body).expect(200);
}

#[test]
fn a_word_of_an_answer_finds_its_report_in_accounts_and_nowhere_else() {
    let (program, editor) = Program::with_editor();
    let (told, _) = asked(&program, &editor, 2);
    let said = json!([{ "key": "d1", "value": "b" }, { "key": "d2", "value": WHO }]);
    answer(&program, &told[0].1, &said);
    editor.wait_for_search();
    let found = |query: &str| ids(&editor.list(query));
    for (query, expected) in [
        ("?search=ravizza&inText=true", vec![told[0].0.clone()]),
        // One word in the answer, one in the name.
        (
            "?search=RAVIZZA%20nome&inText=true",
            vec![told[0].0.clone()],
        ),
        ("?search=ravizza&inText=true&stato=Risolta", Vec::new()),
        ("?search=ravizza", Vec::new()),
        ("?search=ravizzo&inText=true", Vec::new()),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
    let exported = editor.get("/reports/export.csv?search=ravizza&inText=true");
    assert_eq!(exported.header("x-total-rows"), Some("1"));
    let other = join(
        &editor,
        &program.client(),
        "scuola",
        "redattore",
        &["scuola"],
    );
    editor.change(&told[0].0, &json!({ "department": "sanita" }));
    assert!(ids(&other.list("?search=ravizza&inText=true")).is_empty());
    editor.erase(&told[0].0).expect(200);
    assert!(found("?search=ravizza&inText=true").is_empty());
}

#[test]
fn a_batch_of_questions_leaves_as_csv_with_a_column_each() {
    let (program, editor) = Program::with_editor();
    let unasked = program.report(9);
    let (told, batch) = asked(&program, &editor, 2);
    let said = json!([{ "key": "d1", "value": "b" }, { "key": "d2", "value": WHO }]);
    answer(&program, &told[0].1, &said);
    let file = editor.get(&format!("/reports/export.csv?batch={batch}&order=asc"));
    let file = file.expect(200);
    assert_eq!(file.header("x-total-rows"), Some("2"));
    let lines: Vec<_> = file.text().trim_end().split("\r\n").collect();
    assert_eq!(lines.len(), 3);
    let ends = [
        format!(";\"{WHEN}\";\"Chi altro lo sa?\""),
        format!(";\"Di notte\";\"{WHO}\""),
        ";\"\";\"\"".to_owned(),
    ];
    for (line, end) in lines.iter().zip(ends) {
        assert!(line.ends_with(&end), "{line}");
    }
    assert!(!file.text().contains(&unasked));
    // They have been read.
    let again = json!({ "message": told[0].1.read()["messages"][0]["id"], "answers": [{ "key": "d2", "value": "" }] });
    let client = client_of(&program, &told[0].1);
    client.post_json("/receipts/answers", &again).conflict();
    editor.get("/reports/export.csv?batch=mai").not_found();
    let narrowed = format!("/reports/export.csv?batch={batch}&stato=Risolta&extra=true");
    assert_eq!(editor.get(&narrowed).header("x-total-rows"), Some("0"));
}

#[test]
fn the_record_has_questions_answers_and_consents_in_their_words_and_with_their_dates() {
    let (program, editor) = Program::with_editor();
    let (told, _) = asked(&program, &editor, 1);
    let (id, visit) = &told[0];
    let asked_for = json!({ "kind": "voce", "text": WORDS });
    let thread = editor.post_json(&format!("/reports/{id}/consents"), &asked_for);
    let consent = thread.expect(200).json()["data"][1]["id"].clone();
    answer(&program, visit, &json!([{ "key": "d2", "value": WHO }]));
    let record = || {
        let zip = editor
            .get(&format!("/reports/{id}/dossier.zip"))
            .expect(200);
        String::from_utf8_lossy(&zip.body).into_owned()
    };
    contains(
        record(),
        &[
            &format!("    Domanda: {WHEN}\n    Risposta: senza risposta\n"),
            &format!(
                "    Domanda: Chi altro lo sa?\n    Risposta: {WHO}\n    Risposte del 10/03/2026 10:00\n"
            ),
            &format!("{WORDS}\n    Consenso (voce): senza risposta\n"),
        ],
    );
    let client = client_of(&program, visit);
    let at = format!("/receipts/consents/{consent}");
    client.post_json(&at, &json!({ "given": true })).expect(200);
    contains(
        record(),
        &[
            "    Consenso (voce): dato il 10/03/2026 10:00\n",
            "\nCONSENSI\n\nConsenso (voce): dato il 10/03/2026 10:00\n",
            ": consenso (voce): dato\n",
        ],
    );
    // The record that has left has the answers as they stay.
    let message = visit.read()["messages"][0]["id"].clone();
    let late = json!({ "message": message, "answers": [{ "key": "d2", "value": "Nessuno" }] });
    client.post_json("/receipts/answers", &late).conflict();
    program.clock.advance(crate::support::MINUTE);
    client
        .post_json(&at, &json!({ "given": false }))
        .expect(200);
    contains(
        record(),
        &[
            "    Consenso (voce): dato il 10/03/2026 10:00, ritirato il 10/03/2026 10:01\n",
            ": consenso (voce): ritirato\n",
        ],
    );
}

#[test]
fn how_many_answer_is_counted_and_told_to_who_asked() {
    let (program, shared) = Program::with_editor();
    let [anna, bruno] =
        ["anna", "bruno"].map(|user| join(&shared, &program.client(), user, "redattore", &[]));
    let (told, _) = asked(&program, &anna, 3);
    let id = &told[0].0;
    for (id, _) in &told {
        shared.change(
            id,
            &json!({ "assegnataA": crate::support::people::id_of(&bruno) }),
        );
    }
    let figures = || shared.read("/analytics")["askedBack"].clone();
    assert_eq!(figures(), json!({ "asked": 3, "read": 0, "answered": 0 }));
    told[1].1.read();
    let said = json!([{ "key": "d1", "value": "b" }, { "key": "d2", "value": WHO }]);
    answer(&program, &told[0].1, &said);
    assert_eq!(figures(), json!({ "asked": 3, "read": 2, "answered": 1 }));

    let waits = |editor: &Editor| {
        let rows = editor.rows("/desk/mine").into_iter();
        let rows = rows.filter(|row| row["why"] == "answer");
        rows.map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(waits(&anna), [json!(id)], "she asked");
    assert_eq!(waits(&bruno), [json!(id)], "it is his");
    assert!(waits(&shared).is_empty());
    let todo = || shared.list("?todo=true")["data"][0]["todo"].clone();
    assert_eq!(todo()["said"], format!("Di notte · {WHO}"));
    program.clock.advance(crate::support::MINUTE);
    told[0].1.tell("E poi anche di giorno.").expect(200);
    assert_eq!(todo()["said"], "E poi anche di giorno.");

    let asked_for = json!({ "kind": "voce", "text": WORDS });
    let thread = bruno.post_json(&format!("/reports/{id}/consents"), &asked_for);
    let thread = thread.expect(200).json();
    assert!(waits(&anna).is_empty() && waits(&bruno).is_empty());
    let consent = thread["data"]
        .as_array()
        .and_then(|all| all.last())
        .expect("one")["id"]
        .clone();
    program.clock.advance(crate::support::MINUTE);
    let at = format!("/receipts/consents/{consent}");
    let client = client_of(&program, &told[0].1);
    client
        .post_json(&at, &json!({ "given": false }))
        .expect(200);
    assert_eq!(todo()["said"], "Consenso (voce): no");
    assert!(waits(&anna).is_empty(), "Bruno asked last");
    assert_eq!(waits(&bruno), [json!(id)]);
    assert_eq!(figures(), json!({ "asked": 4, "read": 3, "answered": 2 }));
}
