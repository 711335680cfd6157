//! A clean copy: what its mask covers is in no byte of what leaves (PRODUCT.md §19).

use rawzip::ZipArchive;
use serde_json::{Value, json};
use std::io::Read;

use crate::attachments::IPHONE;
use crate::callouts;
use crate::support::MINUTE;
use crate::support::attachments::{Files, photo};
use crate::support::chat::{Person, letters, submit, turn};
use crate::support::http::Client;
use crate::support::panel::Editor;
use crate::support::program::Program;

/// A callout that asks for all that can be asked for.
fn callout() -> Value {
    let fields = ["nome", "cognome", "telefono", "email", "indirizzo"];
    let personal = fields.map(|field| (field.to_owned(), json!("required")));
    let personal: serde_json::Map<String, Value> = personal.into_iter().collect();
    json!({
        "slug": "canarini", "title": "Canarini", "intro": "Raccontate.", "closedText": "È finita, grazie.",
        "department": "generale", "attachments": true, "account": "required", "personal": personal,
        "questions": [{ "key": "chi", "kind": "text", "text": "Chi c'era?", "required": true }],
    })
}

/// A canary in each field and in each place of the account.
fn canary(number: usize) -> Person {
    let letters = letters(number);
    Person::telling(
        number,
        &format!(
            "Mi chiamo Zaccaria Canarino{letters} e mia moglie Ludovica lo sa. Il furgone targato CA{number:03}RY \
             stava in via dei Canarini {number}, il mio numero è 0341 55{number:04}, la mail canarino{number}@example.it."
        ),
    )
}

/// A canary in the answer.
fn witness(number: usize) -> String {
    format!("Testimone{}", letters(number))
}

/// What must not leave of it.
fn secrets(number: usize) -> Vec<String> {
    let person = canary(number);
    let fields = [
        person.nome,
        person.cognome,
        person.telefono,
        person.email,
        person.indirizzo,
    ];
    let placed = [
        "Zaccaria".to_owned(),
        "Canarino".to_owned(),
        "Ludovica".to_owned(),
        format!("CA{number:03}RY"),
        "via dei Canarini".to_owned(),
        format!("55{number:04}"),
        format!("canarino{number}@"),
        witness(number),
    ];
    fields.into_iter().chain(placed).collect()
}

/// Answers the callout, with one picture.
fn tell(client: &Client, number: usize, picture: &[u8]) -> String {
    let (person, witness) = (canary(number), witness(number));
    let begun = client.post_json("/chat", &json!({ "callout": "canarini" }));
    let mut reply = begun.expect(200).json();
    while reply["finished"] != true {
        let token = reply["conversation"].as_str().expect("a token").to_owned();
        let state = reply["state"].as_str().expect("a state");
        if state == "collect_report" {
            let files = Files::of(client, &token);
            files.attach(&format!("foto di Ludovica {number}.jpg"), picture);
        }
        let known = person
            .answers()
            .into_iter()
            .find(|(asked, _)| *asked == state);
        let said = known.map_or(&*witness, |(_, said)| said);
        reply = turn(client, &token, said).expect(200).json();
    }
    reply["reportId"].as_str().expect("a report").to_owned()
}

