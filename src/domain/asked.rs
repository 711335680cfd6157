//! What a message to a reporter asks besides its text (`PRODUCT.md §19`): up to six questions back, or a consent.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::callout::{Answer, Callout, CalloutQuestion, Need, ReportAnswer, problems};
use super::declare::names;
use super::invalid::Invalid;
use super::moment;
use super::text::is_blank;

/// Questions of one message, at most.
pub const QUESTIONS: usize = 6;

names! {
    /// What a reporter may consent to.
    pub enum ConsentKind {
        /// To be called or written to.
        Ricontatto = "ricontatto",
        /// To be named.
        Nome = "nome",
        /// To be heard.
        Voce = "voce",
        /// To be seen.
        Volto = "volto",
        /// To have their documents published.
        Documenti = "documenti",
    }
}

impl ConsentKind {
    /// Its bit among the consents of a report.
    pub const fn bit(self) -> i64 {
        1 << self as u8
    }
}

/// What a message asks, as it is sealed beside its text.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    pub questions: Vec<CalloutQuestion>,
}

/// An answer of a reporter to a question of a message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerIn {
    /// Key of the question.
    pub key: String,
    /// A text, a number, `YYYY-MM-DD`, true or false, the key of an option, or keys; where a number or a day is asked for, also words.
    /// Null or empty to skip the question.
    #[schema(value_type = Value)]
    pub value: Value,
}

/// A consent that was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Consent {
    /// The number by which the reporter answers it.
    pub id: i64,
    /// What to.
    pub kind: ConsentKind,
    /// Whether it is given; null before it is answered.
    pub given: Option<bool>,
    /// When it was asked for; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub asked: i64,
    /// When it was answered last; RFC 3339, UTC.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "moment::serialize")]
    pub answered: Option<i64>,
    /// When it was given last, also where it was taken back since; RFC 3339, UTC.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "moment::serialize")]
    pub given_at: Option<i64>,
}

impl Consent {
    /// What was decided last, in words. `at` writes a moment (ms).
    pub fn line(&self, at: impl Fn(i64) -> String) -> String {
        let kind = self.kind.as_str();
        let when = at(self.answered.unwrap_or(self.asked));
        let decided = match (self.given, self.given_at) {
            (None, _) => "senza risposta".to_owned(),
            (Some(true), _) => format!("dato il {when}"),
            (Some(false), None) => format!("negato il {when}"),
            (Some(false), Some(given)) => format!("dato il {}, ritirato il {when}", at(given)),
        };
        format!("Consenso ({kind}): {decided}")
    }
}

/// A consent with the words that it was asked for in.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskedConsent {
    #[serde(flatten)]
    pub consent: Consent,
    /// The exact words.
    pub text: String,
}

impl AskedConsent {
    /// When it was decided last or, undecided, asked for; in ms.
    pub fn at(&self) -> i64 {
        self.consent.answered.unwrap_or(self.consent.asked)
    }
}

/// The questions of a message, with a key each; refused at their fields.
///
/// # Errors
/// What a callout with these questions would be refused for, a question that leads elsewhere, or more than [`QUESTIONS`].
pub fn checked(mut questions: Vec<CalloutQuestion>) -> Result<Vec<CalloutQuestion>, Vec<Invalid>> {
    for (at, question) in questions.iter_mut().enumerate() {
        if question.key.is_empty() {
            question.key = format!("d{}", at + 1);
        }
        question.required = false;
    }
    if questions.len() > QUESTIONS {
        let message = format!("Al massimo {QUESTIONS} domande.");
        return Err(vec![Invalid::new("questions", "tooMany", message)]);
    }
    let callout = Callout {
        slug: "domande".to_owned(),
        title: "Domande".to_owned(),
        account: Need::Optional,
        questions,
        ..Callout::default()
    };
    let mut found = problems(&callout);
    for (at, question) in callout.questions.iter().enumerate() {
        if question.options.iter().any(|option| option.next.is_some()) {
            let message = "In un messaggio le risposte non portano altrove.";
            let field = format!("questions.{at}.options");
            found.push(Invalid::new(field, "route", message));
        }
    }
    if found.is_empty() {
        Ok(callout.questions)
    } else {
        Err(found)
    }
}

