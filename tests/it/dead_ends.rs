//! Where a reporter got stuck, opened: an age that is not one, yes and no at the last question, a question back, an answer
//! to be corrected, a word that stops the account (PRODUCT.md §2).

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk;
use crate::support::http::Client;
use crate::support::program::Program;

fn said(client: &Client, token: &str, text: &str) -> Value {
    turn(client, token, text).expect(200).json()
}

fn back(client: &Client, token: &str, state: &str) -> Value {
    let asked = json!({ "conversation": token, "state": state });
    client.post_json("/chat/back", &asked).expect(200).json()
}

fn texts(reply: &Value) -> Vec<&str> {
    let messages = reply["messages"].as_array().expect("messages");
    messages
        .iter()
        .map(|message| message["text"].as_str().expect("a text"))
        .collect()
}

#[test]
fn an_age_that_is_not_lived_yet_is_asked_again() {
    let program = Program::start();
    let client = program.client();
    let chat = Chat::start(&client);
    for text in [
        "quasi 18",
        "18 quasi",
        "meno di 18",
        "non ho ancora 18 anni",
        "18 non ancora compiuti",
        "tra poco 18",
        "tra 2 anni ne ho 18",
        "fra un mese 18",
        "a dicembre 18",
        "18 sabato",
        "sto per compierne 18",
        "più di 18",
        "18 mesi",
        "< 18",
        "~ 18",
        "circa 18",
        "18 ca.",
        "18 a breve",
        "18+",
        "minorenne, 20",
        "<20",
    ] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(reply["state"], "age_check", "{text}");
        assert_eq!(reply["rule"], "invalid", "{text}");
    }
    for text in [
        "ho 34 anni",
        "34 compiuti",
        "ne ho 34",
        "34 compiuti a marzo",
        "18",
        "18 anni",
        "ho 18 anni",
        "ne ho 18",
        "18 compiuti",
        "18 appena compiuti",
        "Ho compiuto 18 anni!",
        "ho 45 anni e non so che fare",
        "34 anni, più o meno",
    ] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(reply["state"], "collect_name", "{text}");
    }
}

#[test]
fn yes_asks_what_and_every_wording_of_no_closes() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(1);
    let chat = Chat::at_the_end(&client, &person);
    for text in ["sì", "Si!", "sì grazie", "certo", "ok"] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(
            texts(&reply),
            ["Scrivi pure che cosa vuoi aggiungere. Se hai finito, rispondi «no»."],
            "{text}"
        );
        assert_eq!(
            (&reply["finished"], &reply["rule"]),
            (&json!(false), &json!("guided"))
        );
    }
    let panel = program.set_up();
    for text in [
        "no grazie",
        "Nulla",
        "niente.",
        "nient'altro",
        "NIENT’ALTRO",
        "è tutto",
        "no, basta così",
        "No!",
    ] {
        let chat = Chat::at_the_end(&client, &person);
        let reply = said(&client, chat.token(), text);
        let id = reply["reportId"]
            .as_str()
            .unwrap_or_else(|| panic!("{text} closes"));
        assert_eq!(
            panel.report(id)["segnalazione"],
            person.segnalazione,
            "{text}"
        );
    }
    let text = "No, aspetta: il capo si chiama Bruno";
    let reply = said(&client, chat.token(), text);
    let account = panel.report(reply["reportId"].as_str().expect("a report"));
    let account = account["segnalazione"].as_str().expect("an account");
    assert!(
        account.ends_with(&format!("INFORMAZIONI AGGIUNTIVE\n{text}")),
        "{account}"
    );
}

#[test]
fn a_wish_to_correct_or_withdraw_at_the_last_question_files_nothing() {
    let program = Program::start();
    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let held = "Non ho ancora inviato nulla. Per cambiare premi «Correggi»; per lasciar perdere, «Ricomincia».";
    for text in [
        "correggi il nome",
        "modifica la mail",
        "ho sbagliato il cognome",
        "vorrei correggere il telefono",
        "posso correggere?",
        "come faccio a correggere?",
        "posso rivedere?",
        "annulla tutto",
        "non inviare",
        "cancella tutto",
        "ci ho ripensato",
        "ricomincia",
        "Esci",
        "STOP!",
        "aspetta",
        "No, aspetta",
        "un attimo",
        "lascia stare",
    ] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(reply["finished"], false, "{text}");
        assert_eq!(texts(&reply)[0], held, "{text}");
    }
    let reply = said(&client, chat.token(), "ho sbagliato il cognome, è Bianchi");
    assert!(reply["reportId"].is_string(), "{reply}");
}