fn with_callout() -> (Program, Editor) {
    let (program, editor) = Program::with_editor();
    editor.expects_a_flood();
    callouts::open(&editor, &callout());
    (program, editor)
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

/// Where one of these stands: in an archive as it travels, in the name of an entry, or in what the entry holds.
fn leaks(archive: &[u8], secrets: &[String]) -> Vec<String> {
    let mut places = vec![("archive".to_owned(), archive.to_vec())];
    for (name, content) in entries(archive) {
        places.push((format!("name of {name}"), name.clone().into_bytes()));
        places.push((name, content));
    }
    let stands = |bytes: &[u8], secret: &String| {
        let raw = secret.as_bytes();
        bytes.windows(raw.len()).any(|part| part == raw)
    };
    let of_place = |(place, bytes): &(String, Vec<u8>)| -> Vec<String> {
        let found = secrets.iter().filter(|secret| stands(bytes, secret));
        found.map(|secret| format!("{secret} in {place}")).collect()
    };
    places.iter().flat_map(of_place).collect()
}

/// Reports of which every clean copy is searched.
const REPORTS: usize = 200;

#[test]
fn no_covered_character_of_two_hundred_reports_is_in_what_leaves() {
    let (program, editor) = with_callout();
    let client = program.client();
    let mut found = Vec::new();
    for number in 1..=REPORTS {
        let id = tell(&client, number, IPHONE);
        let path = format!("/reports/{id}/redacted");
        let secrets = secrets(number);
        if number == 1 {
            editor.get(&format!("{path}.zip")).conflict();
            editor.post(&path).conflict();
            // The control: the same search finds what nobody covered.
            let whole = editor
                .get(&format!("/reports/{id}/dossier.zip"))
                .expect(200);
            let uncovered = leaks(&whole.body, &secrets).join("\n");
            assert!(
                secrets.iter().all(|secret| uncovered.contains(secret)),
                "{uncovered}"
            );
        }
        cover(&editor, &id);
        let copy = editor.get(&format!("{path}.zip?attachments=1")).expect(200);
        let entries = entries(&copy.body);
        let names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["copia-oscurata.txt", "allegati/01.jpg"]);
        copy.has_headers(&[("content-type", "application/zip")]);
        let headers = copy.header("content-disposition").expect("a name");
        found.extend(leaks(&copy.body, &secrets));
        let text = format!("{headers} {}", editor.post(&path).expect(200).text());
        found.extend(secrets.into_iter().filter(|secret| text.contains(secret)));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_copy_says_what_is_not_covered_and_is_noted_as_an_export() {
    let (program, editor) = with_callout();
    let id = tell(&program.client(), 7, IPHONE);
    has!(cover(&editor, &id), "saved": true);
    let copy = editor
        .get(&format!("/reports/{id}/redacted.zip"))
        .expect(200);
    let entries = entries(&copy.body);
    let [(_, file)] = &*entries else {
        panic!("more than a text")
    };
    let words = editor
        .post(&format!("/reports/{id}/redacted"))
        .expect(200)
        .json();
    assert_eq!(words["text"], String::from_utf8_lossy(file).into_owned());
    let account = words["account"].as_str().expect("an account");
    let beginning = "Mi chiamo █████ e mia moglie █████ lo sa. Il furgone targato █████ stava";
    assert!(account.starts_with(beginning), "{account}");
    let facts = words["facts"].as_array().expect("facts");
    assert!(facts.contains(&json!({ "name": "Chi c'era?", "value": "█████" })));
    assert_eq!(editor.rows("/logs?action=EXPORT_REDACTED").len(), 2);
    let events = editor.report(&id)["storia"].to_string();
    assert_eq!(events.matches("\"esportata\"").count(), 2);
}

/// Nothing in an archive tells when, by whom or on what machine it was made.
#[test]
fn an_archive_says_nothing_beside_its_entries() {
    let (program, editor) = with_callout();
    let id = tell(&program.client(), 8, IPHONE);
    cover(&editor, &id);
    let path = format!("/reports/{id}/redacted.zip?attachments=1");
    let first = editor.get(&path).expect(200).body;
    program.clock.advance(MINUTE * 5);
    assert_eq!(first, editor.get(&path).expect(200).body);
    let archive = ZipArchive::from_slice(&first).expect("an archive");
    assert_eq!(archive.comment().as_bytes(), b"");
}

/// Another person covers less, and who looks at the page of before lets a copy leave.
#[test]
fn what_leaves_is_what_the_page_shows() {
    let (program, editor) = Program::with_editor();
    let id = submit(&program.client(), &canary(7));
    let path = format!("/reports/{id}");
    let version = editor.read(&format!("{path}/mask"))["textVersion"].clone();
    for (seen, fields) in [("\"0\"", json!(["nome", "cognome"])), ("\"1\"", json!([]))] {
        let body = json!({ "fields": fields, "spans": [], "textVersion": version });
        let put = editor.api("PUT", &format!("{path}/mask"));
        put.json(&body).header("if-match", seen).send().expect(200);
    }
    for (method, call) in [("POST", "redacted"), ("GET", "redacted.zip")] {
        let ask = |seen: &str| {
            let call = editor.api(method, &format!("{path}/{call}"));
            call.header("if-match", seen).send()
        };
        ask("\"1\"").problem(412, "versione-superata");
        ask("\"2\"").expect(200);
        editor
            .api(method, &format!("{path}/{call}"))
            .send()
            .expect(200);
    }
    assert_eq!(editor.rows("/logs?action=EXPORT_REDACTED").len(), 4);
}

/// The camera of a telephone writes its place into these too, and no copy without it can be made.
#[test]
fn a_picture_that_cannot_be_cleaned_stays() {
    let (program, editor) = with_callout();
    let pictures: [&[u8]; 2] = [
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heicExif Zaira Quaglia",
        b"GIF89a\x01\0\x01\0\0\0\0!\xfe\rZaira Quaglia\0;",
    ];
    for (number, picture) in (10..).zip(pictures) {
        let id = tell(&program.client(), number, picture);
        cover(&editor, &id);
        let refusal = editor.get(&format!("/reports/{id}/redacted.zip?attachments=1"));
        assert_eq!(refusal.refused_fields(), ["attachments.1"], "{number}");
    }
}

#[test]
fn a_file_that_cannot_be_handed_out_clean_is_named() {
    let (program, editor) = with_callout();
    let id = tell(&program.client(), 9, &photo(20_000));
    cover(&editor, &id);
    let path = format!("/reports/{id}/redacted.zip?attachments=");
    for (asked, field) in [
        ("1", "attachments.1"),
        ("4", "attachments.4"),
        ("-1", "attachments.-1"),
        ("uno", "attachments"),
    ] {
        let refusal = editor.get(&format!("{path}{asked}"));
        assert_eq!(refusal.refused_fields(), [field], "{asked}");
    }
    let refusal = editor.get(&format!("{path}1")).invalid().to_string();
    assert!(
        refusal.contains("File 1: La foto è incompleta"),
        "{refusal}"
    );
    assert_eq!(editor.rows("/logs?action=EXPORT_REDACTED").len(), 0);
    editor.get(&path).expect(200);
}

#[test]
fn a_mask_is_saved_on_the_version_that_was_seen() {
    let (program, editor) = Program::with_editor();
    let id = submit(&program.client(), &canary(8));
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
        ("left", json!([{ "start": 0, "end": 9_999 }])),
    ] {
        assert_eq!(
            put(Some("\"0\""), &body((field, value))).refused_fields(),
            [field]
        );
    }
    let looked = body(("left", json!([{ "start": 10, "end": 12 }])));
    put(Some("\"0\""), &looked).expect(200);
    let saved = editor.get(&path).expect(200);
    assert_eq!(saved.header("etag"), Some("\"1\""));
    has!(
        saved.json(),
        "saved": true, "version": 1, "fields": ["nome"], "spans": [{ "start": 0, "end": 5 }], "left": [{ "start": 10, "end": 12 }]
    );
    program.hides(&["Ludovica"]);
    editor.erase(&id).expect(200);
    assert_eq!(program.count("SELECT count(*) FROM masks"), 0);
}
