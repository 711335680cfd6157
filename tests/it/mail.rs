//! Mail on its way to the server: 'Test Email', encryption without a way round it, and every way a server can fail
//! (PRODUCT.md §9).

use std::time::Duration;

use jiff::civil::date;
use mail_parser::MessageParser;
use segnalazioni::testing::deliveries::{
    Mail, OutboundPolicy, Server, SmtpEncryption, send, try_server,
};
use segnalazioni::testing::domain::{Email, Failure};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::support::authority::Authority;
use crate::support::contains;
use crate::support::executable::{self, installation};
use crate::support::panel::Editor;
use crate::support::program::{Program, START, at};
use crate::support::smtp::{MailServer, Manner, PASSWORD, Pace, USER};

const TEST: &str = "/settings/email/test";
const INCOMPLETE: &str = "Configurazione SMTP incompleta";
const SENT: &str = "Test email inviata con successo! Controlla la tua casella di posta.";

fn settings(host: &str, port: u16, secure: bool) -> Value {
    json!({
        "smtpHost": host, "smtpPort": port, "smtpUsername": USER, "smtpPassword": PASSWORD, "smtpSecure": secure,
        "emailFrom": "tip@esempio.it", "emailRecipient": "redazione@esempio.it",
    })
}

fn try_out(editor: &Editor, body: &Value) -> (bool, String) {
    editor.try_out(TEST, body)
}

fn sent() -> (bool, String) {
    (true, SENT.to_owned())
}

fn server(port: u16) -> Server {
    let email = Email {
        smtp_host: "127.0.0.1".to_owned(),
        smtp_port: port.into(),
        smtp_username: USER.to_owned(),
        smtp_secure: false,
        ..Email::default()
    };
    let password = Zeroizing::new(PASSWORD.to_owned());
    OutboundPolicy::default().server(&email, Some(password))
}

fn mail() -> Mail {
    Mail {
        from_name: "Prova".to_owned(),
        from: "tip@esempio.it".to_owned(),
        to: vec!["redazione@esempio.it".to_owned()],
        reply_to: None,
        subject: "Prova".to_owned(),
        text: "Testo".to_owned(),
        html: "<p>Testo</p>".to_owned(),
        message_id: "<1@esempio.it>".to_owned(),
        at_ms: at(START),
    }
}

/// How a server of this manner is failed by.
fn failure(manner: Manner) -> Failure {
    failure_at(&server(MailServer::start(manner).port()))
}

fn failure_at(server: &Server) -> Failure {
    send(server, &mail()).expect_err("a failure")
}

fn passes(failure: &Failure, words: &str) {
    assert!(!failure.permanent, "{failure}");
    contains(&failure.message, &[words]);
}

#[test]
fn a_test_mail_arrives_with_saved_and_with_unsaved_settings() {
    let (_program, editor) = Program::with_editor();
    let smtp = MailServer::start(Manner::default());
    let form = settings("127.0.0.1", smtp.port(), false);
    assert_eq!(try_out(&editor, &form), sent());
    assert_eq!(editor.get("/settings/email").json()["smtpHost"], "");
    editor.save("/settings/email", &form);
    assert_eq!(try_out(&editor, &json!({})), sent());
    // What was read, sent as it stands in the form: the password is the stored one.
    let shown = editor.get("/settings/email").json();
    assert_eq!(try_out(&editor, &shown), sent());

    let mails = smtp.mails();
    assert_eq!(mails.len(), 3);
    let mail = MessageParser::default().parse(&mails[0]).expect("a mail");
    let from = mail.from().and_then(|from| from.first()?.address());
    let to = mail.to().and_then(|to| to.first()?.address());
    let addresses = (Some("tip@esempio.it"), Some("redazione@esempio.it"));
    assert_eq!((from, to), addresses);
    assert_eq!(mail.subject(), Some("PelazzAI: email di prova"));
    for (name, value) in [
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
    ] {
        assert_eq!(mail.header_raw(name).map(str::trim), Some(value));
    }
    let (text, html) = (mail.body_text(0).unwrap(), mail.body_html(0).unwrap());
    contains(&text, &["email di prova di PelazzAI, Le Iene"]);
    assert!(html.contains("<strong>PelazzAI</strong>"), "{html}");
    assert_eq!(mail.date().unwrap().to_rfc3339(), START);
}

