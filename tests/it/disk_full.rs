//! A full disk: nothing is acknowledged that is not kept, reading goes on, and when there is room again the same turn
//! succeeds without a restart. So do the server's own backups and those of the command (PRODUCT.md §15).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, io};

use serde_json::{Value, json};

use crate::support::backups::archive;
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk;
use crate::support::executable::{
    PATH, command, confine, fails, installation, run, succeeds, text,
};
use crate::support::http::{Answer, Client};
use crate::support::load::{Audit, audit};
use crate::support::outbox::HOOK;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::post::Manner;
use crate::support::program::Program;
use crate::support::small_disk::SmallDisk;
use crate::support::{DAY, HOUR, MINUTE, assert_gone, has, wait_for};

const FULL: &str =
    "Lo spazio su disco del server è esaurito: non è stato possibile salvare. Riprova più tardi.";

fn database_status(client: &Client) -> String {
    let status = client.get("/status").expect(200).json();
    status["database"].as_str().expect("a status").to_owned()
}

fn wait_database(client: &Client, status: &str) {
    wait_for(status, || (database_status(client) == status).then_some(()));
}

#[test]
fn a_full_disk_refuses_honestly_and_recovers_by_itself() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (program, _) = Program::start_at(disk.path());
    let (client, editor) = (program.client(), program.set_up());
    let mut acknowledged = vec![program.report(0)];
    let chats = (1..25).map(|number| Chat::at_the_end(&client, &Person::numbered(number)));
    let waiting: Vec<Chat> = chats.collect();
    assert_eq!(database_status(&client), "online");

    let filler = disk.fill();
    let mut refused = Vec::new();
    for chat in &waiting {
        let answer = conclude(&client, chat);
        if answer.status == 200 {
            acknowledged.push(Reply::of(&answer).report_id.expect("a report"));
        } else {
            assert_eq!(answer.problem(507, "spazio-esaurito")["detail"], FULL);
            refused.push(chat);
        }
    }
    assert!(refused.len() > waiting.len() / 2, "the disk was not full");
    assert_eq!(database_status(&client), "unavailable");
    let health = client.page("/paibeta/healthz");
    assert_eq!((health.status, health.text()), (503, "ko\n"));
    // A balancer leaves it in service all the same.
    let live = client.page("/paibeta/healthz?live");
    assert_eq!((live.status, live.text()), (200, "ok\n"));

    // Reading and talking go on; what was refused is not there, what was acknowledged is.
    assert_eq!(audit(&acknowledged, &editor.all_ids()), Audit::default());
    assert_eq!(editor.all_ids().len(), acknowledged.len());
    // Each look is noted (the session's activity, the opening): there is room for what editors do.
    for _ in 0..20 {
        program.clock.advance(Duration::from_secs(20));
        assert_eq!(editor.session(), 200);
        assert_eq!(editor.report(&acknowledged[0])["nome"], "Nomea");
    }
    let log = editor.get("/logs").expect(200);
    let noted = log.text().matches("REPORT_VIEWED").count();
    assert!(noted >= 20, "{noted}");
    let chat = Chat::at_the_end(&client, &Person::numbered(99));
    assert_eq!(chat.reply.state, "collect_report");

    fs::remove_file(filler).expect("removed");
    wait_database(&client, "online");
    for chat in refused {
        let answer = conclude(&client, chat);
        acknowledged.push(Reply::of(&answer).report_id.expect("a report"));
    }
    assert_eq!(audit(&acknowledged, &editor.all_ids()), Audit::default());
    assert_eq!(editor.all_ids().len(), waiting.len() + 1);
    assert_eq!(client.page("/paibeta/healthz").status, 200);
}

/// A turn that ends a report of 8 kB.
fn conclude(client: &Client, chat: &Chat) -> Answer {
    turn(client, chat.token(), &"😀".repeat(2_000))
}

/// Sends reports until the disk has no room for one more; the first that was refused.
fn until_full(client: &Client) -> Chat {
    let chats = (10..40).map(|number| Chat::at_the_end(client, &Person::numbered(number)));
    let refused = chats
        .into_iter()
        .find(|chat| conclude(client, chat).status != 200);
    refused.expect("the disk was not full")
}

