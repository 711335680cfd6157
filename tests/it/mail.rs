//! Mail on its way to the server: 'Test Email', encryption without a way round it, and every way a server can fail
//! (PRODUCT.md §5).

use std::net::TcpListener;
use std::time::Duration;

use mail_parser::MessageParser;
use segnalazioni::testing::app;
use segnalazioni::testing::clock::Manual;
use segnalazioni::testing::deliveries::email::{Encryption, Mail, Server, send, try_server};
use segnalazioni::testing::domain::delivery::Failure;
use segnalazioni::testing::http::state::Mode;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::support::authority::Authority;
use crate::support::executable;
use crate::support::http::Client;
use crate::support::panel::{self, Editor};
use crate::support::program::{Program, START, at, config, options};
use crate::support::smtp::{MailServer, Manner, PASSWORD, USER};

const TEST: &str = "/settings/email/test";
const SENT: &str = "Test email inviata con successo! Controlla la tua casella di posta.";

/// Settings that lead to a server on this machine.
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

/// A server reached without encryption.
fn server(port: u16) -> Server {
    Server {
        host: "127.0.0.1".to_owned(),
        port,
        username: USER.to_owned(),
        password: Some(Zeroizing::new(PASSWORD.to_owned())),
        encryption: Encryption::None,
        limit: Duration::from_secs(30),
    }
}

fn mail() -> Mail {
    Mail {
        from_name: "Prova".to_owned(),
        from: "tip@esempio.it".to_owned(),
        to: "redazione@esempio.it".to_owned(),
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
    let server = server(MailServer::start(manner).port());
    send(&server, &mail()).expect_err("a failure")
}

#[test]
fn a_test_mail_arrives_with_saved_and_with_unsaved_settings() {
    let program = Program::start();
    let editor = program.set_up();
    let smtp = MailServer::start(Manner::default());
    let form = settings("127.0.0.1", smtp.port(), false);
    assert_eq!(try_out(&editor, &form), sent());
    assert_eq!(editor.get("/settings/email").json()["smtpHost"], "");
    editor.put("/settings/email", &form).expect(200);
    assert_eq!(try_out(&editor, &json!({})), sent());
    // What was read, sent as it stands in the form: the password is the stored one.
    let shown = editor.get("/settings/email").json();
    assert_eq!(try_out(&editor, &shown), sent());

    let mails = smtp.mails();
    assert_eq!(mails.len(), 3);
    let mail = MessageParser::default().parse(&mails[0]).expect("a mail");
    assert_eq!(
        mail.from().unwrap().first().unwrap().address(),
        Some("tip@esempio.it")
    );
    assert_eq!(
        mail.to().unwrap().first().unwrap().address(),
        Some("redazione@esempio.it")
    );
    assert_eq!(mail.subject(), Some("PelazzAI: e-mail di prova"));
    assert_eq!(
        mail.header_raw("Auto-Submitted").map(str::trim),
        Some("auto-generated")
    );
    assert!(
        mail.body_text(0)
            .unwrap()
            .contains("e-mail di prova di PelazzAI, Le Iene")
    );
    assert!(
        mail.body_html(0)
            .unwrap()
            .contains("<strong>PelazzAI</strong>")
    );
    assert_eq!(mail.date().unwrap().to_rfc3339(), START);
}

#[test]
fn what_is_missing_is_said_and_the_stored_password_goes_to_its_own_server_only() {
    let program = Program::start();
    let editor = program.set_up();
    let incomplete = (false, "Configurazione SMTP incompleta".to_owned());
    let smtp = MailServer::start(Manner::default());
    let whole = settings("127.0.0.1", smtp.port(), false);
    for key in ["smtpHost", "smtpUsername", "smtpPassword"] {
        let mut form = whole.clone();
        form[key] = json!("");
        assert_eq!(try_out(&editor, &form), incomplete, "{key}");
    }
    for key in ["emailFrom", "emailRecipient"] {
        let mut form = whole.clone();
        form[key] = json!("");
        let (success, message) = try_out(&editor, &form);
        assert!(
            !success && message.contains("mittente e destinatario"),
            "{message}"
        );
    }
    editor.put("/settings/email", &whole).expect(200);
    let stranger = MailServer::start(Manner::default());
    for change in [
        json!({ "smtpPort": stranger.port() }),
        json!({ "smtpHost": "localhost" }),
        json!({ "smtpUsername": "altri" }),
    ] {
        assert_eq!(try_out(&editor, &change), incomplete, "{change}");
    }
    assert_eq!((smtp.visits().len(), stranger.visits().len()), (0, 0));
    assert_eq!(try_out(&editor, &json!({})), sent());
    let refused = editor
        .api("POST", TEST)
        .json(&json!({ "smtpPort": 0 }))
        .send();
    let problem = refused.problem(422, "dati-non-validi");
    assert!(problem["errors"]["smtpPort"].is_string());
}

#[test]
fn nothing_leaves_in_demonstration_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Manual::new(at(START));
    let running =
        app::start(&config(folder.path(), &[]), &options(Mode::Demo, &clock)).expect("it starts");
    let editor = Editor::log_in(&Client::new(running.address()), "dimostrazione-aperta");
    let smtp = MailServer::start(Manner::default());
    let (success, message) = try_out(&editor, &settings("127.0.0.1", smtp.port(), false));
    assert!(!success && message.contains("demo"), "{message}");
    assert!(smtp.visits().is_empty());
}

