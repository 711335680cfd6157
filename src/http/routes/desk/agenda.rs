//! The caller's agenda, reports that are done or snoozed, senders who are set aside, how today went, and who has a report open.

use axum::response::NoContent;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::desk::done::mark_done;
use crate::actions::desk::edit_reports::present;
use crate::actions::desk::sender_aside::{put_aside, take_back};
use crate::actions::desk::snooze::{SnoozeIn, put_off, take_up};
use crate::domain::person::Role;
use crate::http::path::ReportId;
use crate::http::presence::PersonPresent;
use crate::http::routes::{Answer, ApiResult, Editor, Json, List, Reader, list_of};
use crate::readings::desk::agenda::{self, Agenda};
use crate::readings::desk::related::same_sender;
use crate::readings::desk::todo::{self, DeskDay};

/// Whether the caller is writing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PresenceIn {
    /// Whether a comment, a message or the note is being written.
    pub writing: bool,
}

/// The reports that need the caller's attention. The shared password counts as one person, to whom no report can be
/// assigned.
#[utoipa::path(get, operation_id = "agenda", path = "/desk/mine", tag = "segnalazioni", responses((status = 200, body = Agenda)))]
pub async fn mine(reader: Reader) -> Answer<Agenda> {
    let who = reader.visitor.actor.author();
    let acts = reader.visitor.actor.may(Role::Redattore);
    let read = reader
        .read(move |reading, snapshot| agenda::agenda(reading, snapshot, who.as_deref(), acts));
    read.await.map(Json)
}

/// How today went, and which promise is due next.
#[utoipa::path(get, operation_id = "desk_today", path = "/desk/today", tag = "segnalazioni", responses((status = 200, body = DeskDay)))]
pub async fn today(reader: Reader) -> Answer<DeskDay> {
    reader.read(todo::today).await.map(Json)
}

/// Takes a report out of what waits for the newsroom, for every user, until its reporter writes or a promise falls due.
#[utoipa::path(post, operation_id = "mark_done", path = "/reports/{id}/done", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Nothing is left to do about it")))]
pub async fn done(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let marked = editor.change(move |act| mark_done(act, &id, true));
    marked.await.map(|()| NoContent)
}

/// Takes the caller's own back: what waited waits again. Nothing changes where its reporter wrote since; 409 where another
/// person marked it done since, or where it was answered.
#[utoipa::path(delete, operation_id = "mark_undone", path = "/reports/{id}/done", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "It waits again")))]
pub async fn undone(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let marked = editor.change(move |act| mark_done(act, &id, false));
    marked.await.map(|()| NoContent)
}

/// Sets whoever sent a report aside, by telephone number, e-mail address and receipt: the list, counts and notices leave out
/// what they sent and will send.
#[utoipa::path(put, operation_id = "set_sender_aside", path = "/reports/{id}/sender-aside", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Set aside")))]
pub async fn sender_aside(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let report = id.clone();
    let others = editor.read(move |reading, snapshot| same_sender(reading, snapshot, &report));
    let others = others.await?;
    let set = editor.change(move |act| put_aside(act, &id, &others));
    set.await.map(|()| NoContent)
}

/// Takes whoever sent a report back into the list, with all that they sent.
#[utoipa::path(delete, operation_id = "take_sender_back", path = "/reports/{id}/sender-aside", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Back in the list")))]
pub async fn sender_back(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let taken = editor.change(move |act| take_back(act, &id));
    taken.await.map(|()| NoContent)
}

/// Snoozes a report for every user. The list leaves it out until that moment, or until its reporter writes.
#[utoipa::path(put, operation_id = "snooze", path = "/reports/{id}/snooze", tag = "segnalazioni", params(ReportId),
    request_body = SnoozeIn, responses((status = 204, description = "Snoozed")))]
pub async fn snooze(
    editor: Editor,
    ReportId(id): ReportId,
    Json(asked): Json<SnoozeIn>,
) -> ApiResult<NoContent> {
    let put = editor.change(move |act| put_off(act, &id, asked));
    put.await.map(|()| NoContent)
}

/// Ends the snooze of a report and returns it to the list.
#[utoipa::path(delete, operation_id = "unsnooze", path = "/reports/{id}/snooze", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Back in the list")))]
pub async fn unsnooze(editor: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let taken = editor.change(move |act| take_up(act, &id));
    taken.await.map(|()| NoContent)
}

/// Announces for 15 seconds that the caller has a report open, and returns who else has it open.
#[utoipa::path(post, operation_id = "note_presence", path = "/reports/{id}/presence", tag = "segnalazioni", params(ReportId),
    request_body = PresenceIn, responses((status = 200, body = List<PersonPresent>)))]
pub async fn note_presence(
    reader: Reader,
    ReportId(id): ReportId,
    Json(PresenceIn { writing }): Json<PresenceIn>,
) -> Answer<List<PersonPresent>> {
    let who = identity(&reader, &id).await?;
    let name = reader.person().map(|person| person.name.clone());
    let now = reader.clock.now_ms();
    let person = PersonPresent { name, writing };
    reader.visitors.presence.note(&id, who.clone(), person, now);
    let others = reader.visitors.presence.others(&id, &who, now);
    Ok(Json(list_of(others)))
}

/// Who else has a report open.
#[utoipa::path(get, operation_id = "presence", path = "/reports/{id}/presence", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = List<PersonPresent>)))]
pub async fn presence(reader: Reader, ReportId(id): ReportId) -> Answer<List<PersonPresent>> {
    let who = identity(&reader, &id).await?;
    let others = reader
        .visitors
        .presence
        .others(&id, &who, reader.clock.now_ms());
    Ok(Json(list_of(others)))
}

/// Who the caller, who must see the report, is among those who have it open: a person is one in all their browsers, the shared
/// password another in each.
async fn identity(reader: &Reader, id: &str) -> ApiResult<String> {
    let id = id.to_owned();
    let seen = reader.read(move |_, snapshot| present(snapshot, &id).map(drop));
    seen.await?;
    let person = reader.visitor.actor.author();
    Ok(person.unwrap_or_else(|| hex::encode(reader.token_hash)))
}
