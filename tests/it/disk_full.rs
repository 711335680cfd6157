//! A full disk: nothing is acknowledged that is not kept, reading goes on, and when there is room again the same turn
//! succeeds without a restart.

use std::fs;
use std::time::Duration;

use segnalazioni::testing::Manual;
use segnalazioni::testing::Mode;
use segnalazioni::testing::app::{self, Options};
use serde_json::json;

use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::http::Client;
use crate::support::load::{Audit, audit};
use crate::support::outbox::HOOK;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::post::{self, Post};
use crate::support::program::{START, at, config, options};
use crate::support::small_disk::SmallDisk;
use crate::support::wait_for;

const FULL: &str =
    "Lo spazio su disco del server è esaurito: non è stato possibile salvare. Riprova più tardi.";

fn database_status(client: &Client) -> String {
    let status = client.get("/status").expect(200).json();
    status["database"].as_str().expect("a status").to_owned()
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_full_disk_refuses_honestly_and_recovers_by_itself() {
    let Some(disk) = SmallDisk::mount("6m") else {
        eprintln!("SKIPPED: this process may not mount a file system, so there is no disk to fill");
        return;
    };
    let clock = Manual::new(at(START));
    let config = config(disk.path(), &[]);
    let running = app::start(&config, &options(Mode::Live, &clock)).expect("it starts");
    let client = Client::new(running.address());
    let (editor, _) = Editor::set_up(&client, &running.setup_url().expect("a link"), PASSWORD);
    let mut acknowledged = vec![submit(&client, &Person::numbered(0))];
    let waiting: Vec<Chat> = (1..60)
        .map(|number| {
            Chat::at_the_end(
                &client,
                &Person {
                    chiusura: "a ".repeat(5_000),
                    ..Person::numbered(number)
                },
            )
        })
        .collect();
    assert_eq!(database_status(&client), "online");

    let filler = disk.fill();
    let mut refused = Vec::new();
    for chat in &waiting {
        let answer = turn(&client, chat.token(), &"a ".repeat(5_000));
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

    // Reading and talking go on; what was refused is not there, what was acknowledged is.
    assert_eq!(audit(&acknowledged, &editor.all_ids()), Audit::default());
    assert_eq!(editor.all_ids().len(), acknowledged.len());
    let open = editor
        .api("GET", &format!("/reports/{}", acknowledged[0]))
        .header("x-background", "1");
    assert_eq!(open.send().expect(200).json()["nome"], "Nome0");
    assert_eq!(
        Chat::at_the_end(&client, &Person::numbered(99)).reply.state,
        "collect_report"
    );

    fs::remove_file(filler).expect("removed");
    wait_for("the status", Duration::from_mins(1), || {
        (database_status(&client) == "online").then_some(())
    });
    for chat in refused {
        let answer = turn(&client, chat.token(), &"a ".repeat(5_000));
        acknowledged.push(Reply::of(&answer).report_id.expect("a report"));
    }
    assert_eq!(audit(&acknowledged, &editor.all_ids()), Audit::default());
    assert_eq!(editor.all_ids().len(), waiting.len() + 1);
    assert_eq!(client.page("/paibeta/healthz").status, 200);
    drop(running);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn editors_can_still_read_while_the_disk_is_full() {
    let Some(disk) = SmallDisk::mount("6m") else {
        eprintln!("SKIPPED: this process may not mount a file system, so there is no disk to fill");
        return;
    };
    let clock = Manual::new(at(START));
    let config = config(disk.path(), &[]);
    let running = app::start(&config, &options(Mode::Live, &clock)).expect("it starts");
    let client = Client::new(running.address());
    let (editor, _) = Editor::set_up(&client, &running.setup_url().expect("a link"), PASSWORD);
    let id = submit(&client, &Person::numbered(0));
    disk.fill();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    turn(&client, chat.token(), &"a ".repeat(9_000)).problem(507, "spazio-esaurito");
    // Each look is noted (the session's activity, the opening), which is a write: sooner or later there is no room for it.
    for _ in 0..100 {
        clock.advance(Duration::from_secs(20));
        assert_eq!(editor.session(), 200);
        assert_eq!(editor.list("")["counters"]["total"], 1);
        assert_eq!(editor.report(&id)["nome"], "Nome0");
    }
    // The control: for most of the looks there was none.
    let log = editor.get("/logs").expect(200).text().to_owned();
    assert!(
        log.matches("REPORT_VIEWED").count() < 50,
        "there was room all along"
    );
    drop(running);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_message_that_arrived_is_not_sent_again_because_the_disk_was_full() {
    let Some(disk) = SmallDisk::mount("6m") else {
        eprintln!("SKIPPED: this process may not mount a file system, so there is no disk to fill");
        return;
    };
    let clock = Manual::new(at(START));
    let post = Post::new(&clock);
    let config = config(disk.path(), &[]);
    let options = Options {
        transport: Some(post.clone()),
        ..options(Mode::Live, &clock)
    };
    let running = app::start(&config, &options).expect("it starts");
    let client = Client::new(running.address());
    let (editor, _) = Editor::set_up(&client, &running.setup_url().expect("a link"), PASSWORD);
    let settings = json!({ "enableWebhook": true, "webhookUrl": HOOK });
    editor.save("/settings/system", &settings);
    post.set(HOOK, post::Manner::Hangs);
    let id = submit(&client, &Person::numbered(1));
    post.wait_hanging(1);
    let filler = disk.fill();
    post.set(HOOK, post::Manner::Takes);
    // It was taken; that cannot be written down, and nothing else is being written.
    wait_for("a write that fails", Duration::from_mins(1), || {
        (database_status(&client) == "unavailable").then_some(())
    });
    let stato = || editor.report(&id)["consegne"][0]["stato"].clone();
    assert_eq!(stato(), "in attesa");
    fs::remove_file(filler).expect("removed");
    wait_for("the outcome", Duration::from_mins(1), || {
        (stato() == "consegnata").then_some(())
    });
    assert_eq!(post.attempts().len(), 1);
}