/// Tries the settings out in a process that trusts this authority.
fn try_out_trusting(authority: &Authority, form: &Value) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let set_up = executable::command(folder.path(), &["reset-password", "--stdin"]);
    assert!(executable::run(set_up, panel::PASSWORD).status.success());
    let mut command = executable::serve(folder.path());
    command.env("SSL_CERT_FILE", authority.file(folder.path()));
    let running = executable::Server::spawn(command, folder.path());
    try_out(&Editor::log_in(&running.client(), panel::PASSWORD), form)
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

    // The same server under another name, and under an authority that nobody knows.
    let (success, message) =
        try_out_trusting(&authority, &settings("127.0.0.1", smtp.port(), true));
    assert!(
        !success && message.contains("di un altro server"),
        "{message}"
    );
    let (success, message) = try_out_trusting(&Authority::new(), &form);
    assert!(
        !success && message.contains("autorità sconosciuta"),
        "{message}"
    );
    for visit in &smtp.visits()[1..] {
        assert_eq!(
            visit.commands.len(),
            visit.in_the_clear,
            "{:?}",
            visit.commands
        );
        assert!(
            !visit
                .commands
                .iter()
                .any(|command| command.starts_with("AUTH"))
        );
    }
}

#[test]
fn a_server_without_encryption_gets_neither_password_nor_mail() {
    let smtp = MailServer::start(Manner::default());
    let program = Program::start();
    let editor = program.set_up();
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
    assert_eq!(Encryption::of(true, 465), Encryption::Implicit);
    assert_eq!(Encryption::of(true, 587), Encryption::StartTls);
    assert_eq!(Encryption::of(false, 465), Encryption::None);
    let smtp = MailServer::start(Manner {
        tls: Some(Authority::new().server("127.0.0.1")),
        implicit: true,
        ..Manner::default()
    });
    let implicit = Server {
        encryption: Encryption::Implicit,
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

#[test]
fn each_refusal_is_explained_and_known_to_pass_or_to_stay() {
    for (command, answer, permanent, words) in [
        (
            "CONNECT",
            "421 4.3.2 chiuso",
            false,
            "collegamento (codice 421)",
        ),
        (
            "CONNECT",
            "554 5.7.1 via",
            true,
            "collegamento (codice 554)",
        ),
        ("EHLO", "421 4.3.2 chiuso", false, "(codice 421)"),
        (
            "AUTH",
            "535 5.7.8 no",
            true,
            "nome utente o password (codice 535)",
        ),
        (
            "AUTH",
            "454 4.7.0 dopo",
            false,
            "nome utente o password (codice 454)",
        ),
        (
            "MAIL",
            "550 5.1.8 no",
            true,
            "mittente o destinatario (codice 550)",
        ),
        ("RCPT", "550 5.1.1 chi?", true, "destinatario (codice 550)"),
        ("RCPT", "450 4.2.1 dopo", false, "destinatario (codice 450)"),
        ("DATA", "554 5.7.1 no", true, "messaggio (codice 554)"),
        (".", "451 4.3.0 disco", false, "messaggio (codice 451)"),
        (".", "552 5.3.4 grande", true, "messaggio (codice 552)"),
        (".", "", false, "prima di confermare"),
        ("MAIL", "", false, "prima di confermare"),
        ("CONNECT", "", false, "Errore di connessione"),
        (
            "CONNECT",
            "HTTP/1.1 400 Bad Request",
            false,
            "Errore di connessione",
        ),
    ] {
        let failure = failure(Manner {
            answers: vec![(command, answer)],
            ..Manner::default()
        });
        assert_eq!(
            failure.permanent, permanent,
            "{command} {answer}: {failure}"
        );
        // What the server says of addresses is not said of the message.
        let content = command == "." && !answer.is_empty() || command == "DATA";
        assert_eq!(failure.content, content, "{command} {answer}: {failure}");
        assert!(
            failure.message.contains(words),
            "{command} {answer}: {failure}"
        );
        // The server's own words could be anything.
        assert!(!failure.message.contains("disco") && !failure.message.contains("chi?"));
    }
    // The control: the same stand-in, left to behave.
    let smtp = MailServer::start(Manner::default());
    assert_eq!(send(&server(smtp.port()), &mail()), Ok(()));
    assert_eq!(smtp.mails().len(), 1);
}

#[test]
fn silent_and_dripping_servers_end_at_the_limit_of_the_whole() {
    for manner in [
        Manner {
            mute: true,
            ..Manner::default()
        },
        Manner {
            drip: true,
            ..Manner::default()
        },
    ] {
        let patient = server(MailServer::start(manner).port());
        let hasty = Server {
            limit: Duration::from_millis(300),
            ..patient
        };
        let failure = send(&hasty, &mail()).expect_err("a failure");
        assert!(
            !failure.permanent && failure.message.contains("non ha risposto entro"),
            "{failure}"
        );
    }
}

#[test]
fn a_mail_that_was_taken_has_arrived_though_nobody_answers_the_goodbye() {
    let smtp = MailServer::start(Manner {
        silent_at: Some("QUIT"),
        ..Manner::default()
    });
    assert_eq!(send(&server(smtp.port()), &mail()), Ok(()));
    assert_eq!(try_server(&server(smtp.port())), Ok(()));
    let program = Program::start();
    let editor = program.set_up();
    let form = settings("127.0.0.1", smtp.port(), false);
    assert_eq!(try_out(&editor, &form), sent());
    assert_eq!(smtp.mails().len(), 2);
    // The control: one that falls silent before it has the mail.
    let hasty = Server {
        limit: Duration::from_secs(2),
        ..server(
            MailServer::start(Manner {
                silent_at: Some("DATA"),
                ..Manner::default()
            })
            .port(),
        )
    };
    let failure = send(&hasty, &mail()).expect_err("a failure");
    assert!(!failure.permanent, "{failure}");
}

#[test]
fn names_and_ports_that_lead_nowhere_are_told_apart() {
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let failure = send(&server(port), &mail()).expect_err("a failure");
    assert!(
        failure.message.contains(&format!("porta {port}")),
        "{failure}"
    );
    // A label of 64 letters is too long for any name server to be asked about.
    let name = format!("{}.invalid", "x".repeat(64));
    let unknown = Server {
        host: name.clone(),
        ..server(port)
    };
    let failure = send(&unknown, &mail()).expect_err("a failure");
    assert!(
        !failure.permanent && failure.message.contains(&format!("«{name}»")),
        "{failure}"
    );
}

#[test]
fn a_mail_that_cannot_be_is_no_business_of_the_server() {
    let smtp = MailServer::start(Manner::default());
    for bad in ["", "redazione", "a@b.it\r\nRCPT TO:<c@d.it>", "a@b.it>"] {
        let mail = Mail {
            to: bad.to_owned(),
            ..mail()
        };
        let failure = send(&server(smtp.port()), &mail).expect_err("a failure");
        assert!(
            failure.permanent && failure.message.contains("destinatario"),
            "{failure}"
        );
    }
    let without = Server {
        password: None,
        ..server(smtp.port())
    };
    let failure = send(&without, &mail()).expect_err("a failure");
    assert!(
        failure.permanent && failure.message.contains("incompleta"),
        "{failure}"
    );
    assert!(smtp.visits().is_empty());
    // A server that asks for no login gets none.
    let open = Server {
        username: String::new(),
        password: None,
        ..server(smtp.port())
    };
    assert_eq!(send(&open, &mail()), Ok(()));
    assert!(
        !smtp.visits()[0]
            .commands
            .iter()
            .any(|command| command.starts_with("AUTH"))
    );
}
