//! Mail servers and receivers of webhooks as people report them: each row of `tests/vectors/other_sides.json` is an answer with its
//! source, what becomes of the delivery, and the sentence that the panel shows (PRODUCT.md §9). A report from outside is first a
//! row. Beside it mails that only some servers take.

use serde::Deserialize;
use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::outbox::Newsroom;
use crate::support::receiver::Receiver;
use crate::support::returning::{self, ask, report};
use crate::support::smtp::{MailServer, Manner, PASSWORD, Pace, USER, Visit};
use crate::support::{MINUTE, contains, wait_for};

const ALLOW: [(&str, &str); 1] = [("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")];

#[derive(Deserialize)]
struct Row {
    /// `mail` or `webhook`.
    kind: String,
    source: String,
    /// What is answered so: a command, `CONNECT` for the greeting, `.` for the end of a mail; `POST`.
    at: String,
    /// Empty where the connection is closed in its place.
    answer: String,
    state: String,
    said: String,
}

/// The button that tries a channel out, and what it says when all is well.
const TEST_MAIL: (&str, &str) = (
    "/settings/email/test",
    "Test email inviata con successo! Controlla la tua casella di posta.",
);
const TEST_HOOK: (&str, &str) = (
    "/settings/webhook/test",
    "Webhook testato con successo! Risposta ricevuta.",
);

/// Enters a report for which a mail goes out; answers its id.
fn entered(newsroom: &mut Newsroom) -> String {
    let account = Person::numbered(1).segnalazione;
    let entry =
        json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "lettera" });
    let made = newsroom.editor().post_json("/reports", &entry).expect(200);
    made.json()["id"].as_str().expect("an id").to_owned()
}

/// A newsroom that logs in to this server.
fn newsroom_at(server: &MailServer, variables: &[(&str, &str)]) -> Newsroom {
    let newsroom = Newsroom::sending(variables);
    newsroom.editor.mail_to(server.port());
    let login = json!({ "smtpUsername": USER, "smtpPassword": PASSWORD });
    newsroom.editor.save_email(&login);
    newsroom
}

/// Has the other side answer as each row of a kind says, and as it should afterwards; answers how often it should have taken
/// something.
fn hold(
    newsroom: &mut Newsroom,
    kind: &str,
    (test, good): (&str, &str),
    meets: impl Fn(Option<(String, String)>),
) -> usize {
    let all: Vec<Row> =
        serde_json::from_str(include_str!("../vectors/other_sides.json")).expect("the rows");
    let (mut wrong, mut taken) = (Vec::new(), 0);
    for row in all.into_iter().filter(|row| row.kind == kind) {
        newsroom.advance(MINUTE);
        meets(Some((row.at.clone(), row.answer)));
        let id = entered(newsroom);
        let delivery = newsroom.wait_settled(&id, 1);
        let reason = delivery["ultimoErrore"].as_str().unwrap_or_default();
        let found = (delivery["stato"].as_str().unwrap_or_default(), reason);
        // The button says the same.
        let tried = newsroom.editor().try_out(test, &json!({}));
        let arrived = row.state == "consegnata";
        let said = if arrived { good } else { &row.said };
        if found != (&row.state, &row.said) || tried != (arrived, said.to_owned()) {
            wrong.push(format!("{} {}: {found:?}, {tried:?}", row.source, row.at));
        }
        taken += if arrived { 2 } else { 1 };
        meets(None);
        if !arrived {
            newsroom.ask(&delivery, "retry").expect(200);
        }
        newsroom.wait_state(&id, "consegnata");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    taken
}

#[test]
fn every_mail_server_is_sent_to_waited_for_or_explained_and_nothing_is_lost() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = newsroom_at(&server, &[]);
    let taken = hold(&mut newsroom, "mail", TEST_MAIL, |row| {
        server.set(row.map_or_else(Manner::default, |(at, answer)| {
            Manner::answering(at.leak(), answer.leak())
        }));
    });
    assert_eq!(server.mails().len(), taken);
}

#[test]
fn every_receiver_is_called_once_waited_for_or_given_up_and_nothing_is_lost() {
    let receiver = Receiver::answering("204 No Content");
    let mut newsroom = Newsroom::sending(&ALLOW);
    newsroom.editor.call(&receiver.url());
    let rows = hold(&mut newsroom, "webhook", TEST_HOOK, |row| {
        receiver.set(row.map_or_else(|| NO_CONTENT.into(), |(_, answer)| answer.into_bytes()));
    });
    // Nothing is followed: each attempt is one connection.
    assert_eq!(receiver.connections(), receiver.calls().len());
    assert!(rows > 0);
}

#[test]
fn every_kind_of_mail_is_waited_for_or_given_up_alike() {
    for (at, answer, state) in [
        ("RCPT", "451 4.7.1 Try again later", "in attesa"),
        ("RCPT", "550 5.7.1 Refused by policy", "fallita"),
        ("AUTH", "535 5.7.8 no", "fallita"),
    ] {
        let server = MailServer::start(Manner::answering(at, answer));
        let mut newsroom = newsroom_at(&server, &[]);
        let confirmed = json!({ "confirmationMail": true });
        newsroom.editor.save_email(&confirmed);
        let client = newsroom.program.client();
        let (id, code) = report(&client, 1);
        ask(newsroom.editor(), &id, "Quando?").expect(200);
        let told = returning::Visit::by(&client, &code).tell("Ieri.");
        told.expect(200);
        let tried = wait_for("an attempt at each", || {
            newsroom.advance(MINUTE);
            let mut all = newsroom.of(&id);
            all.retain(|one| one["ultimoErrore"].is_string());
            (all.len() == 4).then_some(all)
        });
        let mut kinds: Vec<_> = tried.iter().map(|one| one["tipo"].to_string()).collect();
        kinds.sort();
        let names = ["conferma", "email", "messaggio", "risposta"];
        assert_eq!(kinds, names.map(|name| format!("\"{name}\"")));
        assert!(tried.iter().all(|one| one["stato"] == state), "{tried:?}");
        // Each arrives once the server is well.
        server.set(Manner::default());
        newsroom.retry_all();
        wait_for("the end", || {
            newsroom.advance(MINUTE);
            (newsroom.summary()["counters"]["delivered"] == 4).then_some(())
        });
        assert_eq!(server.mails().len(), 4, "{answer}");
    }
}

