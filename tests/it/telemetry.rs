//! The log on standard error: at its most talkative it tells of requests, and nothing of reports, reporters or secrets
//! (PRODUCT.md §7, ASVS 16.2.5).

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
    let logged = server.errors();
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
