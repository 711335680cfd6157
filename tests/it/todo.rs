//! What waits for the newsroom: the table of PRODUCT.md §6, row by row, in the sight of each role.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::support::chat::Person;
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, ids};
use crate::support::people::{self, id_of, join, log_in_as};
use crate::support::program::Program;
use crate::support::returning::{Visit, ask, report_with_photos};
use crate::support::{DAY, SECOND};

/// In which state a report is before something happens to it: the columns of the table.
#[derive(Debug, Clone, Copy)]
enum Before {
    New,
    Waiting,
    Done,
}

/// A row of the table: what happens, after the acts of which rows before it, and where the report is then.
struct Row {
    acts: Vec<String>,
    then: [String; 3],
}

/// The table as the document has it; an act that begins with '…' follows those of the row above that begins without, and of the
/// rows between that lead on.
fn rows() -> Vec<Row> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/PRODUCT.md");
    let text = std::fs::read_to_string(document).expect("a document");
    let (_, table) = text.split_once("| what happens |").expect("a table");
    let lines = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut rows: Vec<Row> = Vec::new();
    let mut first = String::new();
    for line in lines {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [act, new, waiting, done] = cells[..] else {
            panic!("{line}");
        };
        let mut acts = vec![act.to_owned()];
        if act.starts_with('…') {
            if act.starts_with("… and then") {
                acts.insert(
                    0,
                    rows.last()
                        .expect("a row")
                        .acts
                        .last()
                        .expect("an act")
                        .clone(),
                );
            }
            if acts[0] != first {
                acts.insert(0, first.clone());
            }
        } else {
            act.clone_into(&mut first);
        }
        let then = [new, waiting, done].map(str::to_owned);
        rows.push(Row { acts, then });
    }
    assert!(rows.len() > 30, "{}", rows.len());
    rows
}

/// A newsroom with one person of each role who sees the department of its reports, and one who does not.
struct Newsroom {
    program: Program,
    shared: Editor,
    stranger: Editor,
    /// The call that takes back what the present row did to many.
    undo: Option<String>,
}

impl Newsroom {
    fn new() -> Self {
        let (program, shared) = Program::with_editor();
        let client = program.client();
        shared.expects_a_flood();
        for (user, role) in [("anna", "redattore"), ("luca", "lettore")] {
            join(
                &shared,
                &client,
                user,
                role,
                &["generale", "ambiente", "sanita"],
            );
        }
        let stranger = join(&shared, &client, "carla", "redattore", &["scuola"]);
        Self {
            program,
            shared,
            stranger,
            undo: None,
        }
    }

    fn post(&self, id: &str, call: &str, body: &Value) {
        let path = format!("/reports/{id}/{call}");
        taken(&self.shared.post_json(&path, body));
    }

    fn all(&mut self, id: &str, change: &Value) {
        let many = json!({ "ids": [id], "change": change });
        let outcome = self.shared.post_and_read("/reports/bulk", &many);
        has!(outcome, "changed": 1);
        self.undo = Some(format!("/reports/bulk/{}/undo", outcome["batch"]));
    }

    /// Time passes; each session is replaced by a new one.
    fn pass(&mut self, time: Duration) {
        self.program.clock.advance(time);
        self.shared = self.program.log_in();
        self.stranger = log_in_as(&self.program.client(), "carla");
    }

    /// Why a report waits, as everybody who sees it reads it; 'out' where it does not.
    fn why(&self, id: &str) -> String {
        let client = self.program.client();
        let mut seen = ["anna", "luca"].map(|user| listed(&log_in_as(&client, user), id));
        assert_eq!(seen[0], seen[1]);
        seen[1] = listed(&self.shared, id);
        assert_eq!(seen[0], seen[1]);
        assert_eq!(listed(&self.stranger, id), "out");
        let [why, _] = seen;
        why
    }
}

/// A change was made.
fn taken(answer: &Answer) {
    let made = (200..300).contains(&answer.status);
    assert!(made, "{} {}", answer.status, answer.text());
}

fn listed(editor: &Editor, id: &str) -> String {
    let list = editor.list("?todo=true&limit=200");
    let rows = list["data"].as_array().expect("rows");
    assert_eq!(list["matching"], rows.len());
    assert_eq!(list["counts"]["todo"], rows.len());
    let row = rows.iter().find(|row| row["id"] == id);
    let why = row.map(|row| row["todo"]["why"].as_str().expect("a reason").to_owned());
    why.unwrap_or_else(|| "out".to_owned())
}

