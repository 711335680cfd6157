//! A report: its status, the draft that the chat fills, the finished whole. It must never print what a person wrote:
//! `Debug` of a draft and of a report shows no content, so that no log can.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fields::{ADULT_AGE, AGE_RANGE};
use super::text;

/// The line under which additional text is appended to an account (`PRODUCT.md §3`).
pub const ADDITION_HEADING: &str = "INFORMAZIONI AGGIUNTIVE";

/// Status of a report. Any may follow any: the newsroom decides.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
)]
pub enum Stato {
    /// Just arrived.
    #[default]
    Nuova,
    /// Somebody works on it.
    #[serde(rename = "In lavorazione")]
    InLavorazione,
    /// Done with success.
    Risolta,
    /// Put aside.
    Archiviata,
}

impl Stato {
    /// Every status, in the order in which the panel offers them.
    pub const ALL: [Self; 4] = [
        Self::Nuova,
        Self::InLavorazione,
        Self::Risolta,
        Self::Archiviata,
    ];

    /// The status as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nuova => "Nuova",
            Self::InLavorazione => "In lavorazione",
            Self::Risolta => "Risolta",
            Self::Archiviata => "Archiviata",
        }
    }

    /// The status of that name, exactly as [`Stato::as_str`] writes it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stato| stato.as_str() == name)
    }
}

impl fmt::Display for Stato {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One of the answers that make a report, in the order in which the chat asks for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Age.
    Eta,
    /// First name.
    Nome,
    /// Surname.
    Cognome,
    /// Mobile number.
    Telefono,
    /// E-mail address.
    Email,
    /// Postal address.
    Indirizzo,
    /// The account.
    Segnalazione,
}

/// What the chat has collected so far. It travels, sealed, with the conversation.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// Age in years.
    pub eta: Option<u8>,
    /// First name.
    pub nome: Option<String>,
    /// Surname.
    pub cognome: Option<String>,
    /// Mobile number, ten digits.
    pub telefono: Option<String>,
    /// E-mail address as typed.
    pub email: Option<String>,
    /// Postal address.
    pub indirizzo: Option<String>,
    /// The account, with the additional text under [`ADDITION_HEADING`].
    pub segnalazione: Option<String>,
}

impl Draft {
    /// The first answer that is not there. A minor's age and a blank text count as missing: no report is made of them.
    pub fn first_missing(&self) -> Option<Field> {
        let adult = self
            .eta
            .is_some_and(|age| age >= ADULT_AGE && AGE_RANGE.contains(&age));
        if !adult {
            return Some(Field::Eta);
        }
        [
            (&self.nome, Field::Nome),
            (&self.cognome, Field::Cognome),
            (&self.telefono, Field::Telefono),
            (&self.email, Field::Email),
            (&self.indirizzo, Field::Indirizzo),
            (&self.segnalazione, Field::Segnalazione),
        ]
        .into_iter()
        .find(|(value, _)| value.as_deref().is_none_or(text::is_blank))
        .map(|(_, field)| field)
    }

    /// The report, once every answer is there.
    pub fn complete(&self) -> Option<Report> {
        if self.first_missing().is_some() {
            return None;
        }
        Some(Report {
            eta: self.eta?,
            nome: self.nome.clone()?,
            cognome: self.cognome.clone()?,
            telefono: self.telefono.clone()?,
            email: self.email.clone()?,
            indirizzo: self.indirizzo.clone()?,
            segnalazione: self.segnalazione.clone()?,
        })
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Draft")
            .field("first_missing", &self.first_missing())
            .finish_non_exhaustive()
    }
}

/// A finished report, as the reporter left it.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// Age in years, 18 to 120.
    pub eta: u8,
    /// First name.
    pub nome: String,
    /// Surname.
    pub cognome: String,
    /// Mobile number, ten digits.
    pub telefono: String,
    /// E-mail address as typed.
    pub email: String,
    /// Postal address.
    pub indirizzo: String,
    /// The account, with what was added at the end.
    pub segnalazione: String,
}

impl fmt::Debug for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Report").finish_non_exhaustive()
    }
}

/// How a field of a report is shown outside of the panel.
pub struct Shown {
    /// Its name: in a mail, and above its column of the CSV file.
    pub label: &'static str,
    /// Its value as text.
    pub value: fn(&Report) -> Cow<'_, str>,
    /// Whether it has a column of its own in the CSV file.
    pub column: bool,
}

