//! `segnalazioni status`: how the installation stands, beside a server and without one, and the exit code that a monitor reads.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};

use crate::support::contains;
use crate::support::disk::database;
use crate::support::doctor::{Findings, ask};
use crate::support::executable::{Server, command, installation, run, text};

/// What it says in JSON, and whether all is well.
fn stands(home: &Path) -> (bool, Value) {
    let output = run(command(home, &["status", "--json"]), "");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let well = output.status.code() == Some(0);
    assert_eq!(told["ok"], well);
    (well, told)
}

#[test]
fn one_screen_says_how_a_running_server_and_a_stopped_one_stand() {
    let folder = installation();
    let home = folder.path();
    let server = Server::start(home);
    for number in 1..=2 {
        submit(&server.client(), &Person::numbered(number));
    }
    let (well, told) = stands(home);
    assert!(well, "{told}");
    has!(told, "running": true, "reportsToday": 2, "version": env!("CARGO_PKG_VERSION"));
    assert!(
        told["uptimeSeconds"]
            .as_u64()
            .is_some_and(|uptime| uptime < 600),
        "{told}"
    );
    let found = Findings::of(&told);
    let address = server.client().address().to_string();
    found.says("server", "ok", &address);
    found.says("segnalazioni", "ok", "oggi 2");
    found.says("consegne", "ok", "in attesa");
    found.says("spazio su disco", "ok", "liberi");
    // What it shares with the doctor it says in the same words.
    let (_, doctor) = ask(command(home, &["doctor", "--json"]));
    let both = |findings: &Findings| {
        let states = findings.states().into_iter();
        states
            .filter(|(name, _)| {
                ["backup", "consegne", "autenticità"].contains(&name.as_str().unwrap())
            })
            .collect::<Vec<_>>()
    };
    let mut ours = both(&found);
    ours.sort_by_key(|(name, _)| name.to_string());
    let mut its = both(&doctor);
    its.sort_by_key(|(name, _)| name.to_string());
    assert_eq!(ours, its);

    let output = run(command(home, &["status"]), "");
    let screen = text(&output.stdout).to_owned();
    assert!(screen.starts_with(&format!("segnalazioni {} (", env!("CARGO_PKG_VERSION"))));
    assert!(
        screen.lines().count() <= 24 && output.status.success(),
        "{screen}"
    );
    contains(
        &screen,
        &["server: acceso dal ", "segnalazioni: oggi 2", "backup:"],
    );

    server.stop();
    let (well, told) = stands(home);
    assert!(!well);
    has!(told, "running": false, "uptimeSeconds": null, "reportsToday": 2);
    Findings::of(&told).says("server", "errore", "fermo");
}

#[test]
fn what_is_wrong_is_told_by_the_exit_code() {
    let folder = installation();
    let (home, data) = (folder.path(), folder.path().join("data"));
    let _server = Server::start(home);
    assert!(stands(home).0);
    // A replica that was never made.
    fs::create_dir(data.join("replica")).expect("a folder");
    fs::write(data.join("replica/generazione-vista"), "0\n").expect("a word");
    let (well, told) = stands(home);
    assert!(!well);
    Findings::of(&told).says("riserva", "errore", "mai copiata");
    fs::remove_dir_all(data.join("replica")).expect("removed");
    assert!(stands(home).0);
    // An archive that something else changed.
    let planted = database(&data).execute_batch("UPDATE credential SET body = body || ' '");
    planted.expect("planted");
    let (well, told) = stands(home);
    assert!(!well);
    Findings::of(&told).says("autenticità", "errore", "fuori dal programma");
    let empty = tempfile::tempdir().expect("a folder");
    let output = run(command(empty.path(), &["status", "--json"]), "");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (output.status.code(), &told["reportsToday"]),
        (Some(1), &json!(null))
    );
    assert!(!empty.path().join("data").exists(), "it changes nothing");
}
