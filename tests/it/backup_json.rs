//! The panel's JSON backup: it holds everything but secrets, is whole or visibly broken off, is noted, and comes back as it
//! was, or not at all (PRODUCT.md §13).

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::backups::{self, archive, lasting_files};
use crate::support::chat::{GRAVE, Person, submit};
use crate::support::contains;
use crate::support::disk::{database, holding};
use crate::support::executable::{self, Server};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD};
use crate::support::program::Program;
use crate::support::snapshot::pick;

/// Every report with what an editor sees of it, newest first.
fn seen(editor: &Editor) -> Vec<Value> {
    let quiet = editor.quiet();
    quiet.all_ids().iter().map(|id| quiet.report(id)).collect()
}

/// Every story with its note, but for its version.
fn told_stories(editor: &Editor) -> Vec<Value> {
    let told = |story: &Value| {
        let id = story["id"].as_str().expect("an id");
        let mut told = editor.read(&format!("/stories/{id}"));
        told["version"] = Value::Null;
        told
    };
    editor.rows("/stories").iter().map(told).collect()
}

const SETTINGS: [&str; 4] = [
    "/settings/security",
    "/settings/system",
    "/settings/email",
    "/prompts",
];

/// An archive in which something happened, running.
fn lived() -> (Program, Editor) {
    let mut program = archive(6);
    program.start_again();
    let urgent = submit(&program.client(), &Person::telling(7, GRAVE));
    let editor = program.log_in();
    let change = |id: &str, change: Value| editor.change(id, &change);
    let ids = editor.all_ids();
    change(&urgent, json!({ "department": "lavoro", "urgente": false }));
    change(&ids[3], json!({ "urgente": true }));
    for stato in ["In lavorazione", "Risolta", "Archiviata", "In lavorazione"] {
        change(&ids[1], json!({ "stato": stato }));
    }
    let label = json!({ "name": "Da verificare", "color": "rosso" });
    let label = editor.post_json("/labels", &label).expect(200).json()["id"].clone();
    change(&ids[2], json!({ "labels": [label] }));
    change(&ids[2], json!({ "note": "Età, «virgolette» e 𝒜" }));
    let story = json!({ "title": "Cantieri «aperti»", "reports": [ids[1], ids[2]] });
    let story = editor.post_and_read("/stories", &story)["id"].clone();
    let path = format!("/stories/{}", story.as_str().expect("an id"));
    let edit = editor.api("PATCH", &path).header("if-match", "*");
    edit.json(&json!({ "note": "Sentire l'ispettorato." }))
        .send()
        .expect(200);
    for (path, settings) in [
        ("/settings/security", json!({ "minWordCount": 4 })),
        (
            "/settings/system",
            json!({ "productName": "Vera Voce", "darkMode": false }),
        ),
        ("/prompts", json!({ "collectName": { "prompt": "Nome?" } })),
    ] {
        editor.save(path, &settings);
    }
    (program, editor)
}

