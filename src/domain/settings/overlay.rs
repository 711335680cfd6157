//! Saving a form: the sent values replace the stored ones. Fields that were not sent stay; unknown ones are refused.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::entries;
use crate::domain::fields::parse_email;
use crate::domain::invalid::Invalid;
use crate::domain::text;

/// Removes what pasting leaves around values (`PRODUCT.md §8`): blanks, and around an address also invisible or
/// wrapping characters.
pub fn trimmed(mut body: Map<String, Value>) -> Map<String, Value> {
    for (key, value) in &mut body {
        match value {
            Value::String(text) => *text = pasted(key, text),
            Value::Object(group) => *group = trimmed(std::mem::take(group)),
            _ => {}
        }
    }
    body
}

/// A value as it is kept, by the kind of its field.
pub(super) fn pasted(key: &str, text: &str) -> String {
    let has_mail = |text: &str| text.contains('@') || text.contains('＠');
    let mails =
        key.ends_with("_email") || text::is_listed("emailRecipient|emailFrom|emailFallback", key);
    if mails && has_mail(text) {
        let addresses =
            entries(text).map(|entry| parse_email(entry).unwrap_or_else(|_| entry.to_owned()));
        return addresses.collect::<Vec<_>>().join(", ");
    }
    let names = "smtpHost|smtpTenant|smtpClientId|smtpScope";
    if key.ends_with("Url") || text::is_listed(names, key) {
        let line = text::visible_line(text);
        return line
            .trim_matches(['<', '>', '"', '«', '»', '“', '”', ' '])
            .to_owned();
    }
    text.trim().to_owned()
}

/// Nested objects are replaced key by key.
pub fn overlay<T: Serialize + DeserializeOwned>(
    current: &T,
    body: Map<String, Value>,
) -> Result<T, Vec<Invalid>> {
    let broken = |error: serde_json::Error| vec![Invalid::new("", "type", error.to_string())];
    let saved = serde_json::to_value(current).map_err(broken)?;
    let mut merged = saved.clone();
    let mut refusals = Vec::new();
    lay("", &mut merged, Value::Object(body), &mut refusals);
    loop {
        let error = match serde_path_to_error::deserialize(&merged) {
            Ok(value) if refusals.is_empty() => return Ok(value),
            Ok(_) => return Err(refusals),
            Err(error) => error,
        };
        let field = error.path().to_string();
        let pointer = format!("/{}", field.replace('.', "/"));
        let (Some(slot), Some(before)) = (merged.pointer_mut(&pointer), saved.pointer(&pointer))
        else {
            return Err(broken(error.into_inner()));
        };
        // Each pass puts one field back, hence the loop ends.
        if slot == before {
            return Err(broken(error.into_inner()));
        }
        // The type is right, the value is not.
        let message = match std::mem::replace(slot, before.clone()) {
            Value::Number(_) => "Deve essere un numero intero non negativo e non troppo grande.",
            _ => "Valore non tra quelli ammessi.",
        };
        refusals.push(Invalid::new(field, "range", message));
    }
}

