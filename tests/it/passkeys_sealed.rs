//! Passkeys and the private key: sealed mode opens by one that computes (PRF), and no slot outlives its passkey, in any byte.

use std::path::Path;

use serde_json::json;

use crate::support::authenticator::{
    Authenticator, add, at_localhost, log_in_by, try_log_in_by, turned_away,
};
use crate::support::backups;
use crate::support::disk::{count, database, pieces_found};
use crate::support::doctor::examined;
use crate::support::executable::{Server, succeeds};
use crate::support::http::Client;
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD};
use crate::support::people::{WORD, answer as choose, id_of, invite_again, join, log_in_as};
use crate::support::program::Program;
use crate::support::{contains, wait_for};

/// A sealed archive with one report; Anna has a passkey, and nobody is logged in.
struct Sealed {
    program: Program,
    client: Client,
    key: Authenticator,
    report: String,
    code: String,
}

fn seal(editor: &Editor, code: &str) {
    let told = editor.post_and_read("/security/sealed", &json!({ "recoveryCode": code }));
    has!(told, "sealed": true, "complete": true);
}

fn open_archive() -> (Program, Editor, Editor, Client, Authenticator, String) {
    let program = Program::start();
    let (shared, code) = program.set_up_with_code();
    let (client, key) = at_localhost(&program.client());
    let anna = join(&shared, &client, "anna", "amministratore", &[]);
    (program, shared, anna, client, key, code)
}

impl Sealed {
    fn with(computes: bool) -> Self {
        let (program, shared, anna, client, mut key, code) = open_archive();
        key.computes = computes;
        let report = program.report(1);
        add(&anna, &mut key, "Telefono");
        seal(&shared, &code);
        for session in [shared, anna] {
            session.delete("/session").expect(204);
        }
        Self {
            program,
            client,
            key,
            report,
            code,
        }
    }
}

/// The bytes of the slots of passkeys, as they stand in the database.
fn slots(data: &Path) -> Vec<Vec<u8>> {
    let database = database(data);
    let sql = "SELECT blob FROM key_slots WHERE kind = 'passkey'";
    let mut found = database.prepare(sql).expect("a query");
    let found = found.query_map([], |row| row.get(0)).expect("slots");
    found.map(|slot| slot.expect("a slot")).collect()
}

/// Everything of a database in its file: nothing of what is gone may be left there.
fn checkpointed(data: &Path) {
    let cut = "PRAGMA wal_checkpoint(TRUNCATE)";
    let done = database(data).query_row(cut, [], |row| row.get::<_, i64>(0));
    assert_eq!(done.expect("a checkpoint"), 0);
}

#[test]
fn a_passkey_that_computes_opens_list_and_search() {
    let Sealed {
        mut program,
        client,
        mut key,
        report,
        ..
    } = Sealed::with(true);
    let anna = log_in_by(&client, &mut key);
    assert_eq!(anna.read("/session")["locked"], false);
    assert_eq!(anna.report(&report)["nome"], "Nomeb");
    assert_eq!(anna.all_ids(), [report.as_str()]);
    let found = anna.read("/reports?search=nomeb");
    assert_eq!(found["data"][0]["id"], report.as_str());
    assert_eq!(anna.rows("/account/passkeys")[0]["opens"], true);
    anna.delete("/session").expect(204);
    // After a start of the server too, whose port is another: the passkey is bound to the name.
    program.restart();
    let (client, here) = at_localhost(&program.client());
    key.origin = here.origin;
    let anna = log_in_by(&client, &mut key);
    assert_eq!(anna.report(&report)["nome"], "Nomeb");
}

#[test]
fn one_that_does_not_lets_in_and_the_password_opens_once() {
    let Sealed {
        program,
        client,
        mut key,
        report,
        ..
    } = Sealed::with(false);
    let anna = log_in_by(&client, &mut key);
    assert_eq!(anna.read("/session")["locked"], true);
    assert_eq!(anna.rows("/account/passkeys")[0]["opens"], false);
    anna.get(&format!("/reports/{report}"))
        .problem(503, "archivio-sigillato");
    for wrong in [OTHER_PASSWORD, PASSWORD, ""] {
        let body = json!({ "password": wrong });
        anna.post_json("/session/unlock", &body).wrong_password();
        assert_eq!(anna.read("/session")["locked"], true);
    }
    anna.post_json("/session/unlock", &json!({ "password": WORD }))
        .expect(204);
    assert_eq!(anna.read("/session")["locked"], false);
    assert_eq!(anna.report(&report)["nome"], "Nomeb");
    assert_eq!(
        program.count("SELECT count(*) FROM login_attempts WHERE bucket IS NOT NULL"),
        0
    );
    client
        .post_json("/session/unlock", &json!({ "password": WORD }))
        .no_session();
}

