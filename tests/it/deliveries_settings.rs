//! Deliveries by the real transport, as the settings say at each attempt: those that the settings ask for and cannot carry out
//! yet, those that were switched off or whose address changed while they waited (PRODUCT.md §9).

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::support::chat::Person;
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner, PASSWORD, USER};
use crate::support::snapshot::table;
use crate::support::{MINUTE, contains, has, wait_for};

const NO_SERVER: &str =
    "Il server di posta non è configurato. Indicalo nelle impostazioni e premi «Riprova».";
const NO_RECIPIENT: &str =
    "Manca l'indirizzo di chi riceve le email. Indicalo nelle impostazioni e premi «Riprova».";

fn health(newsroom: &Newsroom) -> u16 {
    let client = newsroom.program.client();
    client.page("/paibeta/healthz?deliveries").status
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
    let reports = [0, 1, 2].map(|number| newsroom.report(number));
    let standing = |newsroom: &mut Newsroom, failed: i64, reason: &str| {
        wait_for(reason, || {
            let told = newsroom.delivery(&reports[0])["ultimoErrore"].clone();
            (told.as_str().unwrap_or_default() == reason).then_some(())
        });
        newsroom.wait_counters(0, failed, 3 - failed);
        let expected = json!({ "failing": failed > 0, "undelivered": failed });
        has(&newsroom.summary(), &expected);
        assert_eq!(health(newsroom), if failed > 0 { 503 } else { 200 });
    };
    standing(&mut newsroom, 3, NO_SERVER);
    assert_eq!(newsroom.delivery(&reports[0])["tentativi"], 0);
    // Another try says what is still missing.
    assert_eq!(newsroom.retry_all(), 3);
    standing(&mut newsroom, 3, NO_SERVER);
    // What is saved is tried by itself.
    for (saved, failed, reason) in [
        (json!({ "smtpHost": "127.0.0.1" }), 3, NO_RECIPIENT),
        (json!({ "emailRecipient": ADDRESS }), 0, ""),
    ] {
        newsroom.editor.save("/settings/email", &saved);
        standing(&mut newsroom, failed, reason);
    }
    assert_eq!(newsroom.delivery(&reports[0])["destinatario"], ADDRESS);
    assert_eq!(server.mails().len(), 1, "one list");
}

#[test]
fn mail_that_was_never_set_up_is_not_missed() {
    let mut newsroom = Newsroom::with(false, false);
    let id = newsroom.report(1);
    assert_eq!(newsroom.of(&id), [Value::Null; 0]);
    assert_eq!(health(&newsroom), 200);
}

/// A newsroom of several desks whose first mail, to 'altri', the server put off.
fn with_desks() -> (MailServer, Newsroom, String) {
    let server = MailServer::start(Manner::answering("RCPT", "450 4.2.1 casella occupata"));
    let mut newsroom = Newsroom::posting_to(server.port());
    let desks = json!({
        "enableDepartmentRouting": true, "routingMode": "manual", "emailFallback": "altri@esempio.it",
        "dept_lavoro_email": "lavoro@esempio.it",
    });
    newsroom.editor.save("/settings/email", &desks);
    let (id, waiting) = newsroom.reported(1, "in attesa");
    assert_eq!(waiting["destinatario"], "altri@esempio.it");
    server.set(Manner::default());
    (server, newsroom, id)
}

fn arrived(server: &MailServer) -> (String, String) {
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    let mail = MessageParser::default().parse(&mails[0]).expect("a mail");
    let text = mail.body_text(0).expect("a text").into_owned();
    (recipients(&mails[0]).concat(), text)
}

#[test]
fn waiting_mail_of_a_moved_report_keeps_its_address_until_a_retry_makes_it_anew() {
    for retried in [false, true] {
        let (server, mut newsroom, id) = with_desks();
        let moved = json!({ "department": "lavoro" });
        newsroom.editor.patch(&id, &json!(1), &moved).expect(200);
        if retried {
            let waiting = newsroom.delivery(&id);
            newsroom.ask(&waiting, "retry").expect(200);
        } else {
            newsroom.advance(MINUTE);
        }
        let delivery = newsroom.wait(&id, "consegnata", if retried { 1 } else { 2 });
        let desk = if retried { "lavoro" } else { "altri" };
        let address = format!("{desk}@esempio.it");
        let (to, text) = arrived(&server);
        assert_eq!(delivery["destinatario"], address);
        assert_eq!(to, address);
        let named = text.contains("Spostata dalla redazione");
        assert!(retried || named, "{text}");
    }
}

#[test]
fn saved_settings_make_a_waiting_mail_anew_for_the_address_of_its_desk() {
    let (server, mut newsroom, id) = with_desks();
    let to = "nuovi@esempio.it";
    let settings = json!({ "emailFallback": to });
    newsroom.editor.save("/settings/email", &settings);
    assert_eq!(newsroom.wait(&id, "consegnata", 1)["destinatario"], to);
    assert_eq!(arrived(&server).0, to);
}