#[test]
fn on_a_full_disk_editors_log_in_erase_and_export_while_reports_wait() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (mut program, _) = Program::start_at(disk.path());
    let (client, editor) = (program.client(), program.set_up());
    editor.save(
        "/settings/security",
        &json!({ "enableRateLimiting": false }),
    );
    let ids = [1, 2].map(|number| submit(&client, &Person::numbered(number)));
    let filler = disk.fill();
    let refused = until_full(&client);
    let problem = conclude(&client, &refused).problem(507, "spazio-esaurito");
    assert_eq!(problem["detail"], FULL);
    assert_eq!(database_status(&client), "unavailable");
    let alerts = editor.get("/system/alerts").expect(200).json();
    assert_eq!(alerts["disk"], "full");

    for _ in 0..30 {
        program.log_in();
    }
    let editor = program.log_in();
    editor.get("/reports/export.csv").expect(200);
    editor.erase(&ids[0]).expect(200);
    assert_gone(&editor, &ids[0]);
    let log = editor.get("/logs").expect(200).text().to_owned();
    assert!(log.contains("EXPORT_CSV") && log.contains("REPORT_ERASED"));
    // Neither the room that editors have nor a restart is a door for reports.
    conclude(&client, &refused).problem(507, "spazio-esaurito");
    program.restart();
    let client = program.client();
    conclude(&client, &refused).problem(507, "spazio-esaurito");
    assert_eq!(client.page("/paibeta/healthz").status, 503);
    program.log_in().erase(&ids[1]).expect(200);

    fs::remove_file(filler).expect("removed");
    wait_database(&client, "online");
    assert_eq!(conclude(&client, &refused).status, 200);
    assert_eq!(client.page("/paibeta/healthz").status, 200);
    // The next time it is the same again.
    disk.fill();
    until_full(&client);
    program.log_in();
}

#[test]
fn what_was_erased_makes_room_for_reports_on_a_disk_that_stays_full() {
    let Some(disk) = SmallDisk::mount("400m") else {
        return;
    };
    let (mut program, _) = Program::start_at(disk.path());
    program.set_up();
    program.stop();
    // As after a flood that was erased.
    program.plant("CREATE TABLE flood (filler BLOB); INSERT INTO flood VALUES (zeroblob(145000000)); DROP TABLE flood");
    program.start_again();
    disk.fill();
    let client = program.client();
    let refused = until_full(&client);
    wait_database(&client, "online");
    assert_eq!(conclude(&client, &refused).status, 200);
}

#[test]
fn little_room_is_told_before_there_is_none() {
    let Some(disk) = SmallDisk::mount("700m") else {
        return;
    };
    let (program, _) = Program::start_at(disk.path());
    let (client, editor) = (program.client(), program.set_up());
    let told = || {
        let health = client.page("/paibeta/healthz?disk");
        let alerts = editor.quiet().get("/system/alerts").expect(200).json();
        (health.status, health.json(), alerts["disk"].clone())
    };
    assert_eq!(told(), (200, json!({ "disk": "ok" }), json!("ok")));
    let half = disk.path().join("half");
    fs::write(&half, vec![1; 200 * 1024 * 1024]).expect("written");
    assert_eq!(told(), (503, json!({ "disk": "ko" }), json!("low")));
    // Reports arrive.
    assert_eq!(client.page("/paibeta/healthz").text(), "ok\n");
    fs::remove_file(half).expect("removed");
    assert_eq!(told().0, 200);
}

