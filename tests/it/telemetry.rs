//! The log on standard error: at its most talkative it tells of requests, and nothing of reports, reporters or secrets
//! (PRODUCT.md §7, ASVS 16.2.5).

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::support::backups::archive;
use crate::support::chat::{Person, recognisable, submit, tells_nothing};
use crate::support::disk::database;
use crate::support::executable::{self, Server, installation};
use crate::support::panel::{PASSWORD, try_log_in};
use crate::support::wait_for;

#[test]
fn everything_a_program_may_log_tells_nothing_of_reports_and_secrets() {
    let folder = installation();
    let mut serve = executable::serve(folder.path());
    serve
        .env("SEGNALAZIONI_LOG", "trace")
        .env("SEGNALAZIONI_LOG_FORMAT", "json")
        .env("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1");
    let server = Server::spawn(serve, folder.path());
    let reporter = recognisable(&server.client());
    let person = Person::numbered(1);
    let id = submit(&reporter, &person);
    let editor = server.log_in();
    editor.change(&id, &json!({ "note": "Nota riservata." }));
    editor.get("/reports?cursor=Canarinocursore").expect(422);
    try_log_in(&server.client(), "tentativo-indovinato").expect(401);
    // Lines are on their way a little longer than answers.
    let logged = wait_for("the line of the last request", || {
        let logged = server.errors();
        let last = logged.contains("/paibeta/api/session") && logged.ends_with('\n');
        last.then_some(logged)
    });
    let secrets = "Nota riservata|tentativo-indovinato|Canarinocursore".split('|');
    let secrets: Vec<_> = secrets.chain([PASSWORD, editor.cookie()]).collect();
    tells_nothing(&logged, &person, &secrets);
    // The control: there are lines, of every request, one JSON object each.
    assert!(logged.contains("/paibeta/api/chat/turns"), "{logged}");
    for line in logged.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let time = event["timestamp"].as_str();
        assert!(time.is_some_and(|time| time.ends_with('Z')), "{line}");
    }
}

/// Two jobs of the timed work fail: the second must not hide behind the first.
#[test]
fn each_job_of_the_timed_work_that_fails_is_told() {
    let program = archive(1);
    // Another schema would be refused at the start: this one comes into being after it.
    let database = database(program.data());
    let ruin = "BEGIN IMMEDIATE; DROP TABLE sessions; DROP TABLE access_log";
    database.execute_batch(ruin).expect("ruined");
    let server = Server::start(program.home());
    database.execute_batch("COMMIT").expect("ruined");
    wait_for("both complaints", || {
        let log = server.errors();
        let told = |job: &str| {
            let mut complaints = log
                .lines()
                .filter(|line| line.contains("the timed work failed"));
            complaints.any(|line| line.contains(job))
        };
        (told("job=\"sessions\"") && told("job=\"access log\"")).then_some(())
    });
}

/// What a server logs of so many requests while nothing reads its log; then the log is read to its end.
fn logged_unread(requests: usize) -> String {
    let folder = installation();
    let mut serve = executable::serve(folder.path());
    serve.env("SEGNALAZIONI_LOG", "debug");
    let server = Server::try_spawn_to(serve, folder.path(), Stdio::piped());
    let mut server = server.expect("it starts");
    let mut pipe = server.pipe();
    let client = server.client();
    for _ in 0..requests {
        client.get("/status").expect(200);
    }
    server.terminate();
    let mut log = String::new();
    pipe.read_to_string(&mut log).expect("a log");
    assert!(server.ended().success(), "{log}");
    log
}

fn answered(log: &str) -> usize {
    log.lines().filter(|line| line.contains("/status")).count()
}

/// A pipe holds 64 KiB: a reader that stopped must not stop those who send reports.
#[test]
fn a_log_that_nothing_reads_holds_up_no_answer() {
    let log = logged_unread(1_000);
    assert_eq!(answered(&log), 1_000, "a normal end loses nothing");
    assert!(!log.contains("dropped"), "{log}");
}

#[test]
fn lines_that_find_no_room_are_counted_and_told() {
    let log = logged_unread(4_000);
    let told = log.lines().filter_map(|line| line.split_once("dropped="));
    let dropped: usize = told
        .map(|(_, count)| count.trim().parse::<usize>().expect("a count"))
        .sum();
    assert!(dropped > 0, "there is room for all");
    assert_eq!(answered(&log) + dropped, 4_000);
}

#[test]
fn a_start_that_fails_says_why_though_the_log_has_its_own_writer() {
    let folder = installation();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let refused = executable::fails(folder.path(), &["serve", "--listen", &address], "");
    assert!(refused.contains("è già in uso"), "{refused}");
}