#[test]
fn what_another_key_computes_opens_nothing_and_lets_in() {
    let Sealed {
        program: _program,
        client,
        mut key,
        report,
        ..
    } = Sealed::with(true);
    for opens in [
        json!(null),
        json!(""),
        json!("AAAA"),
        json!("A".repeat(43)),
        json!("é"),
    ] {
        let question = crate::support::authenticator::ask(&client);
        let answered = key.get(&question["options"]);
        let body =
            json!({ "question": question["question"], "answer": answered.answer, "opens": opens });
        let anna = Editor::of(
            &client,
            &client.post_json("/session/passkey", &body).expect(204),
        );
        assert_eq!(anna.read("/session")["locked"], true, "{opens}");
        anna.get(&format!("/reports/{report}"))
            .problem(503, "archivio-sigillato");
        anna.delete("/session").expect(204);
    }
}

#[test]
fn a_passkey_without_a_slot_gets_one_at_a_login_while_the_archive_is_open() {
    let (program, shared, anna, client, mut key, code) = open_archive();
    key.computes = false;
    assert_eq!(add(&anna, &mut key, "Telefono")["opens"], false);
    key.computes = true;
    let by_key = log_in_by(&client, &mut key);
    assert_eq!(by_key.rows("/account/passkeys")[0]["opens"], true);
    let report = program.report(1);
    seal(&shared, &code);
    for session in [shared, anna, by_key] {
        session.delete("/session").expect(204);
    }
    assert_eq!(
        log_in_by(&client, &mut key).report(&report)["nome"],
        "Nomeb"
    );
}

#[test]
fn a_sealed_archive_that_is_closed_gives_no_slot_to_a_new_passkey() {
    let Sealed {
        program: _program,
        client,
        mut key,
        ..
    } = Sealed::with(false);
    let anna = log_in_by(&client, &mut key);
    let mut second = Authenticator::at(&key.origin);
    assert_eq!(add(&anna, &mut second, "Computer")["opens"], false);
    let by_second = log_in_by(&client, &mut second);
    assert_eq!(by_second.read("/session")["locked"], true);
    anna.post_json("/session/unlock", &json!({ "password": WORD }))
        .expect(204);
    log_in_by(&client, &mut second);
    for passkey in anna.rows("/account/passkeys") {
        assert_eq!(passkey["opens"], passkey["name"] == "Computer");
    }
}

/// What ends a passkey, and with it its slot.
#[test]
fn no_slot_is_left_in_any_byte_of_what_is_gone() {
    type End = fn(&mut Program, &Editor, &Editor);
    let ends: [(&str, End); 4] = [
        ("removed", |_, _, anna| {
            let id = anna.rows("/account/passkeys")[0]["id"].clone();
            let path = format!("/account/passkeys/{}", id.as_str().expect("an id"));
            anna.delete(&path).expect(204);
        }),
        ("the person removed", |_, shared, anna| {
            shared
                .delete(&format!("/people/{}", id_of(anna)))
                .expect(204);
        }),
        ("invited anew", |program, shared, anna| {
            let token = invite_again(shared, &id_of(anna));
            choose(&program.client(), &token, OTHER_PASSWORD).expect(204);
        }),
        ("reset-password --user", |program, _, _| {
            let words = succeeds(
                program.home(),
                &["reset-password", "--user", "anna", "--stdin"],
                &format!("{OTHER_PASSWORD}\n"),
            );
            contains(words, &["La sua passkey è stata tolta"]);
        }),
    ];
    for (why, end) in ends {
        let (mut program, shared, anna, client, mut key, _) = open_archive();
        join(&shared, &client, "berta", "amministratore", &[]);
        add(&anna, &mut key, "Telefono");
        log_in_by(&client, &mut key);
        // Its files are looked into while it is stopped: whoever closes one in this process lets go of its locks.
        program.stop();
        let kept = slots(program.data());
        let handle = vec![key.handle()];
        assert_eq!(kept.len(), 1, "{why}");
        assert!(
            pieces_found(program.data(), &kept) > 0,
            "{why}: they are looked for"
        );
        assert!(pieces_found(program.data(), &handle) > 0, "{why}");
        program.start_again();
        let (client, here) = at_localhost(&program.client());
        key.origin = here.origin;
        let [shared, anna] = [shared, anna].map(|editor| program.session(&editor));
        end(&mut program, &shared, &anna);
        let mut other = Authenticator::at(&key.origin);
        let berta = log_in_as(&client, "berta");
        add(&berta, &mut other, "Perché ci sia una domanda");
        turned_away(&try_log_in_by(&client, &mut key));
        program.stop();
        checkpointed(program.data());
        assert_eq!(pieces_found(program.data(), &kept), 0, "{why}");
        assert_eq!(pieces_found(program.data(), &handle), 0, "{why}");
        assert_eq!(count(program.data(), "SELECT count(*) FROM passkeys"), 1);
    }
}