/// A report in the state before, with the code of its reporter.
fn report_before(desk: &Newsroom, before: Before, number: usize) -> (String, String) {
    let client = desk.program.client();
    let (id, code) = report_with_photos(&client, number, &[("foto.jpg", 4_000)]);
    match before {
        Before::New => {}
        Before::Waiting => {
            desk.shared
                .change(&id, &json!({ "stato": "In lavorazione" }));
            Visit::by(&client, &code).tell("Ho trovato le ricevute.");
        }
        Before::Done => desk.post(&id, "done", &Value::Null),
    }
    (id, code)
}

/// The newsroom asks its reporter, or writes and thinks better of it.
fn ask_back(desk: &Newsroom, act: &str, id: &str, code: &str) {
    match act {
        "the newsroom asks, and its reporter answers" => {
            let asks = json!({ "text": "Una domanda.", "questions": [{ "kind": "text", "text": "Chi?" }] });
            let message = asked(desk, id, "messages", &asks);
            let answers = json!([{ "key": "d1", "value": "Il custode." }]);
            let body = json!({ "message": message, "answers": answers });
            taken(&holder(desk, code).post_json("/receipts/answers", &body));
        }
        "a consent is given, then 'Fatto', then it is taken back" => {
            let asks = json!({ "kind": "nome", "text": "Possiamo scrivere il tuo nome?" });
            let consent = asked(desk, id, "consents", &asks);
            let at = format!("/receipts/consents/{consent}");
            let decide = |given: bool| {
                taken(&holder(desk, code).post_json(&at, &json!({ "given": given })));
            };
            decide(true);
            desk.post(id, "done", &Value::Null);
            decide(false);
        }
        "the newsroom answers, and takes its message back unread" => {
            let message = asked(desk, id, "messages", &json!({ "text": "Grazie." }));
            taken(
                &desk
                    .shared
                    .delete(&format!("/reports/{id}/messages/{message}")),
            );
        }
        other => panic!("{other}"),
    }
}

/// A colleague acts on what was just done.
fn be_followed(desk: &mut Newsroom, act: &str, id: &str, code: &str) {
    match act {
        "a message to many, and a colleague's 'Fatto'" => {
            happen(desk, "a message to many", id, code);
            colleague(desk).post(&done_of(id)).expect(204);
        }
        "many are done, and a colleague's 'Fatto'" => {
            happen(desk, "many are done", id, code);
            colleague(desk).post(&done_of(id)).expect(204);
        }
        "'Fatto', and a colleague answers" => {
            happen(desk, "'Fatto'", id, code);
            taken(&ask(&colleague(desk), id, "Grazie."));
        }
        "'Fatto', and a colleague's 'Fatto'" => {
            happen(desk, "'Fatto'", id, code);
            colleague(desk).post(&done_of(id)).expect(204);
        }
        other => panic!("{other}"),
    }
}

