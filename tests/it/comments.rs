//! What staff say of a report among themselves, and the reminders that each keeps.

use serde_json::{Value, json};

use crate::support::http::rows_of;
use crate::support::panel::Editor;
use crate::support::people::{desk, id_of, log_in_as};
use crate::support::{DAY, MINUTE};

const SAID: &str = "Ho chiamato il sindaco: richiama lui.";

#[test]
fn a_comment_whose_answer_was_lost_is_written_once_when_it_is_sent_again() {
    let (_program, reports, [shared, anna, bruno]) = desk(1);
    let report = &reports[0];
    let all = format!("/reports/{report}/comments");
    let said = json!({ "text": SAID, "key": "k1" });
    for editor in [&anna, &anna, &bruno, &shared, &shared] {
        editor.post_json(&all, &said).expect(200);
    }
    assert_eq!(anna.rows(&all).len(), 3, "one by each");
    let other = json!({ "text": SAID, "key": "k2" });
    anna.post_json(&all, &other).expect(200);
    assert_eq!(anna.rows(&all).len(), 4);
    let long = json!({ "text": SAID, "key": "k".repeat(37) });
    anna.post_json(&all, &long).invalid();
}

#[test]
fn each_comment_has_author_and_time_and_only_its_author_changes_it_for_a_while() {
    let (program, reports, [shared, anna, bruno]) = desk(1);
    let report = &reports[0];
    let all = format!("/reports/{report}/comments");
    let write = |editor: &Editor, text: &str| {
        let list = editor.post_and_read(&all, &json!({ "text": text }));
        rows_of(&list).last().expect("one")["n"].clone()
    };
    let (first, second) = (write(&anna, SAID), write(&shared, "Visto."));
    let list = anna.rows(&all);
    assert_eq!(list.len(), 2);
    let at = "2026-03-10T09:00:00Z";
    has!(list[0], "author": id_of(&anna), "at": at, "edited": null, "text": SAID, "mine": true);
    has!(list[1], "author": null, "at": at, "text": "Visto.", "mine": false);
    assert_eq!(shared.rows(&all)[1]["mine"], true);
    program.hides(&[SAID]);

    program.clock.advance(15 * MINUTE);
    let change = |editor: &Editor, n: &Value, text: &str| {
        editor.modify(&format!("{all}/{n}"), &json!({ "text": text }))
    };
    let take_away = |editor: &Editor, n: &Value| editor.delete(&format!("{all}/{n}"));
    for other in [&bruno, &shared] {
        change(other, &first, "x").problem(409, "commento-chiuso");
        take_away(other, &first).problem(409, "commento-chiuso");
    }
    change(&anna, &second, "x").problem(409, "commento-chiuso");
    change(&anna, &first, " ").invalid();
    change(&anna, &first, &"è".repeat(5_001)).invalid();
    change(&anna, &first, "Ha richiamato.").expect(200);
    has!(bruno.rows(&all)[0], "at": at, "edited": "2026-03-10T09:15:00Z", "text": "Ha richiamato.");
    take_away(&shared, &second).expect(204);
    change(&shared, &second, "x").not_found();

    program.clock.advance(std::time::Duration::from_millis(1));
    change(&anna, &first, "x").problem(409, "commento-chiuso");
    take_away(&anna, &first).problem(409, "commento-chiuso");
    assert_eq!(anna.rows(&all).len(), 1);
    shared.erase(report).expect(200);
    anna.get(&all).problem(410, "cancellata");
}

#[test]
fn a_reminder_is_its_owners_alone_and_due_from_its_day_on() {
    let (program, reports, [shared, anna, bruno]) = desk(1);
    let report = &reports[0];
    let later = program.report(2);
    let keep = |editor: &Editor, report: &str, day: &str, text: &str| {
        let body = json!({ "day": day, "text": text });
        editor.put(&format!("/reports/{report}/reminder"), &body)
    };
    keep(&anna, &later, "2026-03-12", "Sentire il medico").expect(204);
    keep(&anna, report, "2026-03-15", "Sentire il notaio").expect(204);
    keep(&anna, report, "2026-03-11", "Richiamare Rossi").expect(204);
    keep(&shared, report, "2026-03-10", "Di tutti").expect(204);
    for (day, text) in [
        ("domani", "x"),
        ("2026-02-30", "x"),
        ("2026-03-10", " "),
        ("2026-03-10", &*"x".repeat(201)),
    ] {
        keep(&anna, report, day, text).invalid();
    }
    let listed = |editor: &Editor| {
        let rows = editor.rows("/reminders").into_iter();
        rows.map(|row| json!([row["report"]["id"], row["text"], row["due"]]))
            .collect::<Vec<_>>()
    };
    assert!(listed(&bruno).is_empty());
    assert_eq!(listed(&shared), [json!([report, "Di tutti", true])]);
    let annas = |due: [bool; 2]| {
        [
            json!([report, "Richiamare Rossi", due[0]]),
            json!([later, "Sentire il medico", due[1]]),
        ]
    };
    assert_eq!(listed(&anna), annas([false, false]));
    let expected = json!({ "day": "2026-03-11", "text": "Richiamare Rossi" });
    assert_eq!(anna.report(report)["reminder"], expected);
    assert_eq!(bruno.report(report)["reminder"], Value::Null);
    program.hides(&["Richiamare Rossi"]);

    program.clock.advance(DAY);
    let anna = log_in_as(&program.client(), "anna");
    assert_eq!(listed(&anna), annas([true, false]));
    // Also who may only read by now does away with their own.
    let path = format!("/people/{}", id_of(&anna));
    let demotion = program
        .log_in()
        .modify(&path, &json!({ "role": "lettore" }));
    demotion.expect(204);
    let reminder = format!("/reports/{report}/reminder");
    anna.delete(&reminder).expect(204);
    assert_eq!(listed(&anna).len(), 1);
}
