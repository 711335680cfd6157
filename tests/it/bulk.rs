//! `POST /reports/bulk`: many reports changed by the rules of one, refused by name where somebody was faster, and taken back.

use serde_json::{Value, json};

use crate::support::chat::Person;
use crate::support::disk;
use crate::support::has;
use crate::support::panel::{Editor, ids};
use crate::support::people::desk;
use crate::support::program::Program;
use crate::support::snapshot::{pick, table};
use crate::support::{MINUTE, SECOND, at_once};

fn bulk(editor: &Editor, body: &Value) -> Value {
    editor.post_and_read("/reports/bulk", body)
}

fn undo(editor: &Editor, batch: &Value) -> Value {
    let path = format!("/reports/bulk/{batch}/undo");
    editor.post_and_read(&path, &json!({}))
}

/// What a change may change of each report, oldest first.
fn standing(editor: &Editor, ids: &[String]) -> Vec<Value> {
    let names = "stato department urgenteOra labels";
    let of = |id: &String| pick(&editor.quiet().report(id), names);
    ids.iter().map(of).collect()
}

/// Tries to take back what cannot be taken back.
fn refuses_undo(editor: &Editor, batch: &Value) {
    let path = format!("/reports/bulk/{batch}/undo");
    editor.post_json(&path, &json!({})).conflict();
}

#[test]
fn what_waits_is_done_for_a_whole_filter_and_waits_again_once_taken_back() {
    let (_program, editor, reports) = Program::with_reports(60);
    let waiting = || ids(&editor.list("?todo=true&limit=200"));
    let before = waiting();
    editor
        .post(&format!("/reports/{}/done", reports[0]))
        .expect(204);
    let body =
        json!({ "filter": { "todo": true }, "except": [reports[1]], "change": { "done": true } });
    let done = bulk(&editor, &body);
    has!(done, "changed": 58, "refused": []);
    assert_eq!(waiting(), [reports[1].clone()]);
    has!(bulk(&editor, &json!({ "ids": reports, "change": { "done": true } })), "changed": 1);
    has!(editor.rows("/reports/bulk")[1], "changed": 58, "change": { "done": true });
    let history = editor.quiet().report(&reports[7])["storia"].clone();
    assert!(table(&history, "tipo a").contains("fatta 1"));
    // One that was taken back alone stays so.
    editor
        .delete(&format!("/reports/{}/done", reports[2]))
        .expect(204);
    let undone = undo(&editor, &done["batch"]);
    has!(undone, "changed": 57);
    assert_eq!(undone["refused"][0]["id"], reports[2]);
    let expected: Vec<String> = before
        .into_iter()
        .filter(|id| ![&reports[0], &reports[1]].contains(&id))
        .collect();
    assert_eq!(waiting(), expected);
    let back = json!({ "ids": [reports[0]], "change": { "done": false } });
    has!(bulk(&editor, &back), "changed": 1);
    assert_eq!(waiting().len(), 59);
}

#[test]
fn everything_that_one_change_allows_is_done_to_many_and_taken_back_in_one() {
    let (_program, editor, reports) = Program::with_reports(60);
    let label = json!({ "name": "Sanità locale", "color": "verde" });
    let label = editor.post_and_read("/labels", &label)["id"].clone();
    let resolved = json!({ "stato": "Risolta", "labels": [label] });
    editor.change(&reports[0], &resolved);
    let before = standing(&editor, &reports);
    let change = json!({ "stato": "In lavorazione", "department": "sanita", "urgente": true, "labels": { "add": [label] } });
    let done = bulk(&editor, &json!({ "ids": reports, "change": change }));
    has!(done, "changed": 60, "refused": []);
    let expected = json!({ "stato": "In lavorazione", "department": "sanita", "urgenteOra": true, "labels": [label] });
    assert_eq!(standing(&editor, &reports), vec![expected; 60]);
    let history = editor.quiet().report(&reports[7])["storia"].clone();
    let kinds = "ricevuta\naperta\nstato\nreparto\nurgente\netichette";
    assert_eq!(table(&history, "tipo"), kinds);
    assert_eq!(editor.list("")["counters"]["inProgress"], 60);
    assert_eq!(editor.read("/routing/memory")["moves"], 60);
    has!(editor.rows("/reports/bulk")[0], "batch": done["batch"], "total": 60, "done": 60);

    has!(undo(&editor, &done["batch"]), "changed": 60, "refused": []);
    assert_eq!(standing(&editor, &reports), before);
    refuses_undo(&editor, &done["batch"]);
}