/// One thing that happens to a report.
fn happen(desk: &mut Newsroom, act: &str, id: &str, code: &str) {
    let visit = || Visit::by(&desk.program.client(), code);
    let stato = |stato: &str| drop(desk.shared.change(id, &json!({ "stato": stato })));
    let edit = |change: &Value| drop(desk.shared.change(id, change));
    match act {
        "its reporter writes" | "… and its reporter writes again" | "… and its reporter writes" =>
        {
            taken(&visit().tell("Ancora una cosa."));
        }
        "the newsroom asks, and its reporter answers"
        | "a consent is given, then 'Fatto', then it is taken back"
        | "the newsroom answers, and takes its message back unread" => {
            ask_back(desk, act, id, code);
        }
        "its reporter takes a file back" => taken(&visit().take_back("1")),
        "its reporter asks for withdrawal" => taken(&visit().withdraw(Value::Null)),
        "it is opened, its messages read" => {
            desk.shared.report(id);
            desk.shared.read(&format!("/reports/{id}/messages"));
        }
        "a comment, with a name" => desk.post(
            id,
            "comments",
            &json!({ "text": "@Nome di anna, la guardi?" }),
        ),
        "somebody is given it" => {
            let anna = log_in_as(&desk.program.client(), "anna");
            edit(&json!({ "assegnataA": id_of(&anna) }));
        }
        "a label" => {
            let label = json!({ "name": format!("E{}", &id[..8]), "color": "viola" });
            let label = desk.shared.post_and_read("/labels", &label);
            edit(&json!({ "labels": [label["id"]] }));
        }
        "a note" => edit(&json!({ "note": "Da verificare." })),
        "it becomes urgent" => edit(&json!({ "urgente": true })),
        "another department" => edit(&json!({ "department": "sanita" })),
        "a story" => {
            let story = json!({ "title": "Una storia", "reports": [id] });
            desk.shared.post_and_read("/stories", &story);
        }
        "a copy is made" => desk.post(id, "exports", &Value::Null),
        "a message to many, and a colleague's 'Fatto'"
        | "many are done, and a colleague's 'Fatto'"
        | "'Fatto', and a colleague answers"
        | "'Fatto', and a colleague's 'Fatto'" => be_followed(desk, act, id, code),
        "… and 'Fatto' is undone" => drop(desk.shared.delete(&done_of(id)).conflict()),
        "a message to many" => {
            let message = json!({ "ids": [id], "text": "Ci stiamo lavorando." });
            let sent = desk.shared.post_and_read("/messages/bulk", &message);
            has!(sent, "sent": 1);
            let batch = sent["batch"].as_str().expect("a batch");
            desk.undo = Some(format!("/messages/bulk/{batch}/undo"));
        }
        "the newsroom answers" => taken(&ask(&desk.shared, id, "Grazie.")),
        "'In lavorazione'" => stato("In lavorazione"),
        "… and 'Nuova' again" => stato("Nuova"),
        "'Risolta'" => stato("Risolta"),
        "… and is archived by age" => {
            desk.pass(31 * DAY);
            desk.program.round();
            has!(desk.shared.report(id), "stato": "Archiviata");
        }
        "'Archiviata'" => stato("Archiviata"),
        "many are archived" => desk.all(id, &json!({ "stato": "Archiviata" })),
        "many are done" => desk.all(id, &json!({ "done": true })),
        "… and that is undone" => undo(desk, id),
        "'Fatto'" | "… and then 'Fatto'" => desk.post(id, "done", &Value::Null),
        "it is snoozed" => {
            let until = desk.program.clock.now_ms() + 48 * 3_600_000;
            let until = Timestamp::from_millisecond(until).expect("a moment");
            let until = json!({ "snoozedUntil": until });
            desk.all(id, &until);
        }
        "… and the snooze is ended" => taken(
            &desk
                .shared
                .delete(&format!("/reports/{id}/snooze"))
                .expect(204),
        ),
        "… and its day comes" => desk.pass(3 * DAY),
        "a promise falls due" => desk.pass(90 * DAY),
        "its sender is set aside" => {
            let path = format!("/reports/{id}/sender-aside");
            taken(&desk.shared.put(&path, &Value::Null));
        }
        "… and is taken back" => {
            let path = format!("/reports/{id}/sender-aside");
            taken(&desk.shared.delete(&path));
        }
        "it is erased" => drop(desk.shared.erase(id)),
        other => panic!("{other}"),
    }
}

/// The number of the message by which the newsroom writes or asks.
fn asked(desk: &Newsroom, id: &str, call: &str, body: &Value) -> Value {
    let thread = desk
        .shared
        .post_and_read(&format!("/reports/{id}/{call}"), body);
    let all = thread["data"].as_array().expect("messages");
    all.last().expect("a message")["id"].clone()
}

/// The client of the reporter's visit.
fn holder(desk: &Newsroom, code: &str) -> Client {
    let client = desk.program.client();
    let visit = Visit::by(&client, code);
    client.with("cookie", &visit.cookie)
}

fn done_of(id: &str) -> String {
    format!("/reports/{id}/done")
}

/// Another person, a moment later.
fn colleague(desk: &Newsroom) -> Editor {
    desk.program.clock.advance(SECOND);
    log_in_as(&desk.program.client(), "anna")
}

/// Takes back what was last done to a report.
fn undo(desk: &Newsroom, id: &str) {
    match &desk.undo {
        Some(many) => taken(&desk.shared.post(many)),
        None => taken(&desk.shared.delete(&format!("/reports/{id}/done"))),
    }
}

/// Rows in which time passes come last: for what is looked at after them it has passed too.
fn by_time(rows: Vec<Row>) -> Vec<Row> {
    let order = ["archived by age", "promise", "its day comes"];
    let place = |row: &Row| {
        order
            .iter()
            .position(|word| row.acts.iter().any(|act| act.contains(word)))
    };
    let mut rows = rows;
    rows.sort_by_key(|row| place(row).map_or(0, |at| at + 1));
    rows
}

