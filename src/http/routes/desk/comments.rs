//! What staff say of a report among themselves, and the reminders that each keeps.

use axum::response::NoContent;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::comments::{
    Reminder, change_comment, comments, drop_reminder, put_reminder, reminders, write_comment,
};
use crate::actions::desk::edit_reports::present;
use crate::domain::calendar::local_date;
use crate::domain::message::MessageIn;
use crate::http::path::{CommentPath, ReportId};
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, List, Reader, ReportHead, list_of,
};

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
    #[schema(value_type = String)]
    at: Timestamp,
    /// Whose it is, by id; null for the shared password.
    #[schema(required)]
    author: Option<String>,
    /// When it was last changed; RFC 3339, UTC.
    #[schema(value_type = Option<String>, required)]
    edited: Option<Timestamp>,
    /// Its text.
    text: String,
    /// Whether the caller wrote it, and so can change it for a quarter of an hour.
    mine: bool,
}

/// A reminder to keep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReminderIn {
    /// The day, `YYYY-MM-DD`.
    #[schema(value_type = String, format = Date)]
    pub day: Date,
    /// A word.
    #[schema(max_length = 200)]
    pub text: String,
}

/// A reminder with its report.
#[derive(Serialize, ToSchema)]
#[schema(as = ReminderRow)]
pub struct ReminderOut {
    /// The report.
    report: ReportHead,
    #[serde(flatten)]
    reminder: Reminder,
    /// Whether its day has come.
    due: bool,
}

/// The comments on a report, oldest first.
#[utoipa::path(get, operation_id = "comments", path = "/reports/{id}/comments", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = List<CommentOut>)))]
pub async fn list(reader: Reader, ReportId(id): ReportId) -> Answer<List<CommentOut>> {
    let who = reader.visitor.actor.author();
    let read = reader.read(move |app, snapshot| {
        present(snapshot, &id)?;
        let comments = comments(snapshot, &app.vault, &id)?.into_iter();
        Ok::<_, ApiError>(list_of(comments.map(|comment| CommentOut {
            n: comment.n,
            mine: comment.author == who,
            at: comment.at,
            author: comment.author,
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

/// Keeps one's own reminder of a report, in place of the one before.
#[utoipa::path(put, operation_id = "put_reminder", path = "/reports/{id}/reminder", tag = "segnalazioni", params(ReportId),
    request_body = ReminderIn, responses((status = 204, description = "Salvato")))]
pub async fn remind(
    editor: Editor,
    ReportId(id): ReportId,
    Json(ReminderIn { day, text }): Json<ReminderIn>,
) -> ApiResult<NoContent> {
    let kept = editor.change(move |act| put_reminder(act, &id, day, &text));
    kept.await.map(|()| NoContent)
}

/// Drops one's own reminder of a report. A person who may only read by now can do so too.
#[utoipa::path(delete, operation_id = "delete_reminder", path = "/reports/{id}/reminder", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Eliminato")))]
pub async fn forget(reader: Reader, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let dropped = reader.change(move |act| drop_reminder(act, &id));
    dropped.await.map(|()| NoContent)
}

/// One's own reminders, the earliest day first.
#[utoipa::path(get, operation_id = "reminders", path = "/reminders", tag = "segnalazioni",
    responses((status = 200, body = List<ReminderOut>)))]
pub async fn reminded(reader: Reader) -> Answer<List<ReminderOut>> {
    let who = reader.visitor.actor.author().unwrap_or_default();
    let read = reader.read(move |app, snapshot| {
        let today = local_date(app.clock.now_ms(), &app.time_zone);
        let mut data = Vec::new();
        for reminder in reminders(snapshot, &app.vault, &who)? {
            let Some(row) = snapshot.listed_of(&reminder.report)? else {
                continue;
            };
            data.push(ReminderOut {
                report: ReportHead::open(app, snapshot, row)?,
                due: reminder.day <= today,
                reminder,
            });
        }
        Ok::<_, ApiError>(list_of(data))
    });
    read.await.map(Json)
}
