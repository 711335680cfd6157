//! Wording that worries, through HTTP: the sentence on help, once, in the newsroom's words. It must never assert what a single text of
//! `models/care` means.

use serde_json::{Value, json};

use crate::support::chat::{Chat, GRAVE, Person};
use crate::support::program::Program;
use crate::support::returning::{Visit, report};

const ACCOUNT: &str = "investigative_questions";
const FIGURE: &str = "Questo lavoro mi ammazza: turni di dodici ore, straordinari mai pagati, e il capo ride quando chiediamo le ferie.";

fn mentions_of_help(said: &[String]) -> usize {
    said.iter().filter(|bubble| bubble.contains("112")).count()
}

#[test]
fn help_is_spoken_of_once_and_the_report_goes_on() {
    let program = Program::start();
    let (editor, client) = (program.set_up(), program.client());
    let words = json!({ "care": { "help": "{name} dice: chiama il 112." } });
    editor.save("/prompts", &words);
    let mut chat = Chat::until(&client, &Person::numbered(1), ACCOUNT);
    let mut repeated = chat.clone();
    let first = chat.say(GRAVE).said.clone();
    assert_eq!(
        repeated.say(GRAVE).said,
        first,
        "the same token, the same text"
    );
    assert_eq!((first.len(), mentions_of_help(&first)), (3, 1));
    assert_eq!(first[1], "PelazzAI dice: chiama il 112.");
    assert_eq!(chat.reply.state, "collect_report");
    let again = chat.say(GRAVE);
    assert_eq!(mentions_of_help(&again.said), 0);
    let id = again.report_id.clone().expect("a report");
    assert_eq!(editor.report(&id)["urgente"], "self_harm");
    assert_eq!(editor.list("")["data"][0]["urgente"], true);

    // The control: a figure of speech.
    let mut chat = Chat::until(&client, &Person::numbered(2), ACCOUNT);
    let said = &chat.say(FIGURE).said;
    assert_eq!((said.len(), mentions_of_help(said)), (2, 0));
    let id = chat.say("no").report_id.clone().expect("a report");
    assert_eq!(editor.report(&id)["urgente"], Value::Null);
}

#[test]
fn a_message_raises_the_mark_and_none_lowers_it() {
    let program = Program::start();
    let (editor, client) = (program.set_up(), program.client());
    let (_, code) = report(&client, 1);
    let mark = || editor.list("")["data"][0]["urgente"].clone();
    assert_eq!(mark(), false);
    let visit = Visit::by(&client, &code);
    visit.tell(GRAVE).expect(200);
    assert_eq!(mark(), true);
    let texts = include_str!("../../models/care/short.jsonl").lines();
    let texts = texts.map(|line| serde_json::from_str::<Value>(line).expect("a text"));
    for text in texts.filter(|text| text["label"] == "none").take(8) {
        let text = text["text"].as_str().expect("words");
        visit.tell(text).expect(200);
        assert_eq!(mark(), true, "{text}");
    }
}
