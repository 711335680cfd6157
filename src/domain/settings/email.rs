//! E-mail settings: who gets the mail, what it carries, the server that takes it, and the desks that reports are routed
//! to. It must never hold the password of the mail server.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::url::is_host_name;
use super::{check_range, check_text, entries, trim_lines, verdict};
use crate::domain::fields::is_mailbox;
use crate::domain::invalid::Invalid;
use crate::domain::phrases::{fill, unknown_in};
use crate::domain::text;

/// Longest subject, in characters, before its placeholders are replaced.
const SUBJECT_MAX: usize = 150;
/// Longest user name at the mail server, in characters.
const USERNAME_MAX: usize = 254;
/// Keywords of one department.
const KEYWORDS_MAX: usize = 200;
/// Shortest and longest keyword, in characters: a single letter is found in every text.
const KEYWORD_CHARS: std::ops::RangeInclusive<usize> = 2..=64;
/// What stands between braces in a subject. Nothing that a reporter typed is among them.
const SUBJECT_PLACEHOLDERS: [&str; 4] = ["id", "department", "product", "date"];

/// What a mail about a report carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmailContent {
    /// The whole report.
    #[default]
    Completa,
    /// Id, department, date and a link: nothing personal.
    Avviso,
}

/// How the department of a report is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoutingMode {
    /// By what the whole text is about.
    #[default]
    Smart,
    /// By the first department one of whose keywords stands in the text.
    Keywords,
    /// Always the fallback.
    Manual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Desk<'a> {
    /// Its key, such as `sanita`.
    pub key: &'static str,
    /// Its address; empty for none.
    pub email: &'a str,
    /// Its keywords, separated by commas.
    pub keywords: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubjectValues<'a> {
    pub id: &'a str,
    pub department: &'a str,
    pub product: &'a str,
    /// `{date}`: when the report arrived, as shown.
    pub date: &'a str,
}

/// The e-mail section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Email {
    /// Who gets the mail when the department has no address of its own.
    pub email_recipient: String,
    /// Sender of the mail.
    pub email_from: String,
    /// Subject, with the placeholders `{id}`, `{department}`, `{product}` and `{date}`.
    pub email_subject: String,
    /// Whether a mail goes out for each report.
    pub email_auto_send: bool,
    /// What it carries.
    pub email_content: EmailContent,
    /// Name or address of the mail server; empty for none.
    pub smtp_host: String,
    /// Its port. On 465 the connection is encrypted from the start.
    pub smtp_port: u32,
    /// User name there; empty when the server asks for none.
    pub smtp_username: String,
    /// Whether the connection must be encrypted, with a certificate that is checked.
    pub smtp_secure: bool,
    /// Whether reports are routed to departments.
    pub enable_department_routing: bool,
    /// How.
    pub routing_mode: RoutingMode,
    /// How sure the analysis must be of a department, in percent.
    pub routing_threshold: u32,
    /// Who gets the mail of reports that fit no department.
    pub email_fallback: String,
    /// Address of Corruzione/Politica.
    #[serde(rename = "dept_corruzione_email")]
    pub dept_corruzione_email: String,
    /// Keywords of Corruzione/Politica, separated by commas.
    #[serde(rename = "dept_corruzione_keywords")]
    pub dept_corruzione_keywords: String,
    /// Address of Sanità/Ospedali.
    #[serde(rename = "dept_sanita_email")]
    pub dept_sanita_email: String,
    /// Keywords of Sanità/Ospedali, separated by commas.
    #[serde(rename = "dept_sanita_keywords")]
    pub dept_sanita_keywords: String,
    /// Address of Lavoro/Sfruttamento.
    #[serde(rename = "dept_lavoro_email")]
    pub dept_lavoro_email: String,
    /// Keywords of Lavoro/Sfruttamento, separated by commas.
    #[serde(rename = "dept_lavoro_keywords")]
    pub dept_lavoro_keywords: String,
    /// Address of Scuola/Istruzione.
    #[serde(rename = "dept_scuola_email")]
    pub dept_scuola_email: String,
    /// Keywords of Scuola/Istruzione, separated by commas.
    #[serde(rename = "dept_scuola_keywords")]
    pub dept_scuola_keywords: String,
    /// Address of Ambiente/Territorio.
    #[serde(rename = "dept_ambiente_email")]
    pub dept_ambiente_email: String,
    /// Keywords of Ambiente/Territorio, separated by commas.
    #[serde(rename = "dept_ambiente_keywords")]
    pub dept_ambiente_keywords: String,
    /// Address of Criminalità/Sicurezza.
    #[serde(rename = "dept_criminalita_email")]
    pub dept_criminalita_email: String,
    /// Keywords of Criminalità/Sicurezza, separated by commas.
    #[serde(rename = "dept_criminalita_keywords")]
    pub dept_criminalita_keywords: String,
}

