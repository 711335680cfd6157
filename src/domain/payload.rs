//! What mail and webhook say about one report: a copy made when the report arrived, so that a later change of settings
//! does not rewrite it. It must never print what a person wrote: `Debug` shows no content.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::care::{self, Concern};
use super::report::Report;
use super::routing::{Department, moved_reason};

/// One report with the desk it went to (`PRODUCT.md §5`). Field names in JSON are those of the published e-mail payload.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// Id of the report.
    pub id: String,
    /// What the reporter left.
    #[serde(flatten)]
    pub report: Report,
    /// When it was acknowledged; milliseconds since 1970-01-01T00:00:00Z.
    #[serde(rename = "data_creazione")]
    pub data_creazione: i64,
    /// Name of the department, as shown.
    pub department: String,
    /// Key of the department, such as `sanita` or `generale`.
    pub department_key: String,
    /// Address that the mail goes to.
    pub email_recipient: String,
    /// Why this department, in Italian.
    pub routing_reason: String,
    /// Words that spoke for it.
    pub matched_keywords: Vec<String>,
    /// What its wording suggests, as the program read it.
    #[serde(default)]
    pub urgente: Option<Concern>,
    /// Whether an editor sees that differently, as far as the message says so.
    #[serde(default, with = "one_digit")]
    pub turned: bool,
    /// What an editor decided since. It is for the next message: one that may have arrived is repeated as it was.
    #[serde(default, with = "one_digit")]
    pub decided: Option<bool>,
}

/// Yes, no or neither as one digit: the length of what is sealed must not tell them apart. Bodies that were stored before
/// have words, or nothing.
mod one_digit {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Digit(u8),
        Word(bool),
    }

    pub(super) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Copy + Into<Option<bool>>,
        S: Serializer,
    {
        let digit = match (*value).into() {
            Some(yes) => u8::from(yes),
            None => 2,
        };
        serializer.serialize_u8(digit)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: Default + From<bool>,
        D: Deserializer<'de>,
    {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Word(yes) => T::from(yes),
            Stored::Digit(digit @ (0 | 1)) => T::from(digit == 1),
            Stored::Digit(_) => T::default(),
        })
    }
}

impl Payload {
    /// Whether the message says that it is urgent.
    pub fn is_urgent(&self) -> bool {
        care::is_urgent(self.urgente, usize::from(self.turned))
    }

    /// What the message says of the wording; nothing where an editor took it back.
    pub fn concern(&self) -> Option<Concern> {
        self.urgente.filter(|_| !self.turned)
    }

    /// As a new message says it, with what an editor decided.
    pub fn retold(self) -> Self {
        let turned = self
            .decided
            .map_or(self.turned, |urgent| urgent != self.urgente.is_some());
        Self {
            turned,
            decided: None,
            ..self
        }
    }

    /// As it reads now that the report is in this department: where staff moved it, the reason says so first.
    pub fn moved_to(self, department: Department) -> Self {
        if self.department_key == department.key() {
            return self;
        }
        Self {
            routing_reason: moved_reason(&self.department, &self.routing_reason),
            department: department.name().to_owned(),
            department_key: department.key().to_owned(),
            ..self
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Payload")
            .field("id", &self.id)
            .field("department_key", &self.department_key)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Payload {
        Payload {
            id: "0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11".to_owned(),
            report: Report {
                eta: 34,
                nome: "Anna".to_owned(),
                cognome: "Bianchi".to_owned(),
                telefono: "3123456789".to_owned(),
                email: "anna@example.it".to_owned(),
                indirizzo: "Via Roma 1, Milano".to_owned(),
                segnalazione: "Il racconto".to_owned(),
            },
            data_creazione: 1_700_000_000_000,
            department: "Sanità/Ospedali".to_owned(),
            department_key: "sanita".to_owned(),
            email_recipient: "sanita@example.it".to_owned(),
            routing_reason: "Parole trovate: ospedale".to_owned(),
            matched_keywords: vec!["ospedale".to_owned()],
            urgente: Some(Concern::Threat),
            turned: false,
            decided: None,
        }
    }

    #[test]
    fn what_an_editor_decided_is_for_the_next_message() {
        for (read, decided, urgent) in [
            (Some(Concern::Threat), Some(false), false),
            (Some(Concern::Threat), Some(true), true),
            (None, Some(true), true),
            (None, Some(false), false),
            (None, None, false),
        ] {
            let before = Payload {
                urgente: read,
                decided,
                ..payload()
            };
            assert_eq!(before.is_urgent(), read.is_some(), "as it was");
            let after = before.retold();
            assert_eq!((after.is_urgent(), after.decided), (urgent, None));
            assert_eq!(after.concern(), read.filter(|_| urgent));
            assert_eq!(after.clone().retold(), after);
        }
    }

    #[test]
    fn json_has_the_published_names_and_reads_back() {
        let json = serde_json::to_value(payload()).unwrap();
        let mut names: Vec<&str> = json
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "cognome",
                "data_creazione",
                "decided",
                "department",
                "departmentKey",
                "email",
                "emailRecipient",
                "eta",
                "id",
                "indirizzo",
                "matchedKeywords",
                "nome",
                "routingReason",
                "segnalazione",
                "telefono",
                "turned",
                "urgente",
            ]
        );
        // One that was stored before there was urgency says nothing of it.
        let mut earlier = json.clone();
        earlier.as_object_mut().unwrap().remove("urgente");
        let earlier: Payload = serde_json::from_value(earlier).unwrap();
        assert_eq!(earlier.urgente, None);
        assert_eq!(serde_json::from_value::<Payload>(json).unwrap(), payload());
    }

    #[test]
    fn what_was_decided_is_as_long_whichever_way_and_reads_back_also_as_it_was_stored_before() {
        let length = serde_json::to_string(&payload()).unwrap().len();
        for turned in [false, true] {
            for decided in [None, Some(false), Some(true)] {
                let payload = Payload {
                    turned,
                    decided,
                    ..payload()
                };
                let json = serde_json::to_string(&payload).unwrap();
                assert_eq!(json.len(), length, "{json}");
                let read: Payload = serde_json::from_str(&json).unwrap();
                assert_eq!(read, payload);
                let mut earlier = serde_json::to_value(&payload).unwrap();
                let fields = earlier.as_object_mut().unwrap();
                fields.remove("turned");
                fields.remove("decided");
                if turned {
                    fields.insert("turned".to_owned(), true.into());
                }
                if let Some(decided) = decided {
                    fields.insert("decided".to_owned(), decided.into());
                }
                let read: Payload = serde_json::from_value(earlier).unwrap();
                assert_eq!(read, payload);
            }
        }
    }

    #[test]
    fn debug_shows_no_content() {
        let printed = format!("{:?}", payload());
        for secret in ["Anna", "Bianchi", "racconto", "ospedale", "@"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