#[test]
fn a_relay_that_asks_for_no_user_is_tried_without_one() {
    let (_program, editor) = Program::with_editor();
    let smtp = MailServer::start(Manner::default());
    let mut form = settings("127.0.0.1", smtp.port(), false);
    (form["smtpUsername"], form["smtpPassword"]) = (json!(""), json!(""));
    assert_eq!(try_out(&editor, &form), sent());
    let said = smtp.visits().remove(0).commands.concat();
    assert!(!said.contains("AUTH"), "{said}");
}

#[test]
fn what_is_missing_is_said_and_the_stored_password_goes_to_its_own_server_only() {
    let (_program, editor) = Program::with_editor();
    let [smtp, stranger] = [(); 2].map(|()| MailServer::start(Manner::default()));
    let whole = settings("127.0.0.1", smtp.port(), false);
    let refused = |form: &Value, words: &str| {
        let (success, message) = try_out(&editor, form);
        assert!(!success && message.contains(words), "{form}: {message}");
    };

    for (key, words) in [
        ("smtpHost", INCOMPLETE),
        ("smtpPassword", INCOMPLETE),
        ("emailFrom", "mittente e destinatario"),
        ("emailRecipient", "mittente e destinatario"),
    ] {
        let mut form = whole.clone();
        form[key] = json!("");
        refused(&form, words);
    }
    editor.save("/settings/email", &whole);
    for change in [
        json!({ "smtpPort": stranger.port() }),
        json!({ "smtpHost": "localhost" }),
        json!({ "smtpUsername": "altri" }),
    ] {
        refused(&change, INCOMPLETE);
    }
    assert_eq!((smtp.visits().len(), stranger.visits().len()), (0, 0));
    assert_eq!(try_out(&editor, &json!({})), sent());
    let wrong = editor.post_json(TEST, &json!({ "smtpPort": 0 }));
    assert_eq!(wrong.refused_fields(), ["smtpPort"]);
}

/// Tries the settings out in a process that trusts this authority.
fn try_out_trusting(authority: &Authority, form: &Value) -> (bool, String) {
    let folder = installation();
    let mut command = executable::serve(folder.path());
    command.env("SSL_CERT_FILE", authority.file(folder.path()));
    let running = executable::Server::spawn(command, folder.path());
    try_out(&running.log_in(), form)
}

#[test]
fn a_secure_connection_is_encrypted_before_anything_is_said() {
    let authority = Authority::new();
    let smtp = MailServer::start(Manner {
        tls: Some(authority.server("localhost")),
        ..Manner::default()
    });
    let form = settings("localhost", smtp.port(), true);
    assert_eq!(try_out_trusting(&authority, &form), sent());
    let visit = smtp.visits().remove(0);
    assert_eq!(visit.in_the_clear, 2, "{:?}", &visit.commands[..2]);
    assert!(visit.commands[0].starts_with("EHLO") && visit.commands[1] == "STARTTLS");
    assert!(visit.mail.is_some());
    // The same server under another name, under an authority that nobody knows, and with a certificate of earlier.
    let other_name = settings("127.0.0.1", smtp.port(), true);
    let stale = MailServer::start(Manner {
        tls: Some(authority.server_between("localhost", date(2020, 1, 1), date(2021, 1, 1))),
        ..Manner::default()
    });
    for (authority, form, words) in [
        (&authority, &other_name, "di un altro server"),
        (&Authority::new(), &form, "autorità sconosciuta"),
        (
            &authority,
            &settings("localhost", stale.port(), true),
            "certificato scaduto",
        ),
    ] {
        let (success, message) = try_out_trusting(authority, form);
        assert!(!success && message.contains(words), "{message}");
    }
    for visit in smtp.visits()[1..].iter().chain(&stale.visits()) {
        assert_eq!(visit.commands.len(), visit.in_the_clear);
        assert!(!visit.commands.iter().any(|said| said.starts_with("AUTH")));
    }
}

