//! Writes the mails (PRODUCT.md §9). The wording lives in `templates/`.
//! It must never put what a reporter typed into a header or, unescaped, into HTML; nothing of it into a mail that announces.

use std::borrow::Cow;

use askama::Template;
use jiff::tz::TimeZone;

use super::email::Mail;
use crate::domain::calendar::shown;
use crate::domain::care::Concern;
use crate::domain::delivery::{DeliveryKind, Failure};
use crate::domain::fields::{ascii_email, is_mailbox};
use crate::domain::media::attachment::summary;
use crate::domain::moment::timestamp;
use crate::domain::notice::Waiting;
use crate::domain::payload::Payload;
use crate::domain::phrases::fill;
use crate::domain::report::Report;
use crate::domain::settings::{Email, EmailContent, System};
use crate::domain::text::{self, counted};

/// As much of an account as a digest shows at least, in characters.
const EXCERPT: usize = 300;
/// As much of all accounts together as a digest shows, in characters: far below what mail servers take in one mail.
const EXCERPTS: usize = 200_000;
/// Begins the subject of an urgent report, so that a list of mails shows it.
const URGENT: &str = "[Urgente] ";

pub struct Frame<'a> {
    pub email: &'a Email,
    pub system: &'a System,
    /// Address of the list of reports in the panel; with `/` and an id behind it that of a report.
    pub panel: &'a str,
    pub zone: &'a TimeZone,
    pub to: &'a [&'a str],
    /// Its name, `<…@…>`.
    pub message_id: &'a str,
    /// When it is written; milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

impl Frame<'_> {
    fn department<'a>(&'a self, payload: &'a Payload) -> &'a str {
        self.email.departments.name(&payload.analysis.department)
    }
}

pub fn render_report(frame: &Frame<'_>, payload: &Payload) -> Result<Mail, Failure> {
    let item = LetterEntry::new(frame, payload, 0);
    let values = [
        ("id", &*payload.id),
        ("department", frame.department(payload)),
        ("product", &frame.system.product_name),
        ("date", &item.date),
    ];
    let mut subject = fill(&frame.email.email_subject, &values);
    if item.urgent {
        subject.insert_str(0, URGENT);
    }
    let reply_to = item.answers.then(|| payload.report.email.clone());
    mail(frame, subject, reply_to, report_parts(frame, &item))
}

/// One mail that lists several reports, and counts those set aside, those without room, and the urgent ones among these.
pub fn render_digest(
    frame: &Frame<'_>,
    payloads: &[Payload],
    aside: usize,
    unlisted: usize,
    urgent: usize,
) -> Result<Mail, Failure> {
    let share = (EXCERPTS / payloads.len().max(1)).max(EXCERPT);
    let reports: Vec<LetterEntry<'_>> = payloads
        .iter()
        .map(|payload| LetterEntry::new(frame, payload, share))
        .collect();
    let listed = reports.iter().filter(|report| report.urgent);
    let heading = heading(reports.len() + aside + unlisted, listed.count() + urgent);
    let subject = format!("{}: {heading}", frame.system.product_name);
    let parts = digest_parts(frame, &heading, &rest(aside, unlisted), &reports);
    mail(frame, subject, None, parts)
}

fn heading(all: usize, urgent: usize) -> String {
    let all = counted(all, "nuova segnalazione", "nuove segnalazioni");
    match urgent {
        0 => all,
        n => format!("{all}, {}", counted(n, "urgente", "urgenti")),
    }
}

fn rest(aside: usize, unlisted: usize) -> String {
    let aside = match aside {
        0 => String::new(),
        1 => "1 messa da parte come sospetta".to_owned(),
        n => format!("{n} messe da parte come sospette, perché quasi uguali tra loro"),
    };
    let unlisted = match unlisted {
        0 => String::new(),
        1 => "1 altra".to_owned(),
        n => format!("altre {n}"),
    };
    match (aside.as_str(), unlisted.as_str()) {
        ("", "") => String::new(),
        ("", one) | (one, "") => format!("Solo nel pannello: {one}."),
        _ => format!("Solo nel pannello: {aside}; {unlisted}."),
    }
}