/// The stories of reports, and until when they are put off.
fn places(editor: &Editor, ids: &[String]) -> Vec<Value> {
    let rows = editor.quiet().list("?snoozed=true")["data"].clone();
    let others = editor.quiet().list("")["data"].clone();
    let rows = [rows, others].map(|rows| rows.as_array().cloned().expect("rows"));
    let rows = rows.concat();
    let of = |id: &String| rows.iter().find(|row| row["id"] == **id).expect("a row");
    let place = |id| json!({ "story": of(id)["story"]["id"], "until": of(id)["snoozedUntil"] });
    ids.iter().map(place).collect()
}

#[test]
fn many_are_put_off_and_join_a_story_and_are_taken_back_to_where_each_was() {
    let (program, editor, reports) = Program::with_reports(4);
    let story = |title: &str, report: &String| {
        let new = json!({ "title": title, "reports": [report] });
        editor.post_and_read("/stories", &new)["id"].clone()
    };
    let (first, second) = (story("Prima", &reports[0]), story("Seconda", &reports[1]));
    let put_off = |report: &String, until: &str| {
        let path = format!("/reports/{report}/snooze");
        editor.put(&path, &json!({ "until": until })).expect(204);
    };
    put_off(&reports[0], "2026-03-20T08:00:00Z");
    let before = places(&editor, &reports);
    let change = json!({ "snoozedUntil": "2026-04-01T08:00:00Z", "story": first });
    let done = bulk(&editor, &json!({ "ids": reports, "change": change }));
    has!(done, "changed": 4, "refused": []);
    let expected = json!({ "story": first, "until": "2026-04-01T08:00:00Z" });
    assert_eq!(places(&editor, &reports), vec![expected; 4]);
    // The second story went with its last report; one report was moved again since.
    put_off(&reports[3], "2026-05-01T08:00:00Z");
    let undone = undo(&editor, &done["batch"]);
    assert_eq!(undone["changed"], 2);
    let refused = json!({ "data": undone["refused"] });
    assert_eq!(ids(&refused), [&*reports[1], &*reports[3]]);
    let after = places(&editor, &reports);
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    has!(after[3], "story": first, "until": "2026-05-01T08:00:00Z");
    assert_ne!(first, second);

    let out = json!({ "ids": [reports[0], reports[3]], "change": { "story": null } });
    let done = bulk(&editor, &out);
    assert_eq!(done["changed"], 2);
    assert_eq!(places(&editor, &reports)[0]["story"], Value::Null);
    undo(&editor, &done["batch"]);
    assert_eq!(places(&editor, &reports)[0]["story"], first);
    for until in ["2026-03-01T08:00:00Z", "2028-03-01T08:00:00Z"] {
        let body = json!({ "ids": reports, "change": { "snoozedUntil": until } });
        let refused = editor.post_json("/reports/bulk", &body);
        assert_eq!(refused.refused_fields(), ["snoozedUntil"], "{body}");
    }
    let unknown = "00000000-0000-4000-8000-000000000000";
    let nowhere = json!({ "ids": reports, "change": { "story": unknown } });
    editor.post_json("/reports/bulk", &nowhere).not_found();
    assert_eq!(program.count("SELECT count(*) FROM batches"), 0);
}

