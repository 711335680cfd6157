//! What a mail says, read back from the wire by another program's parser: every field of a report, nothing that a reporter
//! could smuggle in, nothing personal in one that only announces (PRODUCT.md §9).

use insta::assert_snapshot;
use jiff::tz::TimeZone;
use mail_parser::{Message, MessageParser};
use segnalazioni::testing::deliveries::{Frame, render_digest, render_report};
use segnalazioni::testing::deliveries::{Mail, OutboundPolicy, send};
use segnalazioni::testing::domain::Concern;
use segnalazioni::testing::domain::Report;
use segnalazioni::testing::domain::{Analysis, Matter, Payload};
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
        callout: segnalazioni::testing::domain::CalloutAnswers::default(),
        data_creazione: at(START),
        analysis: Analysis {
            department: Matter::Ambiente.key(),
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
    let email = Email {
        smtp_host: "127.0.0.1".to_owned(),
        smtp_port: smtp.port().into(),
        smtp_secure: false,
        ..Email::default()
    };
    let server = OutboundPolicy::default().server(&email, None);
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

fn text(mail: &Message<'_>) -> String {
    mail.body_text(0).expect("a text").replace("\r\n", "\n")
}

fn html(mail: &Message<'_>) -> String {
    mail.body_html(0).expect("HTML").into_owned()
}

fn arrived(mail: &Mail) -> String {
    let raw = over_the_wire(mail);
    let mail = parse(&raw);
    let headers = mail.headers_raw();
    // Its boundary is another one in each mail.
    let headers = headers.filter(|(name, _)| *name != "Content-Type");
    let headers: Vec<String> = headers
        .map(|(name, value)| format!("{name}: {}", value.trim()))
        .collect();
    [
        headers.join("\n"),
        text(&mail),
        html(&mail).replace("\r\n", "\n"),
    ]
    .join("\n\n")
}

fn digest(content: EmailContent, payloads: &[Payload]) -> Mail {
    written(content, |frame| render_digest(frame, payloads, 2, 7, 3)).expect("a mail")
}

/// One report that reads as grave, one that an editor marked urgent, one whose mark an editor took back.
fn marked() -> [Payload; 3] {
    [
        (Some(Concern::SelfHarm), true),
        (None, true),
        (Some(Concern::SelfHarm), false),
    ]
    .map(|(concern, urgent)| Payload {
        analysis: read_as(concern),
        urgent,
        ..payload()
    })
}

#[test]
fn letters_say_what_the_product_says() {
    let [read, by_staff, taken_back] = marked();
    let list = [payload(), read.clone(), by_staff.clone()];
    for (content, name) in [
        (EmailContent::Completa, "completa"),
        (EmailContent::Avviso, "avviso"),
    ] {
        let calm = arrived(&report_mail(content, &payload()));
        assert_eq!(arrived(&report_mail(content, &taken_back)), calm);
        let urgent = arrived(&report_mail(content, &read));
        let marked = arrived(&report_mail(content, &by_staff));
        let digest = arrived(&digest(content, &list));
        assert_snapshot!(format!("{name}_report"), calm);
        assert_snapshot!(format!("{name}_urgent"), urgent);
        assert_snapshot!(format!("{name}_urgent_by_staff"), marked);
        assert_snapshot!(format!("{name}_digest"), digest);
    }
}

#[test]
fn notice_of_a_report_holds_nothing_personal() {
    let [read, ..] = marked();
    let content = EmailContent::Avviso;
    for mail in [report_mail(content, &read), digest(content, &[read])] {
        let whole = arrived(&mail);
        let personal =
            "Zefirina ngelo 3519264708 posta.example Orti certificati 47 autolesivo Reply-To";
        for word in personal.split(' ') {
            assert!(!whole.contains(word), "{word}: {whole}");
        }
    }
}

#[test]
fn digest_of_few_holds_long_accounts_whole_and_of_many_their_beginning() {
    let mut long = payload();
    long.report.segnalazione = format!("Inizio. {} Fine.", "parola ".repeat(5_000));
    let few = arrived(&digest(EmailContent::Completa, std::slice::from_ref(&long)));
    assert_eq!(few.matches("parola Fine.").count(), 2);
    let many = arrived(&digest(EmailContent::Completa, &vec![long; 20]));
    let found = ["Inizio.", "parola Fine."].map(|words| many.matches(words).count());
    assert_eq!(found, [40, 0]);
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
