//! Sixty texts that somebody might send to do harm, in every field of a report: each is kept, listed, opened, searched
//! and handed out as the text it is (PRODUCT.md §3, §4).

use segnalazioni::testing::deliveries;
use segnalazioni::testing::deliveries::Mail;
use segnalazioni::testing::domain::{EmailContent, WebhookPayload};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::http::Answer;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

/// Enough words for an account, behind the payload.
const FILLER: &str = "e poi un racconto abbastanza lungo da bastare, con molte parole e nessun pericolo per chi lo legge domani.";
/// What an e-mail address cannot hold, beside blanks.
const NOT_IN_AN_ADDRESS: &str = "()<>[]:;,\\\"@";

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

    /// As it is kept in a field of one line.
    fn line(&self) -> String {
        let words: Vec<&str> = self.kept().split_whitespace().collect();
        words.join(" ")
    }

    /// What of it an e-mail address may hold.
    fn address(&self) -> String {
        let fits = |character: &char| {
            !character.is_whitespace() && !NOT_IN_AN_ADDRESS.contains(*character)
        };
        let local: String = self.kept().chars().filter(fits).collect();
        format!("{local}x@esempio.it")
    }

    /// Somebody who answers every question with it that takes any text.
    fn person(&self) -> Person {
        let sent = self.text.trim_end();
        Person {
            nome: self.text.clone(),
            cognome: self.text.clone(),
            email: self.address(),
            indirizzo: format!("{sent} via della Prova"),
            segnalazione: format!("{sent} {FILLER}"),
            chiusura: self.text.clone(),
            ..Person::numbered(7)
        }
    }

    /// The fields of the report that comes of it.
    fn fields(&self) -> Value {
        let (line, kept) = (self.line(), self.kept());
        json!({
            "nome": line,
            "cognome": line,
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
    let program = Program::start();
    let editor = program.set_up();
    let told = told(&program, &editor);
    let backup = editor.get("/backup").expect(200).json();
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
        let encoded = escaped(&payload.text);
        let found = editor.list(&format!("?search={encoded}&limit=200"));
        assert!(ids(&found).contains(id), "search: {}", payload.name);
    }
}

/// The rows of a CSV file as RFC 4180 defines them, with `;` between cells: whatever a cell holds.
pub fn csv(text: &str) -> Vec<Vec<String>> {
    let mut rest = text.strip_prefix('\u{FEFF}').expect("a mark of UTF-8");
    let mut rows = vec![Vec::new()];
    while !rest.is_empty() {
        rest = rest.strip_prefix('"').expect("a quoted cell");
        let mut cell = String::new();
        loop {
            let (part, after) = rest.split_once('"').expect("the cell's end");
            cell += part;
            rest = after;
            let Some(more) = rest.strip_prefix('"') else {
                break;
            };
            cell.push('"');
            rest = more;
        }
        rows.last_mut().expect("a row").push(cell);
        if let Some(next) = rest.strip_prefix("\r\n") {
            rest = next;
            rows.push(Vec::new());
        } else {
            rest = rest.strip_prefix(';').expect("a separator");
        }
    }
    assert_eq!(rows.pop(), Some(Vec::new()), "the last row is ended");
    rows
}

/// Whether a spreadsheet would run the cell: blanks and what takes no ink do not protect from it.
fn runs(cell: &str) -> bool {
    let seen = cell.trim_start_matches(|character: char| {
        character.is_whitespace() || ('\u{200B}'..='\u{200F}').contains(&character)
    });
    seen.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || cell.starts_with(['\t', '\r', '\0'])
}

#[test]
fn each_is_one_cell_of_the_csv_that_no_spreadsheet_runs() {
    let program = Program::start();
    let editor = program.set_up();
    let told = told(&program, &editor);
    let answer = editor.get("/reports/export.csv").expect(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8; header=present")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let mut rows = csv(answer.text());
    rows.remove(0);
    assert_eq!(rows.len(), 60);
    let mut disarmed = 0;
    for ((payload, id), row) in told.iter().rev().zip(&rows) {
        let fields = payload.fields();
        let text = |field: &str| fields[field].as_str().expect("a text").to_owned();
        let name = format!("{} {}", text("nome"), text("cognome"));
        let (email, address, account) = (text("email"), text("indirizzo"), text("segnalazione"));
        assert_eq!(row.len(), 8, "{}", payload.name);
        assert_eq!(row[0], **id);
        for (cell, expected) in [(1, name), (3, email), (4, address), (7, account)] {
            let cell = &row[cell];
            assert!(!runs(cell), "{}: {cell}", payload.name);
            let wanted = if runs(&expected) {
                disarmed += 1;
                format!("'{expected}")
            } else {
                expected
            };
            assert_eq!(*cell, wanted, "{}", payload.name);
        }
    }
    assert!(disarmed > 20, "only {disarmed} cells were formulas");
}

#[test]
fn as_an_answer_of_another_form_each_is_refused_or_ends_the_chat_but_breaks_nothing() {
    let program = Program::start();
    let editor = program.set_up();
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
        editor
            .get(&format!("/reports/{encoded}"))
            .problem(404, "non-trovato");
    }
    assert_eq!(editor.list("")["counters"]["total"], 0);
}

/// What mail and webhook are given of this report.
fn payload_of(payload: &Payload) -> segnalazioni::testing::domain::Payload {
    let mut fields = payload.fields();
    let more = json!({
        "id": "0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11",
        "data_creazione": 1_772_000_000_000_i64,
        "department": "Redazione Generale",
        "department_key": "generale",
        "email_recipient": "redazione@esempio.it",
        "routing_reason": "Nessun reparto",
        "matched_keywords": [payload.kept()],
        "urgente": null, "urgent": false,
    });
    let all = fields.as_object_mut().expect("fields");
    all.extend(more.as_object().expect("fields").clone());
    serde_json::from_value(fields).expect("a payload")
}

fn letter(payload: &Payload) -> Mail {
    let payload = payload_of(payload);
    crate::mail_letters::report_mail(EmailContent::Completa, &payload)
}

/// The text that a browser shows for escaped HTML.
fn unescaped(html: &str) -> String {
    let signs = [
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#38;", "&"),
    ];
    signs
        .into_iter()
        .fold(html.to_owned(), |text, (code, sign)| {
            text.replace(code, sign)
        })
}

#[test]
fn each_is_text_in_the_mail_and_never_a_header() {
    let harmless = Payload {
        name: "harmless".to_owned(),
        text: "Mario".to_owned(),
        stored: None,
    };
    let tags = |mail: &Mail| mail.html.matches('<').count();
    let (plain, subject) = (tags(&letter(&harmless)), letter(&harmless).subject);
    for payload in Payload::all() {
        let mail = letter(&payload);
        let (text, html) = (&mail.text, unescaped(&mail.html));
        assert_eq!(tags(&mail), plain, "markup: {}", payload.name);
        for field in ["nome", "email", "indirizzo", "segnalazione"] {
            let fields = payload.fields();
            let value = fields[field].as_str().expect("a text");
            assert!(text.contains(value), "text, {field}: {}", payload.name);
            assert!(html.contains(value), "html, {field}: {}", payload.name);
        }
        assert_eq!(mail.subject, subject, "{}", payload.name);
        assert_eq!(mail.to, "ambiente@esempio.it");
        let answers = mail.reply_to.as_deref().unwrap_or_default();
        assert!(
            !answers.contains(['\r', '\n', ' ', ',', '<', '>']),
            "reply to {answers}: {}",
            payload.name
        );
    }
}

#[test]
fn each_is_text_in_the_call_of_the_webhook() {
    for payload in Payload::all() {
        let sent = deliveries::body(&payload_of(&payload), WebhookPayload::Full, "");
        let sent: Value = serde_json::from_slice(&sent).expect("JSON");
        let members = sent["data"].as_object().expect("data");
        assert_eq!(members.len(), 10, "{}", payload.name);
        assert_fields(&sent["data"], &payload, "webhook");
    }
}