#[test]
fn a_message_that_arrived_is_not_sent_again_because_the_disk_was_full() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (program, post) = Program::start_at(disk.path());
    let (client, editor) = (program.client(), program.set_up());
    editor.call(HOOK);
    post.set(HOOK, Manner::Hangs);
    let id = submit(&client, &Person::numbered(1));
    post.wait_hanging(1);
    let filler = disk.fill();
    post.set(HOOK, Manner::Takes);
    // It was taken; that cannot be written down, and nothing else is being written.
    wait_database(&client, "unavailable");
    let stato = || editor.report(&id)["consegne"][0]["stato"].clone();
    assert_eq!(stato(), "in attesa");
    fs::remove_file(filler).expect("removed");
    wait_for("the outcome", || (stato() == "consegnata").then_some(()));
    assert_eq!(post.attempts().len(), 1);
}

/// What was logged of backups, a line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// One round of the server's own backups, listened to.
    fn round(&self, program: &Program) {
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || log.clone())
            .finish();
        let round = || program.running().back_up();
        tracing::subscriber::with_default(subscriber, round).expect("a round");
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).expect("a text");
        let of_backups = text.lines().filter(|line| line.contains("::backup::"));
        of_backups.map(str::to_owned).collect()
    }
}

/// Every command that opens an archive.
const COMMANDS: [&[&str]; 8] = [
    &["serve", "--listen", "127.0.0.1:0"],
    &["reset-password", "--stdin"],
    &["login-link"],
    &["rekey", "--stdin"],
    &["promote"],
    &["backup"],
    &["status", "--json"],
    &["doctor", "--json"],
];

/// As the archive and as the system say it.
const FULL_DISK: [&str; 2] = ["spazio su disco esaurito", "il disco è pieno"];

/// Runs each beside a stopped server, and answers all that it said.
fn cold(home: &Path) -> Vec<String> {
    let said = COMMANDS.iter().map(|arguments| {
        let output = run(command(home, arguments), PASSWORD);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        format!(
            "{arguments:?} {}{}",
            text(&output.stdout),
            text(&output.stderr)
        )
    });
    said.collect()
}

/// The cause is said, and no archive is called a ruined or foreign one, which a restore would mend.
fn blames_the_disk(said: &[String], causes: &[&str]) {
    for line in said {
        let named = causes.iter().any(|cause| line.contains(cause));
        assert!(named, "{line}");
        let lies = [
            "non è un archivio",
            "restore",
            "os error",
            "Error code",
            "at path",
        ];
        let lie = lies.iter().find(|lie| line.contains(**lie));
        assert_eq!(lie, None, "{line}");
    }
}

fn installed(disk: &SmallDisk) {
    succeeds(disk.path(), &["reset-password", "--stdin"], PASSWORD);
}

#[test]
fn a_cold_start_on_a_full_disk_says_that_it_is_full() {
    let Some(disk) = SmallDisk::mount("8m") else {
        return;
    };
    installed(&disk);
    let filler = disk.fill();
    blames_the_disk(&cold(disk.path()), &FULL_DISK);
    fs::remove_file(filler).expect("removed");
    succeeds(disk.path(), &["login-link"], "");
}

#[test]
fn a_disk_without_names_for_more_files_is_called_full() {
    let Some(disk) = SmallDisk::mount("8m,nr_inodes=40") else {
        return;
    };
    installed(&disk);
    disk.fill_with_names();
    blames_the_disk(&cold(disk.path()), &FULL_DISK);
}

#[test]
fn a_disk_that_became_read_only_is_called_so() {
    let Some(disk) = SmallDisk::mount("8m") else {
        return;
    };
    installed(&disk);
    disk.read_only();
    blames_the_disk(&cold(disk.path()), &["il disco è in sola lettura"]);
}

/// SQLite calls it an I/O error.
#[test]
fn a_quota_that_is_used_up_counts_as_a_full_disk() {
    let folder = installation();
    let mut strace = Command::new("strace");
    confine(&mut strace, folder.path());
    strace
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64"])
        .args(["-e", "inject=pwrite64:error=EDQUOT", PATH])
        .args(["reset-password", "--stdin"]);
    let output = run(strace, PASSWORD);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr).to_owned();
    blames_the_disk(&[said], &FULL_DISK);
}

fn names_the_room(message: &str) {
    let named = ["spa", "liberi"].iter().any(|word| message.contains(word));
    assert!(named, "{message}");
}

