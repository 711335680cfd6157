//! E-mail settings: recipients, content, mail server, and the routing of reports. The server's password is sealed elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::overlay::pasted;
use super::provider::{MailAccess, TENANT, TokenRequest};
use super::url::{is_host_name, is_private_way};
use super::{check, check_list, check_range, check_text, entries, overlay};
use crate::domain::declare::section;
use crate::domain::fields::{ascii_email, is_mailbox};
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::phrases::unknown_in;
use crate::domain::routing::{Department, DepartmentKey, Departments, Matter};
use crate::domain::text;

/// Placeholders of a subject: nothing that a reporter typed.
const SUBJECT_PLACEHOLDERS: [&str; 4] = ["id", "department", "product", "date"];

const RECIPIENTS_MAX: usize = 20;
/// Most characters of what Microsoft calls tenant, client ID and scope: names and UUIDs.
const NAME_MAX: usize = 300;
/// How many days before its end a secret is spoken of (PRODUCT.md §9).
const SECRET_NOTICE_DAYS: i64 = 14;

/// What a mail about a report contains.
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

/// The end of the secret by which tokens are asked for, once it is near.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecretEnd {
    /// Its last day: `YYYY-MM-DD`.
    #[schema(value_type = String, format = Date)]
    pub on: Date,
    /// Whether that day is over.
    pub past: bool,
}

section! {
    /// The e-mail section.
    pub struct Email {
        /// Who gets the mail when the department has no address of its own. This and every other field for those who
        /// receive holds up to 20 addresses, separated by commas.
        pub email_recipient: String = String::new(),
        /// Sender of the mail.
        pub email_from: String = String::new(),
        /// Subject, with the placeholders `{id}`, `{department}`, `{product}` and `{date}`.
        pub email_subject: String = "Nuova segnalazione: {department}, {date}".to_owned(),
        /// Whether a mail goes out for each report.
        pub email_auto_send: bool = true,
        /// What the mail contains.
        pub email_content: EmailContent = EmailContent::default(),
        /// Whether reporters are told by mail that the newsroom has written to them; the mail says no more.
        pub reply_notice: bool = true,
        /// Whether reporters are told by mail that their report has arrived; the mail says no more.
        pub confirmation_mail: bool = false,
        /// Whether those who receive are told each morning how much waits, as long as there are no people; the mail
        /// says no more.
        pub desk_digest: bool = false,
        /// How the program gets into the mail server.
        pub smtp_access: MailAccess = MailAccess::default(),
        /// Name or address of the mail server; empty for none. With `microsoft365` an empty one becomes the provider's, with its port.
        pub smtp_host: String = String::new(),
        /// Its port. On 465 the connection is encrypted from the start.
        pub smtp_port: u32 = 587,
        /// User name there; empty when the server asks for none. With `microsoft365` the mailbox.
        pub smtp_username: String = String::new(),
        /// With `microsoft365`: directory (tenant) that the application is registered in, by its ID or a domain.
        pub smtp_tenant: String = String::new(),
        /// With `microsoft365`: application (client) ID.
        pub smtp_client_id: String = String::new(),
        /// Address at which tokens are asked for, `https://` unless it is inside this machine; `{tenant}` stands for the tenant.
        /// Empty for the provider's.
        pub smtp_token_url: String = String::new(),
        /// The scope of the tokens; empty for the provider's.
        pub smtp_scope: String = String::new(),
        /// Last day of the application's secret, `YYYY-MM-DD`, of which the panel warns; empty where it is not known.
        pub smtp_secret_expires: String = String::new(),
        /// Whether the connection must be encrypted, with a certificate that is checked.
        pub smtp_secure: bool = true,
        /// Whether reports are routed to departments.
        pub enable_department_routing: bool = true,
        /// How.
        pub routing_mode: RoutingMode = RoutingMode::default(),
        /// How sure the analysis must be of a department, in percent.
        pub routing_threshold: u32 = 40,
        /// Who gets the mail of reports that fit no department.
        pub email_fallback: String = String::new(),
        /// The departments, which have a table of their own: an answer has an address and keywords of each beside the other fields.
        #[serde(skip)]
        #[schema(ignore)]
        pub departments: Departments = Departments::default(),
    }
}