/// The database is written to while the program stands, so that no 'Riprova' comes before the attempt.
#[test]
fn waiting_mail_for_an_address_on_no_list_is_put_away_when_it_is_tried() {
    let put_off =
        "Il server di posta per ora non accetta mittente o destinatario (codice 450, 4.2.1).";
    for (to, stato, reason) in [
        ("altri@esempio.it", "consegnata", Value::Null),
        ("tolto@esempio.it", "ignorata", json!(put_off)),
    ] {
        let (server, mut newsroom, id) = with_desks();
        newsroom.program.stop();
        let sql = format!("UPDATE deliveries SET destination = '{to}'");
        newsroom.program.plant(&sql);
        newsroom.program.clock.advance(MINUTE);
        newsroom.program.start_again();
        assert_eq!(newsroom.wait_state(&id, stato)["ultimoErrore"], reason);
        assert_eq!(server.mails().len(), usize::from(stato == "consegnata"));
    }
}

const ALLOWED: [(&str, &str); 2] = [
    ("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8"),
    ("SEGNALAZIONI_PUBLIC_URL", "https://redazione.esempio.it"),
];

#[test]
fn a_call_is_made_as_the_settings_say_at_that_moment() {
    let broken = Receiver::answering("503 Service Unavailable");
    let whole = Receiver::answering("204 No Content");
    let mut newsroom = Newsroom::sending(&ALLOWED);
    let editor = newsroom.editor.clone();
    editor.call(&broken.url());
    let id = newsroom.report(1);
    let waiting = newsroom.wait_state(&id, "in attesa");
    assert_eq!(waiting["ultimoErrore"], "HTTP 503: Service Unavailable");
    let counted = json!({ "pending": 1, "retrying": 1 });
    has(&newsroom.summary()["counters"], &counted);

    editor.save("/settings/system", &json!({ "webhookPayload": "thin" }));
    assert_eq!(broken.calls().len(), 1, "nothing of the way has changed");
    // Another address: what waits goes there, at once.
    editor.call(&whole.url());
    let delivered = newsroom.wait_state(&id, "consegnata");
    assert_eq!(delivered["destinatario"], whole.url());
    let [before, after] = [&broken, &whole].map(|receiver| {
        let mut calls = receiver.calls();
        assert_eq!(calls.len(), 1);
        calls.remove(0)
    });
    assert_eq!(before.header("webhook-id"), after.header("webhook-id"));
    let said: Value = serde_json::from_slice(&after.body).expect("JSON");
    assert_eq!(said["data"]["id"], id);
    assert_eq!(said["data"]["nome"], Value::Null, "thin");
}

#[test]
fn what_was_switched_off_meanwhile_is_not_sent() {
    let receiver = Receiver::answering("503 Service Unavailable");
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::sending(&ALLOWED);
    let editor = newsroom.editor.clone();
    let is_off = |newsroom: &mut Newsroom, id: &str, what: &str| {
        newsroom.advance(MINUTE);
        let off = newsroom.wait_state(id, "fallita");
        let words = format!("{what}. Attivalo nelle impostazioni e premi «Riprova».");
        assert_eq!(off["ultimoErrore"], words);
    };
    editor.call(&receiver.url());
    let id = newsroom.report(1);
    newsroom.wait_state(&id, "in attesa");
    editor.save("/settings/system", &json!({ "enableWebhook": false }));
    editor.mail_to(server.port());
    is_off(&mut newsroom, &id, "Il webhook è disattivato");

    // Switched on again, it goes without another request.
    editor.call(&Receiver::answering("204 No Content").url());
    newsroom.wait_state(&id, "consegnata");
    editor.save("/settings/system", &json!({ "enableWebhook": false }));

    let first = newsroom.report(2);
    newsroom.wait_state(&first, "consegnata");
    // One that waits for its minute.
    let second = newsroom.report(3);
    editor.save("/settings/email", &json!({ "emailAutoSend": false }));
    let what = "L'invio automatico delle email è disattivato";
    is_off(&mut newsroom, &second, what);
    assert_eq!((server.mails().len(), receiver.calls().len()), (1, 1));
}

/// What the server answers to a wrong password, and to a mailbox that it does not have.
const WRONG_PASSWORD: (&str, &str) = ("AUTH", "535 5.7.8 no");
const NOBODY: (&str, &str) = ("RCPT TO:<bruno", "550 5.1.1 no");

fn meets(server: &MailServer, answer: Option<(&'static str, &'static str)>) {
    server.set(answer.map_or_else(Manner::default, |(command, said)| {
        Manner::answering(command, said)
    }));
}

