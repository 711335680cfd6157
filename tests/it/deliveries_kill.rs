//! Deliveries of the real executable over real sockets: killed or stopped between a sending and its settling, and what the
//! log says of a destination that fails.

use std::path::Path;
use std::time::Duration;

use segnalazioni::testing::Mode;
use segnalazioni::testing::app;
use segnalazioni::testing::{Clock, Manual};
use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::doorstep::Doorstep;
use crate::support::executable::{self, Server};
use crate::support::http::Client;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::{START, at, config, options};
use crate::support::wait_for;

/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Times that the server is killed.
const ROUNDS: usize = 3;

/// An installation whose password is set.
fn installation() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let command = executable::command(folder.path(), &["reset-password", "--stdin"]);
    assert!(executable::run(command, PASSWORD).status.success());
    folder
}

/// A server that may call this machine.
fn serve(folder: &Path) -> Server {
    let mut command = executable::serve(folder);
    command.env("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8");
    Server::spawn(command, folder)
}

fn send_mail_to(editor: &Editor, door: &Doorstep) {
    let settings = json!({
        "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it", "smtpHost": "127.0.0.1",
        "smtpPort": door.port(), "smtpSecure": false, "emailAutoSend": true, "enableDepartmentRouting": false,
    });
    editor.save("/settings/email", &settings);
}

fn call(editor: &Editor, url: &str) {
    let settings = json!({ "enableWebhook": true, "webhookUrl": url });
    editor.save("/settings/system", &settings);
}

/// Waits until so many deliveries have arrived and none waits.
fn wait_delivered(editor: &Editor, delivered: usize) {
    wait_for(&format!("{delivered} delivered"), PATIENCE, || {
        let counters = editor.get("/deliveries/summary").expect(200).json()["counters"].clone();
        (counters == json!({ "pending": 0, "failed": 0, "delivered": delivered, "ignored": 0 }))
            .then_some(())
    });
}

/// Kills the server after each sending and before its settling, and then after it was settled.
fn killed_between(door: &Doorstep, set: impl FnOnce(&Editor)) {
    let folder = installation();
    let mut server = serve(folder.path());
    set(&Editor::log_in(&server.client(), PASSWORD));
    let mut seen = 0;
    for round in 0..ROUNDS {
        door.close();
        submit(&server.client(), &Person::numbered(round));
        door.wait(seen + 1);
        server.kill();
        door.open();
        server = serve(folder.path());
        let editor = Editor::log_in(&server.client(), PASSWORD);
        wait_delivered(&editor, round + 1);
        let left = door.left();
        assert_eq!(left.len(), seen + 2, "sent once more, and no oftener");
        assert_eq!(left[seen], left[seen + 1], "under the same name");
        seen += 2;
        // The control: what was settled is not sent again after a kill.
        server.kill();
        server = serve(folder.path());
    }
    let editor = Editor::log_in(&server.client(), PASSWORD);
    wait_delivered(&editor, ROUNDS);
    let left = door.left();
    assert_eq!(left.len(), 2 * ROUNDS);
    let mut names = left;
    names.dedup();
    assert_eq!(names.len(), ROUNDS, "each report has a name of its own");
}

#[test]
fn a_call_cut_off_by_a_kill_is_made_again_once_under_the_same_name() {
    let door = Doorstep::hook();
    killed_between(&door, |editor| call(editor, &door.url()));
}

#[test]
fn a_sending_that_hangs_does_not_hold_up_the_stop() {
    let door = Doorstep::hook();
    let folder = installation();
    let mut server = serve(folder.path());
    call(&Editor::log_in(&server.client(), PASSWORD), &door.url());
    submit(&server.client(), &Person::numbered(1));
    door.wait(1);
    server.terminate();
    assert_eq!(server.ended(Duration::from_mins(1)).code(), Some(0));
    door.open();
    let server = serve(folder.path());
    wait_delivered(&Editor::log_in(&server.client(), PASSWORD), 1);
    let left = door.left();
    assert_eq!((left.len(), &left[0]), (2, &left[1]));
}

#[test]
fn a_destination_that_fails_is_logged_once_and_without_its_address() {
    let folder = installation();
    let server = serve(folder.path());
    let editor = Editor::log_in(&server.client(), PASSWORD);
    // A port that nobody listens on.
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address");
    let url = format!("http://{closed}/segretissimo");
    call(&editor, &url);
    let person = Person::numbered(1);
    let id = submit(&server.client(), &person);
    for attempts in 1..4 {
        let delivery = wait_for("a failed attempt", PATIENCE, || {
            let delivery = editor.report(&id)["consegne"][0].clone();
            // While it is being tried its next attempt is not in the future.
            let next = delivery["prossimoTentativo"].as_str().map(at);
            let over = next > Some(Clock::System.now_ms());
            (over && delivery["tentativi"] == json!(attempts)).then_some(delivery)
        });
        let retry = format!("/deliveries/{}/retry", delivery["id"]);
        editor.post(&retry).expect(200);
    }
    let log = server.errors();
    assert_eq!(log.matches("a delivery failed").count(), 1, "{log}");
    for secret in [&url, &closed.to_string(), &person.nome, &person.email] {
        assert!(!log.contains(secret.as_str()), "{log}");
    }
}

#[test]
fn a_demonstration_sends_nothing_whatever_its_settings_say() {
    let (mail, hook) = (Doorstep::mail(), Doorstep::hook());
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Manual::new(at(START));
    let allowed = [("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")];
    let running = app::start(
        &config(folder.path(), &allowed),
        &options(Mode::Demo, &clock),
    )
    .expect("it starts");
    let client = Client::new(running.address());
    let editor = Editor::log_in(&client, "dimostrazione-aperta");
    send_mail_to(&editor, &mail);
    call(&editor, &hook.url());
    let id = submit(&client, &Person::numbered(1));
    let deliveries = wait_for("the end of the deliveries", PATIENCE, || {
        let all = editor.report(&id)["consegne"]
            .as_array()
            .expect("deliveries")
            .clone();
        all.iter()
            .all(|one| one["stato"] == "fallita")
            .then_some(all)
    });
    assert_eq!(deliveries.len(), 2);
    for one in deliveries {
        assert_eq!(
            one["ultimoErrore"],
            "In modalità demo non parte nulla: né e-mail né webhook."
        );
    }
    assert_eq!((mail.left(), hook.left()), (Vec::new(), Vec::new()));
}
