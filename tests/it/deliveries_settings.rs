//! Deliveries by the real transport, as the settings say at each attempt: those that the settings ask for and cannot carry out
//! yet, those that were switched off or whose address changed while they waited (PRODUCT.md §9).

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::database;
use crate::support::has;
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner, PASSWORD, USER};
use crate::support::{MINUTE, wait_for};

const NO_SERVER: &str =
    "Il server di posta non è configurato. Indicalo nelle impostazioni e premi «Riprova».";
const NO_RECIPIENT: &str =
    "Manca l'indirizzo di chi riceve le e-mail. Indicalo nelle impostazioni e premi «Riprova».";

fn health(newsroom: &Newsroom) -> u16 {
    let client = newsroom.program.client();
    client.page("/paibeta/healthz?deliveries").status
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
    newsroom.editor.save("/settings/email", &nothing);
    (server, newsroom)
}

#[test]
fn a_mail_without_a_server_is_seen_to_fail_and_arrives_once_there_is_one() {
    let (server, mut newsroom) = without_mail();
    let client = newsroom.program.client();
    let reports = [0, 1, 2].map(|number| submit(&client, &Person::numbered(number)));
    let standing = |newsroom: &mut Newsroom, failed: i64, reason: &str| {
        wait_for(reason, || {
            let told = newsroom.delivery(&reports[0])["ultimoErrore"].clone();
            (told.as_str().unwrap_or_default() == reason).then_some(())
        });
        newsroom.wait_counters(0, failed, 3 - failed);
        let summary = newsroom.summary();
        has(
            &summary,
            &json!({ "failing": failed > 0, "undelivered": failed }),
        );
        assert_eq!(health(newsroom), if failed > 0 { 503 } else { 200 });
    };
    standing(&mut newsroom, 3, NO_SERVER);
    assert_eq!(newsroom.delivery(&reports[0])["tentativi"], 0);
    // Another try says what is still missing.
    assert_eq!(retry(&mut newsroom), json!({ "changed": 3 }));
    standing(&mut newsroom, 3, NO_SERVER);
    // What is saved is tried by itself.
    newsroom
        .editor
        .save("/settings/email", &json!({ "smtpHost": "127.0.0.1" }));
    standing(&mut newsroom, 3, NO_RECIPIENT);
    newsroom
        .editor
        .save("/settings/email", &json!({ "emailRecipient": ADDRESS }));
    standing(&mut newsroom, 0, "");
    assert_eq!(newsroom.delivery(&reports[0])["destinatario"], ADDRESS);
    assert_eq!(server.mails().len(), 1, "one list");
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
    newsroom.editor.save("/settings/email", &desks);
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
fn waiting_mail_of_a_moved_report_keeps_its_address_and_names_the_new_desk() {
    let (server, mut newsroom, id) = with_desks(refused());
    let moved = json!({ "department": "lavoro" });
    newsroom.editor.patch(&id, &json!(1), &moved).expect(200);
    newsroom.advance(MINUTE);
    let delivery = newsroom.wait(&id, "consegnata", 2);
    assert_eq!(delivery["destinatario"], "altri@esempio.it");
    let (to, text) = arrived(&server);
    assert_eq!(to, "altri@esempio.it");
    assert!(text.contains("Spostata dalla redazione"), "{text}");
}

#[test]
fn retry_makes_a_waiting_mail_anew_for_the_present_desk() {
    let (server, mut newsroom, id) = with_desks(refused());
    let moved = json!({ "department": "lavoro" });
    newsroom.editor.patch(&id, &json!(1), &moved).expect(200);
    let path = format!("/deliveries/{}/retry", newsroom.delivery(&id)["id"]);
    newsroom.editor().post(&path).expect(200);
    newsroom.wait(&id, "consegnata", 1);
    assert_eq!(arrived(&server).0, "lavoro@esempio.it");
}

#[test]
fn saved_settings_make_a_waiting_mail_anew_for_the_address_of_its_desk() {
    let (server, mut newsroom, id) = with_desks(refused());
    newsroom.editor.save(
        "/settings/email",
        &json!({ "emailFallback": "nuovi@esempio.it" }),
    );
    assert_eq!(
        newsroom.wait(&id, "consegnata", 1)["destinatario"],
        "nuovi@esempio.it"
    );
    assert_eq!(arrived(&server).0, "nuovi@esempio.it");
}

/// The database is written to while the program stands, so that no 'Riprova' comes before the attempt.
#[test]
fn waiting_mail_for_an_address_on_no_list_is_put_away_when_it_is_tried() {
    for (to, stato, reason) in [
        ("altri@esempio.it", "consegnata", Value::Null),
        (
            "tolto@esempio.it",
            "ignorata",
            json!("Il server di posta per ora non accetta mittente o destinatario (codice 450)."),
        ),
    ] {
        let (server, mut newsroom, id) = with_desks(refused());
        newsroom.program.stop();
        let sql = format!("UPDATE deliveries SET destination = '{to}'");
        database(newsroom.program.data())
            .execute(&sql, [])
            .expect("changed");
        newsroom.program.clock.advance(MINUTE);
        newsroom.program.start_again();
        assert_eq!(newsroom.wait_state(&id, stato)["ultimoErrore"], reason);
        assert_eq!(server.mails().len(), usize::from(stato == "consegnata"));
    }
}

/// This machine may be called.
const ALLOWED: [(&str, &str); 2] = [
    ("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8"),
    ("SEGNALAZIONI_PUBLIC_URL", "https://redazione.esempio.it"),
];

#[test]
fn a_call_is_made_as_the_settings_say_at_that_moment() {
    let (broken, whole) = (
        Receiver::answering("503 Service Unavailable"),
        Receiver::answering("204 No Content"),
    );
    let mut newsroom = Newsroom::sending(&ALLOWED);
    let (client, editor) = (newsroom.program.client(), newsroom.editor.clone());
    editor.call(&broken.url());
    let id = submit(&client, &Person::numbered(1));
    let waiting = newsroom.wait_state(&id, "in attesa");
    assert_eq!(waiting["ultimoErrore"], "HTTP 503: Service Unavailable");

    editor.save("/settings/system", &json!({ "webhookPayload": "thin" }));
    assert_eq!(broken.calls().len(), 1, "nothing of the way has changed");
    // Another address: what waits goes there, at once.
    editor.call(&whole.url());
    let delivered = newsroom.wait_state(&id, "consegnata");
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
    let mut newsroom = Newsroom::sending(&ALLOWED);
    let (client, editor) = (newsroom.program.client(), newsroom.editor.clone());
    editor.call(&receiver.url());
    let id = submit(&client, &Person::numbered(1));
    newsroom.wait_state(&id, "in attesa");
    editor.save("/settings/system", &json!({ "enableWebhook": false }));
    editor.mail_to(server.port());
    newsroom.advance(MINUTE);
    let off = newsroom.wait_state(&id, "fallita");
    assert_eq!(
        off["ultimoErrore"],
        "Il webhook è disattivato. Attivalo nelle impostazioni e premi «Riprova»."
    );

    // Whoever switches it on again need not ask for another try.
    let whole = Receiver::answering("204 No Content");
    editor.call(&whole.url());
    newsroom.wait_state(&id, "consegnata");
    editor.save("/settings/system", &json!({ "enableWebhook": false }));

    let first = submit(&client, &Person::numbered(2));
    newsroom.wait_state(&first, "consegnata");
    // One that waits for its minute.
    let second = submit(&client, &Person::numbered(3));
    editor.save("/settings/email", &json!({ "emailAutoSend": false }));
    newsroom.advance(MINUTE);
    let off = newsroom.wait_state(&second, "fallita");
    assert_eq!(
        off["ultimoErrore"],
        "L'invio automatico delle e-mail è disattivato. Attivalo nelle impostazioni e premi «Riprova»."
    );
    assert_eq!((server.mails().len(), receiver.calls().len()), (1, 1));
}

/// What the server answers to a wrong password, and to a mailbox that it does not have.
const WRONG_PASSWORD: (&str, &str) = ("AUTH", "535 5.7.8 no");
const NOBODY: (&str, &str) = ("RCPT TO:<bruno", "550 5.1.1 no");

fn meets(server: &MailServer, answer: Option<(&'static str, &'static str)>) {
    server.set(Manner {
        answers: answer.into_iter().collect(),
        ..Manner::default()
    });
}

#[test]
fn mails_go_by_themselves_once_what_kept_them_is_mended() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let login = |password: &str| json!({ "smtpUsername": USER, "smtpPassword": password });
    newsroom.editor.save("/settings/email", &login("sbagliata"));
    let id = submit(&client, &Person::numbered(1));
    let failed = newsroom.wait_state(&id, "fallita");
    assert!(
        failed["ultimoErrore"]
            .as_str()
            .unwrap()
            .contains("nome utente o password"),
        "{failed}"
    );
    // What has nothing to do with it tries nothing.
    newsroom
        .editor
        .save("/settings/email", &json!({ "routingThreshold": 50 }));
    assert_eq!(newsroom.delivery(&id)["stato"], "fallita");
    newsroom.editor.save("/settings/email", &login(PASSWORD));
    newsroom.wait_state(&id, "consegnata");

    // Nothing is wrong with the settings: what waits goes as soon as a test of them succeeds.
    meets(&server, Some(WRONG_PASSWORD));
    newsroom.advance(MINUTE);
    let other = submit(&client, &Person::numbered(2));
    newsroom.wait_state(&other, "fallita");
    let counters = newsroom.summary()["counters"].clone();
    assert_eq!(
        (&counters["failed"], &counters["retrying"]),
        (&json!(1), &json!(0))
    );
    meets(&server, None);
    let unsaved = json!({ "emailFrom": "altra@esempio.it" });
    let test = "/settings/email/test";
    assert!(newsroom.editor.try_out(test, &unsaved).0);
    assert_eq!(newsroom.delivery(&other)["stato"], "fallita");
    assert!(newsroom.editor.try_out(test, &json!({})).0);
    newsroom.wait_state(&other, "consegnata");
}

