//! `GET /analytics`: the figures of an archive, and where conversations stop.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, turn};
use crate::support::disk::database;
use crate::support::panel::Editor;
use crate::support::program::{Program, at};
use crate::support::snapshot::{pick, snapshot, table};

#[test]
fn figures_are_counted_by_the_calendar_of_rome() {
    let program = Program::start();
    program.set_up();
    // A month ago, earlier this month, the last second of Saturday, the first of a Sunday that has 23 hours.
    let sent =
        "2026-02-20T10:00:00Z 2026-03-20T10:00:00Z 2026-03-28T22:59:59Z 2026-03-28T23:00:00Z";
    let ids: Vec<String> = sent
        .split(' ')
        .map(|moment| {
            program.clock.set(at(moment));
            program.report(1)
        })
        .collect();
    program.clock.set(at("2026-03-29T20:00:00Z"));
    let editor = program.log_in();
    editor.change(&ids[0], &json!({ "stato": "Risolta" }));
    let mut figures = editor.read("/analytics");
    let days = figures["perDay"].as_array_mut().unwrap();
    assert_eq!(days.drain(..28).len(), 28);
    assert_eq!(figures["recent"][0]["id"], ids[3]);
    let shown = pick(
        &figures,
        "total received monthChange perDay byStatus recent",
    );
    assert_snapshot!(snapshot(&shown), @r#"
    {
      "byStatus": [
        { "count": 3, "percent": 75.0, "stato": "Nuova" }, { "count": 0, "percent": 0.0, "stato": "In lavorazione" },
        { "count": 1, "percent": 25.0, "stato": "Risolta" }, { "count": 0, "percent": 0.0, "stato": "Archiviata" }
      ],
      "monthChange": { "current": 3, "percent": 200.0, "previous": 1 },
      "perDay": [{ "count": 1, "date": "2026-03-28" }, { "count": 1, "date": "2026-03-29" }],
      "received": { "month": 3, "today": 1, "week": 2 },
      "recent": [
        { "cognome": "Cognomeb", "data_creazione": "2026-03-28T23:00:00Z", "id": "id1", "nome": "Nomeb", "stato": "Nuova" },
        { "cognome": "Cognomeb", "data_creazione": "2026-03-28T22:59:59Z", "id": "id2", "nome": "Nomeb", "stato": "Nuova" },
        { "cognome": "Cognomeb", "data_creazione": "2026-03-20T10:00:00Z", "id": "id3", "nome": "Nomeb", "stato": "Nuova" },
        {
          "cognome": "Cognomeb", "data_creazione": "2026-02-20T10:00:00Z", "id": "id4", "nome": "Nomeb", "stato": "Risolta"
        }
      ],
      "total": 4
    }
    "#);
}

#[test]
fn figures_follow_what_staff_do() {
    let program = Program::start();
    program.set_up();
    let id = program.report(1);
    // Tuesday 10:00 to Thursday 22:00 in Rome.
    program.clock.set(at("2026-03-12T21:00:00Z"));
    let editor = program.log_in();
    let figures = || {
        let told = editor.read("/analytics");
        ["resolutionTime", "firstLook", "resolutionRate"].map(|key| told[key].clone())
    };
    editor.report(&id);
    editor.change(&id, &json!({ "stato": "Risolta" }));
    let opened = json!({ "mean": 3600.0, "reports": 1 });
    let resolved = json!({ "mean": 2.5, "reports": 1 });
    assert_eq!(
        figures(),
        [
            resolved,
            opened.clone(),
            json!({ "resolved": 1, "percent": 100.0 })
        ]
    );
    editor.change(&id, &json!({ "stato": "In lavorazione" }));
    let none = json!({ "mean": null, "reports": 0 });
    let expected = [none, opened, json!({ "resolved": 0, "percent": 0.0 })];
    assert_eq!(figures(), expected);
}

fn stops(program: &Program, editor: &Editor) -> Value {
    program.round();
    editor.read("/analytics")["chatStops"].clone()
}

#[test]
fn conversations_are_counted_where_they_stop() {
    let (mut program, editor) = Program::with_editor();
    let client = program.client();
    Chat::start(&client);
    let mut minor = Chat::start(&client);
    minor.say("boh");
    minor.say("17");
    let person = Person::numbered(1);
    Chat::until(&client, &person, "collect_phone").say("chiamami");
    let mut account = Chat::until(&client, &person, "investigative_questions");
    for refused in ["troppo corto", "ho sentito un avvocato", "troppo corto"] {
        account.say(refused);
    }
    let mut whole = Chat::at_the_end(&client, &person);
    let last = whole.token().to_owned();
    whole.say("no");
    // The last turn again, and the first of another conversation twice: each counts once.
    turn(&client, &last, "no").expect(200);
    let again = Chat::start(&client);
    turn(&client, again.token(), "34").expect(200);
    turn(&client, again.token(), "34").expect(200);

    let stops = stops(&program, &editor);
    assert_snapshot!(table(&stops["states"], "state reached answered unfinished refusals"), @r#"
    age_check 6 4 1 [{ "count": 1, "rule": "invalid" }]
    collect_name 4 3 1 []
    collect_surname 3 3 0 []
    collect_phone 3 2 1 [{ "count": 1, "rule": "invalid" }]
    collect_email 2 2 0 []
    collect_address 2 2 0 []
    investigative_questions 2 1 1 [{ "count": 2, "rule": "too_short" }, { "count": 1, "rule": "forbidden" }]
    collect_report 1 1 0 []
    "#);
    has!(stops, "started": 6, "completed": 1, "minors": 1, "unfinished": 4);
    // They outlive the program, also those that no round has stored.
    Chat::start(&client);
    program.restart();
    let figures = program.log_in().read("/analytics");
    assert_eq!(figures["chatStops"]["started"], 7);
}

#[test]
fn counts_of_conversations_hold_nothing_but_day_question_rule_and_number() {
    let mut program = Program::start();
    program.set_up();
    Chat::until(&program.client(), &Person::numbered(7), "collect_name").say("X");
    program.stop();
    let sql = "SELECT group_concat(day || ' ' || state || ' ' || rule || ' ' || n, ', ') FROM
               (SELECT * FROM chat_stops ORDER BY day, state, rule)";
    let rows: String = database(program.data())
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        rows,
        "2026-03-10 age_check answered 1, 2026-03-10 age_check started 1, 2026-03-10 collect_name invalid 1"
    );
}

#[test]
fn a_rehearsal_is_no_conversation() {
    let (program, editor) = Program::with_editor();
    let tried = |said: Value| editor.post_and_read("/prompts/try", &said);
    let begun = tried(json!({ "prompts": {} }))["conversation"].clone();
    let said = tried(json!({ "prompts": {}, "conversation": begun, "text": "34" }));
    let token = said["conversation"].as_str().unwrap();
    turn(&program.client(), token, "Ada").problem(400, "token-non-valido");
    let stops = stops(&program, &editor);
    assert_eq!(stops["started"], 0, "{stops}");
}