#[test]
fn a_longer_yes_and_a_short_question_file_nothing() {
    let program = Program::start();
    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let both = "Scrivi pure che cosa vuoi aggiungere. Se hai finito, rispondi «no».";
    for text in [
        "sì, vorrei aggiungere altro",
        "sì, ho altro da aggiungere",
        "sì c'è altro",
        "si una cosa",
        "sì, ho delle foto",
        "sii",
        "sì sì sì",
        "va bene",
    ] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(reply["finished"], false, "{text}");
        assert_eq!(texts(&reply), [both], "{text}");
    }
    for text in ["sì, aspetta", "come allego una foto?", "chi leggerà?"] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(
            (&reply["finished"], &reply["rule"]),
            (&json!(false), &json!("guided")),
            "{text}"
        );
    }
}

#[test]
fn a_correction_can_be_left_with_nothing_changed() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(1);
    let mut token = Chat::at_the_end(&client, &person).token().to_owned();
    for (state, text) in [
        ("collect_name", "no"),
        ("collect_address", "Annulla"),
        ("investigative_questions", "lascia stare"),
    ] {
        let open = back(&client, &token, state);
        let reply = said(
            &client,
            open["conversation"].as_str().expect("a token"),
            text,
        );
        assert_eq!(
            (&reply["state"], &reply["rule"]),
            (&json!("collect_report"), &json!("guided")),
            "{text}"
        );
        token = reply["conversation"].as_str().expect("a token").to_owned();
    }
    let filed = said(&client, &token, "no");
    let report = program
        .set_up()
        .report(filed["reportId"].as_str().expect("a report"));
    assert_eq!(report["nome"], person.nome);
    assert_eq!(report["indirizzo"], person.indirizzo);
    assert_eq!(report["segnalazione"], person.segnalazione);
}

#[test]
fn a_question_back_is_answered_and_the_own_question_put_again() {
    let program = Program::start();
    let client = program.client();
    for (state, _) in Person::numbered(1).answers() {
        let chat = Chat::until(&client, &Person::numbered(1), state);
        for text in [
            "aiuto",
            "?",
            "Chi legge?",
            "posso restare anonimo?",
            "perché me lo chiedi?",
        ] {
            let reply = said(&client, chat.token(), text);
            assert_eq!(
                (&reply["state"], &reply["rule"]),
                (&json!(state), &json!("guided")),
                "{text}"
            );
            let bubbles = texts(&reply);
            assert_eq!(bubbles.len(), 2, "{state}: {text}");
            assert!(bubbles[0].contains("redazione di Le Iene"), "{bubbles:?}");
        }
        if state != "age_check" {
            let reply = said(&client, chat.token(), "Indietro");
            assert!(texts(&reply)[0].contains("«Correggi»"), "{reply}");
        }
    }
    let chat = Chat::until(&client, &Person::numbered(1), "collect_name");
    for (text, rule) in [
        ("Mario Rossi 3", "invalid"),
        ("posso usare un altro nome?", "guided"),
    ] {
        let reply = said(&client, chat.token(), text);
        assert_eq!(
            (&reply["state"], &reply["rule"]),
            (&json!("collect_name"), &json!(rule)),
            "{text}"
        );
    }
}

#[test]
fn a_minor_is_told_where_help_is() {
    let program = Program::start();
    let client = program.client();
    let reply = said(&client, Chat::start(&client).token(), "15");
    let bubbles = texts(&reply);
    assert!(bubbles[0].starts_with("Mi dispiace, non posso raccogliere"));
    assert!(
        bubbles[1].contains("114") && bubbles[1].contains("19696"),
        "{bubbles:?}"
    );
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
        assert_eq!(
            (&reply["blocked"], &reply["rule"]),
            (&json!("carabinieri"), &json!("forbidden"))
        );
        assert!(said(&client, chat.token(), "poco").get("blocked").is_none());
    }
}