#[test]
fn thousands_are_tried_again_though_nobody_waits_for_the_answer() {
    const MANY: i64 = 350;
    let mut newsroom = Newsroom::mail();
    newsroom.editor.expects_a_flood();
    newsroom
        .editor
        .save("/settings/email", &json!({ "smtpHost": "" }));
    let account = Person::numbered(1).segnalazione;
    for _ in 0..MANY {
        let entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "lettera" });
        newsroom.editor.post_json("/reports", &entry).expect(200);
    }
    newsroom.wait_counters(0, MANY, 0);
    let saving = newsroom.editor.api("PUT", "/settings/email");
    let line = saving
        .json(&json!({ "smtpHost": "posta.esempio.it" }))
        .send_only();
    // It is saved; who saved it goes away.
    wait_for("the host", || {
        let saved = newsroom.editor.get("/settings/email").expect(200).json();
        (saved["smtpHost"] == "posta.esempio.it").then_some(())
    });
    drop(line);
    wait_for("another try of each", || {
        (newsroom.summary()["counters"]["failed"] == 0).then_some(())
    });
    newsroom.advance(MINUTE);
    newsroom.wait_counters(0, 0, MANY);
    let mut told: Vec<String> = newsroom
        .post
        .attempts()
        .into_iter()
        .flat_map(|mail| mail.reports)
        .collect();
    let all = told.len();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), all, "each once");
}

