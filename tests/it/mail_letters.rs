//! What a mail says, read back from the wire by another program's parser: every field of a report, nothing that a reporter
//! could smuggle in, nothing personal in one that only announces (PRODUCT.md §5).

use std::time::Duration;

use jiff::tz::TimeZone;
use mail_parser::{Address, Message, MessageParser};
use segnalazioni::testing::deliveries::{Encryption, Mail, Server, send};
use segnalazioni::testing::deliveries::{Frame, render_digest, render_report};
use segnalazioni::testing::domain::Concern;
use segnalazioni::testing::domain::Report;
use segnalazioni::testing::domain::{Analysis, Department, Payload};
use segnalazioni::testing::domain::{Email, EmailContent, System};

use crate::support::program::{START, at};
use crate::support::smtp::{MailServer, Manner};

const PANEL: &str = "https://segnalazioni.esempio.it/paibeta/admin/reports";

pub fn payload() -> Payload {
    Payload {
        id: "0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11".to_owned(),
        report: Report {
            eta: 47,
            nome: "Zefirina".to_owned(),
            cognome: "D'Àngelo".to_owned(),
            telefono: "3519264708".to_owned(),
            email: "zefirina@posta.example".to_owned(),
            indirizzo: "Vicolo degli Orti 77, Roccapipirozzi".to_owned(),
            segnalazione: "Di notte falsificano i certificati.\n\nINFORMAZIONI AGGIUNTIVE\nCosta 100 €, perché?".to_owned(),
        },
        data_creazione: at(START),
        analysis: Analysis {
            department: Department::Ambiente,
            reason: "Il racconto parla di certificati falsi".to_owned(),
            words: vec!["certificati".to_owned(), "rifiuti".to_owned()],
            ..Analysis::default()
        },
        attachments: Vec::new(),
        urgent: false,
    }
}

/// What the program said of it, with this concern or none.
pub fn read_as(urgente: Option<Concern>) -> Analysis {
    Analysis {
        urgente,
        ..payload().analysis
    }
}

fn email(content: EmailContent) -> Email {
    Email {
        email_from: "tip@esempio.it".to_owned(),
        email_content: content,
        email_subject: "{product} {department} {date} {id}".to_owned(),
        ..Email::default()
    }
}

/// Renders with a frame of these settings.
fn written<T>(content: EmailContent, write: impl FnOnce(&Frame<'_>) -> T) -> T {
    let (email, system) = (email(content), System::default());
    let zone = TimeZone::get("Europe/Rome").expect("a zone");
    write(&Frame {
        email: &email,
        system: &system,
        panel: PANEL,
        zone: &zone,
        to: &["ambiente@esempio.it"],
        message_id: "<consegna-7@esempio.it>",
        at_ms: at(START),
    })
}

pub fn report_mail(content: EmailContent, payload: &Payload) -> Mail {
    written(content, |frame| render_report(frame, payload)).expect("a mail")
}

/// Sends a mail over the wire and gives what arrived: one mail, byte by byte.
fn over_the_wire(mail: &Mail) -> Vec<u8> {
    let smtp = MailServer::start(Manner::default());
    let server = Server {
        host: "127.0.0.1".to_owned(),
        port: smtp.port(),
        username: String::new(),
        password: None,
        encryption: Encryption::None,
        limit: Duration::from_secs(30),
    };
    send(&server, mail).expect("it is taken");
    let visits = smtp.visits();
    assert_eq!(visits.len(), 1);
    let verbs: Vec<&str> = visits[0]
        .commands
        .iter()
        .map(|command| command.split([' ', ':']).next().expect("a verb"))
        .collect();
    assert_eq!(verbs, ["EHLO", "MAIL", "RCPT", "DATA", "QUIT"]);
    smtp.mails().remove(0)
}

fn parse(raw: &[u8]) -> Message<'_> {
    MessageParser::default().parse(raw).expect("a mail")
}

/// The text part, with one kind of line break.
fn text(mail: &Message<'_>) -> String {
    mail.body_text(0).expect("a text").replace("\r\n", "\n")
}

fn html(mail: &Message<'_>) -> String {
    mail.body_html(0).expect("HTML").into_owned()
}