/// The e-mail settings, and whether the password is set.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailSettings {
    /// The saved settings.
    #[serde(flatten)]
    pub email: Email,
    /// Of each department but `generale`, `dept_<key>_email` and `dept_<key>_keywords`.
    #[serde(flatten)]
    #[schema(ignore)]
    pub desks: BTreeMap<String, String>,
    /// Password at the mail server; with `microsoft365` the secret of the application. Always null in an answer; null or
    /// absent in a change keeps the stored one, an empty text clears it.
    #[schema(max_length = 1000)]
    pub smtp_password: Option<String>,
    /// Whether a password is stored. Read-only.
    #[schema(read_only, required = false)]
    pub smtp_password_set: bool,
}

impl EmailSettings {
    pub fn shown(email: Email, stored: &[&str]) -> Self {
        Self {
            desks: email.desk_fields(),
            email,
            smtp_password: None,
            smtp_password_set: stored.contains(&"smtpPasswordSet"),
        }
    }
}

impl Email {
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let own = [
            check_recipients("emailRecipient", &self.email_recipient),
            check(
                self.email_from.is_empty() || is_mailbox(&self.email_from),
                "emailFrom",
                "format",
                "Inserisci un solo indirizzo email, ad esempio redazione@esempio.it, oppure lascia vuoto il campo.",
            ),
            check_text("emailSubject", &self.email_subject, 150, true)
                .or_else(|| unknown_in("emailSubject", &self.email_subject, &SUBJECT_PLACEHOLDERS)),
            check_range(
                "routingThreshold",
                self.routing_threshold,
                1..=100,
                "punti percentuali",
            ),
            check_recipients("emailFallback", &self.email_fallback),
        ];
        let desks = self.departments.desks().iter().flat_map(|desk| {
            let [email, keywords] = fields_of(desk.key);
            [
                check_recipients(&email, &desk.email),
                check_keywords(&keywords, &desk.keywords),
            ]
        });
        let own = own.into_iter().chain(self.check_server());
        let token = self.check_needs().into_iter().chain(self.check_token());
        verdict(own.chain(desks).chain(token).flatten())
    }

    fn check_server(&self) -> [Option<Invalid>; 3] {
        let (host, user) = (&self.smtp_host, &self.smtp_username);
        [
            check(
                host.is_empty() || is_host_name(host),
                "smtpHost",
                "format",
                "Inserisci solo il nome del server di posta, ad esempio smtp.esempio.it, senza indirizzo web né porta.",
            ),
            check_range("smtpPort", self.smtp_port, 1..=65_535, "porta"),
            check_text("smtpUsername", user, 254, true).filter(|_| !user.is_empty()),
        ]
    }

    /// What a provider of tokens must be told.
    fn check_needs(&self) -> [Option<Invalid>; 3] {
        let by_token = self.smtp_access.provider().is_some();
        let needed = |field, value: &str, message| {
            check(!by_token || !value.is_empty(), field, "empty", message)
        };
        [
            needed(
                "smtpUsername",
                &self.smtp_username,
                "Inserisci la casella da cui partono le email, ad esempio segnalazioni@esempio.it.",
            ),
            needed(
                "smtpTenant",
                &self.smtp_tenant,
                "Inserisci l'ID della directory (tenant): in Entra sta nella panoramica dell'applicazione.",
            ),
            needed(
                "smtpClientId",
                &self.smtp_client_id,
                "Inserisci l'ID dell'applicazione (client): in Entra sta nella panoramica dell'applicazione.",
            ),
        ]
    }

    fn check_token(&self) -> [Option<Invalid>; 5] {
        let tenant = &self.smtp_tenant;
        let url = self.smtp_token_url.replace(TENANT, "x");
        let day = &self.smtp_secret_expires;
        let format = |fits, field, message| check(fits, field, "format", message);
        [
            format(
                tenant.is_empty() || (is_host_name(tenant) && !is_of_all(tenant)),
                "smtpTenant",
                "Inserisci solo l'ID della directory (tenant), oppure un dominio come esempio.onmicrosoft.com; «common» e simili non \
                 bastano.",
            ),
            format(
                is_word(&self.smtp_client_id),
                "smtpClientId",
                "Inserisci solo l'ID dell'applicazione (client), senza spazi.",
            ),
            format(
                url.is_empty() || is_private_way(&url),
                "smtpTokenUrl",
                "Inserisci un indirizzo web completo, che inizi con https://, oppure lascia vuoto il campo.",
            ),
            format(
                is_word(&self.smtp_scope),
                "smtpScope",
                "Inserisci un solo ambito, senza spazi, oppure lascia vuoto il campo.",
            ),
            format(
                day.is_empty() || parse_day(day).is_some(),
                "smtpSecretExpires",
                "Inserisci una data, come 2027-06-30, oppure lascia vuoto il campo.",
            ),
        ]
    }

    /// With the mail server of the provider, where there is one and no server is named.
    #[must_use]
    pub fn completed(mut self) -> Self {
        let provider = self.smtp_access.provider();
        if let Some(provider) = provider.filter(|_| self.smtp_host.is_empty()) {
            provider.host.clone_into(&mut self.smtp_host);
            self.smtp_port = provider.port;
        }
        self
    }

    /// How a token is asked for; `None` where the server takes a password.
    pub fn token_request(&self) -> Option<TokenRequest> {
        let (url, tenant) = (&self.smtp_token_url, &self.smtp_tenant);
        let provider = self.smtp_access.provider()?;
        Some(provider.request(url, tenant, &self.smtp_client_id, &self.smtp_scope))
    }

    /// Whether this text is Microsoft's name of a secret, a UUID, in the place of its value.
    pub fn is_name_of_secret(&self, text: &str) -> bool {
        let at_provider = self.smtp_access.provider().is_some() && self.smtp_token_url.is_empty();
        let text = text.trim();
        at_provider && text.len() == Hyphenated::LENGTH && Uuid::try_parse(text).is_ok()
    }

    /// The end of the secret that is in use, if it is known and no more than 14 days away.
    pub fn secret_end(&self, today: Date) -> Option<SecretEnd> {
        self.smtp_access.provider()?;
        let on = parse_day(&self.smtp_secret_expires)?;
        let notice = on.checked_sub(SECRET_NOTICE_DAYS.days()).ok()?;
        (today >= notice).then_some(SecretEnd {
            on,
            past: today > on,
        })
    }

    /// What departments but `generale` have of settings, by their names (`PRODUCT.md §11`).
    pub fn desk_fields(&self) -> BTreeMap<String, String> {
        let desks = self.departments.desks().iter();
        let fields = desks.flat_map(|desk| {
            let values = [desk.email.clone(), desk.keywords.clone()];
            fields_of(desk.key).into_iter().zip(values)
        });
        fields.collect()
    }

    /// These settings with what a body changes; a department that there is not is an unknown field.
    pub fn changed_by(&self, body: Map<String, Value>) -> Result<Self, Vec<Invalid>> {
        let is_desk = |field: &str| field.starts_with("dept_");
        let (desks, rest): (Map<_, _>, Map<_, _>) =
            body.into_iter().partition(|(field, _)| is_desk(field));
        match (overlay(&self.desk_fields(), desks), overlay(self, rest)) {
            (Ok(fields), Ok(email)) => Ok(Self {
                departments: self.departments.clone(),
                ..email
            }
            .with_desks(fields)),
            (fields, email) => {
                let refused = [fields.err(), email.err()].into_iter().flatten();
                Err(refused.flatten().collect())
            }
        }
    }

    fn with_desks(mut self, mut fields: BTreeMap<String, String>) -> Self {
        for desk in self.departments.desks_mut() {
            let [email, keywords] = fields_of(desk.key).map(|field| fields.remove(&field));
            desk.email = email.unwrap_or_default();
            desk.keywords = keywords.unwrap_or_default();
        }
        self
    }

    /// Departments as they are after all settings were put back: without addresses, and with the first keywords where there are
    /// any (`PRODUCT.md §8`).
    pub fn with_first_desks(mut self) -> Self {
        for desk in self.departments.desks_mut() {
            desk.email.clear();
            if let Some(matter) = Matter::parse(desk.key.as_str()) {
                matter.keywords().clone_into(&mut desk.keywords);
            }
        }
        self
    }

    /// The recipients of mail for this department, as a list (`PRODUCT.md §9`). With routing, its own address, which is the
    /// fallback's for the fallback department. Empty without any address.
    pub fn address_of(&self, department: DepartmentKey) -> &str {
        let own = match self.departments.get(department) {
            _ if !self.enable_department_routing => "",
            Some(desk) if desk.key != DepartmentKey::GENERALE => &desk.email,
            _ => &self.email_fallback,
        };
        [own, &self.email_recipient, &self.email_fallback]
            .into_iter()
            .find(|address| !address.is_empty())
            .unwrap_or_default()
    }

    /// Addresses of all fields, in use or not.
    pub fn all_addresses(&self) -> BTreeSet<String> {
        let desks = self.departments.desks().iter().map(|desk| &desk.email);
        let lists = [&self.email_recipient, &self.email_fallback].into_iter();
        let all = lists.chain(desks).flat_map(|list| entries(list));
        all.map(str::to_ascii_lowercase).collect()
    }

    /// Entries of [`Self::address_of`], each once in any spelling: an address on several lists gets one mail.
    pub fn addresses_of(&self, department: DepartmentKey) -> BTreeSet<String> {
        let mut spelt = BTreeMap::new();
        for address in entries(self.address_of(department)) {
            let address = address.to_ascii_lowercase();
            let sent = ascii_email(&address).unwrap_or_else(|| address.clone());
            spelt.entry(sent).or_insert(address);
        }
        spelt.into_values().collect()
    }
}

