//! `segnalazioni rekey` (PRODUCT.md §12): after a theft of the key file other keys open the archive, the former ones nothing of what
//! is in it from then on, and a kill at any moment leaves keys that fit.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use serde_json::json;

use crate::backup_kill::{PRINTED, Step, kill_at, kill_with, steps, steps_with};
use crate::support::attachments::photo;
use crate::support::backups::{archive, back_up};
use crate::support::disk::{self, database, pieces_found};
use crate::support::doctor::ask;
use crate::support::executable::{Server, command, fails, run, succeeds, text};
use crate::support::http::Client;
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, ids, try_log_in};
use crate::support::people::{WORD, answer, join, log_in_as, try_log_in_as};
use crate::support::program::Program;
use crate::support::returning::{Visit, report, report_with_photos, try_code};
use crate::support::{Dice, HOUR, contains, from_environment, say};

fn key_file(data: &Path) -> PathBuf {
    data.join("segnalazioni.key")
}

/// All that the keys of an archive open directly.
fn sealed_for_keys(data: &Path) -> Vec<Vec<u8>> {
    let sql = "SELECT sealed FROM epochs UNION ALL SELECT blob FROM key_slots UNION ALL SELECT operational FROM secrets \
               UNION ALL SELECT newsroom FROM secrets UNION ALL SELECT body FROM deliveries WHERE body IS NOT NULL \
               UNION ALL SELECT sealed FROM signatures UNION ALL SELECT sealed FROM sketches UNION ALL SELECT sealed FROM asides \
               UNION ALL SELECT totp FROM people WHERE totp IS NOT NULL";
    let database = database(data);
    let mut all = database.prepare(sql).expect("a query");
    let found = all.query_map([], |row| row.get(0)).expect("rows");
    found.map(|row| row.expect("a row")).collect()
}

/// The program again after a command, at the machine's own time.
fn start_now(program: &mut Program) {
    program.clock.set(Timestamp::now().as_millisecond());
    program.start_again();
}

fn code_in(said: &str) -> String {
    let mut lines = said.lines();
    let code = lines.find_map(|line| line.strip_prefix("Codice di recupero: "));
    code.expect("a code").to_owned()
}

/// The link of a person, among what the command said.
fn token_in(said: &str, user: &str) -> String {
    let user = format!(" ({user}): ");
    let line = said
        .lines()
        .find(|line| line.contains(&user))
        .expect("a link");
    line.split_once("/invito#").expect("a token").1.to_owned()
}

/// As from a copy of the machine that was made before: with it, nothing must be given up that the other keys open.
#[test]
fn the_former_key_file_takes_the_place_of_no_other_keys() {
    let mut program = Program::start();
    program.set_up();
    let (id, _) = report(&program.client(), 1);
    program.stop();
    let (home, data) = (program.home().to_owned(), program.data().to_owned());
    let former = fs::read(key_file(&data)).unwrap();
    let code = code_in(&succeeds(&home, &["rekey", "--stdin"], OTHER_PASSWORD));
    let present = fs::read(key_file(&data)).unwrap();

    fs::write(key_file(&data), &former).unwrap();
    let typed = format!("{PASSWORD}\n{code}\n");
    let said = fails(&home, &["reset-password", "--stdin"], &typed);
    contains(
        &said,
        &["prima di «segnalazioni rekey»", "codice di recupero"],
    );
    // As it says: without that file the code is enough.
    fs::remove_file(key_file(&data)).unwrap();
    succeeds(&home, &["reset-password", "--stdin"], &typed);
    assert_ne!(fs::read(key_file(&data)).unwrap(), present);
    start_now(&mut program);
    let editor = Editor::log_in(&program.client(), PASSWORD);
    has!(editor.report(&id), "nome": "Nomeb");
}

