//! The webhook: 'Test Webhook', what a call carries and how it is signed, and the addresses that it never reaches
//! (PRODUCT.md §9).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::civil::date;
use segnalazioni::testing::deliveries::OutboundPolicy;
use segnalazioni::testing::deliveries::{Hook, body, post, post_through};
use segnalazioni::testing::domain::{Concern, Departments, Failure, Payload, WebhookPayload};
use serde_json::{Value, json};
use sha2::Sha256;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::support::authority::Authority;
use crate::support::executable::{self, installation};
use crate::support::panel::Editor;
use crate::support::program::{Program, START, at};
use crate::support::receiver::{Call, Receiver};
use crate::support::smtp::{MailServer, Manner};
use crate::support::{contains, has};

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

/// The signature as the Standard Webhooks specification describes it, computed here.
fn signature(secret: &str, call: &Call) -> String {
    let key = STANDARD.decode(&secret["whsec_".len()..]).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    for name in ["webhook-id", "webhook-timestamp"] {
        mac.update(format!("{}.", call.header(name).unwrap()).as_bytes());
    }
    mac.update(&call.body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[test]
fn a_test_call_carries_sample_data_the_key_and_both_signatures() {
    let program = Program::start_with(&[ALLOW]);
    let editor = program.set_up();
    let receiver = Receiver::answering("204 No Content");
    let form = json!({ "webhookUrl": receiver.url(), "webhookApiKey": "chiave-57" });
    assert_eq!(try_out(&editor, &form), (true, OK.to_owned()));
    editor.save(SYSTEM, &form);
    let secrets = [(); 2].map(|()| {
        let made = editor.post("/settings/webhook/secret").expect(200).json();
        made["secret"].as_str().expect("a secret").to_owned()
    });
    assert!(try_out(&editor, &editor.get(SYSTEM).json()).0);
    // A day later only the new one signs.
    program.clock.advance(Duration::from_hours(24));
    assert!(try_out(&program.log_in(), &json!({})).0);

    let calls = receiver.calls();
    let signed = calls.iter().map(|call| call.header("webhook-signature"));
    let both = [1, 0].map(|secret: usize| signature(&secrets[secret], &calls[1]));
    let one = signature(&secrets[1], &calls[2]);
    let expected = [None, Some(both.join(" ")), Some(one)];
    assert!(signed.eq(expected.iter().map(Option::as_deref)));
    assert_eq!(calls[0].line, "POST /gancio?x=1 HTTP/1.1");
    assert_eq!(calls[0].header("authorization"), Some("Bearer chiave-57"));
    let seconds = (at(START) / 1000).to_string();
    assert_eq!(calls[1].header("webhook-timestamp"), Some(seconds.as_str()));
    let sent: Value = serde_json::from_slice(&calls[0].body).expect("JSON");
    has(&sent, &json!({ "test": true, "timestamp": START }));
    assert!(sent["message"].is_string() && sent["data"]["nome"].is_string());
}

#[test]
fn key_and_signature_go_to_the_saved_address_only() {
    let program = Program::start_with(&[ALLOW]);
    let editor = program.set_up();
    let (own, stranger) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    editor.save(
        SYSTEM,
        &json!({ "webhookUrl": own.url(), "webhookApiKey": "chiave-57" }),
    );
    editor.post("/settings/webhook/secret").expect(200);
    for (form, receiver, given) in [
        (json!({ "webhookUrl": stranger.url() }), &stranger, false),
        (json!({}), &own, true),
    ] {
        assert!(try_out(&editor, &form).0);
        let call = receiver.calls().remove(0);
        for secret in ["authorization", "webhook-signature"] {
            assert_eq!(call.header(secret).is_some(), given, "{secret}");
        }
    }
}

#[test]
fn a_receiver_is_waited_for_no_longer_than_the_limit() {
    let limits = OutboundPolicy {
        call_limit: Duration::from_millis(400),
        ..OutboundPolicy::default()
    };
    let program = Program::start_within(&[ALLOW], limits);
    let editor = program.set_up();
    let failed = |url: String, words: &str| {
        let (success, message) = try_out(&editor, &json!({ "webhookUrl": url }));
        assert!(!success, "{message}");
        contains(message, &[words]);
    };
    failed(String::new(), "URL webhook non configurato");
    let silent = Receiver::start("");
    failed(silent.url(), "Timeout: il webhook non ha risposto entro ");
    failed("http://127.0.0.1:1/".to_owned(), "rifiuta la connessione");
}

#[test]
fn a_status_counts_though_its_body_is_endless_or_hangs() {
    let mut endless = b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n".to_vec();
    endless.resize(endless.len() + 1_000_000, b'x');
    let receiver = Receiver::start(endless);
    let status = post(&hook(&receiver.url(), &["127.0.0.0/8"]), "msg_1", 0, b"{}");
    assert_eq!(status, Ok(200));
    let hanging = Receiver::hanging("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab");
    let mut hasty = hook(&hanging.url(), &["127.0.0.0/8"]);
    hasty.policy.call_limit = Duration::from_millis(400);
    assert_eq!(post(&hasty, "msg_1", 0, b"{}"), Ok(200));
}

#[test]
fn a_receiver_without_a_certificate_that_is_known_gets_nothing() {
    let secure = MailServer::start(Manner {
        tls: Some(Authority::new().server("127.0.0.1")),
        implicit: true,
        ..Manner::default()
    });
    let plain = Receiver::answering("200 OK");
    for (port, words) in [
        (
            secure.port(),
            "certificato firmato da un'autorità sconosciuta",
        ),
        (plain.port(), "ha interrotto la connessione"),
    ] {
        let url = format!("https://127.0.0.1:{port}/");
        let failure = refused(&hook(&url, &["127.0.0.0/8"]));
        assert!(
            !failure.permanent && failure.message.contains(words),
            "{failure}"
        );
    }
    assert!(
        secure
            .visits()
            .iter()
            .all(|visit| visit.commands.is_empty())
    );
    assert_eq!(plain.calls().len(), 0);
}

#[test]
fn a_certificate_that_has_expired_is_told_from_that_of_another_server() {
    let authority = Authority::new();
    let folder = installation();
    let mut command = executable::serve(folder.path());
    command.env("SSL_CERT_FILE", authority.file(folder.path()));
    command.env(ALLOW.0, ALLOW.1);
    let running = executable::Server::spawn(command, folder.path());
    let editor = running.log_in();
    let stale = authority.server_between("127.0.0.1", date(2020, 1, 1), date(2021, 1, 1));
    for (certificate, says) in [
        (
            stale,
            "Il server del webhook non è sicuro (certificato scaduto): non è stato inviato nulla.",
        ),
        (
            authority.server("altri.example"),
            "Il server del webhook non è sicuro (il certificato è di un altro server): non è stato inviato nulla.",
        ),
    ] {
        let server = MailServer::start(Manner {
            tls: Some(certificate),
            implicit: true,
            ..Manner::default()
        });
        let url = format!("https://127.0.0.1:{}/", server.port());
        let tried = try_out(&editor, &json!({ "webhookUrl": url }));
        assert_eq!(tried, (false, says.to_owned()));
        assert!(
            server
                .visits()
                .iter()
                .all(|visit| visit.commands.is_empty())
        );
    }
}

#[test]
fn a_full_call_carries_the_report_and_a_thin_one_nothing_personal() {
    let payload = Payload {
        analysis: crate::mail_letters::read_as(Some(Concern::SelfHarm)),
        urgent: true,
        ..crate::mail_letters::payload()
    };
    let link = "https://esempio.it/paibeta/admin/reports/0b8f7a56";
    let read = |what| -> Value {
        serde_json::from_slice(&body(&payload, &Departments::default(), what, link)).expect("JSON")
    };
    let report = &payload.report;
    let full = json!({
        "id": payload.id, "nome": report.nome, "cognome": report.cognome, "telefono": report.telefono,
        "email": report.email, "indirizzo": report.indirizzo, "segnalazione": report.segnalazione,
        "eta": 47, "urgente": true, "timestamp": START,
    });
    let thin = json!({
        "id": payload.id, "department": "ambiente", "departmentName": "Ambiente/Territorio", "link": link, "urgente": true, "timestamp": START,
    });
    for (kind, data) in [(WebhookPayload::Full, full), (WebhookPayload::Thin, thin)] {
        let expected = json!({ "event": "new_report", "timestamp": START, "data": data });
        assert_eq!(read(kind), expected);
    }
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
    let port = receiver.port();
    let schemes = ["http", "https"].into_iter().cycle();
    for (host, scheme) in SPELLINGS.split(' ').zip(schemes) {
        let url = format!("{scheme}://{host}:{port}/");
        let failure = refused(&hook(&url, &[]));
        let checked = failure.permanent || failure.message.contains("non è stato trovato");
        assert!(checked, "{url}: {failure}");
    }
    let urls = "http://example.it@127.0.0.1:PORT/ http://127.0.0.1:PORT@127.0.0.1:PORT/ gopher://127.0.0.1:PORT/ \
                file://127.0.0.1:PORT/etc/passwd //127.0.0.1:PORT/ 127.0.0.1:PORT ";
    for url in urls.split(' ') {
        refused(&hook(&url.replace("PORT", &port.to_string()), &[]));
    }
    assert_eq!(receiver.connections(), 0);
    // The control: the same address, allowed by the operator. What is allowed is one network, not every private one.
    let url = format!("http://127.0.0.1:{port}/");
    let allowed = hook(&url, &["127.0.0.1/32"]);
    assert_eq!(post(&allowed, "msg_1", 0, b"{}"), Ok(200));
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

fn refused_for(hook: &Hook, names: Names, words: &str) {
    let failure = post_through(hook, "msg_1", 0, b"{}", names).expect_err("a failure");
    assert!(failure.permanent, "{failure}");
    contains(failure.message, &[words]);
}

#[test]
fn a_name_that_changes_its_address_is_connected_to_as_it_was_checked() {
    let (allowed, private) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    let at = |receiver: &Receiver, host: [u8; 4]| SocketAddr::from((host, receiver.port()));
    let first = at(&allowed, [127, 0, 0, 1]);
    let second = at(&private, [127, 0, 0, 2]);
    let hook = hook("http://gancio.example/", &["127.0.0.1/32"]);
    let names = Names::new(vec![vec![first], vec![second]]);
    let status = post_through(&hook, "msg_1", 0, b"{}", names.clone());
    assert_eq!(status, Ok(200));
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
    // The next attempt asks anew, and is refused; so is a name with one good and one bad address.
    for names in [names, Names::new(vec![vec![first, second]])] {
        refused_for(&hook, names, "outbound_allow");
    }
    assert_eq!((allowed.connections(), private.connections()), (1, 0));
}

#[test]
fn the_internet_is_reached_encrypted_only() {
    // Refused before anything is connected to: this address is never spoken to.
    let names = Names::new(vec![vec!["1.1.1.1:80".parse().expect("an address")]]);
    let hook = hook("http://gancio.example/", &[]);
    refused_for(&hook, names, "https://");
}

#[test]
fn variables_that_name_a_proxy_are_ignored() {
    let folder = installation();
    let (target, proxy) = (Receiver::answering("200 OK"), Receiver::answering("200 OK"));
    let mut command = executable::serve(folder.path());
    command.env(ALLOW.0, ALLOW.1);
    for name in "HTTP_PROXY http_proxy HTTPS_PROXY ALL_PROXY all_proxy".split(' ') {
        command.env(name, format!("http://127.0.0.1:{}", proxy.port()));
    }
    let running = executable::Server::spawn(command, folder.path());
    let editor = running.log_in();
    let result = try_out(&editor, &json!({ "webhookUrl": target.url() }));
    assert_eq!(result, (true, OK.to_owned()));
    assert_eq!((target.calls().len(), proxy.connections()), (1, 0));
}
