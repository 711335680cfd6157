//! What the doctor finds out of other machines: the mail server, the webhook's server, the certificate that browsers see
//! (PRODUCT.md §15). It talks to them and sends nothing.

use std::fs;
use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use segnalazioni::testing::deliveries::OutboundPolicy;
use serde_json::{Value, json};

use crate::support::authority::Authority;
use crate::support::doctor::{Findings, ask, examined};
use crate::support::executable::command;
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::receiver::Receiver;
use crate::support::smtp::{MailServer, Manner, PASSWORD, Pace, USER};
use crate::support::{free_port, wait_for};

const MAIL: &str = "server di posta";

fn newsroom() -> (Program, Editor) {
    let (program, editor) = Program::with_editor();
    (program, editor)
}

fn mail(editor: &Editor, host: &str, port: u16, more: &Value) {
    let mut settings = json!({
        "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it", "smtpHost": host, "smtpPort": port,
        "smtpUsername": USER, "smtpPassword": PASSWORD, "smtpSecure": true, "emailAutoSend": true,
        "enableDepartmentRouting": false,
    });
    for (key, value) in more.as_object().expect("settings") {
        settings[key] = value.clone();
    }
    editor.save("/settings/email", &settings);
}

/// The doctor of the command line, beside the server; it trusts this authority.
fn asked(program: &Program, trusted: Option<&Authority>) -> (i32, Findings) {
    let mut doctor = command(program.home(), &["doctor", "--json"]);
    if let Some(authority) = trusted {
        doctor.env("SSL_CERT_FILE", authority.file(program.home()));
    }
    ask(doctor)
}

fn configure(program: &Program, lines: &str) {
    fs::write(program.home().join("config.toml"), lines).expect("written");
}

/// A server that encrypts from the first byte, as one of `https://` does.
fn encrypted(tls: std::sync::Arc<rustls::ServerConfig>) -> MailServer {
    MailServer::start(Manner {
        tls: Some(tls),
        implicit: true,
        ..Manner::default()
    })
}

#[test]
fn the_mail_server_is_asked_up_to_the_login_and_gets_no_mail() {
    let (program, editor) = newsroom();
    let authority = Authority::new();
    let smtp = MailServer::start(Manner {
        tls: Some(authority.server("localhost")),
        ..Manner::default()
    });
    mail(&editor, "localhost", smtp.port(), &json!({}));
    let found = asked(&program, Some(&authority)).1;
    found.says(MAIL, "ok", "connessione cifrata, accesso riuscito");
    let visit = smtp.visits().remove(0);
    let said = |verb: &str| visit.commands.iter().any(|said| said.starts_with(verb));
    assert!(said("AUTH") && !said("MAIL"), "{visit:?}");

    let (code, found) = asked(&program, Some(&Authority::new()));
    assert_eq!(code, 1);
    found.says(MAIL, "errore", "autorità sconosciuta");
    let wrong = json!({ "smtpPassword": "un'altra" });
    mail(&editor, "localhost", smtp.port(), &wrong);
    let found = asked(&program, Some(&authority)).1;
    found.says(MAIL, "errore", "nome utente o password (codice 535, 5.7.8)");
    assert!(smtp.mails().is_empty());
}

#[test]
fn a_mail_server_that_is_not_there_or_not_encrypted_is_named() {
    let (program, editor) = newsroom();
    let smtp = MailServer::start(Manner::default());
    let plain = json!({ "smtpSecure": false });
    for (port, more, state, words) in [
        (
            smtp.port(),
            &plain,
            "attenzione",
            "accesso riuscito; la connessione non è cifrata",
        ),
        (smtp.port(), &json!({}), "errore", "STARTTLS"),
        (free_port(), &plain, "errore", "rifiuta la connessione"),
        (1, &json!({ "emailAutoSend": false }), "ok", "disattivato"),
    ] {
        mail(&editor, "127.0.0.1", port, more);
        asked(&program, None).1.says(MAIL, state, words);
    }
    assert!(smtp.mails().is_empty());
}

#[test]
fn a_password_of_another_key_file_and_a_silent_server_are_named() {
    let way = OutboundPolicy {
        send_limit: Duration::from_millis(200),
        ..OutboundPolicy::default()
    };
    let program = Program::start_within(&[], way);
    let editor = program.set_up();
    let mute = MailServer::start(Manner {
        pace: Pace::Mute,
        ..Manner::default()
    });
    let plain = json!({ "smtpSecure": false });
    mail(&editor, "127.0.0.1", mute.port(), &plain);
    examined(&editor).says(MAIL, "errore", "non ha risposto");
    let other = Program::start();
    let key = "segnalazioni.key";
    fs::copy(other.data().join(key), program.data().join(key)).expect("copied");
    let found = examined(&editor);
    found.says("autenticità", "errore", "modificate fuori dal programma");
    found.says(MAIL, "attenzione", "non controllato");
}

