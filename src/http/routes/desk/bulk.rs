//! Changes of many reports at once, and messages to their reporters: how far they have come, who has read and answered, and taking
//! them back.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::desk;
use crate::actions::desk::bulk::{
    BulkChange, BulkChanged, BulkTarget, NAMED, RefusedChange, STEP, begin_batch, begin_messages,
    begin_undo, change_step, message_step, take_messages_back, undo_step,
};
use crate::actions::desk::stories::present_story;
use crate::domain::message::ReplyIn;
use crate::http::hang_up::CancelOnDrop;
use crate::http::path::{BatchId, MessageBatch};
use crate::http::query::Strict;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, List, Reader, list_of, refusal,
};
use crate::readings::desk::bulk::{self, Among, MessageRound};
use crate::readings::desk::reports::ListMoment;
use crate::readings::desk::selection::{ReportQuery, Selection};
use crate::store::{BatchRow, ListFilter};

/// Which reports to change, and how: `ids` or `filter`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkAsked {
    /// These reports, 2,000 at most.
    ids: Option<Vec<BulkId>>,
    /// Every report of this filter.
    filter: Option<ReportQuery>,
    /// When the caller loaded the list. Reports that arrived later are left alone; reports that changed later are
    /// refused.
    shown: Option<ListMoment>,
    /// Ids of reports of the filter that stay as they are, 2,000 at most.
    #[serde(default)]
    except: Vec<String>,
    /// The change to make.
    change: BulkChange,
}

/// A report to change: its id, or its id and the version that was shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum BulkId {
    /// The report in any version.
    Plain(String),
    /// The report in this version only.
    Shown(ShownReport),
}

/// A report as it was shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownReport {
    /// 36-character id.
    id: String,
    /// Its version.
    version: i64,
}

/// The outcome of a bulk change.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkOutcome {
    /// The number by which the change can be undone for ten minutes.
    pub batch: i64,
    #[serde(flatten)]
    outcome: BulkChanged,
}

/// A message and its recipients: `ids`, `filter` or `story`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageToMany {
    /// Reporters of these reports, 2,000 at most.
    ids: Option<Vec<BulkId>>,
    /// The reporters of every report that matches this filter, 2,000 at most.
    filter: Option<ReportQuery>,
    /// The reporters of every report of this story, by id.
    story: Option<String>,
    /// The text.
    #[schema(max_length = 5000)]
    text: String,
    /// A key chosen by the sender. A repeated call with the same key sends to no reporter twice.
    #[schema(max_length = 36)]
    key: Option<String>,
}

/// The outcome of a message to several reporters.
#[derive(Serialize, ToSchema)]
pub struct MessagesSent {
    /// The id by which the message can be withdrawn.
    batch: String,
    /// The number of reporters who received it.
    sent: usize,
    /// Reports whose reporters did not receive it.
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
    /// Only messages that went to a report of this story, by the story's id.
    story: Option<String>,
}

/// Changes status, department, urgency, labels or person of many reports, in steps.
#[utoipa::path(post, path = "/reports/bulk", tag = "segnalazioni", request_body = BulkAsked,
    responses((status = 200, body = BulkOutcome)))]
pub async fn change_many(admin: Editor, Json(asked): Json<BulkAsked>) -> Answer<BulkOutcome> {
    let among = Among {
        shown: asked.shown,
        except: asked.except,
    };
    let (targets, filter) = targets(&admin, asked.ids, asked.filter, among).await?;
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(change_all(admin, targets, filter, asked.change));
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn change_all(
    admin: Editor,
    targets: Vec<BulkTarget>,
    filter: ListFilter,
    change: BulkChange,
) -> Answer<BulkOutcome> {
    let (total, wish) = (targets.len(), change.clone());
    let session = admin.token_hash;
    let begun = admin.change(move |act| begin_batch(act, total, &wish, &session));
    let (batch, mut all) = (begun.await?, BulkChanged::default());
    for step in targets.chunks(STEP) {
        let (step, change) = (step.to_vec(), change.clone());
        let done = admin.change(move |act| change_step(act, batch, &step, &filter, &change));
        let Some(done) = done.await? else {
            break;
        };
        all.add(done);
    }
    let outcome = outcome(&admin, all).await?;
    Ok(Json(BulkOutcome { batch, outcome }))
}

/// Undoes a bulk change. Reports that were changed since stay as they are.
#[utoipa::path(post, path = "/reports/bulk/{batch}/undo", tag = "segnalazioni", params(BatchId),
    responses((status = 200, body = BulkOutcome)))]
