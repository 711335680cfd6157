//! Where a reporter got stuck, opened: an age that is not one, yes and no at the last question, a question back, an answer
//! to be corrected, a word that stops the account (PRODUCT.md §2).

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk;
use crate::support::http::Client;
use crate::support::program::Program;
use crate::support::snapshot::pick;
use crate::support::{contains, has};

fn said(client: &Client, token: &str, text: &str) -> Value {
    turn(client, token, text).expect(200).json()
}

fn back(client: &Client, token: &str, state: &str) -> Value {
    let asked = json!({ "conversation": token, "state": state });
    client.post_json("/chat/back", &asked).expect(200).json()
}

fn texts(reply: &Value) -> Vec<&str> {
    let messages = reply["messages"].as_array().expect("messages").iter();
    let texts = messages.map(|message| message["text"].as_str().expect("a text"));
    texts.collect()
}

fn token(reply: &Value) -> &str {
    reply["conversation"].as_str().expect("a token")
}

fn at_the_end(client: &Client, person: &Person) -> Value {
    json!({ "conversation": Chat::at_the_end(client, person).token() })
}

fn guided(state: &str) -> Value {
    json!({ "state": state, "rule": "guided" })
}

/// The conversation ends in a report with the answers of this person.
fn assert_filed(program: &Program, token: &str, person: &Person) {
    let reply = said(&program.client(), token, "no");
    let id = reply["reportId"].as_str().expect("a report");
    let report = program.set_up().report(id);
    let given = json!({
        "eta": person.eta.parse::<u8>().expect("an age"), "nome": person.nome, "cognome": person.cognome,
        "telefono": person.telefono, "email": person.email, "indirizzo": person.indirizzo,
        "segnalazione": person.segnalazione,
    });
    has(&report, &given);
}

const WHAT_TO_ADD: &str = "Scrivi pure che cosa vuoi aggiungere. Se è tutto, premi «Invia la segnalazione» o rispondi «no».";
const NOT_SENT: &str = "Non ho ancora inviato nulla. Per cambiare premi «Correggi»; per lasciar perdere, «Ricomincia».";

/// Where answers are given, the answers, and what follows each: state, rule and message, as far as they matter.
const ANSWERS: [(&str, &str, &str, &str, &str); 7] = [
    (
        "age_check",
        "quasi 18|18 quasi|meno di 18|non ho ancora 18 anni|18 non ancora compiuti|tra poco 18|tra 2 anni ne ho 18|\
         fra un mese 18|a dicembre 18|18 sabato|sto per compierne 18|più di 18|18 mesi|< 18|~ 18|circa 18|18 ca.|\
         18 a breve|18+|minorenne, 20|<20",
        "age_check",
        "invalid",
        "",
    ),
    (
        "age_check",
        "ho 34 anni|34 compiuti|ne ho 34|34 compiuti a marzo|18|18 anni|ho 18 anni|ne ho 18|18 compiuti|\
         18 appena compiuti|Ho compiuto 18 anni!|ho 45 anni e non so che fare|34 anni, più o meno",
        "collect_name",
        "",
        "",
    ),
    (
        "collect_name",
        "Mario Rossi 3",
        "collect_name",
        "invalid",
        "",
    ),
    (
        "collect_name",
        "posso usare un altro nome?",
        "collect_name",
        "guided",
        "",
    ),
    (
        "collect_report",
        "sì|Si!|sì grazie|certo|ok|sì, vorrei aggiungere altro|sì, ho altro da aggiungere|sì c'è altro|si una cosa|\
         sì, ho delle foto|sii|sì sì sì|va bene",
        "collect_report",
        "guided",
        WHAT_TO_ADD,
    ),
    (
        "collect_report",
        "correggi il nome|modifica la mail|ho sbagliato il cognome|vorrei correggere il telefono|posso correggere?|\
         come faccio a correggere?|posso rivedere?|annulla tutto|non inviare|cancella tutto|ci ho ripensato|ricomincia|\
         Esci|STOP!|aspetta|No, aspetta|un attimo|lascia stare",
        "collect_report",
        "",
        NOT_SENT,
    ),
    (
        "collect_report",
        "sì, aspetta|come allego una foto?|chi leggerà?",
        "collect_report",
        "guided",
        "",
    ),
];

