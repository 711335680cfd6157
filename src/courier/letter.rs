//! Writes the mails (PRODUCT.md §5): one about a report, a digest of several, a test. The wording lives in `templates/`.
//! It must never put what a reporter typed into a header or, unescaped, into HTML; and in a mail that only announces,
//! nothing of it at all.

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::email::Mail;
use super::failure::Failure;
use crate::domain::care::Concern;
use crate::domain::fields::is_mailbox;
use crate::domain::payload::Payload;
use crate::domain::report::Report;
use crate::domain::settings::{Email, EmailContent, SubjectValues, System};
use crate::domain::text;

/// As much of an account as a digest shows at least, in characters.
const EXCERPT: usize = 300;
/// As much of all accounts together as a digest shows, in characters: far below what mail servers take in one mail.
const EXCERPTS: usize = 200_000;

/// Begins the subject of an urgent report: whoever looks at the list of mails must not have to open it to know.
const URGENT: &str = "[Urgente] ";

/// What every mail is written with.
pub struct Frame<'a> {
    /// The e-mail settings: sender, subject, what a mail carries.
    pub email: &'a Email,
    /// The system settings: the names.
    pub system: &'a System,
    /// Address of the list of reports in the panel; with `/` and an id behind it that of a report.
    pub panel: &'a str,
    /// Where the dates are shown.
    pub zone: &'a TimeZone,
    /// Who gets it.
    pub to: &'a str,
    /// Id of the delivery: the same gives the same Message-ID.
    pub delivery: &'a str,
    /// When it is written; milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// A mail about one report.
pub fn render_report(frame: &Frame<'_>, payload: &Payload) -> Result<Mail, Failure> {
    let item = Item::new(frame, payload, 0)?;
    let mut subject = frame.email.subject(&SubjectValues {
        id: &payload.id,
        department: &payload.department,
        product: &frame.system.product_name,
        date: &item.date,
    });
    if item.urgent {
        subject.insert_str(0, URGENT);
    }
    let (product, organization) = names(frame);
    let text = ReportText {
        product,
        organization,
        report: &item,
    };
    let html = ReportHtml {
        product,
        organization,
        report: &item,
    };
    let reply_to = item.answers.then(|| payload.report.email.clone());
    let (text, html) = (written(&text)?, written(&html)?);
    Ok(mail(frame, subject, reply_to, text, html))
}

/// One mail that lists several reports.
pub fn render_digest(frame: &Frame<'_>, payloads: &[Payload]) -> Result<Mail, Failure> {
    let share = (EXCERPTS / payloads.len().max(1)).max(EXCERPT);
    let reports: Vec<Item<'_>> = payloads
        .iter()
        .map(|payload| Item::new(frame, payload, share))
        .collect::<Result<_, _>>()?;
    let count = match reports.len() {
        1 => "1 nuova segnalazione".to_owned(),
        count => format!("{count} nuove segnalazioni"),
    };
    let urgent = match reports.iter().filter(|report| report.urgent).count() {
        0 => String::new(),
        1 => ", 1 urgente".to_owned(),
        count => format!(", {count} urgenti"),
    };
    let heading = format!("{count}{urgent}");
    let (product, organization) = names(frame);
    let text = DigestText {
        product,
        organization,
        heading: &heading,
        reports: &reports,
    };
    let html = DigestHtml {
        product,
        organization,
        heading: &heading,
        reports: &reports,
    };
    let (text, html) = (written(&text)?, written(&html)?);
    let subject = format!("{product}: {heading}");
    Ok(mail(frame, subject, None, text, html))
}

/// The mail of 'Test Email'.
pub fn render_test(frame: &Frame<'_>) -> Result<Mail, Failure> {
    let (product, organization) = names(frame);
    let date = &shown(frame.at_ms, frame.zone)?;
    let text = TestText {
        product,
        organization,
        date,
    };
    let html = TestHtml {
        product,
        organization,
        date,
    };
    let (text, html) = (written(&text)?, written(&html)?);
    Ok(mail(
        frame,
        format!("{product}: e-mail di prova"),
        None,
        text,
        html,
    ))
}

