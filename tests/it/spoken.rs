//! People who talk instead of filling in: dictated, in dialect, impatient, old, afraid. Each gets to a whole report, and no
//! field holds what does not belong there (PRODUCT.md §2).

use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::chat::{last_turn, turn};
use crate::support::contains;
use crate::support::http::Client;
use crate::support::program::Program;

const GRAVE: &str = "Non ce la faccio più con questa banca che mi ha tolto tutto: stanotte mi ammazzo, ho già scritto la lettera.";

const FIELDS: [&str; 6] = [
    "nome",
    "cognome",
    "telefono",
    "email",
    "indirizzo",
    "segnalazione",
];

/// Stands for what the box holds when the question for the account is put.
const BOX: &str = "<box>";
/// Stands for the last of the buttons.
const BUTTON: &str = "<button>";

#[derive(Deserialize)]
struct Talk {
    who: String,
    settings: Value,
    answers: Vec<String>,
    /// What is kept of [`FIELDS`].
    report: [String; 6],
}

fn talks() -> Vec<Talk> {
    serde_json::from_str(include_str!("../vectors/spoken.json")).expect("the talks")
}

fn hold(client: &Client, Talk { who, answers, .. }: &Talk) -> Value {
    let mut reply = client.post_json("/chat", &json!({})).expect(200).json();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(reply["finished"], false, "{who}: ended before «{answer}»");
        let token = reply["conversation"].as_str().expect("a token");
        let said = match answer.as_str() {
            BOX => reply["prefill"].as_str().expect("what was told before"),
            BUTTON => {
                let options = reply["question"]["options"].as_array().expect("buttons");
                let last = options.last().expect("a button");
                last["text"].as_str().expect("words")
            }
            words => words,
        };
        let send = if number + 1 == answers.len() {
            last_turn
        } else {
            turn
        };
        reply = send(client, token, said).expect(200).json();
    }
    reply
}

#[test]
fn people_who_talk_end_in_a_whole_report_without_a_wrong_field() {
    let (program, editor) = Program::with_editor();
    for talk in talks() {
        let usual = json!({
            "phoneRequired": true, "emailRequired": true, "addressRequired": true, "acceptOtherPhones": false,
        });
        editor.save_security(&usual);
        editor.save_security(&talk.settings);
        let reply = hold(&program.client(), &talk);
        assert_eq!(reply["finished"], true, "{}: {reply}", talk.who);
        let report = editor.report(reply["reportId"].as_str().expect("a report"));
        let kept = FIELDS.map(|field| report[field].as_str().unwrap_or_default());
        assert_eq!(kept, talk.report, "{}", talk.who);
    }
}

#[test]
fn help_comes_with_what_is_told_too_early_and_must_be_read() {
    let program = Program::start();
    let client = program.client();
    let begun = client.post_json("/chat", &json!({})).expect(200).json();
    let token = begun["conversation"].as_str().expect("a token");
    let reply = turn(&client, token, GRAVE).expect(200).json();
    has!(reply, "rule": "kept", "state": "age_check");
    let messages = reply["messages"].as_array().expect("messages").iter();
    let held = messages.filter(|message| message["hold"] == true);
    let held: Vec<&Value> = held.collect();
    assert_eq!(held.len(), 1);
    contains(held[0]["text"].to_string(), &["112"]);
}
