//! The panel's JSON backup, taken back: of this program, and of a browser-only predecessor (PRODUCT.md §9).

use std::fs;

use serde_json::{Value, json};

use crate::support::backups::{archive, home, lasting_files};
use crate::support::chat::{Person, submit};
use crate::support::disk::{self, holding};
use crate::support::executable::{Server, fails, succeeds};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;

/// The panel's file, as it leaves the server.
fn downloaded(program: &Program, editor: &Editor) -> String {
    let file = home(program).join("pannello.json");
    fs::write(&file, editor.get("/backup").expect(200).text()).expect("written");
    file.to_str().expect("a text").to_owned()
}

/// Every report with what an editor sees of it, oldest first.
fn seen(editor: &Editor) -> Vec<Value> {
    let quiet = editor.with("x-background", "1");
    let ids = quiet.all_ids();
    ids.iter().rev().map(|id| quiet.report(id)).collect()
}

/// An archive in which something happened, running.
fn lived() -> (Program, Editor) {
    let mut program = archive(7);
    program.start_again();
    let editor = program.log_in();
    let ids = editor.all_ids();
    editor.report(&ids[1]);
    for stato in ["In lavorazione", "Risolta", "Archiviata", "In lavorazione"] {
        let version = editor.report(&ids[1])["versione"].clone();
        editor
            .patch(&ids[1], &version, &json!({ "stato": stato }))
            .expect(200);
    }
    let version = editor.report(&ids[2])["versione"].clone();
    editor
        .patch(
            &ids[2],
            &version,
            &json!({ "note": "Età, «virgolette» e 𝒜" }),
        )
        .expect(200);
    editor
        .put("/settings/security", &json!({ "minWordCount": 4 }))
        .expect(200);
    editor
        .put(
            "/settings/system",
            &json!({ "productName": "Vera Voce", "darkMode": false }),
        )
        .expect(200);
    editor
        .put("/prompts", &json!({ "collectName": { "prompt": "Nome?" } }))
        .expect(200);
    (program, editor)
}

#[test]
fn what_the_panel_saved_comes_back_as_it_was() {
    let (mut program, editor) = lived();
    let file = downloaded(&program, &editor);
    let before = seen(&editor);
    let figures = editor.get("/analytics").json();
    let settings = |editor: &Editor| {
        [
            "/settings/security",
            "/settings/system",
            "/settings/email",
            "/prompts",
        ]
        .map(|path| editor.get(path).expect(200).json())
    };
    let settings_before = settings(&editor);
    // What happens later is not in the file.
    submit(&program.client(), &Person::numbered(8));
    editor
        .put("/settings/security", &json!({ "minWordCount": 9 }))
        .expect(200);
    program.stop();

    let files = lasting_files(program.data());
    let said = succeeds(home(&program), &["restore", &file, "--dry-run"], "");
    assert!(
        said.contains("7 segnalazioni") && said.contains("Non è stato cambiato nulla"),
        "{said}"
    );
    assert!(
        lasting_files(program.data()) == files,
        "a trial changes nothing"
    );
    let said = succeeds(home(&program), &["restore", &file], "");
    assert!(
        said.contains("7 segnalazioni") && said.contains("si leggono subito"),
        "{said}"
    );
    assert!(!said.contains("non riprese"), "{said}");

    program.start_again();
    let editor = program.log_in();
    assert_eq!(seen(&editor), before);
    assert_eq!(settings(&editor), settings_before);
    let after = editor.get("/analytics").json();
    for figure in [
        "total",
        "byStatus",
        "resolutionRate",
        "perDay",
        "resolutionTime",
        "received",
    ] {
        assert_eq!(after[figure], figures[figure], "{figure}");
    }
    let log = editor.get("/logs").json()["data"].clone();
    let actions: Vec<&str> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert!(
        actions.contains(&"PROMPTS_CHANGED") && actions.contains(&"REPORT_UPDATED"),
        "{actions:?}"
    );
    // New ones come after the old ones, and nothing lies in the clear.
    let id = submit(&program.client(), &Person::numbered(9));
    assert_eq!(editor.all_ids()[0], id);
    assert_eq!(editor.all_ids().len(), 8);
    for text in Person::numbered(1).texts() {
        assert_eq!(
            holding(program.data(), text.as_bytes()),
            Vec::<std::path::PathBuf>::new()
        );
    }
}

#[test]
fn on_an_empty_machine_the_first_start_asks_for_a_password() {
    let (program, editor) = lived();
    let file = downloaded(&program, &editor);
    let before = seen(&editor);
    let machine = tempfile::tempdir().expect("a folder");
    let said = succeeds(machine.path(), &["restore", &file], "");
    assert!(said.contains("Ripristinato"), "{said}");
    let server = Server::start(machine.path());
    let output = server.output();
    let link = output
        .split_whitespace()
        .find(|word| word.contains("/setup#"))
        .expect("a link");
    let (editor, _) = Editor::set_up(&server.client(), link, PASSWORD);
    let words = |reports: &[Value]| -> Vec<(Value, Value)> {
        let of = |report: &Value| (report["id"].clone(), report["segnalazione"].clone());
        reports.iter().map(of).collect()
    };
    assert_eq!(words(&seen(&editor)), words(&before));
}