#[test]
fn taking_over_an_altered_archive_leaves_no_passkey() {
    let (mut program, _, anna, _, mut key, _) = open_archive();
    add(&anna, &mut key, "Telefono");
    program.stop();
    let kept = slots(program.data());
    program.plant("UPDATE passkeys SET name = 'Di un altro'");
    let password = format!("{OTHER_PASSWORD}\n");
    succeeds(program.home(), &["reset-password", "--stdin"], &password);
    checkpointed(program.data());
    assert_eq!(count(program.data(), "SELECT count(*) FROM passkeys"), 0);
    assert_eq!(pieces_found(program.data(), &kept), 0);
    assert_eq!(pieces_found(program.data(), &[key.handle()]), 0);
    assert_eq!(kept.len(), 1);
}

#[test]
fn a_new_start_takes_no_passkey_along() {
    let Sealed {
        mut program, key, ..
    } = Sealed::with(true);
    program.stop();
    let password = format!("{OTHER_PASSWORD}\n");
    let anew = ["reset-password", "--abandon", "--stdin"];
    succeeds(program.home(), &anew, &password);
    assert_eq!(count(program.data(), "SELECT count(*) FROM passkeys"), 0);
    let database = std::fs::read(program.data().join("segnalazioni.db")).expect("a file");
    let handle = key.handle();
    assert!(!database.windows(handle.len()).any(|part| part == handle));
}

#[test]
fn other_keys_leave_the_passkey_and_no_slot_until_the_next_login() {
    let Sealed {
        mut program,
        mut key,
        report,
        code,
        ..
    } = Sealed::with(true);
    program.stop();
    let kept = slots(program.data());
    assert_eq!(kept.len(), 1);
    let printed = succeeds(
        program.home(),
        &["rekey", "--stdin"],
        &format!("{PASSWORD}\n{code}\n"),
    );
    checkpointed(program.data());
    assert_eq!(pieces_found(program.data(), &kept), 0);
    assert!(slots(program.data()).is_empty());
    contains(&printed, &["passkey"]);
    let token = printed.split("/paibeta/invito#").nth(1).expect("a link");
    let token = token.split_whitespace().next().expect("a token").to_owned();
    program.start_again();
    let (client, here) = at_localhost(&program.client());
    key.origin = here.origin;
    // Until the person has chosen a password, nothing lets them in.
    turned_away(&try_log_in_by(&client, &mut key));
    let anna = Editor::of(&client, &choose(&client, &token, WORD).expect(204));
    anna.delete("/session").expect(204);
    let by_key = log_in_by(&client, &mut key);
    assert_eq!(by_key.read("/session")["locked"], true);
    by_key
        .post_json("/session/unlock", &json!({ "password": WORD }))
        .expect(204);
    log_in_by(&client, &mut key);
    assert_eq!(by_key.rows("/account/passkeys")[0]["opens"], true);
    assert_eq!(by_key.report(&report)["nome"], "Nomeb");
}

