//! A sender who is set aside: what they send is taken as before, and stays out of list, counts and notices (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::http::Answer;
use crate::support::panel::{Editor, ids};
use crate::support::people::join;
use crate::support::program::Program;
use crate::support::returning::{Visit, ask, report};
use crate::support::snapshot::table;

fn path(id: &str) -> String {
    format!("/reports/{id}/sender-aside")
}

fn put_aside(editor: &Editor, id: &str) -> Answer {
    editor.put(&path(id), &Value::Null)
}

fn take_back(editor: &Editor, id: &str) -> Answer {
    editor.delete(&path(id))
}

/// In what departments see: reports of the list, of those set aside, and what the counters say.
fn seen(editor: &Editor) -> [usize; 4] {
    let (list, aside) = (editor.list("?limit=200"), editor.list("?aside=true"));
    let number = |value: &Value| {
        value
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .expect("a number")
    };
    assert_eq!(list["matching"], ids(&list).len());
    assert_eq!(aside["matching"], ids(&aside).len());
    assert_eq!(list["counts"]["aside"], aside["matching"]);
    let figures = editor.read("/analytics");
    assert_eq!(figures["total"], list["counters"]["total"]);
    assert_eq!(
        figures["recent"].as_array().map(Vec::len),
        Some(ids(&list).len())
    );
    [
        ids(&list).len(),
        ids(&aside).len(),
        number(&list["counters"]["total"]),
        number(&list["counts"]["todo"]),
    ]
}

/// A person with the telephone number of one and the address of another.
fn with(telefono: &str, email: &str, number: usize) -> Person {
    Person {
        telefono: telefono.to_owned(),
        email: email.to_owned(),
        ..Person::numbered(number)
    }
}

#[test]
fn what_they_sent_and_will_send_is_out_of_list_and_counts_until_they_are_taken_back() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (first, code) = report(&client, 1);
    let own = Person::numbered(1);
    let again = submit(&client, &with(&own.telefono, "altra@esempio.it", 3));
    let other = program.report(2);
    editor.wait_for_search();
    assert_eq!(seen(&editor), [3, 0, 3, 3]);
    put_aside(&editor, &first).expect(204);
    put_aside(&editor, &first).expect(204);
    assert_eq!(seen(&editor), [1, 2, 1, 1]);
    has!(editor.list("")["counts"], "unread": 1, "dueSoon": 0);
    // By number, by address whatever its case, and by the receipt.
    submit(&client, &with(&own.telefono, "nuova@esempio.it", 4));
    submit(&client, &with("3339999999", &own.email.to_uppercase(), 5));
    Visit::by(&client, &code).tell("Rispondete!").expect(200);
    assert_eq!(seen(&editor), [1, 4, 1, 1]);
    assert!(ids(&editor.list("?answer=true")).is_empty());
    assert_eq!(editor.list("")["answersWaiting"], 0);
    for query in [
        "?stato=Nuova",
        "?search=Nome",
        "?todo=true",
        "?unread=true",
        "?sort=urgent",
        "?period=today",
    ] {
        assert_eq!(ids(&editor.list(query)), [other.as_str()], "{query}");
        assert_eq!(editor.list(query)["data"][0]["aside"], false);
    }
    has!(editor.report(&first), "aside": true);
    // Work on one leaves the counts right.
    editor.change(
        &again,
        &json!({ "stato": "Risolta", "department": "scuola" }),
    );
    assert_eq!(seen(&editor), [1, 4, 1, 1]);

    take_back(&editor, &again).expect(204);
    take_back(&editor, &again).expect(204);
    let list = editor.list("?limit=200");
    assert_eq!(ids(&list).len(), 5);
    has!(list["counters"], "total": 5, "new": 4, "resolved": 1);
    has!(list["counts"], "aside": 0, "todo": 4);
    assert_eq!(ids(&editor.list("?answer=true")), [first.as_str()]);
    submit(&client, &with(&own.telefono, "ultima@esempio.it", 6));
    assert_eq!(ids(&editor.list("")).len(), 6);
    let history = table(&editor.report(&first)["storia"], "tipo a");
    assert!(
        history.contains("mittente 1") && history.contains("mittente 0"),
        "{history}"
    );
}

#[test]
fn of_what_they_send_nobody_is_told_and_they_are_told_as_before() {
    let (program, editor) = Program::with_editor();
    editor.mail_to(9);
    let client = program.client();
    let (id, code) = report(&client, 1);
    put_aside(&editor, &id).expect(204);
    let queued = editor.rows("/deliveries").len();
    let (_, second) = report(&client, 1);
    for code in [&code, &second] {
        let thread = Visit::by(&client, code)
            .tell("Ci siete?")
            .expect(200)
            .json();
        has!(thread, "state": "Ricevuta");
    }
    assert_eq!(editor.rows("/deliveries").len(), queued);
    report(&client, 2);
    assert!(editor.rows("/deliveries").len() > queued);
}

#[test]
fn the_figures_of_the_day_are_without_theirs() {
    let (program, editor) = Program::with_editor();
    let (id, _) = report(&program.client(), 1);
    editor.report(&id);
    ask(&editor, &id, "Grazie.").expect(200);
    let today = editor.read("/desk/today");
    has!(today, "opened": 1, "answered": 1);
    assert_eq!(today["nextDue"]["report"]["id"], id);
    put_aside(&editor, &id).expect(204);
    has!(editor.read("/desk/today"), "opened": 0, "answered": 0, "nextDue": null);
    take_back(&editor, &id).expect(204);
    assert_eq!(editor.read("/desk/today"), today);
}

#[test]
fn a_sealed_archive_sets_aside_what_they_send_while_nobody_is_logged_in() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let client = program.client();
    let (id, _) = report(&client, 1);
    put_aside(&editor, &id).expect(204);
    let sealed = json!({ "recoveryCode": code });
    has!(editor.post_and_read("/security/sealed", &sealed), "sealed": true);
    editor.delete("/session").expect(204);
    let own = Person::numbered(1);
    submit(&client, &with(&own.telefono, "b@esempio.it", 3));
    program.restart();
    submit(&program.client(), &with("3339999999", &own.email, 4));
    let other = program.report(2);
    let editor = program.log_in();
    assert_eq!(seen(&editor)[..2], [1, 3]);
    assert_eq!(ids(&editor.list("")), [other]);
}

#[test]
fn an_editor_sets_aside_in_their_departments_alone_and_with_the_last_report_the_sender_is_forgotten()
 {
    let (program, shared) = Program::with_editor();
    let client = program.client();
    let own = Person::numbered(1);
    let (here, there) = (
        program.report(1),
        submit(&client, &with(&own.telefono, "b@esempio.it", 3)),
    );
    shared.change(&there, &json!({ "department": "scuola" }));
    let home = shared.report(&here)["department"]
        .as_str()
        .expect("a key")
        .to_owned();
    let anna = join(&shared, &client, "anna", "redattore", &[&home]);
    let carla = join(&shared, &client, "carla", "redattore", &["scuola"]);
    let luca = join(&shared, &client, "luca", "lettore", &[&home]);
    shared.wait_for_search();
    put_aside(&carla, &here).not_found();
    put_aside(&luca, &here).expect(403);
    put_aside(&anna, &here).expect(204);
    assert_eq!([seen(&anna), seen(&carla)], [[0, 1, 0, 0], [1, 0, 1, 1]]);
    has!(shared.report(&there), "aside": false);
    shared.erase(&here).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM asides"), 0);
    submit(&client, &with(&own.telefono, "c@esempio.it", 4));
    assert_eq!(seen(&shared)[..3], [2, 0, 2]);
}