#[test]
fn other_keys_open_all_that_was_there_and_the_former_ones_nothing() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let mail = json!({ "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it", "smtpHost": "posta.esempio.it",
        "smtpUsername": "redazione", "smtpPassword": "posta-segreta", "emailAutoSend": true });
    editor.save("/settings/email", &mail);
    let client = program.client();
    join(&editor, &client, "luca", "redattore", &[]);
    let (id, receipt) = report_with_photos(&client, 1, &[("foto.jpg", 5_000)]);
    editor.change(&id, &json!({ "note": "Da richiamare." }));
    Visit::by(&client, &receipt).tell("C'è altro da dire.");
    let (unwanted, _) = report(&client, 5);
    editor
        .put(&format!("/reports/{unwanted}/sender-aside"), &json!(null))
        .expect(204);
    program.stop();
    let (home, data) = (program.home().to_owned(), program.data().to_owned());
    let (former, taken) = (sealed_for_keys(&data), fs::read(key_file(&data)).unwrap());
    assert!(
        former.len() > 6 && pieces_found(&data, &former) > 6,
        "the control"
    );

    let said = succeeds(&home, &["rekey", "--stdin"], OTHER_PASSWORD);
    contains(
        &said,
        &[
            "legge ancora le copie",
            "password di posta",
            "fare un backup",
        ],
    );
    assert!(!said.contains(OTHER_PASSWORD) && code_in(&said) != code);
    assert_eq!(
        pieces_found(&data, &former),
        0,
        "what the former keys open is gone"
    );
    let keys = fs::read_to_string(key_file(&data)).unwrap();
    assert!(!keys.contains("next-") && keys.as_bytes() != taken);

    start_now(&mut program);
    let client = program.client();
    assert_eq!(program.session(&editor).session(), 401);
    try_log_in(&client, PASSWORD).wrong_password();
    try_log_in_as(&client, "luca", WORD, None).wrong_password();
    let editor = Editor::log_in(&client, OTHER_PASSWORD);
    let found = editor.report(&id);
    has!(found, "nome": "Nomeb", "note": "Da richiamare.");
    let file = editor.get(&format!("/reports/{id}/attachments/1"));
    assert_eq!(file.expect(200).body, photo(5_000));
    has!(editor.read("/settings/email"), "smtpPasswordSet": true);
    let log = editor.read("/logs?limit=50").to_string();
    assert!(log.contains("chiavi sostituite"), "{log}");
    // Receipts stay good, and people choose a password.
    let thread = Visit::by(&client, &receipt).read().to_string();
    assert!(thread.contains("altro da dire"), "{thread}");
    answer(&client, &token_in(&said, "luca"), WORD).expect(204);
    assert_eq!(log_in_as(&client, "luca").report(&id)["nome"], "Nomeb");
    // Whoever was set aside still is.
    let (again, _) = report(&client, 5);
    let mut aside = ids(&editor.list("?aside=true"));
    aside.reverse();
    assert_eq!(aside, [unwanted, again]);
    let (next, other_receipt) = report(&client, 2);
    assert_eq!(editor.report(&next)["nome"], "Nomec");
    Visit::by(&client, &other_receipt);
    editor.delete("/session").expect(204);
    // Neither log nor mode have suffered.
    let told = ask(command(&home, &["doctor", "--json"])).1;
    told.says("registro degli accessi", "ok", "senza vuoti");
    program.restart();
    assert_eq!(
        Editor::log_in(&program.client(), OTHER_PASSWORD).report(&next)["nome"],
        "Nomec"
    );
    program.stop();

    // The thief's file, beside what he takes now.
    let ours = fs::read(key_file(&data)).unwrap();
    fs::write(key_file(&data), &taken).unwrap();
    let Err(refused) = program.try_start() else {
        panic!("the former keys open it")
    };
    assert!(format!("{refused:#}").contains("non è quello del file delle chiavi"));
    fs::write(key_file(&data), &ours).unwrap();
    // Once more: the receipts are still those of the first pair.
    succeeds(&home, &["rekey", "--stdin"], PASSWORD);
    start_now(&mut program);
    for code in [&receipt, &other_receipt] {
        Visit::by(&program.client(), code);
    }
}

#[test]
fn a_sealed_archive_gives_its_key_to_the_recovery_code_alone_and_stays_sealed() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    let id = program.report(1);
    editor
        .post_json("/security/sealed", &json!({ "recoveryCode": code }))
        .expect(200);
    program.stop();
    let (home, data) = (program.home().to_owned(), program.data().to_owned());
    let rekey = ["rekey", "--stdin"];
    let refused = fails(&home, &rekey, OTHER_PASSWORD);
    assert!(refused.contains("serve il codice di recupero"), "{refused}");
    let said = succeeds(&home, &rekey, &format!("{OTHER_PASSWORD}\n{code}\n"));
    assert!(
        !fs::read_to_string(key_file(&data))
            .unwrap()
            .contains("newsroom ")
    );
    start_now(&mut program);
    let editor = Editor::log_in(&program.client(), OTHER_PASSWORD);
    assert_eq!(editor.report(&id)["nome"], "Nomeb");
    has!(editor.read("/security/sealed"), "sealed": true, "complete": true);
    program.stop();
    // The former code opens nothing, the new one does.
    fails(&home, &rekey, &format!("{PASSWORD}\n{code}\n"));
    succeeds(&home, &rekey, &format!("{PASSWORD}\n{}\n", code_in(&said)));
}

