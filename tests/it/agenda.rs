//! What each has to look at, reports that are put off, promises that come due, and who has a report open (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::chat::{GRAVE, Person, submit};
use crate::support::http::Answer;
use crate::support::panel::{Editor, PASSWORD, ids};
use crate::support::people::{desk, id_of, join, log_in_as};
use crate::support::program::Program;
use crate::support::returning::{Visit, ask, report};
use crate::support::snapshot::table;
use crate::support::{DAY, MINUTE, contains};

const WORD: &str = "Richiamare il notaio Serafini";

fn agenda(editor: &Editor) -> Vec<Value> {
    let rows = editor.rows("/desk/mine").into_iter();
    rows.map(|row| json!([row["id"], row["why"]])).collect()
}

fn counts(editor: &Editor) -> Value {
    editor.read("/desk/mine")["counts"].clone()
}

fn put_off_by(editor: &Editor, id: &str, body: &Value) -> Answer {
    editor.put(&format!("/reports/{id}/snooze"), body)
}

fn put_off(editor: &Editor, id: &str, until: &str) {
    let body = json!({ "until": until, "word": WORD });
    put_off_by(editor, id, &body).expect(204);
}

fn only_row(editor: &Editor, id: &str) -> Value {
    editor.rows(&format!("/reports?search={id}"))[0].clone()
}

#[test]
fn a_report_that_is_put_off_leaves_the_list_alone_and_comes_back_to_who_put_it_off() {
    let (program, reports, [shared, anna, bruno]) = desk(2);
    let (one, other) = (&reports[0], &reports[1]);
    put_off(&anna, one, "2026-03-12T08:00:00Z");
    program.hides(&[WORD]);
    for editor in [&anna, &bruno, &shared] {
        let list = editor.list("");
        assert_eq!(ids(&list), [other.as_str()]);
        has!(list, "matching": 1);
        has!(list["counters"], "total": 2);
        has!(list["counts"], "snoozed": 1);
    }
    // Everywhere else it stays.
    for query in ["?stato=Nuova", "?search=Nome", &format!("?search={one}")] {
        assert!(ids(&anna.list(query)).contains(one), "{query}");
    }
    assert_eq!(ids(&anna.list("?snoozed=true")), [one.as_str()]);
    assert_eq!(ids(&anna.list("?snoozed=false")), [other.as_str()]);
    let csv = shared.get("/reports/export.csv").expect(200);
    assert_eq!(csv.text().lines().count(), 3);
    has!(only_row(&anna, one), "snoozedUntil": "2026-03-12T08:00:00Z");
    let snooze = bruno.report(one)["snooze"].clone();
    has!(snooze, "until": "2026-03-12T08:00:00Z", "word": WORD, "author": { "id": id_of(&anna), "name": "Nome di anna" });
    let history = table(&bruno.report(one)["storia"], "tipo a");
    contains(history, &["rinviata 1"]);
    // Another day keeps the word.
    let later = json!({ "until": "2026-03-12T08:00:00Z" });
    put_off_by(&bruno, one, &later).expect(204);
    has!(anna.report(one)["snooze"], "word": WORD, "author": { "id": id_of(&bruno), "name": "Nome di bruno" });
    put_off(&anna, one, "2026-03-12T08:00:00Z");
    // A change of all that the list shows leaves it as it is.
    let change = json!({ "filter": {}, "change": { "urgente": true } });
    has!(anna.post_and_read("/reports/bulk", &change), "changed": 1);
    has!(anna.report(one), "urgenteOra": false);
    assert!(agenda(&anna).is_empty());

    program.clock.advance(2 * DAY);
    let [anna, bruno] = ["anna", "bruno"].map(|user| log_in_as(&program.client(), user));
    assert!(ids(&anna.list("")).contains(one));
    assert_eq!(agenda(&anna), [json!([one, "back"])]);
    has!(counts(&anna), "back": 1);
    assert!(agenda(&bruno).is_empty());
    has!(only_row(&anna, one), "snoozedUntil": null);
    anna.delete(&format!("/reports/{one}/snooze")).expect(204);
    assert!(agenda(&anna).is_empty());
    has!(anna.report(one), "snooze": null);
    for until in ["2026-03-01T08:00:00Z", "2029-03-01T08:00:00Z", "domani"] {
        let body = json!({ "until": until, "word": "x" });
        put_off_by(&anna, one, &body).invalid();
    }
    let body = json!({ "until": "2026-03-20T08:00:00Z", "word": "x".repeat(201) });
    let refused = put_off_by(&anna, one, &body);
    assert_eq!(refused.refused_fields(), ["word"]);
}

