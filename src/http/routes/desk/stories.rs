//! Stories: reports about the same matter, what the program proposes of them, and what people decide; each caller's own view.

use axum::http::HeaderMap;
use axum::response::{NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::bulk::BulkChanged;
use crate::actions::desk::proposals::{self, Decided, ProposalDecision, undo_decision};
use crate::actions::desk::stories::{
    NewStory, ReportPair, StoryPatch, change_story, create_story, delete_story, put_into_story,
    set_apart, take_out_of_story,
};
use crate::http::erasing::complete_erasure;
use crate::http::path::{ProposalKey, StoryId, StoryReport};
use crate::http::query::{PageQuery, Strict};
use crate::http::routes::desk::bulk::{MessagesSent, messages_sent};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{Answer, ApiError, ApiResult, Editor, Json, Kind, Reader};
use crate::readings::desk::stories::{self, Story, StoryList, StoryProposals};

/// The outcome of a decision on a proposal.
#[derive(Serialize, ToSchema)]
pub struct ProposalDecided {
    /// Id of the story that was made or grew; null where it was refused.
    story: Option<String>,
    /// What takes the decision back for ten minutes, together with its message.
    undo: String,
    /// What became of the message; null where none was asked for.
    message: Option<MessagesSent>,
}

/// A decision to take back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionUndo {
    /// The `undo` of the answer to the decision.
    undo: String,
}

/// The stories.
#[utoipa::path(get, operation_id = "stories", path = "/stories", tag = "storie", params(PageQuery),
    responses((status = 200, body = StoryList)))]
pub async fn list(reader: Reader, Strict(page): Strict<PageQuery>) -> Answer<StoryList> {
    let limit = page.limit()?;
    let who = reader.visitor.actor.author().unwrap_or_default();
    let list = reader.read(move |reading, snapshot| {
        stories::list(reading, snapshot, &who, page.cursor.as_deref(), limit)
    });
    list.await.map(Json)
}

/// Makes a story of reports. If a report belongs to another story, the call answers 409 and names that story.
#[utoipa::path(post, operation_id = "create_story", path = "/stories", tag = "storie", request_body = NewStory,
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn create(editor: Editor, Json(new): Json<NewStory>) -> ApiResult<Response> {
    let made = editor.change(move |act| create_story(act, new));
    let id = made.await?;
    answer(&editor, id).await
}

/// One story.
#[utoipa::path(get, operation_id = "story", path = "/stories/{id}", tag = "storie", params(StoryId),
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(reader: Reader, StoryId(id): StoryId) -> ApiResult<Response> {
    answer(&reader, id).await
}

/// Changes title or note of a story, on the version named by `If-Match`.
#[utoipa::path(patch, operation_id = "change_story", path = "/stories/{id}", tag = "storie", request_body = StoryPatch,
    params(StoryId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = Story, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn change(
    editor: Editor,
    StoryId(id): StoryId,
    headers: HeaderMap,
    Json(patch): Json<StoryPatch>,
) -> ApiResult<Response> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let story = id.clone();
    let changed = editor.change(move |act| change_story(act, &story, &expected, patch));
    changed.await?;
    answer(&editor, id).await
}

/// Dissolves a story. Its reports are kept.
#[utoipa::path(delete, operation_id = "delete_story", path = "/stories/{id}", tag = "storie", params(StoryId),
    responses((status = 204, description = "The story is dissolved")))]
pub async fn delete(editor: Editor, StoryId(id): StoryId) -> ApiResult<NoContent> {
    let deleted = editor.change(move |act| delete_story(act, &id));
    deleted.await?;
    editor.store.note_erasure();
    complete_erasure(&editor).await?;
    Ok(NoContent)
}

/// Adds a report to a story, and removes it from any other.
#[utoipa::path(put, operation_id = "add_to_story", path = "/stories/{id}/reports/{report}", tag = "storie", params(StoryReport),
    responses((status = 204, description = "Added")))]
