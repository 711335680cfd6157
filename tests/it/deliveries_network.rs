//! Deliveries by the real transport: what goes over the wire by mail and webhook, and what becomes of a message whose settings
//! changed while it waited.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::panel::Editor;
use crate::support::program::{Program, at};
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner};
use crate::support::wait_for;

/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);
const MINUTE: Duration = Duration::from_mins(1);
/// This machine may be called.
const ALLOWED: [(&str, &str); 2] = [
    ("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8"),
    ("SEGNALAZIONI_PUBLIC_URL", "https://redazione.esempio.it"),
];

/// Waits until the only delivery of a report is in this state and not being tried.
fn wait_state(program: &Program, editor: &Editor, report: &str, stato: &str) -> Value {
    wait_for(stato, PATIENCE, || {
        let delivery = editor.report(report)["consegne"][0].clone();
        let next = delivery["prossimoTentativo"].as_str().map(at);
        let over = next.is_none_or(|next| next > program.clock.now_ms());
        (over && delivery["stato"] == stato).then_some(delivery)
    })
}

/// Moves the clock and lets the dispatcher look at it.
fn advance(program: &Program, by: Duration) {
    program.clock.advance(by);
    program.running().tidy().expect("a round");
}

#[test]
fn a_call_is_made_as_the_settings_say_at_that_moment() {
    let (broken, whole) = (
        Receiver::answering("503 Service Unavailable"),
        Receiver::answering("204 No Content"),
    );
    let program = Program::start_with(&ALLOWED);
    let editor = program.set_up();
    editor.call(&broken.url());
    let id = submit(&program.client(), &Person::numbered(1));
    let waiting = wait_state(&program, &editor, &id, "in attesa");
    assert_eq!(waiting["ultimoErrore"], "HTTP 503: Service Unavailable");

    // Another address: what waits is not for it, unless somebody says so.
    editor.call(&whole.url());
    advance(&program, MINUTE);
    let failed = wait_state(&program, &editor, &id, "fallita");
    assert_eq!(
        failed["ultimoErrore"],
        "L'indirizzo del webhook è cambiato. Premi «Riprova» per chiamare quello nuovo."
    );
    editor.save("/settings/system", &json!({ "webhookPayload": "thin" }));
    editor.post("/deliveries/retry").expect(200);
    let delivered = wait_state(&program, &editor, &id, "consegnata");
    assert_eq!(delivered["destinatario"], whole.url());
    let (before, after) = (broken.calls(), whole.calls());
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_eq!(
        before[0].header("webhook-id"),
        after[0].header("webhook-id")
    );
    let said: Value = serde_json::from_slice(&after[0].body).expect("JSON");
    assert_eq!(said["data"]["id"], id);
    assert_eq!(said["data"]["nome"], Value::Null, "thin");
}

#[test]
fn what_was_switched_off_meanwhile_is_not_sent() {
    let (receiver, server) = (
        Receiver::answering("503 Service Unavailable"),
        MailServer::start(Manner::default()),
    );
    let program = Program::start_with(&ALLOWED);
    let editor = program.set_up();
    editor.call(&receiver.url());
    let id = submit(&program.client(), &Person::numbered(1));
    wait_state(&program, &editor, &id, "in attesa");
    editor.save("/settings/system", &json!({ "enableWebhook": false }));
    editor.mail_to(server.port());
    advance(&program, MINUTE);
    let off = wait_state(&program, &editor, &id, "fallita");
    assert_eq!(
        off["ultimoErrore"],
        "Il webhook è disattivato. Attivalo nelle impostazioni e premi «Riprova»."
    );

    let first = submit(&program.client(), &Person::numbered(2));
    wait_state(&program, &editor, &first, "consegnata");
    // One that waits for its minute.
    let second = submit(&program.client(), &Person::numbered(3));
    editor.save("/settings/email", &json!({ "emailAutoSend": false }));
    advance(&program, MINUTE);
    let off = wait_state(&program, &editor, &second, "fallita");
    assert_eq!(
        off["ultimoErrore"],
        "L'invio automatico delle e-mail è disattivato. Attivalo nelle impostazioni e premi «Riprova»."
    );
    assert_eq!((server.mails().len(), receiver.calls().len()), (1, 1));
}