/// What is answered from now on, in the order of the questions: what was answered `before`, but for what is given now. A question
/// that was skipped is left out. `Err`: the faults, at `answers.KEY`.
pub fn read_answers(
    questions: &[CalloutQuestion],
    before: &[ReportAnswer],
    given: &[AnswerIn],
) -> Result<Vec<ReportAnswer>, Vec<Invalid>> {
    let mut faults = Vec::new();
    let known = |answer: &&AnswerIn| questions.iter().any(|question| question.key == answer.key);
    for answer in given.iter().filter(|answer| !known(answer)) {
        let message = "Questa domanda non c’è.";
        faults.push(Invalid::new(
            format!("answers.{}", answer.key),
            "unknown",
            message,
        ));
    }
    let mut kept = Vec::new();
    for question in questions {
        let Some(answer) = given.iter().rfind(|answer| answer.key == question.key) else {
            kept.extend(before.iter().find(|one| one.key == question.key).cloned());
            continue;
        };
        match read_answer(question, &answer.value) {
            Ok(answer) => kept.extend(question.kept(&answer)),
            Err(message) => {
                let field = format!("answers.{}", question.key);
                faults.push(Invalid::new(field, "answer", message));
            }
        }
    }
    if faults.is_empty() {
        Ok(kept)
    } else {
        Err(faults)
    }
}

fn read_answer(question: &CalloutQuestion, value: &Value) -> Result<Answer, String> {
    let said = said(value).ok_or("Questa risposta non si può leggere.")?;
    if is_blank(&said) {
        return Ok(Answer::Skipped);
    }
    // A key is no word: another option may be called so.
    let keys: Vec<&str> = said.lines().collect();
    let chosen = question.by_keys(&keys);
    chosen.map_or_else(|| question.read_or_keep(&said), Ok)
}

