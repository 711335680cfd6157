//! System settings: names, appearance, privacy notice, scheduled backups, webhook. Secrets of integrations are sealed elsewhere.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::url::{check_web_address, is_https_origin};
use super::{check, check_list, check_range, check_text, entries};
use crate::domain::color::{Color, DEFAULT_PRIMARY};
use crate::domain::declare::section;
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::text;

const NAME_MAX: usize = 60;
/// In characters: the notice stands above a chat.
const NOTICE_MAX: usize = 2_000;
const TEMPLATES_MAX: usize = 10_000;
const PROMISE_MAX: u32 = 3_650;
/// For a product name without Latin letters or digits.
const PLAIN_SLUG: &str = "segnalazioni";
const VERSION_BYTES: usize = 6;

/// How often the server writes a backup by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BackupFrequency {
    /// Never.
    Disabled,
    /// Every day.
    Daily,
    /// Every seven days.
    #[default]
    Weekly,
    /// Every month.
    Monthly,
}

/// What a webhook call about a report contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookPayload {
    /// The whole report.
    #[default]
    Full,
    /// Id and times: nothing personal.
    Thin,
}

section! {
    /// The system section.
    pub struct System {
        /// Name of the product, in titles and file names.
        pub product_name: String = "PelazzAI".to_owned(),
        /// Name with which the chat introduces itself.
        pub assistant_name: String = "PelazzAI".to_owned(),
        /// Name of the organisation.
        pub organization_name: String = "Le Iene".to_owned(),
        /// Address of the logo; empty for none.
        pub logo_url: String = String::new(),
        /// Main colour, `#rrggbb`.
        pub primary_color: String = DEFAULT_PRIMARY.to_string(),
        /// Whether the interface is dark.
        pub dark_mode: bool = true,
        /// Whether the pages are light or dark as the device is.
        pub device_theme: bool = true,
        /// Whether the chat offers a button to leave the page at once.
        pub quick_exit: bool = true,
        /// The page that the button leads to: a public service that raises no suspicion.
        pub quick_exit_url: String = "https://www.meteoam.it/".to_owned(),
        /// Sites that may show the public page in a frame: https origins, separated by commas; empty means none.
        pub embed_origins: String = String::new(),
        /// Whether a report ends with a receipt, whose code lets the reporter return.
        pub receipts_enabled: bool = true,
        /// Days within which reporters are promised that their report is read; 0: no promise.
        pub promise_first_days: u32 = 7,
        /// Days within which reporters are promised to learn the outcome; 0: no promise.
        pub promise_outcome_days: u32 = 90,
        /// Reply templates for staff, separated by a blank line.
        pub reply_templates: String = concat!(
            "Grazie per la segnalazione: la stiamo leggendo. Se ci servono altre informazioni te le chiediamo qui.\n\n",
            "Per andare avanti ci serve qualche dettaglio in più: quando è successo, dove, e chi altro ne sa qualcosa?\n\n",
            "Abbiamo concluso il lavoro sulla tua segnalazione. Grazie per l'aiuto."
        ).to_owned(),
        /// Points of the opening checklist that the newsroom has marked as settled, separated by commas.
        pub opening_settled: String = String::new(),
        /// How often the server writes a backup by itself.
        pub backup_frequency: BackupFrequency = BackupFrequency::default(),
        /// Notice shown before the first question of the chat.
        pub privacy_notice: String = concat!(
            "I tuoi dati servono solo alla redazione, per valutare la segnalazione e ricontattarti. ",
            "Li riceviamo solo quando concludi la chat; se non la concludi, i file che hai allegato vengono cancellati ",
            "dopo un giorno; ",
            "non registriamo da quale indirizzo ti colleghi."
        ).to_owned(),
        /// Link to the full privacy notice; empty for none.
        pub privacy_url: String = String::new(),
        /// Whether reporters may attach files.
        pub attachments_enabled: bool = true,
        /// Largest file, in MB.
        pub attachment_max_mb: u32 = 200,
        /// Most files to a report.
        pub attachments_per_report: u32 = 10,
        /// Room for the files of all reports together, in GB.
        pub attachments_total_gb: u32 = 20,
        /// Whether the webhook is called for each report.
        pub enable_webhook: bool = false,
        /// Address that the webhook calls; empty for none.
        pub webhook_url: String = String::new(),
        /// What the calls contain.
        pub webhook_payload: WebhookPayload = WebhookPayload::default(),
    }
}