/// Replaces `slot`, or records why `value` does not fit.
fn lay(field: &str, slot: &mut Value, value: Value, refusals: &mut Vec<Invalid>) {
    let expected = match (slot, value) {
        (Value::Object(group), Value::Object(body)) => {
            for (key, value) in body {
                let dot = if field.is_empty() { "" } else { "." };
                let field = format!("{field}{dot}{key}");
                if let Some(slot) = group.get_mut(&key) {
                    lay(&field, slot, value, refusals);
                } else {
                    let message = format!("Campo sconosciuto: {field:.60}.");
                    refusals.push(Invalid::new(field, "unknown", message));
                }
            }
            return;
        }
        (slot @ Value::String(_), value @ Value::String(_))
        | (slot @ Value::Bool(_), value @ Value::Bool(_))
        | (slot @ Value::Number(_), value @ Value::Number(_)) => {
            *slot = value;
            return;
        }
        (Value::Object(_), _) => "un gruppo di campi",
        (Value::String(_), _) => "un testo",
        (Value::Bool(_), _) => "vero o falso",
        _ => "un numero intero",
    };
    let message = format!("Deve essere {expected}.");
    refusals.push(Invalid::new(field, "type", message));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::phrases::Phrases;
    use crate::domain::settings::{BackupFrequency, Security, System};
    use proptest::prelude::*;
    use serde_json::json;

    fn body(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => unreachable!("not an object: {other}"),
        }
    }

    fn codes(refusals: &[Invalid]) -> Vec<(&str, &str)> {
        refusals
            .iter()
            .map(|refusal| (refusal.field.as_str(), refusal.code))
            .collect()
    }

    #[test]
    fn pasted_addresses_lose_what_came_with_them() {
        for (key, pasted, kept) in [
            ("emailFrom", " mailto:a@example.it. ", "a@example.it"),
            (
                "emailRecipient",
                "A <a@example.it>; b@example.it\u{200B}",
                "a@example.it, b@example.it",
            ),
            (
                "dept_lavoro_email",
                "a@example.it\n\u{FEFF}b@example.it,",
                "a@example.it, b@example.it",
            ),
            ("emailFallback", "a@example", "a@example"),
            (
                "webhookUrl",
                "<https://example.it/x>\u{200B} ",
                "https://example.it/x",
            ),
            ("smtpHost", "\u{200E}smtp.example.it", "smtp.example.it"),
            ("smtpClientId", "\u{FEFF}1111-2222\u{200B} ", "1111-2222"),
            ("emailSubject", " a@example.it. ", "a@example.it."),
        ] {
            let trimmed = trimmed(body(json!({ key: pasted })));
            assert_eq!(trimmed[key], kept, "{key}");
        }
    }

    #[test]
    fn keys_replace_and_absent_keys_stay() {
        let current = System {
            organization_name: "Redazione Uno".to_owned(),
            ..System::default()
        };
        let result = overlay(
            &current,
            body(json!({"productName": "Voce", "backupFrequency": "daily"})),
        )
        .unwrap();
        assert_eq!(result.product_name, "Voce");
        assert_eq!(result.backup_frequency, BackupFrequency::Daily);
        assert_eq!(result.organization_name, "Redazione Uno");
    }

    #[test]
    fn nested_objects_are_laid_over_key_by_key() {
        let mut current = Phrases::default();
        current.collect_name.next = "Ecco.".to_owned();
        let result = overlay(&current, body(json!({"collectName": {"prompt": "Nome?"}}))).unwrap();
        assert_eq!(result.collect_name.prompt, "Nome?");
        assert_eq!(result.collect_name.next, "Ecco.");
        assert_eq!(result.welcome, current.welcome);
    }

    #[test]
    fn every_refusal_is_reported_at_its_field() {
        let refusals = overlay(
            &Security::default(),
            body(json!({
                "sessionTimeout": "sessanta",
                "maxReportsPerDay": -1,
                "autoArchiveDays": 1.5,
                "minWordCount": null,
                "enableLogging": 1,
                "forbiddenWords": null,
                "adminPassword": "segreto",
                "logRetentionDays": 99_999_999_999_u64,
            })),
        )
        .unwrap_err();
        let mut found = codes(&refusals);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("adminPassword", "unknown"),
                ("autoArchiveDays", "range"),
                ("enableLogging", "type"),
                ("forbiddenWords", "type"),
                ("logRetentionDays", "range"),
                ("maxReportsPerDay", "range"),
                ("minWordCount", "type"),
                ("sessionTimeout", "type"),
            ]
        );
        let unknown = refusals
            .iter()
            .find(|refusal| refusal.code == "unknown")
            .unwrap();
        assert_eq!(unknown.message, "Campo sconosciuto: adminPassword.");
        assert!(!format!("{refusals:?}").contains("segreto"));
    }

    #[test]
    fn wrong_shapes_inside_groups_are_named_with_dots() {
        let refusals = overlay(
            &Phrases::default(),
            body(json!({
                "collectName": "Nome?",
                "collectEmail": {"prompt": 3, "altro": "x"},
                "ageCheck": null,
                "welcome": ["a"],
            })),
        )
        .unwrap_err();
        let mut found = codes(&refusals);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("ageCheck", "type"),
                ("collectEmail.altro", "unknown"),
                ("collectEmail.prompt", "type"),
                ("collectName", "type"),
                ("welcome", "type"),
            ]
        );
    }

    #[test]
    fn what_a_field_cannot_hold_is_refused() {
        for number in [json!(-1), json!(1.5), json!(99_999_999_999_u64)] {
            let refusals = overlay(
                &Security::default(),
                body(json!({ "autoArchiveDays": number })),
            );
            assert_eq!(
                codes(&refusals.unwrap_err()),
                [("autoArchiveDays", "range")]
            );
        }
        let refusals = overlay(
            &System::default(),
            body(json!({"backupFrequency": "hourly"})),
        )
        .unwrap_err();
        assert_eq!(codes(&refusals), [("backupFrequency", "range")]);
    }

    #[test]
    fn blanks_around_values_go() {
        let sent = body(json!({"smtpHost": " a\n", "smtpPort": 25}));
        assert_eq!(
            trimmed(sent),
            body(json!({"smtpHost": "a", "smtpPort": 25}))
        );
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("prompt|next|[a-z./]{0,4}", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_get_sent_back_changes_nothing(
            timeout in any::<u32>(), words in ".{0,40}", flag in any::<bool>(), name in ".{0,20}",
        ) {
            let security = Security {
                session_timeout: timeout,
                forbidden_words: words,
                enable_logging: flag,
                ..Security::default()
            };
            let same = body(serde_json::to_value(&security).unwrap());
            prop_assert_eq!(overlay(&security, same), Ok(security));
            let mut phrases = Phrases::default();
            phrases.collect_name.prompt = name;
            let same = body(serde_json::to_value(&phrases).unwrap());
            prop_assert_eq!(overlay(&phrases, same), Ok(phrases));
        }

        #[test]
        fn any_body_gives_a_value_or_reasons(
            sent in prop::collection::btree_map("welcome|ageCheck|collectName|[a-zA-Z./]{0,6}", json_value(), 0..5),
        ) {
            let sent: Map<String, Value> = sent.into_iter().collect();
            match overlay(&Phrases::default(), sent) {
                Ok(phrases) => prop_assert_eq!(overlay(&phrases, Map::new()), Ok(phrases)),
                Err(refusals) => prop_assert!(!refusals.is_empty()),
            }
        }
    }
}