/// What a browser-only predecessor saved.
fn predecessors() -> Value {
    json!({
        "timestamp": "2025-01-20T10:00:00.000Z",
        "settings": {
            "pelazzai_organizationName": "Redazione di Prova",
            "pelazzai_minWordCount": "6",
            "pelazzai_enableLogging": "true",
            "pelazzai_darkMode": "false",
            "pelazzai_sessionTimeout": "2",
            "pelazzai_adminPassword": "segretissima",
            "pelazzai_prompt_config": "{\"welcome\": \"Ciao! Quanti anni hai?\"}",
            "pelazzai_smtpPort": "465",
            "pelazzai_smtpPassword": "altrosegreto",
        },
        "reports": [
            {
                "id": 1_736_762_400_000_i64, "nome": "Giulia", "cognome": "Verdi", "telefono": "3331112223",
                "email": "giulia@esempio.it", "indirizzo": "Via Larga 2, Milano", "segnalazione": "Un racconto.",
                "eta": 41, "stato": "In lavorazione", "note": null, "data_creazione": "2025-01-13T10:00:00Z"
            },
            { "id": 1_736_676_000_000_i64, "name": "Marco", "surname": "Neri", "report": "Un altro.", "age": "33" },
            { "id": 7, "nome": "Anonimo", "timestamp": 1_736_500_000_000_i64, "stato": "Archiviata" },
        ],
        "logs": [
            { "timestamp": "2025-01-19T10:00:00Z", "action": "LOGIN_SUCCESS", "ip": "192.0.2.1", "userAgent": "Prova" },
            { "timestamp": "2025-01-19T11:00:00Z", "action": "QUALCOSA", "ip": "192.0.2.1" },
        ],
    })
}

#[test]
fn a_predecessors_file_is_taken_with_numbers_for_ids_and_defaults_for_what_is_missing() {
    let mut program = archive(1);
    let file = home(&program).join("vecchio.json");
    fs::write(&file, format!("\u{feff}{}", predecessors())).expect("written");
    let said = succeeds(home(&program), &["restore", "vecchio.json"], "");
    assert!(
        said.contains("del 20/01/2025 11:00: 3 segnalazioni"),
        "{said}"
    );
    for left_out in ["sessionTimeout", "pelazzai_adminPassword"] {
        assert!(said.contains(left_out), "{said}");
    }
    for secret in ["segretissima", "altrosegreto", "Giulia"] {
        assert!(!said.contains(secret), "{said}");
        assert_eq!(
            holding(program.data(), secret.as_bytes()),
            Vec::<std::path::PathBuf>::new()
        );
    }
    // Old entries are dropped at the start.
    let entries = disk::rows(program.data())["access_log"].join("\n");
    assert!(
        entries.contains("LOGIN_SUCCESS") && entries.contains("192.0.2.1"),
        "{entries}"
    );
    assert!(!entries.contains("QUALCOSA"), "{entries}");
    program.start_again();
    let editor = program.log_in();
    assert_eq!(editor.all_ids(), ["1736762400000", "1736676000000", "7"]);
    let report = editor.report("1736762400000");
    assert_eq!(
        (&report["nome"], &report["eta"]),
        (&json!("Giulia"), &json!(41))
    );
    assert_eq!(
        (&report["stato"], &report["note"]),
        (&json!("In lavorazione"), &json!(""))
    );
    let report = editor.report("1736676000000");
    assert_eq!(
        (&report["nome"], &report["cognome"], &report["eta"]),
        (&json!("Marco"), &json!("Neri"), &json!(33))
    );
    assert_eq!(report["segnalazione"], "Un altro.");
    assert_eq!(
        (&report["stato"], &report["email"]),
        (&json!("Nuova"), &json!(""))
    );
    assert_eq!(report["data_creazione"], "2025-01-12T10:00:00Z");
    let report = editor.report("7");
    assert_eq!(
        (&report["stato"], &report["eta"]),
        (&json!("Archiviata"), &json!(0))
    );
    let system = editor.get("/settings/system").json();
    assert_eq!(
        (&system["organizationName"], &system["darkMode"]),
        (&json!("Redazione di Prova"), &json!(false))
    );
    let security = editor.get("/settings/security").json();
    assert_eq!(
        (&security["minWordCount"], &security["sessionTimeout"]),
        (&json!(6), &json!(60))
    );
    assert_eq!(
        editor.get("/prompts").json()["welcome"],
        "Ciao! Quanti anni hai?"
    );
    assert_eq!(editor.get("/settings/email").json()["smtpPort"], 465);
    assert_eq!(
        editor.get("/settings/email").json()["smtpPasswordSet"],
        false
    );
}

#[test]
fn an_id_that_comes_twice_ends_it_before_anything_happened() {
    let program = archive(1);
    let before = (lasting_files(program.data()), disk::rows(program.data()));
    let mut file = predecessors();
    file["reports"][1]["id"] = json!(7);
    fs::write(home(&program).join("doppio.json"), file.to_string()).expect("written");
    let line = fails(home(&program), &["restore", "doppio.json"], "");
    assert!(
        line.contains("la segnalazione 7 non si può riprendere"),
        "{line}"
    );
    assert!((lasting_files(program.data()), disk::rows(program.data())) == before);
}
