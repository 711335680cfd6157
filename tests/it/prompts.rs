//! `GET · PUT · DELETE /prompts`: the chat's sentences, reworded by the newsroom.

use serde_json::json;

use crate::support::chat::{Chat, Person};
use crate::support::program::Program;

#[test]
fn a_new_sentence_is_said_from_the_next_turn_and_the_others_stay() {
    let (program, editor) = Program::with_editor();
    let mut chat = Chat::start(&program.client());
    let change = json!({
        "welcome": "Salve, parla {name} di {org}. Età?",
        "ageCheck": { "invalid": "Che età è?" },
        "investigativeQuestions": { "tooShort": "Almeno {minWords} parole e {minChars} caratteri." },
    });
    let saved = editor.save("/prompts", &change);
    let expected = "Inserisci un nome valido (almeno 2 caratteri).";
    assert_eq!(saved["collectName"]["invalid"], expected);
    assert_eq!(chat.say("boh").said, ["Che età è?"]);
    let welcome = Chat::start(&program.client()).reply.said;
    assert_eq!(welcome, ["Salve, parla PelazzAI di Le Iene. Età?"]);
    let person = Person::numbered(1);
    let mut chat = Chat::until(&program.client(), &person, "investigative_questions");
    assert_eq!(chat.say("Poco.").said, ["Almeno 10 parole e 70 caratteri."]);
}

#[test]
fn the_page_opens_with_the_new_welcome() {
    let program = Program::start();
    let change = json!({ "welcome": "Buongiorno da {name} <b>&</b> colleghi." });
    program.set_up().save("/prompts", &change);
    let page = program.client().page("/paibeta/").expect(200);
    let html = page.text();
    assert!(html.contains(r"Buongiorno da PelazzAI \u003cb>&\u003c/b> colleghi."));
    assert!(!html.contains("PelazzAI <b>"));
}

#[test]
fn a_reset_brings_every_default_back() {
    let (_program, editor) = Program::with_editor();
    let defaults = editor.read("/prompts");
    editor.save(
        "/prompts",
        &json!({ "welcome": "Età?", "collectReport": { "final": "Fine." } }),
    );
    assert_ne!(editor.read("/prompts"), defaults);
    assert_eq!(editor.delete("/prompts").expect(200).json(), defaults);
    assert_eq!(editor.read("/prompts"), defaults);
}

#[test]
fn a_sentence_that_cannot_be_said_is_refused_with_the_reason() {
    let (_program, editor) = Program::with_editor();
    let before = editor.read("/prompts");
    for (change, field, part) in [
        (json!({ "welcome": "Ciao {nome}!" }), "welcome", "{nome}"),
        (
            json!({ "collectEmail": { "boh": "x" } }),
            "collectEmail.boh",
            "sconosciuto",
        ),
    ] {
        let answer = editor.put("/prompts", &change);
        assert_eq!(answer.refused_fields(), [field]);
        assert!(answer.text().contains(part), "{change}: {}", answer.text());
    }
    assert_eq!(editor.read("/prompts"), before);
    // The placeholders that there are, all of them.
    let known = json!({ "welcome": "{name} {org} {minChars} {minWords}" });
    assert_eq!(editor.save("/prompts", &known)["welcome"], known["welcome"]);
}
