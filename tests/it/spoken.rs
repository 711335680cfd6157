//! People who talk instead of filling in: dictated, in dialect, impatient, old, afraid. Each gets to a whole report, and no
//! field holds what does not belong there (PRODUCT.md §2).

use serde_json::{Value, json};

use crate::support::chat::{last_turn, turn};
use crate::support::http::Client;
use crate::support::program::Program;

const STORY: &str = "Da tre notti in reparto siamo in due per quarantadue ospiti, e il direttore dice di legare quelli che si alzano.";
const GRAVE: &str = "Non ce la faccio più con questa banca che mi ha tolto tutto: stanotte mi ammazzo, ho già scritto la lettera.";

/// Stands for what the box holds when the question for the account is put.
const BOX: &str = "<box>";
/// Stands for the last of the buttons.
const BUTTON: &str = "<button>";

struct Talk {
    who: &'static str,
    settings: Value,
    answers: &'static [&'static str],
    /// Name, surname, telephone, e-mail, address, account.
    report: [&'static str; 6],
}

fn talks() -> Vec<Talk> {
    let talk = |who, answers, report| Talk {
        who,
        settings: json!({}),
        answers,
        report,
    };
    let with = |settings, who, answers, report| Talk {
        who,
        settings,
        answers,
        report,
    };
    vec![
        talk(
            "dictates, and begins with the story",
            &[
                STORY,
                "quarantadue",
                "sì",
                "Mi chiamo Teresa Rossi",
                "sì",
                "il mio numero è 333 987 6543",
                "la mia mail è teresa punto rossi chiocciola posta punto it",
                "sì",
                "via Roma 12, Napoli",
                BOX,
                "invia",
            ],
            [
                "Teresa",
                "Rossi",
                "3339876543",
                "teresa.rossi@posta.it",
                "via Roma 12, Napoli",
                STORY,
            ],
        ),
        with(
            json!({ "emailRequired": false }),
            "is eighty-three and has no e-mail",
            &[
                "ho ottantatré anni",
                "sì",
                "buonasera, sono la signora Concetta Lo Cascio",
                "sì",
                "333/1234567",
                "non ce l'ho",
                "via Etnea 5, Catania",
                STORY,
                "manda pure",
            ],
            [
                "Concetta",
                "Lo Cascio",
                "3331234567",
                "",
                "via Etnea 5, Catania",
                STORY,
            ],
        ),
        talk(
            "is in a hurry and repeats nothing",
            &[
                "42",
                "Marco Bianchi",
                "te l'ho già detto",
                "sì",
                "39 333 123 4567",
                "m@b.it",
                "corso Italia 9 Roma",
                STORY,
                "ok invia",
            ],
            [
                "Marco",
                "Bianchi",
                "3331234567",
                "m@b.it",
                "corso Italia 9 Roma",
                STORY,
            ],
        ),
        talk(
            "speaks Neapolitan",
            &[
                "tengo cinquantott'anni",
                "sì",
                "me chiamo Gennaro Esposito",
                "sì",
                "333.123.45.67",
                "gennaro@posta.it",
                "vico Lungo 3, Napule",
                "'O direttore ce fa faticà senza casco 'ncopp' 'o ponte, e chi parla perde 'o posto dimane.",
                "no",
            ],
            [
                "Gennaro",
                "Esposito",
                "3331234567",
                "gennaro@posta.it",
                "vico Lungo 3, Napule",
                "'O direttore ce fa faticà senza casco 'ncopp' 'o ponte, e chi parla perde 'o posto dimane.",
            ],
        ),
        talk(
            "is furious",
            &[
                "MA CHE VI IMPORTA",
                "51",
                "NON TE LO DICO",
                "no",
                "MARIO",
                "VERDI",
                "333 123 45",
                "3331234567",
                "mario@verdi",
                "mario@verdi.it",
                "Milano",
                "via Po 3, Milano",
                "SCHIFO",
                STORY,
                "MANDA",
            ],
            [
                "MARIO",
                "VERDI",
                "3331234567",
                "mario@verdi.it",
                "via Po 3, Milano",
                STORY,
            ],
        ),
        talk(
            "is afraid, and tells it where the name is asked",
            &[
                "34",
                GRAVE,
                "Anna",
                "Neri",
                "3331234567",
                "anna@neri.it",
                "via Verdi 8, Bari",
                BOX,
                "sì",
                "sì, invia",
            ],
            [
                "Anna",
                "Neri",
                "3331234567",
                "anna@neri.it",
                "via Verdi 8, Bari",
                GRAVE,
            ],
        ),
        talk(
            "knows the year of birth better than the age",
            &[
                "sono nata il 12 marzo 1980",
                BUTTON,
                "il mio nome è Giulia",
                "di cognome faccio De Luca",
                "3331234567",
                "giulia@posta.it",
                "piazza Dante 1, Lecce",
                STORY,
                "inviala",
            ],
            [
                "Giulia",
                "De Luca",
                "3331234567",
                "giulia@posta.it",
                "piazza Dante 1, Lecce",
                STORY,
            ],
        ),
        talk(
            "greets instead of answering",
            &[
                "ciao",
                "29 anni compiuti",
                "buongiorno",
                "no",
                "Luca",
                "mi chiamo Luca Ferri",
                "333 123 4567",
                "chi legge?",
                "luca@ferri.it",
                "largo Augusto 2 Milano",
                "non so da dove cominciare",
                STORY,
                "ok",
                "niente",
            ],
            [
                "Luca",
                "Ferri",
                "3331234567",
                "luca@ferri.it",
                "largo Augusto 2 Milano",
                STORY,
            ],
        ),
        with(
            json!({ "acceptOtherPhones": true }),
            "calls from abroad",
            &[
                "sessanta",
                "sì",
                "sono Ion Popescu",
                "sì",
                "+40 21 312 3456",
                "ion@posta.ro",
                "Strada Lungă 4, Brașov",
                STORY,
                "invia la segnalazione",
            ],
            [
                "Ion",
                "Popescu",
                "+40213123456",
                "ion@posta.ro",
                "Strada Lungă 4, Brașov",
                STORY,
            ],
        ),
        with(
            json!({ "phoneRequired": false, "emailRequired": false, "addressRequired": false }),
            "has nothing but a name",
            &[
                "trentanove",
                "sì",
                "Ho Chi Minh",
                "sì",
                "Le",
                "non ho il telefono",
                "non uso la mail",
                "senza fissa dimora",
                STORY,
                "procedi",
            ],
            ["Ho Chi Minh", "Le", "", "", "", STORY],
        ),
    ]
}