#[test]
fn it_wants_an_archive_of_its_own_and_no_server_beside_it() {
    let empty = tempfile::tempdir().unwrap();
    let refused = fails(empty.path(), &["rekey", "--generate"], "");
    assert!(refused.contains("non c'è un archivio"), "{refused}");
    assert!(!empty.path().join("data").exists());
    let mut program = archive(1);
    program.start_again();
    let refused = fails(program.home(), &["rekey", "--generate"], "");
    assert!(refused.contains("fermare prima il server"), "{refused}");
    program.stop();
    // A password that is refused changes nothing.
    let before = fs::read(key_file(program.data())).unwrap();
    fails(program.home(), &["rekey", "--stdin"], "corta");
    assert_eq!(fs::read(key_file(program.data())).unwrap(), before);
    program.plant("UPDATE credential SET body = body || ' '");
    let refused = fails(program.home(), &["rekey", "--generate"], "");
    assert!(
        refused.contains("modificato fuori dal programma"),
        "{refused}"
    );
}

#[test]
fn a_backup_from_before_comes_back_with_the_former_keys_and_says_so() {
    let mut program = Program::start();
    program.set_up();
    let (_, receipt) = report(&program.client(), 1);
    program.stop();
    let home = program.home().to_owned();
    let backup = back_up(&home, &[]);
    let backup = backup.to_str().unwrap();
    succeeds(&home, &["rekey", "--stdin"], OTHER_PASSWORD);
    let refused = fails(&home, &["restore", backup], "");
    assert!(refused.contains("--force"), "{refused}");
    let said = succeeds(&home, &["restore", "--force", backup], "");
    contains(
        &said,
        &[
            "prima che le chiavi fossero sostituite",
            "segnalazioni rekey",
        ],
    );
    start_now(&mut program);
    Editor::log_in(&program.client(), PASSWORD);
    program.stop();
    succeeds(&home, &["rekey", "--stdin"], OTHER_PASSWORD);
    start_now(&mut program);
    Visit::by(&program.client(), &receipt);
    try_log_in(&program.client(), PASSWORD).wrong_password();
    // One made since then is this machine's.
    program.stop();
    let backup = back_up(&home, &[]);
    let said = succeeds(&home, &["restore", backup.to_str().unwrap()], "");
    assert!(!said.contains("sostituite"), "{said}");
    start_now(&mut program);
    Visit::by(&program.client(), &receipt);
}

/// An installation that was killed between the transaction and the last write of the key file, whose password is now
/// [`OTHER_PASSWORD`], and what the command had printed.
fn killed_before_the_last_write(home: &Path) -> String {
    let rekey = ["rekey", "--stdin"];
    let before = home.join("before");
    disk::copy(&home.join("data"), &before);
    let all = steps_with(home, &rekey, OTHER_PASSWORD);
    let last = all
        .iter()
        .rev()
        .find(|(call, _)| call.starts_with("rename"));
    fs::remove_dir_all(home.join("data")).unwrap();
    disk::copy(&before, &home.join("data"));
    kill_with(last.expect("a new name"), home, &rekey, OTHER_PASSWORD);
    assert!(
        fs::read_to_string(key_file(&home.join("data")))
            .unwrap()
            .contains("next-")
    );
    fs::read_to_string(home.join(PRINTED)).unwrap()
}

#[test]
fn what_a_kill_left_half_done_is_sound_to_those_who_only_look() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    succeeds(home, &["reset-password", "--stdin"], PASSWORD);
    let server = Server::start(home);
    let (id, _) = report(&server.client(), 1);
    server.stop();
    assert_eq!(
        killed_before_the_last_write(home),
        "",
        "nothing is shown before it counts"
    );
    let found = ask(command(home, &["doctor", "--json"])).1;
    found.says("file delle chiavi", "ok", "apre le segnalazioni");
    found.says("autenticità", "ok", "scritte dal programma");
    found.says("registro degli accessi", "ok", "senza vuoti");
    let backup = back_up(home, &[]);
    let verified = succeeds(home, &["verify", "--json", backup.to_str().unwrap()], "");
    let verified: serde_json::Value = serde_json::from_str(&verified).unwrap();
    has!(verified, "own": true, "sample": { "tried": 1, "opened": 1 });
    assert!(
        fs::read_to_string(key_file(&home.join("data")))
            .unwrap()
            .contains("next-")
    );
    // The password tells that the keys are new; the code comes by the command again.
    let server = Server::start(home);
    assert!(opens(&server.client(), OTHER_PASSWORD, &id));
    server.stop();
    code_in(&succeeds(home, &["rekey", "--stdin"], PASSWORD));
}

