//! Messages between newsroom and reporter, as the panel reads and writes them.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::actions::ask_back::ask_consent;
use crate::actions::desk::bulk::take_message_back;
use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::send_message;
use crate::domain::asked::ConsentKind;
use crate::domain::message::ReplyIn;
use crate::http::path::{MessagePath, ReportId};
use crate::http::routes::{Answer, ApiResult, Editor, Json, Reader};
use crate::readings::reporter::{self, MessageList};

async fn read(admin: &Reader, id: String) -> ApiResult<MessageList> {
    let read = admin.read(move |reading, snapshot| reporter::messages(reading, snapshot, &id));
    read.await
}

/// The messages about a report. Reading them changes nothing: what waits for an answer goes on waiting.
#[utoipa::path(get, path = "/reports/{id}/messages", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = MessageList)))]
pub async fn messages(admin: Reader, ReportId(id): ReportId) -> Answer<MessageList> {
    read(&admin, id).await.map(Json)
}

/// Writes to the reporter.
#[utoipa::path(post, path = "/reports/{id}/messages", tag = "segnalazioni", params(ReportId), request_body = ReplyIn,
    responses((status = 200, body = MessageList)))]
pub async fn write_to_reporter(
    admin: Editor,
    ReportId(id): ReportId,
    Json(typed): Json<ReplyIn>,
) -> Answer<MessageList> {
    let target = id.clone();
    let queued = admin.change(move |act| send_message(act, &present(act, &target)?, typed, None));
    if queued.await? > 0 {
        admin.dispatcher.wake();
    }
    Ok(Json(read(&admin, id).await?))
}

/// Takes the newsroom's last message back, with its questions or the consent that it asks for, as if it had not been written; 409
/// once its reporter has read it, or where another message followed.
#[utoipa::path(delete, operation_id = "take_message_back", path = "/reports/{id}/messages/{n}", tag = "segnalazioni",
    params(MessagePath), responses((status = 200, body = MessageList)))]
pub async fn take_one_back(admin: Editor, MessagePath(id, n): MessagePath) -> Answer<MessageList> {
    let target = id.clone();
    let taken = admin.change(move |act| take_message_back(act, &present(act, &target)?, n));
    taken.await?;
    Ok(Json(read(&admin, id).await?))
}

/// A consent to ask for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsentIn {
    /// What to.
    pub kind: ConsentKind,
    /// The words in which it is asked for.
    #[schema(max_length = 5000)]
    pub text: String,
}

/// Asks the reporter for a consent, by a message. Only the holder of the code can answer it.
#[utoipa::path(post, path = "/reports/{id}/consents", tag = "segnalazioni", params(ReportId), request_body = ConsentIn,
    responses((status = 200, body = MessageList)))]
pub async fn ask_for_consent(
    admin: Editor,
    ReportId(id): ReportId,
    Json(ConsentIn { kind, text }): Json<ConsentIn>,
) -> Answer<MessageList> {
    let target = id.clone();
    let queued = admin.change(move |act| ask_consent(act, &present(act, &target)?, kind, text));
    if queued.await? > 0 {
        admin.dispatcher.wake();
    }
    Ok(Json(read(&admin, id).await?))
}
