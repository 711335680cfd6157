//! What monitoring reads: values that move with what happens, at an address that only this machine reaches, and nothing of
//! anybody in it.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "what is counted here are small whole numbers, which a float holds exactly"
)]

use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::support::chat::{Chat, Person, recognisable, submit, tells_nothing, turn};
use crate::support::executable;
use crate::support::http::Client;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::panel::{PASSWORD, try_log_in};
use crate::support::post::Manner;
use crate::support::program::{Program, START, at};
use crate::support::prometheus::Sheet;
use crate::support::wait_for;

const MEASURED: [(&str, &str); 1] = [("SEGNALAZIONI_METRICS_LISTEN", "127.0.0.1:0")];

fn monitor_of(program: &Program) -> Client {
    let url = program.running().metrics_url().expect("it is measured");
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches("/metrics");
    Client::new(address.parse().expect("an address"))
}

#[test]
fn it_is_off_unless_asked_for_and_stays_on_this_machine() {
    let program = Program::start();
    assert_eq!(program.running().metrics_url(), None);
    let elsewhere = program.client().page("/metrics");
    assert_eq!(elsewhere.header("location"), Some("/paibeta/"));

    let folder = tempfile::tempdir().unwrap();
    let public = ["serve", "--metrics-listen", "0.0.0.0:9187"];
    let refused = executable::fails(folder.path(), &public, "");
    assert!(refused.contains("di questa stessa macchina"), "{refused}");
    assert!(!folder.path().join("data").exists(), "nothing was begun");
}

#[test]
fn one_path_is_served_to_this_machine_alone_and_it_ends_with_the_program() {
    let mut program = Program::start_with(&MEASURED);
    let client = monitor_of(&program);
    let ask = |method: &str, path: &str| client.request(method, path).send();
    let answer = ask("GET", "/metrics").expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    // What `promtool` reads: a counter's whole name has its help.
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    for line in [
        "# HELP segnalazioni_reports_total Reports saved and acknowledged.",
        "# TYPE segnalazioni_reports_total counter",
        "segnalazioni_reports_total 0",
        "# TYPE segnalazioni_connections gauge",
    ] {
        assert!(
            answer.text().lines().any(|own| own == line),
            "{line}\n{}",
            answer.text()
        );
    }
    assert!(!answer.text().contains("# EOF"));
    assert_eq!(ask("HEAD", "/metrics").expect(200).text(), "");
    ask("POST", "/metrics").expect(405);
    for path in ["/", "/metrics/", "/paibeta/api/status", "/paibeta/healthz"] {
        ask("GET", path).expect(404);
    }
    // A page whose name was made to point here is told nothing.
    let port = client.address().port();
    for (host, status) in [
        ("localhost", 200),
        ("127.0.0.1", 200),
        ("rebound.example", 421),
        ("192.0.2.7", 421),
    ] {
        let client = client.with("host", &format!("{host}:{port}"));
        client.page("/metrics").expect(status);
    }
    program.stop();
    assert!(TcpStream::connect(client.address()).is_err());
}

#[test]
fn conversations_reports_and_logins_are_counted() {
    let program = Program::start_with(&MEASURED);
    let (client, monitor) = (program.client(), monitor_of(&program));
    program.set_up();
    let before = Sheet::of(&monitor);
    let started = before.value("start_time_seconds", &[]);
    assert_eq!(started * 1_000.0, at(START) as f64);
    // One breaks off, one is refused for its age, one becomes a report whose last turn comes twice.
    Chat::start(&client).say("non lo dico");
    assert!(Chat::start(&client).say("17").finished);
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    for _ in 0..2 {
        turn(&client, chat.token(), "no").expect(200);
    }
    try_log_in(&client, PASSWORD).expect(204);
    for status in [401, 401, 401, 401, 401, 429] {
        try_log_in(&client, "indovinata").expect(status);
    }
    let after = Sheet::of(&monitor);
    let route = ("route", "/paibeta/api/chat/turns");
    let login = ("route", "/paibeta/api/session");
    let post = ("method", "POST");
    for (name, labels, grown) in [
        ("conversations_total", vec![], 3.0),
        ("turns_total", vec![], 11.0),
        ("reports_total", vec![], 1.0),
        ("commit_failures_total", vec![], 0.0),
        ("logins_total", vec![("outcome", "success")], 1.0),
        ("logins_total", vec![("outcome", "wrong_password")], 5.0),
        ("logins_total", vec![("outcome", "limited")], 1.0),
        ("logins_total", vec![("outcome", "not_allowed")], 0.0),
        ("requests_total", vec![route, post, ("status", "2xx")], 11.0),
        ("request_duration_seconds_count", vec![route], 11.0),
        ("requests_total", vec![login, post, ("status", "4xx")], 6.0),
    ] {
        let was = before.find(name, &labels).unwrap_or(0.0);
        assert_eq!(after.value(name, &labels) - was, grown, "{name} {labels:?}");
    }
    assert!(after.value("commits_total", &[]) > before.value("commits_total", &[]));
}

