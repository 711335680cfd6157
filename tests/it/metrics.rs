//! What monitoring reads: values that move with what happens, at an address that only this machine reaches, and nothing of
//! anybody in it.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "what is counted here are small whole numbers, which a float holds exactly"
)]

use std::net::TcpStream;
use std::ops::Range;
use std::time::Duration;

use rusqlite::Connection;
use segnalazioni::testing::app;
use segnalazioni::testing::clock::Manual;
use segnalazioni::testing::http::state::Mode;
use serde_json::json;

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::executable;
use crate::support::http::Client;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::panel::{PASSWORD, try_log_in};
use crate::support::post::Manner;
use crate::support::program::{Program, START, at, config, options};
use crate::support::prometheus::Sheet;
use crate::support::wait_for;

/// On a free port of this machine.
const MEASURED: [(&str, &str); 1] = [("SEGNALAZIONI_METRICS_LISTEN", "127.0.0.1:0")];
/// Sockets that the server holds open at most.
const SOCKETS: f64 = 1_024.0;
/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Whoever asks for the measures of a program.
fn monitor(url: Option<String>) -> Client {
    let url = url.expect("it is measured");
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/metrics"));
    Client::new(
        address
            .and_then(|address| address.parse().ok())
            .expect("an address"),
    )
}

fn monitor_of(program: &Program) -> Client {
    monitor(program.running().metrics_url())
}

#[test]
fn it_is_off_unless_asked_for_and_stays_on_this_machine() {
    let program = Program::start();
    assert_eq!(program.running().metrics_url(), None);
    let elsewhere = program.client().request("GET", "/metrics").send();
    assert_eq!(elsewhere.header("location"), Some("/paibeta/"));

    let folder = tempfile::tempdir().unwrap();
    for address in ["0.0.0.0:9187", "[::]:9187", "192.0.2.7:9187"] {
        let refused = executable::fails(folder.path(), &["serve", "--metrics-listen", address], "");
        let expected = format!("«metrics_listen» nell'opzione --metrics-listen: «{address}»");
        assert!(refused.contains(&expected), "{refused}");
        assert!(refused.contains("di questa stessa macchina"), "{refused}");
    }
    assert!(!folder.path().join("data").exists(), "nothing was begun");
}

#[test]
fn one_path_is_served_and_it_ends_with_the_program() {
    let mut program = Program::start_with(&MEASURED);
    let client = monitor_of(&program);
    let ask = |method: &str, path: &str| client.request(method, path).send();
    let answer = ask("GET", "/metrics").expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let head = ask("HEAD", "/metrics").expect(200);
    assert_eq!(head.text(), "");
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        ask(method, "/metrics").expect(405);
    }
    for path in [
        "/",
        "/metrics/",
        "/paibeta/",
        "/paibeta/api/status",
        "/paibeta/healthz",
    ] {
        ask("GET", path).expect(404);
    }
    program.stop();
    assert!(TcpStream::connect(client.address()).is_err());
}

#[test]
fn a_page_that_had_its_name_point_here_is_told_nothing() {
    let program = Program::start_with(&MEASURED);
    let client = monitor_of(&program);
    let port = client.address().port();
    let ask = |host: &str| {
        client
            .request("GET", "/metrics")
            .header("host", host)
            .send()
    };
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        ask(&host).expect(200);
    }
    for host in [format!("rebound.example:{port}"), "192.0.2.7".to_owned()] {
        let refused = ask(&host).expect(421);
        assert_eq!(refused.text(), "", "{host}");
    }
}

#[test]
fn the_executable_says_where_and_refuses_an_address_that_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        "127.0.0.2:0",
    ];
    let command = executable::command(folder.path(), &arguments);
    let server = executable::Server::spawn(command, folder.path());
    let line = wait_for("the address", PATIENCE, || {
        let output = server.output();
        let line = output.lines().find(|line| line.starts_with("Le misure"));
        line.map(str::to_owned)
    });
    let (_, url) = line.split_once(": ").expect("an address");
    let client = monitor(Some(url.to_owned()));
    let sheet = Sheet::of(&client);
    let version = format!(
        " {}",
        executable::succeeds(folder.path(), &["--version"], "").trim()
    );
    let label = sheet.labels("version");
    assert!(label.iter().all(|label| version.contains(*label)) && label.len() == 1);

    let other = tempfile::tempdir().unwrap();
    let taken = client.address().to_string();
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        &taken,
    ];
    let refused = executable::fails(other.path(), &arguments, "");
    assert!(
        refused.contains(&format!(
            "impossibile ascoltare su {taken} (metrics_listen)"
        )),
        "{refused}"
    );
}

