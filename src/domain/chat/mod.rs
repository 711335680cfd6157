//! The conversation that makes a report: its steps as data, and one pure function from an answer to the next question. It knows
//! nothing of tokens, HTTP or storage.

mod engine;
mod entered;
mod reasons;
mod rules;
mod script;
mod spoken;
mod wordings;

pub use engine::{Step, StepOutcome, back, start, step};
pub use entered::entered;
pub use rules::Rules;
#[cfg(test)]
use script::Script;
pub use script::{Answers, CalloutVersion, ScriptPlace};
pub use spoken::Doubt;

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::callout::{Answer, AnswerKind, CalloutOption, CalloutQuestion};
use super::care::Concern;
use super::declare::names;
use super::fields::{self, ADULT_AGE, AGE_MAX, FieldError};
use super::phrases::{Phrases, Question};
use super::report::Report;
use super::text::is_blank;

names! {
    /// Where a conversation stands: which answer it waits for. The order is the order of the questions.
    #[derive(Default)]
    pub enum ChatState {
        #[default]
        AgeCheck = "age_check",
        CollectName = "collect_name",
        CollectSurname = "collect_surname",
        CollectPhone = "collect_phone",
        CollectEmail = "collect_email",
        CollectAddress = "collect_address",
        /// The account of what happened.
        InvestigativeQuestions = "investigative_questions",
        /// Additional text, or that there is none.
        CollectReport = "collect_report",
        /// The conversation closes, whatever is said.
        FinalQuestion = "final_question",
        /// A question of a callout; [`ScriptPlace::question`] says which.
        OwnQuestion = "question",
    }
}

impl ChatState {
    /// Answered in the reporter's own words.
    const fn is_told(self) -> bool {
        matches!(
            self,
            Self::InvestigativeQuestions | Self::CollectReport | Self::OwnQuestion
        )
    }

    const fn is_name(self) -> bool {
        matches!(self, Self::CollectName | Self::CollectSurname)
    }

    /// A way to reach the reporter, which the newsroom may do without.
    const fn is_contact(self) -> bool {
        matches!(
            self,
            Self::CollectPhone | Self::CollectEmail | Self::CollectAddress
        )
    }
}

names! {
    /// The rule that decided a turn: the answer was accepted, or the reason why it was not.
    #[schema(as = ChatRule)]
    pub enum Rule {
        /// The conversation began: nothing has been said yet.
        Started = "started",
        /// The answer was valid, and the conversation went on.
        Answered = "answered",
        /// The answer was valid and took the place of an earlier one.
        Corrected = "corrected",
        /// The answer was a question, or a yes without more: it got words, and the question stayed open.
        Guided = "guided",
        /// The answer was understood, and is asked back.
        Asked = "asked",
        /// The account came before its question, and is kept for it.
        Kept = "kept",
        /// The answer was not what was asked for.
        Invalid = "invalid",
        /// The account was too short.
        TooShort = "too_short",
        /// The answer was longer than what is kept.
        TooLong = "too_long",
        /// The answer held a forbidden word.
        Forbidden = "forbidden",
        /// An earlier answer was missing, and was asked for.
        Incomplete = "incomplete",
        /// The reporter is a minor: the conversation closed.
        Minor = "minor",
        /// The answer leads to no report: the conversation closed.
        Ended = "ended",
        /// The answer was the last one: there is a report.
        Completed = "completed",
    }
}

impl Rule {
    /// Whether the answer was refused, so that the question stays open.
    pub const fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::Invalid | Self::TooShort | Self::TooLong | Self::Forbidden | Self::Incomplete
        )
    }

    pub const fn leads_on(self) -> bool {
        !self.is_refusal() && !matches!(self, Self::Guided | Self::Asked | Self::Kept)
    }
}

