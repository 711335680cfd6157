//! Deliveries that the settings ask for and cannot carry out yet, and those whose address changed while they waited: nothing
//! is lost, and each arrives where the settings say in the end (PRODUCT.md §5).

use std::time::Duration;

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::smtp::{MailServer, Manner};

const MINUTE: Duration = Duration::from_mins(1);
const NO_SERVER: &str =
    "Il server di posta non è configurato. Indicalo nelle impostazioni e premi «Riprova».";
const NO_RECIPIENT: &str =
    "Manca l'indirizzo di chi riceve le e-mail. Indicalo nelle impostazioni e premi «Riprova».";

fn put(newsroom: &Newsroom, path: &str, body: &Value) {
    newsroom.editor.put(path, body).expect(200);
}

fn health(newsroom: &Newsroom) -> u16 {
    let client = newsroom.program.client();
    let asked = client.request("GET", "/paibeta/healthz?deliveries");
    asked.send().status
}

fn retry(newsroom: &mut Newsroom) -> Value {
    let all = newsroom.editor().post("/deliveries/retry");
    all.expect(200).json()
}

/// A newsroom with a mail server that takes everything, whose settings still lack it.
fn without_mail() -> (MailServer, Newsroom) {
    let server = MailServer::start(Manner::default());
    let newsroom = Newsroom::posting_to(server.port());
    let nothing = json!({ "smtpHost": "", "emailRecipient": "" });
    put(&newsroom, "/settings/email", &nothing);
    (server, newsroom)
}

#[test]
fn a_mail_without_a_server_is_seen_to_fail_and_arrives_once_there_is_one() {
    let (server, mut newsroom) = without_mail();
    let client = newsroom.program.client();
    let reports = [0, 1, 2].map(|number| submit(&client, &Person::numbered(number)));
    let standing = |newsroom: &mut Newsroom, failed: i64, reason: &str| {
        newsroom.wait_counters(0, failed, 3 - failed);
        let summary = newsroom.summary();
        assert_eq!(
            (&summary["failing"], &summary["undelivered"]),
            (&json!(failed > 0), &json!(failed))
        );
        assert_eq!(health(newsroom), if failed > 0 { 503 } else { 200 });
        let told = newsroom.delivery(&reports[0])["ultimoErrore"].clone();
        assert_eq!(told.as_str().unwrap_or_default(), reason);
    };
    standing(&mut newsroom, 3, NO_SERVER);
    assert_eq!(newsroom.delivery(&reports[0])["tentativi"], 0);
    // Another try says what is still missing.
    assert_eq!(retry(&mut newsroom), json!({ "retried": 3 }));
    standing(&mut newsroom, 3, NO_SERVER);
    put(
        &newsroom,
        "/settings/email",
        &json!({ "smtpHost": "127.0.0.1" }),
    );
    retry(&mut newsroom);
    standing(&mut newsroom, 3, NO_RECIPIENT);
    put(
        &newsroom,
        "/settings/email",
        &json!({ "emailRecipient": ADDRESS }),
    );
    retry(&mut newsroom);
    standing(&mut newsroom, 0, "");
    assert_eq!(newsroom.delivery(&reports[0])["destinatario"], ADDRESS);
    assert_eq!(server.mails().len(), 1, "one list");
}

#[test]
fn mail_that_is_switched_off_is_no_alarm() {
    let (_server, mut newsroom) = without_mail();
    submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.wait_counters(0, 1, 0);
    put(
        &newsroom,
        "/settings/email",
        &json!({ "emailAutoSend": false }),
    );
    submit(&newsroom.program.client(), &Person::numbered(2));
    newsroom.wait_counters(0, 1, 0);
    assert_eq!(
        (newsroom.summary()["failing"].clone(), health(&newsroom)),
        (json!(false), 200)
    );
}

#[test]
fn mail_that_nobody_began_to_set_up_is_not_missed() {
    let mut newsroom = Newsroom::with(false, false);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    assert_eq!(newsroom.of(&id), Vec::<Value>::new());
    assert_eq!(health(&newsroom), 200);
}

/// A newsroom of several desks whose first mail, to 'altri', was met so by the server.
fn with_desks(answer: (&'static str, &'static str)) -> (MailServer, Newsroom, String) {
    let server = MailServer::start(Manner {
        answers: vec![answer],
        ..Manner::default()
    });
    let mut newsroom = Newsroom::posting_to(server.port());
    let desks = json!({
        "enableDepartmentRouting": true, "routingMode": "manual", "emailFallback": "altri@esempio.it",
        "dept_lavoro_email": "lavoro@esempio.it",
    });
    put(&newsroom, "/settings/email", &desks);
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    let waiting = newsroom.wait(&id, "in attesa", 1);
    assert_eq!(waiting["destinatario"], "altri@esempio.it");
    server.set(Manner::default());
    (server, newsroom, id)
}

fn refused() -> (&'static str, &'static str) {
    ("RCPT", "450 4.2.1 casella occupata")
}

/// Recipient and text of the only mail that arrived.
fn arrived(server: &MailServer) -> (String, String) {
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    let mail = MessageParser::default().parse(&mails[0]).expect("a mail");
    let to = mail
        .to()
        .and_then(|to| to.first()?.address())
        .expect("whom");
    let text = mail.body_text(0).expect("a text").into_owned();
    (to.to_owned(), text)
}

#[test]
fn a_mail_that_waits_follows_its_report_to_another_desk() {
    let (server, mut newsroom, id) = with_desks(refused());
    let moved = json!({ "department": "lavoro" });
    newsroom.editor.patch(&id, &json!(1), &moved).expect(200);
    newsroom.advance(MINUTE);
    let delivery = newsroom.wait(&id, "consegnata", 2);
    assert_eq!(delivery["destinatario"], "lavoro@esempio.it");
    let (to, text) = arrived(&server);
    assert_eq!(to, "lavoro@esempio.it");
    assert!(text.contains("Spostata dalla redazione"), "{text}");
    // What arrived stays where it went.
    let back = json!({ "department": "sanita" });
    newsroom.editor.patch(&id, &json!(2), &back).expect(200);
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, 1);
    assert_eq!(newsroom.delivery(&id)["destinatario"], "lavoro@esempio.it");
}

#[test]
fn a_mail_that_waits_goes_to_the_address_that_the_desk_has_now() {
    let (server, mut newsroom, id) = with_desks(refused());
    put(
        &newsroom,
        "/settings/email",
        &json!({ "emailFallback": "nuovi@esempio.it" }),
    );
    let number = newsroom.delivery(&id)["id"].clone();
    let retry = newsroom
        .editor()
        .api("POST", &format!("/deliveries/{number}/retry"));
    retry.send().expect(200);
    assert_eq!(
        newsroom.wait(&id, "consegnata", 2)["destinatario"],
        "nuovi@esempio.it"
    );
    assert_eq!(arrived(&server).0, "nuovi@esempio.it");
}
