//! Whoever can write the database, or a backup, and has no key: what is planted opens nothing and sends nothing, is said to
//! whoever can act, and is put right by a command on the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::support::backups::{altered, back_up, bundled, kept_rows, parts, summed, unpacked};
use crate::support::chat::{Person, submit};
use crate::support::disk::{count, database};
use crate::support::doctor::examined;
use crate::support::executable::{fails, succeeds};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, browser_of, cookie_of, try_log_in};
use crate::support::post::{Manner, Post};
use crate::support::program::Program;
use crate::support::wait_for;

const TRUST: &str = "/system/authenticity";
/// Where the newsroom gets its mail.
const DESK: &str = "redazione@esempio.it";
/// Where a stranger wants reports to go.
const ELSEWHERE: &str = "altri@altrove.example";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// An installation with three reports, which were mailed.
fn newsroom(folder: &Path) -> (Program, Arc<Post>, Editor) {
    let (program, post) = Program::start_at(folder);
    let editor = program.set_up();
    editor.mail_to(2525);
    editor.save(
        "/settings/system",
        &json!({ "organizationName": "Redazione" }),
    );
    for number in 1..=3 {
        submit(&program.client(), &Person::numbered(number));
        post.wait(DESK, number);
        wait_for("delivered", || {
            let told = editor.get("/deliveries/summary").json();
            (told["counters"]["pending"] == 0).then_some(())
        });
        program.clock.advance(Duration::from_mins(2));
    }
    (program, post, editor)
}

/// Another newsroom, whose password is [`OTHER_PASSWORD`], and its database.
fn stranger() -> (Program, PathBuf) {
    let mut program = Program::start();
    Editor::set_up(&program.client(), &program.setup_url(), OTHER_PASSWORD);
    program.stop();
    let path = program.data().join("segnalazioni.db");
    (program, path)
}

/// Tables of the stranger's are at hand as `s`.
const CREDENTIAL: &str = "UPDATE credential SET body = (SELECT body FROM s.credential);";
const SLOTS: &str = "DELETE FROM key_slots; INSERT INTO key_slots
    SELECT (SELECT key_id FROM key_pairs WHERE active), kind, owner, blob, created FROM s.key_slots;";
const ADMINISTRATOR: &str = "INSERT INTO people (id, name, user, role, departments, credential, created)
    SELECT '00000000-0000-4000-8000-000000000000', 'Io', 'io', 'amministratore', 127, body, 0 FROM s.credential;";
const OWNER: &str =
    "UPDATE key_slots SET owner = '00000000-0000-4000-8000-000000000000' WHERE kind = 'password';";
const PAIR: &str =
    "UPDATE key_pairs SET active = 0; INSERT INTO key_pairs SELECT * FROM s.key_pairs;
    DELETE FROM key_slots; INSERT INTO key_slots SELECT * FROM s.key_slots;";
const HOOK: &str = "UPDATE settings SET body = json_set(body, '$.enableWebhook', json('true'),
    '$.webhookUrl', 'https://altrove.example/') WHERE section = 'system';";
const RECIPIENT: &str =
    "UPDATE settings SET body = json_set(body, '$.emailRecipient', 'altri@altrove.example')
    WHERE section = 'email';";

/// What somebody who can write a database puts in the place of what is there.
fn forgeries(stranger: &Path) -> Vec<String> {
    let all = [
        CREDENTIAL,
        &[CREDENTIAL, SLOTS].concat(),
        &[CREDENTIAL, PAIR].concat(),
        "UPDATE key_pairs SET sealed = 1 - sealed;",
        HOOK,
        RECIPIENT,
        "UPDATE key_slots SET blob = randomblob(length(blob)) WHERE kind = 'recovery';",
        ADMINISTRATOR,
        &[ADMINISTRATOR, SLOTS, OWNER].concat(),
        "DELETE FROM authenticity;",
    ];
    all.map(|change| planted(stranger, change)).into()
}

fn planted(stranger: &Path, change: &str) -> String {
    format!("ATTACH '{}' AS s; {change}", stranger.display())
}

