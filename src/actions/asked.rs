//! What a message asks of its reporter and what they answered, as it is stored: sealed for the receipt.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::actions::archive::sealing::{open_receipt_key, or_stand_in};
use crate::actions::{Error, Result};
use crate::domain::asked::{Asked, Consent, checked};
use crate::domain::callout::{CalloutQuestion, ReportAnswer};
use crate::domain::message::{Author, MessageAnswers};
use crate::store::{AnswersRow, ConsentRow, ReportRow, Snapshot};
use crate::vault::{Secret32, Vault, VaultError, open_with_receipt, seal_for_receipt};

/// Questions that go with a message; `None` for none.
pub(in crate::actions) fn of_message(questions: Vec<CalloutQuestion>) -> Result<Option<Asked>> {
    let questions = checked(questions).map_err(Error::Invalid)?;
    Ok(Some(Asked { questions }).filter(|asked| !asked.questions.is_empty()))
}

/// Seals what stands beside a text that is bound so.
pub(in crate::actions) fn seal(
    receipt: &Secret32,
    bound: &str,
    value: &impl Serialize,
) -> Result<Vec<u8>> {
    let bytes = serde_json::to_vec(value).map_err(|_| VaultError::Damaged)?;
    Ok(seal_for_receipt(receipt, &beside(bound), &bytes)?)
}

fn open<T: DeserializeOwned>(receipt: Option<&Secret32>, bound: &str, sealed: &[u8]) -> Result<T> {
    let bytes = open_with_receipt(receipt.ok_or(VaultError::Damaged)?, &beside(bound), sealed)?;
    serde_json::from_slice(&bytes).map_err(|_| Error::Vault(VaultError::Damaged))
}

/// What is asked, or answered, never passes for a text.
fn beside(bound: &str) -> String {
    format!("{bound} domande")
}

/// The questions of a message that is bound so; none where they do not open.
pub(in crate::actions) fn questions(
    receipt: Option<&Secret32>,
    bound: &str,
    report: &str,
    sealed: Option<&[u8]>,
) -> Result<Vec<CalloutQuestion>> {
    let Some(sealed) = sealed else {
        return Ok(Vec::new());
    };
    let asked = open::<Asked>(receipt, bound, sealed);
    Ok(or_stand_in(asked, report, Asked::default)?.questions)
}

/// Answers and consents of a report, by the messages that asked.
pub(in crate::actions) struct OfReport {
    answers: HashMap<i64, MessageAnswers>,
    consents: HashMap<i64, Consent>,
}

impl OfReport {
    pub(in crate::actions) fn take(
        &mut self,
        message: i64,
    ) -> (Option<MessageAnswers>, Option<Consent>) {
        (
            self.answers.remove(&message),
            self.consents.remove(&message),
        )
    }
}

pub(in crate::actions) fn of_report(
    snapshot: &Snapshot<'_>,
    receipt: Option<&Secret32>,
    report: &str,
) -> Result<OfReport> {
    let answers = snapshot.answers(report)?.into_iter().map(|row| {
        let opened = open(receipt, &answers_bound(report, row.message), &row.body);
        let data: Vec<ReportAnswer> = or_stand_in(opened, report, Vec::new)?;
        let AnswersRow {
            at, read, message, ..
        } = row;
        Ok((message, MessageAnswers { data, at, read }))
    });
    let consents = snapshot.consents(report)?.into_iter();
    Ok(OfReport {
        answers: answers.collect::<Result<_>>()?,
        consents: consents.map(|row| (row.message, consent(row))).collect(),
    })
}

/// What the reporter answered or decided last, and when (ms).
pub(in crate::actions) fn last_decided(
    snapshot: &Snapshot<'_>,
    receipt: Option<&Secret32>,
    report: &str,
) -> Result<Option<(i64, String)>> {
    let OfReport { answers, consents } = of_report(snapshot, receipt, report)?;
    let answers = answers.into_values().map(|one| (one.at, words(&one.data)));
    let consents = consents.into_values().filter_map(|one| {
        let given = if one.given? { "sì" } else { "no" };
        Some((
            one.answered?,
            format!("Consenso ({}): {given}", one.kind.as_str()),
        ))
    });
    Ok(answers.chain(consents).max_by_key(|(at, _)| *at))
}

/// The answers to the questions of a report's messages, in words.
pub fn answered_words(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<Vec<String>> {
    let key = open_receipt_key(snapshot, vault, row);
    let key = or_stand_in(key, &row.id, || None)?;
    let OfReport { answers, .. } = of_report(snapshot, key.as_ref(), &row.id)?;
    let answers = answers.into_values().flat_map(|one| one.data);
    Ok(answers.map(|one| one.text).collect())
}

fn words(answers: &[ReportAnswer]) -> String {
    if answers.is_empty() {
        return "Ha saltato le domande.".to_owned();
    }
    let texts: Vec<&str> = answers.iter().map(|one| &*one.text).collect();
    texts.join(" · ")
}

/// A consent as it is shown.
pub fn consent(row: ConsentRow) -> Consent {
    Consent {
        id: row.message,
        kind: row.kind,
        given: row.given,
        asked: row.asked,
        answered: row.answered,
        given_at: row.given_at,
    }
}

/// Answers are bound to their report and to the message that asked.
pub(in crate::actions) fn answers_bound(report: &str, message: i64) -> String {
    format!("{report} {} {message}", Author::Segnalante.as_str())
}