#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Conversation {
    /// The token holds its name.
    #[serde(skip)]
    pub state: ChatState,
    /// Which question of the callout, at [`ChatState::OwnQuestion`]; else 0.
    #[serde(skip)]
    pub question: u8,
    pub draft: Report,
    /// The answers to the questions of the callout.
    pub answers: Answers,
    /// Whether the reporter has been told where to find help (`PRODUCT.md §11`).
    pub helped: bool,
    /// The gravest concern of the answers so far.
    pub concern: Option<Concern>,
    /// Whether the reporter has been told that reports are not anonymous.
    pub told_anonymity: bool,
    /// Where the conversation continues after a correction.
    pub resume: Option<ScriptPlace>,
    /// What was told of the account before its question.
    pub early: String,
    /// The doubt that is being asked back, and its question.
    pub doubt: Option<(Doubt, String)>,
    /// The number of refused answers to the open question.
    pub refused: u8,
    /// The day on which it began, in the newsroom's time zone.
    pub begun: Date,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Conversation")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Conversation {
    pub const fn place(&self) -> ScriptPlace {
        ScriptPlace {
            state: self.state,
            question: self.question,
        }
    }

    #[must_use]
    pub fn at(self, ScriptPlace { state, question }: ScriptPlace) -> Self {
        Self {
            state,
            question,
            ..self
        }
    }

    /// The answers that will be sent; none before the last question is open.
    pub fn summary(&self, rules: &Rules) -> Vec<SummaryLine> {
        if self.state != ChatState::CollectReport {
            return Vec::new();
        }
        let path = rules.script.path(&self.answers);
        path.filter_map(|place| self.line(place, rules)).collect()
    }

    /// The answer at a place, as it is kept.
    fn line(&self, place: ScriptPlace, rules: &Rules) -> Option<SummaryLine> {
        let draft = &self.draft;
        let question = rules.script.question(place);
        let text = match (question, datum(place.state), place.state) {
            (Some(question), ..) => {
                let kept = question.kept(self.answers.get(&place.question)?);
                kept.map(|kept| kept.text).unwrap_or_default()
            }
            (None, Some(datum), _) => (datum.read)(draft).clone(),
            (None, None, ChatState::AgeCheck) => draft.eta.to_string(),
            (None, None, ChatState::InvestigativeQuestions) => draft.segnalazione.clone(),
            _ => return None,
        };
        Some(SummaryLine {
            state: rules.script.name_of(place),
            text,
            label: question.map(|question| question.text.clone()),
        })
    }

    /// The question that is open.
    pub fn question(&self, rules: &Rules) -> OpenQuestion {
        let (datum, own) = (datum(self.state), rules.script.question(self.place()));
        let mut kind = match (own, datum, self.state) {
            (Some(question), ..) => question.kind.into(),
            (_, Some(datum), _) => datum.kind,
            (.., ChatState::AgeCheck) => QuestionKind::Age,
            (.., ChatState::InvestigativeQuestions) => QuestionKind::Account,
            _ => QuestionKind::Addition,
        };
        let mut choices = own.map(CalloutQuestion::choices).unwrap_or_default();
        if let Some((Doubt::CalloutAnswers(_), _)) = self.doubt {
            kind = QuestionKind::Choice;
            choices.clear();
        }
        let asked = self.asked_back(own).into_iter().map(ChoiceOption::new);
        let choices = choices.into_iter();
        let choices = choices.map(|CalloutOption { key, text, .. }| ChoiceOption { key, text });
        let (place, places) = self.progress(rules);
        OpenQuestion {
            key: own.map(|own| own.key.clone()),
            kind,
            required: kind != QuestionKind::Addition && rules.requires(self.place()),
            options: asked.chain(choices).collect(),
            min: own.and_then(|own| own.min),
            max: own.and_then(|own| own.max),
            place,
            places,
        }
    }

    /// The offered replies to the pending confirmation.
    fn asked_back(&self, own: Option<&CalloutQuestion>) -> Vec<String> {
        let yes_or_no = || ["Sì", "No"].map(str::to_owned).to_vec();
        match &self.doubt {
            None => Vec::new(),
            Some((Doubt::Answers(_) | Doubt::Slip(..), _)) => yes_or_no(),
            Some((Doubt::Choices(choices), _)) => choices.clone(),
            Some((Doubt::CalloutAnswers(answers), _)) if answers.len() == 1 => yes_or_no(),
            Some((Doubt::CalloutAnswers(answers), _)) => {
                let bare = answers.iter().map(Answer::bare);
                bare.filter_map(|one| Some(own?.kept(one)?.text)).collect()
            }
            Some((Doubt::Help, _)) => wordings::HELP.map(str::to_owned).to_vec(),
        }
    }

    /// The number of the open question, from one, and how many questions lie on the path of the answers.
    fn progress(&self, rules: &Rules) -> (usize, usize) {
        let path = rules.script.path(&self.answers);
        let asked: Vec<ScriptPlace> = path
            .filter(|place| place.state != ChatState::FinalQuestion)
            .collect();
        let at = asked.iter().position(|place| *place == self.place());
        (at.map_or(asked.len(), |at| at + 1), asked.len())
    }

    /// The text to prefill when the question for the account is asked.
    pub fn prefill(&self) -> Option<&str> {
        let account = self.state == ChatState::InvestigativeQuestions;
        Some(&*self.early).filter(|early| account && !early.is_empty())
    }
}