#[test]
fn a_whole_mail_carries_every_field() {
    let payload = payload();
    let raw = over_the_wire(&report_mail(EmailContent::Completa, &payload));
    let mail = parse(&raw);
    assert_eq!(
        mail.subject(),
        Some("PelazzAI Ambiente/Territorio 10/03/2026 10:00 0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11")
    );
    assert_eq!(
        mail.from().unwrap().first().unwrap().name(),
        Some("PelazzAI")
    );
    let address = |header: Option<&Address<'_>>| header?.first()?.address().map(str::to_owned);
    assert_eq!(address(mail.to()).as_deref(), Some("ambiente@esempio.it"));
    assert_eq!(
        address(mail.reply_to()).as_deref(),
        Some("zefirina@posta.example")
    );
    assert_eq!(mail.message_id(), Some("consegna-7@esempio.it"));
    let report = &payload.report;
    let link = format!("{PANEL}/{}", payload.id);
    for field in [
        payload.id.as_str(),
        "47",
        &report.nome,
        &report.telefono,
        &report.email,
        &report.indirizzo,
        "Ambiente/Territorio",
        &payload.analysis.reason,
        "certificati, rifiuti",
        "10/03/2026 10:00",
        &link,
        "Costa 100 €, perché?",
    ] {
        assert!(
            text(&mail).contains(field) && html(&mail).contains(field),
            "{field}"
        );
    }
    assert!(text(&mail).contains(&report.cognome) && text(&mail).contains(&report.segnalazione));
}

#[test]
fn one_that_only_announces_holds_nothing_personal() {
    let payload = payload();
    let digest = written(EmailContent::Avviso, |frame| {
        render_digest(frame, std::slice::from_ref(&payload), 0, 0, 0)
    });
    for mail in [
        report_mail(EmailContent::Avviso, &payload),
        digest.expect("a mail"),
    ] {
        let raw = over_the_wire(&mail);
        let mail = parse(&raw);
        assert!(mail.reply_to().is_none());
        let whole = format!(
            "{} {} {}",
            mail.subject().unwrap(),
            text(&mail),
            html(&mail)
        );
        for personal in [
            "Zefirina",
            "ngelo",
            "3519264708",
            "posta.example",
            "Orti",
            "certificati",
            "47",
        ] {
            assert!(!whole.contains(personal), "{personal}");
        }
        for kept in [
            &payload.id,
            "Ambiente/Territorio",
            "10/03/2026 10:00",
            PANEL,
        ] {
            assert!(text(&mail).contains(kept), "{kept}");
        }
    }
}

/// Subject, text and HTML of a mail that arrived.
fn parts(mail: &Mail) -> [String; 3] {
    let raw = over_the_wire(mail);
    let mail = parse(&raw);
    let subject = mail.subject().expect("a subject").to_owned();
    [subject, text(&mail), html(&mail).replace("&#39;", "'")]
}

#[test]
fn an_urgent_report_says_so_and_what_it_is_only_to_who_may_read_it() {
    let kind = |urgente, urgent| Payload {
        analysis: read_as(urgente),
        urgent,
        ..payload()
    };
    let read = kind(Some(Concern::SelfHarm), true);
    let (taken_back, by_staff) = (kind(Some(Concern::SelfHarm), false), kind(None, true));
    for (content, may_read) in [
        (EmailContent::Completa, true),
        (EmailContent::Avviso, false),
    ] {
        let [subject, text, html] = parts(&report_mail(content, &read));
        assert!(subject.starts_with("[Urgente] PelazzAI"), "{subject}");
        assert!(
            text.contains("URGENTE (indicazione automatica, può sbagliare)")
                && html.contains("<strong>URGENTE</strong>")
        );
        for part in [text, html] {
            assert!(part.contains("può sbagliare"), "{part}");
            assert_eq!(part.contains("Intento autolesivo"), may_read, "{part}");
        }
        for calm in [&payload(), &taken_back] {
            let whole = parts(&report_mail(content, calm)).concat().to_lowercase();
            for word in ["urgente", "autolesivo", "sbagliare"] {
                assert!(!whole.contains(word), "{whole}");
            }
        }
        let [subject, text, html] = parts(&report_mail(content, &by_staff));
        assert!(subject.starts_with("[Urgente] "));
        for part in [text, html] {
            assert!(part.contains("(per la redazione)"), "{part}");
            assert!(!part.contains("sbagliare"), "{part}");
        }
        let list = [payload(), read.clone(), payload(), by_staff.clone()];
        let digest =
            written(content, |frame| render_digest(frame, &list, 0, 7, 3)).expect("a mail");
        let [subject, text, html] = parts(&digest);
        assert_eq!(subject, "PelazzAI: 11 nuove segnalazioni, 5 urgenti");
        let entries = text
            .lines()
            .filter(|line| line.contains("Ambiente/Territorio"));
        let urgent: Vec<bool> = entries.map(|line| line.contains("URGENTE")).collect();
        assert_eq!(urgent, [false, true, false, true]);
        assert_eq!(html.matches("Urgente: Ambiente").count(), 2);
        for part in [text, html] {
            assert_eq!(
                part.matches("Segnata come urgente dalla redazione").count(),
                1
            );
        }
    }
}

