//! A clean copy: what its mask covers is in no byte of what leaves (PRODUCT.md §19).

use rawzip::ZipArchive;
use serde_json::{Value, json};
use std::io::Read;

use crate::attachments::IPHONE;
use crate::support::attachments::Files;
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::panel::Editor;
use crate::support::program::Program;

/// A canary a field.
fn canary(number: usize) -> Person {
    let letters = crate::support::chat::letters(number);
    Person::telling(
        number,
        &format!(
            "Mi chiamo Zaccaria Canarino{letters} e mia moglie Ludovica lo sa. Il furgone targato CA{number:03}RY \
             stava in via dei Canarini {number}, il mio numero è 0341 55{number:04}, la mail canarino{number}@example.it."
        ),
    )
}

fn tell(program: &Program, number: usize) -> String {
    let client = program.client();
    let chat = Chat::at_the_end(&client, &canary(number));
    let files = Files::of(&client, chat.token());
    files.attach(&format!("foto di Ludovica {number}.jpg"), IPHONE);
    let last = Reply::of(&turn(&client, chat.token(), "no"));
    last.report_id.expect("a report")
}

/// The name and the bytes of each entry.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let archive = ZipArchive::from_slice(bytes).expect("an archive");
    let entries = archive.entries().map(|entry| {
        let entry = entry.expect("an entry");
        let name = entry
            .file_path()
            .try_normalize()
            .expect("a name")
            .as_ref()
            .to_owned();
        let found = archive.get_entry(entry.wayfinder()).expect("its bytes");
        let mut content = Vec::new();
        found
            .verifying_reader(found.data())
            .read_to_end(&mut content)
            .expect("whole");
        (name, content)
    });
    entries.collect()
}

/// Saves a mask that takes every proposal.
fn cover(editor: &Editor, id: &str) -> Value {
    let path = format!("/reports/{id}/mask");
    let mask = editor.read(&path);
    let proposals = mask["proposals"].as_array().expect("proposals");
    let span = |one: &Value| json!({ "start": one["start"], "end": one["end"] });
    let spans: Vec<Value> = proposals.iter().map(span).collect();
    let body =
        json!({ "fields": mask["fields"], "spans": spans, "textVersion": mask["textVersion"] });
    let saved = editor
        .api("PUT", &path)
        .header("if-match", "\"0\"")
        .json(&body)
        .send();
    saved.expect(200).json()
}

#[test]
fn no_covered_character_is_in_what_leaves() {
    let (program, editor) = Program::with_editor();
    let id = tell(&program, 7);
    let path = format!("/reports/{id}/redacted.zip");
    editor.get(&path).conflict();
    let saved = cover(&editor, &id);
    has!(saved, "saved": true);
    let copy = editor.get(&format!("{path}?attachments=1")).expect(200);
    copy.has_headers(&[("content-type", "application/zip")]);
    let entries = entries(&copy.body);
    let names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["copia-oscurata.txt", "allegati/01.jpg"]);
    let text = String::from_utf8(entries[0].1.clone()).expect("text");
    assert!(
        text.contains("Mi chiamo █████ e mia moglie █████ lo sa."),
        "{text}"
    );
    let person = canary(7);
    let secrets = [
        &*person.nome,
        &person.cognome,
        &person.telefono,
        &person.email,
        &person.indirizzo,
    ];
    let placed = [
        "Zaccaria",
        "Canarino",
        "Ludovica",
        "CA007RY",
        "via dei Canarini",
        "550007",
        "canarino7@",
    ];
    for secret in secrets.into_iter().chain(placed) {
        assert!(!text.contains(secret), "{secret}: {text}");
        let raw = secret.as_bytes();
        assert!(
            !copy.body.windows(raw.len()).any(|part| part == raw),
            "{secret}"
        );
    }
    assert_eq!(editor.rows("/logs?action=EXPORT_REDACTED").len(), 1);
    let events = &editor.report(&id)["storia"];
    assert!(events.to_string().contains("esportata"));
}

#[test]
fn a_mask_is_saved_on_the_version_that_was_seen() {
    let (program, editor) = Program::with_editor();
    let id = tell(&program, 8);
    let path = format!("/reports/{id}/mask");
    let first = editor.get(&path).expect(200);
    assert_eq!(first.header("etag"), Some("\"0\""));
    let mask = first.json();
    has!(mask, "saved": false, "spans": [], "fields": ["nome", "cognome", "eta", "telefono", "email", "indirizzo"]);
    let put = |version: Option<&str>, body: &Value| {
        let request = editor.api("PUT", &path).json(body);
        match version {
            Some(version) => request.header("if-match", version).send(),
            None => request.send(),
        }
    };
    let body = |change: (&str, Value)| {
        let mut body = json!({ "fields": ["nome"], "spans": [{ "start": 0, "end": 5 }], "textVersion": mask["textVersion"] });
        body[change.0] = change.1;
        body
    };
    let whole = body(("fields", json!(["nome"])));
    put(None, &whole).problem(428, "versione-richiesta");
    put(Some("\"3\""), &whole).problem(412, "versione-superata");
    put(Some("\"0\""), &body(("textVersion", json!("00")))).problem(412, "versione-superata");
    for (field, value) in [
        ("fields", json!(["note"])),
        ("spans", json!([{ "start": 5, "end": 5 }])),
        ("spans", json!([{ "start": 0, "end": 9_999 }])),
    ] {
        assert_eq!(
            put(Some("\"0\""), &body((field, value))).refused_fields(),
            [field]
        );
    }
    put(Some("\"0\""), &whole).expect(200);
    let saved = editor.get(&path).expect(200);
    assert_eq!(saved.header("etag"), Some("\"1\""));
    has!(saved.json(), "saved": true, "fields": ["nome"], "spans": [{ "start": 0, "end": 5 }]);
    program.hides(&["Ludovica"]);
    editor.erase(&id).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM masks"), 0);
}