/// A report as the templates see it.
struct Item<'a> {
    id: &'a str,
    department: &'a str,
    date: String,
    link: String,
    /// Whether it counts as urgent. That is no personal data: it names neither who nor what.
    urgent: bool,
    /// Whether that is an editor's word, not the program's hint.
    by_staff: bool,
    /// What it says; `None` in a mail that only announces.
    content: Option<Content<'a>>,
    /// Whether answers go to the reporter.
    answers: bool,
}

struct Content<'a> {
    report: &'a Report,
    /// What the wording suggests; empty when nothing.
    concern: &'static str,
    reason: &'a str,
    words: String,
    excerpt: String,
}

impl<'a> Item<'a> {
    /// `share` is as much of the account as a list shows.
    fn new(frame: &Frame<'_>, payload: &'a Payload, share: usize) -> Result<Self, Failure> {
        let whole = frame.email.email_content == EmailContent::Completa;
        Ok(Self {
            id: &payload.id,
            department: &payload.department,
            date: shown(payload.data_creazione, frame.zone)?,
            link: format!("{}/{}", frame.panel, payload.id),
            urgent: payload.is_urgent(),
            by_staff: payload.is_urgent() && payload.concern().is_none(),
            content: whole.then(|| Content {
                report: &payload.report,
                concern: payload.concern().map_or("", Concern::label),
                reason: &payload.routing_reason,
                words: payload.matched_keywords.join(", "),
                excerpt: excerpt(&payload.report.segnalazione, share),
            }),
            // One in another script stays in the text: not every mail server takes it in a header.
            answers: whole && is_mailbox(&payload.report.email),
        })
    }
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

#[derive(Template)]
#[template(path = "report.txt")]
struct ReportText<'a> {
    product: &'a str,
    organization: &'a str,
    report: &'a Item<'a>,
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportHtml<'a> {
    product: &'a str,
    organization: &'a str,
    report: &'a Item<'a>,
}

#[derive(Template)]
#[template(path = "digest.txt")]
struct DigestText<'a> {
    product: &'a str,
    organization: &'a str,
    heading: &'a str,
    reports: &'a [Item<'a>],
}

#[derive(Template)]
#[template(path = "digest.html")]
struct DigestHtml<'a> {
    product: &'a str,
    organization: &'a str,
    heading: &'a str,
    reports: &'a [Item<'a>],
}

#[derive(Template)]
#[template(path = "test.txt")]
struct TestText<'a> {
    product: &'a str,
    organization: &'a str,
    date: &'a str,
}

#[derive(Template)]
#[template(path = "test.html")]
struct TestHtml<'a> {
    product: &'a str,
    organization: &'a str,
    date: &'a str,
}

fn names<'a>(frame: &Frame<'a>) -> (&'a str, &'a str) {
    (&frame.system.product_name, &frame.system.organization_name)
}

fn mail(
    frame: &Frame<'_>,
    subject: String,
    reply_to: Option<String>,
    text: String,
    html: String,
) -> Mail {
    let (from, delivery) = (&frame.email.email_from, frame.delivery);
    let domain = from
        .split_once('@')
        .map_or("localhost", |(_, domain)| domain);
    Mail {
        from_name: frame.system.product_name.clone(),
        from: from.clone(),
        to: frame.to.to_owned(),
        reply_to,
        subject,
        text,
        html,
        message_id: format!("<{delivery}@{domain}>"),
        at_ms: frame.at_ms,
    }
}

fn written(template: &impl Template) -> Result<String, Failure> {
    template.render().map_err(|_| unwritable())
}

/// A moment as the newsroom reads it.
fn shown(ms: i64, zone: &TimeZone) -> Result<String, Failure> {
    let time = Timestamp::from_millisecond(ms).map_err(|_| unwritable())?;
    let local = time.to_zoned(zone.clone());
    Ok(local.strftime("%d/%m/%Y %H:%M").to_string())
}

fn unwritable() -> Failure {
    Failure::permanent("L'e-mail non si può comporre.").of_content()
}