#[test]
fn the_webhooks_server_is_reached_and_not_called() {
    let (program, editor) = newsroom();
    let set = |url: &str| {
        let settings = json!({ "enableWebhook": true, "webhookUrl": url });
        editor.save("/settings/system", &settings);
    };
    let says = |trusted: Option<&Authority>, state: &str, words: &str| {
        asked(&program, trusted).1.says("webhook", state, words);
    };
    let receiver = Receiver::answering("200 OK");
    set(&receiver.url());
    says(None, "errore", "rete privata");
    assert_eq!(receiver.connections(), 0);
    configure(&program, "outbound_allow = [\"127.0.0.0/8\", \"::1\"]");
    says(None, "ok", "non è stato inviato nulla");
    wait_for("the connection", || {
        (receiver.connections() == 1).then_some(())
    });
    assert!(receiver.calls().is_empty());
    set(&format!("http://127.0.0.1:{}/", free_port()));
    says(None, "errore", "rifiuta la connessione");

    let authority = Authority::new();
    let server = encrypted(authority.server("localhost"));
    set(&format!("https://localhost:{}/gancio", server.port()));
    says(Some(&authority), "ok", "il suo server risponde");
    says(Some(&Authority::new()), "errore", "autorità sconosciuta");
    let visits = server.visits();
    assert!(visits.iter().all(|visit| visit.commands.is_empty()));
}

fn public(port: u16) -> String {
    format!("public_url = \"https://localhost:{port}\"")
}

#[test]
fn the_certificate_that_browsers_see_is_read_for_its_end() {
    let name = "certificato TLS";
    let program = Program::start();
    let (home, authority) = (program.home(), Authority::new());
    let says = |state: &str, words: &str| asked(&program, None).1.says(name, state, words);
    let today = Timestamp::now()
        .to_zoned_datetime(jiff::tz::TimeZone::UTC)
        .date();
    let between = |first: i64, last: i64| {
        authority.server_between("localhost", today + first.days(), today + last.days())
    };
    for (server, state, words) in [
        (
            authority.server("localhost"),
            "ok",
            "vale fino al 01/01/4096",
        ),
        (between(-400, 5), "attenzione", "vale ancora 4 giorni"),
        // Of one that lives for days only, the last third counts.
        (between(-1, 5), "ok", "vale fino al"),
        (between(-9, 2), "attenzione", "vale ancora 1 giorno,"),
        (between(-400, -5), "errore", "certificato scaduto"),
        (
            authority.server("altrove.example"),
            "errore",
            "di un altro server",
        ),
    ] {
        let server = encrypted(server);
        configure(&program, &public(server.port()));
        asked(&program, Some(&authority)).1.says(name, state, words);
    }
    // Files of our own are read too, also where the public address cannot be reached from here.
    let unreached = public(free_port());
    configure(&program, &unreached);
    says("attenzione", "non si raggiunge");
    let files = "tls_cert = \"chain.pem\"\ntls_key = \"key.pem\"\n";
    for (until, more, state, words) in [
        (4000, unreached.as_str(), "ok", "vale fino al"),
        (4000, "", "ok", "vale fino al"),
        (2020, &unreached, "errore", "è scaduto"),
    ] {
        let (certificate, key) = authority.issue("localhost", until);
        fs::write(home.join("chain.pem"), certificate).expect("written");
        fs::write(home.join("key.pem"), key).expect("written");
        configure(&program, &format!("{files}{more}"));
        says(state, words);
    }
    fs::write(home.join("key.pem"), "").expect("written");
    says("errore", "chiave privata PEM");
    configure(&program, "insecure_http = true");
    says("attenzione", "viaggiano in chiaro");
}

#[test]
fn deliveries_that_fail_are_counted() {
    let (program, editor) = newsroom();
    let found = asked(&program, None).1;
    found.says("consegne", "ok", "nessuna fallita");
    for (answer, state, words) in [
        ("451 4.3.0 non ora", "attenzione", "vengono ritentate"),
        ("550 5.1.1 mai", "errore", "nel pannello, «Consegne»"),
    ] {
        let smtp = MailServer::start(Manner::answering("RCPT", answer));
        let plain = json!({ "smtpSecure": false });
        mail(&editor, "127.0.0.1", smtp.port(), &plain);
        let report = program.report(1);
        wait_for("the failure", || {
            let told = editor.report(&report)["consegne"][0]["ultimoErrore"].clone();
            told.is_string().then_some(())
        });
        asked(&program, None).1.says("consegne", state, words);
        program.clock.advance(Duration::from_mins(10));
    }
}