#[test]
fn a_digest_carries_of_each_report_what_a_mail_of_its_own_would() {
    let urgent = Payload {
        analysis: read_as(Some(Concern::SelfHarm)),
        urgent: true,
        ..payload()
    };
    let mut other = Payload {
        id: "un-altro".to_owned(),
        analysis: Analysis {
            reason: "Un altro motivo".to_owned(),
            words: Vec::new(),
            ..payload().analysis
        },
        ..payload()
    };
    other.report.eta = 63;
    other.report.segnalazione = format!("Inizio. {} Fine.", "parola ".repeat(5_000));
    let digest = written(EmailContent::Completa, |frame| {
        render_digest(frame, &[urgent, other], 0, 0, 0)
    });
    let [_, text, html] = parts(&digest.expect("a mail"));
    for field in [
        "47 anni",
        "63 anni",
        "Zefirina D'Àngelo",
        "3519264708",
        "zefirina@posta.example",
        "Vicolo degli Orti 77, Roccapipirozzi",
        "Motivo: Il racconto parla di certificati falsi",
        "Motivo: Un altro motivo",
        "Parole trovate: certificati, rifiuti",
        "Indizio: Intento autolesivo",
        "INFORMAZIONI AGGIUNTIVE Costa 100 €, perché?",
        "Inizio. parola",
        "parola Fine.",
    ] {
        assert!(
            text.contains(field) && html.contains(field),
            "{field}: {text}"
        );
    }
    assert_eq!(text.matches("Parole trovate").count(), 1);
    assert_eq!(text.matches("Indizio").count(), 1);
}

fn header_names(mail: &Message<'_>) -> Vec<String> {
    let mut names: Vec<String> = mail
        .headers_raw()
        .map(|(name, _)| name.to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_a_reporter_types_becomes_a_header_a_command_or_markup() {
    const ATTACK: &str = "x\r\nBcc: spia@altrove.example\r\n\r\n<script>alert(1)</script>\r\n.\r\nMAIL FROM:<a@b.example>\r\n";
    let attacked = Payload {
        report: Report {
            eta: 47,
            nome: ATTACK.to_owned(),
            cognome: "\"><img src=x onerror=alert(1)>".to_owned(),
            telefono: ATTACK.to_owned(),
            email: format!("z@posta.example{ATTACK}"),
            indirizzo: ATTACK.to_owned(),
            segnalazione: format!("{ATTACK}\n.\n..\n.inizio\nFrom qui {{{{ payload }}}}"),
        },
        analysis: Analysis {
            reason: ATTACK.to_owned(),
            words: vec![ATTACK.to_owned()],
            ..payload().analysis
        },
        ..payload()
    };
    let harmless = report_mail(EmailContent::Completa, &payload());
    let expected: Vec<String> = header_names(&parse(&over_the_wire(&harmless)))
        .into_iter()
        // An address that is none does not get answers.
        .filter(|name| name != "Reply-To")
        .collect();
    let raw = over_the_wire(&report_mail(EmailContent::Completa, &attacked));
    let mail = parse(&raw);
    assert_eq!(header_names(&mail), expected);
    assert!(mail.bcc().is_none() && mail.attachment_count() == 0);
    let (html, text) = (html(&mail), text(&mail));
    assert!(!html.contains("<script") && !html.contains("<img"));
    assert!(html.contains("&#60;script&#62;alert(1)&#60;/script&#62;"));
    // The account comes through word for word, dots at the beginning of lines included.
    let account = attacked.report.segnalazione.replace("\r\n", "\n");
    assert!(text.contains(&account), "{text}");
}

#[test]
fn an_address_in_another_script_stays_in_the_text() {
    let mut payload = payload();
    payload.report.email = "perché@città.example".to_owned();
    let raw = over_the_wire(&report_mail(EmailContent::Completa, &payload));
    let mail = parse(&raw);
    assert!(mail.reply_to().is_none());
    assert!(text(&mail).contains("perché@città.example"));
    assert!(!text(&mail).contains("Se rispondi"));
}
