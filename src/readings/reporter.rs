//! Newsroom and reporter: what they write to each other, and a report as its reporter follows it.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::desk::attachments::Attachment;
use super::{PersonHead, Reading, people_heads};
use crate::actions;
use crate::actions::archive::sealing::open_report;
use crate::actions::desk::edit_reports::present;
use crate::actions::intake::attachments::{key_by_code, name_of};
use crate::actions::reporter;
use crate::domain::message::{Author, Message, ReportProgress, Withdrawal};
use crate::domain::moment::rfc3339;
use crate::domain::report::Report;
use crate::store::{AttachmentRow, ChangeKind, ReportRow, Snapshot};
use crate::vault::ReceiptCode;

/// A message, as the newsroom reads it.
#[derive(Serialize, ToSchema)]
pub struct DeskMessage {
    #[serde(flatten)]
    message: Message,
    /// The member of the newsroom who wrote it; null for the shared password and for the reporter.
    author: Option<PersonHead>,
}

/// The messages about a report.
#[derive(Serialize, ToSchema)]
pub struct MessageList {
    /// Oldest first.
    pub data: Vec<DeskMessage>,
    /// Whether the reporter has a receipt, and so can read and write.
    receipt: bool,
    /// Whether the reporter waits for an answer.
    unread: bool,
}

/// A report, as its reporter follows it. Moments are RFC 3339, UTC.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportTold {
    /// Whether the newsroom has opened it.
    pub opened: bool,
    /// How far it has come.
    pub state: ReportProgress,
    /// When it was received.
    #[serde(rename = "data_creazione")]
    pub data_creazione: String,
    /// When the newsroom first opened it.
    pub opened_at: Option<String>,
    /// When work on it was last taken up.
    pub working_at: Option<String>,
    /// Since when it is concluded.
    pub concluded_at: Option<String>,
    /// When the promise that it is read is due.
    pub first_due: Option<String>,
    /// When that promise was kept: work on it began, or the newsroom wrote to its reporter.
    pub first_kept: Option<String>,
    /// When the promise that its reporter learns the outcome is due. Concluding the report keeps it.
    pub outcome_due: Option<String>,
    /// The last request to withdraw it.
    pub withdrawal: Option<Withdrawal>,
    /// When the newsroom answered that request.
    pub withdrawal_answered: Option<String>,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// The files of the report.
    pub attachments: Vec<Attachment>,
}

/// All data of a report that belongs to its reporter.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnData {
    #[serde(flatten)]
    report: Report,
    /// Version of the privacy notice that was shown.
    privacy_version: String,
    #[serde(flatten)]
    told: ReportTold,
}

/// The messages about a report, as the newsroom reads them.
pub fn messages(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    id: &str,
) -> actions::Result<MessageList> {
    let row = present(snapshot, id)?;
    let people = people_heads(snapshot)?;
    let mut writers: HashMap<i64, String> = HashMap::new();
    for change in snapshot.history(id)? {
        if change.kind == ChangeKind::Messaggio {
            writers.extend(change.author.map(|author| (change.at, author)));
        }
    }
    let messages = reporter::messages_of(snapshot, &reading.vault, &row)?.into_iter();
    let data = messages.map(|message| {
        let writer = writers.get(&message.at);
        let writer = writer.filter(|_| message.author == Author::Redazione);
        DeskMessage {
            author: writer.and_then(|id| people.get(id).cloned()),
            message,
        }
    });
    Ok(MessageList {
        data: data.collect(),
        receipt: row.chiave.is_some(),
        unread: row.attende.is_some(),
    })
}

/// A report, what was written about it and its files, opened with its code.
pub fn told(
    snapshot: &Snapshot<'_>,
    row: &ReportRow,
    code: &ReceiptCode,
) -> actions::Result<ReportTold> {
    let files = snapshot.attachments_of(&row.id)?.into_iter();
    let file = |row: AttachmentRow| {
        let name = name_of(key_by_code(code, &row), &row)?;
        Ok(Attachment::of(row, &name))
    };
    let milestones = snapshot.milestones(&row.id)?.unwrap_or_default();
    let answered = milestones
        .withdrawal_answered
        .filter(|_| row.ritiro.is_none());
    Ok(ReportTold {
        opened: row.aperta.is_some(),
        state: ReportProgress::of(row.stato),
        data_creazione: rfc3339(row.data_creazione),
        opened_at: row.aperta.map(rfc3339),
        working_at: milestones.working.map(rfc3339),
        concluded_at: milestones.concluded.map(rfc3339),
        first_due: row.prima_entro.map(rfc3339),
        first_kept: milestones.first_kept.map(rfc3339),
        outcome_due: row.esito_entro.map(rfc3339),
        withdrawal: milestones.withdrawal_asked.map(Withdrawal::asked),
        withdrawal_answered: answered.map(rfc3339),
        messages: reporter::messages(snapshot, Some(&code.key()?), &row.id)?,
        attachments: files.map(file).collect::<actions::Result<_>>()?,
    })
}

/// All data of a report that belongs to its reporter.
pub fn own_data(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    row: ReportRow,
    code: &ReceiptCode,
) -> actions::Result<OwnData> {
    Ok(OwnData {
        report: open_report(snapshot, &reading.vault, &row)?,
        told: told(snapshot, &row, code)?,
        privacy_version: row.privacy_version,
    })
}
