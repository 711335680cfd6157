//! Settings that the newsroom can change while the program runs: one struct a section, with defaults and validation.
//! Must never hold a secret: passwords and keys are sealed apart.

mod email;
mod overlay;
mod provider;
mod security;
mod system;
mod url;

pub use email::{Email, EmailContent, EmailSettings, RoutingMode, SecretEnd, checked_desk};
pub use overlay::{overlay, trimmed};
pub use provider::TokenRequest;
pub use security::Security;
pub use system::{BackupFrequency, System, SystemSettings, WebhookPayload};

use std::ops::RangeInclusive;

use super::invalid::Invalid;
use super::text;

const LIST_MAX: usize = 200;

fn check(fits: bool, field: &str, code: &'static str, message: &str) -> Option<Invalid> {
    (!fits).then(|| Invalid::new(field, code, message))
}

fn check_range(field: &str, value: u32, range: RangeInclusive<u32>, unit: &str) -> Option<Invalid> {
    let (low, high) = (range.start(), range.end());
    (!range.contains(&value)).then(|| {
        let message = format!("Inserisci un numero di {unit} tra {low} e {high}.");
        Invalid::new(field, "range", message)
    })
}

/// Refuses a list of more than 200 entries, or with entries that do not fit; `message` names the first five.
fn check_list(
    field: &str,
    list: &str,
    code: &'static str,
    fits: impl Fn(&str) -> bool,
    message: impl Fn(&str) -> String,
) -> Option<Invalid> {
    if entries(list).count() > LIST_MAX {
        let message = format!("Troppe voci: al massimo {LIST_MAX}.");
        return Some(Invalid::new(field, "long", message));
    }
    let wrong = entries(list).filter(|entry| !fits(entry)).take(5);
    let quoted: Vec<String> = wrong.map(|entry| format!("«{entry:.60}»")).collect();
    (!quoted.is_empty()).then(|| Invalid::new(field, code, message(&quoted.join(", "))))
}

pub(super) fn check_text(
    field: &str,
    value: &str,
    max: usize,
    single_line: bool,
) -> Option<Invalid> {
    if text::is_blank(value) {
        let message = "Questo campo non può essere vuoto.";
        return Some(Invalid::new(field, "empty", message));
    }
    if text::char_count(value) > max {
        let message = format!("Testo troppo lungo: al massimo {max} caratteri.");
        return Some(Invalid::new(field, "long", message));
    }
    text::has_controls(&value.replace("\r\n", "\n"), single_line).then(|| {
        let message = if single_line {
            "Scrivi una sola riga, senza caratteri invisibili (di controllo o di direzione)."
        } else {
            "Il testo contiene caratteri invisibili (di controllo o di direzione) non ammessi: riscrivilo a mano."
        };
        Invalid::new(field, "control", message)
    })
}

/// Between commas, semicolons or line breaks, without blanks.
pub fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';', '\n'])
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Property names of a schema, sorted.
    fn properties<T: utoipa::PartialSchema>() -> Vec<String> {
        let schema = serde_json::to_value(T::schema()).unwrap();
        let mut names: Vec<String> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        names.sort();
        names
    }

    /// Keys of a value in JSON, sorted.
    fn keys(value: &impl serde::Serialize) -> Vec<String> {
        let json = serde_json::to_value(value).unwrap();
        let mut names: Vec<String> = json.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    }

    #[test]
    fn schemas_name_what_json_holds() {
        use crate::domain::phrases::{CollectReport, Phrases};
        assert_eq!(properties::<Email>(), keys(&Email::default()));
        assert_eq!(properties::<Security>(), keys(&Security::default()));
        assert_eq!(properties::<System>(), keys(&System::default()));
        assert_eq!(properties::<Phrases>(), keys(&Phrases::default()));
        assert_eq!(
            properties::<CollectReport>(),
            keys(&CollectReport::default())
        );
    }

    #[test]
    fn lists_are_split_on_what_people_type() {
        let found: Vec<&str> = entries(" uno, due ;\n\n tre,,\r\nquattro").collect();
        assert_eq!(found, ["uno", "due", "tre", "quattro"]);
        assert_eq!(entries(" , \n").count(), 0);
    }

    #[test]
    fn texts_are_checked_for_content_length_and_controls() {
        assert_eq!(check_text("f", "Le Iene", 60, true), None);
        for (value, code) in [
            (" ", "empty"),
            ("\u{200B}", "empty"),
            ("troppo", "long"),
            ("a\nb", "control"),
            ("a\u{202E}", "control"),
        ] {
            assert_eq!(
                check_text("f", value, 5, true).unwrap().code,
                code,
                "{value:?}"
            );
        }
        assert_eq!(check_text("f", "a\r\nb", 5, false), None);
        assert_eq!(check_text("f", "a\0", 5, false).unwrap().code, "control");
    }

    #[test]
    fn ranges_name_their_bounds() {
        assert_eq!(check_range("f", 5, 5..=720, "minuti"), None);
        assert_eq!(check_range("f", 720, 5..=720, "minuti"), None);
        let refusal = check_range("f", 721, 5..=720, "minuti").unwrap();
        assert_eq!(
            refusal.message,
            "Inserisci un numero di minuti tra 5 e 720."
        );
    }
}
