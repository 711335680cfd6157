//! A report: its status, and what the reporter said. `Debug` must never show content, so that no log can.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;

/// Heading of additional text in an account (`PRODUCT.md §2`).
pub const ADDITION_HEADING: &str = "INFORMAZIONI AGGIUNTIVE";

/// The reporter's own words of an account, without the heading that the program puts over additions.
pub fn own_words(account: &str) -> Cow<'_, str> {
    if !account.contains(ADDITION_HEADING) {
        return account.into();
    }
    let own = account.lines().filter(|line| *line != ADDITION_HEADING);
    own.collect::<Vec<_>>().join("\n").into()
}

names! {
    /// Status of a report. The newsroom may set any status at any time.
    #[derive(Default)]
    pub enum Stato {
        /// Just arrived.
        #[default]
        Nuova = "Nuova",
        /// The newsroom works on it.
        InLavorazione = "In lavorazione",
        /// Done with success.
        Risolta = "Risolta",
        /// Put aside.
        Archiviata = "Archiviata",
    }
}

impl Stato {
    /// Whether there is still work on it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Nuova | Self::InLavorazione)
    }
}

names! {
    /// The channel through which a report was received.
    #[derive(Default)]
    pub enum Origine {
        /// The conversation.
        #[default]
        Chat = "chat",
        /// Staff took it down on the telephone.
        Telefono = "telefono",
        /// Staff took it from a letter.
        Lettera = "lettera",
        /// The reporter came to the newsroom.
        DiPersona = "di persona",
    }
}

/// Declares a report, and the same report borrowed from the opened content that it lies in.
macro_rules! report {
    ($($(#[$about:meta])* $text:ident,)+) => {
        /// A finished report, as the reporter left it.
        // Empty: not answered yet, or newer than a stored report.
        #[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct Report {
            /// Age in years, 18 to 120; 0 where staff took the report down and were not told.
            #[schema(required)]
            pub eta: u8,
            $($(#[$about])* #[schema(required)] pub $text: String,)+
        }

        /// A report as it is read in quantity: its texts stay where they were opened.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        pub struct BorrowedReport<'c> {
            pub eta: u8,
            $(#[serde(borrow)] pub $text: Cow<'c, str>,)+
            /// To a callout.
            #[serde(borrow)]
            pub risposte: Vec<BorrowedAnswer<'c>>,
        }

        /// An answer to a question of a callout, in words.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        pub struct BorrowedAnswer<'c> {
            pub key: Cow<'c, str>,
            /// Of [`crate::domain::callout::AnswerKind`].
            pub kind: Cow<'c, str>,
            pub text: Cow<'c, str>,
        }
    };
}

report! {
    /// First name.
    nome,
    /// Surname.
    cognome,
    /// Mobile number, ten digits.
    telefono,
    /// E-mail address as typed.
    email,
    /// Postal address.
    indirizzo,
    /// The account, with what was added at the end.
    segnalazione,
}

impl fmt::Debug for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Report").finish_non_exhaustive()
    }
}

impl Report {
    /// Its fields under their names, in the order of a mail; the account comes last, by itself.
    pub fn fields(&self) -> [(&'static str, Cow<'_, str>); 6] {
        let age = Some(self.eta).filter(|eta| *eta > 0);
        [
            ("Nome", (&self.nome).into()),
            ("Cognome", (&self.cognome).into()),
            (
                "Età",
                age.map_or_else(String::new, |eta| eta.to_string()).into(),
            ),
            ("Telefono", (&self.telefono).into()),
            ("Email", (&self.email).into()),
            ("Indirizzo", (&self.indirizzo).into()),
        ]
    }
}

#[cfg(test)]
impl Report {
    pub fn example() -> Self {
        Self {
            eta: 34,
            nome: "Anna".to_owned(),
            cognome: "Bianchi".to_owned(),
            telefono: "3123456789".to_owned(),
            email: "anna@example.it".to_owned(),
            indirizzo: "Via Roma 1, Milano".to_owned(),
            segnalazione: "Il racconto".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stato_names_round_trip_in_code_and_json() {
        for (stato, name) in
            Stato::ALL
                .into_iter()
                .zip(["Nuova", "In lavorazione", "Risolta", "Archiviata"])
        {
            assert_eq!(stato.as_str(), name);
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
    fn debug_shows_no_content() {
        let report = Report::example();
        let printed = format!("{report:?} {report:#?}");
        for secret in ["34", "Anna", "Bianchi", "3123", "anna@", "Roma", "racconto"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
