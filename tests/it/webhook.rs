//! The webhook: 'Test Webhook', what a call carries and how it is signed, and the addresses that it never reaches
//! (PRODUCT.md §5).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use segnalazioni::testing::deliveries::OutboundPolicy;
use segnalazioni::testing::deliveries::webhook::{Hook, body, post, post_through};
use segnalazioni::testing::domain::care::Concern;
use segnalazioni::testing::domain::delivery::Failure;
use segnalazioni::testing::domain::payload::Payload;
use segnalazioni::testing::domain::report::Report;
use segnalazioni::testing::domain::settings::WebhookPayload;
use serde_json::{Value, json};
use sha2::Sha256;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use zeroize::Zeroizing;

use crate::support::executable;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::{Program, START, at};
use crate::support::receiver::{Call, Receiver};

const SYSTEM: &str = "/settings/system";
const TEST: &str = "/settings/webhook/test";
const ALLOW: (&str, &str) = ("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8");
const OK: &str = "Webhook testato con successo! Risposta ricevuta.";

fn try_out(editor: &Editor, body: &Value) -> (bool, String) {
    editor.try_out(TEST, body)
}

/// A hook without key and signature; `allow` is what the operator allows.
fn hook(url: &str, allow: &[&str]) -> Hook {
    Hook {
        url: url.to_owned(),
        api_key: None,
        signing: Vec::new(),
        policy: OutboundPolicy {
            allow: allow
                .iter()
                .map(|network| network.parse().expect("a network"))
                .collect(),
            call_limit: Duration::from_secs(30),
            ..OutboundPolicy::default()
        },
    }
}

fn refused(hook: &Hook) -> Failure {
    post(hook, "msg_1", 1_614_265_330, b"{}").expect_err("a failure")
}

/// The signature as the specification describes it, computed here.
fn signature(secret: &str, call: &Call) -> String {
    let key = STANDARD.decode(&secret["whsec_".len()..]).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    let (id, at) = (
        call.header("webhook-id").unwrap(),
        call.header("webhook-timestamp").unwrap(),
    );
    mac.update(
        [id.as_bytes(), b".", at.as_bytes(), b".", &call.body]
            .concat()
            .as_slice(),
    );
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[test]
fn a_test_call_carries_sample_data_the_key_and_both_signatures() {
    let program = Program::start_with(&[ALLOW]);
    let editor = program.set_up();
    let receiver = Receiver::answering("204 No Content");
    let form = json!({ "webhookUrl": receiver.url(), "webhookApiKey": "chiave-57" });
    assert_eq!(try_out(&editor, &form), (true, OK.to_owned()));
    editor.put(SYSTEM, &form).expect(200);
    let secrets: Vec<String> = (0..2)
        .map(|_| {
            let made = editor
                .api("POST", "/settings/webhook/secret")
                .send()
                .expect(200)
                .json();
            made["secret"].as_str().expect("a secret").to_owned()
        })
        .collect();
    assert_eq!(
        try_out(&editor, &editor.get(SYSTEM).json()),
        (true, OK.to_owned())
    );
    // A day later only the new one signs.
    program.clock.advance(Duration::from_hours(24));
    let editor = program.log_in();
    assert_eq!(try_out(&editor, &json!({})), (true, OK.to_owned()));

    let calls = receiver.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0].line, "POST /gancio?x=1 HTTP/1.1");
    assert_eq!(calls[0].header("authorization"), Some("Bearer chiave-57"));
    assert_eq!(calls[0].header("webhook-signature"), None);
    let sent: Value = serde_json::from_slice(&calls[0].body).expect("JSON");
    assert_eq!(
        (&sent["test"], &sent["timestamp"]),
        (&json!(true), &json!("2026-03-10T09:00:00Z"))
    );
    assert!(sent["message"].is_string() && sent["data"]["nome"].is_string());
    let both = format!(
        "{} {}",
        signature(&secrets[1], &calls[1]),
        signature(&secrets[0], &calls[1])
    );
    assert_eq!(calls[1].header("webhook-signature"), Some(both.as_str()));
    let one = signature(&secrets[1], &calls[2]);
    assert_eq!(calls[2].header("webhook-signature"), Some(one.as_str()));
    assert_eq!(
        calls[1].header("webhook-timestamp"),
        Some((at(START) / 1000).to_string().as_str())
    );
}

