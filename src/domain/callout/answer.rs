//! Answers to the questions of a callout: how they are read, and what a report keeps of them.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AnswerKind, CalloutOption, CalloutQuestion};
use crate::domain::report::Report;
use crate::domain::text::{self, char_count, clean, clean_line};

/// Characters of a text that has no limit of its own.
const TEXT_MAX: i64 = 2_000;
/// The same in a message, whose own length it may have.
const MESSAGE_MAX: i64 = 5_000;

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It was asked, and not answered.
    Skipped,
    Text(String),
    /// Places among the choices.
    Chosen(Vec<u8>),
    /// With a decimal point.
    Number(String),
    Date(Date),
    /// An answer, and the words that told it where they say more.
    Said(Box<Answer>, String),
}

impl Answer {
    /// Without the words beside it.
    pub fn bare(&self) -> &Self {
        match self {
            Self::Said(answer, _) => answer.bare(),
            answer => answer,
        }
    }
}

/// The callout of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CalloutRef {
    /// Its id.
    pub id: String,
    /// Its name in addresses.
    pub slug: String,
    /// Its title when the report was sent.
    pub title: String,
    /// The version that was answered.
    pub version: u32,
}

/// An answer of a report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportAnswer {
    /// Name of the question.
    pub key: String,
    /// The kind of answer that it takes.
    pub kind: AnswerKind,
    /// The question, as it was put.
    pub question: String,
    /// The answer, in words.
    pub text: String,
    /// Key of an option, keys, true or false, a number, `YYYY-MM-DD` or a text.
    #[schema(value_type = Value)]
    pub value: Value,
}

/// The part of a report that belongs to a callout.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CalloutAnswers {
    /// The callout; null for a report from the usual conversation.
    #[schema(required)]
    pub inchiesta: Option<CalloutRef>,
    /// Its answers; one that was skipped is absent.
    #[schema(required)]
    pub risposte: Vec<ReportAnswer>,
}

impl fmt::Debug for ReportAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ReportAnswer")
            .finish_non_exhaustive()
    }
}

impl ReportAnswer {
    /// Keys of the options that were chosen.
    pub fn chosen(&self) -> Vec<&str> {
        match &self.value {
            Value::Bool(yes) => vec![if *yes { "si" } else { "no" }],
            Value::Array(keys) => keys.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        }
    }
}

impl CalloutAnswers {
    /// `None` for a report of the usual conversation.
    pub fn given(&self) -> Option<&Self> {
        self.inchiesta.is_some().then_some(self)
    }

    /// All that its author said, as bytes: by these a report is told from another.
    pub fn said_with(&self, report: &Report) -> serde_json::Result<Vec<u8>> {
        match self.given() {
            Some(answers) => serde_json::to_vec(&(report, answers)),
            None => serde_json::to_vec(report),
        }
    }

    /// The author's own words and choices, one answer a line.
    pub fn told(&self) -> String {
        let texts: Vec<&str> = self.risposte.iter().map(|one| &*one.text).collect();
        texts.join("\n")
    }

    /// The author's own words beside an account, one answer a line.
    pub fn words(&self) -> String {
        let texts = self.risposte.iter();
        let texts = texts.filter(|one| one.kind == AnswerKind::Text);
        let texts: Vec<&str> = texts.map(|one| &*one.text).collect();
        texts.join("\n")
    }
}

impl CalloutQuestion {
    /// Reads what was said; `Err`: what to do, in Italian.
    pub fn read(&self, said: &str) -> Result<Answer, String> {
        match self.kind {
            AnswerKind::Text => read_text(self, said),
            AnswerKind::Number => read_number(self, &clean_line(said)),
            AnswerKind::Date => read_date(&clean_line(said)),
            AnswerKind::YesNo | AnswerKind::Choice => {
                let chosen = chosen(&self.choices(), said);
                let chosen = chosen.ok_or_else(|| choose(self))?;
                Ok(Answer::Chosen(vec![chosen]))
            }
            AnswerKind::Choices => read_choices(self, said),
        }
    }