/// A mail that says only that there is something: to the newsroom that reporters have written, to a reporter that there is an
/// answer or that the report has arrived. `follow` is where reporters come back.
pub fn render_notice(
    frame: &Frame<'_>,
    kind: DeliveryKind,
    payloads: &[Payload],
    follow: &str,
) -> Result<Mail, Failure> {
    let (subject, sentence) = match kind {
        DeliveryKind::Reply => ("C'è una risposta".to_owned(), REPLY),
        DeliveryKind::Confirmation => {
            ("Abbiamo ricevuto il tuo messaggio".to_owned(), CONFIRMATION)
        }
        _ => (written(&frame.system.product_name, payloads.len()), WRITTEN),
    };
    let links: Vec<String> = if kind.to_reporter() {
        let receipts = frame.system.receipts_enabled;
        receipts.then(|| follow.to_owned()).into_iter().collect()
    } else {
        let link = |payload: &Payload| format!("{}/{}", frame.panel, payload.id);
        payloads.iter().map(link).collect()
    };
    let parts = notice_parts(frame, &[sentence.to_owned()], &links, &kind.to_reporter());
    mail(frame, subject, None, parts)
}

const LINK: &str = "Per ricevere qui gli avvisi del pannello apri questo link, entro 72 ore. Se non li hai chiesti tu, non fare nulla.";
const REPLY: &str = "La redazione ti ha scritto. Il messaggio non è in questa email: si legge con il codice della tua ricevuta.";
const CONFIRMATION: &str = "Quello che ci hai inviato è arrivato alla redazione.";
const WRITTEN: &str = "Chi ha inviato una segnalazione ha scritto alla redazione. Il messaggio si legge nel pannello.";

fn written(product: &str, count: usize) -> String {
    match count {
        1 => format!("{product}: un messaggio da chi ha segnalato"),
        n => format!("{product}: messaggi su {n} segnalazioni"),
    }
}

/// A mail that says how much waits for whom it goes to, and no more.
pub fn render_waiting(frame: &Frame<'_>, waiting: &Waiting, list: &str) -> Result<Mail, Failure> {
    let urgent = if waiting.urgent > 0 { URGENT } else { "" };
    let subject = format!("{urgent}{}: che cosa ti aspetta", frame.system.product_name);
    let parts = notice_parts(frame, &waiting.sentences(), &[list.to_owned()], &false);
    mail(frame, subject, None, parts)
}

/// The mail by which a person says that an address is theirs.
pub fn render_link(frame: &Frame<'_>, link: &str) -> Result<Mail, Failure> {
    let subject = format!("{}: conferma il tuo indirizzo", frame.system.product_name);
    let parts = notice_parts(frame, &[LINK.to_owned()], &[link.to_owned()], &false);
    mail(frame, subject, None, parts)
}

pub fn render_test(frame: &Frame<'_>) -> Result<Mail, Failure> {
    let date = shown(timestamp(frame.at_ms), frame.zone);
    let subject = format!("{}: email di prova", frame.system.product_name);
    mail(frame, subject, None, test_parts(frame, &date))
}

struct LetterEntry<'a> {
    id: &'a str,
    department: &'a str,
    date: String,
    link: String,
    /// Whether it counts as urgent. That is no personal data: it names neither who nor what.
    urgent: bool,
    /// Whether that is an editor's word, not the program's hint.
    by_staff: bool,
    /// How many files came with it, of which kinds and sizes; empty where none did.
    attachments: String,
    /// Its content; `None` in a mail that only announces a report.
    content: Option<LetterContent<'a>>,
    answers: bool,
}

struct LetterContent<'a> {
    report: &'a Report,
    lines: Vec<(&'a str, Cow<'a, str>)>,
    /// The concern that the wording suggests; empty for none.
    concern: &'static str,
    reason: &'a str,
    words: String,
    excerpt: String,
}