pub async fn undo(admin: Editor, BatchId(batch): BatchId) -> Answer<BulkOutcome> {
    let whole = tokio::spawn(async move {
        let session = admin.token_hash;
        admin
            .change(move |act| begin_undo(act, batch, &session))
            .await?;
        let mut all = BulkChanged::default();
        while let Some(done) = admin.change(move |act| undo_step(act, batch)).await? {
            all.add(done);
        }
        let outcome = outcome(&admin, all).await?;
        Ok(Json(BulkOutcome { batch, outcome }))
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// The bulk changes that can be undone, the latest first, with their progress. Callers who do not see all departments
/// get only their own.
#[utoipa::path(get, path = "/reports/bulk", tag = "segnalazioni", responses((status = 200, body = List<BatchRow>)))]
pub async fn batches(admin: Editor) -> Answer<List<BatchRow>> {
    let session = admin.token_hash;
    let read = admin
        .read(move |app, snapshot| desk::bulk::batches(snapshot, app.clock.now_ms(), &session));
    read.await.map(list_of).map(Json)
}

/// Sends one message to the reporters of many reports, in steps. The reporters see it at once.
#[utoipa::path(post, path = "/messages/bulk", tag = "segnalazioni", request_body = MessageToMany,
    responses((status = 200, body = MessagesSent)))]
pub async fn write_to_many(
    admin: Editor,
    Json(asked): Json<MessageToMany>,
) -> Answer<MessagesSent> {
    let (text, key) = (asked.text, asked.key);
    let filter = asked.filter.xor(asked.story.map(ReportQuery::of_story));
    let (targets, filter) = targets(&admin, asked.ids, filter, Among::default()).await?;
    if targets.len() > NAMED {
        let message = format!("Un messaggio va al massimo a {NAMED} persone: restringi i filtri.");
        return Err(refusal("filter", "range", message));
    }
    let said = ReplyIn {
        text,
        key,
        ..ReplyIn::default()
    };
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(send_all(admin, targets, filter, said));
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn send_all(
    admin: Editor,
    targets: Vec<BulkTarget>,
    filter: ListFilter,
    said: ReplyIn,
) -> Answer<MessagesSent> {
    let (begun, mut all) = (said.clone(), BulkChanged::default());
    let begun = admin.change(move |act| begin_messages(act, &begun));
    let batch = begun.await?;
    for step in targets.chunks(STEP) {
        let (step, batch, said) = (step.to_vec(), batch.clone(), said.clone());
        let done = admin.change(move |act| message_step(act, &batch, (&step, &filter), &said));
        all.add(done.await?);
        admin.dispatcher.wake();
    }
    let outcome = outcome(&admin, all).await?;
    Ok(Json(MessagesSent {
        batch,
        sent: outcome.changed,
        refused: outcome.refused,
    }))
}

/// Withdraws a message that was sent to several reporters, for the reports that the caller may see; 409 once one of the
/// reporters has read it.
#[utoipa::path(post, operation_id = "take_messages_back", path = "/messages/bulk/{batch}/undo", tag = "segnalazioni",
    params(MessageBatch), responses((status = 200, body = MessagesUndone)))]
pub async fn take_back(admin: Editor, MessageBatch(batch): MessageBatch) -> Answer<MessagesUndone> {
    let undone = admin.change(move |act| take_messages_back(act, &batch));
    match undone.await? {
        0 => Err(ApiError::not_there("Questo messaggio non c'è più.")),
        undone => Ok(Json(MessagesUndone { undone })),
    }
}

/// The last 20 messages sent to several reporters, the latest first.
#[utoipa::path(get, operation_id = "messages_to_many", path = "/messages/bulk", tag = "segnalazioni", params(MessagesAsked),
    responses((status = 200, body = List<MessageRound>)))]
pub async fn rounds(
    admin: Reader,
    Strict(asked): Strict<MessagesAsked>,
) -> Answer<List<MessageRound>> {
    let read = admin
        .read(move |app, snapshot| bulk::rounds(app.reading(), snapshot, asked.story.as_deref()));
    read.await.map(list_of).map(Json)
}

/// The reports that are meant, by name or by filter, and the filter that each must still pass at its turn.
async fn targets(
    editor: &Editor,
    ids: Option<Vec<BulkId>>,
    filter: Option<ReportQuery>,
    among: Among,
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    match (ids, filter) {
        (Some(ids), None) if among.except.is_empty() => Ok((named(ids)?, ListFilter::default())),
        (None, Some(query)) => {
            if among.except.len() > NAMED {
                let message = format!("Escludi al massimo {NAMED} segnalazioni.");
                return Err(refusal("except", "range", message));
            }
            let story = query.story().map(str::to_owned);
            let selection = query.selection(editor.reading())?.listed(editor.reading());
            let selection = selection.of(editor.person())?;
            if let Some(story) = story {
                let known = editor.read(move |_, snapshot| present_story(snapshot, &story));
                known.await?;
            }
            select_targets(editor, selection, among).await
        }
        _ => Err(refusal("ids", "required", "Indica «ids» oppure «filter».")),
    }
}

fn named(ids: Vec<BulkId>) -> ApiResult<Vec<BulkTarget>> {
    if !(1..=NAMED).contains(&ids.len()) {
        let message = format!("Indica da 1 a {NAMED} segnalazioni.");
        return Err(refusal("ids", "range", message));
    }
    let mut seen = HashSet::new();
    let pairs = ids.into_iter().map(|one| match one {
        BulkId::Plain(id) => (id, None),
        BulkId::Shown(shown) => (shown.id, Some(shown.version)),
    });
    let once = pairs.filter(|(id, _)| seen.insert(id.clone()));
    Ok(once
        .map(|(id, version)| BulkTarget::Named(id, version))
        .collect())
}

/// All reports of a selection, as far as they are meant.
async fn select_targets(
    reader: &Reader,
    selection: Selection,
    among: Among,
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let read = reader.read(move |app, snapshot| {
        let found = bulk::found(app.reading(), snapshot, &selection, &among, &cancel)?;
        Ok::<_, ApiError>((found, selection.filter))
    });
    read.await
}

/// The same, with whose the refused reports are.
async fn outcome(reader: &Reader, outcome: BulkChanged) -> ApiResult<BulkChanged> {
    let read = reader.read(move |app, snapshot| bulk::named(app.reading(), snapshot, outcome));
    read.await
}
