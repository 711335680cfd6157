//! What lies on the disk: nothing of a report in the clear, nothing that opens for another row, nothing that anybody else
//! on the machine can read, and nothing of ours in a file that is not (PRODUCT.md §12).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;

use crate::support::chat::{Chat, Person, submit};
use crate::support::contains;
use crate::support::disk;
use crate::support::executable::{self, Server};
use crate::support::panel::{OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;

/// A reporter whose every answer would be recognised.
fn marked() -> Person {
    Person {
        eta: "47".to_owned(),
        nome: "Zefirinonome".to_owned(),
        cognome: "Quaglianicognome".to_owned(),
        telefono: "3519264708".to_owned(),
        email: "canarino.spia@posta-segreta.example".to_owned(),
        indirizzo: "Vicolo degli Orti Nascosti 77, Roccapipirozzi".to_owned(),
        segnalazione: "Nel capannone segnato falsificano i certificati di ogni partita di olio, di notte, con timbri rubati."
            .to_owned(),
        chiusura: "Il custode si chiama Teodoberto.".to_owned(),
    }
}

/// Every way in which a text could lie on the disk without being sealed.
fn spellings(text: &str) -> Vec<Vec<u8>> {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let base64 = STANDARD.encode(text);
    let texts = [
        text.to_owned(),
        text.to_lowercase(),
        text.to_uppercase(),
        base64.trim_end_matches('=').to_owned(),
        hex::encode(text),
    ];
    texts
        .map(String::into_bytes)
        .into_iter()
        .chain([utf16])
        .collect()
}

fn absent(data: &Path, canaries: &[String]) {
    let files = disk::files(data);
    for name in ["segnalazioni.db", "segnalazioni.key", "segnalazioni.lock"] {
        assert!(files.contains_key(&data.join(name)), "{name}");
    }
    for canary in canaries {
        for spelling in spellings(canary) {
            let found = disk::holding(data, &spelling);
            assert!(found.is_empty(), "«{canary}» lies in {found:?}");
        }
    }
}

#[test]
fn no_byte_of_any_file_tells_what_was_said_or_opens_a_door() {
    let mut program = Program::start();
    let client = program.client();
    let link = program.setup_url();
    let (editor, code) = program.set_up_with_code();
    let person = marked();
    let last = Chat::at_the_end(&client, &person);
    let id = submit(&client, &person);
    let notes = [
        "Appuntosegretissimo del caporedattore",
        "Richiamarelafonte domani",
    ];
    for note in notes {
        editor.change(&id, &json!({ "note": note }));
    }
    let shown = &editor.list("")["data"][0]["nome"];
    // What is looked for is there to be read.
    assert_eq!(*shown, person.nome);
    let guess = "tentativo-indovinato-male";
    try_log_in(&client, guess).expect(401);
    let editor = editor.change_password(&client, PASSWORD, OTHER_PASSWORD);
    let organisation = "Gazzetta della Controprova";
    editor.save_system(&json!({ "organizationName": organisation }));

    let mut canaries = person.texts();
    let words = "Teodoberto|Roccapipirozzi|posta-segreta|INFORMAZIONI AGGIUNTIVE".split('|');
    let bare = code.replace('-', "");
    let passwords = [PASSWORD, OTHER_PASSWORD, guess, &code, &bare];
    let secrets = passwords.into_iter().chain([editor.cookie(), last.token()]);
    canaries.extend(secrets.chain(notes).chain(words).map(str::to_owned));
    canaries.extend(link.split_once('#').map(|(_, token)| token.to_owned()));
    let key_bytes = URL_SAFE_NO_PAD.decode(editor.cookie()).expect("base64url");
    // The control: what is kept in the clear is found, in the database's log of writes too.
    for (running, name) in [(true, "segnalazioni.db-wal"), (false, "segnalazioni.db")] {
        if !running {
            program.stop();
        }
        absent(program.data(), &canaries);
        assert!(disk::holding(program.data(), &key_bytes).is_empty());
        let clear = disk::holding(program.data(), organisation.as_bytes());
        assert!(clear.iter().any(|path| path.ends_with(name)), "{clear:?}");
    }
    assert!(!disk::holding(program.data(), id.as_bytes()).is_empty());
}

/// Puts the sealed value of one row where another's was.
fn swap(data: &Path, one: (&str, &str), other: (&str, &str)) {
    let database = disk::database(data);
    let read = |(id, column): (&str, &str)| -> Vec<u8> {
        let sql = format!("SELECT {column} FROM segnalazioni WHERE id = ?1");
        let value = database.query_row(&sql, [id], |row| row.get(0));
        value.expect("a sealed value")
    };
    let (first, second) = (read(one), read(other));
    assert_ne!(first, second);
    for ((id, column), value) in [(one, second), (other, first)] {
        let sql = format!("UPDATE segnalazioni SET {column} = ?2 WHERE id = ?1");
        let written = database.execute(&sql, rusqlite::params![id, value]);
        assert_eq!(written.expect("swapped"), 1);
    }
}

#[test]
fn a_sealed_value_opens_in_its_own_row_and_place_only() {
    let (mut program, editor) = Program::with_editor();
    let people = [Person::numbered(1), Person::numbered(2)];
    let client = program.client();
    let ids = people.each_ref().map(|person| submit(&client, person));
    for id in &ids {
        editor.change(id, &json!({ "note": format!("Nota di {id}.") }));
    }
    let [first, second] = [ids[0].as_str(), ids[1].as_str()];
    // Another report's content, another report's note, a note where the content belongs.
    for (one, other) in [
        ((first, "contenuto"), (second, "contenuto")),
        ((first, "note"), (second, "note")),
        ((first, "contenuto"), (first, "note")),
    ] {
        for swapped in [true, false] {
            program.stop();
            swap(program.data(), one, other);
            program.start_again();
            for (id, person) in ids.iter().zip(&people) {
                let answer = program.log_in().get(&format!("/reports/{id}"));
                // The control: back in its place everything opens.
                if !swapped || (one.0 == other.0 && id == second) {
                    assert_eq!(answer.expect(200).json()["nome"], person.nome);
                    continue;
                }
                answer.problem(500, "errore-interno");
                assert!(!answer.text().contains("Nome") && !answer.text().contains("Nota di"));
            }
        }
    }
}

#[test]
fn a_report_that_cannot_be_opened_hides_no_other() {
    let (mut program, _) = Program::with_editor();
    let [damaged, whole] = [1, 2].map(|number| program.report(number));
    program.stop();
    let sql = "UPDATE segnalazioni SET contenuto = zeroblob(80), riga = zeroblob(80) WHERE id = ?1";
    let database = disk::database(program.data());
    database.execute(sql, [&damaged]).expect("damaged");
    program.start_again();
    let editor = program.log_in();
    let list = editor.list("");
    let names = [0, 1].map(|row| list["data"][row]["nome"].clone());
    assert_eq!(names, ["Nomec", "(segnalazione non leggibile)"]);
    let export = editor.get("/reports/export.csv").expect(200);
    let unread = "(segnalazione non leggibile)";
    contains(export.text(), &[&damaged, unread, &whole, "Nomec Cognomec"]);
}

#[test]
fn whatever_the_umask_only_the_owner_can_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |script: &str| {
        let mut shell = Command::new("/bin/sh");
        executable::confine(&mut shell, folder.path());
        shell.args(["-c", &format!("umask 000; {script}"), executable::PATH]);
        shell
    };
    let serve = open("exec \"$0\" serve --listen 127.0.0.1:0");
    let server = Server::spawn(serve, folder.path());
    submit(&server.client(), &Person::numbered(1));
    let succeeds = |script: &str| open(script).status().expect("it runs").success();
    assert!(succeeds("exec \"$0\" backup"));
    let data = folder.path().join("data");
    for folder in [&data, &data.join("backups")] {
        assert_eq!(disk::mode(folder), 0o700, "{}", folder.display());
    }
    let files = disk::files(&data);
    assert!(files.len() >= 6, "{:?}", files.keys());
    for path in files.keys() {
        assert_eq!(disk::mode(path), 0o600, "{}", path.display());
    }
    // The control: this shell's umask does let others read.
    assert!(succeeds("echo > control"));
    assert_eq!(disk::mode(&folder.path().join("control")), 0o666);
}

