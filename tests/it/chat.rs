//! The conversation as a reporter lives it: nine states, the words for each mistake, both ways of closing, and what
//! becomes of the answers (PRODUCT.md §3).

use serde_json::json;

use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk;
use crate::support::program::Program;
use segnalazioni::testing::vault::{KeyFile, Vault};

const LEGAL: &str = "Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.";
const TOO_SHORT: &str = "Per favore, raccontami più nel dettaglio la situazione. Servono almeno 70 caratteri e 10 parole.";

/// The state that waits for an answer, answers it refuses, and the words of the refusal.
const REFUSED: [(&str, &[&str], &str); 9] = [
    (
        "age_check",
        &[
            "",
            "  ",
            "trenta",
            "0",
            "121",
            "-5",
            "34,5",
            "tra 30 e 40",
            "meno 5",
            "½",
        ],
        "Inserisci un'età valida (numero).",
    ),
    (
        "collect_name",
        &["", " A ", "\u{200b}\u{200b}"],
        "Inserisci un nome valido (almeno 2 caratteri).",
    ),
    (
        "collect_surname",
        &["", "R", "\t"],
        "Inserisci un cognome valido (almeno 2 caratteri).",
    ),
    (
        "collect_phone",
        &[
            "",
            "0612345678",
            "312345678",
            "31234567890",
            "+41 312 3456789",
            "312345678a",
        ],
        "Numero non valido. Inserisci 10 cifre che iniziano con 3 (es: 3123456789).",
    ),
    (
        "collect_email",
        &[
            "",
            "anna",
            "anna@",
            "anna@esempio",
            "anna rossi@esempio.it",
            "a@b@esempio.it",
            "@esempio.it",
        ],
        "Email non valida. Inserisci un indirizzo email corretto.",
    ),
    (
        "collect_address",
        &["", "Via Roma1", "          Via          "],
        "Inserisci un indirizzo completo (almeno 10 caratteri).",
    ),
    (
        "investigative_questions",
        &[
            "",
            "Troppo poco.",
            "una due tre quattro cinque sei sette otto nove dieci undici",
            "parolelunghissimesenzaspazichesuperanodiparecchioilsettantesimocarattererichiesto",
        ],
        TOO_SHORT,
    ),
    (
        "investigative_questions",
        &[
            "Ho parlato con il mio AVVOCATO e poi con il sindaco, che mi ha risposto di lasciar perdere tutto.",
            "i Carabinieri",
        ],
        LEGAL,
    ),
    (
        "collect_report",
        &["chiedo agli avvocatini", "no, carabiniere"],
        LEGAL,
    ),
];

#[test]
fn the_welcome_introduces_itself_and_asks_the_age_in_one_bubble() {
    let program = Program::start();
    let Reply {
        state,
        said,
        finished,
        report_id,
        conversation,
    } = Chat::start(&program.client()).reply;
    assert_eq!(
        (state.as_str(), said.len(), finished),
        ("age_check", 1, false)
    );
    assert!(report_id.is_none() && !conversation.is_empty());
    for part in [
        "PelazzAI",
        "Le Iene",
        "ti contatterà",
        "forze dell'ordine",
        "quanti anni hai?",
    ] {
        assert!(said[0].contains(part), "{part}: {}", said[0]);
    }
}

#[test]
fn a_whole_conversation_passes_through_every_state_and_ends_with_a_report() {
    let program = Program::start();
    let person = Person::numbered(7);
    let mut chat = Chat::start(&program.client());
    for (number, (state, answer)) in person.answers().into_iter().enumerate() {
        assert_eq!(chat.reply.state, state);
        assert!(!chat.reply.finished);
        let reply = chat.say(answer);
        // An acknowledgement and the next question; at the end only the farewell.
        let bubbles = if number == 7 { 1 } else { 2 };
        assert_eq!(reply.said.len(), bubbles, "{state}: {:?}", reply.said);
    }
    let Reply {
        conversation,
        said,
        finished,
        report_id,
        ..
    } = chat.reply;
    assert_eq!((conversation.as_str(), finished), ("", true));
    assert!(said[0].starts_with("Grazie: la tua segnalazione è stata trasmessa"));
    let id = report_id.expect("a report");
    assert_eq!((id.len(), id.matches('-').count()), (36, 4));
}

#[test]
fn each_wrong_answer_is_refused_in_its_own_words_and_nothing_is_lost() {
    let program = Program::start();
    let person = Person::numbered(3);
    for (state, answers, words) in REFUSED {
        let mut chat = Chat::until(&program.client(), &person, state);
        for answer in answers {
            let reply = chat.say(answer);
            assert_eq!(reply.said, [words], "{state}: {answer:?}");
            assert_eq!((reply.state.as_str(), reply.finished), (state, false));
        }
        // What was answered before the mistakes is still there: the conversation can be finished.
        let rest = person.answers();
        let rest = rest.iter().skip_while(|(asked, _)| *asked != state);
        for (_, answer) in rest {
            chat.say(answer);
        }
        assert!(chat.reply.report_id.is_some(), "{state}");
    }
}

