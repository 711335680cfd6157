//! An editor takes back that a report is urgent, or marks one that the program missed (PRODUCT.md §11).

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::HOUR;
use crate::support::chat::{GRAVE, Person, submit};
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::panel::{Editor, ids};
use crate::support::post::Manner;
use crate::support::program::Program;

/// An archive with a calm report and one that the program holds for urgent; their ids in this order.
fn newsroom() -> (Program, Editor, String, [String; 2]) {
    let program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let client = program.client();
    let reports =
        [Person::numbered(1), Person::telling(2, GRAVE)].map(|person| submit(&client, &person));
    (program, editor, code, reports)
}

/// Decides about a report as it stands; answers it as it is then.
fn decide(editor: &Editor, id: &str, urgent: bool) -> Value {
    editor.change(id, &json!({ "urgente": urgent }))
}

/// Who is urgent by the list and by the export, which must agree, alone and with a text; and who is not.
fn shown(editor: &Editor) -> [Vec<String>; 2] {
    editor.wait_for_search();
    [true, false].map(|urgent| {
        let listed = editor.list(&format!("?urgente={urgent}"));
        let rows = listed["data"].as_array().expect("rows");
        assert!(rows.iter().all(|row| row["urgente"] == urgent), "{rows:?}");
        for also in ["search=nome", "search=nome&inText=true"] {
            let query = format!("?urgente={urgent}&{also}");
            assert_eq!(ids(&editor.list(&query)), ids(&listed));
        }
        let export = editor.get(&format!("/reports/export.csv?urgente={urgent}"));
        let total = export.expect(200).header("x-total-rows").map(str::to_owned);
        assert_eq!(total, Some(rows.len().to_string()));
        ids(&listed)
    })
}

#[test]
fn what_is_grave_is_seen_in_the_account_and_in_what_is_added() {
    let (program, editor) = Program::with_editor();
    let calm = Person::numbered(1).segnalazione;
    let tell = |account: &str, addition: &str| {
        let person = Person {
            chiusura: addition.to_owned(),
            ..Person::telling(1, account)
        };
        submit(&program.client(), &person)
    };
    for (account, addition) in [(&*calm, "no"), (&*calm, &*calm)] {
        tell(account, addition);
    }
    let mut grave = [(GRAVE, "no"), (GRAVE, &*calm), (&*calm, GRAVE)]
        .map(|(account, addition)| tell(account, addition));
    grave.reverse();
    assert_eq!(ids(&editor.list("?urgente=true")), grave);
}

