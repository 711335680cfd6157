//! A report is given to a person; and who did what stands in history, log, exports and backup.

use serde_json::{Value, json};

use crate::support::backups;
use crate::support::executable::{Server, succeeds};
use crate::support::panel::{Editor, PASSWORD, ids};
use crate::support::people::{desk, id_of, join};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// The reports of a filter; what is counted is what is listed.
#[track_caller]
fn found(editor: &Editor, query: &str) -> Vec<String> {
    let list = editor.list(&format!("?{query}"));
    let found = ids(&list);
    assert_eq!(list["matching"], found.len());
    found
}

#[test]
fn a_report_is_given_to_no_one_who_only_reads() {
    let (program, reports, [shared, anna, _]) = desk(1);
    let luca = join(&shared, &program.client(), "luca", "lettore", &[]);
    let colleague = |who: &Editor| {
        let mut all = anna.rows("/colleagues").into_iter();
        all.find(|one| one["id"] == id_of(who))
    };
    assert_eq!(
        [&anna, &luca].map(|who| colleague(who).expect("a colleague")["edits"].clone()),
        [true, false]
    );
    let given = json!({ "assegnataA": id_of(&luca) });
    let version = anna.report(&reports[0])["versione"].clone();
    let refused = anna.patch(&reports[0], &version, &given);
    assert_eq!(refused.refused_fields(), ["assegnataA"]);
    let many = json!({ "ids": [&reports[0]], "change": given });
    let refused = anna.post_json("/reports/bulk", &many);
    assert_eq!(refused.refused_fields(), ["assegnataA"]);
    has!(anna.report(&reports[0]), "assegnataA": null, "versione": version);
}

#[test]
fn a_report_is_given_found_counted_and_taken_back() {
    let (_program, mut reports, [shared, anna, bruno]) = desk(4);
    reports.reverse();
    let (a, b) = (id_of(&anna), id_of(&bruno));
    let given = anna.change(&reports[0], &json!({ "assegnataA": a }));
    assert_eq!(given["assegnataA"], json!(a));
    let wrong = json!({ "assegnataA": NOBODY });
    let refused = anna.patch(&reports[0], &given["versione"], &wrong);
    assert!(refused.invalid()["errors"]["assegnataA"].is_string());
    let bulk = |change: Value| json!({ "ids": [&reports[0], &reports[1]], "change": change });
    anna.post_json("/reports/bulk", &bulk(wrong)).invalid();
    let batch = anna.post_and_read("/reports/bulk", &bulk(json!({ "assegnataA": b })));
    assert_eq!(batch["changed"], 2);
    anna.change(&reports[2], &json!({ "assegnataA": a, "stato": "Risolta" }));

    let (to_a, to_nobody) = (format!("assignedTo={a}"), format!("assignedTo={NOBODY}"));
    for (editor, query, expected) in [
        (&bruno, "assignedTo=me", 0..2),
        (&anna, "assignedTo=me", 2..3),
        (&shared, &to_a, 2..3),
        (&anna, "assignedTo=me&stato=Nuova", 0..0),
        (&shared, "assignedTo=none", 3..4),
        (&shared, "assignedTo=none&urgente=false&order=asc", 3..4),
        (&shared, &to_nobody, 0..0),
    ] {
        assert_eq!(found(editor, query), reports[expected], "{query}");
    }
    assert_eq!(shared.list("")["data"][1]["assegnataA"], json!(b));
    for wrong in ["me", "x", "%27"] {
        let query = format!("/reports?assignedTo={wrong}");
        shared.get(&query).invalid();
    }
    // A change of all that is one's own, taken back again.
    let mine = json!({ "filter": { "assignedTo": "me" }, "change": { "assegnataA": null } });
    let freed = bruno.post_and_read("/reports/bulk", &mine);
    assert_eq!(found(&shared, "assignedTo=none").len(), 3);
    let undo = format!("/reports/bulk/{}/undo", freed["batch"]);
    bruno.post(&undo).expect(200);
    assert_eq!(found(&bruno, "assignedTo=me"), reports[..2]);

    // Who goes keeps what is done with, and is given nothing more; what is open waits for another person.
    shared.change(&reports[1], &json!({ "stato": "Archiviata" }));
    shared.delete(&format!("/people/{b}")).expect(204);
    assert_eq!(found(&shared, &format!("assignedTo={b}")), reports[1..2]);
    let late = shared.patch(&reports[3], &json!(1), &json!({ "assegnataA": b }));
    late.invalid();
    let csv = shared.get("/reports/export.csv?extra=true").expect(200);
    let lines: Vec<_> = csv.text().lines().collect();
    assert!(
        lines[0].ends_with(";\"Note\";\"Assegnata a\""),
        "{}",
        lines[0]
    );
    assert!(lines[2].ends_with(";\"Nome di bruno\"") && lines[4].ends_with(";\"\""));
}

#[test]
fn who_did_what_is_told_wherever_it_is_told_what_was_done() {
    let (program, mut reports, [shared, anna, _]) = desk(4);
    reports.reverse();
    let (a, id) = (id_of(&anna), &reports[0]);
    anna.change(id, &json!({ "assegnataA": a }));
    shared.change(id, &json!({ "stato": "Risolta" }));
    let text = json!({ "text": "Parlato con il notaio." });
    anna.post_json(&format!("/reports/{id}/comments"), &text)
        .expect(200);
    let story = |editor: &Editor| editor.report(id)["storia"].as_array().unwrap().clone();
    let told = story(&shared);
    let (given, resolved) = (&told[told.len() - 2], &told[told.len() - 1]);
    let author = json!({ "id": a, "name": "Nome di anna" });
    has!(given, "tipo": "assegnata", "a": a, "author": author);
    has!(resolved, "tipo": "stato", "author": null);
    let logged = shared.rows("/logs?action=REPORT_UPDATED");
    has!(logged[0], "person": a, "who": "Nome di anna");
    has!(logged[1], "person": null, "who": "password della redazione");

    let record = anna.get(&format!("/reports/{id}/dossier.zip")).expect(200);
    let record = String::from_utf8_lossy(&record.body);
    for line in [
        "assegnata a Nome di anna (Nome di anna)",
        "Nome di anna:\n    Parlato con il notaio.",
    ] {
        assert!(record.contains(line), "{line}");
    }
    let file = backups::of_panel(&program, &shared);
    let there = tempfile::tempdir().expect("a folder");
    backups::restore(there.path(), &file, &[]);
    let reset = ["reset-password", "--stdin"];
    succeeds(there.path(), &reset, PASSWORD);
    let server = Server::start(there.path());
    let editor = server.log_in();
    // Exports are made between: only what was before is the same.
    assert_eq!(story(&editor)[..told.len()], told[..]);
    assert_eq!(editor.report(id)["assegnataA"], json!(a));
    has!(editor.rows("/colleagues")[0], "id": a, "name": "Nome di anna", "gone": true);
    has!(editor.rows(&format!("/reports/{id}/comments"))[0], "author": author, "text": "Parlato con il notaio.");
}