fn recipients(mail: &[u8]) -> Vec<String> {
    let mail = MessageParser::default().parse(mail).expect("a mail");
    let all = mail.to().expect("whom").iter();
    all.filter_map(|one| Some(one.address()?.to_owned()))
        .collect()
}

#[test]
fn each_address_of_a_desk_stands_by_itself() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(server.port());
    let client = newsroom.program.client();
    let wrong = json!({ "dept_sanita_email": "anna@esempio.it, Bruno" });
    let refused = newsroom.editor.put("/settings/email", &wrong);
    let refused = refused.problem(422, "dati-non-validi");
    let said = refused["errors"]["dept_sanita_email"].as_str().unwrap();
    assert!(said.contains("«Bruno»"), "{said}");
    let to = |list: &str| json!({ "emailRecipient": list, "enableDepartmentRouting": true, "routingMode": "manual" });
    let three = to("anna@esempio.it,\nbruno@esempio.it; carla@esempio.it, Anna@esempio.it");
    newsroom.editor.save("/settings/email", &three);
    meets(&server, Some(NOBODY));
    let person = Person::numbered(1);
    let id = submit(&client, &person);
    newsroom.wait_counters(0, 1, 2);
    let told = |newsroom: &mut Newsroom| -> Vec<String> {
        let rows = newsroom.of(&id).into_iter();
        let told = rows.map(|row| format!("{} {}", row["destinatario"], row["stato"]));
        told.map(|row| row.replace('"', "").replace("@esempio.it", ""))
            .collect()
    };
    assert_eq!(
        told(&mut newsroom),
        ["anna consegnata", "bruno fallita", "carla consegnata"]
    );
    let failed = newsroom.deliveries("?stato=fallita")["data"][0].clone();
    let why = "Il server di posta rifiuta mittente o destinatario (codice 550).";
    has(
        &failed,
        &json!({ "nome": person.nome, "cognome": person.cognome, "ultimoErrore": why }),
    );

    // Whoever takes his place gets what he did not, and others nothing twice.
    newsroom.editor.save(
        "/settings/email",
        &to("anna@esempio.it, dario@esempio.it, elio@esempio.it"),
    );
    newsroom.wait_counters(0, 0, 4);
    let now = [
        "anna consegnata",
        "dario consegnata",
        "carla consegnata",
        "elio consegnata",
    ];
    assert_eq!(told(&mut newsroom), now);
    let mut to: Vec<_> = server.mails().iter().map(|mail| recipients(mail)).collect();
    to.sort();
    assert_eq!(
        to,
        ["anna", "carla", "dario", "elio"].map(|name| vec![format!("{name}@esempio.it")])
    );
}

