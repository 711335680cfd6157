//! Bulk changes of reports and messages to many reporters: starting them, their progress, undoing a change, and taking a message
//! back.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::ask_back::note_answers_read;
use crate::actions::desk::bulk::{
    BULK_MAX, BulkChange, BulkChanged, BulkTarget, RefusedChange, STEP, begin_batch,
    begin_messages, begin_undo, change_step, message_step, take_messages_back, undo_step,
};
use crate::actions::desk::stories::present_story;
use crate::domain::callout::CalloutQuestion;
use crate::domain::message::ReplyIn;
use crate::http::hang_up::CancelOnDrop;
use crate::http::path::{BatchId, MessageBatch};
use crate::http::query::Strict;
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, List, Reader, list_of, refusal,
};
use crate::readings::desk::batch_answers::{BatchAnswers, batch_answers};
use crate::readings::desk::bulk::{
    self, BulkMessage, RecentChange, SelectionLimits, messages_to_many, targets_of,
    with_reporter_names,
};
use crate::readings::desk::reports::ListMoment;
use crate::readings::desk::selection::{ReportQuery, Selection};
use crate::store::ListFilter;

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
    /// Questions for each reporter to answer or skip.
    #[serde(default)]
    #[schema(max_items = 6)]
    questions: Vec<CalloutQuestion>,
}

/// The outcome of a message to many reporters.
#[derive(Serialize, ToSchema)]
pub struct MessagesSent {
    /// The id by which the message can be taken back.
    batch: String,
    /// The number of reporters who received it.
    sent: usize,
    /// Reports whose reporters did not receive it.
    refused: Vec<RefusedChange>,
}

/// The outcome of taking a message back.
#[derive(Serialize, ToSchema)]
pub struct MessagesUndone {
    /// The number of reporters from whom it was taken back.
    undone: usize,
}

/// Restricts the list of messages to many reporters.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagesAsked {
    /// Only messages to a report of this story, by the story's id.
    story: Option<String>,
}

/// Changes status, department, urgency, labels or person of many reports, in steps.
#[utoipa::path(post, path = "/reports/bulk", tag = "segnalazioni", request_body = BulkAsked,
    responses((status = 200, body = BulkOutcome)))]
pub async fn change_many(admin: Editor, Json(asked): Json<BulkAsked>) -> Answer<BulkOutcome> {
    let limits = SelectionLimits {
        shown: asked.shown,
        except: asked.except,
    };
    let (targets, filter) = targets(&admin, asked.ids, asked.filter, limits).await?;
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(change_in_steps(admin, targets, filter, asked.change));
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn change_in_steps(
    admin: Editor,
    targets: Vec<BulkTarget>,
    filter: ListFilter,
    change: BulkChange,
) -> Answer<BulkOutcome> {
    let (total, session) = (targets.len(), admin.token_hash);
    let begun = {
        let change = change.clone();
        admin.change(move |act| begin_batch(act, total, &change, &session))
    };
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

/// The bulk changes that can be undone, the latest first, with what was asked for and their progress. Callers who do not see all departments
/// get only their own.
#[utoipa::path(get, path = "/reports/bulk", tag = "segnalazioni", responses((status = 200, body = List<RecentChange>)))]
pub async fn batches(admin: Editor) -> Answer<List<RecentChange>> {
    let session = admin.token_hash;
    let read = admin.read(move |reading, snapshot| bulk::batches(reading, snapshot, &session));
    read.await.map(list_of).map(Json)
}

/// Sends one message to the reporters of many reports, in steps. The reporters see it at once.
#[utoipa::path(post, path = "/messages/bulk", tag = "segnalazioni", request_body = MessageToMany,
    responses((status = 200, body = MessagesSent)))]
pub async fn write_to_many(
    admin: Editor,
    Json(asked): Json<MessageToMany>,
) -> Answer<MessagesSent> {
    let (text, key, questions) = (asked.text, asked.key, asked.questions);
    let filter = asked.filter.xor(asked.story.map(ReportQuery::of_story));
    let (targets, filter) = targets(&admin, asked.ids, filter, SelectionLimits::default()).await?;
    if targets.len() > BULK_MAX {
        let message =
            format!("Un messaggio va al massimo a {BULK_MAX} persone: restringi i filtri.");
        return Err(refusal("filter", "range", message));
    }
    let said = ReplyIn {
        text,
        key,
        questions,
        ..ReplyIn::default()
    };
    // Runs to its end even if the client hangs up.
    let whole = tokio::spawn(send_in_steps(admin, targets, filter, said));
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn send_in_steps(
    admin: Editor,
    targets: Vec<BulkTarget>,
    filter: ListFilter,
    said: ReplyIn,
) -> Answer<MessagesSent> {
    let first = said.clone();
    let begun = admin.change(move |act| begin_messages(act, &first));
    let (batch, mut all) = (begun.await?, BulkChanged::default());
    for step in targets.chunks(STEP) {
        let (step, batch, said) = (step.to_vec(), batch.clone(), said.clone());
        let done = admin.change(move |act| message_step(act, &batch, &step, &filter, &said));
        all.add(done.await?);
        admin.dispatcher.wake();
    }
    messages_sent(&admin, batch, all).await.map(Json)
}

/// What became of a message to many, with the names of those whom it did not reach.
pub(super) async fn messages_sent(
    reader: &Reader,
    batch: String,
    sent: BulkChanged,
) -> ApiResult<MessagesSent> {
    let outcome = outcome(reader, sent).await?;
    Ok(MessagesSent {
        batch,
        sent: outcome.changed,
        refused: outcome.refused,
    })
}

/// Takes back a message to many reporters, for the reports that the caller may see; 409 once one of the reporters has
/// read it.
#[utoipa::path(post, operation_id = "take_messages_back", path = "/messages/bulk/{batch}/undo", tag = "segnalazioni",
    params(MessageBatch), responses((status = 200, body = MessagesUndone)))]