pub async fn join(editor: Editor, StoryReport(id, report): StoryReport) -> ApiResult<NoContent> {
    let joined = editor.change(move |act| put_into_story(act, &id, &report));
    joined.await.map(|()| NoContent)
}

/// Removes a report from a story. It will not be proposed for that story again.
#[utoipa::path(delete, operation_id = "take_out_of_story", path = "/stories/{id}/reports/{report}", tag = "storie",
    params(StoryReport), responses((status = 204, description = "Removed")))]
pub async fn leave(editor: Editor, StoryReport(id, report): StoryReport) -> ApiResult<NoContent> {
    let left = editor.change(move |act| take_out_of_story(act, &id, &report));
    left.await.map(|()| NoContent)
}

async fn answer(reader: &Reader, id: String) -> ApiResult<Response> {
    let who = reader.visitor.actor.author().unwrap_or_default();
    let read = reader.read(move |reading, snapshot| stories::story(reading, snapshot, &who, &id));
    let story = read.await?;
    Ok(tagged(story.version, story))
}

/// The proposed stories. Reports join a story only when a person accepts the proposal.
#[utoipa::path(get, operation_id = "proposals", path = "/stories/proposals", tag = "storie", responses((status = 200, body = StoryProposals)))]
pub async fn proposed(reader: Reader) -> Answer<StoryProposals> {
    let read = reader.read(stories::proposals);
    read.await.map(Json)
}

/// Accepts a proposal, which makes a new story or extends the one that it names and writes to its reporters, or rejects it for good.
#[utoipa::path(post, path = "/stories/proposals/{key}", tag = "storie", params(ProposalKey), request_body = ProposalDecision,
    responses((status = 200, body = ProposalDecided)))]
pub async fn decide(
    editor: Editor,
    ProposalKey(key): ProposalKey,
    Json(decision): Json<ProposalDecision>,
) -> Answer<ProposalDecided> {
    let read = editor.read(move |reading, snapshot| stories::proposal(reading, snapshot, &key));
    let gone = || ApiError::not_there("Questa proposta non c'è più.");
    let proposal = read.await?.ok_or_else(gone)?.decided_on();
    let decided = editor.change(move |act| proposals::decide(act, proposal, decision));
    let Decided {
        story,
        undo,
        message,
    } = decided.await?;
    let message = sent(&editor, message).await?;
    Ok(Json(ProposalDecided {
        story,
        undo,
        message,
    }))
}

/// Has the message of a decision delivered.
async fn sent(
    editor: &Editor,
    message: Option<(String, BulkChanged)>,
) -> ApiResult<Option<MessagesSent>> {
    let Some((batch, sent)) = message else {
        return Ok(None);
    };
    editor.dispatcher.wake();
    messages_sent(editor, batch, sent).await.map(Some)
}

/// Takes a decision on a proposal back, together with its message: a new story is dissolved, reports leave the story that they
/// joined, and those that the decision set apart can be proposed together again. 409 after ten minutes, once a reporter has read
/// the message, or if what the decision did was changed since.
#[utoipa::path(post, operation_id = "undo_decision", path = "/stories/proposals/{key}/undo", tag = "storie",
    params(ProposalKey), request_body = DecisionUndo, responses((status = 204, description = "Taken back")))]
pub async fn undo(
    editor: Editor,
    ProposalKey(key): ProposalKey,
    Json(asked): Json<DecisionUndo>,
) -> ApiResult<NoContent> {
    let undone = editor.change(move |act| undo_decision(act, &key, &asked.undo));
    undone.await?;
    editor.store.note_erasure();
    complete_erasure(&editor).await?;
    Ok(NoContent)
}

/// Records that two reports do not belong together, so that they are not proposed together again.
#[utoipa::path(post, operation_id = "set_apart", path = "/stories/apart", tag = "storie", request_body = ReportPair,
    responses((status = 204, description = "Noted")))]
pub async fn apart(editor: Editor, Json(pair): Json<ReportPair>) -> ApiResult<NoContent> {
    let set = editor.change(move |act| set_apart(act, &pair));
    set.await.map(|()| NoContent)
}
