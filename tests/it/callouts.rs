//! Callouts ('inchieste'): written, opened, answered and read (PRODUCT.md §17).

use serde_json::{Value, json};

use crate::support::backups;
use crate::support::chat::{Person, submit, turn};
use crate::support::http::{Answer, Client, rows_of};
use crate::support::panel::{Editor, ids};
use crate::support::people::join;
use crate::support::program::Program;
use crate::support::snapshot::pick;
use crate::support::{at_once, contains};

const SLUG: &str = "posti-letto";
const SECRET: &str = "Quattrocento euro al custode Malagodi";

/// Who did not pay goes to the last question; who will not say leaves.
pub fn paid() -> Value {
    json!({
        "slug": "posti-letto", "title": "Posti letto", "intro": "Avete pagato?", "closedText": "È finita, grazie.",
        "department": "sanita", "attachments": true, "account": "off",
        "personal": { "nome": "optional" },
        "questions": [
            { "key": "pagato", "kind": "choice", "text": "Hai pagato?", "required": true, "options": [
                { "key": "si", "text": "Sì", "next": null },
                { "key": "no", "text": "No", "next": "altro" },
                { "key": "boh", "text": "Non riguarda me", "next": "end:Grazie lo stesso." },
            ] },
            { "key": "quanto", "kind": "number", "text": "Quanto?", "min": 1 },
            { "key": "altro", "kind": "text", "text": "Racconta", "required": true },
        ],
    })
}

fn read(editor: &Editor, id: &str) -> Value {
    editor.read(&format!("/callouts/{id}"))
}

fn answers(editor: &Editor, id: &str) -> Value {
    editor.read(&format!("/callouts/{id}/answers"))
}

/// Opens it or closes it.
fn press(editor: &Editor, id: &str, button: &str) -> Answer {
    editor.post(&format!("/callouts/{id}/{button}"))
}

/// Saves it as it stands after so many changes.
fn save_on(editor: &Editor, id: &str, revision: u32, callout: &Value) -> Answer {
    let path = format!("/callouts/{id}");
    let editor = editor.with("if-match", &format!("\"{revision}\""));
    editor.put(&path, callout)
}

fn delete_on(editor: &Editor, id: &str, revision: u32) -> Answer {
    let editor = editor.with("if-match", &format!("\"{revision}\""));
    editor.delete(&format!("/callouts/{id}"))
}

fn export(editor: &Editor, id: &str) -> Answer {
    editor.get(&format!("/reports/export.csv?callout={id}"))
}

fn create(editor: &Editor, callout: &Value) -> String {
    let made = editor.post_and_read("/callouts", callout);
    made["id"].as_str().expect("an id").to_owned()
}

pub fn open(editor: &Editor, callout: &Value) -> String {
    let id = create(editor, callout);
    has!(press(editor, &id, "open").expect(200).json(), "state": "aperta");
    id
}

fn start(client: &Client, slug: &str) -> Answer {
    client.post_json("/chat", &json!({ "callout": slug }))
}

/// A conversation of [`paid`], answered so far; what the last answer was answered.
pub fn say(client: &Client, said: &[&str]) -> Value {
    go_on(client, start(client, SLUG).expect(200).json(), said)
}

/// Goes on in a conversation.
fn go_on(client: &Client, mut reply: Value, said: &[&str]) -> Value {
    for text in said {
        let token = reply["conversation"].as_str().expect("a token").to_owned();
        reply = turn(client, &token, text).expect(200).json();
    }
    reply
}