#[test]
fn what_was_said_before_the_encryption_is_no_part_of_it() {
    let authority = Authority::new();
    let smtp = MailServer::start(Manner {
        tls: Some(authority.server("localhost")),
        answers: vec![("STARTTLS", "220 avanti\r\n250-intruso\r\n250 AUTH XOAUTH2")],
        ..Manner::default()
    });
    let form = settings("localhost", smtp.port(), true);
    assert_eq!(try_out_trusting(&authority, &form), sent());
}

#[test]
fn a_server_without_encryption_gets_neither_password_nor_mail() {
    let smtp = MailServer::start(Manner::default());
    let (_program, editor) = Program::with_editor();
    let (success, message) = try_out(&editor, &settings("127.0.0.1", smtp.port(), true));
    assert!(!success && message.contains("STARTTLS"), "{message}");
    // Nor does one that offers it and then refuses.
    let refusing = MailServer::start(Manner {
        tls: Some(Authority::new().server("localhost")),
        answers: vec![("STARTTLS", "454 4.7.0 non ora")],
        ..Manner::default()
    });
    let (success, message) = try_out(&editor, &settings("127.0.0.1", refusing.port(), true));
    assert!(!success && message.contains("454"), "{message}");
    for visit in [smtp.visits(), refusing.visits()].concat() {
        let said = visit.commands.join(" ");
        assert!(!said.contains("AUTH") && !said.contains("MAIL"), "{said}");
    }
    // Where encryption is switched off the same server is used as it is.
    assert_eq!(
        try_out(&editor, &settings("127.0.0.1", smtp.port(), false)),
        sent()
    );
}

#[test]
fn on_the_port_for_it_the_connection_is_encrypted_from_the_first_byte() {
    assert_eq!(SmtpEncryption::of(true, 465), SmtpEncryption::Implicit);
    assert_eq!(SmtpEncryption::of(true, 587), SmtpEncryption::StartTls);
    assert_eq!(SmtpEncryption::of(false, 465), SmtpEncryption::None);
    let smtp = MailServer::start(Manner {
        tls: Some(Authority::new().server("127.0.0.1")),
        implicit: true,
        ..Manner::default()
    });
    let implicit = Server {
        encryption: SmtpEncryption::Implicit,
        ..server(smtp.port())
    };
    // Only after a handshake can the certificate be found to be of an unknown authority.
    let failure = send(&implicit, &mail()).expect_err("a failure");
    assert!(
        failure.message.contains("autorità sconosciuta"),
        "{failure}"
    );
    assert!(smtp.visits().iter().all(|visit| visit.commands.is_empty()));
}

/// Command, answer to it, and whether it is about the message itself.
const ABOUT_CONTENT: [(&str, &str, bool); 8] = [
    (".", "552 5.3.4 grande", true),
    (".", "451 4.3.0 disco", true),
    ("DATA", "554 5.7.1 no", true),
    (".", "452 4.3.1 disco", false),
    (".", "421 4.3.2 chiuso", false),
    (".", "550 5.4.5 Daily user sending quota exceeded", false),
    (".", "554 5.2.252 SendAsDenied", false),
    ("RCPT", "550 5.1.1 chi?", false),
];

#[test]
fn a_digest_is_divided_for_what_is_said_of_a_message_alone() {
    for (command, answer, content) in ABOUT_CONTENT {
        let failure = failure(Manner::answering(command, answer));
        assert_eq!(failure.content, content, "{answer}: {failure}");
    }
    // The control: the same stand-in, left to behave.
    let smtp = MailServer::start(Manner::default());
    assert_eq!(send(&server(smtp.port()), &mail()), Ok(()));
    assert_eq!(smtp.mails().len(), 1);
}

