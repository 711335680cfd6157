//! `PATCH /reports/{id}`: changes on the version that was on screen, so that of two editors nobody loses a word.

use serde_json::{Value, json};

use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::{MINUTE, at_once};

fn with_a_report() -> (Program, Editor, String) {
    let (program, editor) = Program::with_editor();
    let id = program.report(1);
    (program, editor, id)
}

#[test]
fn status_and_note_are_saved_with_a_new_version_and_their_history() {
    let (program, editor, id) = with_a_report();
    program.clock.advance(MINUTE);
    let change =
        json!({ "stato": "In lavorazione", "note": "Chiamare domani.\nChiedere le foto." });
    let answer = editor.patch(&id, &json!(1), &change).expect(200);
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let saved = answer.json();
    has!(saved, "stato": change["stato"], "note": change["note"]);
    assert_eq!(saved["data_aggiornamento"], "2026-03-10T09:01:00Z");
    let history = json!([
        { "tipo": "ricevuta", "data": "2026-03-10T09:00:00Z", "author": null },
        { "tipo": "stato", "data": "2026-03-10T09:01:00Z", "da": "Nuova", "a": "In lavorazione", "author": null },
        { "tipo": "note", "data": "2026-03-10T09:01:00Z", "author": null },
    ]);
    assert_eq!(saved["storia"], history);
    assert_eq!(editor.report(&id)["note"], change["note"]);
}

#[test]
fn what_is_absent_stays_and_an_empty_note_is_none() {
    let (_program, editor, id) = with_a_report();
    editor.change(&id, &json!({ "note": "Una nota." }));
    let second = editor.change(&id, &json!({ "stato": "Risolta" }));
    has!(second, "note": "Una nota.", "versione": 3);
    let third = editor.change(&id, &json!({ "note": "" }));
    has!(third, "note": "", "stato": "Risolta");
}

#[test]
fn a_save_that_changes_nothing_is_no_change() {
    let (_program, editor, id) = with_a_report();
    for change in [
        json!({}),
        json!({ "stato": "Nuova", "note": "" }),
        json!({ "note": "  \n" }),
    ] {
        let answer = editor.patch(&id, &json!(1), &change).expect(200);
        assert_eq!(answer.header("etag"), Some("\"1\""), "{change}");
        assert_eq!(answer.json()["storia"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_stale_save_is_refused_with_what_is_stored_and_changes_nothing() {
    let (_program, editor, id) = with_a_report();
    let theirs = json!({ "stato": "Risolta", "note": "Già sentito." });
    editor.patch(&id, &json!(1), &theirs).expect(200);
    let ours = json!({ "stato": "Archiviata", "note": "Non risponde." });
    let problem = editor
        .patch(&id, &json!(1), &ours)
        .problem(412, "versione-superata");
    let current = &problem["current"];
    has!(current, "stato": theirs["stato"], "note": theirs["note"]);
    assert_eq!(current["versione"], 2);
    let mut stored = editor.report(&id);
    stored["storia"]
        .as_array_mut()
        .unwrap()
        .retain(|entry| entry["tipo"] != "aperta");
    assert_eq!(*current, stored);
}

#[test]
fn a_save_says_which_version_it_was_made_on() {
    let (_program, editor, id) = with_a_report();
    let path = format!("/reports/{id}");
    let change = json!({ "note": "Una nota." });
    let blind = editor.modify(&path, &change);
    blind.problem(428, "versione-richiesta");
    for tag in r#""0"|"2"|W/"1"|""|uno|"2", "3"|"2", *|"18446744073709551617""#.split('|') {
        let request = editor.api("PATCH", &path).header("if-match", tag);
        let refused = request.json(&change).send();
        assert_eq!(refused.status, 412, "{tag}");
        refused.problem(412, "versione-superata");
    }
    assert_eq!(editor.report(&id)["note"], "");
    for (tag, version) in [("*", 2), ("\"1\", \"2\"", 3)] {
        let change = json!({ "note": format!("Una nota per {tag}") });
        let request = editor.api("PATCH", &path).header("if-match", tag);
        let saved = request.json(&change).send().expect(200).json();
        assert_eq!(saved["versione"], version);
    }
}

#[test]
fn a_change_that_cannot_be_is_refused_by_field() {
    let (_program, editor, id) = with_a_report();
    for (change, field) in [
        (json!({ "stato": "Aperta" }), "stato"),
        (json!({ "stato": "nuova" }), "stato"),
        (json!({ "stato": 1 }), "stato"),
        (json!({ "note": ["a"] }), "note"),
        (json!({ "note": "a".repeat(20_001) }), "note"),
        (json!({ "nome": "Altro" }), "nome"),
        (json!({ "versione": 1 }), "versione"),
    ] {
        let refused = editor.patch(&id, &json!(1), &change);
        assert_eq!(refused.refused_fields(), [field]);
    }
    assert_eq!(editor.report(&id)["versione"], 1);
    let longest = json!({ "note": "è".repeat(20_000) });
    editor.patch(&id, &json!(1), &longest).expect(200);
}

#[test]
fn of_eight_editors_at_once_exactly_one_succeeds_per_version_and_no_note_is_lost() {
    let (_program, editor, id) = with_a_report();
    let rounds = 15;
    for round in 1..=rounds {
        let answers = at_once(8, |number| {
            let before = editor.report(&id)["note"].as_str().unwrap().to_owned();
            let note = format!("{before}· redattore {number} al giro {round}");
            let answer = editor.patch(&id, &json!(round), &json!({ "note": note }));
            (answer, note)
        });
        let (saved, refused): (Vec<_>, Vec<_>) = answers
            .into_iter()
            .partition(|(answer, _)| answer.status == 200);
        assert_eq!(saved.len(), 1, "round {round}");
        let stored = editor.report(&id);
        assert_eq!(stored["note"], Value::from(saved[0].1.clone()));
        assert_eq!(stored["versione"], round + 1);
        for (answer, _) in refused {
            let problem = answer.problem(412, "versione-superata");
            assert_eq!(
                problem["current"]["note"], stored["note"],
                "each learns what won"
            );
        }
    }
    let history = editor.report(&id);
    let notes = history["storia"].as_array().unwrap().iter();
    assert_eq!(
        notes.filter(|entry| entry["tipo"] == "note").count(),
        rounds
    );
}