#[test]
fn a_false_alarm_is_taken_back_and_a_missed_one_marked_with_their_history() {
    let (program, editor, _, [calm, grave]) = newsroom();
    program.clock.advance(Duration::from_mins(1));
    let change = json!({ "urgente": false });
    let answer = editor.patch(&grave, &json!(1), &change).expect(200);
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let saved = answer.json();
    assert_eq!(saved["urgente"], "self_harm", "what was read stays");
    assert_eq!(saved["urgenteOra"], false);
    let entry = json!({ "tipo": "urgente", "data": "2026-03-10T09:01:00Z", "da": "1", "a": "0", "author": null });
    assert_eq!(saved["storia"][1], entry);
    assert_eq!(saved["data_aggiornamento"], "2026-03-10T09:01:00Z");

    let marked = decide(&editor, &calm, true);
    has!(marked, "urgente": null, "urgenteOra": true);
    assert_eq!(shown(&editor), [[calm.clone()], [grave.clone()]]);

    // Back again, together with something else.
    let both = json!({ "urgente": true, "stato": "Risolta", "note": "Sentita." });
    let saved = editor.patch(&grave, &json!(2), &both).expect(200).json();
    has!(saved, "urgenteOra": true, "versione": 3);
    let kinds = saved["storia"].as_array().expect("a history").iter();
    let kinds: Vec<&str> = kinds.filter_map(|entry| entry["tipo"].as_str()).collect();
    let expected = ["ricevuta", "urgente", "stato", "note", "urgente"];
    assert_eq!(sorted(kinds), sorted(expected.to_vec()));
    decide(&editor, &calm, false);
    assert_eq!(shown(&editor), [[grave.clone()], [calm]]);
    let log = editor.get("/logs?action=REPORT_UPDATED").expect(200);
    let entries = log.json()["data"].as_array().expect("entries").len();
    assert_eq!(entries, 4);
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

#[test]
fn what_it_is_already_is_no_change_and_a_stale_decision_changes_nothing() {
    let (_program, editor, _, [calm, grave]) = newsroom();
    for (id, urgent) in [(&calm, false), (&grave, true)] {
        let answer = editor.patch(id, &json!(1), &json!({ "urgente": urgent }));
        assert_eq!(answer.expect(200).header("etag"), Some("\"1\""));
    }
    let theirs = json!({ "note": "Già sentita." });
    editor.patch(&grave, &json!(1), &theirs).expect(200);
    let problem = editor
        .patch(&grave, &json!(1), &json!({ "urgente": false }))
        .problem(412, "versione-superata");
    assert_eq!(problem["current"]["urgenteOra"], true);
    assert_eq!(shown(&editor), [[grave.clone()], [calm]]);
    let wrong = editor.patch(&grave, &json!(2), &json!({ "urgente": "no" }));
    wrong.invalid();
}

#[test]
fn which_kind_it_is_stays_sealed() {
    let (mut program, editor, _, [_, grave]) = newsroom();
    assert_eq!(editor.report(&grave)["urgente"], "self_harm");
    program.stop();
    program.hides(&["self_harm", "autolesivo"]);
    let urgent = "SELECT count(*) FROM segnalazioni WHERE urgente = 1";
    assert_eq!(program.count(urgent), 1, "the control");
}

#[test]
fn a_message_that_waits_says_what_is_so_when_it_goes_out() {
    for (address, mut newsroom) in [(ADDRESS, Newsroom::mail()), (HOOK, Newsroom::webhook())] {
        newsroom.post.set(address, Manner::Fails);
        let id = submit(&newsroom.program.client(), &Person::telling(1, GRAVE));
        newsroom.wait(&id, "in attesa", 1);
        decide(&newsroom.editor, &id, false);
        // Nobody is told anew of a decision.
        newsroom.wait_counters(1, 0, 0);
        newsroom.advance(HOUR);
        newsroom.wait(&id, "in attesa", 2);
        decide(&newsroom.editor, &id, true);
        decide(&newsroom.editor, &id, false);
        decide(&newsroom.editor, &id, true);
        newsroom.post.set(address, Manner::Takes);
        newsroom.advance(HOUR);
        newsroom.wait(&id, "consegnata", 3);
        decide(&newsroom.editor, &id, false);
        newsroom.advance(HOUR);
        newsroom.wait_counters(0, 0, 1);
        let attempts = newsroom.post.attempts_at(address);
        let urgent: Vec<bool> = attempts.iter().map(|attempt| attempt.urgent[0]).collect();
        assert_eq!(urgent, [true, false, true], "{address}");
    }
}

#[test]
fn that_it_was_forwarded_is_noted_with_its_moment_shown_and_taken_back() {
    let (program, editor, _, [_, grave]) = newsroom();
    let told = |id: &str| editor.read(&format!("/reports/{id}"));
    assert_eq!(told(&grave)["inoltrata"], Value::Null);
    program.clock.advance(Duration::from_mins(5));
    let before = told(&grave)["versione"].clone();
    let saved = editor.change(&grave, &json!({ "inoltrata": true }));
    let moment = saved["inoltrata"].as_str().expect("a moment").to_owned();
    assert_eq!(saved["data_aggiornamento"], moment);
    assert_ne!(saved["versione"], before);
    // Said again it is no change, and its moment stays.
    program.clock.advance(Duration::from_mins(5));
    let again = editor.change(
        &grave,
        &json!({ "inoltrata": true, "stato": "In lavorazione" }),
    );
    assert_eq!(again["inoltrata"], moment);
    let last = again["storia"].as_array().and_then(|all| all.last());
    has!(last.expect("a change"), "tipo": "stato");
    let backup = editor.read("/backup");
    assert!(backup.to_string().contains("\"inoltrata\""));
    let back = editor.change(&grave, &json!({ "inoltrata": false }));
    assert_eq!(back["inoltrata"], Value::Null);
    let turns = back["storia"].as_array().expect("a history").iter();
    let turns: Vec<_> = turns
        .filter(|entry| entry["tipo"] == "inoltrata")
        .map(|entry| &entry["a"])
        .collect();
    assert_eq!(turns, [&json!("1"), &json!("0")]);
}