#[test]
fn conversations_reports_and_logins_are_counted() {
    let program = Program::start_with(&MEASURED);
    let (client, monitor) = (program.client(), monitor_of(&program));
    let before = Sheet::of(&monitor);
    let started = before.value("start_time_seconds", &[]);
    assert_eq!(started * 1_000.0, at(START) as f64);
    for name in ["conversations_total", "turns_total", "reports_total"] {
        assert_eq!(before.value(name, &[]), 0.0, "{name}");
    }
    program.set_up();
    let committed = Sheet::of(&monitor).value("commits_total", &[]);

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
    assert_eq!(after.value("conversations_total", &[]), 3.0);
    assert_eq!(after.value("turns_total", &[]), 1.0 + 1.0 + 7.0 + 2.0);
    assert_eq!(after.value("reports_total", &[]), 1.0);
    for (outcome, count) in [
        ("success", 1.0),
        ("wrong_password", 5.0),
        ("limited", 1.0),
        ("not_allowed", 0.0),
        ("error", 0.0),
    ] {
        let found = after.value("logins_total", &[("outcome", outcome)]);
        assert_eq!(found, count, "{outcome}");
    }
    assert!(after.value("commits_total", &[]) > committed);
    assert_eq!(after.value("commit_failures_total", &[]), 0.0);
    let route = ("route", "/paibeta/api/chat/turns");
    let turns = [route, ("method", "POST"), ("status", "2xx")];
    assert_eq!(after.value("requests_total", &turns), 11.0);
    assert_eq!(
        after.value("request_duration_seconds_count", &[route]),
        11.0
    );
    let refused = [
        ("route", "/paibeta/api/session"),
        ("method", "POST"),
        ("status", "4xx"),
    ];
    assert_eq!(after.value("requests_total", &refused), 6.0);
}

#[test]
fn deliveries_and_their_troubles_show() {
    let newsroom = Newsroom::with_and(true, true, &MEASURED);
    let monitor = monitor_of(&newsroom.program);
    let until = |what: &str, holds: &dyn Fn(&Sheet) -> bool| {
        wait_for(what, PATIENCE, || Some(Sheet::of(&monitor)).filter(holds))
    };
    let waiting = |channel| [("channel", channel), ("state", "waiting")];
    let failed = |channel| [("channel", channel), ("state", "failed")];
    let tried = |channel, outcome| [("channel", channel), ("outcome", outcome)];
    let idle = Sheet::of(&monitor);
    for channel in ["email", "webhook"] {
        assert_eq!(idle.value("deliveries", &waiting(channel)), 0.0);
        assert_eq!(idle.value("deliveries", &failed(channel)), 0.0);
        assert_eq!(
            idle.value("delivery_oldest_waiting_seconds", &[("channel", channel)]),
            0.0
        );
    }
    newsroom.post.set(HOOK, Manner::Fails);
    newsroom.post.set(ADDRESS, Manner::Refuses);
    submit(&newsroom.program.client(), &Person::numbered(1));
    until("a failure of each", &|sheet| {
        sheet.find("delivery_attempts_total", &tried("webhook", "failed")) == Some(1.0)
            && sheet.find("delivery_attempts_total", &tried("email", "refused")) == Some(1.0)
            && sheet.value("deliveries", &failed("email")) == 1.0
    });
    newsroom.program.clock.advance(Duration::from_secs(20));
    let late = Sheet::of(&monitor);
    assert_eq!(late.value("deliveries", &waiting("webhook")), 1.0);
    assert_eq!(late.value("deliveries", &waiting("email")), 0.0);
    assert_eq!(
        late.value("delivery_oldest_waiting_seconds", &[("channel", "webhook")]),
        20.0
    );
    assert_eq!(
        late.value("delivery_oldest_waiting_seconds", &[("channel", "email")]),
        0.0
    );

    newsroom.post.set(HOOK, Manner::Takes);
    newsroom.program.clock.advance(Duration::from_mins(1));
    newsroom.nudge();
    until("the call", &|sheet| {
        sheet.value("deliveries", &waiting("webhook")) == 0.0
            && sheet.find("delivery_attempts_total", &tried("webhook", "delivered")) == Some(1.0)
    });
}