#[test]
fn a_message_of_the_reporter_brings_a_report_back_and_waits_for_who_has_it() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (id, code) = report(&client, 1);
    let anna = join(&editor, &client, "anna", "redattore", &[]);
    let bruno = join(&editor, &client, "bruno", "redattore", &[]);
    put_off(&editor, &id, "2026-04-01T08:00:00Z");
    let visit = Visit::by(&client, &code);
    visit.tell("Ho trovato le ricevute.");
    visit.tell("Eccole.");
    for one in [&anna, &editor] {
        assert_eq!(ids(&one.list("")), [id.as_str()]);
        has!(only_row(one, &id), "answerWaiting": true, "messages": 2, "snoozedUntil": null);
    }
    assert_eq!(agenda(&anna), [json!([id, "answer"])]);
    let mut why: Vec<_> = agenda(&editor);
    why.sort_by_key(Value::to_string);
    assert_eq!(why, [json!([id, "answer"]), json!([id, "back"])]);
    program.clock.advance(MINUTE);
    anna.change(&id, &json!({ "assegnataA": id_of(&anna) }));
    assert!(agenda(&bruno).is_empty());
    has!(counts(&anna), "assigned": 1, "answers": 1);
    let waits = anna.read("/desk/mine");
    has!(waits, "reports": 1);
    has!(waits["data"][0], "why": "answer");
    has!(waits["data"][1], "why": "assigned", "at": "2026-03-10T09:01:00Z");
    // What is closed leaves it, until its reporter writes again.
    anna.change(&id, &json!({ "stato": "Risolta" }));
    assert!(agenda(&anna).is_empty());
    has!(only_row(&anna, &id), "messages": 0, "answerWaiting": false);
    program.clock.advance(MINUTE);
    visit.tell("Ancora una cosa.");
    assert_eq!(agenda(&anna), [json!([id, "answer"])]);
}

#[test]
fn who_is_named_in_a_comment_is_told_until_they_open_the_report() {
    let (program, reports, [shared, anna, bruno]) = desk(2);
    let id = &reports[0];
    let say = |editor: &Editor, text: &str| {
        let said = json!({ "text": text });
        editor.post_and_read(&format!("/reports/{id}/comments"), &said)
    };
    say(&anna, "Nome di bruno la conosce, @nome di anna pure.");
    say(&anna, "Scrivi a info@nome di bruno.");
    assert!(agenda(&bruno).is_empty() && agenda(&anna).is_empty());
    let list = say(&anna, "@Nome di Bruno, la guardi tu?");
    has!(list["data"][2], "author": { "id": id_of(&anna), "name": "Nome di anna" });
    assert_eq!(agenda(&bruno), [json!([id, "mention"])]);
    has!(counts(&bruno), "mentions": 1);
    assert!(agenda(&shared).is_empty());
    bruno.report(id);
    assert!(agenda(&bruno).is_empty());
    // Offered are those who see the report.
    let carla = join(
        &shared,
        &program.client(),
        "carla",
        "redattore",
        &["scuola"],
    );
    let offered = anna.read(&format!("/colleagues?report={id}"))["data"].clone();
    assert_eq!(table(&offered, "name"), "Nome di anna\nNome di bruno");
    carla.get(&format!("/colleagues?report={id}")).not_found();
    // A comment that is changed names too.
    let path = format!("/reports/{id}/comments/1");
    let named = json!({ "text": "@Nome di bruno la conosce." });
    anna.modify(&path, &named).expect(200);
    assert_eq!(agenda(&bruno), [json!([id, "mention"])]);
    has!(counts(&bruno), "mentions": 1);
}

#[test]
fn who_only_reads_has_what_is_theirs_alone_and_a_mention_stands_before_it() {
    let (program, reports, [shared, anna, _]) = desk(2);
    let client = program.client();
    let luca = join(&shared, &client, "luca", "redattore", &[]);
    let (one, code) = report(&client, 7);
    Visit::by(&client, &code).tell("Ho trovato le ricevute.");
    assert_eq!(agenda(&anna), [json!([one, "answer"])]);
    let nina = join(&shared, &client, "nina", "lettore", &[]);
    assert!(agenda(&nina).is_empty());
    for id in [&one, &reports[0]] {
        shared.change(id, &json!({ "assegnataA": id_of(&luca) }));
    }
    let reads = json!({ "role": "lettore" });
    shared
        .modify(&format!("/people/{}", id_of(&luca)), &reads)
        .expect(204);
    let luca = log_in_as(&client, "luca");
    let text = json!({ "text": "@Nome di luca, la conosci?" });
    let path = format!("/reports/{}/comments", reports[1]);
    anna.post_json(&path, &text).expect(200);
    let wanted = [
        json!([one, "answer"]),
        json!([reports[1], "mention"]),
        json!([one, "assigned"]),
        json!([reports[0], "assigned"]),
    ];
    assert_eq!(agenda(&luca), wanted);
    let row = luca.rows("/desk/mine")[0]["report"].clone();
    has!(row, "answerWaiting": true, "newToYou": true, "todo": { "why": "answer", "said": "Ho trovato le ricevute." });
    program.clock.advance(8 * DAY);
    let [anna, luca] = ["anna", "luca"].map(|user| log_in_as(&client, user));
    has!(counts(&anna), "due": 1, "answers": 0);
    has!(counts(&luca), "due": 2, "answers": 1);
}