#[test]
fn what_the_panel_saved_comes_back_as_it_was() {
    let (mut program, editor) = lived();
    let answer = editor.get("/backup").expect(200);
    let name = "attachment; filename=\"backup_vera-voce_2026-03-10.json\"";
    assert_eq!(answer.header("content-disposition"), Some(name));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let log = editor.get("/logs").json()["data"][0].clone();
    assert_eq!(log["action"], "BACKUP", "it is noted");
    let (file, before) = (backups::of_panel(&program, &editor), seen(&editor));
    let labels = editor.get("/labels").json();
    let stories = told_stories(&editor);
    let settings = |editor: &Editor| SETTINGS.map(|path| editor.get(path).expect(200).json());
    let (settings_before, figures) = (settings(&editor), editor.get("/analytics").json());
    // What happens later is not in the file.
    program.report(8);
    let later = json!({ "minWordCount": 9 });
    editor.save("/settings/security", &later);
    program.stop();

    let files = lasting_files(program.data());
    let trial = ["--force", "--dry-run"];
    for said in [
        backups::verify(program.home(), &file),
        backups::restore(program.home(), &file, &trial),
    ] {
        contains(said, &["7 segnalazioni"]);
        // A trial changes nothing.
        assert!(lasting_files(program.data()) == files);
    }
    let said = backups::restore(program.home(), &file, &["--force"]);
    let words = [
        "Un file JSON non ha allegati",
        "7 segnalazioni",
        "si leggono subito",
    ];
    contains(&said, &words);

    program.start_again();
    let editor = program.log_in();
    let without_deliveries = |mut reports: Vec<Value>| {
        let all = reports.iter_mut();
        all.for_each(|report| {
            report["consegne"] = Value::Null;
            report["maybe"] = Value::Null;
        });
        reports
    };
    assert_eq!(
        without_deliveries(seen(&editor)),
        without_deliveries(before)
    );
    assert_eq!((told_stories(&editor), stories.len()), (stories.clone(), 1));
    assert_eq!(settings(&editor), settings_before);
    assert_eq!(editor.get("/labels").json(), labels);
    let found = editor.get("/analytics").json();
    let names = "total byStatus resolutionRate perDay resolutionTime received";
    assert_eq!(pick(&found, names), pick(&figures, names));
    let actions = editor.get("/logs").json().to_string();
    assert!(actions.contains("PROMPTS_CHANGED") && actions.contains("REPORT_UPDATED"));
    // New ones come after the old ones, and nothing lies in the clear.
    let id = program.report(9);
    let ids = editor.all_ids();
    assert_eq!((&ids[0], ids.len()), (&id, 8));
    for text in Person::numbered(1).texts() {
        assert!(holding(program.data(), text.as_bytes()).is_empty());
    }
}

#[test]
fn on_an_empty_machine_the_first_start_asks_for_a_password() {
    let (program, editor) = lived();
    let (file, before) = (backups::of_panel(&program, &editor), seen(&editor));
    let machine = tempfile::tempdir().expect("a folder");
    let said = backups::restore(machine.path(), &file, &["--dry-run"]);
    assert!(said.contains("Prova riuscita"), "{said}");
    // Not even for a moment: here none could be made.
    let nowhere = ["--dry-run", "--data-dir", "/proc/a/data"];
    backups::restore(machine.path(), &file, &nowhere);
    assert!(!machine.path().join("data").exists());
    let said = backups::restore(machine.path(), &file, &[]);
    assert!(said.contains("non c'è ancora una password"), "{said}");
    let server = Server::start(machine.path());
    let output = server.output();
    let mut words = output.split_whitespace();
    let link = words.find(|word| word.contains("/setup#")).expect("a link");
    let (editor, _) = Editor::set_up(&server.client(), link, PASSWORD);
    let told = |reports: &[Value]| -> Vec<Value> {
        let told = reports.iter().map(|report| pick(report, "id segnalazione"));
        told.collect()
    };
    assert_eq!(told(&seen(&editor)), told(&before));
}

/// What `verify` and `restore`, which must agree, say against a file; `None` where both take it.
fn both(folder: &Path, file: &Value) -> Option<String> {
    let path = folder.join("file.json");
    fs::write(&path, file.to_string()).expect("written");
    let path = path.to_str().expect("a text");
    let [verified, restored] = [&["verify", path][..], &["restore", path]].map(|arguments| {
        let output = executable::run(executable::command(folder, arguments), "");
        let said = executable::text(&output.stderr).to_owned();
        (!output.status.success()).then_some(said)
    });
    assert_eq!(verified, restored, "{file}");
    verified
}

