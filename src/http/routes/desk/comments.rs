//! Internal comments on a report.

use axum::response::NoContent;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::desk::comments::{change_comment, write_comment};
use crate::domain::message::MessageIn;
use crate::http::path::{CommentPath, ReportId};
use crate::http::routes::{Answer, ApiResult, Editor, Json, List, Reader, list_of};
use crate::readings::desk::comments::{self, CommentOut};

/// A comment, changed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentIn {
    /// Its text.
    #[schema(max_length = 5000)]
    pub text: String,
}

/// The comments on a report, oldest first.
#[utoipa::path(get, operation_id = "comments", path = "/reports/{id}/comments", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = List<CommentOut>)))]
pub async fn list(reader: Reader, ReportId(id): ReportId) -> Answer<List<CommentOut>> {
    let who = reader.visitor.actor.author();
    let read = reader
        .read(move |reading, snapshot| comments::comments(reading, snapshot, &id, who.as_deref()));
    read.await.map(list_of).map(Json)
}

/// Writes a comment.
#[utoipa::path(post, operation_id = "write_comment", path = "/reports/{id}/comments", tag = "segnalazioni", params(ReportId),
    request_body = MessageIn, responses((status = 200, body = List<CommentOut>)))]
pub async fn write(
    editor: Editor,
    ReportId(id): ReportId,
    Json(MessageIn { text, key }): Json<MessageIn>,
) -> Answer<List<CommentOut>> {
    let target = id.clone();
    let written = editor.change(move |act| write_comment(act, &target, &text, key));
    written.await?;
    list(Reader::clone(&editor), ReportId(id)).await
}

/// Changes a comment of the caller's within a quarter of an hour.
#[utoipa::path(patch, operation_id = "change_comment", path = "/reports/{id}/comments/{n}", tag = "segnalazioni",
    params(CommentPath), request_body = CommentIn, responses((status = 200, body = List<CommentOut>)))]
pub async fn change(
    editor: Editor,
    CommentPath(id, n): CommentPath,
    Json(CommentIn { text }): Json<CommentIn>,
) -> Answer<List<CommentOut>> {
    let target = id.clone();
    let changed = editor.change(move |act| change_comment(act, &target, n, Some(&text)));
    changed.await?;
    list(Reader::clone(&editor), ReportId(id)).await
}

/// Deletes a comment of the caller's within a quarter of an hour.
#[utoipa::path(delete, operation_id = "delete_comment", path = "/reports/{id}/comments/{n}", tag = "segnalazioni",
    params(CommentPath), responses((status = 204, description = "Deleted")))]
pub async fn delete(editor: Editor, CommentPath(id, n): CommentPath) -> ApiResult<NoContent> {
    let deleted = editor.change(move |act| change_comment(act, &id, n, None));
    deleted.await.map(|()| NoContent)
}