#[test]
fn what_is_new_is_new_to_each_until_they_open_it() {
    let (program, shared) = Program::with_editor();
    let client = program.client();
    let (old, _) = report(&client, 1);
    shared.report(&old);
    program.clock.advance(MINUTE);
    let anna = join(&shared, &client, "anna", "redattore", &[]);
    let (id, code) = report(&client, 2);
    let new = |editor: &Editor| only_row(editor, &id)["newToYou"].clone();
    // Reports that arrived before a person joined are not new to them.
    has!(only_row(&anna, &old), "newToYou": false);
    assert_eq!([new(&shared), new(&anna)], [true, true]);
    // A story counts what is new to who asks.
    let story = json!({ "title": "Cava", "reports": [old, id] });
    let story = shared.post_and_read("/stories", &story)["id"].clone();
    let path = format!("/stories/{}", story.as_str().expect("an id"));
    let unread = |editor: &Editor| {
        let one = editor.read(&path)["unread"].clone();
        assert_eq!(editor.rows("/stories")[0]["unread"], one);
        one
    };
    assert_eq!([unread(&shared), unread(&anna)], [1, 1]);
    has!(anna.report(&id), "lastSeen": null);
    assert_eq!([unread(&shared), unread(&anna)], [0, 0]);
    assert_eq!([new(&shared), new(&anna)], [false, false]);
    let opened = "2026-03-10T09:01:00Z";
    program.clock.advance(MINUTE);
    has!(shared.report(&id), "lastSeen": null);
    program.clock.advance(MINUTE);
    Visit::by(&client, &code).tell("Ancora una cosa.");
    assert_eq!([new(&shared), new(&anna)], [true, true]);
    // A page that refreshes itself has seen nothing.
    anna.quiet().report(&id);
    assert_eq!([new(&shared), new(&anna)], [true, true]);
    has!(anna.report(&id), "lastSeen": opened);
    assert_eq!([new(&shared), new(&anna)], [true, false]);
    assert_eq!([unread(&shared), unread(&anna)], [1, 0]);
    has!(only_row(&anna, &id), "answerWaiting": true);
}

#[test]
fn a_promise_is_due_until_it_is_kept() {
    let (program, _editor) = Program::with_editor();
    let id = submit(&program.client(), &Person::numbered(1));
    let other = submit(&program.client(), &Person::numbered(2));
    // Logged in anew each time: days have passed.
    let due = |id: &str| only_row(&program.log_in(), id)["due"].clone();
    let found = |query: &str| ids(&program.log_in().list(query));
    let change = |stato: &str| program.log_in().change(&id, &json!({ "stato": stato }));
    has!(due(&id), "what": "first", "at": "2026-03-17T22:59:59.999Z");
    assert!(found("?due=soon").is_empty() && found("?due=late").is_empty());
    program.clock.advance(4 * DAY);
    assert_eq!(found("?due=soon"), [other.clone(), id.clone()]);
    has!(program.log_in().list("")["counts"], "dueSoon": 2, "dueLate": 0);
    change("In lavorazione");
    assert_eq!(due(&id)["what"], "outcome");
    assert_eq!(found("?due=soon"), [other.as_str()]);
    program.clock.advance(4 * DAY);
    assert_eq!(found("?due=late"), [other.as_str()]);
    assert_eq!(agenda(&program.log_in()), [json!([other, "due"])]);
    has!(counts(&program.log_in()), "due": 1);
    ask(&program.log_in(), &other, "Ci stiamo lavorando.").expect(200);
    assert!(found("?due=late").is_empty());
    change("Archiviata");
    assert_eq!(due(&id), Value::Null);
}