/// Keywords of the six departments, in their order (`PRODUCT.md §5`).
const KEYWORDS: [&str; 6] = [
    "corruzione, politica, sindaco, assessore, appalto, tangente, mazzetta, politico, voto di scambio",
    "ospedale, medico, sanità, dottore, infermiere, pronto soccorso, asl, clinica, malasanità, paziente",
    "lavoro, sfruttamento, stipendio, contratto, caporalato, lavoro nero, licenziamento, sindacato, \
     mobbing, operai",
    "scuola, insegnante, professore, studente, istruzione, università, maestra, preside, bullismo, asilo",
    "ambiente, inquinamento, rifiuti, discarica, territorio, amianto, roghi, abusivismo, veleni",
    "droga, spaccio, furto, rapina, truffa, mafia, criminalità, sicurezza, violenza, usura",
];

impl Default for Email {
    /// The figures and keywords of `PRODUCT.md §5`; addresses are the newsroom's to fill in.
    fn default() -> Self {
        let [corruzione, sanita, lavoro, scuola, ambiente, criminalita] = KEYWORDS;
        Self {
            email_recipient: String::new(),
            email_from: String::new(),
            email_subject: "Nuova segnalazione: {department}, {date}".to_owned(),
            email_auto_send: true,
            email_content: EmailContent::default(),
            smtp_host: String::new(),
            smtp_port: 587,
            smtp_username: String::new(),
            smtp_secure: true,
            enable_department_routing: true,
            routing_mode: RoutingMode::default(),
            routing_threshold: 40,
            email_fallback: String::new(),
            dept_corruzione_email: String::new(),
            dept_corruzione_keywords: corruzione.to_owned(),
            dept_sanita_email: String::new(),
            dept_sanita_keywords: sanita.to_owned(),
            dept_lavoro_email: String::new(),
            dept_lavoro_keywords: lavoro.to_owned(),
            dept_scuola_email: String::new(),
            dept_scuola_keywords: scuola.to_owned(),
            dept_ambiente_email: String::new(),
            dept_ambiente_keywords: ambiente.to_owned(),
            dept_criminalita_email: String::new(),
            dept_criminalita_keywords: criminalita.to_owned(),
        }
    }
}