/// A place in the file, what is put there, and what is said of it. `TRACE` stands for a trace that may be.
const WRONG: &str = r#"
    /format "altro" è di un altro prodotto
    /formatVersion 2 serve una versione più recente
    /timestamp "ieri" timestamp
    /settings/security/minWordCount "x" settings.security.minWordCount
    /settings/security/minWordCount 1000000 settings.security.minWordCount
    /settings/email/smtpPassword "x" settings.email
    /logs/0/action "BOH" logs[0].action
    /erased [{"trace":"zz","at":"2026-03-10T09:00:00Z","cause":"richiesta"}] erased[0].trace
    /erased [{"trace":"TRACE","at":"ieri","cause":"richiesta"}] erased[0].at
    /erased [{"trace":"TRACE","at":"2026-03-10T09:00:00Z","cause":"noia"}] erased[0].cause
    /altro 1 altro
    /reports "x" reports
    /reports/3/id "../x" reports[3]
    /reports/3/stato "Persa" reports[3].stato
    /reports/3/eta 300 reports[3].eta
    /reports/3/nome ["A"] reports[3].nome
    /reports/3/altro 1 reports[3].altro
    /reports/1/storia/0/a "Persa" reports[1]"#;

#[test]
fn a_file_in_which_anything_is_wrong_is_refused_whole_and_the_place_is_named() {
    let (_program, editor) = lived();
    let good: Value = serde_json::from_str(editor.get("/backup").text()).unwrap();
    let machine = tempfile::tempdir().expect("a folder");
    // The control.
    assert_eq!(both(machine.path(), &good), None);
    let refused = |pointer: &str, wrong: Value, place: &str| {
        let mut file = good.clone();
        let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
        file.pointer_mut(parent).expect("a member")[member] = wrong;
        let said = both(machine.path(), &file).unwrap_or_default();
        assert!(said.contains(place), "{pointer}: {said}");
        let quoted = said.contains("Persa") || said.contains("noia");
        assert!(!quoted, "{pointer}: {said}");
    };
    for line in WRONG.trim().lines() {
        let mut parts = line.trim().splitn(3, ' ');
        let [pointer, wrong, place] = [(); 3].map(|()| parts.next().expect("a part"));
        let wrong = wrong.replace("TRACE", &"00".repeat(32));
        refused(pointer, serde_json::from_str(&wrong).expect("JSON"), place);
    }
    refused(
        "/reports/3/id",
        good["reports"][1]["id"].clone(),
        "reports[3]",
    );
}

#[test]
fn no_secret_is_in_it_and_nobody_without_a_session_gets_it() {
    let program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let editor = editor.change_password(&program.client(), PASSWORD, OTHER_PASSWORD);
    program.report(1);
    let file = editor.get("/backup").expect(200).text().to_owned();
    let cookie = editor.cookie();
    let words = ["verifier", "salt", "token"];
    for secret in words
        .into_iter()
        .chain([PASSWORD, OTHER_PASSWORD, &code, cookie])
    {
        assert!(!file.contains(secret), "{secret}");
    }
    let before = editor.get("/logs").json()["data"].clone();
    let refused = program.client().get("/backup");
    refused.problem(401, "non-autenticato");
    assert_eq!(editor.get("/logs").json()["data"], before);
}

#[test]
fn a_file_of_pages_is_whole_or_refused_or_broken_off() {
    let (mut program, editor) = Program::with_editor();
    editor.expects_a_flood();
    for number in 1..=101 {
        program.report(number);
    }
    let file = editor.get("/backup").expect(200).json();
    let rows = file["reports"].as_array().expect("reports").iter();
    let ids: Vec<&str> = rows.map(|row| row["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, editor.all_ids(), "each once, newest first");
    let mut damage = |seq: u32| {
        program.stop();
        let sql = format!("UPDATE segnalazioni SET contenuto = zeroblob(80) WHERE seq = {seq}");
        let broken = database(program.data()).execute_batch(&sql);
        broken.expect("damage");
        program.start_again();
        program.log_in()
    };
    // On the second page: the connection ends before the file does.
    let cut = damage(1).api("GET", "/backup").try_send();
    let error = cut.expect_err("a broken file");
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    // On the first: nothing was sent yet.
    let refused = damage(101).get("/backup");
    refused.problem(500, "errore-interno");
}
