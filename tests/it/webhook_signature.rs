//! The signature of the webhook as others check it: with the public library of the Standard Webhooks specification, over
//! the wire, while a key is being replaced (PRODUCT.md §5).

use std::time::Duration;

use segnalazioni::clock::Clock;
use serde_json::json;
use standardwebhooks::Webhook;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use crate::support::chat::{Person, submit};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::receiver::{Call, Receiver};
use crate::support::wait_for;

/// Long enough for the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn new_key(editor: &Editor) -> String {
    let made = editor.api("POST", "/settings/webhook/secret").send();
    let made = made.expect(200).json();
    made["secret"].as_str().expect("a secret").to_owned()
}

fn headers(call: &Call) -> HeaderMap {
    let named = call.headers.iter().map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
        (name, HeaderValue::from_str(value).expect("a value"))
    });
    named.collect()
}

/// Whether the library takes the call for one signed with this key.
fn verifies(key: &str, body: &[u8], headers: &HeaderMap) -> bool {
    let webhook = Webhook::new(key).expect("a key");
    webhook.verify(body, headers).is_ok()
}

#[test]
fn the_public_library_takes_both_keys_while_one_replaces_the_other_and_nothing_altered() {
    let receiver = Receiver::answering("204 No Content");
    let program = Program::start_with(&[("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")]);
    program.set_up();
    // The library looks at the real clock, and allows five minutes.
    program.clock.set(Clock::System.now_ms());
    let editor = program.log_in();
    let settings = json!({ "enableWebhook": true, "webhookUrl": receiver.url() });
    editor.put("/settings/system", &settings).expect(200);
    let keys = [new_key(&editor), new_key(&editor)];
    submit(&program.client(), &Person::numbered(1));
    let call = wait_for("a call", PATIENCE, || receiver.calls().into_iter().next());
    let headers = headers(&call);
    let body = call.body;
    for key in &keys {
        assert!(verifies(key, &body, &headers));
    }

    // The controls: a key that never signed, and one bit flipped anywhere.
    assert!(!verifies(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        &body,
        &headers
    ));
    for place in [0, body.len() / 2, body.len() - 1] {
        let mut flipped = body.clone();
        flipped[place] ^= 1;
        assert!(!verifies(&keys[0], &flipped, &headers), "byte {place}");
    }
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut altered = headers.clone();
        let value = altered.get(name).expect(name).to_str().expect("a text");
        let last = if value.ends_with('1') { '2' } else { '1' };
        // Of the signatures the older key's comes last: both keys are asked, so that one of them must not be found.
        let other = format!("{}{last}", &value[..value.len() - 1]);
        altered.insert(name, HeaderValue::from_str(&other).expect("a value"));
        let taken = keys.iter().filter(|key| verifies(key, &body, &altered));
        let expected = usize::from(name == "webhook-signature");
        assert_eq!(taken.count(), expected, "{name}");
    }

    // A day later the old key signs no more.
    program.clock.advance(Duration::from_hours(24));
    let editor = program.log_in();
    let tried = editor.try_out("/settings/webhook/test", &json!({}));
    assert!(tried.0, "{}", tried.1);
    let later = receiver.calls().remove(1);
    let signatures = later.header("webhook-signature").expect("a signature");
    assert_eq!(signatures.split(' ').count(), 1);
}