/// A backup with other content and every sum right, with the mark of the true one or without.
fn forged(file: &Path, change: &str, marked: bool) -> PathBuf {
    let (manifest, content) = unpacked(file);
    let content = altered(&content, change);
    let folder = folder();
    fs::write(folder.path().join("segnalazioni.db"), &content).expect("written");
    let rows = |name: &String| count(folder.path(), &format!("SELECT count(*) FROM {name}"));
    let names = manifest["tables"].as_object().expect("tables").keys();
    let tables: Map<String, Value> = names
        .map(|name| (name.clone(), json!(rows(name))))
        .collect();
    let mut forged = summed(&content, Vec::new(), &manifest, |manifest| {
        manifest["tables"] = json!(tables);
    });
    if marked {
        forged.extend(parts(file).pop());
    }
    let bytes = bundled(&forged);
    let path = file.with_extension("forged");
    fs::write(&path, bytes).expect("written");
    path
}

fn state(editor: &Editor) -> Value {
    editor.get(TRUST).expect(200).json()["state"].clone()
}

/// Nobody is let in, whichever password is the one in the database, and nothing is sent.
fn is_shut(program: &Program, post: &Post) {
    let sent = post.attempts().len();
    for password in [PASSWORD, OTHER_PASSWORD] {
        try_log_in(&program.client(), password).problem(503, "archivio-alterato");
    }
    submit(&program.client(), &Person::numbered(9));
    // A delivery that could go out is taken at once; a second report shows that the dispatcher has looked.
    program.clock.advance(Duration::from_mins(2));
    program.running().tidy().expect("a round");
    submit(&program.client(), &Person::numbered(10));
    program.running().tidy().expect("a round");
    assert_eq!(post.attempts().len(), sent);
}

#[test]
fn a_forged_backup_is_refused_where_it_claims_to_come_from() {
    let folder = folder();
    let (mut program, _post, _) = newsroom(folder.path());
    program.stop();
    let (_stranger, stranger) = stranger();
    let file = back_up(program.home(), &[]);
    let before = kept_rows(program.data());
    for change in forgeries(&stranger) {
        let claims = forged(&file, &change, true);
        let claims = claims.to_str().unwrap();
        for command in [&["verify", claims][..], &["restore", claims, "--force"]] {
            let refused = fails(program.home(), command, "");
            assert!(
                refused.contains("qualcuno lo ha modificato"),
                "{change}: {refused}"
            );
        }
        // Without the mark nobody can tell, and that is said.
        let bare = forged(&file, &change, false);
        let bare = bare.to_str().unwrap();
        let refused = fails(program.home(), &["restore", bare], "");
        assert!(refused.contains("--force"), "{change}: {refused}");
        let said = succeeds(program.home(), &["verify", bare], "");
        assert!(
            said.contains("Non controllato: chi lo ha scritto"),
            "{change}: {said}"
        );
    }
    // Nor is one that lost reports together with its mark.
    let fewer = forged(&file, "DELETE FROM segnalazioni WHERE seq > 1", false);
    let refused = fails(program.home(), &["restore", fewer.to_str().unwrap()], "");
    assert!(refused.contains("--force"), "{refused}");
    assert_eq!(kept_rows(program.data()), before);
    let file = file.to_str().unwrap();
    let said = succeeds(program.home(), &["verify", file], "");
    assert!(
        said.ends_with("Aperte per prova: 3 segnalazioni.\n"),
        "{said}"
    );
    let said = succeeds(program.home(), &["restore", file], "");
    assert!(!said.contains("fermi"), "{said}");
}

#[test]
fn a_backup_of_elsewhere_sends_nothing_before_it_is_confirmed() {
    let (home, there) = (folder(), folder());
    let (mut program, _post, _) = newsroom(home.path());
    program.stop();
    let file = back_up(program.home(), &[]);
    let said = succeeds(there.path(), &["verify", file.to_str().unwrap()], "");
    assert_eq!(said.matches("Non controllato").count(), 2, "{said}");
    let said = succeeds(there.path(), &["restore", file.to_str().unwrap()], "");
    assert!(said.contains("restano fermi finché una persona"), "{said}");
    let (mut program, post) = Program::start_at(there.path());
    program.clock.advance(Duration::from_hours(1));
    submit(&program.client(), &Person::numbered(4));
    let mut editor = program.log_in();
    assert_eq!(editor.all_ids().len(), 4);
    assert_eq!(editor.report(&editor.all_ids()[3])["nome"], "Nomeb");
    for _ in 0..2 {
        assert_eq!(state(&editor), "da-confermare");
        examined(&editor).says("autenticità", "attenzione", "conferma dove vanno");
        editor.save("/settings/system", &json!({ "organizationName": "Altra" }));
        program.running().tidy().expect("a round");
        assert_eq!(post.attempts(), []);
        program.restart();
        editor = program.session(&editor);
    }
    let told = editor.post(TRUST).expect(200).json();
    assert_eq!(told["state"], "integro");
    assert_eq!(post.wait(DESK, 1)[0].reports.len(), 1);
}