#[test]
fn a_code_that_could_not_be_shown_is_asked_for_again() {
    let mut program = archive(1);
    let (home, rekey) = (program.home().to_owned(), ["rekey", "--stdin"]);
    let mut unheard = command(&home, &rekey);
    let full = fs::File::options().write(true).open("/dev/full");
    unheard.stdout(full.unwrap());
    let output = run(unheard, OTHER_PASSWORD);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    contains(
        said,
        &[
            "le chiavi sono nuove",
            "ripetere «segnalazioni rekey»",
            "il disco è pieno",
        ],
    );
    start_now(&mut program);
    Editor::log_in(&program.client(), OTHER_PASSWORD);
    program.stop();
    code_in(&succeeds(&home, &rekey, PASSWORD));
}

/// Kills among all steps; `make soak` has more, as many as `KILLS` in the environment says.
const KILLS: usize = 6;
/// Calls that give a file its name, or make a transaction lasting.
const TURNS: [&str; 5] = ["rename", "renameat", "renameat2", "fsync", "fdatasync"];

#[test]
fn a_kill_at_some_steps_leaves_keys_that_fit() {
    killed(KILLS);
}

#[test]
#[ignore = "soak"]
fn a_kill_at_many_steps_leaves_keys_that_fit() {
    killed(from_environment("KILLS", 200));
}

fn killed(kills: usize) {
    let mut dice = Dice::thrown();
    let old = tempfile::tempdir().unwrap();
    succeeds(old.path(), &["reset-password", "--stdin"], PASSWORD);
    let server = Server::start(old.path());
    let (id, receipt) = report(&server.client(), 1);
    server.stop();
    let place = tempfile::tempdir().unwrap();
    let fresh = || {
        fs::remove_dir_all(place.path().join("data")).ok();
        disk::copy(&old.path().join("data"), &place.path().join("data"));
        place.path()
    };
    let rekey = ["rekey", "--generate"];
    let all = steps(fresh(), &rekey);
    let keys = place.path().join("data/segnalazioni.key");
    let renewed = fs::read(&keys).unwrap();
    // From the first new name of the key file to the second: between them the transaction reaches the disk.
    let is_name = |(call, _): &Step| call.starts_with("rename");
    let first = all.iter().position(is_name).expect("a new name");
    let last = all.iter().rposition(is_name).expect("a new name");
    let turns = all[first..=last]
        .iter()
        .filter(|(call, _)| TURNS.contains(&call.as_str()));
    let drawn = (0..kills).map(|_| &all[dice.within(0..all.len())]);
    let chosen: Vec<&Step> = turns.chain(drawn.collect::<Vec<_>>()).collect();
    let (mut olds, mut news, mut both) = (0, 0, 0);
    for step in chosen {
        kill_at(step, fresh(), &rekey);
        both += usize::from(fs::read_to_string(&keys).unwrap().contains("next-"));
        let printed = fs::read_to_string(place.path().join(PRINTED)).unwrap();
        let coming = printed
            .lines()
            .find_map(|line| line.strip_prefix("Password: "));
        let server = Server::start(place.path());
        let client = server.client();
        let is_old = opens(&client, PASSWORD, &id);
        let is_new = coming.is_some_and(|coming| opens(&client, coming, &id));
        assert!(is_old != is_new, "at {step:?}: {is_old} {is_new}");
        try_code(&client, &receipt).expect(200);
        assert!(!fs::read_to_string(&keys).unwrap().contains("next-"));
        let left = disk::paths_with(".segnalazioni.key.", place.path());
        assert_eq!(left, Vec::<PathBuf>::new(), "at {step:?}");
        olds += usize::from(is_old);
        news += usize::from(is_new);
    }
    let found = format!("{olds} old, {news} new, {both} with both in the file");
    assert!(olds > 0 && news > 0 && both > 1, "{found}");
    say(&found);
    // The control: keys that do not fit would be noticed.
    fresh();
    fs::write(&keys, renewed).unwrap();
    fails(place.path(), &["serve", "--listen", "127.0.0.1:0"], "");
}

fn opens(client: &Client, password: &str, report: &str) -> bool {
    let answer = try_log_in(client, password);
    if answer.status != 204 {
        answer.wrong_password();
        return false;
    }
    Editor::of(client, &answer).report(report)["nome"] == "Nomeb"
}

/// Each report in an hour of its own.
#[test]
#[ignore = "soak"]
fn ten_thousand_reports_get_other_keys_in_some_seconds() {
    let mut program = Program::start();
    let editor = program.set_up();
    editor.expects_a_flood();
    let reports = from_environment("REPORTS", 10_000);
    for number in 0..reports {
        program.report(number);
        program.clock.advance(HOUR);
    }
    program.stop();
    let began = Instant::now();
    succeeds(program.home(), &["rekey", "--stdin"], OTHER_PASSWORD);
    say(&format!(
        "{reports} reports of as many hours: {:?}",
        began.elapsed()
    ));
    start_now(&mut program);
    let editor = Editor::log_in(&program.client(), OTHER_PASSWORD);
    assert_eq!(editor.all_ids().len(), reports);
}
