//! A callout ('inchiesta'): a question of the newsroom's own to its public (`PRODUCT.md §17`), as data. It knows nothing of
//! tokens, HTTP or storage.

mod answer;
mod days;
mod problems;
mod understood;

pub use answer::{Answer, CalloutAnswers, CalloutRef, ReportAnswer};
pub use problems::{problems, refusals};
pub use understood::Understood;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;
use super::routing::DepartmentKey;

names! {
    /// Whether the public may answer.
    #[derive(Default)]
    pub enum CalloutState {
        /// It was never open: its page is not there.
        #[default]
        Bozza = "bozza",
        /// Its page takes answers.
        Aperta = "aperta",
        /// Its page says that it is over.
        Chiusa = "chiusa",
    }
}

names! {
    /// Whether something is asked, and needs an answer.
    #[derive(Default)]
    pub enum Need {
        /// It needs an answer.
        Required = "required",
        /// It is asked, and may be skipped.
        Optional = "optional",
        /// It is not asked.
        #[default]
        Off = "off",
    }
}

names! {
    /// The kind of answer that a question of a callout takes.
    #[derive(Default)]
    pub enum AnswerKind {
        /// Words.
        #[default]
        Text = "text",
        /// One of the options.
        Choice = "choice",
        /// Some of the options.
        Choices = "choices",
        /// Yes or no.
        YesNo = "yes_no",
        /// A number.
        Number = "number",
        /// A day.
        Date = "date",
    }
}

impl AnswerKind {
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Choice | Self::Choices | Self::YesNo)
    }
}

/// The content of a callout, as the newsroom writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Callout {
    /// Name in its address: 2 to 40 of a–z, 0–9 and `-`. It never changes once the callout was open.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The introduction above the first question.
    pub intro: String,
    /// The farewell; empty for that of the usual conversation.
    pub thanks: String,
    /// The notice on its page while it is not open.
    pub closed_text: String,
    /// When the callout opens.
    pub opens_at: Option<Timestamp>,
    /// When the callout closes.
    pub closes_at: Option<Timestamp>,
    /// The department of its reports; null to let routing decide.
    pub department: Option<DepartmentKey>,
    /// Labels that its reports get.
    pub labels: Vec<u8>,
    /// Whether files may be attached.
    pub attachments: bool,
    /// Which personal data it asks for.
    pub personal: Personal,
    /// Whether it asks to tell what happened.
    pub account: Need,
    /// In their order, at most 12.
    #[schema(max_items = 12)]
    pub questions: Vec<CalloutQuestion>,
}

/// Which personal data are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = CalloutPersonal)]
pub struct Personal {
    /// First name.
    pub nome: Need,
    /// Surname.
    pub cognome: Need,
    /// Mobile number.
    pub telefono: Need,
    /// E-mail address.
    pub email: Need,
    /// Postal address.
    pub indirizzo: Need,
}

/// A question of a callout.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CalloutQuestion {
    /// Its name: up to 40 of a–z, 0–9, `_` and `-`.
    pub key: String,
    /// The kind of answer that it takes.
    pub kind: AnswerKind,
    /// The question.
    pub text: String,
    /// A line that helps to answer it.
    pub help: String,
    /// Whether it needs an answer.
    pub required: bool,
    /// Least number, or characters of a text.
    pub min: Option<i64>,
    /// Greatest number, or characters of a text: at most 2,000.
    pub max: Option<i64>,
    /// 2 to 12 answers of a choice. A yes or no has none, or `si` and `no`.
    #[schema(max_items = 12)]
    pub options: Vec<CalloutOption>,
}

/// An answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CalloutOption {
    /// Its name.
    pub key: String,
    /// Its text.
    pub text: String,
    /// What follows this answer: the key of a later question, `end:` with a farewell, or null for the next question.
    pub next: Option<String>,
}

const END: &str = "end:";

/// Where an option leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'a> {
    /// To the next question.
    On,
    /// To the question with this key.
    To(&'a str),
    /// To the end, with these words: nothing is kept.
    End(&'a str),
}

impl CalloutOption {
    pub fn route(&self) -> Route<'_> {
        match self.next.as_deref() {
            None => Route::On,
            Some(next) => next.strip_prefix(END).map_or(Route::To(next), Route::End),
        }
    }
}

impl CalloutQuestion {
    /// The answers to choose from, those of a yes or no included.
    pub fn choices(&self) -> Vec<CalloutOption> {
        let option = |(key, text): (&str, &str)| CalloutOption {
            key: key.to_owned(),
            text: text.to_owned(),
            next: None,
        };
        match self.kind {
            AnswerKind::YesNo if self.options.is_empty() => {
                [("si", "Sì"), ("no", "No")].map(option).to_vec()
            }
            AnswerKind::YesNo | AnswerKind::Choice | AnswerKind::Choices => self.options.clone(),
            _ => Vec::new(),
        }
    }
}

/// All questions of these versions, of which the last is given first. Questions and options that only older versions
/// have come after.
pub fn asked_by(versions: impl IntoIterator<Item = Callout>) -> Vec<CalloutQuestion> {
    let mut asked: Vec<CalloutQuestion> = Vec::new();
    for question in versions.into_iter().flat_map(|version| version.questions) {
        let Some(known) = asked.iter_mut().find(|one| one.key == question.key) else {
            asked.push(question);
            continue;
        };
        for option in question.options {
            if known.options.iter().all(|one| one.key != option.key) {
                known.options.push(option);
            }
        }
    }
    asked
}

impl Callout {
    /// Whether it takes no answers yet at `now` (ms), also when it is open.
    pub fn is_early(&self, now: i64) -> bool {
        self.opens_at.is_some_and(|at| at.as_millisecond() > now)
    }

    /// Whether it takes no answers any more.
    pub fn is_over(&self, now: i64) -> bool {
        self.closes_at.is_some_and(|at| at.as_millisecond() <= now)
    }

    pub fn question(&self, key: &str) -> Option<(usize, &CalloutQuestion)> {
        let mut questions = self.questions.iter().enumerate();
        questions.find(|(_, question)| question.key == key)
    }
}