impl<'a> LetterEntry<'a> {
    /// `share` is as much of the account as a list shows.
    fn new(frame: &'a Frame<'_>, payload: &'a Payload, share: usize) -> Self {
        let whole = frame.email.email_content == EmailContent::Completa;
        let answers = payload.callout.risposte.iter();
        let answers = answers.map(|one| (&*one.question, Cow::from(&one.text)));
        let fields = payload.report.fields().into_iter().chain(answers);
        Self {
            id: &payload.id,
            department: frame.department(payload),
            date: shown(timestamp(payload.data_creazione), frame.zone),
            link: format!("{}/{}", frame.panel, payload.id),
            urgent: payload.urgent,
            attachments: if payload.attachments.is_empty() {
                String::new()
            } else {
                summary(&payload.attachments)
            },
            by_staff: payload.urgent && payload.concern().is_none(),
            content: whole.then(|| LetterContent {
                report: &payload.report,
                lines: fields.filter(|(_, value)| !value.is_empty()).collect(),
                concern: payload.concern().map_or("", Concern::label),
                reason: &payload.analysis.reason,
                words: payload.analysis.words.join(", "),
                excerpt: excerpt(&payload.report.segnalazione, share),
            }),
            // One in another script stays in the text: not every mail server takes it in a header.
            answers: whole && is_plain(&payload.report.email),
        }
    }
}

/// Whether this is an address that every mail server takes.
fn is_plain(address: &str) -> bool {
    is_mailbox(address) && ascii_email(address).is_some_and(|sent| sent.is_ascii())
}

/// An account on one line, as much of it as there is room for: what follows is in the panel.
fn excerpt(account: &str, room: usize) -> String {
    let line = text::clean_line(account);
    let mut shown: String = line.chars().take(room).collect();
    if shown.len() < line.len() {
        shown.push_str("… (continua nel pannello)");
    }
    shown
}

/// The text and the HTML of a mail.
type Rendered = [askama::Result<String>; 2];

/// A function that renders the two templates of a mail with the same values.
macro_rules! templates {
    ($render:ident, $text:literal, $html:literal, $($field:ident: $type:ty),+) => {
        fn $render<'a>(frame: &'a Frame<'a>, $($field: &'a $type),+) -> Rendered {
            #[derive(Template)]
            #[template(path = $text)]
            struct TextPart<'a> {
                frame: &'a Frame<'a>,
                $($field: &'a $type,)+
            }

            #[derive(Template)]
            #[template(path = $html)]
            struct HtmlPart<'a> {
                frame: &'a Frame<'a>,
                $($field: &'a $type,)+
            }

            [TextPart { frame, $($field),+ }.render(), HtmlPart { frame, $($field),+ }.render()]
        }
    };
}

templates!(report_parts, "report.txt", "report.html", report: LetterEntry<'a>);
templates!(digest_parts, "digest.txt", "digest.html", heading: str, rest: str, reports: [LetterEntry<'a>]);
templates!(notice_parts, "notice.txt", "notice.html", lines: [String], links: [String], to_reporter: bool);
templates!(test_parts, "test.txt", "test.html", date: str);

fn mail(
    frame: &Frame<'_>,
    subject: String,
    reply_to: Option<String>,
    [text, html]: Rendered,
) -> Result<Mail, Failure> {
    Ok(Mail {
        from_name: frame.system.product_name.clone(),
        from: frame.email.email_from.clone(),
        to: frame.to.iter().map(|to| (*to).to_owned()).collect(),
        reply_to,
        subject,
        text: text.map_err(|_| unwritable())?,
        html: html.map_err(|_| unwritable())?,
        message_id: frame.message_id.to_owned(),
        at_ms: frame.at_ms,
    })
}

fn unwritable() -> Failure {
    Failure::permanent("L'email non si può comporre.").of_content()
}
