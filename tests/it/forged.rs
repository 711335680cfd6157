//! What is written into the database or a backup without a key: it opens nothing and sends nothing, administrators are told,
//! and a command on the machine puts it right.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::backups::{
    self, altered, back_up, bundled, kept_rows, parts, summed, unpacked,
};
use crate::support::disk::{count, database};
use crate::support::doctor::examined;
use crate::support::executable::{fails, succeeds};
use crate::support::http::Answer;
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, browser_of, cookie_of, try_log_in};
use crate::support::post::{Manner, Post};
use crate::support::program::Program;
use crate::support::{contains, wait_for};

const TRUST: &str = "/system/authenticity";
const DESK: &str = "redazione@esempio.it";
const ELSEWHERE: &str = "altri@altrove.example";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// An installation with three reports, which were mailed.
fn newsroom(folder: &Path) -> (Program, Arc<Post>, Editor) {
    let (program, post) = Program::start_at(folder);
    let editor = program.set_up();
    editor.mail_to(2525);
    let name = json!({ "organizationName": "Redazione" });
    editor.save("/settings/system", &name);
    for number in 1..=3 {
        program.report(number);
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
    SELECT '00000000-0000-4000-8000-000000000000', 'Io', 'io', 'amministratore', NULL, body, 0 FROM s.credential;";
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

/// What may be written in the place of what is there.
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
fn forged(file: &Path, change: &str, marked: bool) -> String {
    let (manifest, content) = unpacked(file);
    let content = altered(&content, change);
    let folder = folder();
    fs::write(folder.path().join("segnalazioni.db"), &content).expect("written");
    let rows = |name: &String| count(folder.path(), &format!("SELECT count(*) FROM {name}"));
    let names = manifest["tables"].as_object().expect("tables").keys();
    let tables: Value = names.map(|name| (name.clone(), rows(name))).collect();
    let mut forged = summed(&content, Vec::new(), &manifest, |manifest| {
        manifest["tables"] = tables;
    });
    if marked {
        forged.extend(parts(file).pop());
    }
    let path = file.with_extension("forged");
    fs::write(&path, bundled(&forged)).expect("written");
    path.display().to_string()
}

/// A backup of a newsroom in this folder, which has stopped then.
fn backed_up(folder: &Path) -> (Program, PathBuf) {
    let (mut program, _post, _) = newsroom(folder);
    program.stop();
    let file = back_up(program.home(), &[]);
    (program, file)
}

fn reset(program: &Program, password: &str) -> String {
    succeeds(program.home(), &["reset-password", "--stdin"], password)
}

fn refusal(program: &Program) -> String {
    let refused = program.try_start().err();
    format!("{:#}", refused.expect("it does not start"))
}

/// The oldest report can still be read.
fn opens(editor: &Editor) {
    let oldest = editor.all_ids().pop().expect("reports");
    assert_eq!(editor.report(&oldest)["nome"], "Nomeb");
}

fn change_settings(editor: &Editor) -> Answer {
    editor.put("/settings/system", &json!({ "organizationName": "Altra" }))
}

fn state(editor: &Editor) -> Value {
    editor.get(TRUST).expect(200).json()["state"].clone()
}

/// Neither password lets anybody in, and nothing is sent.
fn is_shut(program: &Program, post: &Post) {
    let sent = post.attempts().len();
    for password in [PASSWORD, OTHER_PASSWORD] {
        try_log_in(&program.client(), password).problem(503, "archivio-alterato");
    }
    program.report(9);
    // A delivery that could go out is taken at once; a second report shows that the dispatcher has looked.
    program.clock.advance(Duration::from_mins(2));
    program.round();
    program.report(10);
    program.round();
    assert_eq!(post.attempts().len(), sent);
}

#[test]
fn a_forged_backup_is_refused_where_it_claims_to_come_from() {
    let folder = folder();
    let (program, file) = backed_up(folder.path());
    let home = program.home();
    let (_stranger, stranger) = stranger();
    let before = kept_rows(program.data());
    for change in forgeries(&stranger) {
        let claims = forged(&file, &change, true);
        for command in [&["verify", &claims][..], &["restore", &claims, "--force"]] {
            let refused = fails(home, command, "");
            let found = refused.contains("qualcuno lo ha modificato");
            assert!(found, "{change}: {refused}");
        }
        // Without the mark it cannot be known, and that is said.
        let bare = forged(&file, &change, false);
        let refused = backups::refuse(home, &bare, &[]);
        assert!(refused.contains("--force"), "{change}: {refused}");
        let said = backups::verify(home, &bare);
        let open = said.contains("Non controllato: chi lo ha scritto");
        assert!(open, "{change}: {said}");
    }
    // Nor is one that lost reports together with its mark.
    let fewer = forged(&file, "DELETE FROM segnalazioni WHERE seq > 1", false);
    contains(backups::refuse(home, &fewer, &[]), &["--force"]);
    assert_eq!(kept_rows(program.data()), before);
    let said = backups::verify(home, &file);
    assert!(said.ends_with("Aperte per prova: 3 segnalazioni.\n"));
    let said = backups::restore(home, &file, &[]);
    assert!(!said.contains("fermi"), "{said}");
}

#[test]
fn a_backup_of_elsewhere_sends_nothing_before_it_is_confirmed() {
    let (home, there) = (folder(), folder());
    let (_program, file) = backed_up(home.path());
    let said = backups::verify(there.path(), &file);
    assert_eq!(said.matches("Non controllato").count(), 2, "{said}");
    let said = backups::restore(there.path(), &file, &[]);
    contains(said, &["restano fermi finché una persona"]);
    let (mut program, post) = Program::start_at(there.path());
    program.clock.advance(Duration::from_hours(1));
    program.report(4);
    let mut editor = program.log_in();
    assert_eq!(editor.all_ids().len(), 4);
    opens(&editor);
    for _ in 0..2 {
        assert_eq!(state(&editor), "da-confermare");
        examined(&editor).says("autenticità", "attenzione", "conferma dove vanno");
        change_settings(&editor).expect(200);
        program.round();
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
    let (_program, file) = backed_up(home.path());
    let (_stranger, stranger) = stranger();
    for keys in [SLOTS, PAIR] {
        let there = folder();
        let change = planted(&stranger, &[CREDENTIAL, keys, RECIPIENT].concat());
        let forged = forged(&file, &change, false);
        backups::restore(there.path(), &forged, &[]);
        let (program, post) = Program::start_at(there.path());
        program.report(4);
        try_log_in(&program.client(), OTHER_PASSWORD).problem(503, "archivio-alterato");
        try_log_in(&program.client(), PASSWORD).problem(401, "password-non-valida");
        program.round();
        assert_eq!(post.attempts(), [], "{keys}");
    }
}

#[test]
fn what_is_planted_in_the_database_lets_nobody_in_and_sends_nothing() {
    let (_stranger, stranger) = stranger();
    for change in forgeries(&stranger) {
        let folder = folder();
        let (mut program, post, _) = newsroom(folder.path());
        program.plant(&change);
        is_shut(&program, &post);
        program.stop();
        // Beside another key pair the program does not even start: reports would be sealed for a stranger.
        if change.contains(PAIR) {
            contains(refusal(&program), &["reset-password"]);
        } else {
            program.start_again();
            is_shut(&program, &post);
            program.stop();
        }
        let said = reset(&program, PASSWORD);
        contains(said, &["Codice di recupero: ", "restano fermi"]);
        program.start_again();
        try_log_in(&program.client(), OTHER_PASSWORD).problem(401, "password-non-valida");
        let editor = program.log_in();
        opens(&editor);
        assert_eq!(state(&editor), "da-confermare", "{change}");
        editor.save("/settings/system", &json!({ "enableWebhook": false }));
        editor.save("/settings/email", &json!({ "emailRecipient": DESK }));
        editor.post(TRUST).expect(200);
        post.wait(DESK, 4);
        assert_eq!(post.attempts_at(ELSEWHERE), [], "{change}");
    }
}

#[test]
fn an_editor_is_told_and_cannot_make_it_look_right() {
    let folder = folder();
    let (program, _post, editor) = newsroom(folder.path());
    assert_eq!(state(&editor), "integro");
    program.plant(RECIPIENT);
    program.round();
    assert_eq!(state(&editor), "alterato");
    let checks = examined(&editor);
    checks.says("autenticità", "errore", "reset-password");
    checks.says("server di posta", "attenzione", "non controllato");
    for refused in [
        change_settings(&editor),
        editor.post(TRUST),
        editor.post_json("/settings/email/test", &json!({})),
    ] {
        refused.problem(503, "archivio-alterato");
    }
    reset(&program, OTHER_PASSWORD);
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
        program.plant(plant);
        change_settings(&editor).problem(503, "archivio-alterato");
        is_shut(&program, &post);
        program.stop();
        contains(refusal(&program), &["schema"]);
        let refused = fails(program.home(), &["reset-password", "--stdin"], PASSWORD);
        assert!(!refused.contains("Codice di recupero"), "{refused}");
        assert_eq!(post.attempts_at(ELSEWHERE), [], "{plant}");
    }
}

#[test]
fn status_that_does_not_exist_is_noticed_before_a_backup() {
    let program = Program::start();
    program.set_up();
    program.report(1);
    succeeds(program.home(), &["backup", "--output", "prima.backup"], "");
    program.plant("UPDATE segnalazioni SET stato = 'Sospesa'");
    let refused = fails(program.home(), &["backup", "--output", "dopo.backup"], "");
    contains(refused, &["non è integro"]);
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
        program.plant(plant);
        let before = kept_rows(program.data());
        assert!(program.try_start().is_err(), "{plant}");
        assert_eq!(kept_rows(program.data()), before, "{plant}");
        reset(&program, PASSWORD);
        program.start_again();
        let editor = program.log_in();
        assert_eq!(state(&editor), "da-confermare", "{plant}");
        opens(&editor);
    }
}

/// A sealed archive with a report, in this folder; its recovery code, and a backup from before it was sealed.
fn sealed(folder: &Path) -> (Program, String, PathBuf) {
    let (mut program, _post) = Program::start_at(folder);
    let (editor, code) = program.set_up_with_code();
    program.report(1);
    let open = back_up(program.home(), &[]);
    let seal = json!({ "recoveryCode": code });
    editor.post_json("/security/sealed", &seal).expect(200);
    program.stop();
    (program, code, open)
}

#[test]
fn junk_among_the_reports_of_a_sealed_archive_shuts_nobody_out() {
    let folder = folder();
    let (mut program, ..) = sealed(folder.path());
    program.plant(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO segnalazioni (id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
            contenuto) SELECT 'junk' || i, stato, department, data_creazione, data_aggiornamento, privacy_version,
            randomblob(16), epoch, randomblob(200) FROM segnalazioni, n",
    );
    program.start_again();
    program.log_in();
}

#[test]
fn a_sealed_archive_stays_sealed_whatever_the_database_says() {
    let folder = folder();
    let (mut program, code, open) = sealed(folder.path());
    let key_file = program.data().join("segnalazioni.key");
    let before = fs::read(&key_file).expect("keys");
    program.plant("UPDATE key_pairs SET sealed = 0");
    assert!(program.try_start().is_err());
    let restore = ["restore", open.to_str().unwrap(), "--dry-run", "--json"];
    contains(succeeds(program.home(), &restore, ""), &["sigillato"]);
    reset(&program, &format!("{PASSWORD}\n{code}\n"));
    program.start_again();
    opens(&program.log_in());
    assert_eq!(fs::read(&key_file).expect("keys"), before);
}

#[test]
fn a_planted_session_is_nobody_s() {
    let (program, _) = Program::with_editor();
    let cookie = "qualsiasi";
    let hash = hex::encode(Sha256::digest(cookie));
    let now = program.clock.now_ms();
    program.plant(&format!(
        "INSERT INTO sessions (token_hash, proof, user_agent, created, last_seen) VALUES (x'{hash}', x'{hash}', '', {now}, {now})"
    ));
    let visitor = Editor::with_cookie(&program.client(), cookie.to_owned());
    assert_eq!(visitor.session(), 401);
}

#[test]
fn no_mark_of_a_cookie_stands_for_another_nor_for_a_former_password() {
    let (program, before) = Program::with_editor();
    let thief = database(program.data());
    let keep = "CREATE TEMP TABLE kept AS SELECT * FROM sessions";
    thief.execute_batch(keep).expect("read");
    before.change_password(&program.client(), PASSWORD, OTHER_PASSWORD);
    let entered = try_log_in(&program.client(), OTHER_PASSWORD).expect(204);
    let session = |cookie| Editor::with_cookie(&program.client(), cookie).session();
    assert_eq!(session(cookie_of(&entered)), 200);
    let moved = thief.execute(
        "INSERT INTO sessions (token_hash, proof, user_agent, created, last_seen)
             SELECT browsers.token_hash, proof, '', kept.created, kept.last_seen FROM kept, browsers",
        [],
    );
    assert!(moved.expect("written") > 0);
    let back = "INSERT INTO sessions SELECT * FROM kept";
    thief.execute_batch(back).expect("written");
    assert_eq!(before.session(), 401);
    assert_eq!(session(browser_of(&entered)), 401);
}

#[test]
fn a_stored_secret_goes_nowhere_before_it_is_confirmed_nor_comes_from_elsewhere() {
    let (home, there) = (folder(), folder());
    let (mut program, _post, editor) = newsroom(home.path());
    let mail = json!({ "smtpUsername": "chat", "smtpPassword": "segreto-di-posta" });
    editor.save("/settings/email", &mail);
    program.stop();
    let file = back_up(program.home(), &[]);
    let is_set = |editor: &Editor| editor.read("/settings/email")["smtpPasswordSet"].clone();
    // What a stranger sealed to the newsroom's public key is not taken over at a login.
    program.plant("UPDATE secrets SET operational = randomblob(length(operational))");
    program.start_again();
    assert_eq!(is_set(&program.log_in()), false);
    backups::restore(there.path(), &file, &[]);
    let (program, _post) = Program::start_at(there.path());
    let editor = program.log_in();
    assert_eq!(is_set(&editor), true);
    let held = || {
        let (_, said) = editor.try_out("/settings/email/test", &json!({}));
        said.starts_with("La password salvata")
    };
    assert!(held());
    editor.post(TRUST).expect(200);
    assert!(!held());
}

#[test]
fn a_message_does_not_go_to_another_address_than_it_was_made_for() {
    for state in ["sending", "pending"] {
        let folder = folder();
        let (mut program, post, _) = newsroom(folder.path());
        post.set(DESK, Manner::Fails);
        program.report(4);
        post.wait(DESK, 4);
        program.stop();
        program.plant(&format!(
            "UPDATE deliveries SET destination = '{ELSEWHERE}', state = '{state}', next_at = 0 WHERE concluded IS NULL"
        ));
        program.start_again();
        let editor = program.log_in();
        let ignored = || editor.read("/deliveries?stato=ignorata")["data"].clone();
        wait_for("given up", || ignored().get(0).cloned());
        assert_eq!(post.attempts_at(ELSEWHERE), [], "{state}");
    }
}

#[test]
fn the_panels_file_with_fewer_reports_is_taken_by_force_alone() {
    let folder = folder();
    let (mut program, _post, editor) = newsroom(folder.path());
    let json = backups::of_panel(&program, &editor);
    program.report(4);
    program.stop();
    let before = kept_rows(program.data());
    for options in [&[][..], &["--dry-run"]] {
        let refused = backups::refuse(program.home(), &json, options);
        contains(refused, &["3 segnalazioni e l'archivio presente ne ha 4"]);
    }
    assert_eq!(kept_rows(program.data()), before);
    let said = backups::restore(program.home(), &json, &["--force"]);
    contains(said, &["restano fermi finché una persona"]);
}
