//! Many reports at once: which ones are meant, whose those are that a change left, and the messages that went to many.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::bulk::{BulkChanged, BulkTarget};
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::messages_of;
use crate::actions::{self, Error};
use crate::domain::message::Author;
use crate::domain::moment::rfc3339;
use crate::readings::desk::reports::ListMoment;
use crate::readings::desk::selection::Selection;
use crate::readings::{PersonHead, Reading, people_heads};
use crate::search::CancelToken;
use crate::store::{SentRow, Snapshot};

/// A message sent to several reporters, limited to the reports that the caller may see.
#[derive(Serialize, ToSchema)]
pub struct MessageRound {
    /// The id by which the message can be withdrawn.
    batch: String,
    /// When it was written; RFC 3339, UTC.
    at: String,
    /// Who wrote it; null for the shared password.
    author: Option<PersonHead>,
    /// Its text.
    text: String,
    /// The number of reporters who received it.
    sent: usize,
    /// The number of reporters who have read it.
    read: usize,
    /// The number of reporters who have written since.
    answered: usize,
    /// Their reports, the last one first.
    reports: Vec<MessageTarget>,
}

/// A recipient of a message to several reporters.
#[derive(Serialize, ToSchema)]
pub struct MessageTarget {
    /// Id of the report.
    id: String,
    /// The reporter's name.
    name: String,
    /// Whether they have read it.
    read: bool,
    /// Whether they have written since.
    answered: bool,
}

/// Which reports of a selection are meant.
#[derive(Default)]
pub struct Among {
    /// When the caller loaded the list. Reports that arrived later are left out.
    pub shown: Option<ListMoment>,
    /// Ids of those that are not meant.
    pub except: Vec<String>,
}

/// The reports of a selection that are meant.
pub fn found(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    among: &Among,
    cancel: &CancelToken,
) -> actions::Result<Vec<BulkTarget>> {
    let seqs = selection.all(reading, snapshot, cancel)?;
    // A caller who does not see all departments would learn arrival numbers by it.
    let newest = among.shown.and_then(|shown| shown.newest);
    let newest = newest.filter(|_| snapshot.visible_departments().is_all());
    let newest = newest.unwrap_or(i64::MAX);
    let at = among.shown.map_or(i64::MAX, |shown| shown.at);
    let rows = among.except.iter().map(|id| snapshot.listed_of(id));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let left: HashSet<i64> = rows.into_iter().flatten().map(|row| row.seq).collect();
    let wanted = |seq: &i64| *seq <= newest && !left.contains(seq);
    let seqs = seqs.into_iter().filter(wanted);
    Ok(seqs.map(|seq| BulkTarget::Found(seq, at)).collect())
}

/// The same, with whose the refused reports are.
pub fn named(
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

/// The last messages to many, the latest first; with a story, only those of which one went to a report of it.
pub fn rounds(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    story: Option<&str>,
) -> actions::Result<Vec<MessageRound>> {
    let people = people_heads(snapshot)?;
    let sent = snapshot.sent_messages(story)?;
    let rounds = sent.chunk_by(|one, other| one.batch == other.batch);
    let rounds = rounds.map(|sent| round_of(reading, snapshot, sent, &people));
    rounds.collect()
}

/// A batch, by its messages; what one of them says all do.
fn round_of(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    sent: &[SentRow],
    people: &HashMap<String, PersonHead>,
) -> actions::Result<MessageRound> {
    let one = &sent[0];
    let row = present(snapshot, &one.report)?;
    let mut said = messages_of(snapshot, &reading.vault, &row)?.into_iter();
    let own = said.find(|said| said.at == one.at && said.author == Author::Redazione);
    let target = |sent: &SentRow| {
        let row = snapshot.listed_of(&sent.report)?.ok_or(Error::NotFound)?;
        let listed = open_listed(snapshot, &reading.vault, &row)?;
        Ok(MessageTarget {
            id: row.id,
            name: format!("{} {}", listed.nome, listed.cognome),
            read: sent.read,
            answered: sent.answered,
        })
    };
    Ok(MessageRound {
        batch: one.batch.clone(),
        at: rfc3339(one.at),
        author: one.author.as_ref().and_then(|id| people.get(id).cloned()),
        text: own.map_or_else(String::new, |own| own.text),
        sent: sent.len(),
        read: sent.iter().filter(|one| one.read).count(),
        answered: sent.iter().filter(|one| one.answered).count(),
        reports: sent.iter().map(target).collect::<actions::Result<_>>()?,
    })
}
