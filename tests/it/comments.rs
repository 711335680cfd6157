//! What staff say of a report among themselves.

use serde_json::{Value, json};

use crate::support::MINUTE;
use crate::support::http::rows_of;
use crate::support::panel::Editor;
use crate::support::people::{desk, id_of};

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
    has!(list[0], "author": { "id": id_of(&anna), "name": "Nome di anna" }, "at": at, "edited": null, "text": SAID, "mine": true);
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