    /// Reads what was answered to a question back (`PRODUCT.md §19`), as [`read`](Self::read) does; but a number or a day that is
    /// none stays in the reporter's words, and a text without a limit of its own may be as long as a message.
    pub fn read_or_keep(&self, said: &str) -> Result<Answer, String> {
        let in_words = || bounded(said, 1, MESSAGE_MAX);
        match self.kind {
            AnswerKind::Text => {
                bounded(said, self.min.unwrap_or(1), self.max.unwrap_or(MESSAGE_MAX))
            }
            AnswerKind::Date => read_date(&clean_line(said)).or_else(|_| in_words()),
            AnswerKind::Number if in_figures(&clean_line(said)).is_none() => in_words(),
            _ => self.read(said),
        }
    }

    /// The options of these keys; `None` where one is of none, or where one answer is wanted and several came.
    pub fn by_keys(&self, keys: &[&str]) -> Option<Answer> {
        let choices = self.choices();
        let place = |key: &&str| {
            let place = choices.iter().position(|one| one.key == *key)?;
            u8::try_from(place).ok()
        };
        let places: Option<Vec<u8>> = keys.iter().map(place).collect();
        let mut places = places?;
        places.sort_unstable();
        places.dedup();
        let fits = self.kind == AnswerKind::Choices || places.len() == 1;
        fits.then_some(Answer::Chosen(places))
    }

    /// The form in which a report keeps an answer; `None` for one that was skipped.
    pub fn kept(&self, answer: &Answer) -> Option<ReportAnswer> {
        let choices = self.choices();
        let (text, value) = match answer {
            Answer::Skipped => return None,
            Answer::Said(answer, words) => {
                let kept = self.kept(answer)?;
                let text = format!("{} («{words}»)", kept.text);
                return Some(ReportAnswer { text, ..kept });
            }
            Answer::Text(text) => (text.clone(), text.clone().into()),
            Answer::Number(number) => (
                number.replace('.', ","),
                serde_json::from_str(number).unwrap_or_else(|_| number.clone().into()),
            ),
            Answer::Date(date) => (
                date.strftime("%d/%m/%Y").to_string(),
                date.to_string().into(),
            ),
            Answer::Chosen(places) => {
                let places = places.iter().map(|place| usize::from(*place));
                let chosen: Vec<&CalloutOption> =
                    places.filter_map(|place| choices.get(place)).collect();
                let texts: Vec<&str> = chosen.iter().map(|one| &*one.text).collect();
                let keys: Vec<&str> = chosen.iter().map(|one| &*one.key).collect();
                let value = match self.kind {
                    AnswerKind::YesNo => (keys == ["si"]).into(),
                    AnswerKind::Choices => keys.into(),
                    _ => keys.first().copied().unwrap_or_default().into(),
                };
                (texts.join(", "), value)
            }
        };
        Some(ReportAnswer {
            key: self.key.clone(),
            kind: self.kind,
            question: self.text.clone(),
            text,
            value,
        })
    }
}

/// An option, or what was typed for one, as they are compared.
pub(super) fn plain(text: &str) -> String {
    let folded = text::fold(&clean_line(text));
    folded.trim_end_matches(['.', '!', ',']).to_owned()
}

/// The place of the option that is meant: by its text, its number from one, or its key.
fn chosen(choices: &[CalloutOption], said: &str) -> Option<u8> {
    let said = plain(said);
    let by_number = || {
        let number: usize = said.parse().ok()?;
        number.checked_sub(1).filter(|place| *place < choices.len())
    };
    let means = |option: &CalloutOption| plain(&option.text) == said || option.key == said;
    let place = choices.iter().position(means).or_else(by_number)?;
    u8::try_from(place).ok()
}