#[test]
fn urgent_ones_that_are_open_stand_on_top_page_by_page() {
    let (program, editor) = Program::with_editor();
    let mut all: Vec<(usize, String)> = Vec::new();
    for number in 0..9 {
        let person = match number % 3 {
            0 => Person::telling(number, GRAVE),
            _ => Person::numbered(number),
        };
        all.push((number, submit(&program.client(), &person)));
    }
    // An urgent one that is closed stands where it arrived.
    editor.change(&all[3].1, &json!({ "stato": "Risolta" }));
    editor.wait_for_search();
    let pressing = |number: usize| number.is_multiple_of(3) && number != 3;
    let (plain, search) = ("", "&search=Nome");
    for (order, search) in [
        ("desc", plain),
        ("asc", plain),
        ("desc", search),
        ("asc", search),
    ] {
        let mut wanted = all.clone();
        if order == "desc" {
            wanted.reverse();
        }
        wanted.sort_by_key(|(number, _)| !pressing(*number));
        let wanted: Vec<_> = wanted.into_iter().map(|(_, id)| id).collect();
        let query = format!("?limit=2&sort=urgent&order={order}{search}");
        let (mut page, mut seen, mut back) = (editor.list(&query), Vec::new(), Vec::new());
        loop {
            if search.is_empty() {
                assert_eq!(page["ahead"], seen.len(), "{query}");
            }
            seen.extend(ids(&page));
            let Some(next) = page["nextCursor"].as_str() else {
                break;
            };
            page = editor.list(&format!("{query}&cursor={next}"));
        }
        assert_eq!(seen, wanted, "{query}");
        back.extend(ids(&page));
        while let Some(before) = page["prevCursor"].as_str() {
            page = editor.list(&format!("{query}&cursor={before}"));
            back.splice(0..0, ids(&page));
        }
        // The first page backward may repeat what follows it, rather than be a short one.
        let all = back.starts_with(&seen[..2]) && seen.iter().all(|id| back.contains(id));
        assert!(all, "{query}");
    }
}

#[test]
fn who_else_has_a_report_open_is_told_by_name() {
    let (program, reports, [shared, anna, bruno]) = desk(1);
    let path = format!("/reports/{}/presence", reports[0]);
    let note = |editor: &Editor, writing: bool| {
        editor.post_and_read(&path, &json!({ "writing": writing }))["data"].clone()
    };
    assert_eq!(note(&anna, false), json!([]));
    let is = |who: &str, writing: bool| json!({ "name": who, "writing": writing });
    assert_eq!(note(&bruno, true), json!([is("Nome di anna", false)]));
    assert_eq!(anna.rows(&path), [is("Nome di bruno", true)]);
    // By the shared password it may be oneself elsewhere, in another browser; never in the same one.
    assert_eq!(note(&shared, false).as_array().map(Vec::len), Some(2));
    let nameless = json!({ "name": null, "writing": false });
    assert!(anna.rows(&path).contains(&nameless));
    let client = program.client();
    let elsewhere = Editor::log_in(&client, PASSWORD);
    assert!(
        note(&elsewhere, false)
            .as_array()
            .is_some_and(|all| all.contains(&nameless))
    );
    let carla = join(&shared, &client, "carla", "redattore", &["scuola"]);
    carla.get(&path).not_found();
    let note = json!({ "writing": false });
    carla.post_json(&path, &note).not_found();
}

#[test]
fn a_report_is_given_only_to_who_sees_it() {
    let (program, reports, [shared, anna, _]) = desk(2);
    let client = program.client();
    let carla = join(&shared, &client, "carla", "redattore", &["scuola"]);
    let (one, other, carlas) = (&reports[0], &reports[1], id_of(&carla));
    let hers = json!({ "department": "scuola", "assegnataA": carlas });
    let no_more = || {
        let detail = shared.report(other);
        has!(detail, "assegnataA": null);
        let last = detail["storia"].as_array().and_then(|all| all.last());
        has!(*last.expect("an entry"), "tipo": "assegnata", "da": carlas);
    };
    shared.change(one, &json!({ "department": "sanita" }));
    let version = shared.report(one)["versione"].clone();
    let refused = shared.patch(one, &version, &json!({ "assegnataA": carlas }));
    assert_eq!(refused.refused_fields(), ["assegnataA"]);
    shared.change(other, &hers);
    assert_eq!(agenda(&carla), [json!([other, "assigned"])]);
    // In bulk each is refused by itself.
    let change = json!({ "ids": [one, other], "change": { "assegnataA": carlas } });
    let outcome = shared.post_and_read("/reports/bulk", &change);
    has!(outcome, "changed": 0);
    assert_eq!(outcome["refused"][0]["id"], json!(one));
    // Moved out of their sight it is theirs no more, and the history says so.
    anna.change(other, &json!({ "department": "sanita" }));
    no_more();
    // So it is where the person is moved.
    anna.change(other, &hers);
    let moved = json!({ "departments": ["lavoro"] });
    let person = format!("/people/{carlas}");
    shared.modify(&person, &moved).expect(204);
    no_more();
}
