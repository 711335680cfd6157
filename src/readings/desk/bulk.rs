//! The reading side of bulk changes: the reports that a call selects, the reporters' names of those refused, and the messages that
//! were sent to many reporters.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::bulk::{BulkChange, BulkChanged, BulkTarget, UNDO_MS};
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::messages_of;
use crate::actions::{self, Error};
use crate::domain::message::Author;
use crate::domain::moment::rfc3339;
use crate::readings::desk::reports::ListMoment;
use crate::readings::desk::selection::Selection;
use crate::readings::{PersonHead, Reading, people_heads};
use crate::search::CancelToken;
use crate::store::{BatchRow, SentRow, Snapshot};
use crate::vault::VaultError;

/// A message to many reporters, limited to the reports that the caller may see.
#[derive(Serialize, ToSchema)]
pub struct BulkMessage {
    /// The id by which the message can be taken back.
    batch: String,
    /// When it was written; RFC 3339, UTC.
    at: String,
    /// Who wrote it; null for the shared password.
    author: Option<PersonHead>,
    /// Its text.
    text: String,
    /// The number of questions that it asks.
    questions: usize,
    /// The number of reporters who received it.
    sent: usize,
    /// The number of reporters who have read it.
    read: usize,
    /// The number of reporters who have written since, or answered its questions.
    answered: usize,
    /// Their reports, the last one first.
    reports: Vec<BulkMessageRecipient>,
}

/// A recipient of a message to many reporters.
#[derive(Serialize, ToSchema)]
pub struct BulkMessageRecipient {
    /// Id of the report.
    id: String,
    /// The reporter's name.
    name: String,
    /// Whether they have read it.
    read: bool,
    /// Whether they have written since, or answered its questions.
    answered: bool,
}

/// A bulk change that can be undone.
#[derive(Serialize, ToSchema)]
#[schema(as = RecentChange)]
pub struct RecentChange {
    #[serde(flatten)]
    progress: BatchRow,
    /// Who began it; null for the shared password.
    author: Option<PersonHead>,
    /// What was asked for.
    change: BulkChange,
}

/// The bulk changes that this session can undo, the latest first. A caller who does not see all departments gets only the session's
/// own: how many reports another session changed is not for them to know.
pub fn batches(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    session: &[u8; 32],
) -> actions::Result<Vec<RecentChange>> {
    let since = reading.clock.now_ms() - UNDO_MS;
    let mut batches = snapshot.batches(since, session)?;
    batches.retain(|batch| batch.own || snapshot.visible_departments().is_all());
    let people = people_heads(snapshot)?;
    let recent = batches.into_iter().map(|progress| {
        let change = serde_json::from_str(&progress.change).map_err(|_| VaultError::Damaged)?;
        let author = progress.person.as_ref();
        let author = author.and_then(|id| people.get(id).cloned());
        Ok(RecentChange {
            progress,
            author,
            change,
        })
    });
    recent.collect()
}

/// The limits of a selection.
#[derive(Default)]
pub struct SelectionLimits {
    /// When the caller loaded the list. Reports that arrived later are left out.
    pub shown: Option<ListMoment>,
    /// Ids of the reports to leave out.
    pub except: Vec<String>,
}

/// The reports of a selection within its limits.
pub fn targets_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    limits: &SelectionLimits,
    cancel: &CancelToken,
) -> actions::Result<Vec<BulkTarget>> {
    selection.check(snapshot)?;
    let seqs = selection.all(reading, snapshot, cancel)?;
    // A caller who does not see all departments could find out arrival numbers with this limit.
    let newest = limits.shown.and_then(|shown| shown.newest);
    let newest = newest.filter(|_| snapshot.visible_departments().is_all());
    let newest = newest.unwrap_or(i64::MAX);
    let at = limits.shown.map_or(i64::MAX, |shown| shown.at);
    let rows = limits.except.iter().map(|id| snapshot.listed_of(id));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let left: HashSet<i64> = rows.into_iter().flatten().map(|row| row.seq).collect();
    let wanted = |seq: &i64| *seq <= newest && !left.contains(seq);
    let seqs = seqs.into_iter().filter(wanted);
    Ok(seqs
        .map(|seq| BulkTarget::BySeq { seq, shown: at })
        .collect())
}

/// Adds the reporters' names to the refused reports.
pub fn with_reporter_names(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    mut outcome: BulkChanged,
) -> actions::Result<BulkChanged> {
    for refused in &mut outcome.refused {
        if let Some(row) = snapshot.listed_of(&refused.id)? {
            let listed = open_listed(snapshot, &reading.vault, &row)?;
            refused.name = format!("{} {}", listed.nome, listed.cognome);
        }
    }
    Ok(outcome)
}

/// The last messages to many reporters, the latest first; with a story, only those that went to one of its reports.
pub fn messages_to_many(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    story: Option<&str>,
) -> actions::Result<Vec<BulkMessage>> {
    let people = people_heads(snapshot)?;
    let sent = snapshot.sent_messages(story)?;
    let batches = sent.chunk_by(|one, other| one.batch == other.batch);
    let messages = batches.map(|sent| message_of(reading, snapshot, sent, &people));
    messages.collect()
}

/// A message to many, from the rows of its batch, which all have the same text.
fn message_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    sent: &[SentRow],
    people: &HashMap<String, PersonHead>,
) -> actions::Result<BulkMessage> {
    let one = &sent[0];
    let row = present(snapshot, &one.report)?;
    let mut said = messages_of(snapshot, &reading.vault, &row)?.into_iter();
    let own = said.find(|said| said.at == one.at && said.author == Author::Redazione);
    let (text, questions) =
        own.map_or_else(Default::default, |own| (own.text, own.questions.len()));
    let target = |sent: &SentRow| {
        let row = snapshot.listed_of(&sent.report)?.ok_or(Error::NotFound)?;
        let listed = open_listed(snapshot, &reading.vault, &row)?;
        Ok(BulkMessageRecipient {
            id: row.id,
            name: format!("{} {}", listed.nome, listed.cognome),
            read: sent.read,
            answered: sent.answered,
        })
    };
    Ok(BulkMessage {
        batch: one.batch.clone().unwrap_or_default(),
        at: rfc3339(one.at),
        author: one.author.as_ref().and_then(|id| people.get(id).cloned()),
        text,
        questions,
        sent: sent.len(),
        read: sent.iter().filter(|one| one.read).count(),
        answered: sent.iter().filter(|one| one.answered).count(),
        reports: sent.iter().map(target).collect::<actions::Result<_>>()?,
    })
}