impl Email {
    /// Without blanks around its addresses, the server and the user name there.
    pub fn trimmed(mut self) -> Self {
        trim_lines([
            &mut self.email_recipient,
            &mut self.email_from,
            &mut self.email_fallback,
            &mut self.smtp_host,
            &mut self.smtp_username,
            &mut self.dept_corruzione_email,
            &mut self.dept_sanita_email,
            &mut self.dept_lavoro_email,
            &mut self.dept_scuola_email,
            &mut self.dept_ambiente_email,
            &mut self.dept_criminalita_email,
        ]);
        self
    }

    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let own = [
            check_address("emailRecipient", &self.email_recipient),
            check_address("emailFrom", &self.email_from),
            check_subject(&self.email_subject),
            check_host(&self.smtp_host),
            check_range("smtpPort", self.smtp_port, &(1..=65_535), "porta"),
            check_username(&self.smtp_username),
            check_range(
                "routingThreshold",
                self.routing_threshold,
                &(1..=100),
                "punti percentuali",
            ),
            check_address("emailFallback", &self.email_fallback),
        ];
        let desks = self.desks().into_iter().flat_map(|desk| {
            [
                check_address(&format!("dept_{}_email", desk.key), desk.email),
                check_keywords(&format!("dept_{}_keywords", desk.key), desk.keywords),
            ]
        });
        verdict(own.into_iter().chain(desks).flatten().collect())
    }

    /// The departments in their fixed order, which decides between keywords (`PRODUCT.md §5`).
    pub fn desks(&self) -> [Desk<'_>; 6] {
        [
            (
                "corruzione",
                &self.dept_corruzione_email,
                &self.dept_corruzione_keywords,
            ),
            (
                "sanita",
                &self.dept_sanita_email,
                &self.dept_sanita_keywords,
            ),
            (
                "lavoro",
                &self.dept_lavoro_email,
                &self.dept_lavoro_keywords,
            ),
            (
                "scuola",
                &self.dept_scuola_email,
                &self.dept_scuola_keywords,
            ),
            (
                "ambiente",
                &self.dept_ambiente_email,
                &self.dept_ambiente_keywords,
            ),
            (
                "criminalita",
                &self.dept_criminalita_email,
                &self.dept_criminalita_keywords,
            ),
        ]
        .map(|(key, email, keywords)| Desk {
            key,
            email,
            keywords,
        })
    }

    /// Whether there is a server to send through and an address to send from.
    pub fn can_send(&self) -> bool {
        !self.smtp_host.is_empty() && !self.email_from.is_empty()
    }

    pub fn subject(&self, values: &SubjectValues<'_>) -> String {
        fill(&self.email_subject, |name| match name {
            "id" => Some(values.id.to_owned()),
            "department" => Some(values.department.to_owned()),
            "product" => Some(values.product.to_owned()),
            "date" => Some(values.date.to_owned()),
            _ => None,
        })
    }
}

fn check_address(field: &str, value: &str) -> Option<Invalid> {
    (!value.is_empty() && !is_mailbox(value)).then(|| {
        Invalid::new(
            field,
            "format",
            "Inserisci un solo indirizzo email, ad esempio redazione@esempio.it, oppure lascia vuoto il campo.",
        )
    })
}

fn check_subject(value: &str) -> Option<Invalid> {
    let field = "emailSubject";
    check_text(field, value, SUBJECT_MAX, true).or_else(|| {
        let unknown = unknown_in(value, &SUBJECT_PLACEHOLDERS)?;
        let known = SUBJECT_PLACEHOLDERS.map(|name| format!("{{{name}}}"));
        let message = format!(
            "Segnaposto sconosciuto: {unknown}. Puoi usare {}.",
            known.join(", ")
        );
        Some(Invalid::new(field, "placeholder", message))
    })
}

fn check_host(value: &str) -> Option<Invalid> {
    (!value.is_empty() && !is_host_name(value)).then(|| {
        Invalid::new(
            "smtpHost",
            "format",
            "Inserisci solo il nome del server di posta, ad esempio smtp.esempio.it, senza indirizzo web né porta.",
        )
    })
}

fn check_username(value: &str) -> Option<Invalid> {
    if value.is_empty() {
        return None;
    }
    check_text("smtpUsername", value, USERNAME_MAX, true)
}

fn check_keywords(field: &str, list: &str) -> Option<Invalid> {
    let (mut count, mut refused) = (0, None);
    for keyword in entries(list) {
        count += 1;
        let fits = KEYWORD_CHARS.contains(&text::char_count(keyword));
        if refused.is_none() && (!fits || text::has_controls(keyword, true)) {
            refused = Some(keyword);
        }
    }
    if count > KEYWORDS_MAX {
        let message = format!("Troppe parole: al massimo {KEYWORDS_MAX} per reparto.");
        return Some(Invalid::new(field, "long", message));
    }
    refused.map(|keyword| {
        let shown: String = keyword.chars().take(30).collect();
        let (low, high) = (KEYWORD_CHARS.start(), KEYWORD_CHARS.end());
        let message = format!(
            "«{shown}» non può essere una parola chiave: servono da {low} a {high} caratteri, separati da virgole."
        );
        Invalid::new(field, "format", message)
    })
}

#[cfg(test)]
#[path = "email_tests.rs"]
mod tests;
