//! `POST /reports/bulk`: many reports changed by the rules of one, refused by name where somebody was faster, and taken back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::at_once;
use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::has;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

fn with_reports(count: usize) -> (Program, Editor, Vec<String>) {
    let program = Program::start();
    let editor = program.set_up();
    editor.expects_a_flood();
    let ids = (0..count).map(|number| submit(&program.client(), &Person::numbered(number)));
    let ids = ids.collect();
    (program, editor, ids)
}

fn bulk(editor: &Editor, body: &Value) -> Value {
    editor.post_json("/reports/bulk", body).expect(200).json()
}

fn undo(editor: &Editor, batch: &Value) -> Value {
    let path = format!("/reports/bulk/{batch}/undo");
    editor.post_json(&path, &json!({})).expect(200).json()
}

/// What a change may change of each report, oldest first.
fn standing(editor: &Editor, ids: &[String]) -> Vec<Value> {
    let of = |id: &String| {
        let report = editor.quiet().report(id);
        json!([
            report["stato"],
            report["department"],
            report["urgenteOra"],
            report["labels"]
        ])
    };
    ids.iter().map(of).collect()
}

#[test]
fn everything_that_one_change_allows_is_done_to_many_and_taken_back_in_one() {
    let (_program, editor, reports) = with_reports(60);
    let made = editor.post_json(
        "/labels",
        &json!({ "name": "Sanità locale", "color": "verde" }),
    );
    let label = made.expect(200).json()["id"].clone();
    editor.change(
        &reports[0],
        &json!({ "stato": "Risolta", "labels": [label] }),
    );
    let before = standing(&editor, &reports);
    let change = json!({ "stato": "In lavorazione", "department": "sanita", "urgente": true, "labels": { "add": [label] } });
    let done = bulk(&editor, &json!({ "ids": reports, "change": change }));
    has(&done, &json!({ "changed": 60, "refused": [] }));
    let expected = json!(["In lavorazione", "sanita", true, [label]]);
    assert_eq!(standing(&editor, &reports), vec![expected; 60]);
    let kinds = |id: &str| {
        let history = editor.quiet().report(id)["storia"].clone();
        let kinds = history
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["tipo"].clone());
        kinds.skip(2).collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(&reports[7]),
        ["stato", "reparto", "urgente", "etichette"]
    );
    assert_eq!(editor.list("")["counters"]["inProgress"], 60);
    let memory = editor.get("/routing/memory").expect(200).json();
    assert_eq!(memory["moves"], 60, "{memory}");
    let batches = editor.get("/reports/bulk").expect(200).json();
    has(
        &batches["data"][0],
        &json!({ "batch": done["batch"], "total": 60, "done": 60 }),
    );

    has(
        &undo(&editor, &done["batch"]),
        &json!({ "changed": 60, "refused": [] }),
    );
    assert_eq!(standing(&editor, &reports), before);
    let again = format!("/reports/bulk/{}/undo", done["batch"]);
    editor
        .post_json(&again, &json!({}))
        .problem(409, "conflitto");
}

#[test]
fn who_was_faster_keeps_the_change_and_is_named_with_both_versions() {
    let (_program, editor, reports) = with_reports(4);
    let rows = editor.list("");
    let shown: Vec<Value> = rows["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!({ "id": row["id"], "version": row["versione"] }))
        .collect();
    editor.change(&reports[2], &json!({ "stato": "Risolta" }));
    editor.erase(&reports[1]).expect(200);
    let done = bulk(
        &editor,
        &json!({ "ids": shown, "change": { "stato": "Archiviata" } }),
    );
    assert_eq!(done["changed"], 2);
    let refused = done["refused"].as_array().unwrap();
    let person = Person::numbered(2);
    has(
        &refused[0],
        &json!({ "id": reports[2], "version": 1, "name": format!("{} {}", person.nome, person.cognome) }),
    );
    has(
        &refused[0]["current"],
        &json!({ "stato": "Risolta", "versione": 2 }),
    );
    has(&refused[1], &json!({ "id": reports[1], "current": null }));

    // The same the other way round: what somebody changed since is not taken back.
    editor.change(&reports[0], &json!({ "note": "Sentito." }));
    let undone = undo(&editor, &done["batch"]);
    assert_eq!(undone["changed"], 1);
    has(
        &undone["refused"][0]["current"],
        &json!({ "stato": "Archiviata", "versione": 3 }),
    );
    assert_eq!(editor.report(&reports[3])["stato"], "Nuova");
}

#[test]
fn a_filter_means_its_reports_all_of_them_and_no_other() {
    let (program, editor, reports) = with_reports(120);
    for id in &reports[..10] {
        editor.change(id, &json!({ "stato": "Risolta" }));
    }
    let body = json!({ "filter": { "stato": "Nuova" }, "change": { "stato": "Archiviata" } });
    let done = bulk(&editor, &body);
    assert_eq!(done["changed"], 110);
    let counters = editor.list("")["counters"].clone();
    has(&counters, &json!({ "new": 0, "resolved": 10 }));
    let entries = editor.get("/logs").expect(200).json()["data"].clone();
    let many = entries
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["reportId"].is_null() && one["action"] == "REPORT_UPDATED");
    assert_eq!(many.count(), 1, "one entry for all of so many");
    let person = Person::numbered(3);
    let named = json!({ "filter": { "search": person.email }, "change": { "urgente": true } });
    assert_eq!(bulk(&editor, &named)["changed"], 1);
    program.clock.advance(Duration::from_mins(11));
    let late = format!("/reports/bulk/{}/undo", done["batch"]);
    editor
        .post_json(&late, &json!({}))
        .problem(409, "conflitto");
    program.running().tidy().expect("tidied");
    for table in ["batches", "batch_reports"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(disk::count(program.data(), &sql), 0, "{table}");
    }
}