names! {
    /// The kind of answer that a question asks for, which decides the input field.
    pub enum QuestionKind {
        /// Years.
        Age = "age",
        /// One line.
        Text = "text",
        /// A telephone number.
        Tel = "tel",
        /// An e-mail address.
        Email = "email",
        /// A postal address.
        Address = "address",
        /// The account.
        Account = "account",
        /// An addition to the account.
        Addition = "addition",
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

impl From<AnswerKind> for QuestionKind {
    fn from(kind: AnswerKind) -> Self {
        match kind {
            AnswerKind::Text => Self::Text,
            AnswerKind::Choice => Self::Choice,
            AnswerKind::Choices => Self::Choices,
            AnswerKind::YesNo => Self::YesNo,
            AnswerKind::Number => Self::Number,
            AnswerKind::Date => Self::Date,
        }
    }
}

/// The question that is open.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatQuestion)]
pub struct OpenQuestion {
    /// Name of a question of the newsroom's own; null for those of this conversation.
    pub key: Option<String>,
    /// The kind of answer that it asks for.
    pub kind: QuestionKind,
    /// Whether it needs an answer.
    pub required: bool,
    /// Answers to choose from. A typed answer is accepted too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub options: Vec<ChoiceOption>,
    /// Least number, or characters of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Greatest number, or characters of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// Its place among the questions that are asked, from 1.
    pub place: usize,
    /// How many questions are asked; in a callout, as the answers so far lead on.
    pub places: usize,
}

/// One answer to choose.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChatOption)]
pub struct ChoiceOption {
    /// Its name.
    pub key: String,
    /// The text of the option, which is also the answer to send.
    pub text: String,
}

impl ChoiceOption {
    fn new(text: String) -> Self {
        Self {
            key: crate::domain::text::fold(&text),
            text,
        }
    }
}

/// One line of what will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ChatLine)]
pub struct SummaryLine {
    /// The question: a state, or `question:` and a key.
    pub state: String,
    /// Its answer, as it is kept.
    pub text: String,
    /// The question in words, for one of a callout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

struct Datum {
    state: ChatState,
    question: fn(&Phrases) -> &Question,
    parse: fn(&Rules, &str) -> Result<String, FieldError>,
    read: fn(&Report) -> &String,
    place: fn(&mut Report) -> &mut String,
    kind: QuestionKind,
}

const DATA: [Datum; 5] = [
    Datum {
        state: ChatState::CollectName,
        question: |said| &said.collect_name,
        parse: |_, said| fields::parse_name(said),
        read: |report| &report.nome,
        place: |report| &mut report.nome,
        kind: QuestionKind::Text,
    },
    Datum {
        state: ChatState::CollectSurname,
        question: |said| &said.collect_surname,
        parse: |_, said| fields::parse_surname(said),
        read: |report| &report.cognome,
        place: |report| &mut report.cognome,
        kind: QuestionKind::Text,
    },
    Datum {
        state: ChatState::CollectPhone,
        question: |said| &said.collect_phone,
        parse: |rules, said| {
            if rules.other_phones {
                fields::parse_any_phone(said)
            } else {
                fields::parse_phone(said)
            }
        },
        read: |report| &report.telefono,
        place: |report| &mut report.telefono,
        kind: QuestionKind::Tel,
    },
    Datum {
        state: ChatState::CollectEmail,
        question: |said| &said.collect_email,
        parse: |_, said| fields::parse_email(said),
        read: |report| &report.email,
        place: |report| &mut report.email,
        kind: QuestionKind::Email,
    },
    Datum {
        state: ChatState::CollectAddress,
        question: |said| &said.collect_address,
        parse: |_, said| fields::parse_address(said),
        read: |report| &report.indirizzo,
        place: |report| &mut report.indirizzo,
        kind: QuestionKind::Address,
    },
];

fn datum(state: ChatState) -> Option<&'static Datum> {
    DATA.iter().find(|datum| datum.state == state)
}

/// The first missing answer. A minor's age and a blank text that is required count as missing.
fn first_missing(rules: &Rules, conversation: &Conversation) -> Option<ScriptPlace> {
    let draft = &conversation.draft;
    let given = |place: ScriptPlace| match (place.state, datum(place.state)) {
        (ChatState::AgeCheck, _) => (ADULT_AGE..=AGE_MAX).contains(&draft.eta),
        (ChatState::OwnQuestion, _) => {
            let answer = conversation.answers.get(&place.question);
            answer.is_some_and(|answer| *answer != Answer::Skipped)
        }
        (ChatState::InvestigativeQuestions, _) => !is_blank(&draft.segnalazione),
        (_, Some(datum)) => !is_blank((datum.read)(draft)),
        _ => true,
    };
    let mut path = rules.script.path(&conversation.answers);
    path.find(|place| rules.requires(*place) && !given(*place))
}

pub fn unknown_state(state: &str) -> String {
    format!("Stato non valido: {state}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settings::{Security, System};

    #[test]
    fn names_round_trip_in_code_and_json() {
        for state in ChatState::ALL {
            assert_eq!(ChatState::parse(state.as_str()), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        for unknown in ["AgeCheck", "", "age_check "] {
            assert_eq!(ChatState::parse(unknown), None);
        }
    }

    fn missing(rules: &Rules, draft: &Report) -> Option<ChatState> {
        let conversation = Conversation {
            draft: draft.clone(),
            ..Conversation::default()
        };
        first_missing(rules, &conversation).map(|place| place.state)
    }

    #[test]
    fn a_draft_is_complete_only_with_every_answer() {
        type Dig = fn(&mut Report);

        let strict = Security::default();
        let rules = Rules::new(&Phrases::default(), &strict, &System::default());
        let whole = Report::example();
        assert_eq!(missing(&rules, &whole), None);
        let holes: [(ChatState, Dig); 9] = [
            (ChatState::AgeCheck, |draft| draft.eta = 0),
            (ChatState::AgeCheck, |draft| draft.eta = 17),
            (ChatState::AgeCheck, |draft| draft.eta = 121),
            (ChatState::CollectName, |draft| draft.nome = "  ".to_owned()),
            (ChatState::CollectSurname, |draft| draft.cognome.clear()),
            (ChatState::CollectPhone, |draft| draft.telefono.clear()),
            (ChatState::CollectEmail, |draft| draft.email.clear()),
            (ChatState::CollectAddress, |draft| draft.indirizzo.clear()),
            (ChatState::InvestigativeQuestions, |draft| {
                draft.segnalazione.clear();
            }),
        ];
        for (state, dig) in holes {
            let mut draft = whole.clone();
            dig(&mut draft);
            assert_eq!(missing(&rules, &draft), Some(state));
        }
        let lenient = Security {
            email_required: false,
            ..strict
        };
        let rules = Rules::new(&Phrases::default(), &lenient, &System::default());
        let without_email = Report {
            email: String::new(),
            ..whole
        };
        assert_eq!(missing(&rules, &without_email), None);
    }

    #[test]
    fn states_are_in_the_order_of_the_questions() {
        let script = Script::general(&Security::default());
        let path: Vec<ChatState> = script
            .path(&Answers::new())
            .map(|place| place.state)
            .collect();
        assert_eq!(path, ChatState::ALL[..9]);
        assert_eq!(
            ChatState::ALL.map(ChatState::as_str),
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
                "question",
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
            state: ChatState::CollectSurname,
            draft: Report {
                eta: 34,
                nome: "Anna".to_owned(),
                ..Report::default()
            },
            ..Conversation::default()
        };
        let printed = format!("{conversation:?}");
        assert!(!printed.contains("Anna") && !printed.contains("34"));
    }
}
