//! Sixty texts that somebody might send to do harm, in every field of a report: each is kept, listed, opened, searched
//! and handed out as the text it is (PRODUCT.md §2, §3).

use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::http::Answer;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

/// Enough words for an account, behind the payload.
const FILLER: &str = "e poi un racconto abbastanza lungo da bastare, con molte parole e nessun pericolo per chi lo legge domani.";
/// What an e-mail address may hold beside letters and digits (RFC 5321 §4.1.2).
const IN_AN_ADDRESS: &str = "!#$%&'*+/=?^_`{|}~-";

#[derive(Deserialize)]
struct Payload {
    name: String,
    /// As it is sent.
    text: String,
    /// As it is kept, where that differs.
    stored: Option<String>,
}

#[derive(Deserialize)]
struct Payloads {
    payloads: Vec<Payload>,
}

/// A digit in a name is a slip, and what stands behind a comma is asked back.
fn is_no_name(sign: char) -> bool {
    sign.is_numeric() || ",;".contains(sign)
}

impl Payload {
    fn all() -> Vec<Self> {
        let file = include_str!("../vectors/hostile.json");
        let file: Payloads = serde_json::from_str(file).expect("the list");
        assert_eq!(file.payloads.len(), 60);
        file.payloads
    }

    /// As it is kept in a field of several lines.
    fn kept(&self) -> &str {
        self.stored.as_deref().unwrap_or(&self.text)
    }

    /// As it is kept in a field of one line that takes no digits, and ends at a comma.
    fn name_in_line(&self) -> String {
        let without = self.kept().replace(is_no_name, "");
        let words: Vec<&str> = without.split_whitespace().collect();
        words.join(" ")
    }

    /// What of it an e-mail address may hold.
    fn address(&self) -> String {
        let fits = |sign: &char| sign.is_alphanumeric() || IN_AN_ADDRESS.contains(*sign);
        let local: String = self.kept().chars().filter(fits).collect();
        format!("{local}x@esempio.it")
    }

    /// Somebody who answers every question with it that takes any text.
    fn person(&self) -> Person {
        let sent = self.text.trim_end();
        Person {
            nome: self.text.replace(is_no_name, ""),
            cognome: self.text.replace(is_no_name, ""),
            email: self.address(),
            indirizzo: format!("{sent} via della Prova"),
            segnalazione: format!("{sent} {FILLER}"),
            chiusura: self.text.clone(),
            ..Person::numbered(7)
        }
    }

    /// The fields of the report that comes of it.
    fn fields(&self) -> Value {
        let (name, kept) = (self.name_in_line(), self.kept());
        json!({
            "nome": name,
            "cognome": name,
            "telefono": "3000000007",
            "email": self.address(),
            "indirizzo": format!("{kept} via della Prova"),
            "eta": 25,
            "segnalazione": format!("{kept} {FILLER}\n\nINFORMAZIONI AGGIUNTIVE\n{kept}"),
        })
    }
}

/// Every payload in a report of its own, with its id; the note says it too.
fn told(program: &Program, editor: &Editor) -> Vec<(Payload, String)> {
    let tell = |payload: Payload| {
        let id = submit(&program.client(), &payload.person());
        let change = json!({ "note": payload.text });
        editor.patch(&id, &json!(1), &change).expect(200);
        (payload, id)
    };
    Payload::all().into_iter().map(tell).collect()
}

/// Asserts that a report holds these fields and no other content.
fn assert_fields(report: &Value, payload: &Payload, which: &str) {
    for (field, expected) in payload.fields().as_object().expect("fields") {
        if let Some(value) = report.get(field) {
            assert_eq!(value, expected, "{which}, {field}: {}", payload.name);
        }
    }
}

fn is_json(answer: &Answer) -> bool {
    answer.header("content-type") == Some("application/json")
        && answer.header("x-content-type-options") == Some("nosniff")
}

/// Every byte as an address writes it (RFC 3986 §2.1).
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        escaped.push('%');
        escaped.push_str(&hex::encode_upper([byte]));
        escaped
    })
}

#[test]
fn each_is_shown_as_text_in_list_detail_and_backup_and_finds_its_report() {
    let (program, editor) = Program::with_editor();
    let told = told(&program, &editor);
    let backup = editor.read("/backup");
    let list = editor.get("/reports?limit=200").expect(200);
    assert!(is_json(&list), "{:?}", list.headers);
    let rows = list.json()["data"].as_array().expect("rows").clone();
    let kept = backup["reports"].as_array().expect("reports");
    assert_eq!((rows.len(), kept.len()), (60, 60));
    for (((payload, id), row), saved) in told.iter().rev().zip(&rows).zip(kept) {
        assert_eq!((&row["id"], &saved["id"]), (&json!(id), &json!(id)));
        let answer = editor.get(&format!("/reports/{id}")).expect(200);
        assert!(is_json(&answer), "{:?}", answer.headers);
        let report = answer.json();
        for (shown, which) in [(row, "list"), (&report, "detail"), (saved, "backup")] {
            assert_fields(shown, payload, which);
        }
        for noted in [&report, saved] {
            assert_eq!(noted["note"], payload.kept(), "note: {}", payload.name);
        }
        let encoded = escaped(&payload.name_in_line());
        let found = editor.list(&format!("?search={encoded}&limit=200"));
        assert!(ids(&found).contains(id), "search: {}", payload.name);
    }
}

#[test]
fn as_an_answer_of_another_form_each_is_refused_or_ends_the_chat_but_breaks_nothing() {
    let (program, editor) = Program::with_editor();
    for payload in Payload::all() {
        let mut chat = Chat::start(&program.client());
        let reply = chat.say(&payload.text);
        let stays = reply.state == "age_check" && !reply.finished;
        let minor = reply.finished && reply.report_id.is_none();
        assert!(stays || minor, "age: {}: {reply:?}", payload.name);
        for state in ["collect_phone", "collect_email"] {
            let mut chat = Chat::until(&program.client(), &Person::numbered(1), state);
            let reply = chat.say(&payload.text);
            assert_eq!(reply.state, state, "{}", payload.name);
            assert!(
                reply.said.iter().all(|said| !said.contains(payload.kept())),
                "an answer is never read back: {}",
                payload.name
            );
        }
        // A forged token is no conversation, whatever it holds.
        turn(&program.client(), &payload.text, "34").problem(400, "token-non-valido");
        let encoded = escaped(&payload.text);
        editor.get(&format!("/reports/{encoded}")).not_found();
    }
    assert_eq!(editor.list("")["counters"]["total"], 0);
}