#[test]
fn rows_from_elsewhere_let_in_only_by_what_opens_the_reports() {
    for computes in [true, false] {
        let (mut program, _, anna, _, mut key, _) = open_archive();
        key.computes = computes;
        let report = program.report(1);
        add(&anna, &mut key, "Telefono");
        let backup = backups::back_up(program.home(), &[]);
        program.stop();
        let there = tempfile::tempdir().expect("a folder");
        backups::restore(there.path(), &backup, &[]);
        let server = Server::start(there.path());
        let (client, here) = at_localhost(&server.client());
        key.origin = here.origin;
        let answered = try_log_in_by(&client, &mut key);
        if computes {
            let anna = Editor::of(&client, &answered.expect(204));
            assert_eq!(anna.report(&report)["nome"], "Nomeb");
            key.counter = Some(0);
            turned_away(&try_log_in_by(&client, &mut key));
            let line = "the counter of a passkey went back";
            anna.post("/system/authenticity").expect(200);
            key.counter = Some(9);
            log_in_by(&client, &mut key);
            wait_for("the log", || server.errors().contains(line).then_some(()));
            assert!(!server.errors().contains("webauthn"));
            continue;
        }
        let told = answered.problem(401, "passkey-non-valida");
        contains(told["detail"].to_string(), &["accedi con la password"]);
        let data = there.path().join("data");
        assert_eq!(count(&data, "SELECT count(*) FROM sessions"), 0);
        let anna = log_in_as(&client, "anna");
        // A planted one would be as silent: to confirm where mail goes lets none of them in.
        anna.post("/system/authenticity").expect(200);
        assert_eq!(count(&data, "SELECT count(*) FROM passkeys"), 0);
        let log = anna.read("/logs?action=PEOPLE_CHANGED&limit=1");
        contains(
            log["data"][0]["about"].to_string(),
            &["passkey «Telefono» tolta"],
        );
        key.computes = true;
        add(&anna, &mut key, "Di nuovo");
        log_in_by(&client, &mut key);
    }
}

#[test]
fn a_restore_for_another_host_says_so() {
    let (mut program, _, anna, _, mut key, _) = open_archive();
    add(&anna, &mut key, "Telefono");
    let backup = backups::back_up(program.home(), &[]);
    let restored = backups::restore(program.home(), &backup, &["--dry-run"]);
    assert!(!restored.contains("passkey"), "{restored}");
    program.stop();
    let there = tempfile::tempdir().expect("a folder");
    let toml = "public_url = \"https://altra.example.it\"\ntrusted_proxies = [\"127.0.0.1\"]\n";
    std::fs::write(there.path().join("config.toml"), toml).expect("written");
    let restored = backups::restore(there.path(), &backup, &[]);
    contains(
        restored,
        &["1 passkey di localhost", "su altra.example.it non vale"],
    );
}

#[test]
fn a_removed_passkey_does_not_come_back_with_a_backup() {
    let (mut program, shared, anna, client, mut key, _) = open_archive();
    let first = add(&anna, &mut key, "Telefono");
    let mut second = Authenticator::at(&key.origin);
    add(&anna, &mut second, "Computer");
    let kept = slots(program.data());
    let backup = backups::back_up(program.home(), &[]);
    let id = &first["id"];
    anna.delete(&format!(
        "/account/passkeys/{}",
        id.as_str().expect("an id")
    ))
    .expect(204);
    drop((shared, client));
    program.stop();
    let words = backups::restore(program.home(), &backup, &[]);
    contains(words, &["passkey"]);
    program.start_again();
    let (client, here) = at_localhost(&program.client());
    for one in [&mut key, &mut second] {
        one.origin.clone_from(&here.origin);
    }
    turned_away(&try_log_in_by(&client, &mut key));
    let anna = log_in_by(&client, &mut second);
    assert_eq!(anna.rows("/account/passkeys").len(), 1);
    assert_eq!(slots(program.data()).len(), 1);
    assert_eq!(kept.len(), 2);
}

#[test]
fn doctor_names_passkeys_of_another_host() {
    let (program, shared, anna, _, mut key, _) = open_archive();
    add(&anna, &mut key, "Telefono");
    examined(&shared).says("passkey", "ok", "1");
    program.plant("UPDATE passkeys SET host = 'prima.example.it'");
    examined(&shared).says("passkey", "attenzione", "prima.example.it");
}