/// The system settings, and which secrets of the webhook are set.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemSettings {
    /// The saved settings.
    #[serde(flatten)]
    pub system: System,
    /// Key sent with each call of the webhook. Always null in an answer; null or absent in a change keeps the stored one,
    /// an empty text clears it.
    #[schema(max_length = 1000)]
    pub webhook_api_key: Option<String>,
    /// Whether an API key is stored. Read-only.
    #[schema(read_only, required = false)]
    pub webhook_api_key_set: bool,
    /// Whether calls are signed. Read-only.
    #[schema(read_only, required = false)]
    pub webhook_secret_set: bool,
}

impl SystemSettings {
    pub fn shown(system: System, stored: &[&str]) -> Self {
        Self {
            system,
            webhook_api_key: None,
            webhook_api_key_set: stored.contains(&"webhookApiKeySet"),
            webhook_secret_set: stored.contains(&"webhookSecretSet"),
        }
    }
}

impl System {
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let refusals = [
            check_text("productName", &self.product_name, NAME_MAX, true),
            check_text("assistantName", &self.assistant_name, NAME_MAX, true),
            check_text("organizationName", &self.organization_name, NAME_MAX, true),
            check_web_address("logoUrl", &self.logo_url),
            check(
                Color::parse(&self.primary_color).is_some(),
                "primaryColor",
                "format",
                "Inserisci un colore esadecimale di sei cifre, ad esempio #2563eb.",
            ),
            check_web_address("quickExitUrl", &self.quick_exit_url),
            check(
                !self.quick_exit || !self.quick_exit_url.is_empty(),
                "quickExitUrl",
                "empty",
                "Inserisci l'indirizzo su cui si esce, oppure disattiva «Esci in fretta».",
            ),
            self.origins(),
            check_text("privacyNotice", &self.privacy_notice, NOTICE_MAX, false),
            check_web_address("privacyUrl", &self.privacy_url),
            check_text(
                "replyTemplates",
                &self.reply_templates,
                TEMPLATES_MAX,
                false,
            )
            .filter(|_| !self.reply_templates.is_empty()),
            promised("promiseFirstDays", self.promise_first_days),
            promised("promiseOutcomeDays", self.promise_outcome_days),
            check_web_address("webhookUrl", &self.webhook_url),
        ];
        let rest = [self.settled()].into_iter().chain(self.attachment_limits());
        verdict(refusals.into_iter().chain(rest).flatten())
    }

    fn settled(&self) -> Option<Invalid> {
        let fits = |point: &str| text::char_count(point) <= NAME_MAX;
        check_list(
            "openingSettled",
            &self.opening_settled,
            "long",
            fits,
            str::to_owned,
        )
    }

    fn origins(&self) -> Option<Invalid> {
        let message = |bad: &str| {
            format!(
                "Non è l'origine di un sito: {bad}. Solo https:// e il nome, senza barra finale: https://www.esempio.it."
            )
        };
        let origins = &self.embed_origins;
        check_list("embedOrigins", origins, "format", is_https_origin, message)
    }

    fn attachment_limits(&self) -> [Option<Invalid>; 3] {
        [
            check_range("attachmentMaxMb", self.attachment_max_mb, 1..=2_000, "MB"),
            check_range(
                "attachmentsPerReport",
                self.attachments_per_report,
                1..=50,
                "file",
            ),
            check_range(
                "attachmentsTotalGb",
                self.attachments_total_gb,
                1..=10_000,
                "GB",
            ),
        ]
    }

    /// The colour scheme of the pages, until a person of the panel chooses another: both if the device decides, the first when it has no preference.
    pub fn colour_scheme(&self) -> &'static str {
        match (self.device_theme, self.dark_mode) {
            (true, true) => "dark light",
            (true, false) => "light dark",
            (false, true) => "dark",
            (false, false) => "light",
        }
    }

    /// `None` if the chat does not offer to leave.
    pub fn exit_address(&self) -> Option<&str> {
        self.quick_exit.then_some(self.quick_exit_url.as_str())
    }

    /// The sites for a content policy; `None` without any.
    pub fn framed_by(&self) -> Option<String> {
        let origins: Vec<&str> = entries(&self.embed_origins).collect();
        (!origins.is_empty()).then(|| origins.join(" "))
    }

    /// Identifies the wording of the privacy notice that a reporter has seen: text and link.
    pub fn privacy_version(&self) -> String {
        let hash = Sha256::new()
            // The length separates text and link.
            .chain_update(self.privacy_notice.len().to_be_bytes())
            .chain_update(&self.privacy_notice)
            .chain_update(&self.privacy_url)
            .finalize();
        hex::encode(&hash[..VERSION_BYTES])
    }

    /// For file names and storage keys: lower-case ASCII letters and digits, single hyphens between (`PRODUCT.md §1`).
    pub fn slug(&self) -> String {
        let folded = text::fold(&self.product_name);
        let parts: Vec<&str> = folded
            .split(|character: char| !character.is_ascii_alphanumeric())
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() {
            PLAIN_SLUG.to_owned()
        } else {
            parts.join("-")
        }
    }
}