#[test]
fn backups_and_the_disk_show() {
    let program = Program::start_with(&MEASURED);
    let monitor = monitor_of(&program);
    let fresh = Sheet::of(&monitor);
    assert_eq!(fresh.find("backup_age_seconds", &[]), None);
    assert_eq!(fresh.find("rehearsal_ok", &[]), None);
    assert_eq!(fresh.value("backup_overdue", &[]), 0.0);
    program.set_up();
    submit(&program.client(), &Person::numbered(1));
    program.running().back_up().unwrap();
    program.clock.advance(Duration::from_hours(2));
    let made = Sheet::of(&monitor);
    assert_eq!(made.value("backup_age_seconds", &[]), 7_200.0);
    assert_eq!(made.value("rehearsal_age_seconds", &[]), 7_200.0);
    assert_eq!(made.value("rehearsal_ok", &[]), 1.0);
    assert_eq!(made.value("backup_failed", &[]), 0.0);
    assert_eq!(made.value("backup_overdue", &[]), 0.0);
    program.clock.advance(Duration::from_hours(24 * 21));
    assert_eq!(Sheet::of(&monitor).value("backup_overdue", &[]), 1.0);

    let size = |name: &str| std::fs::metadata(program.data().join(name)).unwrap().len() as f64;
    let now = Sheet::of(&monitor);
    assert_eq!(
        now.value("database_size_bytes", &[]),
        size("segnalazioni.db")
    );
    assert_eq!(
        now.value("wal_size_bytes", &[]),
        size("segnalazioni.db-wal")
    );
    assert!(now.value("disk_free_bytes", &[]) > 0.0);

    // A backup that cannot be made: where its folder should be lies a file.
    let folder = program.data().join("backups");
    std::fs::remove_dir_all(&folder).unwrap();
    let lost = Sheet::of(&monitor);
    assert_eq!(lost.find("backup_age_seconds", &[]), None);
}

