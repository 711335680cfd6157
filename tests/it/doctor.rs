//! `segnalazioni doctor`: one line a check, and an exit code that a monitor can read (PRODUCT.md §2).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::backups::{archive, back_up, home, lasting_files};
use crate::support::disk::database;
use crate::support::executable::{command, run, text};
use crate::support::program::Program;

/// What the doctor says: exit code, and state and message of each check.
fn checks(program: &Program) -> (i32, Vec<(String, String, String)>) {
    let output = run(command(home(program), &["doctor", "--json"]), "");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let code = output.status.code().expect("a code");
    assert_eq!(told["ok"], code == 0);
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let checks = told["checks"].as_array().expect("checks").iter();
    let checks = checks.map(|check| {
        (
            word(&check["name"]),
            word(&check["state"]),
            word(&check["message"]),
        )
    });
    (code, checks.collect())
}

fn state(checks: &[(String, String, String)], name: &str) -> (String, String) {
    let found = checks
        .iter()
        .find(|check| check.0 == name)
        .expect("the check");
    (found.1.clone(), found.2.clone())
}

#[test]
fn a_healthy_installation_passes_and_stays_as_it_is() {
    let program = archive(2);
    back_up(home(&program), &[]);
    let before = lasting_files(program.data());
    let (code, found) = checks(&program);
    let bad: Vec<_> = found.iter().filter(|check| check.1 == "errore").collect();
    assert_eq!(code, 0, "{bad:?}");
    let names: Vec<&str> = found.iter().map(|check| check.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "configurazione",
            "cartella dei dati",
            "archivio",
            "file delle chiavi",
            "spazio su disco",
            "orologio",
            "backup"
        ]
    );
    assert!(
        state(&found, "archivio")
            .1
            .contains("integro, 2 segnalazioni")
    );
    assert_eq!(
        state(&found, "file delle chiavi"),
        ("ok".to_owned(), "apre le segnalazioni".to_owned())
    );
    assert_eq!(state(&found, "backup").0, "ok");
    let output = run(command(home(&program), &["doctor"]), "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(text(&output.stdout).lines().count(), names.len());
    assert!(lasting_files(program.data()) == before);
}

#[test]
fn each_thing_that_is_wrong_is_named() {
    let program = archive(1);
    let data = program.data();
    let open = |mode| fs::set_permissions(data, fs::Permissions::from_mode(mode)).expect("a mode");
    open(0o755);
    let (code, found) = checks(&program);
    assert_eq!(
        (code, state(&found, "cartella dei dati").0.as_str()),
        (1, "errore")
    );
    assert_eq!(state(&found, "backup").0, "attenzione");
    open(0o700);

    let key = data.join("segnalazioni.key");
    fs::rename(&key, data.join("altrove")).expect("moved");
    let (code, found) = checks(&program);
    assert_eq!(
        (code, state(&found, "file delle chiavi").0.as_str()),
        (1, "errore")
    );
    fs::rename(data.join("altrove"), &key).expect("moved back");

    database(data)
        .execute_batch("UPDATE segnalazioni SET data_creazione = 99999999999999")
        .expect("written");
    let (code, found) = checks(&program);
    assert_eq!((code, state(&found, "orologio").0.as_str()), (1, "errore"));
    database(data)
        .execute_batch("UPDATE segnalazioni SET data_creazione = 1; CREATE VIEW v AS SELECT 1;")
        .expect("written");
    let (code, found) = checks(&program);
    assert_eq!((code, state(&found, "archivio").0.as_str()), (1, "errore"));
    assert!(state(&found, "archivio").1.contains("view «v»"));

    fs::write(home(&program).join("config.toml"), "listenn = 1").expect("written");
    let output = run(command(home(&program), &["doctor"]), "");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(
        said.starts_with("ERRORE      configurazione: chiave sconosciuta «listenn»"),
        "{said}"
    );
    assert_eq!(
        text(&output.stderr),
        "segnalazioni: controlli non superati: 1\n"
    );
}