#[test]
fn what_was_planted_in_a_backup_opens_nothing_elsewhere() {
    let home = folder();
    let (mut program, _post, _) = newsroom(home.path());
    program.stop();
    let file = back_up(program.home(), &[]);
    let (_stranger, stranger) = stranger();
    for keys in [SLOTS, PAIR] {
        let there = folder();
        let change = planted(&stranger, &[CREDENTIAL, keys, RECIPIENT].concat());
        let forged = forged(&file, &change, false);
        succeeds(there.path(), &["restore", forged.to_str().unwrap()], "");
        let (program, post) = Program::start_at(there.path());
        submit(&program.client(), &Person::numbered(4));
        try_log_in(&program.client(), OTHER_PASSWORD).problem(503, "archivio-alterato");
        try_log_in(&program.client(), PASSWORD).problem(401, "password-non-valida");
        program.running().tidy().expect("a round");
        assert_eq!(post.attempts(), []);
    }
}

#[test]
fn what_is_planted_in_the_database_lets_nobody_in_and_sends_nothing() {
    let (_stranger, stranger) = stranger();
    for change in forgeries(&stranger) {
        let folder = folder();
        let (mut program, post, _) = newsroom(folder.path());
        database(program.data())
            .execute_batch(&change)
            .expect("written");
        is_shut(&program, &post);
        program.stop();
        // Beside another key pair the program does not even start: reports would be sealed for a stranger.
        if change.contains(PAIR) {
            let refused = program.try_start().err().expect("it does not start");
            assert!(refused.to_string().contains("reset-password"), "{refused}");
        } else {
            program.start_again();
            is_shut(&program, &post);
            program.stop();
        }
        let said = succeeds(program.home(), &["reset-password", "--stdin"], PASSWORD);
        assert!(
            said.contains("Codice di recupero: ") && said.contains("restano fermi"),
            "{said}"
        );
        program.start_again();
        try_log_in(&program.client(), OTHER_PASSWORD).problem(401, "password-non-valida");
        let editor = program.log_in();
        assert_eq!(
            editor.report(editor.all_ids().last().expect("reports"))["nome"],
            "Nomeb",
            "{change}"
        );
        assert_eq!(state(&editor), "da-confermare");
        editor.save("/settings/system", &json!({ "enableWebhook": false }));
        editor.save("/settings/email", &json!({ "emailRecipient": DESK }));
        editor.post(TRUST).expect(200);
        post.wait(DESK, 4);
        assert_eq!(post.attempts_at(ELSEWHERE), []);
    }
}

#[test]
fn an_editor_is_told_and_cannot_make_it_look_right() {
    let folder = folder();
    let (program, _post, editor) = newsroom(folder.path());
    assert_eq!(state(&editor), "integro");
    database(program.data())
        .execute_batch(RECIPIENT)
        .expect("written");
    program.running().tidy().expect("a round");
    assert_eq!(state(&editor), "alterato");
    let checks = examined(&editor);
    checks.says("autenticità", "errore", "reset-password");
    checks.says("server di posta", "attenzione", "non controllato");
    let change = json!({ "organizationName": "Altra" });
    editor
        .put("/settings/system", &change)
        .problem(503, "archivio-alterato");
    editor.post(TRUST).problem(503, "archivio-alterato");
    editor
        .post_json("/settings/email/test", &json!({}))
        .problem(503, "archivio-alterato");
    succeeds(
        program.home(),
        &["reset-password", "--stdin"],
        OTHER_PASSWORD,
    );
    let editor = Editor::log_in(&program.client(), OTHER_PASSWORD);
    assert_eq!(state(&editor), "da-confermare");
}

#[test]
fn what_is_planted_in_the_schema_is_noticed_and_refused() {
    for plant in [
        "CREATE TRIGGER extra AFTER INSERT ON authenticity BEGIN UPDATE settings
             SET body = json_set(body, '$.emailRecipient', 'altri@altrove.example') WHERE section = 'email'; END",
        "ALTER TABLE settings RENAME TO other; CREATE VIEW settings AS SELECT section, iif(section = 'email'
             AND abs(random()) % 2, json_set(body, '$.emailRecipient', 'altri@altrove.example'), body) AS body, updated FROM other",
    ] {
        let folder = folder();
        let (mut program, post, editor) = newsroom(folder.path());
        database(program.data()).execute_batch(plant).expect("written");
        let change = json!({ "organizationName": "Altra" });
        editor
            .put("/settings/system", &change)
            .problem(503, "archivio-alterato");
        is_shut(&program, &post);
        program.stop();
        let refused = program.try_start().err().expect("it does not start");
        assert!(format!("{refused:#}").contains("schema"), "{refused:#}");
        let refused = fails(program.home(), &["reset-password", "--stdin"], PASSWORD);
        assert!(!refused.contains("Codice di recupero"), "{refused}");
        assert_eq!(post.attempts_at(ELSEWHERE), []);
    }
}