#[test]
fn a_filter_catches_nothing_that_came_or_changed_after_its_list_was_shown() {
    let (program, editor, reports) = with_reports(3);
    program.clock.advance(Duration::from_secs(1));
    let shown = editor.list("?stato=Nuova")["shown"].clone();
    program.clock.advance(Duration::from_secs(1));
    let late = submit(&program.client(), &Person::numbered(3));
    editor.change(&reports[1], &json!({ "department": "scuola" }));
    let change = json!({ "stato": "Archiviata" });
    for filter in [
        json!({ "stato": "Nuova", "search": "persona" }),
        json!({ "stato": "Nuova" }),
    ] {
        let body = json!({ "filter": filter, "shown": shown, "change": change });
        let done = bulk(&editor, &body);
        has(
            &done["refused"][0],
            &json!({ "id": reports[1], "version": null }),
        );
        let current = &done["refused"][0]["current"];
        has(current, &json!({ "department": "scuola", "versione": 2 }));
        assert_eq!(done["refused"].as_array().unwrap().len(), 1);
    }
    let found = editor.list("?stato=Nuova");
    assert_eq!(ids(&found), [&*late, &*reports[1]]);
    assert_eq!(found["matching"], 2);
}

#[test]
fn a_report_that_is_named_twice_counts_once() {
    let (_program, editor, reports) = with_reports(60);
    let shown = |id: &String| json!({ "id": id, "version": 1 });
    let twice: Vec<Value> = reports.iter().chain(&reports).map(shown).collect();
    let done = bulk(
        &editor,
        &json!({ "ids": twice, "change": { "stato": "Risolta" } }),
    );
    has(
        &done,
        &json!({ "changed": 60, "refused": [], "unnamed": 0 }),
    );
    has(
        &undo(&editor, &done["batch"]),
        &json!({ "changed": 60, "refused": [] }),
    );
}

#[test]
fn a_whole_filter_but_some_leaves_those_as_they_are() {
    let (_program, editor, reports) = with_reports(4);
    let except = [&reports[1], &reports[2]];
    let body = json!({ "filter": {}, "except": except, "change": { "stato": "Archiviata" } });
    assert_eq!(bulk(&editor, &body)["changed"], 2);
    let left = editor.list("?stato=Nuova");
    assert_eq!(ids(&left), [&*reports[2], &*reports[1]]);
}

#[test]
fn a_session_knows_its_own_changes_again() {
    let (program, editor, reports) = with_reports(3);
    let change = json!({ "ids": reports, "change": { "stato": "In lavorazione" } });
    let done = bulk(&editor, &change);
    let own = |editor: &Editor| editor.get("/reports/bulk").expect(200).json()["data"][0].clone();
    let known = json!({ "batch": done["batch"], "changed": 3, "own": true });
    has(&own(&editor), &known);
    has(&own(&program.log_in()), &json!({ "own": false }));
}