fn hold(client: &Client, Talk { who, answers, .. }: &Talk) -> Value {
    let mut reply = client.post_json("/chat", &json!({})).expect(200).json();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(reply["finished"], false, "{who}: ended before «{answer}»");
        let token = reply["conversation"].as_str().expect("a token");
        let said = match *answer {
            BOX => reply["prefill"].as_str().expect("what was told before"),
            BUTTON => {
                let options = reply["question"]["options"].as_array().expect("buttons");
                options.last().expect("a button")["text"]
                    .as_str()
                    .expect("words")
            }
            words => words,
        };
        let last = number + 1 == answers.len();
        let answered = if last {
            last_turn(client, token, said)
        } else {
            turn(client, token, said)
        };
        reply = answered.expect(200).json();
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
        let kept = [
            "nome",
            "cognome",
            "telefono",
            "email",
            "indirizzo",
            "segnalazione",
        ]
        .map(|field| report[field].as_str().unwrap_or_default());
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
    assert_eq!(
        (&reply["rule"], &reply["state"]),
        (&json!("kept"), &json!("age_check"))
    );
    let held: Vec<&Value> = reply["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter(|message| message["hold"] == true)
        .collect();
    assert_eq!(held.len(), 1);
    assert!(
        held[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("112"))
    );
}