/// `YYYY-MM-DD` and nothing behind it.
fn parse_day(text: &str) -> Option<Date> {
    let day: Date = text.parse().ok()?;
    (day.to_string() == text).then_some(day)
}

/// Whether the name stands for every tenant at Microsoft; an application gets a token of one (RFC 6749 §4.4 has no user to know it by).
fn is_of_all(tenant: &str) -> bool {
    text::is_listed(
        "common|organizations|consumers",
        &tenant.to_ascii_lowercase(),
    )
}

/// Visible ASCII without blanks, or nothing.
fn is_word(text: &str) -> bool {
    text.len() <= NAME_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The names of a department's address and keywords.
fn fields_of(key: DepartmentKey) -> [String; 2] {
    ["email", "keywords"].map(|field| format!("dept_{key}_{field}"))
}

/// A department with address and keywords as they are kept, and what is wrong with them.
pub fn checked_desk(typed: Department) -> (Department, Vec<Invalid>) {
    let email = pasted("_email", &typed.email);
    let keywords = pasted("_keywords", &typed.keywords);
    let refused = [
        check_recipients("email", &email),
        check_keywords("keywords", &keywords),
    ];
    let department = Department {
        email,
        keywords,
        ..typed
    };
    (department, refused.into_iter().flatten().collect())
}

/// Each recipient gets a mail of their own.
fn check_recipients(field: &str, list: &str) -> Option<Invalid> {
    let count = entries(list).count();
    if count > RECIPIENTS_MAX || (count == 0 && !list.is_empty()) {
        let message =
            format!("Inserisci al massimo {RECIPIENTS_MAX} indirizzi email, separati da virgole.");
        return Some(Invalid::new(field, "long", message));
    }
    check_list(field, list, "format", is_mailbox, |bad| {
        format!("Non è un indirizzo email, come redazione@esempio.it: {bad}.")
    })
}

/// Every text holds any single letter.
fn check_keywords(field: &str, list: &str) -> Option<Invalid> {
    let fits =
        |word: &str| (2..=64).contains(&text::char_count(word)) && !text::has_controls(word, true);
    check_list(field, list, "format", fits, |bad| {
        format!("Ogni parola chiave deve avere da 2 a 64 caratteri. Da correggere: {bad}.")
    })
}

#[cfg(test)]
#[path = "email_tests.rs"]
mod tests;