#[test]
fn key_and_signature_go_to_the_saved_address_only() {
    let program = Program::start_with(&[ALLOW]);
    let editor = program.set_up();
    let (own, stranger) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    let form = json!({ "webhookUrl": own.url(), "webhookApiKey": "chiave-57" });
    editor.put(SYSTEM, &form).expect(200);
    editor
        .api("POST", "/settings/webhook/secret")
        .send()
        .expect(200);
    assert!(try_out(&editor, &json!({ "webhookUrl": stranger.url() })).0);
    let call = stranger.calls().remove(0);
    assert_eq!(
        (
            call.header("authorization"),
            call.header("webhook-signature")
        ),
        (None, None)
    );
    assert!(try_out(&editor, &json!({})).0);
    let call = own.calls().remove(0);
    assert!(call.header("authorization").is_some() && call.header("webhook-signature").is_some());
}

#[test]
fn each_failure_has_its_words() {
    let limits = OutboundPolicy {
        call_limit: Duration::from_millis(400),
        ..OutboundPolicy::default()
    };
    let program = Program::start_within(&[ALLOW], limits);
    let editor = program.set_up();
    assert_eq!(
        try_out(&editor, &json!({})),
        (false, "URL webhook non configurato".to_owned())
    );
    for (answer, message) in [
        ("404 Non C'è", "HTTP 404: Not Found"),
        ("410 Gone", "HTTP 410: Gone"),
        ("500 Ahi", "HTTP 500: Internal Server Error"),
        ("599 Boh", "HTTP 599"),
        (
            "302 Found\r\nlocation: http://127.0.0.1:1/",
            "HTTP 302: Found",
        ),
    ] {
        let receiver = Receiver::answering(answer);
        let result = try_out(&editor, &json!({ "webhookUrl": receiver.url() }));
        assert_eq!(result, (false, message.to_owned()));
        assert_eq!(receiver.connections(), 1);
    }
    let silent = Receiver::start("");
    let (success, message) = try_out(&editor, &json!({ "webhookUrl": silent.url() }));
    assert!(
        !success
            && message.starts_with("Timeout: il webhook non ha risposto entro ")
            && message.ends_with(" secondi"),
        "{message}"
    );
    assert_eq!(
        OutboundPolicy::default().call_limit,
        Duration::from_secs(10)
    );
    let (success, message) = try_out(&editor, &json!({ "webhookUrl": "http://127.0.0.1:1/" }));
    assert!(
        !success && message.contains("rifiuta la connessione"),
        "{message}"
    );
}

#[test]
fn only_an_answer_that_says_so_is_permanent() {
    for (status, permanent) in [
        ("410 Gone", true),
        ("404 Not Found", false),
        ("503 Dopo", false),
    ] {
        let receiver = Receiver::answering(status);
        let failure = refused(&hook(&receiver.url(), &["127.0.0.0/8"]));
        assert_eq!(failure.permanent, permanent, "{status}");
    }
}

#[test]
fn a_redirect_is_not_followed_and_a_long_answer_not_read_to_its_end() {
    let target = Receiver::answering("200 OK");
    let location = format!("307 Temporary Redirect\r\nlocation: {}", target.url());
    let receiver = Receiver::answering(&location);
    refused(&hook(&receiver.url(), &["127.0.0.0/8"]));
    assert_eq!((receiver.connections(), target.connections()), (1, 0));
    let mut endless = b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n".to_vec();
    endless.resize(endless.len() + 1_000_000, b'x');
    let receiver = Receiver::start(endless);
    let status = post(&hook(&receiver.url(), &["127.0.0.0/8"]), "msg_1", 0, b"{}");
    assert_eq!(status, Ok(200));
}