#[test]
fn no_archive_is_begun_anew_over_what_is_left_of_another() {
    for plant in [
        "UPDATE key_pairs SET active = 0; DELETE FROM credential; DELETE FROM settings;",
        "PRAGMA foreign_keys = OFF; DELETE FROM key_slots; DELETE FROM key_pairs; DELETE FROM authenticity;
         DELETE FROM credential; DELETE FROM settings;",
        "INSERT OR REPLACE INTO settings VALUES ('security', '{nonsense', 1), ('system', '{', 1);",
    ] {
        let folder = folder();
        let (mut program, _post, _) = newsroom(folder.path());
        program.stop();
        database(program.data()).execute_batch(plant).expect("written");
        let before = kept_rows(program.data());
        assert!(program.try_start().is_err(), "{plant}");
        assert_eq!(kept_rows(program.data()), before, "{plant}");
        succeeds(program.home(), &["reset-password", "--stdin"], PASSWORD);
        program.start_again();
        let editor = program.log_in();
        assert_eq!(state(&editor), "da-confermare");
        assert_eq!(editor.report(&editor.all_ids()[2])["nome"], "Nomeb");
    }
}

#[test]
fn junk_among_the_reports_of_a_sealed_archive_shuts_nobody_out() {
    let folder = folder();
    let (mut program, _post) = Program::start_at(folder.path());
    let (editor, code) = program.set_up_with_code();
    submit(&program.client(), &Person::numbered(1));
    let seal = json!({ "recoveryCode": code });
    editor.post_json("/security/sealed", &seal).expect(200);
    program.stop();
    let junk = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO segnalazioni (id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
            contenuto) SELECT 'junk' || i, stato, department, data_creazione, data_aggiornamento, privacy_version,
            randomblob(16), epoch, randomblob(200) FROM segnalazioni, n";
    database(program.data())
        .execute_batch(junk)
        .expect("written");
    program.start_again();
    program.log_in();
}

#[test]
fn a_sealed_archive_stays_sealed_whatever_the_database_says() {
    let folder = folder();
    let (mut program, _post) = Program::start_at(folder.path());
    let (editor, code) = program.set_up_with_code();
    submit(&program.client(), &Person::numbered(1));
    let open = back_up(program.home(), &[]);
    editor
        .post_json("/security/sealed", &json!({ "recoveryCode": code }))
        .expect(200);
    program.stop();
    let key_file = program.data().join("segnalazioni.key");
    let before = fs::read(&key_file).expect("keys");
    database(program.data())
        .execute_batch("UPDATE key_pairs SET sealed = 0")
        .expect("written");
    assert!(program.try_start().is_err());
    let restore = ["restore", open.to_str().unwrap(), "--dry-run", "--json"];
    let said = succeeds(program.home(), &restore, "");
    assert!(said.contains("sigillato"), "{said}");
    succeeds(
        program.home(),
        &["reset-password", "--stdin"],
        &format!("{PASSWORD}\n{code}\n"),
    );
    program.start_again();
    let editor = program.log_in();
    assert_eq!(editor.report(&editor.all_ids()[0])["nome"], "Nomeb");
    assert_eq!(fs::read(&key_file).expect("keys"), before);
}

#[test]
fn a_planted_session_is_nobody_s() {
    let program = Program::start();
    program.set_up();
    let cookie = "qualsiasi";
    let hash = hex::encode(Sha256::digest(cookie));
    let now = program.clock.now_ms();
    let plant = format!(
        "INSERT INTO sessions (token_hash, proof, user_agent, created, last_seen) VALUES (x'{hash}', x'{hash}', '', {now}, {now})"
    );
    database(program.data())
        .execute_batch(&plant)
        .expect("written");
    let visitor = Editor::with_cookie(&program.client(), cookie.to_owned());
    assert_eq!(visitor.session(), 401);
}