fn holds(before: Before) {
    let mut desk = Newsroom::new();
    let mut wrong = BTreeMap::new();
    for (number, row) in by_time(rows()).into_iter().enumerate() {
        let wanted = row.then[before as usize].clone();
        let (id, code) = match row.acts[0].as_str() {
            _ if wanted.is_empty() => continue,
            "it arrives by chat" => report_before(&desk, Before::New, number),
            "staff enter it" => (entered(&desk.shared), String::new()),
            _ => report_before(&desk, before, number),
        };
        desk.undo = None;
        let arrives = row.acts[0].starts_with("it arrives") || row.acts[0].starts_with("staff");
        for act in row.acts.iter().filter(|_| !arrives) {
            happen(&mut desk, act, &id, &code);
        }
        let found = desk.why(&id);
        if found != wanted {
            wrong.insert(row.acts.join(" "), (found, wanted));
        }
    }
    assert!(wrong.is_empty(), "{before:?}: {wrong:#?}");
}

fn entered(editor: &Editor) -> String {
    let account = Person::numbered(1).segnalazione;
    let entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "telefono" });
    let entered = editor.post_and_read("/reports", &entry);
    entered["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_new_report_waits_as_the_table_says() {
    holds(Before::New);
}

#[test]
fn a_report_whose_reporter_wrote_waits_as_the_table_says() {
    holds(Before::Waiting);
}

#[test]
fn a_report_that_is_done_waits_as_the_table_says() {
    holds(Before::Done);
}

/// Two people, and a report that waits.
fn two_people() -> (Program, String, String, [Editor; 2]) {
    let (program, _, [_, anna, bruno]) = people::desk(1);
    let (id, code) = report_with_photos(&program.client(), 7, &[]);
    (program, id, code, [anna, bruno])
}

#[test]
fn the_undo_of_fatto_leaves_what_a_colleague_did_since_and_says_who() {
    let (program, id, code, [anna, bruno]) = two_people();
    let client = program.client();
    let later = || program.clock.advance(SECOND);
    anna.post(&done_of(&id)).expect(204);
    later();
    bruno.post(&done_of(&id)).expect(204);
    later();
    let refused = anna.delete(&done_of(&id)).conflict();
    let since = "Nel frattempo Nome di bruno ha segnato «Fatto».";
    assert_eq!(refused["detail"], since);
    let again = json!({ "ids": [id], "change": { "done": false } });
    let refused = anna.post_and_read("/reports/bulk", &again);
    has!(refused, "changed": 0);
    assert_eq!(refused["refused"][0]["detail"], since);
    assert_eq!(listed(&anna, &id), "out");
    bruno.delete(&done_of(&id)).expect(204);
    assert_eq!(listed(&anna, &id), "out", "as it was before");
    anna.delete(&done_of(&id)).expect(204);
    assert_eq!(listed(&bruno, &id), "new");
    anna.post(&done_of(&id)).expect(204);
    later();
    taken(&ask(&bruno, &id, "Grazie."));
    let refused = anna.delete(&done_of(&id)).conflict();
    assert_eq!(
        refused["detail"],
        "Nel frattempo Nome di bruno ha risposto."
    );
    taken(&Visit::by(&client, &code).tell("Ancora una cosa."));
    anna.delete(&done_of(&id)).expect(204);
    assert_eq!(listed(&anna, &id), "answer");
}

#[test]
fn a_message_to_many_and_a_fatto_that_are_both_undone_leave_what_waited() {
    let (program, id, code, [anna, bruno]) = two_people();
    taken(&Visit::by(&program.client(), &code).tell("Ho trovato le ricevute."));
    let message = json!({ "ids": [id], "text": "Ci stiamo lavorando." });
    let sent = anna.post_and_read("/messages/bulk", &message);
    program.clock.advance(SECOND);
    bruno.post(&done_of(&id)).expect(204);
    let batch = sent["batch"].as_str().expect("a batch");
    let undo = format!("/messages/bulk/{batch}/undo");
    has!(anna.post(&undo).expect(200).json(), "undone": 1);
    assert_eq!(listed(&anna, &id), "out");
    bruno.delete(&done_of(&id)).expect(204);
    assert_eq!(listed(&anna, &id), "answer");
}

#[test]
fn answers_are_listed_as_they_are_counted_from_archived_and_snoozed_reports_too() {
    let (program, id, code, [anna, _]) = two_people();
    let client = program.client();
    let (snoozed, other) = report_with_photos(&client, 8, &[]);
    anna.change(&id, &json!({ "stato": "Archiviata" }));
    for code in [&code, &other] {
        taken(&Visit::by(&client, code).tell("Ancora una cosa."));
    }
    let until = json!({ "until": "2026-03-20T08:00:00Z" });
    taken(&anna.put(&format!("/reports/{snoozed}/snooze"), &until));
    let answers = anna.list("?answer=true");
    has!(answers, "matching": 2, "answersWaiting": 2);
    assert_eq!(ids(&answers), [snoozed, id]);
}