/// The example of the specification (Standard Webhooks 1.0.0, its reference libraries' test).
#[test]
fn the_signature_is_the_published_one() {
    let receiver = Receiver::answering("200 OK");
    let mut hook = hook(&receiver.url(), &["127.0.0.1/32"]);
    let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned();
    hook.signing = vec![Zeroizing::new(key)];
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    let status = post(&hook, id, 1_614_265_330, br#"{"test": 2432232314}"#);
    assert_eq!(status, Ok(200));
    let call = receiver.calls().remove(0);
    assert_eq!(call.header("webhook-id"), Some(id));
    assert_eq!(call.header("webhook-timestamp"), Some("1614265330"));
    assert_eq!(
        call.header("webhook-signature"),
        Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    );
}

#[test]
fn a_full_call_carries_the_report_and_a_thin_one_nothing_personal() {
    let payload = Payload {
        id: "0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11".to_owned(),
        report: Report {
            eta: 47,
            nome: "Zefirina".to_owned(),
            cognome: "Rossi".to_owned(),
            telefono: "3519264708".to_owned(),
            email: "zefirina@posta.example".to_owned(),
            indirizzo: "Vicolo degli Orti 77".to_owned(),
            segnalazione: "Di notte \"falsificano\".".to_owned(),
        },
        data_creazione: at(START),
        department: "Ambiente/Territorio".to_owned(),
        department_key: "ambiente".to_owned(),
        email_recipient: "ambiente@esempio.it".to_owned(),
        routing_reason: String::new(),
        matched_keywords: Vec::new(),
        urgente: Some(Concern::SelfHarm),
        urgent: true,
    };
    let link = "https://esempio.it/paibeta/admin/reports/0b8f7a56";
    let read =
        |what| -> Value { serde_json::from_slice(&body(&payload, what, link)).expect("JSON") };
    assert_eq!(
        read(WebhookPayload::Full),
        json!({
            "event": "new_report", "timestamp": "2026-03-10T09:00:00Z",
            "data": {
                "id": payload.id, "nome": "Zefirina", "cognome": "Rossi", "telefono": "3519264708",
                "email": "zefirina@posta.example", "indirizzo": "Vicolo degli Orti 77",
                "segnalazione": "Di notte \"falsificano\".", "eta": 47, "urgente": true,
                "timestamp": "2026-03-10T09:00:00Z",
            },
        })
    );
    assert_eq!(
        read(WebhookPayload::Thin),
        json!({
            "event": "new_report", "timestamp": "2026-03-10T09:00:00Z",
            "data": {
                "id": payload.id, "department": "Ambiente/Territorio", "link": link, "urgente": true,
                "timestamp": "2026-03-10T09:00:00Z",
            },
        })
    );
}

/// Ways to write an address of this machine, of a private network, or of none.
const SPELLINGS: &str = "\
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7F.0.0.1 0x7f.1 \
    0177.0.0.1 0177.1 017700000001 00000177.0.0.1 127.0x0.0.1 127.0.0.0x1 0 0.0.0.0 0x0 00 0.0.0.1 \
    localhost LOCALHOST localhost. LocalHost. [::1] [0:0:0:0:0:0:0:1] \
    [0000:0000:0000:0000:0000:0000:0000:0001] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] \
    [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [64:ff9b::127.0.0.1] \
    [64:ff9b::7f00:1] [2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::] [fe80::1] [fec0::1] \
    [fc00::1] [fd00::1] [ff02::1] [2001:db8::1] [100::1] 10.0.0.1 10.1 0xa.0.0.1 012.0.0.1 167772161 \
    172.16.0.1 172.31.255.254 192.168.0.1 192.168.1 0xc0a80001 3232235521 169.254.169.254 2852039166 \
    0xa9fea9fe 0251.0376.0251.0376 [::ffff:169.254.169.254] 100.64.0.1 198.18.0.1 192.0.0.1 \
    192.0.2.1 203.0.113.9 224.0.0.1 239.1.2.3 240.0.0.1 255.255.255.255 4294967295";

#[test]
fn no_spelling_of_a_private_address_reaches_anybody() {
    let receiver = Receiver::answering("200 OK");
    for scheme in ["http", "https"] {
        for host in SPELLINGS.split(' ') {
            let url = format!("{scheme}://{host}:{}/", receiver.port());
            let failure = refused(&hook(&url, &[]));
            let checked = failure.permanent || failure.message.contains("non è stato trovato");
            assert!(checked, "{url}: {failure}");
        }
    }
    for url in [
        format!("http://example.it@127.0.0.1:{}/", receiver.port()),
        format!(
            "http://127.0.0.1:{}@127.0.0.1:{}/",
            receiver.port(),
            receiver.port()
        ),
        format!("gopher://127.0.0.1:{}/", receiver.port()),
        format!("file://127.0.0.1:{}/etc/passwd", receiver.port()),
        format!("//127.0.0.1:{}/", receiver.port()),
        format!("127.0.0.1:{}", receiver.port()),
        String::new(),
    ] {
        refused(&hook(&url, &[]));
    }
    assert_eq!(receiver.connections(), 0);
    // The control: the same address, allowed by the operator.
    let url = format!("http://127.0.0.1:{}/", receiver.port());
    assert_eq!(
        post(&hook(&url, &["127.0.0.1/32"]), "msg_1", 0, b"{}"),
        Ok(200)
    );
    assert_eq!(receiver.connections(), 1);
    // What is allowed is one network, not every private one.
    refused(&hook(&url, &["10.0.0.0/8"]));
    assert_eq!(receiver.connections(), 1);
}

/// Answers each look-up with the next of its addresses.
#[derive(Debug, Clone)]
struct Names {
    answers: Vec<Vec<SocketAddr>>,
    asked: Arc<AtomicUsize>,
}

impl Names {
    fn new(answers: Vec<Vec<SocketAddr>>) -> Self {
        Self {
            answers,
            asked: Arc::default(),
        }
    }
}

impl Resolver for Names {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        let mut found = self.empty();
        for address in &self.answers[turn.min(self.answers.len() - 1)] {
            found.push(*address);
        }
        Ok(found)
    }
}