/// The fields as a mail and the CSV file show them, in their order; the account comes last, by itself.
#[rustfmt::skip]
pub const SHOWN: [Shown; 6] = [
    Shown { label: "Nome", value: |report| Cow::Borrowed(&report.nome), column: false },
    Shown { label: "Cognome", value: |report| Cow::Borrowed(&report.cognome), column: false },
    Shown { label: "Età", value: |report| Cow::Owned(report.eta.to_string()), column: false },
    Shown { label: "Telefono", value: |report| Cow::Borrowed(&report.telefono), column: true },
    Shown { label: "Email", value: |report| Cow::Borrowed(&report.email), column: true },
    Shown { label: "Indirizzo", value: |report| Cow::Borrowed(&report.indirizzo), column: true },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Draft {
        Draft {
            eta: Some(34),
            nome: Some("Anna".into()),
            cognome: Some("Bianchi".into()),
            telefono: Some("3123456789".into()),
            email: Some("anna@example.it".into()),
            indirizzo: Some("Via Roma 1, Milano".into()),
            segnalazione: Some("Il racconto segreto".into()),
        }
    }

    #[test]
    fn stato_names_round_trip_in_code_and_json() {
        for (stato, name) in
            Stato::ALL
                .into_iter()
                .zip(["Nuova", "In lavorazione", "Risolta", "Archiviata"])
        {
            assert_eq!(stato.as_str(), name);
            assert_eq!(stato.to_string(), name);
            assert_eq!(Stato::parse(name), Some(stato));
            assert_eq!(serde_json::to_value(stato).unwrap(), name);
            assert_eq!(serde_json::from_value::<Stato>(name.into()).unwrap(), stato);
        }
        for unknown in ["", "nuova", "InLavorazione", "Nuova "] {
            assert_eq!(Stato::parse(unknown), None, "{unknown:?}");
        }
        assert_eq!(Stato::default(), Stato::Nuova);
    }

    #[test]
    fn the_schema_lists_the_names() {
        let schema = <Stato as utoipa::PartialSchema>::schema();
        assert_eq!(
            serde_json::to_value(schema).unwrap()["enum"],
            serde_json::json!(Stato::ALL.map(Stato::as_str))
        );
    }

    #[test]
    fn a_draft_is_complete_only_with_every_answer() {
        type Dig = fn(&mut Draft);

        assert_eq!(whole().first_missing(), None);
        let report = whole().complete().unwrap();
        assert_eq!((report.eta, report.nome.as_str()), (34, "Anna"));
        assert_eq!(Draft::default().complete(), None);

        let holes: [(Field, Dig); 9] = [
            (Field::Eta, |draft| draft.eta = None),
            (Field::Eta, |draft| draft.eta = Some(17)),
            (Field::Eta, |draft| draft.eta = Some(121)),
            (Field::Nome, |draft| draft.nome = Some("  ".into())),
            (Field::Cognome, |draft| draft.cognome = None),
            (Field::Telefono, |draft| draft.telefono = None),
            (Field::Email, |draft| draft.email = None),
            (Field::Indirizzo, |draft| draft.indirizzo = None),
            (Field::Segnalazione, |draft| {
                draft.segnalazione = Some(String::new());
            }),
        ];
        for (field, dig) in holes {
            let mut draft = whole();
            dig(&mut draft);
            assert_eq!(draft.first_missing(), Some(field));
            assert_eq!(draft.complete(), None, "{field:?}");
        }
    }

    #[test]
    fn debug_shows_no_content() {
        let draft = whole();
        let printed = format!("{draft:?} {:?} {draft:#?}", draft.complete().unwrap());
        for secret in ["34", "Anna", "Bianchi", "3123", "anna@", "Roma", "racconto"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }

    #[test]
    fn a_draft_survives_json_and_tolerates_missing_keys() {
        let json = serde_json::to_string(&whole()).unwrap();
        assert_eq!(serde_json::from_str::<Draft>(&json).unwrap(), whole());
        assert_eq!(
            serde_json::from_str::<Draft>("{}").unwrap(),
            Draft::default()
        );
    }
}
