//! `GET /backup`: the panel's file holds everything but secrets, is whole or visibly broken off, and is noted.

use std::io::ErrorKind;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::database;
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD};
use crate::support::program::Program;

fn backup(editor: &Editor) -> Value {
    editor.get("/backup").expect(200).json()
}

/// Ids of the reports of a file, in its order.
fn ids(file: &Value) -> Vec<&str> {
    let reports = file["reports"].as_array().expect("reports").iter();
    reports
        .map(|report| report["id"].as_str().expect("an id"))
        .collect()
}

/// Makes `copies` of the only report, while the program stands still; their content is sealed to its id, so they cannot
/// be read.
fn add_unreadable(program: &Program, copies: usize) {
    let sql = format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {copies})
         INSERT INTO segnalazioni (seq, id, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, contenuto)
         SELECT seq - n, printf('copia-%d', n), 'Nuova', data_creazione, data_creazione, '', impronta, epoch, contenuto
         FROM segnalazioni, n;"
    );
    database(program.data())
        .execute_batch(&sql)
        .expect("copies");
}

#[test]
fn the_file_holds_settings_phrases_reports_and_log() {
    let program = Program::start();
    let editor = program.set_up();
    editor
        .put("/settings/system", &json!({ "productName": "Vera Voce" }))
        .expect(200);
    editor
        .put("/settings/security", &json!({ "minWordCount": 4 }))
        .expect(200);
    editor
        .put("/prompts", &json!({ "welcome": "Età?" }))
        .expect(200);
    let mut person = Person::numbered(1);
    person.segnalazione = "=1+1 \"virgolette\" <b>è</b> \u{202e}𝒜 — racconto con molte parole, abbastanza lungo da bastare davvero.".to_owned();
    let id = submit(&program.client(), &person);
    editor
        .patch(
            &id,
            &json!(1),
            &json!({ "stato": "Risolta", "note": "Nota interna" }),
        )
        .expect(200);

    let answer = editor.get("/backup").expect(200);
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"backup_vera-voce_2026-03-10.json\"")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let file = answer.json();
    let members: Vec<&String> = file.as_object().unwrap().keys().collect();
    let expected = [
        "closed",
        "erased",
        "format",
        "formatVersion",
        "logs",
        "programVersion",
        "reports",
        "settings",
        "timestamp",
    ];
    assert_eq!(members, expected);
    assert_eq!(
        (&file["format"], &file["formatVersion"]),
        (&json!("segnalazioni-backup"), &json!(1))
    );
    assert_eq!(file["timestamp"], "2026-03-10T09:00:00Z");
    assert_eq!(file["programVersion"], segnalazioni::VERSION);
    for section in ["system", "security", "email"] {
        let mut shown = editor.get(&format!("/settings/{section}")).json();
        // What says whether a secret is set is no setting.
        let keys = shown.as_object_mut().unwrap();
        keys.retain(|key, _| {
            !key.ends_with("Set") && key != "smtpPassword" && key != "webhookApiKey"
        });
        assert_eq!(file["settings"][section], shown, "{section}");
    }
    assert_eq!(file["settings"]["prompts"], editor.get("/prompts").json());
    let report = editor.with("x-background", "1").report(&id);
    assert_eq!(file["reports"], json!([report]));
    assert_eq!(file["reports"][0]["note"], "Nota interna");
    // The log as it was, then the entry of the backup itself.
    let log = editor.get("/logs").json()["data"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(log[0]["action"], "BACKUP");
    assert_eq!(*file["logs"].as_array().unwrap(), log[1..]);
}

#[test]
fn the_local_date_names_the_file() {
    let program = Program::start();
    program.set_up();
    program
        .clock
        .set(crate::support::program::at("2026-03-28T23:30:00Z"));
    let answer = program.log_in().get("/backup").expect(200);
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"backup_pelazzai_2026-03-29.json\"")
    );
    assert_eq!(answer.json()["reports"], json!([]));
}

#[test]
fn a_file_of_many_pages_holds_every_report_once_newest_first() {
    let program = Program::start();
    let editor = program.set_up();
    for pages in [100, 101, 203] {
        let so_far = editor.all_ids().len();
        for number in so_far..pages {
            submit(&program.client(), &Person::numbered(number));
        }
        assert_eq!(ids(&backup(&editor)), editor.all_ids(), "{pages}");
    }
}

#[test]
fn no_secret_is_in_it() {
    let program = Program::start();
    let (editor, code) = program.set_up_with_code();
    editor
        .put(
            "/password",
            &json!({ "current": PASSWORD, "new": OTHER_PASSWORD }),
        )
        .expect(204);
    submit(&program.client(), &Person::numbered(1));
    let file = editor.get("/backup").expect(200).text().to_owned();
    for secret in [
        PASSWORD,
        OTHER_PASSWORD,
        &code,
        editor.cookie(),
        "verifier",
        "salt",
        "token",
    ] {
        assert!(!file.contains(secret), "{secret}");
    }
}

#[test]
fn nobody_without_a_session_gets_a_file_and_nothing_is_noted() {
    let program = Program::start();
    let editor = program.set_up();
    let before = editor.get("/logs").json()["data"].clone();
    program
        .client()
        .get("/backup")
        .problem(401, "non-autenticato");
    assert_eq!(editor.get("/logs").json()["data"], before);
}

#[test]
fn a_file_that_cannot_be_whole_is_refused_or_broken_off() {
    let mut program = Program::start();
    program.set_up();
    submit(&program.client(), &Person::numbered(1));
    program.stop();
    add_unreadable(&program, 1);
    program.start_again();
    // On the first page: nothing was sent yet.
    program
        .log_in()
        .get("/backup")
        .problem(500, "errore-interno");

    program.stop();
    database(program.data())
        .execute_batch(
            "DELETE FROM segnalazioni WHERE id LIKE 'copia-%'; UPDATE segnalazioni SET seq = 1;",
        )
        .expect("one report");
    program.start_again();
    for number in 2..=150 {
        submit(&program.client(), &Person::numbered(number));
    }
    program.stop();
    let damage = "UPDATE segnalazioni SET contenuto = zeroblob(80) WHERE seq = 10";
    database(program.data())
        .execute_batch(damage)
        .expect("damage");
    program.start_again();
    // On the second: the connection ends before the file does.
    let cut = program.log_in().api("GET", "/backup").try_send();
    assert_eq!(
        cut.expect_err("a broken file").kind(),
        ErrorKind::UnexpectedEof
    );
}