#[test]
fn nothing_of_anybody_is_in_it() {
    let program =
        Program::start_with(&[MEASURED[0], ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1")]);
    let editor = program.set_up();
    let reporter = program
        .client()
        .with("x-forwarded-for", "203.0.113.77")
        .with("user-agent", "TelefonoDelCittadino/9")
        .with("referer", "https://forum.segreto.example/");
    let person = Person::numbered(1);
    let id = submit(&reporter, &person);
    let change = json!({ "note": "Nota riservata." });
    editor.patch(&id, &json!(1), &change).expect(200);
    editor.get("/reports?search=Canarinocercato").expect(200);
    editor.get("/reports/canarino-inesistente").expect(404);
    try_log_in(&reporter, "tentativo-indovinato").expect(401);
    let text = monitor_of(&program)
        .request("GET", "/metrics")
        .send()
        .text()
        .to_owned();
    let mut forbidden = person.texts();
    forbidden.extend(
        [
            "203.0.113.77",
            "127.0.0.1",
            "TelefonoDelCittadino",
            "segreto.example",
            "Nota riservata",
            "anarino",
            "tentativo",
            PASSWORD,
            editor.cookie(),
            &id,
            &program.data().display().to_string(),
        ]
        .map(str::to_owned),
    );
    for text_of in forbidden {
        assert!(!text.contains(&text_of), "«{text_of}» is measured");
    }
    // The control: all of these requests were counted, by the patterns of their routes.
    let sheet = Sheet::read(&text);
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

/// Paths nobody serves, below every part of the site.
fn odd(number: usize) -> (&'static str, String) {
    let method = ["GET", "POST", "HEAD", "BREW", "GE7T", "PATCH"][number % 6];
    let folder = [
        "",
        "/paibeta",
        "/paibeta/api",
        "/paibeta/api/reports/1",
        "/paibeta/assets",
        "/paibeta/style/x",
        "/paibeta/logo",
        "/paibeta/admin",
        "/metrics",
    ][number % 9];
    (
        method,
        format!("{folder}/dispari-{number}?{number}=canarino"),
    )
}

#[test]
fn odd_paths_make_no_new_series() {
    let program = Program::start_with(&MEASURED);
    let (client, monitor) = (program.client(), monitor_of(&program));
    let ask = |numbers: Range<usize>| {
        for (method, path) in numbers.map(odd) {
            client.request(method, &path).send();
        }
    };
    ask(0..54);
    let before = Sheet::of(&monitor);
    ask(54..216);
    let after = Sheet::of(&monitor);
    assert_eq!(after.series(), before.series());
    let total = |sheet: &Sheet| {
        let of = |route| sheet.value("request_duration_seconds_count", &[("route", route)]);
        sheet.labels("route").into_iter().map(of).sum::<f64>()
    };
    assert_eq!(total(&after) - total(&before), 162.0, "each was counted");
}

#[test]
fn it_answers_while_the_writer_is_stuck_and_when_the_archive_is_gone() {
    let program = Program::start_with(&MEASURED);
    let (client, monitor) = (program.client(), monitor_of(&program));
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    // What the conversation leaves behind it is written after its answers.
    let idle = || {
        wait_for("an idle writer", PATIENCE, || {
            (Sheet::of(&monitor).value("writer_queue", &[]) == 0.0).then_some(())
        });
    };
    idle();
    let foreign = Connection::open(program.data().join("segnalazioni.db")).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let last = scope.spawn(|| turn(&client, chat.token(), "no").status);
        let stuck = wait_for("a write that waits", PATIENCE, || {
            let sheet = Sheet::of(&monitor);
            (sheet.value("writer_queue", &[]) > 0.0).then_some(sheet)
        });
        assert_eq!(stuck.value("archive_readable", &[]), 1.0);
        foreign.execute_batch("ROLLBACK").unwrap();
        last.join().expect("it ends");
    });
    idle();

    drop(foreign);
    let (here, away) = (
        program.data().to_path_buf(),
        program.data().with_extension("away"),
    );
    std::fs::rename(&here, &away).unwrap();
    let blind = Sheet::of(&monitor);
    std::fs::rename(&away, &here).unwrap();
    assert_eq!(blind.value("archive_readable", &[]), 0.0);
    assert_eq!(blind.find("backup_overdue", &[]), None);
    assert_eq!(blind.value("conversations_total", &[]), 1.0);
    assert_eq!(Sheet::of(&monitor).value("archive_readable", &[]), 1.0);
}

#[test]
fn it_answers_while_every_socket_is_taken() {
    let program = Program::start_with(&MEASURED);
    let (address, monitor) = (program.client().address(), monitor_of(&program));
    let mut held = Vec::new();
    // Silent sockets are closed after a while: as many are added as it takes, few at a time, for what nobody has accepted
    // yet has little room.
    wait_for("a full house", PATIENCE, || {
        held.extend((0..60).filter_map(|_| TcpStream::connect(address).ok()));
        (Sheet::of(&monitor).value("connections", &[]) >= SOCKETS).then_some(())
    });
    drop(held);
    wait_for("an empty house", PATIENCE, || {
        (Sheet::of(&monitor).value("connections", &[]) == 0.0).then_some(())
    });
}

#[test]
fn a_demonstration_can_be_measured_too() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), &MEASURED);
    let running = app::start(&config, &options(Mode::Demo, &Manual::new(at(START)))).unwrap();
    let sheet = Sheet::of(&monitor(running.metrics_url()));
    assert_eq!(sheet.value("archive_readable", &[]), 1.0);
    assert_eq!(sheet.find("database_size_bytes", &[]), None);
    assert_eq!(sheet.find("backup_overdue", &[]), None);
}
