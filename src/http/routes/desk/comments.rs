//! What staff say of a report among themselves.

use axum::response::NoContent;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::comments::{change_comment, comments, write_comment};
use crate::actions::desk::edit_reports::present;
use crate::domain::message::MessageIn;
use crate::http::path::{CommentPath, ReportId};
use crate::http::routes::{Answer, ApiError, ApiResult, Editor, Json, List, Reader, list_of};
use crate::readings::{PersonHead, people_heads};

/// A comment, changed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentIn {
    /// Its text.
    #[schema(max_length = 5000)]
    pub text: String,
}

/// A comment on a report.
#[derive(Serialize, ToSchema)]
#[schema(as = Comment)]
pub struct CommentOut {
    /// Its number.
    n: i64,
    /// When it was written; RFC 3339, UTC.
    at: Timestamp,
    /// Whose it is; null for the shared password.
    author: Option<PersonHead>,
    /// When it was last changed; RFC 3339, UTC.
    edited: Option<Timestamp>,
    /// Its text.
    text: String,
    /// Whether the caller wrote it, and so can change it for a quarter of an hour.
    mine: bool,
}

/// The comments on a report, oldest first.
#[utoipa::path(get, operation_id = "comments", path = "/reports/{id}/comments", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = List<CommentOut>)))]
pub async fn list(reader: Reader, ReportId(id): ReportId) -> Answer<List<CommentOut>> {
    let who = reader.visitor.actor.author();
    let read = reader.read(move |app, snapshot| {
        present(snapshot, &id)?;
        let comments = comments(snapshot, &app.vault, &id)?.into_iter();
        let people = people_heads(snapshot)?;
        Ok::<_, ApiError>(list_of(comments.map(|comment| CommentOut {
            n: comment.n,
            mine: comment.author == who,
            at: comment.at,
            author: comment.author.and_then(|id| people.get(&id).cloned()),
            edited: comment.edited,
            text: comment.text,
        })))
    });
    read.await.map(Json)
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

/// Changes one's own comment, within a quarter of an hour.
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

/// Takes one's own comment away, within a quarter of an hour.
#[utoipa::path(delete, operation_id = "delete_comment", path = "/reports/{id}/comments/{n}", tag = "segnalazioni",
    params(CommentPath), responses((status = 204, description = "Eliminato")))]
pub async fn delete(editor: Editor, CommentPath(id, n): CommentPath) -> ApiResult<NoContent> {
    let deleted = editor.change(move |act| change_comment(act, &id, n, None));
    deleted.await.map(|()| NoContent)
}