#[test]
fn mails_go_by_themselves_once_what_kept_them_is_mended() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(server.port());
    let editor = newsroom.editor.clone();
    let login = |password: &str| json!({ "smtpUsername": USER, "smtpPassword": password });
    editor.save("/settings/email", &login("sbagliata"));
    let id = newsroom.report(1);
    let reason = newsroom.wait_state(&id, "fallita")["ultimoErrore"].to_string();
    contains(reason, &["nome utente o password"]);
    // What has nothing to do with it tries nothing.
    editor.save("/settings/email", &json!({ "routingThreshold": 50 }));
    assert_eq!(newsroom.delivery(&id)["stato"], "fallita");
    editor.save("/settings/email", &login(PASSWORD));
    newsroom.wait_state(&id, "consegnata");

    // Nothing is wrong with the settings: what waits goes as soon as a test of them succeeds.
    meets(&server, Some(WRONG_PASSWORD));
    newsroom.advance(MINUTE);
    let other = newsroom.report(2);
    newsroom.wait_state(&other, "fallita");
    let counted = json!({ "failed": 1, "retrying": 0 });
    has(&newsroom.summary()["counters"], &counted);
    meets(&server, None);
    let test = "/settings/email/test";
    let unsaved = json!({ "emailFrom": "altra@esempio.it" });
    assert!(editor.try_out(test, &unsaved).0);
    assert_eq!(newsroom.delivery(&other)["stato"], "fallita");
    assert!(editor.try_out(test, &json!({})).0);
    newsroom.wait_state(&other, "consegnata");
}

#[test]
fn hundreds_are_tried_again_though_the_connection_is_gone() {
    const MANY: i64 = 350;
    let mut newsroom = Newsroom::mail();
    let editor = newsroom.editor.clone();
    editor.expects_a_flood();
    editor.save("/settings/email", &json!({ "smtpHost": "" }));
    let account = Person::numbered(1).segnalazione;
    let entry =
        json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "lettera" });
    for _ in 0..MANY {
        editor.post_json("/reports", &entry).expect(200);
    }
    newsroom.wait_counters(0, MANY, 0);
    let host = json!({ "smtpHost": "posta.esempio.it" });
    let line = editor.api("PUT", "/settings/email").json(&host).send_only();
    wait_for("the host", || {
        let saved = editor.read("/settings/email");
        (saved["smtpHost"] == host["smtpHost"]).then_some(())
    });
    drop(line);
    wait_for("another try of each", || {
        (newsroom.summary()["counters"]["failed"] == 0).then_some(())
    });
    newsroom.minutes(3);
    newsroom.wait_counters(0, 0, MANY);
    let told = newsroom.post.attempts().into_iter();
    let mut told: Vec<String> = told.flat_map(|mail| mail.reports).collect();
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
    let wrong = json!({ "dept_sanita_email": "anna@esempio.it, Bruno" });
    let refused = newsroom.editor.put("/settings/email", &wrong);
    let refused = refused.problem(422, "dati-non-validi");
    let said = refused["errors"]["dept_sanita_email"].to_string();
    contains(said, &["«Bruno»"]);
    let to = |list: &str| json!({ "emailRecipient": list, "enableDepartmentRouting": true, "routingMode": "manual" });
    let three = to("anna@esempio.it,\nbruno@esempio.it; carla@esempio.it, Anna@esempio.it");
    newsroom.editor.save("/settings/email", &three);
    meets(&server, Some(NOBODY));
    let id = newsroom.report(1);
    newsroom.wait_counters(0, 1, 2);
    let told = |newsroom: &mut Newsroom| -> String {
        table(&json!(newsroom.of(&id)), "destinatario stato").replace("@esempio.it", "")
    };
    assert_eq!(
        told(&mut newsroom),
        "anna consegnata\nbruno fallita\ncarla consegnata"
    );
    let failed = newsroom.deliveries("?stato=fallita")["data"][0].clone();
    let person = Person::numbered(1);
    let why = "La casella del destinatario non esiste (codice 550, 5.1.1). Controlla l'indirizzo.";
    let expected = json!({ "nome": person.nome, "cognome": person.cognome, "ultimoErrore": why });
    has(&failed, &expected);

    // A successor gets what did not arrive, and others nothing twice.
    let successors = to("anna@esempio.it, dario@esempio.it, elio@esempio.it");
    newsroom.editor.save("/settings/email", &successors);
    newsroom.wait_counters(0, 0, 4);
    assert_eq!(
        told(&mut newsroom),
        "anna consegnata\ndario consegnata\ncarla consegnata\nelio consegnata"
    );
    let mails = server.mails();
    let mut to: Vec<_> = mails.iter().map(|mail| recipients(mail).concat()).collect();
    to.sort();
    let expected = ["anna", "carla", "dario", "elio"].map(|name| format!("{name}@esempio.it"));
    assert_eq!(to, expected);
}

#[test]
fn address_taken_off_the_list_is_tried_no_more() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = Newsroom::posting_to(server.port());
    let save = |newsroom: &Newsroom, list: &str| {
        let to = json!({ "emailRecipient": list, "emailFallback": "" });
        newsroom.editor.save("/settings/email", &to);
    };
    save(&newsroom, "anna@esempio.it, bruno@esempio.it");
    let full = ("RCPT TO:<bruno", "450 4.2.1 casella piena");
    for (answer, pending, delivered) in [(NOBODY, 0, 1), (full, 1, 2)] {
        meets(&server, Some(answer));
        newsroom.report(1);
        newsroom.wait_counters(pending, 1, delivered);
        newsroom.advance(MINUTE);
    }
    save(&newsroom, "anna@esempio.it");
    newsroom.wait_counters(0, 0, 2);
    assert_eq!(newsroom.summary()["counters"]["ignored"], 2);
}