pub async fn take_back(admin: Editor, MessageBatch(batch): MessageBatch) -> Answer<MessagesUndone> {
    let undone = admin.change(move |act| take_messages_back(act, &batch));
    match undone.await? {
        0 => Err(ApiError::not_there("Questo messaggio non c'è più.")),
        undone => Ok(Json(MessagesUndone { undone })),
    }
}

/// What became of the questions of a message to many, for the reports that the caller may see: who read it, who answered, and what.
/// The answers have then been read, as if their reports were opened.
#[utoipa::path(get, operation_id = "batch_answers", path = "/messages/bulk/{batch}/answers", tag = "segnalazioni",
    params(MessageBatch), responses((status = 200, body = BatchAnswers)))]
pub async fn answers(reader: Reader, MessageBatch(batch): MessageBatch) -> Answer<BatchAnswers> {
    read_answers(&reader, batch).await.map(Json)
}

/// The answers to a message to many, which have then been read.
pub(in crate::http::routes) async fn read_answers(
    reader: &Reader,
    batch: String,
) -> ApiResult<BatchAnswers> {
    let read = reader.read(move |reading, snapshot| batch_answers(reading, snapshot, &batch));
    let gone = || ApiError::not_there("Questo messaggio non c'è più.");
    let answers = read.await?.ok_or_else(gone)?;
    if !reader.background {
        let answering = answers.answering();
        let noted = reader
            .change(move |act| note_answers_read(act, &answering))
            .await;
        noted.or_else(|error| error.tolerated_while_reading("answers were not marked as read"))?;
    }
    Ok(answers)
}

/// The last 20 messages to many reporters, the latest first.
#[utoipa::path(get, operation_id = "messages_to_many", path = "/messages/bulk", tag = "segnalazioni", params(MessagesAsked),
    responses((status = 200, body = List<BulkMessage>)))]
pub async fn messages(
    admin: Reader,
    Strict(asked): Strict<MessagesAsked>,
) -> Answer<List<BulkMessage>> {
    let read = admin
        .read(move |reading, snapshot| messages_to_many(reading, snapshot, asked.story.as_deref()));
    read.await.map(list_of).map(Json)
}

/// The reports that a call selects, by id or by filter, and the filter that each must still match when its step comes.
async fn targets(
    editor: &Editor,
    ids: Option<Vec<BulkId>>,
    filter: Option<ReportQuery>,
    limits: SelectionLimits,
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    match (ids, filter) {
        (Some(ids), None) if limits.except.is_empty() => {
            Ok((targets_by_id(ids)?, ListFilter::default()))
        }
        (None, Some(query)) => {
            if limits.except.len() > BULK_MAX {
                let message = format!("Escludi al massimo {BULK_MAX} segnalazioni.");
                return Err(refusal("except", "range", message));
            }
            let story = query.story().map(str::to_owned);
            let selection = query.selection(editor.reading())?.listed(editor.reading());
            let selection = selection.of(editor.person())?;
            if let Some(story) = story {
                let known = editor.read(move |_, snapshot| present_story(snapshot, &story));
                known.await?;
            }
            select_targets(editor, selection, limits).await
        }
        _ => Err(refusal("ids", "required", "Indica «ids» oppure «filter».")),
    }
}

fn targets_by_id(ids: Vec<BulkId>) -> ApiResult<Vec<BulkTarget>> {
    if !(1..=BULK_MAX).contains(&ids.len()) {
        let message = format!("Indica da 1 a {BULK_MAX} segnalazioni.");
        return Err(refusal("ids", "range", message));
    }
    let mut seen = HashSet::new();
    let pairs = ids.into_iter().map(|one| match one {
        BulkId::Plain(id) => (id, None),
        BulkId::Shown(shown) => (shown.id, Some(shown.version)),
    });
    let once = pairs.filter(|(id, _)| seen.insert(id.clone()));
    Ok(once
        .map(|(id, version)| BulkTarget::ById { id, version })
        .collect())
}

/// The reports of a selection within its limits, and its filter.
async fn select_targets(
    reader: &Reader,
    selection: Selection,
    limits: SelectionLimits,
) -> ApiResult<(Vec<BulkTarget>, ListFilter)> {
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let read = reader.read(move |reading, snapshot| {
        let found = targets_of(reading, snapshot, &selection, &limits, &cancel)?;
        Ok::<_, ApiError>((found, selection.filter))
    });
    read.await
}

/// Adds the reporters' names to the refused reports.
async fn outcome(reader: &Reader, outcome: BulkChanged) -> ApiResult<BulkChanged> {
    let read =
        reader.read(move |reading, snapshot| with_reporter_names(reading, snapshot, outcome));
    read.await
}
