//! Mail servers as people report them, beside mails that only some servers take: each row of `tests/vectors/mail_servers.json` is
//! an answer with its source, what becomes of the delivery, and the sentence that the panel shows (PRODUCT.md §9). A report from
//! outside is first a row.

use serde::Deserialize;
use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::outbox::Newsroom;
use crate::support::returning::ask;
use crate::support::smtp::{MailServer, Manner, PASSWORD, USER, Visit};
use crate::support::{MINUTE, contains, wait_for};

const TEST: &str = "/settings/email/test";
const SENT: &str = "Test email inviata con successo! Controlla la tua casella di posta.";

#[derive(Deserialize)]
struct Row {
    source: String,
    /// Command that is answered so; `CONNECT` is the greeting, `.` the end of a mail.
    command: String,
    /// Empty where the connection is closed in its place.
    answer: String,
    state: String,
    said: String,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("../vectors/mail_servers.json")).expect("the rows")
}

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

#[test]
fn every_server_is_sent_to_waited_for_or_explained_and_nothing_is_lost() {
    let server = MailServer::start(Manner::default());
    let mut newsroom = newsroom_at(&server, &[]);
    let (mut wrong, mut mails) = (Vec::new(), 0);
    for row in rows() {
        newsroom.advance(MINUTE);
        let (command, answer) = (row.command.leak(), row.answer.leak());
        server.set(Manner::answering(command, answer));
        let id = entered(&mut newsroom);
        let delivery = newsroom.wait_settled(&id, 1);
        let reason = delivery["ultimoErrore"].as_str().unwrap_or_default();
        let found = (delivery["stato"].as_str().unwrap_or_default(), reason);
        if found != (row.state.as_str(), row.said.as_str()) {
            wrong.push(format!("{}: {command} {answer}: {found:?}", row.source));
        }
        // 'Test Email' says the same.
        let tried = newsroom.editor().try_out(TEST, &json!({}));
        let sent = row.state == "consegnata";
        let expected = if sent { SENT } else { &row.said };
        if tried != (sent, expected.to_owned()) {
            wrong.push(format!("{}: the test: {tried:?}", row.source));
        }
        mails += if sent { 2 } else { 1 };
        server.set(Manner::default());
        if !sent {
            newsroom.ask(&delivery, "retry").expect(200);
        }
        newsroom.wait_state(&id, "consegnata");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(server.mails().len(), mails);
}

#[test]
fn a_server_that_answers_byte_by_byte_is_waited_for() {
    let server = MailServer::start(Manner {
        slow: true,
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
        assert!(newsroom.editor.try_out(TEST, &json!({})).0);
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