#[test]
fn answer_that_is_none_is_asked_again_and_files_nothing() {
    let program = Program::start();
    let client = program.client();
    for (asked, answers, state, rule, message) in ANSWERS {
        let chat = Chat::until(&client, &Person::numbered(1), asked);
        for text in answers.split('|') {
            let reply = said(&client, chat.token(), text);
            assert_eq!(reply["state"], state, "{text}");
            assert_eq!(reply["finished"], false, "{text}");
            assert!(rule.is_empty() || reply["rule"] == rule, "{text}: {reply}");
            let first = texts(&reply)[0];
            assert!(message.is_empty() || first == message, "{text}: {first}");
            assert!(message != WHAT_TO_ADD || texts(&reply).len() == 1, "{text}");
        }
    }
}

#[test]
fn every_wording_of_no_closes_and_more_words_are_an_addition() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(1);
    let panel = program.set_up();
    let filed = |text: &str| -> String {
        let chat = Chat::at_the_end(&client, &person);
        let reply = said(&client, chat.token(), text);
        let id = reply["reportId"].as_str();
        let report = panel.report(id.unwrap_or_else(|| panic!("{text} closes")));
        report["segnalazione"].as_str().expect("a text").to_owned()
    };
    let all = "no grazie|Nulla|niente.|nient'altro|NIENT’ALTRO|è tutto|no, basta così|No!";
    for no in all.split('|') {
        assert_eq!(filed(no), person.segnalazione, "{no}");
    }
    for addition in [
        "No, aspetta: il capo si chiama Bruno",
        "ho sbagliato il cognome, è Bianchi",
    ] {
        let end = format!("INFORMAZIONI AGGIUNTIVE\n{addition}");
        assert!(filed(addition).ends_with(&end), "{addition}");
    }
}

#[test]
fn a_correction_can_be_left_with_nothing_changed() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(1);
    let mut reply = at_the_end(&client, &person);
    for (state, text) in [
        ("collect_name", "no"),
        ("collect_address", "Annulla"),
        ("investigative_questions", "lascia stare"),
    ] {
        let open = back(&client, token(&reply), state);
        reply = said(&client, token(&open), text);
        has(&reply, &guided("collect_report"));
    }
    assert_filed(&program, token(&reply), &person);
}

#[test]
fn a_question_back_is_answered_and_the_own_question_put_again() {
    let program = Program::start();
    let client = program.client();
    for (state, _) in Person::numbered(1).answers() {
        let chat = Chat::until(&client, &Person::numbered(1), state);
        for text in "?|Chi legge?|perché me lo chiedi?".split('|') {
            let reply = said(&client, chat.token(), text);
            assert_eq!(pick(&reply, "state rule"), guided(state), "{text}");
            let bubbles = texts(&reply);
            assert_eq!(bubbles.len(), 2, "{state}: {text}");
            assert!(bubbles[0].contains("redazione di Le Iene"), "{bubbles:?}");
        }
        let reply = said(&client, chat.token(), "posso restare anonimo?");
        assert_eq!(pick(&reply, "state rule"), guided(state));
        assert!(texts(&reply)[0].starts_with("No: chiediamo nome e recapiti"));
        let reply = said(&client, chat.token(), "aiuto");
        let which = "Ti serve aiuto adesso, o aiuto con la chat?";
        assert_eq!(texts(&reply), [which]);
        if state != "age_check" {
            let reply = said(&client, chat.token(), "Indietro");
            assert!(texts(&reply)[0].contains("«Correggi»"), "{reply}");
        }
    }
}

#[test]
fn a_minor_is_told_where_help_is() {
    let program = Program::start();
    let client = program.client();
    let reply = said(&client, Chat::start(&client).token(), "15");
    let bubbles = texts(&reply);
    assert!(bubbles[0].starts_with("Mi dispiace, non posso raccogliere"));
    contains(bubbles[1], &["114", "19696"]);
}

#[test]
fn the_word_that_stops_an_account_is_named() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(1);
    for state in ["investigative_questions", "collect_report"] {
        let chat = Chat::until(&client, &person, state);
        let account = format!("{} Poi sono arrivati i CARABINIERI.", person.segnalazione);
        let reply = said(&client, chat.token(), &account);
        assert_eq!(reply["rule"], "forbidden");
        let reason = reply["reason"].as_str().expect("a reason");
        contains(reason, &["«carabinieri»"]);
        assert!(texts(&reply)[0].starts_with("Non posso fornire consigli legali."));
    }
}

