//! The panel's JSON backup, taken back: of this program, and of a browser-only predecessor (PRODUCT.md §9).

use std::fs;

use serde_json::{Value, json};

use crate::support::backups::{archive, home, lasting_files};
use crate::support::chat::{Person, submit};
use crate::support::disk::{self, holding};
use crate::support::executable::{self, Server, fails, succeeds};
use crate::support::panel::{Editor, PASSWORD, try_log_in};
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
    let mut program = archive(6);
    program.start_again();
    let worrying = Person {
        segnalazione: "La banca mi ha portato via tutto. Stanotte mi ammazzo, ho già preparato tutto e ho scritto una \
                       lettera d'addio ai miei figli."
            .to_owned(),
        ..Person::numbered(7)
    };
    let urgent = submit(&program.client(), &worrying);
    let editor = program.log_in();
    assert_eq!(editor.report(&urgent)["urgente"], "self_harm");
    let moved = json!({ "department": "lavoro", "urgente": false });
    editor.patch(&urgent, &json!(1), &moved).expect(200);
    let ids = editor.all_ids();
    for urgente in [true, false, true] {
        let version = editor.report(&ids[3])["versione"].clone();
        let turned = json!({ "urgente": urgente });
        editor.patch(&ids[3], &version, &turned).expect(200);
    }
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
    let said = succeeds(machine.path(), &["restore", &file, "--dry-run"], "");
    assert!(said.contains("Prova riuscita"), "{said}");
    assert!(!machine.path().join("data").exists());
    let said = succeeds(machine.path(), &["restore", &file], "");
    assert!(said.contains("Ripristinato"), "{said}");
    assert!(said.contains("non c'è ancora una password"), "{said}");
    assert!(!said.contains("resta quella"), "{said}");
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

/// What a browser-only predecessor saved: texts for everything, ids that are moments, dates as Italians write them, reports of
/// three forms side by side.
fn predecessors() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/predecessor.json"
    );
    fs::read_to_string(path).expect("a text")
}

/// What must not be taken from it, whoever asks.
const SECRETS: [&str; 3] = [
    "segretissima-di-allora",
    "posta-segreta-di-allora",
    "chiave-del-gancio-di-allora",
];

#[test]
fn of_a_predecessors_file_what_can_be_is_taken_and_the_rest_is_told() {
    let program = archive(1);
    let file = home(&program).join("vecchio.json");
    fs::write(&file, format!("\u{feff}{}", predecessors())).expect("written");
    let before = lasting_files(program.data());
    for arguments in [
        &["verify", "vecchio.json"][..],
        &["restore", "vecchio.json", "--dry-run"],
    ] {
        let said = succeeds(home(&program), arguments, "");
        assert!(said.contains("7 segnalazioni"), "{said}");
        assert!(
            said.contains("3 segnalazioni del file non sono state riprese."),
            "{said}"
        );
    }
    let told = succeeds(home(&program), &["verify", "vecchio.json", "--json"], "");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["remarks"]["list"].as_array().unwrap().len(), 8);
    assert!(
        lasting_files(program.data()) == before,
        "a trial changes nothing"
    );

    let said = succeeds(home(&program), &["restore", "vecchio.json"], "");
    for line in [
        "Ripristinato il backup del 20/01/2025 11:00: 7 segnalazioni.",
        "  segnalazione 3 del file, ripresa: il suo identificativo era già preso: ne ha uno nuovo.",
        "  segnalazione 4 del file, non ripresa: è identica a una precedente.",
        "  segnalazione 5 del file, ripresa: stato sconosciuto, vale «Nuova».",
        "  segnalazione 7 del file, ripresa: il campo «eta» non è un'età.",
        "  segnalazione 8 del file, ripresa: manca l'identificativo («id»), o non è valido: ne ha uno nuovo.",
        "  segnalazione 8 del file, ripresa: il campo «data_creazione» non è una data.",
        "  segnalazione 9 del file, non ripresa: non è un gruppo di campi.",
        "  segnalazione 10 del file, non ripresa: non c'è né un identificativo («id») né un contenuto.",
        "Voci del registro accessi non riprese: 2.",
    ] {
        assert!(said.contains(&format!("{line}\n")), "{line}: {said}");
    }
    let settings = said
        .lines()
        .find(|line| line.starts_with("Impostazioni del file non riprese"));
    for name in [
        "pelazzai_adminPassword",
        "pelazzai_smtpPassword",
        "pelazzai_webhookApiKey",
        "sessionTimeout",
        "minWordCount",
        "theme",
    ] {
        assert!(settings.expect("a line").contains(name), "{name}: {said}");
    }
    for secret in SECRETS.into_iter().chain(["Giulia", "Redazione di Prova"]) {
        assert!(!said.contains(secret), "{said}");
    }
    // The control: what is kept in the clear would be found.
    assert!(!holding(program.data(), b"Redazione di Prova").is_empty());
    for secret in SECRETS.into_iter().chain(["Giulia"]) {
        assert_eq!(
            holding(program.data(), secret.as_bytes()),
            Vec::<std::path::PathBuf>::new()
        );
    }
    // Old entries are dropped at the start.
    let entries = disk::rows(program.data())["access_log"].join("\n");
    assert!(
        entries.contains("LOGIN_SUCCESS") && entries.contains("192.0.2.2"),
        "{entries}"
    );
    assert!(!entries.contains("QUALCOSA"), "{entries}");
}