fn choose(question: &CalloutQuestion) -> String {
    if question.kind == AnswerKind::YesNo {
        return "Rispondi sì o no.".to_owned();
    }
    let options = question.choices();
    let texts: Vec<String> = options
        .iter()
        .map(|one| format!("«{}»", one.text))
        .collect();
    format!("Scegli fra: {}.", texts.join(", "))
}

fn read_choices(question: &CalloutQuestion, said: &str) -> Result<Answer, String> {
    let choices = question.choices();
    // The text of an option may hold commas.
    let whole = chosen(&choices, said).map(|one| vec![one]);
    let split = |signs: &[char]| -> Option<Vec<u8>> {
        let parts = said.split(signs).filter(|part| !part.trim().is_empty());
        let places: Option<Vec<u8>> = parts.map(|part| chosen(&choices, part)).collect();
        places.filter(|places| !places.is_empty())
    };
    let places = whole
        .or_else(|| split(&['\n']))
        .or_else(|| split(&['\n', ',', ';']));
    let mut places = places.ok_or_else(|| choose(question))?;
    places.sort_unstable();
    places.dedup();
    Ok(Answer::Chosen(places))
}

fn read_text(question: &CalloutQuestion, said: &str) -> Result<Answer, String> {
    bounded(
        said,
        question.min.unwrap_or(1),
        question.max.unwrap_or(TEXT_MAX),
    )
}

/// A text of so many characters, one at least.
fn bounded(said: &str, min: i64, max: i64) -> Result<Answer, String> {
    let said = clean(said);
    let length = i64::try_from(char_count(&said)).unwrap_or(i64::MAX);
    let min = min.max(1);
    if length > max {
        return Err(format!("Al massimo {max} caratteri: ora sono {length}."));
    }
    match min {
        _ if length >= min => Ok(Answer::Text(said)),
        1 => Err("Scrivi una risposta.".to_owned()),
        _ => Err(format!(
            "Servono almeno {min} caratteri: ora sono {length}."
        )),
    }
}

fn read_number(question: &CalloutQuestion, said: &str) -> Result<Answer, String> {
    let value = in_figures(said).ok_or("Scrivi un numero, per esempio 350 o 12,50.")?;
    let broken = question.bound_broken(value);
    broken.map_or_else(|| Ok(Answer::Number(value.to_string())), Err)
}

/// A number of which nothing else is said, but that it is of euros.
fn in_figures(said: &str) -> Option<f64> {
    let bare: String = said.split_whitespace().collect();
    let bare = bare.to_lowercase();
    italian_number(bare.trim_matches('€').trim_end_matches("euro"))
}

/// In figures, as Italians write it: `1.250,50`.
pub(super) fn italian_number(bare: &str) -> Option<f64> {
    let (whole, decimals) = bare.split_once(',').unwrap_or((bare, ""));
    let thousands = whole.split_once('.').is_some_and(|(first, groups)| {
        (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && groups.split('.').all(|group| group.len() == 3)
    });
    let mut number = whole.to_owned();
    if thousands {
        number.retain(|sign| sign != '.');
    }
    if !decimals.is_empty() {
        number = format!("{number}.{decimals}");
    }
    let plain = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '-');
    let plain = number.len() <= 15 && number.chars().all(plain);
    number.parse().ok().filter(|_: &f64| plain)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a bound beyond 2^53 is nobody's"
)]
pub(super) const fn as_float(bound: i64) -> f64 {
    bound as f64
}

/// `12/03/2024`, with points or hyphens too, or `2024-03-12`.
fn read_date(said: &str) -> Result<Answer, String> {
    let said = said.replace(['-', '.', ' '], "/");
    let written = |form: &str| Date::strptime(form, &said).ok();
    let date = written("%d/%m/%Y").or_else(|| written("%Y/%m/%d"));
    // A year of two figures is none.
    let date = date.filter(|date| date.year() >= 1_000);
    let date = date.ok_or("Scrivi giorno, mese e anno, per esempio 12/03/2024.")?;
    Ok(Answer::Date(date))
}