#[test]
fn silent_and_dripping_servers_end_at_the_limit_of_the_whole() {
    for pace in [Pace::Mute, Pace::Endless] {
        let manner = Manner {
            pace,
            ..Manner::default()
        };
        let hasty = hasty(MailServer::start(manner).port());
        passes(&failure_at(&hasty), "non ha risposto entro");
    }
}

#[test]
fn a_server_that_says_nothing_at_all_may_want_another_port_or_encryption() {
    let mute = Manner {
        pace: Pace::Mute,
        ..Manner::default()
    };
    let failure = failure_at(&within(
        Duration::from_secs(2),
        MailServer::start(mute).port(),
    ));
    passes(
        &failure,
        "Controlla in «Server di posta» la porta e se la connessione è cifrata.",
    );
}

#[test]
fn a_server_that_looks_through_a_mail_is_waited_for() {
    let smtp = MailServer::start(Manner {
        looks_through: Duration::from_secs(3),
        ..Manner::default()
    });
    let patient = within(Duration::from_secs(2), smtp.port());
    assert_eq!(send(&patient, &mail()), Ok(()));
    assert_eq!(smtp.mails().len(), 1);
    // The control: one that looks for too long.
    let hurried = Server {
        end_limit: Duration::from_millis(300),
        ..patient
    };
    passes(&failure_at(&hurried), "può arrivare due volte");
}

#[test]
fn nothing_in_a_subject_begins_another_line() {
    let smtp = MailServer::start(Manner::default());
    let broken = Mail {
        subject: "Uno\u{2028}due\u{2029}tre\r\nBcc: a@b.it".to_owned(),
        ..mail()
    };
    assert_eq!(send(&server(smtp.port()), &broken), Ok(()));
    let mails = smtp.mails();
    let taken = MessageParser::default().parse(&mails[0]).expect("a mail");
    assert_eq!(taken.subject(), Some("Uno due tre  Bcc: a@b.it"));
}

/// A server whose answers have this limit.
fn within(limit: Duration, port: u16) -> Server {
    Server {
        limit,
        ..server(port)
    }
}

fn hasty(port: u16) -> Server {
    within(Duration::from_millis(300), port)
}

#[test]
fn a_mail_that_was_taken_has_arrived_though_the_goodbye_is_not_answered() {
    let silent_at = |verb| {
        MailServer::start(Manner {
            silent_at: Some(verb),
            ..Manner::default()
        })
    };
    let smtp = silent_at("QUIT");
    assert_eq!(send(&server(smtp.port()), &mail()), Ok(()));
    assert_eq!(try_server(&server(smtp.port())), Ok(()));
    assert_eq!(smtp.mails().len(), 1);
    // The control: one that falls silent before it has the mail.
    let failure = failure_at(&hasty(silent_at("DATA").port()));
    passes(&failure, "non ha risposto entro");
}

#[test]
fn names_and_ports_that_lead_nowhere_are_told_apart() {
    // A label of 64 letters is too long for any name server to be asked about.
    let name = format!("{}.invalid", "x".repeat(64));
    for (host, words) in [("127.0.0.1", "porta 1"), (&name, &format!("«{name}»"))] {
        let nowhere = Server {
            host: host.to_owned(),
            ..server(1)
        };
        passes(&failure_at(&nowhere), words);
    }
}

#[test]
fn a_mail_that_cannot_be_is_no_business_of_the_server() {
    let smtp = MailServer::start(Manner::default());
    let refused = |server: &Server, mail: &Mail, words: &str| {
        let failure = send(server, mail).expect_err("a failure");
        assert!(failure.permanent, "{failure}");
        contains(&failure.message, &[words]);
    };
    for bad in ["", "redazione", "a@b.it\r\nRCPT TO:<c@d.it>", "a@b.it>"] {
        let mail = Mail {
            to: vec![bad.to_owned()],
            ..mail()
        };
        refused(&server(smtp.port()), &mail, "destinatario");
    }
    let without = Server {
        password: None,
        ..server(smtp.port())
    };
    refused(&without, &mail(), "incompleta");
    assert!(smtp.visits().is_empty());
}