#[test]
fn a_server_that_answers_byte_by_byte_is_waited_for() {
    let server = MailServer::start(Manner {
        pace: Pace::Slow,
        ..Manner::default()
    });
    let mut newsroom = newsroom_at(&server, &[]);
    let id = entered(&mut newsroom);
    newsroom.wait_state(&id, "consegnata");
}

#[test]
fn servers_are_told_the_public_name_or_an_address() {
    for (variables, name) in [
        (&[][..], "EHLO [127.0.0.1]"),
        (
            &[("SEGNALAZIONI_PUBLIC_URL", "https://redazione.esempio.it")],
            "EHLO redazione.esempio.it",
        ),
    ] {
        let server = MailServer::start(Manner::default());
        let newsroom = newsroom_at(&server, variables);
        assert!(newsroom.editor.try_out(TEST_MAIL.0, &json!({})).0);
        assert_eq!(server.visits()[0].commands[0], name);
    }
}

/// Writes to a reporter of this address, through a server that answers EHLO so; what came of it, and the visit.
fn written_to(address: &str, greeting: &'static str) -> (String, Visit) {
    let server = MailServer::start(Manner::answering("EHLO", greeting));
    let mut newsroom = newsroom_at(&server, &[]);
    let off = json!({ "emailAutoSend": false });
    newsroom.editor.save_email(&off);
    let person = Person {
        email: address.to_owned(),
        ..Person::numbered(1)
    };
    let id = submit(&newsroom.program.client(), &person);
    ask(newsroom.editor(), &id, "Quando?").expect(200);
    let delivery = wait_for("an attempt", || {
        let delivery = newsroom.delivery(&id);
        (delivery["conclusa"].is_string()).then_some(delivery)
    });
    let reason = delivery["ultimoErrore"].as_str().unwrap_or_default();
    (reason.to_owned(), server.visits().remove(0))
}

const NO_CONTENT: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
const PLAIN: &str = "250-mail.example\r\n250 AUTH PLAIN";
const UTF8: &str = "250-mail.example\r\n250-SMTPUTF8\r\n250-8BITMIME\r\n250 AUTH PLAIN";

#[test]
fn an_address_in_another_script_is_written_to_where_the_server_can() {
    let recipient = |visit: &Visit| {
        let mut said = visit.commands.iter();
        said.find(|said| said.starts_with("RCPT")).cloned()
    };
    // The domain never needs it.
    let (reason, visit) = written_to("info@caffè.it", PLAIN);
    assert_eq!(reason, "");
    let ascii = "RCPT TO:<info@xn--caff-8oa.it>".to_owned();
    assert_eq!(recipient(&visit), Some(ascii));
    assert!(visit.mail.expect("a mail").is_ascii());

    let (reason, visit) = written_to("perché@caffè.it", UTF8);
    assert_eq!(reason, "");
    let utf8 = "RCPT TO:<perché@xn--caff-8oa.it>".to_owned();
    assert_eq!(recipient(&visit), Some(utf8));
    let mail = String::from_utf8(visit.mail.expect("a mail")).expect("UTF-8");
    contains(mail, &["To: perché@xn--caff-8oa.it\r\n"]);

    let (reason, visit) = written_to("perché@caffè.it", PLAIN);
    contains(reason, &["prima di @ (SMTPUTF8)"]);
    assert_eq!(recipient(&visit), None);
}

#[test]
fn the_newsrooms_own_addresses_may_be_in_another_script() {
    let server = MailServer::start(Manner::answering("EHLO", UTF8));
    let newsroom = newsroom_at(&server, &[]);
    let own = json!({ "emailFrom": "perché@caffè.it", "emailRecipient": "josé@caffè.it" });
    newsroom.editor.save_email(&own);
    let tried = newsroom.editor.try_out(TEST_MAIL.0, &json!({}));
    assert_eq!(tried, (true, TEST_MAIL.1.to_owned()));
    let visit = server.visits().remove(0);
    contains(
        visit.commands.join("\n"),
        &[
            "MAIL FROM:<perché@xn--caff-8oa.it> SMTPUTF8 BODY=8BITMIME",
            "RCPT TO:<josé@xn--caff-8oa.it>",
        ],
    );
    let mail = String::from_utf8(visit.mail.expect("a mail")).expect("UTF-8");
    let name = mail.lines().find(|line| line.starts_with("Message-ID:"));
    let name = name.expect("a name");
    assert!(name.ends_with("@xn--caff-8oa.it>"), "{name}");
    server.set(Manner::answering("EHLO", PLAIN));
    let (success, reason) = newsroom.editor.try_out(TEST_MAIL.0, &json!({}));
    assert!(!success);
    contains(reason, &["prima di @ (SMTPUTF8)"]);
}