#[test]
fn what_a_predecessor_saved_is_seen_in_the_panel_and_its_password_opens_nothing() {
    let mut program = archive(1);
    fs::write(home(&program).join("vecchio.json"), predecessors()).expect("written");
    succeeds(home(&program), &["restore", "vecchio.json"], "");
    program.start_again();
    assert_eq!(try_log_in(&program.client(), SECRETS[0]).status, 401);
    let editor = program.log_in();
    let ids = editor.all_ids();
    assert_eq!(
        (&ids[..4], &ids[5..]),
        (
            &["1737367200000", "1737280800000", "1737280800000-2", "3"].map(str::to_owned)[..],
            &["1736330400000".to_owned(), ids[6].clone()][..],
        )
    );
    let seen = |number: usize, fields: &[&str]| -> Vec<Value> {
        let report = editor.report(&ids[number]);
        fields.iter().map(|field| report[*field].clone()).collect()
    };
    let account = &seen(0, &["segnalazione"])[0];
    assert!(
        account
            .as_str()
            .unwrap()
            .ends_with("INFORMAZIONI AGGIUNTIVE\nHo le fotografie.")
    );
    let all = ["nome", "cognome", "eta", "stato", "note", "data_creazione"];
    for (number, expected) in [
        (
            0,
            json!(["Giulia", "Verdi", 41, "Nuova", "", "2025-01-20T10:00:00Z"]),
        ),
        (
            1,
            json!(["Marco", "Neri", 33, "Nuova", "", "2025-01-19T10:00:00Z"]),
        ),
        (
            2,
            json!([
                "Paola",
                "Bianchi",
                0,
                "In lavorazione",
                "Richiamare",
                "2025-01-19T10:00:00Z"
            ]),
        ),
        (
            3,
            json!([
                "Anna Maria Prova",
                "",
                0,
                "Nuova",
                "",
                "2025-01-15T08:05:00Z"
            ]),
        ),
        (
            4,
            json!([
                "Luca",
                "Gialli",
                52,
                "Archiviata",
                "Già trattata",
                "2025-01-10T08:30:00Z"
            ]),
        ),
        (
            5,
            json!(["Sara", "", 0, "Nuova", "", "2025-01-08T10:00:00Z"]),
        ),
        // That of the file, for want of its own.
        (
            6,
            json!(["Nicola", "", 0, "Nuova", "", "2025-01-20T10:00:00Z"]),
        ),
    ] {
        assert_eq!(json!(seen(number, &all)), expected);
    }
    for (path, expected) in [
        (
            "/settings/system",
            json!({ "organizationName": "Redazione di Prova", "darkMode": false, "primaryColor": "#a21caf", "backupFrequency": "daily", "webhookApiKeySet": false }),
        ),
        (
            "/settings/security",
            json!({ "minReportLength": 80, "minWordCount": 10, "sessionTimeout": 60 }),
        ),
        (
            "/settings/email",
            json!({ "smtpPort": 465, "smtpUsername": "chat", "smtpPasswordSet": false, "routingMode": "keywords", "dept_sanita_email": "sanita@esempio.it" }),
        ),
        ("/prompts", json!({ "welcome": "Ciao! Quanti anni hai?" })),
    ] {
        let found = editor.get(path).expect(200).json();
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&found[field], value, "{path} {field}");
        }
    }
}

