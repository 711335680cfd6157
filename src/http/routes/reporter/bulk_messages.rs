//! One message to the reporters of many reports: who has read it, who answered, and taking it back.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::actions::archive::sealing::open_listed;
use crate::actions::desk::bulk::{BulkChanged, NAMED, RefusedChange, STEP};
use crate::actions::desk::bulk_messages::{begin_messages, message_step, take_messages_back};
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::messages_of;
use crate::domain::message::Author;
use crate::domain::moment::rfc3339;
use crate::http::path::MessageBatch;
use crate::http::query::Strict;
use crate::http::routes::desk::bulk::{BulkId, outcome, targets};
use crate::http::routes::{
    Answer, ApiError, ApiResult, App, Editor, Json, Kind, List, PersonHead, Reader, list_of,
    people_heads, refusal,
};
use crate::http::selection::ReportQuery;
use crate::store::{SentRow, Snapshot};

/// Whom to write to: `ids`, `filter` or `story`; and what.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageToMany {
    /// Reporters of these reports, 2,000 at most.
    ids: Option<Vec<BulkId>>,
    /// Those of every report of this filter, 2,000 at most.
    filter: Option<ReportQuery>,
    /// Those of every report of this story, by id.
    story: Option<String>,
    /// The text.
    #[schema(max_length = 5000)]
    text: String,
}

/// What became of a message to many.
#[derive(Serialize, ToSchema)]
pub struct MessagesSent {
    /// The name under which it can be taken back.
    batch: String,
    /// To how many reporters it went.
    sent: usize,
    /// Reports that it did not go to.
    refused: Vec<RefusedChange>,
}

/// How many messages were taken back.
#[derive(Serialize, ToSchema)]
pub struct MessagesUndone {
    /// How many.
    undone: usize,
}

/// Which messages to many.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagesAsked {
    /// Only those of which one went to a report of this story, by id.
    story: Option<String>,
}

/// A message to many, as far as the caller sees their reports.
#[derive(Serialize, ToSchema)]
pub struct MessageRound {
    /// The name under which it can be taken back.
    batch: String,
    /// When it was written; RFC 3339, UTC.
    at: String,
    /// Who wrote it; null for the shared password.
    author: Option<PersonHead>,
    /// Its text.
    text: String,
    /// To how many reporters it went.
    sent: usize,
    /// How many have read it.
    read: usize,
    /// How many have written since.
    answered: usize,
    /// Their reports, the last one first.
    reports: Vec<MessageTarget>,
}

/// Whom a message to many went to.
#[derive(Serialize, ToSchema)]
pub struct MessageTarget {
    /// Id of the report.
    id: String,
    /// Whose it is.
    name: String,
    /// Whether they have read it.
    read: bool,
    /// Whether they have written since.
    answered: bool,
}

/// Writes the same to the reporters of many reports, in steps; they see it at once.
#[utoipa::path(post, path = "/messages/bulk", tag = "segnalazioni", request_body = MessageToMany,
    responses((status = 200, body = MessagesSent)))]
pub async fn write_to_many(
    admin: Editor,
    Json(asked): Json<MessageToMany>,
) -> Answer<MessagesSent> {
    let text = asked.text;
    let filter = asked.filter.xor(asked.story.map(ReportQuery::of_story));
    let (targets, filter) = targets(&admin, asked.ids, filter, (None, Vec::new())).await?;
    if targets.len() > NAMED {
        let message = format!("Un messaggio va al massimo a {NAMED} persone: restringi i filtri.");
        return Err(refusal("filter", "range", message));
    }
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(async move {
        let (batch, mut all) = (Uuid::new_v4().to_string(), BulkChanged::default());
        let said = text.clone();
        admin.change(move |act| begin_messages(act, &said)).await?;
        for step in targets.chunks(STEP) {
            let (step, batch, said) = (step.to_vec(), batch.clone(), text.clone());
            let done = admin.change(move |act| message_step(act, &batch, (&step, &filter), &said));
            all.add(done.await?);
            admin.dispatcher.wake();
        }
        let BulkChanged {
            changed: sent,
            refused,
            ..
        } = outcome(&admin, all).await?;
        Ok(Json(MessagesSent {
            batch,
            sent,
            refused,
        }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// Takes a message to many back, as far as the caller sees their reports; 409 once one of them has read it.
#[utoipa::path(post, operation_id = "take_messages_back", path = "/messages/bulk/{batch}/undo", tag = "segnalazioni",
    params(MessageBatch), responses((status = 200, body = MessagesUndone)))]
pub async fn take_back(admin: Editor, MessageBatch(batch): MessageBatch) -> Answer<MessagesUndone> {
    let undone = admin.change(move |act| take_messages_back(act, &batch));
    match undone.await? {
        0 => Err(Kind::NOT_FOUND.saying("Questo messaggio non c'è più.")),
        undone => Ok(Json(MessagesUndone { undone })),
    }
}

/// The last 20 messages to many, the latest first.
#[utoipa::path(get, operation_id = "messages_to_many", path = "/messages/bulk", tag = "segnalazioni", params(MessagesAsked),
    responses((status = 200, body = List<MessageRound>)))]
pub async fn batches(
    admin: Reader,
    Strict(asked): Strict<MessagesAsked>,
) -> Answer<List<MessageRound>> {
    let read = admin.read(move |app, snapshot| {
        let people = people_heads(snapshot)?;
        let sent = snapshot.sent_messages(asked.story.as_deref())?;
        let rounds = sent.chunk_by(|one, other| one.batch == other.batch);
        let rounds = rounds.map(|sent| round_of(app, snapshot, sent, &people));
        rounds.collect::<ApiResult<Vec<_>>>().map(list_of)
    });
    read.await.map(Json)
}

/// A batch, by its messages; what one of them says all do.
fn round_of(
    app: &App,
    snapshot: &Snapshot<'_>,
    sent: &[SentRow],
    people: &HashMap<String, PersonHead>,
) -> ApiResult<MessageRound> {
    let one = &sent[0];
    let row = present(snapshot, &one.report)?;
    let mut said = messages_of(snapshot, &app.vault, &row)?.into_iter();
    let own = said.find(|said| said.at == one.at && said.author == Author::Redazione);
    let target = |sent: &SentRow| {
        let row = snapshot.listed_of(&sent.report)?.ok_or(Kind::NOT_FOUND)?;
        let listed = open_listed(snapshot, &app.vault, &row)?;
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
        reports: sent.iter().map(target).collect::<ApiResult<_>>()?,
    })
}