/// systemd lets the service read its credentials by an access control list, which shows as permissions of the group.
#[test]
fn a_key_file_among_the_credentials_of_systemd_is_taken_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    Server::start(folder.path()).kill();
    let credentials = folder.path().join("credentials");
    fs::create_dir(&credentials).expect("made");
    let key = credentials.join("segnalazioni.key");
    fs::rename(folder.path().join("data/segnalazioni.key"), &key).expect("moved");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o440)).expect("changed");
    let serve = |variable: &str, value: &Path| {
        let mut serve = executable::serve(folder.path());
        serve.env(variable, value);
        serve
    };
    let server = Server::spawn(serve("CREDENTIALS_DIRECTORY", &credentials), folder.path());
    submit(&server.client(), &Person::numbered(1));
    drop(server);
    // The control: the same file anywhere else is refused.
    let refused = executable::run(serve("SEGNALAZIONI_KEY_FILE", &key), "");
    let told = executable::text(&refused.stderr);
    assert!(told.contains("0440"), "{told}");
}

#[test]
fn without_the_key_file_a_command_makes_no_other_and_a_backup_says_that_it_is_not_signed() {
    let folder = executable::installation();
    fs::remove_file(folder.path().join("data/segnalazioni.key")).expect("removed");
    let said = executable::fails(folder.path(), &["login-link"], "");
    assert!(said.contains("segnalazioni.key non c'è"), "{said}");
    let made = executable::run(executable::command(folder.path(), &["backup"]), "");
    let unsigned = "segnalazioni: il backup non è firmato: ./data/segnalazioni.key non c'è\n";
    assert_eq!(executable::text(&made.stderr), unsigned);
    assert!(made.status.success());
    assert!(!folder.path().join("data/segnalazioni.key").exists());
}