#[test]
fn deliveries_and_their_troubles_show() {
    let newsroom = Newsroom::with_and(true, true, &MEASURED);
    let monitor = monitor_of(&newsroom.program);
    let until = |what: &str, holds: &dyn Fn(&Sheet) -> bool| {
        wait_for(what, || Some(Sheet::of(&monitor)).filter(holds))
    };
    let counted = |sheet: &Sheet, channel, state| {
        sheet.value("deliveries", &[("channel", channel), ("state", state)])
    };
    let tried = |sheet: &Sheet, channel, outcome| {
        let labels = [("channel", channel), ("outcome", outcome)];
        sheet.find("delivery_attempts_total", &labels) == Some(1.0)
    };
    let oldest = |sheet: &Sheet| {
        let of = |channel| sheet.value("delivery_oldest_waiting_seconds", &[("channel", channel)]);
        (of("email"), of("webhook"))
    };
    assert_eq!(oldest(&Sheet::of(&monitor)), (0.0, 0.0));
    newsroom.post.set(HOOK, Manner::Fails);
    newsroom.post.set(ADDRESS, Manner::Refuses);
    newsroom.report(1);
    until("a failure of each", &|sheet| {
        tried(sheet, "webhook", "failed")
            && tried(sheet, "email", "refused")
            && counted(sheet, "email", "failed") == 1.0
    });
    newsroom.program.clock.advance(Duration::from_secs(20));
    let late = Sheet::of(&monitor);
    assert_eq!(counted(&late, "webhook", "waiting"), 1.0);
    assert_eq!(counted(&late, "email", "waiting"), 0.0);
    assert_eq!(oldest(&late), (0.0, 20.0));
    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.advance(Duration::from_mins(1));
    until("the call", &|sheet| {
        counted(sheet, "webhook", "waiting") == 0.0 && tried(sheet, "webhook", "delivered")
    });
}

#[test]
fn backups_and_the_disk_show() {
    let program = Program::start_with(&MEASURED);
    let monitor = monitor_of(&program);
    let told = |name: &str| Sheet::of(&monitor).find(name, &[]);
    for name in ["backup_age_seconds", "rehearsal_ok"] {
        assert_eq!(told(name), None, "{name}");
    }
    assert_eq!(told("backup_overdue"), Some(0.0));
    program.set_up();
    program.report(1);
    program.running().back_up().unwrap();
    program.clock.advance(Duration::from_hours(2));
    for (name, value) in [
        ("backup_age_seconds", 7_200.0),
        ("rehearsal_age_seconds", 7_200.0),
        ("rehearsal_ok", 1.0),
        ("backup_failed", 0.0),
        ("backup_incomplete", 0.0),
        ("backup_overdue", 0.0),
    ] {
        assert_eq!(told(name), Some(value), "{name}");
    }
    program.clock.advance(Duration::from_hours(24 * 21));
    assert_eq!(told("backup_overdue"), Some(1.0));
    let size = |name: &str| std::fs::metadata(program.data().join(name)).unwrap().len() as f64;
    assert_eq!(told("database_size_bytes"), Some(size("segnalazioni.db")));
    assert_eq!(told("wal_size_bytes"), Some(size("segnalazioni.db-wal")));
    assert!(told("disk_free_bytes") > Some(0.0));
    std::fs::remove_dir_all(program.data().join("backups")).unwrap();
    assert_eq!(told("backup_age_seconds"), None);
}

#[test]
fn nothing_of_anybody_is_in_it() {
    let program =
        Program::start_with(&[MEASURED[0], ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1")]);
    let editor = program.set_up();
    let reporter = recognisable(&program.client());
    // No number that the end of a sum of seconds can look like, as 0.53000000001 does.
    let person = Person {
        telefono: "3471958264".to_owned(),
        ..Person::numbered(1)
    };
    let id = submit(&reporter, &person);
    editor.change(&id, &json!({ "note": "Nota riservata." }));
    editor.get("/reports?search=Canarinocercato").expect(200);
    editor.get("/reports/canarino-inesistente").expect(404);
    try_log_in(&reporter, "tentativo-indovinato").expect(401);
    let monitor = monitor_of(&program);
    let answer = monitor.page("/metrics");
    let folder = program.data().to_str().expect("a text");
    let secrets = "127.0.0.1|Nota riservata|anarino|tentativo".split('|');
    let secrets: Vec<_> = secrets
        .chain([PASSWORD, editor.cookie(), &id, folder])
        .collect();
    tells_nothing(answer.text(), &person, &secrets);
    // The control: all of these requests were counted, by the patterns of their routes.
    let sheet = Sheet::read(answer.text());
    for (route, method, status) in [
        ("/paibeta/api/reports/{id}", "PATCH", "2xx"),
        ("/paibeta/api/reports", "GET", "2xx"),
        ("/paibeta/api/reports/{id}", "GET", "4xx"),
        ("/paibeta/api/session", "POST", "4xx"),
    ] {
        let labels = [("route", route), ("method", method), ("status", status)];
        assert_eq!(sheet.value("requests_total", &labels), 1.0, "{labels:?}");
    }
}

#[test]
fn it_answers_when_the_archive_is_gone() {
    let program = Program::start_with(&MEASURED);
    let monitor = monitor_of(&program);
    Chat::start(&program.client());
    let (here, away) = (program.data(), program.data().with_extension("away"));
    std::fs::rename(here, &away).unwrap();
    let blind = Sheet::of(&monitor);
    std::fs::rename(&away, here).unwrap();
    assert_eq!(blind.value("archive_readable", &[]), 0.0);
    assert_eq!(blind.find("backup_overdue", &[]), None);
    assert_eq!(blind.value("conversations_total", &[]), 1.0);
    assert_eq!(Sheet::of(&monitor).value("archive_readable", &[]), 1.0);
}