#[test]
fn no_mark_of_a_cookie_stands_for_another_nor_for_a_former_password() {
    let program = Program::start();
    let before = program.set_up();
    let marks = |table: &str| -> Vec<String> {
        let data = database(program.data());
        let sql = format!("SELECT hex(token_hash) FROM {table}");
        let mut statement = data.prepare(&sql).expect("a statement");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a mark")).collect()
    };
    let keep = "CREATE TEMP TABLE kept AS SELECT * FROM sessions";
    let thief = database(program.data());
    thief.execute_batch(keep).expect("read");
    before.change_password(&program.client(), PASSWORD, OTHER_PASSWORD);
    let entered = try_log_in(&program.client(), OTHER_PASSWORD).expect(204);
    assert_eq!(
        Editor::with_cookie(&program.client(), cookie_of(&entered)).session(),
        200
    );
    for mark in marks("browsers") {
        let plant = format!(
            "INSERT INTO sessions (token_hash, proof, user_agent, created, last_seen)
                 SELECT x'{mark}', proof, '', created, last_seen FROM kept"
        );
        thief.execute_batch(&plant).expect("written");
    }
    let back = "INSERT INTO sessions SELECT * FROM kept";
    thief.execute_batch(back).expect("written");
    let browser = Editor::with_cookie(&program.client(), browser_of(&entered));
    assert_eq!((before.session(), browser.session()), (401, 401));
}

#[test]
fn a_stored_secret_goes_nowhere_before_it_is_confirmed_nor_comes_from_elsewhere() {
    let (home, there) = (folder(), folder());
    let (mut program, _post, editor) = newsroom(home.path());
    let mail = json!({ "smtpUsername": "chat", "smtpPassword": "segreto-di-posta" });
    editor.save("/settings/email", &mail);
    program.stop();
    let file = back_up(program.home(), &[]);
    // What a stranger sealed to the newsroom's public key is not taken over at a login.
    let plant = "UPDATE secrets SET operational = randomblob(length(operational))";
    database(program.data())
        .execute_batch(plant)
        .expect("written");
    program.start_again();
    let settings = program.log_in().get("/settings/email").expect(200).json();
    assert_eq!(settings["smtpPasswordSet"], false);
    succeeds(there.path(), &["restore", file.to_str().unwrap()], "");
    let (program, _post) = Program::start_at(there.path());
    let editor = program.log_in();
    let settings = editor.get("/settings/email").expect(200).json();
    assert_eq!(settings["smtpPasswordSet"], true);
    let (_, said) = editor.try_out("/settings/email/test", &json!({}));
    assert!(said.starts_with("La password salvata"), "{said}");
    editor.post(TRUST).expect(200);
    let (_, said) = editor.try_out("/settings/email/test", &json!({}));
    assert!(!said.starts_with("La password salvata"), "{said}");
}

#[test]
fn a_message_does_not_go_to_another_address_than_it_was_made_for() {
    for state in ["sending", "pending"] {
        let folder = folder();
        let (mut program, post, _) = newsroom(folder.path());
        post.set(DESK, Manner::Fails);
        submit(&program.client(), &Person::numbered(4));
        post.wait(DESK, 4);
        program.stop();
        let plant = format!(
            "UPDATE deliveries SET destination = '{ELSEWHERE}', state = '{state}', next_at = 0 WHERE concluded IS NULL"
        );
        database(program.data())
            .execute_batch(&plant)
            .expect("written");
        program.start_again();
        let editor = program.log_in();
        let ignored =
            || editor.get("/deliveries?stato=ignorata").expect(200).json()["data"].clone();
        wait_for("given up", || ignored().get(0).cloned());
        assert_eq!(post.attempts_at(ELSEWHERE), [], "{state}");
    }
}

#[test]
fn the_panels_file_with_fewer_reports_is_taken_by_force_alone() {
    let folder = folder();
    let (mut program, _post, editor) = newsroom(folder.path());
    let json = folder.path().join("pannello.json");
    fs::write(&json, editor.get("/backup").expect(200).text()).expect("written");
    submit(&program.client(), &Person::numbered(4));
    program.stop();
    let before = kept_rows(program.data());
    let json = json.to_str().unwrap();
    for arguments in [&["restore", json][..], &["restore", json, "--dry-run"]] {
        let refused = fails(program.home(), arguments, "");
        assert!(
            refused.contains("3 segnalazioni e l'archivio presente ne ha 4"),
            "{refused}"
        );
    }
    assert_eq!(kept_rows(program.data()), before);
    let said = succeeds(program.home(), &["restore", json, "--force"], "");
    assert!(said.contains("restano fermi finché una persona"), "{said}");
}