#[test]
fn a_second_program_on_the_same_folder_is_refused() {
    let program = Program::start();
    let data = program.data().display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &data];
    let line = executable::fails(folder.path(), &arguments, "");
    let reason = format!("la cartella dei dati {data} è già in uso da un altro processo");
    assert!(line.contains(&reason), "{line}");
    program.report(1);
}

#[test]
fn a_newer_archive_and_somebody_elses_file_are_left_alone() {
    let newer = "l'archivio ha la versione 99, questo programma arriva alla 1";
    for (change, reason) in [
        ("PRAGMA user_version = 99", newer),
        ("PRAGMA application_id = 42", NOT_OURS),
    ] {
        let mut program = Program::start();
        program.stop();
        program.plant(change);
        refused_untouched(program.data(), reason);
    }
}

const NOT_OURS: &str = "non è un archivio di segnalazioni";

/// Both commands that would open a database, or make one.
fn refused_untouched(data: &Path, reason: &str) {
    let database = data.join("segnalazioni.db");
    let before = fs::read(&database).expect("readable");
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["reset-password", "--generate"],
    ] {
        let line = executable::fails(data.parent().expect("a folder"), arguments, "");
        assert!(line.contains(reason), "{line}");
        let after = fs::read(&database).expect("readable");
        assert!(after == before, "it was touched");
    }
}

#[test]
fn no_key_is_made_for_a_file_that_is_no_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("made");
    let recipes = disk::database(&data).execute_batch("CREATE TABLE ricette (nome TEXT)");
    recipes.expect("made");
    refused_untouched(&data, NOT_OURS);
    let shopping = "una lista della spesa\n".repeat(400);
    fs::write(data.join("segnalazioni.db"), shopping).expect("written");
    refused_untouched(&data, NOT_OURS);
    assert!(!data.join("segnalazioni.key").exists());
}

#[test]
fn a_report_says_nothing_to_who_has_the_database_but_not_the_key_file() {
    let (mut program, editor) = Program::with_editor();
    let id = submit(&program.client(), &marked());
    assert_eq!(editor.report(&id)["nome"], marked().nome);
    program.stop();
    // Beside another key file the session is nobody's; beside this one without the newsroom's key it opens nothing.
    let keys = fs::read_to_string(&program.config().key_file).expect("keys");
    let kept = keys.lines().filter(|line| !line.starts_with("newsroom "));
    let kept: Vec<&str> = kept.collect();
    fs::write(&program.config().key_file, kept.join("\n")).expect("written");
    program.start_again();
    let thief = program.session(&editor);
    for what in [&format!("/{id}"), "", "?urgente=false", "?search=nome"] {
        let refused = thief.get(&format!("/reports{what}"));
        refused.problem(503, "archivio-sigillato");
    }
    // The password brings the key back.
    let report = program.log_in().report(&id);
    assert_eq!(report["nome"], marked().nome);
}