#[test]
fn whoever_is_on_the_list_no_more_is_tried_no_more() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(server.port());
    let to = |list: &str| json!({ "emailRecipient": list, "emailFallback": "" });
    newsroom
        .editor
        .save("/settings/email", &to("anna@esempio.it, bruno@esempio.it"));
    let full = ("RCPT TO:<bruno", "450 4.2.1 casella piena");
    for (answer, pending, delivered) in [(NOBODY, 0, 1), (full, 1, 2)] {
        meets(&server, Some(answer));
        submit(&newsroom.program.client(), &Person::numbered(1));
        newsroom.wait_counters(pending, 1, delivered);
        newsroom.advance(MINUTE);
    }
    newsroom
        .editor
        .save("/settings/email", &to("anna@esempio.it"));
    newsroom.wait_counters(0, 0, 2);
    assert_eq!(newsroom.summary()["counters"]["ignored"], 2);
}

#[test]
fn a_call_that_keeps_failing_is_counted_as_failing() {
    let broken = Receiver::answering("503 Service Unavailable");
    let mut newsroom = Newsroom::sending(&ALLOWED);
    newsroom.editor.call(&broken.url());
    let id = submit(&newsroom.program.client(), &Person::numbered(1));
    newsroom.wait_state(&id, "in attesa");
    let counters = newsroom.summary()["counters"].clone();
    assert_eq!(
        (&counters["pending"], &counters["retrying"]),
        (&json!(1), &json!(1))
    );
}
