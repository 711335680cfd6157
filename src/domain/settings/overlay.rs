//! Saving a form: the values that a client sends laid over the stored ones. It must never lose a field that the client
//! did not send, nor take one that nobody knows.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::invalid::Invalid;

/// `current` with the keys of `body` in place of its own, nested objects key by key; absent keys stay.
pub fn overlay<T: Serialize + DeserializeOwned>(
    current: &T,
    body: Map<String, Value>,
) -> Result<T, Vec<Invalid>> {
    let Ok(Value::Object(base)) = serde_json::to_value(current) else {
        return Err(vec![not_an_object("")]);
    };
    let mut merged = base.clone();
    let mut refusals = Vec::new();
    merge(&mut merged, body, "", &mut refusals);
    let base = Value::Object(base);
    let mut merged = Value::Object(merged);
    // A refused value is put back to the current one, so that the next pass finds the next refusal; each pass settles
    // one field, hence it ends.
    loop {
        match serde_path_to_error::deserialize::<_, T>(&merged) {
            Ok(result) if refusals.is_empty() => return Ok(result),
            Ok(_) => return Err(refusals),
            Err(error) => {
                let field = error.path().to_string();
                let pointer = format!("/{}", field.replace('.', "/"));
                let restored = restore(&mut merged, &base, &pointer);
                let Some(refused) = restored else {
                    // The current value itself does not read back: nothing can be laid over it.
                    refusals.push(mismatch(&field, &Value::Null, &Value::Null));
                    return Err(refusals);
                };
                let expected = base.pointer(&pointer).unwrap_or(&Value::Null);
                refusals.push(mismatch(&field, expected, &refused));
            }
        }
    }
}

/// Lays `body` over `target`, noting keys that `target` does not have.
fn merge(
    target: &mut Map<String, Value>,
    body: Map<String, Value>,
    parent: &str,
    refusals: &mut Vec<Invalid>,
) {
    for (key, value) in body {
        let field = if parent.is_empty() {
            key.clone()
        } else {
            format!("{parent}.{key}")
        };
        match (target.get_mut(&key), value) {
            (None, _) => {
                let message = format!("Campo sconosciuto: {}.", excerpt(&field));
                refusals.push(Invalid::new(field, "unknown", message));
            }
            (Some(Value::Object(inner)), Value::Object(nested)) => {
                merge(inner, nested, &field, refusals);
            }
            (Some(Value::Object(_)), _) => refusals.push(not_an_object(&field)),
            (Some(slot), replacement) => *slot = replacement,
        }
    }
}

/// Puts the value of `base` back at `pointer`, and returns what stood there, if that changes anything.
fn restore(merged: &mut Value, base: &Value, pointer: &str) -> Option<Value> {
    let original = base.pointer(pointer)?;
    let slot = merged.pointer_mut(pointer)?;
    (slot != original).then(|| std::mem::replace(slot, original.clone()))
}

/// The refusal of a value of the wrong kind, or of the right kind that its field cannot hold.
fn mismatch(field: &str, expected: &Value, refused: &Value) -> Invalid {
    let (code, message) = match (expected, refused) {
        (Value::Number(_), Value::Number(_)) => (
            "range",
            "Deve essere un numero intero non negativo e non troppo grande.",
        ),
        (Value::Number(_), _) => ("type", "Deve essere un numero intero."),
        (Value::String(_), Value::String(_)) => ("range", "Valore non tra quelli ammessi."),
        (Value::String(_), _) => ("type", "Deve essere un testo."),
        (Value::Bool(_), _) => ("type", "Deve essere vero o falso."),
        _ => ("type", "Valore di tipo non ammesso."),
    };
    Invalid::new(field, code, message)
}

/// The refusal of a plain value where a group of fields stands.
fn not_an_object(field: &str) -> Invalid {
    Invalid::new(field, "type", "Deve essere un gruppo di campi.")
}

/// An unknown key as far as it is worth showing: a client may send anything.
fn excerpt(key: &str) -> String {
    key.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::phrases::Phrases;
    use crate::domain::settings::{BackupFrequency, Security, System};
    use proptest::prelude::*;
    use serde::Deserialize;
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
    fn an_unknown_choice_is_refused() {
        let refusals = overlay(
            &System::default(),
            body(json!({"backupFrequency": "hourly"})),
        )
        .unwrap_err();
        assert_eq!(codes(&refusals), [("backupFrequency", "range")]);
    }

    #[test]
    fn null_fits_an_optional_field() {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct Optional {
            key: Option<String>,
        }
        let current = Optional {
            key: Some("x".to_owned()),
        };
        assert_eq!(
            overlay(&current, body(json!({"key": null}))),
            Ok(Optional { key: None })
        );
        assert_eq!(
            overlay(&Optional { key: None }, body(json!({"key": "y"}))),
            Ok(Optional {
                key: Some("y".to_owned())
            })
        );
        let refusals = overlay(&Optional { key: None }, body(json!({"key": 1}))).unwrap_err();
        assert_eq!(codes(&refusals), [("key", "type")]);
    }

    #[test]
    fn something_that_is_no_struct_cannot_be_laid_over() {
        assert_eq!(
            codes(&overlay(&7_u8, Map::new()).unwrap_err()),
            [("", "type")]
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