#[test]
fn any_answer_can_be_corrected_and_the_conversation_goes_on_where_it_stood() {
    let program = Program::start();
    let client = program.client();
    let (person, other) = (Person::numbered(1), Person::numbered(2));
    let rows = disk::rows(program.data());
    let mut token = Chat::at_the_end(&client, &person).token().to_owned();
    for (state, answer) in other.answers().into_iter().take(7) {
        let asked = back(&client, &token, state);
        assert_eq!(
            (&asked["state"], &asked["finished"]),
            (&json!(state), &json!(false))
        );
        assert_eq!(texts(&asked).len(), 1);
        let open = asked["conversation"].as_str().expect("a token");
        // A refusal keeps the correction open, and so does going elsewhere meanwhile.
        let refused = said(&client, open, "");
        assert_eq!(refused["state"], state);
        let elsewhere = back(&client, open, "age_check");
        let again = back(
            &client,
            elsewhere["conversation"].as_str().expect("a token"),
            state,
        );
        let reply = said(
            &client,
            again["conversation"].as_str().expect("a token"),
            answer,
        );
        assert_eq!(reply["state"], "collect_report", "{state}");
        token = reply["conversation"].as_str().expect("a token").to_owned();
    }
    assert_eq!(disk::rows(program.data()), rows);
    let reply = said(&client, &token, "no");
    let report = program
        .set_up()
        .report(reply["reportId"].as_str().expect("a report"));
    let given = [
        &other.nome,
        &other.cognome,
        &other.telefono,
        &other.email,
        &other.indirizzo,
        &other.segnalazione,
    ];
    for (field, value) in [
        "nome",
        "cognome",
        "telefono",
        "email",
        "indirizzo",
        "segnalazione",
    ]
    .into_iter()
    .zip(given)
    {
        assert_eq!(report[field], *value, "{field}");
    }
    assert_eq!(report["eta"].to_string(), other.eta);
}

#[test]
fn only_what_was_asked_can_be_corrected_and_a_minor_ends_it() {
    let program = Program::start();
    let client = program.client();
    let chat = Chat::until(&client, &Person::numbered(1), "collect_email");
    for state in [
        "collect_address",
        "collect_report",
        "final_question",
        "altro",
        "",
    ] {
        let asked = json!({ "conversation": chat.token(), "state": state });
        let problem = client
            .post_json("/chat/back", &asked)
            .problem(400, "stato-non-valido");
        assert_eq!(problem["detail"], format!("Stato non valido: {state}"));
    }
    let forged = json!({ "conversation": "x", "state": "age_check" });
    client
        .post_json("/chat/back", &forged)
        .problem(400, "token-non-valido");
    let asked = back(&client, chat.token(), "age_check");
    let reply = said(
        &client,
        asked["conversation"].as_str().expect("a token"),
        "16",
    );
    assert_eq!(
        (&reply["finished"], &reply["conversation"]),
        (&json!(true), &json!(""))
    );
    assert!(reply.get("reportId").is_none());
}

#[test]
fn the_last_question_sums_up_what_will_be_sent() {
    let program = Program::start();
    let client = program.client();
    let person = Person::numbered(3);
    let before = Chat::until(&client, &person, "investigative_questions");
    let reply = said(&client, before.token(), &person.segnalazione);
    let summary: Vec<(&str, &str)> = reply["summary"]
        .as_array()
        .expect("a summary")
        .iter()
        .map(|line| {
            (
                line["state"].as_str().unwrap(),
                line["text"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(summary, person.answers()[..7]);
    assert!(
        said(&client, before.token(), "poco")
            .get("summary")
            .is_none()
    );
}

#[test]
fn other_phones_are_taken_only_where_the_newsroom_wants_them() {
    let program = Program::start();
    let client = program.client();
    let panel = program.set_up();
    let person = Person::numbered(1);
    let chat = Chat::until(&client, &person, "collect_phone");
    let numbers = [
        ("06 1234 5678", "+390612345678"),
        ("+41 79 123 45 67", "+41791234567"),
        ("0044 20 7946 0958", "+442079460958"),
    ];
    for (typed, _) in numbers {
        assert_eq!(
            said(&client, chat.token(), typed)["state"],
            "collect_phone",
            "{typed}"
        );
    }
    panel.save("/settings/security", &json!({ "acceptOtherPhones": true }));
    for (typed, kept) in numbers
        .into_iter()
        .chain([("+39 312 3456789", "3123456789")])
    {
        let person = Person {
            telefono: typed.to_owned(),
            ..person.clone()
        };
        assert_eq!(panel.report(&submit(&client, &person))["telefono"], kept);
    }
    for typed in ["12", "telefono", "+39", "800 12"] {
        assert_eq!(
            said(&client, chat.token(), typed)["state"],
            "collect_phone",
            "{typed}"
        );
    }
}

#[test]
fn robots_are_told_in_a_file_of_its_own() {
    let program = Program::start();
    for path in ["/robots.txt", "/paibeta/robots.txt"] {
        let answer = program.client().page(path).expect(200);
        assert!(
            answer.text().starts_with("User-agent: *\n"),
            "{}",
            answer.text()
        );
    }
}