#[test]
fn longer_than_can_be_stored_is_refused_with_the_figure_and_the_conversation_goes_on() {
    let program = Program::start();
    let person = Person::numbered(4);
    let long = |length: usize| "è ".repeat(length / 2) + "fine";
    for (state, answer, words) in [
        (
            "collect_name",
            long(102),
            "Il nome supera il limite: al massimo 100 caratteri",
        ),
        (
            "collect_surname",
            long(102),
            "Il cognome supera il limite: al massimo 100 caratteri",
        ),
        (
            "collect_address",
            long(302),
            "L'indirizzo supera il limite: al massimo 300 caratteri",
        ),
        (
            "investigative_questions",
            long(20_002),
            "Il racconto supera il limite: al massimo 20.000 caratteri",
        ),
        (
            "collect_report",
            long(20_002),
            "Il testo aggiuntivo supera il limite: al massimo 20.000 caratteri",
        ),
    ] {
        let mut chat = Chat::until(&program.client(), &person, state);
        let reply = chat.say(&answer);
        assert!(
            reply.said[0].starts_with(words),
            "{state}: {:?}",
            reply.said
        );
        assert_eq!(reply.state, state);
    }
}

#[test]
fn the_longest_report_there_can_be_goes_through() {
    let program = Program::start();
    // Twenty thousand characters of four bytes: the largest token and the largest body.
    let account = "😀 ".repeat(9_999) + "fi";
    let person = Person {
        nome: "è".repeat(100),
        indirizzo: "😀".repeat(300),
        segnalazione: account.clone(),
        chiusura: account.clone(),
        ..Person::numbered(5)
    };
    let id = submit(&program.client(), &person);
    let report = program.set_up().report(&id);
    let expected = format!("{account}\n\nINFORMAZIONI AGGIUNTIVE\n{account}");
    assert_eq!(report["segnalazione"], expected);
    assert_eq!(report["nome"], person.nome);
}

#[test]
fn answers_are_stored_in_their_plain_form() {
    let program = Program::start();
    let person = Person {
        eta: " ho 34 anni ".to_owned(),
        nome: "  Jose\u{301}   Maria ".to_owned(),
        cognome: "De\tRossi".to_owned(),
        telefono: "+39 (333) 12.34-567".to_owned(),
        email: " Anna.Rossi@Esempio.IT ".to_owned(),
        ..Person::numbered(6)
    };
    let id = submit(&program.client(), &person);
    let report = program.set_up().report(&id);
    let stored = [
        ("eta", json!(34)),
        ("nome", json!("Jos\u{e9} Maria")),
        ("cognome", json!("De Rossi")),
        ("telefono", json!("3331234567")),
        ("email", json!("Anna.Rossi@Esempio.IT")),
        ("indirizzo", json!(person.indirizzo)),
        ("segnalazione", json!(person.segnalazione)),
        ("stato", json!("Nuova")),
        ("note", json!("")),
        ("data_creazione", json!("2026-03-10T09:00:00Z")),
    ];
    for (field, value) in stored {
        assert_eq!(report[field], value, "{field}");
    }
}

#[test]
fn both_ways_of_closing_finish() {
    let program = Program::start();
    let editor = program.set_up();
    for closing in ["no", " NO. ", "Niente", "basta"] {
        let person = Person {
            chiusura: closing.to_owned(),
            ..Person::numbered(8)
        };
        let report = editor.report(&submit(&program.client(), &person));
        assert_eq!(report["segnalazione"], person.segnalazione, "{closing}");
    }
    let person = Person {
        chiusura: "Ho anche le targhe dei camion.".to_owned(),
        ..Person::numbered(9)
    };
    let report = editor.report(&submit(&program.client(), &person));
    let expected = format!(
        "{}\n\nINFORMAZIONI AGGIUNTIVE\nHo anche le targhe dei camion.",
        person.segnalazione
    );
    assert_eq!(report["segnalazione"], expected);
}

#[test]
fn a_minor_is_sent_away_and_nothing_of_it_is_kept() {
    let program = Program::start();
    let before = disk::rows(program.data());
    let mut chat = Chat::start(&program.client());
    let token = chat.token().to_owned();
    let reply = chat.say("ho 17 anni e mi chiamo Zefirino Spaventapasseri");
    let farewell =
        "Mi dispiace, non posso raccogliere segnalazioni da minorenni. La chat termina qui.";
    assert_eq!(reply.said, [farewell]);
    assert!(reply.finished && reply.conversation.is_empty() && reply.report_id.is_none());
    assert_eq!(disk::rows(program.data()), before);
    for text in ["ho 17 anni", "Zefirino", "Spaventapasseri", &token] {
        assert!(
            disk::holding(program.data(), text.as_bytes()).is_empty(),
            "{text}"
        );
    }
    // The control: a report does leave rows.
    submit(&program.client(), &Person::numbered(1));
    assert_ne!(disk::rows(program.data()), before);
}

#[test]
fn nothing_is_kept_of_a_conversation_that_is_not_finished() {
    let program = Program::start();
    let before = disk::rows(program.data());
    Chat::at_the_end(&program.client(), &Person::numbered(2));
    assert_eq!(disk::rows(program.data()), before);
}

#[test]
fn a_state_of_another_version_is_named() {
    let program = Program::start();
    let keys = KeyFile::load(&program.config().key_file).expect("the key file");
    let public = keys.newsroom.as_ref().expect("a copy").private.public_key();
    let vault = Vault::new(&keys, public).expect("a vault");
    let held = json!({
        "id": "00000000-0000-4000-8000-000000000000", "state": "collect_dreams", "draft": {}, "privacy": "x",
    });
    let token = vault
        .seal_token(held.to_string().as_bytes())
        .expect("a token");
    let problem = turn(&program.client(), &token, "34").problem(400, "stato-non-valido");
    assert_eq!(problem["detail"], "Stato non valido: collect_dreams");
}