#[test]
fn lists_are_taken_in_whatever_form_a_browser_kept_them() {
    let report = json!({ "id": 7, "name": "Anna" });
    for reports in [
        json!([report]),
        json!({ "pelazzai_report_7": report }),
        json!({ "pelazzai_report_7": report.to_string() }),
        json!(json!([report]).to_string()),
    ] {
        let machine = tempfile::tempdir().expect("a folder");
        let file = json!({ "reports": reports, "logs": null, "settings": {} });
        fs::write(machine.path().join("x.json"), file.to_string()).expect("written");
        let said = succeeds(machine.path(), &["restore", "x.json"], "");
        assert!(said.contains(": 1 segnalazione.\n"), "{said}");
    }
}

#[test]
fn an_id_that_comes_twice_in_a_file_of_ours_ends_it_before_anything_happened() {
    let program = archive(1);
    let before = (lasting_files(program.data()), disk::rows(program.data()));
    let report = |nome: &str| json!({ "id": 7, "nome": nome });
    let file =
        json!({ "format": "segnalazioni-backup", "reports": [report("Anna"), report("Bruno")] });
    fs::write(home(&program).join("doppio.json"), file.to_string()).expect("written");
    let line = fails(home(&program), &["restore", "doppio.json"], "");
    assert!(
        line.contains("segnalazione 2 del file: il suo identificativo («id») è ripetuto"),
        "{line}"
    );
    assert!((lasting_files(program.data()), disk::rows(program.data())) == before);
}

/// `verify` and `restore` on a file, which must agree: what both say against it, `None` where both take it.
fn both(folder: &std::path::Path, file: &Value) -> Option<String> {
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

#[test]
fn verify_refuses_what_restore_would_refuse() {
    let (program, editor) = lived();
    let path = downloaded(&program, &editor);
    let good: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let machine = tempfile::tempdir().expect("a folder");
    // The control.
    assert_eq!(both(machine.path(), &good), None);
    let mut repeated = good.clone();
    repeated["reports"][3]["id"] = good["reports"][1]["id"].clone();
    let said = both(machine.path(), &repeated).expect("a refusal");
    assert!(
        said.contains("segnalazione 4 del file: il suo identificativo («id») è ripetuto"),
        "{said}"
    );
    for wrong in [
        json!("x"),
        json!([{ "trace": "zz", "at": "2026-03-10T09:00:00Z", "cause": "richiesta" }]),
        json!([{ "trace": "00".repeat(32), "at": "ieri", "cause": "richiesta" }]),
        json!([{ "trace": "00".repeat(32), "at": "2026-03-10T09:00:00Z", "cause": "noia" }]),
    ] {
        let mut file = good.clone();
        file["erased"] = wrong;
        let said = both(machine.path(), &file).expect("a refusal");
        assert!(said.contains("«erased»"), "{said}");
    }
    // A predecessor's ids: the one that a repeated report is given may be taken too.
    let report = |id: &str, text: &str| json!({ "id": id, "segnalazione": text });
    let old = json!({ "reports": [report("7", "una"), report("7", "due"), report("7-2", "tre")] });
    assert_eq!(both(machine.path(), &old), None);
}
