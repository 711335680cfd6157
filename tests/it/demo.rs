//! Demonstration mode: eight invented reports in memory, a password that everybody may know, and an untouched disk
//! (PRODUCT.md §2).

use segnalazioni::testing::Manual;
use segnalazioni::testing::Mode;
use segnalazioni::testing::app;

use crate::support::chat::{Person, submit};
use crate::support::executable::{Server, command};
use crate::support::http::Client;
use crate::support::panel::{Editor, ids};
use crate::support::program::{START, at, config, options};

const DEMO_PASSWORD: &str = "dimostrazione-aperta";

#[test]
fn eight_reports_can_be_worked_on_with_the_password_on_the_login_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Manual::new(at(START));
    let running =
        app::start(&config(folder.path(), &[]), &options(Mode::Demo, &clock)).expect("it starts");
    let client = Client::new(running.address());
    assert_eq!(client.get("/status").json()["database"], "demo");
    assert_eq!(running.setup_url(), None);
    let login = client.page("/paibeta/login").expect(200);
    assert!(login.text().contains(DEMO_PASSWORD));
    let public = client.page("/paibeta/").expect(200);
    assert!(
        !public.text().contains(DEMO_PASSWORD),
        "reporters need not know it"
    );

    let editor = Editor::log_in(&client, DEMO_PASSWORD);
    let page = editor.list("");
    assert_eq!(ids(&page).len(), 8);
    let mut numbers: Vec<u8> = ids(&page)
        .iter()
        .map(|id| id.parse().expect("a number"))
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    let times: Vec<&str> = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["data_creazione"].as_str().unwrap())
        .collect();
    assert!(
        times.is_sorted_by(|one, other| one >= other),
        "newest first: {times:?}"
    );
    assert!(times[0] < START);
    let counters = &page["counters"];
    for status in ["new", "inProgress", "resolved"] {
        assert!(counters[status].as_i64().unwrap() > 0, "{counters}");
    }
    for id in ids(&page) {
        let report = editor.report(&id);
        assert!(report["segnalazione"].as_str().unwrap().len() >= 70);
    }
    let new = submit(&client, &Person::numbered(1));
    assert_eq!(ids(&editor.list(""))[0], new);
    drop(running);
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "nothing is written");
}

#[test]
fn the_executable_writes_nothing_and_says_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let serve = command(
        folder.path(),
        &["serve", "--demo", "--listen", "127.0.0.1:0"],
    );
    let server = Server::spawn(serve, folder.path());
    submit(&server.client(), &Person::numbered(1));
    let output =
        crate::support::wait_for("the greeting", std::time::Duration::from_mins(1), || {
            server
                .output()
                .contains("Modalità dimostrativa")
                .then(|| server.output())
        });
    assert!(
        !output.contains(DEMO_PASSWORD) && !output.contains("setup#"),
        "{output}"
    );
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name == "stdout.log" || name == "stderr.log"),
        "{names:?}"
    );
    let real = Server::start(folder.path());
    let client = real.client();
    crate::support::panel::try_log_in(&client, DEMO_PASSWORD).problem(503, "non-configurato");
    let login = client.page("/paibeta/login").expect(200);
    assert!(
        !login.text().contains(DEMO_PASSWORD),
        "shown nowhere else than in demo mode"
    );
}
