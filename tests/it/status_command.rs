//! `segnalazioni status`: how the installation stands, beside a server and without one, and the exit code that a monitor reads.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Signal, kill_process};

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};

use crate::support::contains;
use crate::support::disk::database;
use crate::support::doctor::{Findings, ask};
use crate::support::executable::{Server, command, fails, installation, run, text};

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

/// The line of the server, and what follows from it.
fn server_is(home: &Path, state: &str, words: &str) {
    let (well, told) = stands(home);
    Findings::of(&told).says("server", state, words);
    assert_eq!(well, state != "errore");
    assert_eq!(told["running"], well, "{told}");
}

#[test]
fn a_server_that_hangs_is_not_taken_for_one_that_runs() {
    let folder = installation();
    let server = Server::start(folder.path());
    server_is(folder.path(), "ok", "acceso");
    kill_process(server.pid(), Signal::STOP).expect("stopped");
    server_is(folder.path(), "errore", "non risponde");
    kill_process(server.pid(), Signal::CONT).expect("continued");
    server_is(folder.path(), "ok", "acceso");
    // A clock that was set back: how long it runs cannot be told.
    let lock = File::options()
        .write(true)
        .open(folder.path().join("data/segnalazioni.lock"));
    let later = SystemTime::now() + Duration::from_hours(2);
    lock.and_then(|lock| lock.set_modified(later)).expect("set");
    server_is(folder.path(), "attenzione", "messo indietro");
    has!(stands(folder.path()).1, "uptimeSeconds": null);
}

#[test]
fn what_holds_the_folder_is_not_taken_for_a_server() {
    let folder = installation();
    let home = folder.path();
    let lock = || File::open(home.join("data/segnalazioni.lock")).expect("a file");
    // Another monitor, after a server that was killed: nothing holds the folder.
    Server::start(home).kill();
    let looking = lock();
    flock(&looking, FlockOperation::NonBlockingLockShared).expect("free");
    server_is(home, "errore", "fermo");
    drop(looking);
    // Anything else does.
    let foreign = lock();
    flock(&foreign, FlockOperation::NonBlockingLockExclusive).expect("free");
    server_is(home, "errore", "non risponde");
    drop(foreign);
    // A command of ours, which is refused here once it has the folder.
    fails(home, &["rekey", "--stdin"], "corta");
    let held = lock();
    flock(&held, FlockOperation::NonBlockingLockExclusive).expect("free");
    server_is(home, "errore", "un altro comando");
}

#[test]
fn a_user_who_may_not_read_is_told_so() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = installation();
    let _server = Server::start(folder.path());
    let mut other = command(Path::new("/"), &["status", "--json", "--data-dir"]);
    other
        .arg(folder.path().join("data"))
        .uid(65_534)
        .gid(65_534);
    let output = run(other, "");
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for name in ["server", "segnalazioni", "autenticità"] {
        Findings::of(&told).says(name, "errore", "permesso negato");
    }
}

#[test]
fn wrong_settings_and_a_ruined_archive_are_told_as_findings() {
    let folder = installation();
    let home = folder.path();
    fs::write(home.join("data/segnalazioni.db"), vec![7; 40_000]).expect("ruined");
    let told = stands(home).1;
    Findings::of(&told).says("segnalazioni", "errore", "illeggibile");
    fs::write(home.join("config.toml"), "porta = 80\n").expect("written");
    Findings::of(&stands(home).1).says("configurazione", "errore", "porta");
}