#[test]
fn any_answer_can_be_corrected_and_the_conversation_goes_on_where_it_stood() {
    let program = Program::start();
    let client = program.client();
    let other = Person::numbered(2);
    let rows = disk::rows(program.data());
    let mut reply = at_the_end(&client, &Person::numbered(1));
    for (state, answer) in other.answers().into_iter().take(7) {
        let asked = back(&client, token(&reply), state);
        has(&asked, &json!({ "state": state, "finished": false }));
        assert_eq!(texts(&asked).len(), 1);
        // A refusal keeps the correction open, and so does going elsewhere meanwhile.
        assert_eq!(said(&client, token(&asked), "")["state"], state);
        let elsewhere = back(&client, token(&asked), "age_check");
        let again = back(&client, token(&elsewhere), state);
        reply = said(&client, token(&again), answer);
        assert_eq!(reply["state"], "collect_report", "{state}");
    }
    assert_eq!(disk::rows(program.data()), rows);
    assert_filed(&program, token(&reply), &other);
}

#[test]
fn only_what_was_asked_can_be_corrected_and_a_minor_ends_it() {
    let program = Program::start();
    let client = program.client();
    let chat = Chat::until(&client, &Person::numbered(1), "collect_email");
    for state in "collect_address collect_report final_question altro ".split(' ') {
        let asked = json!({ "conversation": chat.token(), "state": state });
        let refused = client.post_json("/chat/back", &asked);
        let problem = refused.problem(400, "stato-non-valido");
        assert_eq!(problem["detail"], format!("Stato non valido: {state}"));
    }
    let forged = json!({ "conversation": "x", "state": "age_check" });
    let refused = client.post_json("/chat/back", &forged);
    refused.problem(400, "token-non-valido");
    let asked = back(&client, chat.token(), "age_check");
    let reply = said(&client, token(&asked), "16");
    has(&reply, &json!({ "finished": true, "conversation": "" }));
    assert!(reply.get("reportId").is_none());
}

#[test]
fn the_last_question_sums_up_what_will_be_sent() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(3);
    let before = Chat::until(&client, &person, "investigative_questions");
    let reply = said(&client, before.token(), &person.segnalazione);
    let answers = person.answers().into_iter().take(7);
    let lines = answers.map(|(state, text)| json!({ "state": state, "text": text }));
    assert_eq!(reply["summary"], lines.collect::<Value>());
    let refused = said(&client, before.token(), "poco");
    assert!(refused.get("summary").is_none());
}

#[test]
fn other_phones_are_taken_only_where_the_newsroom_wants_them() {
    let program = Program::start();
    let client = program.client();
    let panel = program.set_up();
    let person = Person::numbered(1);
    let chat = Chat::until(&client, &person, "collect_phone");
    let refused = |typed: &str| {
        let reply = said(&client, chat.token(), typed);
        assert_eq!(reply["state"], "collect_phone", "{typed}");
    };
    let numbers = [
        ("06 1234 5678", "+390612345678"),
        ("+41 79 123 45 67", "+41791234567"),
        ("0044 20 7946 0958", "+442079460958"),
    ];
    for (typed, _) in numbers {
        refused(typed);
    }
    panel.save("/settings/security", &json!({ "acceptOtherPhones": true }));
    let own = ("+39 312 3456789", "3123456789");
    for (typed, kept) in numbers.into_iter().chain([own]) {
        let person = Person {
            telefono: typed.to_owned(),
            ..person.clone()
        };
        assert_eq!(panel.report(&submit(&client, &person))["telefono"], kept);
    }
    for typed in ["12", "telefono", "+39", "800 12"] {
        refused(typed);
    }
}

#[test]
fn robots_are_told_in_a_file_of_its_own() {
    let program = Program::start();
    for path in ["/robots.txt", "/paibeta/robots.txt"] {
        let answer = program.client().page(path).expect(200);
        assert!(answer.text().starts_with("User-agent: *\n"), "{path}");
    }
}
