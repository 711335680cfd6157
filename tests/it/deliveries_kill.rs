//! Deliveries of the real executable over real sockets: killed or stopped between a sending and its settling, and what the
//! log says of a destination that fails.

use std::path::Path;
use std::time::Duration;

use segnalazioni::testing::Clock;
use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::executable::{self, Server, installation};
use crate::support::panel::Editor;
use crate::support::program::at;
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner};
use crate::support::{free_port, wait_for};

const ROUNDS: usize = 2;

/// A server that may call this machine.
fn serve(folder: &Path) -> Server {
    let mut command = executable::serve(folder);
    command.env("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8");
    Server::spawn(command, folder)
}

fn wait_delivered(editor: &Editor, delivered: usize) {
    let wanted =
        json!({ "pending": 0, "retrying": 0, "failed": 0, "delivered": delivered, "ignored": 0 });
    wait_for(&format!("{delivered} delivered"), || {
        let summary = editor.get("/deliveries/summary").expect(200).json();
        (summary["counters"] == wanted).then_some(())
    });
}

#[test]
fn a_call_cut_off_by_a_kill_is_made_again_once_under_the_same_name() {
    let (hook, folder) = (Receiver::answering("204 No Content"), installation());
    let mut server = serve(folder.path());
    let editor = server.log_in();
    editor.call(&hook.url());
    for round in 0..ROUNDS {
        hook.hold(true);
        submit(&server.client(), &Person::numbered(round));
        hook.wait(2 * round + 1);
        server.kill();
        hook.hold(false);
        server = serve(folder.path());
        wait_delivered(&server.session(&editor), round + 1);
        // The control: what was settled is not sent again after a kill.
        server.kill();
        server = serve(folder.path());
    }
    wait_delivered(&server.session(&editor), ROUNDS);
    let mut names = hook.wait(2 * ROUNDS);
    assert_eq!(names.len(), 2 * ROUNDS, "sent once more, and no oftener");
    assert!(names.chunks(2).all(|pair| pair[0] == pair[1]), "{names:?}");
    names.dedup();
    assert_eq!(names.len(), ROUNDS, "each report has a name of its own");
}

#[test]
fn a_sending_that_hangs_does_not_hold_up_the_stop() {
    let (hook, folder) = (Receiver::answering("204 No Content"), installation());
    hook.hold(true);
    let mut server = serve(folder.path());
    server.log_in().call(&hook.url());
    submit(&server.client(), &Person::numbered(1));
    hook.wait(1);
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn a_mail_in_hand_has_the_time_of_a_request_at_a_stop_and_goes_out_once() {
    let (smtp, folder) = (MailServer::start(Manner::default()), installation());
    smtp.set(Manner {
        looks_through: Duration::from_secs(3),
        ..Manner::default()
    });
    let mut server = serve(folder.path());
    let editor = server.log_in();
    editor.mail_to(smtp.port());
    submit(&server.client(), &Person::numbered(1));
    smtp.wait_visited();
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
    server = serve(folder.path());
    wait_delivered(&server.session(&editor), 1);
    assert_eq!(smtp.mails().len(), 1);
}

#[test]
fn a_destination_that_fails_is_logged_once_and_without_its_address() {
    let folder = installation();
    let server = serve(folder.path());
    let editor = server.log_in();
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}/segretissimo");
    editor.call(&url);
    let person = Person::numbered(1);
    let id = submit(&server.client(), &person);
    for attempts in 1..4 {
        let delivery = wait_for("a failed attempt", || {
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
    for secret in [&url, &address, &person.nome, &person.email] {
        assert!(!log.contains(secret.as_str()), "{log}");
    }
}
