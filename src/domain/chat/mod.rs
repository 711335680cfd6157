//! The conversation that makes a report: its nine states, and one pure function from what was said to what comes next.
//! It must never do I/O, fail, panic, or finish without a whole report; it knows nothing of tokens, HTTP or storage.

mod engine;
mod rules;

pub use engine::{Outcome, start, step};
pub use rules::Rules;

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::report::{Draft, Field};

/// Where a conversation stands: which answer it waits for. The order is the order of the questions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChatState)]
pub enum State {
    AgeCheck,
    CollectName,
    CollectSurname,
    CollectPhone,
    CollectEmail,
    CollectAddress,
    /// The account of what happened.
    InvestigativeQuestions,
    /// Additional text, or that there is none.
    CollectReport,
    /// Nothing more: whatever is said, the conversation closes.
    FinalQuestion,
}

impl State {
    /// Whether its answer tells what happened, in the reporter's own words.
    const fn is_account(self) -> bool {
        matches!(self, Self::InvestigativeQuestions | Self::CollectReport)
    }

    pub const ALL: [Self; 9] = [
        Self::AgeCheck,
        Self::CollectName,
        Self::CollectSurname,
        Self::CollectPhone,
        Self::CollectEmail,
        Self::CollectAddress,
        Self::InvestigativeQuestions,
        Self::CollectReport,
        Self::FinalQuestion,
    ];

    /// The name that clients see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgeCheck => "age_check",
            Self::CollectName => "collect_name",
            Self::CollectSurname => "collect_surname",
            Self::CollectPhone => "collect_phone",
            Self::CollectEmail => "collect_email",
            Self::CollectAddress => "collect_address",
            Self::InvestigativeQuestions => "investigative_questions",
            Self::CollectReport => "collect_report",
            Self::FinalQuestion => "final_question",
        }
    }

    /// The state of that name; `None` is answered with [`unknown_state`].
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// The state that follows a valid answer; the last one has none after it and stays.
    const fn next(self) -> Self {
        match self {
            Self::AgeCheck => Self::CollectName,
            Self::CollectName => Self::CollectSurname,
            Self::CollectSurname => Self::CollectPhone,
            Self::CollectPhone => Self::CollectEmail,
            Self::CollectEmail => Self::CollectAddress,
            Self::CollectAddress => Self::InvestigativeQuestions,
            Self::InvestigativeQuestions => Self::CollectReport,
            Self::CollectReport | Self::FinalQuestion => Self::FinalQuestion,
        }
    }

    /// The state in which that answer is collected.
    const fn collecting(field: Field) -> Self {
        match field {
            Field::Eta => Self::AgeCheck,
            Field::Nome => Self::CollectName,
            Field::Cognome => Self::CollectSurname,
            Field::Telefono => Self::CollectPhone,
            Field::Email => Self::CollectEmail,
            Field::Indirizzo => Self::CollectAddress,
            Field::Segnalazione => Self::InvestigativeQuestions,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What decided a turn: the answer was taken, or why it was not.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChatRule)]
pub enum Rule {
    /// The conversation began: nothing has been said yet.
    Started,
    /// The answer was valid, and the conversation went on.
    Answered,
    /// The answer was not what was asked for.
    Invalid,
    /// The account was too short.
    TooShort,
    /// The answer was longer than what is kept.
    TooLong,
    /// The answer held a forbidden word.
    Forbidden,
    /// An earlier answer was missing, and was asked for.
    Incomplete,
    /// The reporter is a minor: the conversation closed.
    Minor,
    /// The answer was the last one: there is a report.
    Completed,
}

impl Rule {
    /// Every rule, in the order in which they are told.
    pub const ALL: [Self; 9] = [
        Self::Started,
        Self::Answered,
        Self::Invalid,
        Self::TooShort,
        Self::TooLong,
        Self::Forbidden,
        Self::Incomplete,
        Self::Minor,
        Self::Completed,
    ];

    /// The name that is stored and that clients see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Answered => "answered",
            Self::Invalid => "invalid",
            Self::TooShort => "too_short",
            Self::TooLong => "too_long",
            Self::Forbidden => "forbidden",
            Self::Incomplete => "incomplete",
            Self::Minor => "minor",
            Self::Completed => "completed",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == name)
    }

    /// Whether the conversation stayed where it was, for something wrong with the answer.
    pub const fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::Invalid | Self::TooShort | Self::TooLong | Self::Forbidden | Self::Incomplete
        )
    }
}

/// A conversation between two turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Which answer it waits for.
    pub state: State,
    pub draft: Draft,
    /// Whether it has been said where help is at hand (`PRODUCT.md §5`): once is kind, twice is a machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub helped: bool,
}

/// The answer to a conversation whose state the engine does not know.
pub fn unknown_state(state: &str) -> String {
    format!("Stato non valido: {state}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_in_code_and_json() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(state));
            assert_eq!(state.to_string(), state.as_str());
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        assert_eq!(State::parse("AgeCheck"), None);
        assert_eq!(State::parse(""), None);
        assert_eq!(State::parse("age_check "), None);
    }

    #[test]
    fn names_of_rules_round_trip() {
        for rule in Rule::ALL {
            assert_eq!(Rule::parse(rule.as_str()), Some(rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
        }
        assert!(Rule::ALL.is_sorted());
        assert_eq!(Rule::parse("TooShort"), None);
    }

    #[test]
    fn states_are_in_the_order_of_the_questions() {
        assert!(State::ALL.is_sorted());
        for pair in State::ALL.windows(2) {
            assert_eq!(pair[0].next(), pair[1]);
        }
        assert_eq!(
            State::ALL.map(State::as_str),
            [
                "age_check",
                "collect_name",
                "collect_surname",
                "collect_phone",
                "collect_email",
                "collect_address",
                "investigative_questions",
                "collect_report",
                "final_question",
            ]
        );
    }

    #[test]
    fn an_unknown_state_is_named() {
        assert_eq!(unknown_state("boh"), "Stato non valido: boh");
    }

    #[test]
    fn debug_of_a_conversation_shows_no_answers() {
        let conversation = Conversation {
            state: State::CollectSurname,
            draft: Draft {
                eta: Some(34),
                nome: Some("Anna".to_owned()),
                ..Draft::default()
            },
            helped: false,
        };
        let printed = format!("{conversation:?}");
        assert!(!printed.contains("Anna") && !printed.contains("34"));
    }
}