/// A value as it would be said: a callout's questions are read from words.
fn said(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::Bool(yes) => if *yes { "si" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(keys) => {
            let keys = keys.iter().filter_map(Value::as_str);
            keys.collect::<Vec<_>>().join("\n")
        }
        Value::Number(number) => number.to_string().replace('.', ","),
        Value::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::callout::{AnswerKind, CalloutOption};
    use serde_json::json;

    fn question(kind: AnswerKind, options: &[(&str, &str)]) -> CalloutQuestion {
        let option = |(key, text): &(&str, &str)| CalloutOption {
            key: (*key).to_owned(),
            text: (*text).to_owned(),
            next: None,
        };
        CalloutQuestion {
            key: "q".to_owned(),
            kind,
            max: (kind == AnswerKind::Number).then_some(2_000),
            text: "Che cosa?".to_owned(),
            options: options.iter().map(option).collect(),
            ..CalloutQuestion::default()
        }
    }

    #[test]
    fn values_of_every_kind_are_read_and_others_refused() {
        let options = [("a", "Di giorno"), ("b", "Di notte, tardi")];
        for (kind, options, value, text) in [
            (AnswerKind::Text, &[][..], json!(" ieri "), Some("ieri")),
            (AnswerKind::Text, &[], json!(""), Some("")),
            (AnswerKind::Number, &[], json!(12.5), Some("12,5")),
            (AnswerKind::Number, &[], json!("1.250,50"), Some("1250,5")),
            (AnswerKind::Number, &[], json!("{}"), Some("{}")),
            (AnswerKind::Number, &[], json!({}), None),
            (AnswerKind::Number, &[], json!("€ 350"), Some("350")),
            (AnswerKind::Number, &[], json!("2001"), None),
            (
                AnswerKind::Date,
                &[],
                json!("2026-03-12"),
                Some("12/03/2026"),
            ),
            (AnswerKind::Text, &[], json!("\u{200b} \n"), Some("")),
            (AnswerKind::YesNo, &[], json!(false), Some("No")),
            (AnswerKind::YesNo, &[], json!("Sì"), Some("Sì")),
            (
                AnswerKind::Choice,
                &options,
                json!("b"),
                Some("Di notte, tardi"),
            ),
            (AnswerKind::Choice, &options, json!("c"), None),
            (
                AnswerKind::Choices,
                &options,
                json!(["b", "a"]),
                Some("Di giorno, Di notte, tardi"),
            ),
            (AnswerKind::Choices, &options, json!([]), Some("")),
            (AnswerKind::Choices, &options, json!({"a": true}), None),
            (AnswerKind::Text, &[], Value::Null, Some("")),
        ] {
            let given = AnswerIn {
                key: "q".to_owned(),
                value: value.clone(),
            };
            let read = read_answers(&[question(kind, options)], &[], &[given]);
            let read = read.map(|kept| kept.into_iter().map(|one| one.text).collect::<String>());
            assert_eq!(read.ok().as_deref(), text, "{kind:?} {value}");
        }
    }

    #[test]
    fn what_is_no_number_and_no_day_stays_in_the_reporters_words() {
        for (kind, said) in [
            (AnswerKind::Number, "una decina"),
            (AnswerKind::Number, "non mi ricordo, forse 3"),
            (AnswerKind::Number, "3 o 4"),
            (AnswerKind::Number, "boh"),
            (AnswerKind::Date, "12/11"),
            (AnswerKind::Date, "l'anno scorso"),
            (AnswerKind::Date, "31/02/2026"),
            (AnswerKind::Date, "🤷"),
            (AnswerKind::Text, "في المصنع القديم"),
        ] {
            let given = AnswerIn {
                key: "q".to_owned(),
                value: json!(said),
            };
            let read = read_answers(&[question(kind, &[])], &[], &[given]).unwrap();
            assert_eq!((&*read[0].text, &read[0].value), (said, &json!(said)));
        }
    }

    #[test]
    fn a_text_may_be_as_long_as_a_message_and_no_longer() {
        for (chars, taken) in [(4_000, true), (5_000, true), (5_001, false)] {
            for kind in [AnswerKind::Text, AnswerKind::Date] {
                let given = AnswerIn {
                    key: "q".to_owned(),
                    value: json!("è".repeat(chars)),
                };
                let read = read_answers(&[question(kind, &[])], &[], &[given]);
                assert_eq!(read.is_ok(), taken, "{kind:?} {chars}");
            }
        }
    }

    #[test]
    fn an_option_is_told_by_its_key_though_another_is_called_so() {
        let classes = question(
            AnswerKind::Choice,
            &[("a", "C"), ("b", "B"), ("c", "A"), ("d", "2")],
        );
        for (key, text) in [("a", "C"), ("c", "A"), ("d", "2")] {
            let given = AnswerIn {
                key: "q".to_owned(),
                value: json!(key),
            };
            let read = read_answers(std::slice::from_ref(&classes), &[], &[given]).unwrap();
            assert_eq!(read[0].text, text);
        }
    }

    #[test]
    fn an_unknown_question_is_refused_at_its_name() {
        let given = AnswerIn {
            key: "x".to_owned(),
            value: json!("sì"),
        };
        let faults = read_answers(&[question(AnswerKind::Text, &[])], &[], &[given]).unwrap_err();
        assert_eq!(faults[0].field, "answers.x");
    }

    #[test]
    fn questions_get_keys_and_lead_nowhere() {
        let mut bare = question(AnswerKind::Choice, &[("a", "A"), ("b", "B")]);
        bare.key.clear();
        bare.required = true;
        let read = checked(vec![bare.clone()]).unwrap();
        assert_eq!((&*read[0].key, read[0].required), ("d1", false));
        bare.options[0].next = Some("end:Grazie".to_owned());
        assert!(checked(vec![bare.clone()]).is_err());
        bare.options.truncate(1);
        assert!(checked(vec![bare]).is_err());
        let seven = vec![question(AnswerKind::Text, &[]); 7];
        assert_eq!(checked(seven).unwrap_err()[0].code, "tooMany");
    }
}
