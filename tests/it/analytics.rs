//! `GET /analytics`: the figures of an archive, and where conversations stop.

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk::database;
use crate::support::has;
use crate::support::panel::Editor;
use crate::support::program::{Program, at};

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
            submit(&program.client(), &Person::numbered(1))
        })
        .collect();
    program.clock.set(at("2026-03-29T20:00:00Z"));
    let editor = program.log_in();
    editor.change(&ids[0], &json!({ "stato": "Risolta" }));
    let figures = editor.get("/analytics").expect(200).json();
    let days = figures["perDay"].as_array().unwrap();
    assert_eq!(
        json!([
            figures["total"],
            figures["received"],
            figures["monthChange"],
            figures["recent"][0]["id"],
            days[88..]
        ]),
        json!([
            4, { "today": 1, "week": 2, "month": 3 }, { "current": 3, "previous": 1, "percent": 200.0 }, ids[3],
            [{ "date": "2026-03-28", "count": 1 }, { "date": "2026-03-29", "count": 1 }],
        ])
    );
    assert_eq!(
        (days.len(), figures["recent"].as_array().unwrap().len()),
        (90, 4)
    );
    assert_eq!(
        figures["byStatus"][0],
        json!({ "stato": "Nuova", "count": 3, "percent": 75.0 })
    );
}

#[test]
fn figures_follow_what_staff_do() {
    let program = Program::start();
    program.set_up();
    let id = submit(&program.client(), &Person::numbered(1));
    // Tuesday 10:00 to Thursday 22:00 in Rome.
    program.clock.set(at("2026-03-12T21:00:00Z"));
    let editor = program.log_in();
    let figures = || {
        let told = editor.get("/analytics").expect(200).json();
        ["resolutionTime", "openingTime", "resolutionRate"].map(|key| told[key].clone())
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
    assert_eq!(
        figures(),
        [none, opened, json!({ "resolved": 0, "percent": 0.0 })]
    );
}

/// Reached, answered and unfinished, by question.
fn picture(stops: &Value) -> Value {
    let states = stops["states"].as_array().unwrap().iter();
    states
        .map(|state| json!([state["reached"], state["answered"], state["unfinished"]]))
        .collect()
}

fn stops(program: &Program, editor: &Editor) -> Value {
    program.running().tidy().unwrap();
    editor.get("/analytics").expect(200).json()["chatStops"].clone()
}

#[test]
fn conversations_are_counted_where_they_stop() {
    let mut program = Program::start();
    let editor = program.set_up();
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
    assert_eq!(
        picture(&stops),
        json!([
            [6, 4, 1],
            [4, 3, 1],
            [3, 3, 0],
            [3, 2, 1],
            [2, 2, 0],
            [2, 2, 0],
            [2, 1, 1],
            [1, 1, 0]
        ])
    );
    has(
        &stops,
        &json!({ "started": 6, "completed": 1, "minors": 1, "unfinished": 4 }),
    );
    assert_eq!(
        stops["states"][6]["refusals"],
        json!([{ "rule": "too_short", "count": 2 }, { "rule": "forbidden", "count": 1 }])
    );
    // They outlive the program, also those that no round has stored.
    Chat::start(&client);
    program.restart();
    let figures = program.log_in().get("/analytics").json();
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
    let program = Program::start();
    let editor = program.set_up();
    let tried = |said: Value| editor.post_json("/prompts/try", &said).expect(200).json();
    let begun = tried(json!({ "prompts": {} }))["conversation"].clone();
    let said = tried(json!({ "prompts": {}, "conversation": begun, "text": "34" }));
    let token = said["conversation"].as_str().unwrap();
    turn(&program.client(), token, "Ada").problem(400, "token-non-valido");
    let stops = stops(&program, &editor);
    assert_eq!(picture(&stops)[0], json!([0, 0, 0]), "{stops}");
}
