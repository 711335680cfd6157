//! Wording that worries, through HTTP: the sentence on help, once. It must never name a text of `data/care`.

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person};
use crate::support::program::Program;

const GRAVE: &str = "La banca mi ha portato via tutto. Stanotte mi ammazzo, ho già preparato tutto e ho scritto una lettera d'addio ai miei figli.";
const FIGURE: &str = "Questo lavoro mi ammazza: turni di dodici ore, straordinari mai pagati, e il capo ride quando chiediamo le ferie.";

fn mentions_of_help(said: &[String]) -> usize {
    said.iter().filter(|bubble| bubble.contains("112")).count()
}

#[test]
fn help_is_spoken_of_once_and_the_report_goes_on() {
    let program = Program::start();
    let client = program.client();
    let mut chat = Chat::until(&client, &Person::numbered(1), "investigative_questions");
    let before = chat.reply.conversation.clone();
    let first = chat.say(GRAVE).said.clone();
    assert_eq!((first.len(), mentions_of_help(&first)), (3, 1));
    assert_eq!(chat.reply.state, "collect_report");
    let again = chat.say(GRAVE);
    assert_eq!(mentions_of_help(&again.said), 0);
    let id = again.report_id.clone().expect("a report");
    let editor = program.set_up();
    let report = editor.get(&format!("/reports/{id}")).expect(200).json();
    assert_eq!(report["urgente"], "self_harm");
    let list = editor.get("/reports").expect(200).json();
    assert_eq!(list["data"][0]["urgente"], true);
    let mut repeated = Chat::until(&client, &Person::numbered(1), "investigative_questions");
    repeated.reply.conversation = before;
    assert_eq!(
        repeated.say(GRAVE).said,
        first,
        "the same token, the same text"
    );
}

#[test]
fn a_figure_of_speech_is_not_answered_with_help() {
    let program = Program::start();
    let mut chat = Chat::until(
        &program.client(),
        &Person::numbered(2),
        "investigative_questions",
    );
    let said = &chat.say(FIGURE).said;
    assert_eq!((said.len(), mentions_of_help(said)), (2, 0));
    let id = chat.say("no").report_id.clone().expect("a report");
    let editor = program.set_up();
    let report = editor.get(&format!("/reports/{id}")).expect(200).json();
    assert_eq!(report["urgente"], Value::Null);
    let list = editor.get("/reports").expect(200).json();
    assert_eq!(list["data"][0]["urgente"], false);
}

#[test]
fn the_newsroom_words_the_help_and_a_rehearsal_says_it() {
    let program = Program::start();
    let editor = program.set_up();
    let words = json!({ "care": { "help": "{name} dice: chiama il 112." } });
    editor.save("/prompts", &words);
    let mut chat = Chat::until(
        &program.client(),
        &Person::numbered(3),
        "investigative_questions",
    );
    assert_eq!(chat.say(GRAVE).said[1], "PelazzAI dice: chiama il 112.");

    let other = json!({ "care": { "help": "Prova: il 112." } });
    let try_out = |mut body: Value| {
        body["prompts"] = other.clone();
        editor.post_json("/prompts/try", &body).expect(200).json()
    };
    let mut reply = try_out(json!({}));
    let person = Person {
        segnalazione: GRAVE.to_owned(),
        ..Person::numbered(3)
    };
    for (_, text) in person.answers().into_iter().take(7) {
        reply = try_out(json!({ "conversation": reply["conversation"], "text": text }));
    }
    assert_eq!(reply["messages"][1]["text"], "Prova: il 112.");
}
