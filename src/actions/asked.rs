//! What a message asks of its reporter and what they answered, as it is stored: sealed for the receipt.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::actions::archive::sealing::or_stand_in;
use crate::actions::{Error, Result};
use crate::domain::asked::{Asked, Consent, checked};
use crate::domain::callout::{CalloutQuestion, ReportAnswer};
use crate::domain::message::{Author, MessageAnswers};
use crate::store::{AnswersRow, ConsentRow, Snapshot};
use crate::vault::{Secret32, VaultError, open_with_receipt, seal_for_receipt};

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

/// A consent as it is shown.
pub fn consent(row: ConsentRow) -> Consent {
    Consent {
        id: row.message,
        kind: row.kind,
        given: row.given,
        asked: row.asked,
        answered: row.answered,
    }
}

/// Answers are bound to their report and to the message that asked.
pub(in crate::actions) fn answers_bound(report: &str, message: i64) -> String {
    format!("{report} {} {message}", Author::Segnalante.as_str())
}
