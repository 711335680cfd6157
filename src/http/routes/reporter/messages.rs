//! What newsroom and reporter write to each other, as the panel reads and writes it.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::desk::edit_reports::present;
use crate::actions::reporter::{mark_read, messages_of, send_message};
use crate::domain::message::{Author, Message, ReplyIn};
use crate::domain::person::Role;
use crate::http::path::ReportId;
use crate::http::routes::{Answer, ApiError, ApiResult, Editor, Json, Reader};
use crate::readings::{PersonHead, people_heads};
use crate::store::ChangeKind;

/// A message, as the newsroom reads it.
#[derive(Serialize, ToSchema)]
pub struct DeskMessage {
    #[serde(flatten)]
    message: Message,
    /// Who of the newsroom wrote it; null for the shared password, and for the reporter.
    author: Option<PersonHead>,
}

/// The messages about a report.
#[derive(Serialize, ToSchema)]
pub struct MessageList {
    /// Oldest first.
    data: Vec<DeskMessage>,
    /// Whether the reporter has a receipt, and so can read and write.
    receipt: bool,
    /// Whether one of the reporter waited to be read.
    unread: bool,
}

async fn read(admin: &Reader, id: String) -> ApiResult<MessageList> {
    let read = admin.read(move |app, snapshot| {
        let row = present(snapshot, &id)?;
        let people = people_heads(snapshot)?;
        let mut writers: HashMap<i64, String> = HashMap::new();
        for change in snapshot.history(&id)? {
            if change.kind == ChangeKind::Messaggio {
                writers.extend(change.author.map(|author| (change.at, author)));
            }
        }
        let messages = messages_of(snapshot, &app.vault, &row)?.into_iter();
        let data = messages.map(|message| {
            let writer = writers.get(&message.at);
            let writer = writer.filter(|_| message.author == Author::Redazione);
            DeskMessage {
                author: writer.and_then(|id| people.get(id).cloned()),
                message,
            }
        });
        Ok::<_, ApiError>(MessageList {
            data: data.collect(),
            receipt: row.chiave.is_some(),
            unread: row.risposta.is_some(),
        })
    });
    read.await
}

/// The messages about a report. Where an editor reads them the mark of an unread answer goes, unless a page only refreshes itself.
#[utoipa::path(get, path = "/reports/{id}/messages", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = MessageList)))]
pub async fn messages(admin: Reader, ReportId(id): ReportId) -> Answer<MessageList> {
    let list = read(&admin, id.clone()).await?;
    if list.unread && !admin.background && admin.visitor.actor.may(Role::Redattore) {
        let seen = list.data.len();
        let noted = admin.change(move |act| mark_read(act, &id, seen));
        let noted = noted.await;
        noted.or_else(|error| error.tolerated_while_reading("a message stays marked as unread"))?;
    }
    Ok(Json(list))
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
