//! What became of the questions of a message to many: who read it, who answered, and how often each option was chosen.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::messages_of;
use crate::domain::callout::{CalloutQuestion, ReportAnswer};
use crate::domain::message::Message;
use crate::readings::Reading;
use crate::store::{SentRow, Snapshot};

/// The answers to a message to many.
#[derive(Serialize, ToSchema)]
pub struct BatchAnswers {
    /// What was asked.
    questions: Vec<CalloutQuestion>,
    /// A row for each report that it went to.
    data: Vec<BatchAnswer>,
    /// How often each option was chosen, by the key of its question.
    counts: BTreeMap<String, Vec<OptionCount>>,
}

impl BatchAnswers {
    /// What was asked.
    pub fn questions(&self) -> &[CalloutQuestion] {
        &self.questions
    }

    /// What the reporter of a report answered, by the keys of the questions; `None` where the message did not go there.
    pub fn of(&self, report: &str) -> Option<&BTreeMap<String, String>> {
        let mut rows = self.data.iter();
        let row = rows.find(|row| row.report == report)?;
        Some(&row.answers)
    }

    /// The reports that it went to.
    pub fn reports(&self) -> impl Iterator<Item = &str> {
        self.data.iter().map(|row| &*row.report)
    }

    /// The reports whose reporters answered.
    pub fn answering(&self) -> Vec<String> {
        let answered = self.data.iter().filter(|row| row.answered);
        answered.map(|row| row.report.clone()).collect()
    }
}

/// What one reporter answered.
#[derive(Serialize, ToSchema)]
pub struct BatchAnswer {
    /// Id of the report.
    report: String,
    /// Whether its reporter has read the message.
    read: bool,
    /// Whether they answered one of the questions.
    answered: bool,
    /// The answers in words, by the keys of their questions.
    answers: BTreeMap<String, String>,
}

/// How often an option was chosen.
#[derive(Serialize, ToSchema)]
pub struct OptionCount {
    /// Its key.
    option: String,
    /// How often.
    n: usize,
}

/// The answers of a batch within the reports in sight; `None` for a batch that there is not.
pub fn batch_answers(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    batch: &str,
) -> actions::Result<Option<BatchAnswers>> {
    let sent = snapshot.batch_messages(batch)?;
    let mut asked = Vec::new();
    for one in &sent {
        asked.push((one, message(reading, snapshot, one)?));
    }
    if asked.is_empty() {
        return Ok(None);
    }
    let questions = asked.iter().find_map(|(_, message)| message.as_ref());
    let questions = questions.map_or_else(Vec::new, |message| message.questions.clone());
    let given: Vec<&ReportAnswer> = asked
        .iter()
        .flat_map(|(_, message)| answers(message.as_ref()))
        .collect();
    Ok(Some(BatchAnswers {
        counts: counts(&questions, &given),
        data: asked
            .iter()
            .map(|(sent, message)| row(sent, message.as_ref()))
            .collect(),
        questions,
    }))
}

/// The message of a batch as it stands at a report.
fn message(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    sent: &SentRow,
) -> actions::Result<Option<Message>> {
    let row = present(snapshot, &sent.report)?;
    let messages = messages_of(snapshot, &reading.vault, &row)?.into_iter();
    Ok(messages.into_iter().find(|one| one.id == sent.n))
}

fn answers(message: Option<&Message>) -> &[ReportAnswer] {
    message.map_or(&[], Message::given)
}

fn row(sent: &SentRow, message: Option<&Message>) -> BatchAnswer {
    let given = answers(message);
    let answer = |one: &ReportAnswer| (one.key.clone(), one.text.clone());
    BatchAnswer {
        report: sent.report.clone(),
        read: sent.read,
        answered: !given.is_empty(),
        answers: given.iter().map(answer).collect(),
    }
}

fn counts(
    questions: &[CalloutQuestion],
    given: &[&ReportAnswer],
) -> BTreeMap<String, Vec<OptionCount>> {
    let count = |question: &CalloutQuestion, key: &str| {
        let own = given.iter().filter(|one| one.key == question.key);
        own.filter(|one| one.chosen().contains(&key)).count()
    };
    let counted = questions
        .iter()
        .filter(|one| one.kind.has_choices())
        .map(|question| {
            let choices = question.choices().into_iter();
            let options = choices.map(|option| OptionCount {
                n: count(question, &option.key),
                option: option.key,
            });
            (question.key.clone(), options.collect())
        });
    counted.collect()
}