fn promised(field: &str, days: u32) -> Option<Invalid> {
    check_range(field, days, 0..=PROMISE_MAX, "giorni")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_named_as_published() {
        let system = System::default();
        assert_eq!(system.validate(), Ok(()));
        let json = serde_json::to_value(&system).unwrap();
        for (key, value) in [
            ("productName", "PelazzAI"),
            ("assistantName", "PelazzAI"),
            ("organizationName", "Le Iene"),
            ("logoUrl", ""),
            ("primaryColor", "#2563eb"),
            ("backupFrequency", "weekly"),
            ("quickExitUrl", "https://www.meteoam.it/"),
            ("privacyUrl", ""),
            ("openingSettled", ""),
            ("webhookUrl", ""),
            ("webhookPayload", "full"),
        ] {
            assert_eq!(json[key], value, "{key}");
        }
        assert_eq!(json["darkMode"], true);
        assert_eq!(json["deviceTheme"], true);
        assert_eq!(json["enableWebhook"], false);
        assert_eq!(json["receiptsEnabled"], true);
        assert_eq!(json.as_object().unwrap().len(), 25);
        assert!(text::char_count(&system.privacy_notice) <= 400);
        assert_eq!(serde_json::from_str::<System>("{}").unwrap(), system);
    }

    #[test]
    fn bad_fields_are_named() {
        let system = System {
            product_name: " ".to_owned(),
            assistant_name: "x".repeat(61),
            organization_name: "Le\nIene".to_owned(),
            logo_url: "ftp://example.it".to_owned(),
            primary_color: "blu".to_owned(),
            quick_exit_url: String::new(),
            embed_origins: "https://a.it, https://*.a.it".to_owned(),
            privacy_notice: String::new(),
            privacy_url: "javascript:alert(1)".to_owned(),
            webhook_url: "https://user:pw@example.it/".to_owned(),
            promise_first_days: 3_651,
            ..System::default()
        };
        let refusals = system.validate().unwrap_err();
        let found: Vec<(&str, &str)> = refusals
            .iter()
            .map(|refusal| (refusal.field.as_str(), refusal.code))
            .collect();
        assert_eq!(
            found,
            [
                ("productName", "empty"),
                ("assistantName", "long"),
                ("organizationName", "control"),
                ("logoUrl", "format"),
                ("primaryColor", "format"),
                ("quickExitUrl", "empty"),
                ("embedOrigins", "format"),
                ("privacyNotice", "empty"),
                ("privacyUrl", "format"),
                ("promiseFirstDays", "range"),
                ("webhookUrl", "format"),
            ]
        );
    }

    #[test]
    fn colours_have_six_digits() {
        for (value, fits) in [
            ("#000000", true),
            ("#FFaa09", true),
            ("2563eb", false),
            ("#256", false),
            ("#2563eb0", false),
            ("#2563eg", false),
            ("#é123", false),
            ("", false),
        ] {
            let system = System {
                primary_color: value.to_owned(),
                ..System::default()
            };
            assert_eq!(system.validate().is_ok(), fits, "{value}");
        }
    }

    #[test]
    fn a_notice_has_one_version_until_it_changes() {
        let system = System::default();
        let version = system.privacy_version();
        assert_eq!(version.len(), 12);
        assert_eq!(System::default().privacy_version(), version);
        let renamed = System {
            product_name: "Altro".to_owned(),
            ..System::default()
        };
        assert_eq!(renamed.privacy_version(), version);
        let moved = |notice: &str, url: &str| {
            System {
                privacy_notice: notice.to_owned(),
                privacy_url: url.to_owned(),
                ..System::default()
            }
            .privacy_version()
        };
        assert_ne!(moved(&system.privacy_notice, "https://a.it"), version);
        assert_ne!(moved("Altro testo", ""), version);
        assert_ne!(moved("ab", "c"), moved("a", "bc"));
    }

    #[test]
    fn slugs_are_plain() {
        for (name, slug) in [
            ("PelazzAI", "pelazzai"),
            ("La Voce  è Libera!", "la-voce-e-libera"),
            ("../../etc/passwd", "etc-passwd"),
            ("日本", "segnalazioni"),
            ("A.B", "a-b"),
        ] {
            let system = System {
                product_name: name.to_owned(),
                ..System::default()
            };
            assert_eq!(system.slug(), slug, "{name}");
        }
    }
}