#[test]
fn a_change_that_breaks_off_half_way_says_so_and_is_taken_back_as_far_as_it_came() {
    let (program, editor, reports) = Program::with_reports(205);
    program.plant(
        "CREATE TRIGGER breaks BEFORE UPDATE OF stato ON segnalazioni WHEN OLD.seq = 203 BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    let resolved = json!({ "ids": reports, "change": { "stato": "Risolta" } });
    let broken = editor.post_json("/reports/bulk", &resolved);
    assert_eq!(broken.status, 500);
    assert_eq!(editor.list("")["counters"]["resolved"], 200);
    let known = editor.rows("/reports/bulk")[0].clone();
    has!(known, "total": 205, "done": 200, "changed": 200, "own": true);
    has!(undo(&editor, &known["batch"]), "changed": 200, "refused": []);
    has!(editor.list("")["counters"], "new": 205, "resolved": 0);
}

#[test]
fn who_was_faster_keeps_the_change_and_is_named_with_both_versions() {
    let (_program, editor, reports) = Program::with_reports(4);
    let shown: Vec<Value> = reports.iter().rev().map(shown).collect();
    editor.change(&reports[2], &json!({ "stato": "Risolta" }));
    editor.erase(&reports[1]).expect(200);
    let archived = json!({ "ids": shown, "change": { "stato": "Archiviata" } });
    let done = bulk(&editor, &archived);
    assert_eq!(done["changed"], 2);
    let refused = &done["refused"];
    has!(refused[0], "id": reports[2], "version": 1, "name": "Nomec Cognomec");
    has!(refused[0]["current"], "stato": "Risolta", "versione": 2);
    has!(refused[1], "id": reports[1], "current": null);

    // The same the other way round: what was changed since is not taken back.
    editor.change(&reports[0], &json!({ "note": "Sentito." }));
    let undone = undo(&editor, &done["batch"]);
    assert_eq!(undone["changed"], 1);
    has!(undone["refused"][0]["current"], "stato": "Archiviata", "versione": 3);
    assert_eq!(editor.report(&reports[3])["stato"], "Nuova");
}

#[test]
fn a_filter_means_its_reports_all_of_them_and_no_other() {
    let (program, editor, reports) = Program::with_reports(120);
    for id in &reports[..10] {
        editor.change(id, &json!({ "stato": "Risolta" }));
    }
    let body = json!({ "filter": { "stato": "Nuova" }, "change": { "stato": "Archiviata" } });
    let done = bulk(&editor, &body);
    assert_eq!(done["changed"], 110);
    has!(editor.list("")["counters"], "new": 0, "resolved": 10);
    let updates = editor.rows("/logs?action=REPORT_UPDATED").into_iter();
    let many = updates.filter(|entry| entry["reportId"].is_null());
    assert_eq!(many.count(), 1, "one entry for all of so many");
    let person = Person::numbered(3);
    let named = json!({ "filter": { "search": person.email }, "change": { "urgente": true } });
    assert_eq!(bulk(&editor, &named)["changed"], 1);
    program.clock.advance(11 * MINUTE);
    refuses_undo(&editor, &done["batch"]);
    program.round();
    for table in ["batches", "batch_reports"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(program.count(&sql), 0, "{table}");
    }
}

#[test]
fn a_filter_catches_nothing_that_came_or_changed_after_its_list_was_shown() {
    let (program, editor, reports) = Program::with_reports(3);
    program.clock.advance(SECOND);
    let shown = editor.list("?stato=Nuova")["shown"].clone();
    program.clock.advance(SECOND);
    let late = program.report(3);
    editor.change(&reports[1], &json!({ "department": "scuola" }));
    let change = json!({ "stato": "Archiviata" });
    for filter in [
        json!({ "stato": "Nuova", "search": "persona" }),
        json!({ "stato": "Nuova" }),
    ] {
        let body = json!({ "filter": filter, "shown": shown, "change": change });
        let done = bulk(&editor, &body);
        has!(done["refused"][0], "id": reports[1], "version": null);
        let current = &done["refused"][0]["current"];
        has!(current, "department": "scuola", "versione": 2);
        assert_eq!(done["refused"].as_array().unwrap().len(), 1);
    }
    let found = editor.list("?stato=Nuova");
    assert_eq!(ids(&found), [&*late, &*reports[1]]);
    assert_eq!(found["matching"], 2);
}

/// A report as it is named by an editor who saw it when it was new.
fn shown(id: &String) -> Value {
    json!({ "id": id, "version": 1 })
}

#[test]
fn a_report_that_is_named_twice_counts_once() {
    let (_program, editor, reports) = Program::with_reports(60);
    let twice: Vec<Value> = reports.iter().chain(&reports).map(shown).collect();
    let resolved = json!({ "ids": twice, "change": { "stato": "Risolta" } });
    let done = bulk(&editor, &resolved);
    has!(done, "changed": 60, "refused": [], "unnamed": 0);
    has!(undo(&editor, &done["batch"]), "changed": 60, "refused": []);
}

#[test]
fn a_whole_filter_but_some_leaves_those_as_they_are() {
    let (_program, editor, reports) = Program::with_reports(4);
    let except = [&reports[1], &reports[2]];
    let body = json!({ "filter": {}, "except": except, "change": { "stato": "Archiviata" } });
    assert_eq!(bulk(&editor, &body)["changed"], 2);
    let left = editor.list("?stato=Nuova");
    assert_eq!(ids(&left), [&*reports[2], &*reports[1]]);
}

#[test]
fn what_was_asked_and_by_whom_is_told_while_it_can_be_undone() {
    let (program, reports, [shared, anna, _]) = desk(2);
    let changes = [
        json!({ "stato": "Archiviata", "labels": { "add": [], "remove": [] } }),
        json!({ "assegnataA": null, "urgente": true }),
        json!({ "story": null, "snoozedUntil": "2026-03-20T08:00:00Z" }),
    ];
    for change in &changes {
        bulk(&anna, &json!({ "ids": reports, "change": change }));
    }
    let recent = shared.rows("/reports/bulk").into_iter().rev();
    for (row, change) in recent.zip(&changes) {
        has!(row, "change": change, "total": 2, "own": false);
        assert_eq!(row["author"]["name"], "Nome di anna");
    }
    program.clock.advance(11 * MINUTE);
    assert!(shared.rows("/reports/bulk").is_empty());
}

#[test]
fn a_session_knows_its_own_changes_again() {
    let (program, editor, reports) = Program::with_reports(3);
    let change = json!({ "ids": reports, "change": { "stato": "In lavorazione" } });
    let done = bulk(&editor, &change);
    let own = |editor: &Editor| editor.read("/reports/bulk")["data"][0].clone();
    let known = json!({ "batch": done["batch"], "changed": 3, "own": true });
    has(&own(&editor), &known);
    has!(own(&program.log_in()), "own": false);
}

#[test]
fn what_is_taken_back_is_set_aside_again_and_was_resolved_when_it_was() {
    let (program, editor, reports) = Program::with_reports(2);
    editor.change(&reports[0], &json!({ "stato": "Risolta" }));
    let sql = "UPDATE segnalazioni SET sospetta = 7 WHERE stato = 'Nuova'";
    program.plant(sql);
    let marks = || {
        let sql = "SELECT group_concat(coalesce(sospetta, 0) || ':' || coalesce(risolta, 0) || ':' || coalesce(stato_dal, 0)) \
            FROM segnalazioni";
        let of = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        disk::database(program.data())
            .query_row(sql, [], of)
            .expect("marks")
    };
    let before = marks();
    program.clock.advance(MINUTE);
    let begun = json!({ "ids": reports, "change": { "stato": "In lavorazione" } });
    let done = bulk(&editor, &begun);
    assert_ne!(marks(), before);
    assert_eq!(undo(&editor, &done["batch"])["changed"], 2);
    assert_eq!(marks(), before);
    assert_eq!(editor.list("")["counters"]["resolved"], 1);
}

#[test]
fn what_is_asked_wrongly_changes_nothing() {
    let (_program, editor, reports) = Program::with_reports(1);
    let resolved = json!({ "stato": "Risolta" });
    for body in [
        json!({ "change": resolved }),
        json!({ "ids": [], "change": resolved }),
        json!({ "ids": reports, "filter": {}, "change": resolved }),
        json!({ "ids": reports, "except": reports, "change": resolved }),
        json!({ "ids": reports, "change": { "stato": "Fatta" } }),
        json!({ "ids": reports, "change": { "note": "a tutte" } }),
        json!({ "ids": reports, "change": { "stato": "Risolta", "labels": { "add": [7] } } }),
        json!({ "filter": { "statoo": "Nuova" }, "change": resolved }),
        json!({ "filter": { "order": "raggruppate" }, "change": resolved }),
        json!({ "ids": [{ "id": reports[0] }], "change": resolved }),
    ] {
        let refused = editor.post_json("/reports/bulk", &body);
        assert_eq!(refused.status, 422, "{body}");
        refused.invalid();
    }
    let except = vec![&reports[0]; 2_001];
    let body = json!({ "filter": {}, "except": except, "change": resolved });
    let refused = editor.post_json("/reports/bulk", &body).invalid();
    has!(refused["errors"], "except": "Escludi al massimo 2000 segnalazioni.");
    assert_eq!(editor.report(&reports[0])["versione"], 1);
    refuses_undo(&editor, &json!(1));
}

/// One moves reports by hundreds, another changes them one by one on the version on the screen. Each that is refused is told, and each
/// change that was taken is in the history.
#[test]
fn two_editors_at_once_lose_no_change() {
    let (program, editor, reports) = Program::with_reports(200);
    let shown: Vec<Value> = reports.iter().rev().map(shown).collect();
    let other = program.log_in();
    let outcomes = at_once(2, |who| {
        if who == 0 {
            let moved = json!({ "ids": shown, "change": { "department": "scuola" } });
            let done = bulk(&editor, &moved);
            let refused = done["refused"].as_array().unwrap().len();
            return (done["changed"].as_i64().unwrap(), refused);
        }
        let change = json!({ "stato": "Risolta" });
        let change = |id: &String| other.patch(id, &json!(1), &change).status;
        let statuses = reports.iter().map(change);
        let (taken, refused): (Vec<_>, Vec<_>) = statuses.partition(|status| *status == 200);
        assert!(refused.iter().all(|status| *status == 412));
        (i64::try_from(taken.len()).unwrap(), refused.len())
    });
    let count = |number| usize::try_from(number).unwrap();
    let [(moved, not_moved), (solved, not_solved)] = outcomes[..] else {
        panic!()
    };
    assert_eq!(moved + solved, 200);
    assert_eq!((not_solved, not_moved), (count(moved), count(solved)));
    assert!(ids(&editor.list("?department=scuola&stato=Risolta")).is_empty());
    assert_eq!(editor.list("")["counters"]["resolved"], solved);
    for (kind, times) in [("reparto", moved), ("stato", solved)] {
        let sql = format!("SELECT count(*) FROM history WHERE kind = '{kind}'");
        assert_eq!(program.count(&sql), times, "{kind}");
    }
}
