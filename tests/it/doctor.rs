//! `segnalazioni doctor`: one line a check, and an exit code that a monitor can read (PRODUCT.md §15).

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use segnalazioni::testing::zone;

use crate::support::backups::{archive, back_up, lasting_files};
use crate::support::doctor::{Findings, NAMES, ask, examined};
use crate::support::executable::{Server, command, run, text};
use crate::support::program::{Program, at};

fn checks(program: &Program) -> (i32, Findings) {
    ask(command(program.home(), &["doctor", "--json"]))
}

#[test]
fn a_healthy_installation_passes_and_stays_as_it_is() {
    let program = archive(2);
    back_up(program.home(), &[]);
    let before = lasting_files(program.data());
    let (code, found) = checks(&program);
    assert_eq!(code, 0, "{found:?}");
    assert_eq!(found.names(), NAMES);
    found.says("archivio", "ok", "integro, 2 segnalazioni");
    found.says("file delle chiavi", "ok", "apre le segnalazioni");
    found.says("orologio", "ok", "/");
    found.says("server di posta", "attenzione", "non configurato");
    found.says("webhook", "ok", "disattivato");
    found.says("certificato TLS", "ok", "nessun indirizzo pubblico");
    found.says("backup", "ok", "mai provato a ripristinarlo");
    found.says("consegne", "ok", "nessuna fallita, 0 in attesa");
    let output = run(command(program.home(), &["doctor"]), "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(text(&output.stdout).lines().count(), NAMES.len());
    assert!(lasting_files(program.data()) == before);
}

#[test]
fn what_others_may_enter_or_own_is_named() {
    let program = archive(1);
    let backup = back_up(program.home(), &[]);
    let says = |code: i32, state: &str, words: &str| {
        let found = checks(&program);
        assert_eq!(found.0, code);
        found.1.says("cartella dei dati", state, words);
    };
    let open = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    says(0, "ok", "riservata");
    open(program.data(), 0o755);
    says(1, "errore", "chmod 700");
    open(program.data(), 0o700);
    open(&backup, 0o640);
    says(0, "attenzione", "chmod 600");
    open(&backup, 0o600);
    // Only root may give a file away.
    if rustix::process::geteuid().is_root() {
        chown(&backup, Some(12_345), None).expect("given away");
        says(1, "errore", "chown");
    }
}

#[test]
fn what_is_no_folder_or_no_file_is_named() {
    let program = archive(1);
    let data = program.data();
    let says = |words: &str| {
        let (code, found) = checks(&program);
        assert_eq!(code, 1, "{words}");
        found.says("cartella dei dati", "errore", words);
    };
    for name in ["allegati", "backups"] {
        fs::remove_dir_all(data.join(name)).ok();
        fs::write(data.join(name), "").expect("written");
        says(&format!("{name} non è una cartella"));
        fs::remove_file(data.join(name)).expect("removed");
    }
    for name in ["segnalazioni.lock", "segnalazioni.riserva"] {
        fs::remove_file(data.join(name)).ok();
        fs::create_dir(data.join(name)).expect("made");
        says(&format!("{name} non è un file"));
        fs::remove_dir(data.join(name)).expect("removed");
    }
    fs::remove_dir_all(data).expect("removed");
    fs::write(data, "").expect("written");
    says("non è una cartella");
}

#[test]
fn keys_that_a_killed_command_left_are_named_and_go_at_the_next_start() {
    let program = archive(1);
    let key = program.data().join("segnalazioni.key");
    let left = program.data().join(".segnalazioni.key.Xy12Ab.tmp");
    fs::copy(key, &left).expect("copied");
    let found = checks(&program).1;
    found.says("cartella dei dati", "attenzione", "può contenere le chiavi");
    // Another command may be writing it.
    let written = fs::File::open(&left).expect("opened");
    flock(&written, FlockOperation::LockExclusive).expect("held");
    checks(&program).1.says("cartella dei dati", "ok", "");
    Server::start(program.home()).kill();
    assert!(left.exists());
    drop(written);
    Server::start(program.home()).kill();
    assert!(!left.exists());
    checks(&program).1.says("cartella dei dati", "ok", "");
}

#[test]
fn the_key_file_is_tried_on_the_archive() {
    let program = archive(1);
    let key = program.data().join("segnalazioni.key");
    let aside = program.data().join("altrove");
    fs::rename(&key, &aside).expect("moved");
    let (code, found) = checks(&program);
    assert_eq!(code, 1);
    found.says("file delle chiavi", "errore", "non esiste");

    let other = archive(0);
    fs::copy(other.data().join("segnalazioni.key"), &key).expect("copied");
    let found = checks(&program).1;
    found.says("file delle chiavi", "errore", "è di un altro");
    fs::rename(&aside, &key).expect("moved back");
    let found = checks(&program).1;
    found.says("file delle chiavi", "ok", "apre le segnalazioni");
    // The right key, for an archive whose reports are of another.
    program.plant("UPDATE epochs SET sealed = randomblob(length(sealed))");
    let (code, found) = checks(&program);
    assert_eq!(code, 1);
    found.says("file delle chiavi", "errore", "non si aprono");
}

#[test]
fn a_clock_behind_the_newest_record_or_the_program_is_wrong() {
    let program = archive(1);
    for record in [
        "UPDATE segnalazioni SET data_creazione = 99999999999999",
        "UPDATE segnalazioni SET data_creazione = 1; UPDATE access_log SET at = 99999999999999",
    ] {
        program.plant(record);
        let (code, found) = checks(&program);
        assert_eq!(code, 1, "{record}");
        found.says("orologio", "errore", "già registrato");
    }

    // A server whose clock the test sets: first at the machine's time, then years before the program was made.
    let (program, editor) = Program::with_editor();
    let now = jiff::Timestamp::now().as_millisecond();
    program.clock.set(now);
    examined(&program.log_in()).says("orologio", "ok", "/");
    drop(editor);
    let program = Program::start();
    program.clock.set(0);
    let editor = program.set_up();
    examined(&editor).says("orologio", "errore", "questo programma");
}

#[test]
fn an_archive_that_is_damaged_or_was_changed_is_found_out() {
    let program = archive(1);
    let path = program.data().join("segnalazioni.db");
    let wrong = |words: &str| {
        let (code, found) = checks(&program);
        assert_eq!(code, 1);
        found.says("archivio", "errore", words);
        found
    };
    let view = "CREATE VIEW v AS SELECT 1;";
    program.plant(view);
    wrong("view «v»");
    let bytes = fs::read(&path).expect("a database");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
    wrong("restore");
    fs::remove_file(&path).expect("removed");
    wrong("lo crea il primo avvio").says("consegne", "attenzione", "non controllabile");
    // What may be there and cannot be looked at is not said to be missing.
    std::os::unix::fs::symlink(&path, &path).expect("made");
    wrong("impossibile leggere");
}

#[test]
fn an_archive_of_a_later_version_is_none_to_be_restored() {
    let program = archive(1);
    program.plant("PRAGMA user_version = 9");
    let (code, found) = checks(&program);
    assert_eq!(code, 1);
    for check in ["archivio", "autenticità", "registro degli accessi"] {
        found.says(
            check,
            "errore",
            "ha la versione 9, questo programma arriva alla",
        );
    }
    assert!(!format!("{found:?}").contains("restore"), "{found:?}");
}

#[test]
fn backups_that_are_late_failed_or_cannot_be_gone_back_to_are_named() {
    let program = archive(1);
    let says = |state: &str, words: &str| checks(&program).1.says("backup", state, words);
    says("attenzione", "nessun backup");
    let made = back_up(program.home(), &[]);
    let memory = program.data().join("backups/stato.json");
    let at = jiff::Timestamp::now();
    let here = at.to_zoned_datetime(zone("Europe/Rome").expect("a time zone"));
    let rehearsal = |ok: bool, message: Value| json!({ "rehearsal": { "at": at, "ok": ok, "message": message, "opened": ok } });
    for (known, state, words) in [
        (rehearsal(true, Value::Null), "ok", "ripristino provato il"),
        (
            rehearsal(false, json!("non si apre")),
            "errore",
            "la prova di ripristino è fallita: non si apre",
        ),
        (json!({}), "ok", "l'ultimo è del"),
    ] {
        fs::write(&memory, known.to_string()).expect("written");
        says(state, words);
    }
    // One of a day to come does not count.
    let ahead = made.with_file_name("segnalazioni-29990101T000000Z.backup");
    fs::copy(&made, &ahead).expect("copied");
    says("ok", &here.strftime("l'ultimo è del %d/%m/%Y").to_string());
    fs::remove_file(ahead).expect("removed");
    // The same backup under the name of an older one: the schedule is weekly.
    let older = made.with_file_name("segnalazioni-20260310T090000Z.backup");
    fs::rename(&made, older).expect("renamed");
    says("errore", "è in ritardo");
}

#[test]
fn a_configuration_that_does_not_hold_is_all_that_is_said() {
    let program = archive(0);
    fs::write(program.home().join("config.toml"), "listenn = 1").expect("written");
    let output = run(command(program.home(), &["doctor"]), "");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    let words = "ERRORE      configurazione: chiave sconosciuta «listenn»";
    assert!(said.starts_with(words), "{said}");
    let line = "segnalazioni: controlli non superati: 1\n";
    assert_eq!(text(&output.stderr), line);
}

const CALL: &str = "/system/doctor";

#[test]
fn the_panel_finds_what_the_command_finds_once_somebody_asks() {
    let (program, _) = Program::with_editor();
    program.clock.set(jiff::Timestamp::now().as_millisecond());
    let editor = program.log_in();
    let told = editor.post(CALL).expect(200).json();
    assert_eq!(Findings::of(&told).names(), NAMES);
    assert_eq!(told["at"].as_str().map(at), Some(program.clock.now_ms()));
    assert_eq!(told["worst"], "attenzione");
    assert_eq!(Findings::of(&told).states(), checks(&program).1.states());

    std::fs::remove_file(program.data().join("segnalazioni.key")).expect("removed");
    let told = editor.post(CALL).expect(200).json();
    Findings::of(&told).says("file delle chiavi", "errore", "non esiste");
    assert_eq!(told["worst"], "errore");
}