#[test]
fn a_name_that_changes_its_address_is_connected_to_as_it_was_checked() {
    let (allowed, private) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    let at = |receiver: &Receiver, host: [u8; 4]| SocketAddr::from((host, receiver.port()));
    let first = at(&allowed, [127, 0, 0, 1]);
    let second = at(&private, [127, 0, 0, 2]);
    let hook = hook("http://gancio.example/", &["127.0.0.1/32"]);
    let names = Names::new(vec![vec![first], vec![second]]);
    assert_eq!(
        post_through(&hook, "msg_1", 0, b"{}", names.clone()),
        Ok(200)
    );
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
    // The next attempt asks anew, and is refused; so is a name with one good and one bad address.
    for names in [names, Names::new(vec![vec![first, second]])] {
        let failure = post_through(&hook, "msg_1", 0, b"{}", names).expect_err("a failure");
        assert!(
            failure.permanent && failure.message.contains("outbound_allow"),
            "{failure}"
        );
    }
    assert_eq!((allowed.connections(), private.connections()), (1, 0));
}

#[test]
fn the_internet_is_reached_encrypted_only() {
    // Refused before anything is connected to: this address is never spoken to.
    let names = Names::new(vec![vec!["1.1.1.1:80".parse().expect("an address")]]);
    let hook = hook("http://gancio.example/", &[]);
    let failure = post_through(&hook, "msg_1", 0, b"{}", names).expect_err("a failure");
    assert!(
        failure.permanent && failure.message.contains("https://"),
        "{failure}"
    );
}

#[test]
fn variables_that_name_a_proxy_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let set_up = executable::command(folder.path(), &["reset-password", "--stdin"]);
    assert!(executable::run(set_up, PASSWORD).status.success());
    let (target, proxy) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    let mut command = executable::serve(folder.path());
    command.env(ALLOW.0, ALLOW.1);
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env(name, format!("http://127.0.0.1:{}", proxy.port()));
    }
    let running = executable::Server::spawn(command, folder.path());
    let editor = Editor::log_in(&running.client(), PASSWORD);
    let result = try_out(&editor, &json!({ "webhookUrl": target.url() }));
    assert_eq!(result, (true, OK.to_owned()));
    assert_eq!((target.calls().len(), proxy.connections()), (1, 0));
}