#[test]
fn a_callout_is_answered_by_its_own_conversation_and_its_answers_are_read() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    let id = create(&editor, &paid());
    // Nobody sees a draft.
    start(&client, SLUG).expect(404);
    client.page("/paibeta/i/posti-letto").expect(404);
    press(&editor, &id, "open").expect(200);
    let page = client.page("/paibeta/i/posti-letto").expect(200);
    assert!(page.text().contains(r#""slug":"posti-letto""#));
    let begun = say(&client, &["42"]);
    has!(begun, "state": "question:pagato", "finished": false);
    has!(begun["question"], "key": "pagato", "kind": "choice", "required": true);
    assert_eq!(
        begun["question"]["options"][2],
        json!({ "key": "boh", "text": "Non riguarda me" })
    );
    // Along each of its ways.
    let left = say(&client, &["42", "3"]);
    has!(left, "finished": true, "rule": "ended");
    assert_eq!(
        (&left["reportId"], &left["messages"][0]["text"]),
        (&Value::Null, &json!("Grazie lo stesso."))
    );
    let summary = say(&client, &["42", "sì", "400,50", SECRET, "salta"]);
    has!(summary, "state": "collect_report");
    has!(summary["summary"][2], "state": "question:quanto", "text": "400,5", "label": "Quanto?");
    let one = say(&client, &["42", "sì", "400,50", SECRET, "salta", "invia"]);
    let other = say(&client, &["50", "no", "Niente da dire", "Anna", "invia"]);
    let [one, other] =
        [one, other].map(|reply| reply["reportId"].as_str().expect("a report").to_owned());
    program.hides(&["Malagodi", "Niente da dire"]);

    let report = editor.report(&one);
    has!(report, "nome": "", "department": "sanita", "segnalazione": "");
    has!(report["inchiesta"], "id": id, "slug": "posti-letto", "title": "Posti letto", "version": 1);
    let kept = json!([
        { "key": "pagato", "kind": "choice", "question": "Hai pagato?", "text": "Sì", "value": "si" },
        { "key": "quanto", "kind": "number", "question": "Quanto?", "text": "400,5", "value": 400.5 },
        { "key": "altro", "kind": "text", "question": "Racconta", "text": SECRET, "value": SECRET },
    ]);
    assert_eq!(report["risposte"], kept);
    let usual = submit(&client, &Person::numbered(1));
    has!(editor.report(&usual), "inchiesta": null, "risposte": []);

    // Found, filtered, listed.
    editor.wait_for_search();
    assert_eq!(
        ids(&editor.list("?search=malagodi&inText=true")),
        [one.as_str()]
    );
    let list = editor.list(&format!("?callout={id}"));
    assert_eq!(ids(&list), [other.as_str(), one.as_str()]);
    has!(list["data"][1]["inchiesta"], "slug": "posti-letto");
    // Their words, not what they chose among the newsroom's.
    assert_eq!(list["data"][1]["excerpt"], SECRET);
    let answers = editor.read(&format!("/callouts/{id}/answers?limit=1"));
    has!(answers["data"][0], "id": other, "answers": { "pagato": "No", "altro": "Niente da dire" });
    assert_eq!(
        answers["counts"]["pagato"],
        json!([
            { "option": "si", "n": 1 }, { "option": "no", "n": 1 }, { "option": "boh", "n": 0 },
        ])
    );
    let cursor = answers["nextCursor"].as_str().expect("a cursor");
    let rest = editor.read(&format!("/callouts/{id}/answers?limit=1&cursor={cursor}"));
    has!(rest["data"][0], "id": one);
    let csv = export(&editor, &id).expect(200);
    let csv = csv.text();
    let head = csv.lines().next().expect("a head");
    assert!(
        head.ends_with(r#""Hai pagato?";"Quanto?";"Racconta""#),
        "{csv}"
    );
    contains(csv, &[&format!(r#""Sì";"400,5";"{SECRET}""#)]);

    // Counted at once, and after they were written.
    has!(read(&editor, &id), "started": 5, "received": 2);
    program.stop();
    program.start_again();
    let editor = program.log_in();
    let head = &editor.read("/callouts")["data"][0];
    has!(head, "id": id, "started": 5, "received": 2, "version": 1, "state": "aperta");
    has!(read(&editor, &id)["days"][0], "started": 5, "received": 2);
}

/// Each opens all reports, and takes its turn: nobody is refused, gets less, or keeps others from their lists.
#[test]
fn answers_asked_for_forty_times_at_once_are_whole_each_time() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let id = open(&editor, &paid());
    let path = format!("/callouts/{id}/answers");
    let told = |n: usize| {
        for number in 0..n {
            let said = format!("Ho visto la busta numero {number}");
            say(&client, &["50", "no", &said, "Anna", "invia"]);
        }
    };
    told(3);
    let read = |number: usize| match number {
        0..40 => editor.get(&path).expect(200).json(),
        _ => editor.list(&format!("?callout={id}")),
    };
    for known in [3, 5] {
        let mut found = at_once(44, read);
        let lists = found.split_off(40);
        assert!(lists.iter().all(|list| ids(list).len() == known));
        for answers in &found {
            assert_eq!(answers, &found[0]);
        }
        let rows = found[0]["data"].as_array().map(Vec::len);
        let no = &found[0]["counts"]["pagato"][1];
        assert_eq!((rows, &no["n"]), (Some(known), &json!(known)));
        // What was counted is counted anew once there is more.
        told(5 - known);
    }
}

#[test]
fn a_callout_that_is_broken_does_not_open_and_says_where() {
    let (_program, editor) = Program::with_editor();
    let mut broken = paid();
    broken["questions"][1]["required"] = json!(true);
    broken["questions"][2]["text"] = json!("");
    let id = create(&editor, &broken);
    let refused = editor
        .post(&format!("/callouts/{id}/open"))
        .problem(409, "conflitto");
    let errors = json!({
        "questions.0.options.1.next": "Salta «Quanto?», che è obbligatoria.",
        "questions.2.text": "Scrivi la domanda.",
    });
    assert_eq!(refused["errors"], errors);
    assert_eq!(read(&editor, &id)["problems"], errors);
    // As it was read it is put back, and what it lacked is mended.
    let mut mended = read(&editor, &id);
    mended["questions"][1]["required"] = json!(false);
    mended["questions"][2]["text"] = json!("Racconta");
    let saved = save_on(&editor, &id, 1, &mended);
    has!(saved.expect(200).json(), "problems": {});
    // An open one is closed before it goes.
    press(&editor, &id, "open").expect(200);
    delete_on(&editor, &id, 3).conflict();
    press(&editor, &id, "close").expect(200);
    delete_on(&editor, &id, 4).expect(204);
    // What cannot even be kept.
    create(&editor, &paid());
    let mut taken = paid();
    taken["slug"] = json!("posti-letto");
    let refused = editor
        .post_json("/callouts", &taken)
        .problem(422, "dati-non-validi");
    assert!(refused["errors"]["slug"].is_string());
}

#[test]
fn a_conversation_goes_on_with_the_version_it_began_with_and_a_closed_callout_takes_no_new_one() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let id = open(&editor, &paid());
    let begun = say(&client, &["42", "sì", "salta"]);
    let mut edited = paid();
    edited["questions"] =
        json!([{ "key": "altro", "kind": "yes_no", "text": "Davvero?", "required": true }]);
    let saved = save_on(&editor, &id, 2, &edited).expect(200).json();
    has!(saved, "version": 2);
    let late = save_on(&editor, &id, 2, &edited).problem(412, "versione-superata");
    assert_eq!(
        late["detail"],
        "Nel frattempo un'altra persona ha salvato una modifica."
    );
    has!(say(&client, &["42"])["question"], "kind": "yes_no");
    press(&editor, &id, "close").expect(200);
    has!(start(&client, SLUG).problem(409, "conflitto"), "detail": "È finita, grazie.");
    let sent = go_on(&client, begun, &[SECRET, "salta", "invia"]);
    let report = editor.report(sent["reportId"].as_str().expect("a report"));
    has!(report["inchiesta"], "version": 1);
    // What has reports stays.
    delete_on(&editor, &id, 4).expect(409);
    let mut renamed = edited;
    renamed["slug"] = json!("altro-nome");
    save_on(&editor, &id, 4, &renamed).expect(422);
}

#[test]
fn editors_of_a_desk_edit_its_callouts_and_count_its_reports_alone() {
    let (program, shared) = Program::with_editor();
    let client = program.client();
    let anna = join(&shared, &client, "anna", "redattore", &["sanita"]);
    let mut elsewhere = paid();
    (elsewhere["slug"], elsewhere["department"]) = (json!("altra"), json!("lavoro"));
    let (own, other) = (open(&anna, &paid()), open(&shared, &elsewhere));
    for slug in ["posti-letto", "altra"] {
        let begun = start(&client, slug).expect(200).json();
        go_on(&client, begun, &["42", "no", "Un fatto", "salta", "invia"]);
    }
    for (editor, received) in [(&shared, 1), (&anna, 0)] {
        has!(read(editor, &other), "received": received);
        assert_eq!(rows_of(&answers(editor, &other)).len(), received);
    }
    press(&anna, &other, "close").expect(403);
    save_on(&anna, &own, 2, &elsewhere).expect(422);
    press(&anna, &own, "close").expect(200);
    elsewhere["department"] = Value::Null;
    anna.post_json("/callouts", &elsewhere).expect(422);
}

/// Saves on whatever version there is.
fn save(editor: &Editor, id: &str, callout: &Value) -> Answer {
    let revision = read(editor, id)["revision"].to_string();
    save_on(editor, id, revision.parse().expect("a number"), callout)
}

fn columns(editor: &Editor, id: &str) -> String {
    let csv = export(editor, id).expect(200);
    csv.text().lines().next().expect("a head").to_owned()
}

/// Asks who pays how, and no more how much and what else.
fn edited() -> Value {
    let mut edited = paid();
    let questions = edited["questions"].as_array_mut().expect("questions");
    questions.truncate(1);
    questions.push(json!({ "key": "come", "kind": "text", "text": "Come?" }));
    let options = questions[0]["options"].as_array_mut().expect("options");
    options.remove(2);
    options[1]["next"] = Value::Null;
    edited
}

#[test]
fn what_older_versions_asked_stays_with_its_answers() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let id = open(&editor, &paid());
    let said = ["42", "sì", "7", SECRET, "salta", "invia"];
    say(&client, &said);
    // Under a key that has answers no other kind of answer is asked for.
    let mut turned = paid();
    turned["questions"][1]["kind"] = json!("date");
    let refused = save(&editor, &id, &turned).problem(422, "dati-non-validi");
    contains(refused["errors"].to_string(), &["questions.1.kind"]);
    save(&editor, &id, &edited()).expect(200);
    save(&editor, &id, &turned).problem(422, "dati-non-validi");
    let said = ["42", "no", "In contanti", "salta", "invia"];
    say(&client, &said);

    let head = columns(&editor, &id);
    assert!(
        head.ends_with(r#""Hai pagato?";"Come?";"Quanto?";"Racconta""#),
        "{head}"
    );
    let answers = answers(&editor, &id);
    let questions = answers["questions"].as_array().expect("questions");
    let keys: Vec<&Value> = questions.iter().map(|one| &one["key"]).collect();
    assert_eq!(keys, ["pagato", "come", "quanto", "altro"]);
    has!(answers["data"][0]["answers"], "pagato": "No", "come": "In contanti");
    has!(answers["data"][1]["answers"], "quanto": "7", "altro": SECRET);
    assert_eq!(
        answers["counts"],
        json!({ "pagato": [
            { "option": "si", "n": 1 }, { "option": "no", "n": 1 }, { "option": "boh", "n": 0 },
        ] })
    );
    let unknown = "00000000-0000-4000-8000-000000000000";
    export(&editor, unknown).expect(404);
    editor
        .get(&format!("/callouts/{unknown}/answers"))
        .expect(404);
}

#[test]
fn what_a_callout_does_not_have_is_refused() {
    let (_program, editor) = Program::with_editor();
    for (field, value) in [("colour", json!("red")), ("title", json!(7))] {
        let mut callout = paid();
        callout[field] = value;
        let refused = editor
            .post_json("/callouts", &callout)
            .problem(422, "dati-non-validi");
        assert!(refused["errors"][field].is_string(), "{refused}");
    }
}

#[test]
fn the_page_of_one_that_is_not_open_says_what_holds_now() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let mut callout = paid();
    callout["closedText"] = json!("");
    callout["opensAt"] = json!("2030-01-01T00:00:00Z");
    let id = open(&editor, &callout);
    let says = |words: &str| {
        let page = client.page("/paibeta/i/posti-letto").expect(200);
        assert!(page.text().contains(words), "{words}");
    };
    says("Questa inchiesta non è ancora aperta.");
    press(&editor, &id, "close").expect(200);
    says("Questa inchiesta è chiusa.");
}

#[test]
fn callouts_and_their_answers_come_back_from_the_backup_of_the_panel() {
    let (mut program, editor) = Program::with_editor();
    let id = open(&editor, &paid());
    let said = ["42", "sì", "7", SECRET, "Anna", "invia"];
    let sent = say(&program.client(), &said);
    let report = sent["reportId"].as_str().expect("a report");
    save(&editor, &id, &edited()).expect(200);
    press(&editor, &id, "close").expect(200);
    let mut later = paid();
    later["slug"] = json!("altra");
    create(&editor, &later);
    let seen = |editor: &Editor| {
        let list = editor.read("/callouts")["data"].clone();
        let names = "slug state version questions received";
        let callouts = list.as_array().expect("a list").iter();
        let callouts: Vec<Value> = callouts.map(|one| pick(one, names)).collect();
        let told = pick(&editor.report(report), "nome inchiesta risposte");
        let answers = answers(editor, &id);
        (callouts, told, answers, columns(editor, &id))
    };
    let before = seen(&editor);
    has!(before.0[1], "slug": "posti-letto", "state": "chiusa", "version": 2, "received": 1);
    assert_eq!(before.1["risposte"][1]["value"], 7);
    let file = backups::of_panel(&program, &editor);
    program.stop();
    backups::restore(program.home(), &file, &["--force"]);
    program.start_again();
    assert_eq!(seen(&program.log_in()), before);
}

#[test]
fn a_report_of_a_callout_is_in_the_backup_of_the_panel() {
    let (program, editor) = Program::with_editor();
    let callout = open(&editor, &paid());
    let sent = say(
        &program.client(),
        &["42", "sì", "7", SECRET, "Anna", "invia"],
    );
    let backup = editor.get("/backup").expect(200).json();
    let kept = &backup["callouts"][0];
    has!(kept, "id": callout, "state": "aperta");
    has!(kept["versions"][0]["callout"], "slug": "posti-letto");
    let report = &backup["reports"][0];
    has!(report, "id": sent["reportId"], "nome": "Anna");
    assert_eq!(
        (&report["inchiesta"]["id"], &report["risposte"][1]["value"]),
        (&json!(callout), &json!(7))
    );
}