/// What lies in the folder of the backups, what the server remembers of them aside.
fn shelf(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = disk::files(&data.join("backups"));
    files.retain(|path, _| path.file_name().is_some_and(|name| name != "stato.json"));
    files
}

#[test]
fn a_backup_of_the_server_that_does_not_fit_is_told_and_logged_once_and_made_up_for() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (program, _) = Program::start_at(disk.path());
    let editor = program.set_up();
    editor.save("/settings/security", &json!({ "sessionTimeout": 480 }));
    let log = Log::default();
    // The control: there is room.
    log.round(&program);
    let before = shelf(program.data());
    assert_eq!((before.len(), log.lines().len()), (1, 0));
    program.clock.advance(7 * DAY);
    let editor = program.log_in();
    let told = |editor: &Editor| -> Value { editor.get("/system/backups").expect(200).json() };

    let filler = disk.fill();
    for _ in 0..3 {
        log.round(&program);
        program.clock.advance(MINUTE);
    }
    let failed = told(&editor);
    assert_eq!(failed["lastError"]["at"], "2026-03-17T09:00:00Z");
    let message = failed["lastError"]["message"].as_str().expect("a reason");
    names_the_room(message);
    program.clock.advance(HOUR);
    log.round(&program);
    let failed = told(&editor);
    assert_eq!(failed["lastError"]["at"], "2026-03-17T10:03:00Z");
    assert_eq!(failed["last"]["good"], true);
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("a scheduled backup failed"), "{lines:?}");
    assert!(shelf(program.data()) == before, "gone, or a part is there");

    fs::remove_file(filler).expect("removed");
    program.clock.advance(HOUR);
    log.round(&program);
    let well = told(&program.log_in());
    assert_eq!(well["lastError"], Value::Null);
    assert_eq!(well["last"]["at"], "2026-03-17T11:03:00Z");
    assert_eq!((shelf(program.data()).len(), log.lines().len()), (2, 1));
}

#[test]
fn a_disk_that_is_too_full_to_rehearse_on_is_no_rehearsal_that_failed() {
    let Some(disk) = SmallDisk::mount("200m") else {
        return;
    };
    let (program, _) = Program::start_at(disk.path());
    let editor = program.set_up();
    editor.save("/settings/system", &json!({ "backupFrequency": "monthly" }));
    let round = || program.running().back_up().expect("a round");
    round();
    program.clock.advance(7 * DAY);
    let editor = program.log_in();
    let filler = disk.fill();
    round();
    let full = editor.get("/system/backups").expect(200).json();
    let message = full["lastError"]["message"].as_str().expect("a reason");
    names_the_room(message);
    let rehearsed = |told: &Value, at: &str| {
        has(&told["rehearsal"], &json!({ "ok": true, "at": at }));
    };
    rehearsed(&full, "2026-03-10T09:00:00Z");
    assert_eq!(full["alarming"], false);
    fs::remove_file(filler).expect("removed");
    program.clock.advance(HOUR);
    round();
    let well = program.log_in().get("/system/backups").expect(200).json();
    rehearsed(&well, "2026-03-17T10:00:00Z");
    assert_eq!(well["lastError"], Value::Null);
}

#[test]
fn a_backup_of_the_command_that_does_not_fit_leaves_the_one_before_it_and_no_part_of_itself() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let program = archive(1);
    let target = disk.path().join("copie");
    fs::create_dir(&target).expect("a folder");
    let target = target.to_str().expect("a text");
    let arguments = ["backup", "--output", target, "--keep", "1"];
    succeeds(program.home(), &arguments, "");
    let before = disk::files(disk.path());
    assert_eq!(before.len(), 1);
    let filler = disk.fill();
    let line = fails(program.home(), &arguments, "");
    assert!(!line.contains("non è integro"), "{line}");
    fs::remove_file(filler).expect("removed");
    assert!(disk::files(disk.path()) == before);
    succeeds(program.home(), &arguments, "");
    assert_eq!(disk::files(disk.path()).len(), 1);
}