#[test]
fn what_is_taken_back_is_set_aside_again_and_was_resolved_when_it_was() {
    let (program, editor, reports) = with_reports(2);
    editor.change(&reports[0], &json!({ "stato": "Risolta" }));
    let sql = "UPDATE segnalazioni SET sospetta = 7 WHERE stato = 'Nuova'";
    disk::database(program.data())
        .execute(sql, [])
        .expect("set aside");
    let marks = || {
        let sql = "SELECT group_concat(coalesce(sospetta, 0) || ':' || coalesce(risolta, 0) || ':' || coalesce(stato_dal, 0)) \
            FROM segnalazioni";
        let of = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        disk::database(program.data())
            .query_row(sql, [], of)
            .expect("marks")
    };
    let before = marks();
    program.clock.advance(Duration::from_mins(1));
    let done = bulk(
        &editor,
        &json!({ "ids": reports, "change": { "stato": "In lavorazione" } }),
    );
    assert_ne!(marks(), before);
    assert_eq!(undo(&editor, &done["batch"])["changed"], 2);
    assert_eq!(marks(), before);
    assert_eq!(editor.list("")["counters"]["resolved"], 1);
}

#[test]
fn what_is_asked_wrongly_changes_nothing() {
    let (_program, editor, reports) = with_reports(1);
    for body in [
        json!({ "change": { "stato": "Risolta" } }),
        json!({ "ids": [], "change": { "stato": "Risolta" } }),
        json!({ "ids": reports, "filter": {}, "change": { "stato": "Risolta" } }),
        json!({ "ids": reports, "except": reports, "change": { "stato": "Risolta" } }),
        json!({ "ids": reports, "change": { "stato": "Fatta" } }),
        json!({ "ids": reports, "change": { "note": "a tutte" } }),
        json!({ "ids": reports, "change": { "stato": "Risolta", "labels": { "add": [7] } } }),
        json!({ "filter": { "statoo": "Nuova" }, "change": { "stato": "Risolta" } }),
        json!({ "filter": { "order": "alike" }, "change": { "stato": "Risolta" } }),
        json!({ "ids": [{ "id": reports[0] }], "change": { "stato": "Risolta" } }),
    ] {
        editor
            .post_json("/reports/bulk", &body)
            .problem(422, "dati-non-validi");
    }
    let except = vec![&reports[0]; 2_001];
    let body = json!({ "filter": {}, "except": except, "change": { "stato": "Risolta" } });
    let refused = editor.post_json("/reports/bulk", &body);
    let errors = refused.problem(422, "dati-non-validi")["errors"].clone();
    assert_eq!(
        errors,
        json!({ "except": "Escludi al massimo 2000 segnalazioni." })
    );
    assert_eq!(editor.report(&reports[0])["versione"], 1);
    editor
        .post_json("/reports/bulk/1/undo", &json!({}))
        .problem(409, "conflitto");
}

/// One moves reports of a status by hundreds, another changes them one by one on the version it saw: whoever is refused is told,
/// and whatever was taken is in the history.
#[test]
fn two_editors_at_once_lose_no_change() {
    let (program, editor, reports) = with_reports(500);
    let rows = |cursor: &str| editor.list(&format!("?limit=200{cursor}"));
    let mut shown = Vec::new();
    let mut page = rows("");
    loop {
        shown.extend(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| json!({ "id": row["id"], "version": row["versione"] })),
        );
        let Some(next) = page["nextCursor"].as_str() else {
            break;
        };
        page = rows(&format!("&cursor={next}"));
    }
    let other = program.log_in();
    let outcomes = at_once(2, |who| {
        if who == 0 {
            let done = bulk(
                &editor,
                &json!({ "ids": shown, "change": { "department": "scuola" } }),
            );
            return (
                done["changed"].as_u64().unwrap(),
                done["refused"].as_array().unwrap().len(),
            );
        }
        let change = json!({ "stato": "Risolta" });
        let statuses = reports
            .iter()
            .map(|id| other.patch(id, &json!(1), &change).status);
        let (taken, refused): (Vec<u16>, Vec<u16>) = statuses.partition(|status| *status == 200);
        assert!(refused.iter().all(|status| *status == 412));
        (taken.len() as u64, refused.len())
    });
    let [(moved, not_moved), (solved, not_solved)] = outcomes[..] else {
        panic!()
    };
    assert_eq!(
        (moved, solved),
        (not_solved as u64, not_moved as u64),
        "each report once"
    );
    assert_eq!(moved + solved, 500);
    let list = editor.list("?department=scuola&stato=Risolta");
    assert!(ids(&list).is_empty());
    assert_eq!(editor.list("")["counters"]["resolved"], json!(solved));
    let turns = |kind: &str| {
        disk::count(
            program.data(),
            &format!("SELECT count(*) FROM history WHERE kind = '{kind}'"),
        )
    };
    assert_eq!(
        (turns("reparto"), turns("stato")),
        (
            i64::try_from(moved).unwrap(),
            i64::try_from(solved).unwrap()
        )
    );
}
