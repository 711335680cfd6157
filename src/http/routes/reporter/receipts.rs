//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, an answer, and files
//! that go with it.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::intake::attachments::{key_by_code, name_of};
use crate::actions::reporter::{messages, receive_message, report_of};
use crate::domain::message::{Message, MessageIn, ReportProgress};
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::intake::make_room;
use crate::http::routes::desk::attachments::Attachment;
use crate::http::routes::{ApiError, ApiResult, App, Json, Kind, Shared, refusal, rfc3339};
use crate::http::state::wait_for;
use crate::http::visit::{SetCookie, Visit, return_allowed};
use crate::store::{AttachmentRow, ReportRow, Snapshot};
use crate::vault::ReceiptCode;

const UNREADABLE: &str = "Un codice ha 20 lettere e cifre, in quattro gruppi.";

/// The code of a receipt.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiptIn {
    /// As it was shown; upper case, spaces and dashes make no difference.
    #[schema(max_length = 100)]
    code: String,
}

/// A report, as its reporter follows it.
#[derive(Serialize, ToSchema)]
pub struct Receipt {
    /// Whether the newsroom has opened it.
    opened: bool,
    /// How far it has come.
    state: ReportProgress,
    /// When it was received; RFC 3339, UTC.
    data_creazione: String,
    /// What was written, oldest first.
    messages: Vec<Message>,
    /// The files of the report.
    attachments: Vec<Attachment>,
    /// Stands in `X-Conversation` where files are attached, which go with the next message; null where none may be.
    #[schema(required)]
    conversation: Option<String>,
}

/// The report of a visit, what was written about it and its files; further ones where they may be attached.
fn receipt_of(
    visit: &Visit,
    snapshot: &Snapshot<'_>,
    app: &App,
    row: &ReportRow,
    attaches: bool,
) -> ApiResult<Receipt> {
    let files = snapshot.attachments_of(&row.id)?.into_iter();
    let file = |row: AttachmentRow| {
        let name = name_of(key_by_code(&visit.code, &row), &row)?;
        Ok(Attachment::of(row, &name))
    };
    let token = attaches.then(|| visit.token(app));
    Ok(Receipt {
        opened: row.aperta.is_some(),
        state: ReportProgress::of(row.stato),
        data_creazione: rfc3339(row.data_creazione),
        messages: messages(snapshot, Some(&visit.code.key()?), &row.id)?,
        attachments: files.map(file).collect::<ApiResult<_>>()?,
        conversation: token.transpose()?,
    })
}

/// The answer to a visit; `None` for an unknown code. One at a time: guessing codes takes one reader at most.
async fn answer_visit(app: &Shared, visit: Visit) -> ApiResult<Option<Response>> {
    return_allowed(app).await?;
    let attaches = app.data.is_some() && app.settings().await?.system.attachments_enabled;
    let _turn = wait_for(&app.turns.receipts).await?;
    let shown = app.read(move |app, snapshot| {
        let Some(row) = report_of(snapshot, &app.vault, &visit.code)? else {
            return Ok(None);
        };
        // While a file of the report arrives the visit goes on.
        let files = snapshot.waiting_attachments(&row.id)?;
        let visit = if files.iter().any(|id| app.uploads.arrives(id)) {
            Visit::from_now(app, visit.code, visit.jar)
        } else {
            visit
        };
        let receipt = receipt_of(&visit, snapshot, app, &row, attaches)?;
        let answer = (visit.cookie(app)?, Json(receipt)).into_response();
        Ok::<_, ApiError>(Some(answer))
    });
    shown.await
}

/// Opens a report by its code. The right one is never refused, however many wrong ones are tried.
#[utoipa::path(post, path = "/receipts", tag = "pubblico", request_body = ReceiptIn,
    responses((status = 200, body = Receipt)))]
pub async fn open_receipt(
    State(app): State<Shared>,
    Client(client): Client,
    headers: HeaderMap,
    Json(typed): Json<ReceiptIn>,
) -> ApiResult<Response> {
    let code = ReceiptCode::parse(&typed.code);
    let code = code.ok_or_else(|| refusal("code", "format", UNREADABLE))?;
    let visit = Visit::from_now(&app, code, Jar::of(&app, &headers));
    if let Some(answer) = answer_visit(&app, visit).await? {
        return Ok(answer);
    }
    let charged = app.quotas.codes.charge_code(client);
    charged.map_err(ApiError::too_many_codes)?;
    Err(Kind::UNKNOWN_CODE.into())
}

/// The report of the code that was given within half an hour. While a file arrives the visit goes on.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    let shown = answer_visit(&app, Visit::of(&app, &headers)?).await?;
    shown.ok_or(Kind::UNKNOWN_CODE.into())
}

/// Writes to the newsroom; answers the report as it is then.
#[utoipa::path(post, path = "/receipts/messages", tag = "pubblico", request_body = MessageIn,
    responses((status = 200, body = Receipt)))]
pub async fn write_to_newsroom(
    State(app): State<Shared>,
    Client(client): Client,
    headers: HeaderMap,
    Json(message): Json<MessageIn>,
) -> ApiResult<Response> {
    return_allowed(&app).await?;
    let visit = Visit::of(&app, &headers)?;
    let (bytes, besieged) = (message.text.len(), app.siege.is_on());
    make_room(&app, client, bytes, besieged)?;
    let code = visit.code.clone();
    let stored = app.change(move |act| receive_message(act, &code, message));
    let queued = stored
        .await
        .and_then(|queued| queued.ok_or(Kind::UNKNOWN_CODE.into()));
    if queued.inspect_err(|_| app.quotas.reports.refund(client, bytes, besieged))? > 0 {
        app.dispatcher.wake();
    }
    let shown = answer_visit(&app, Visit::from_now(&app, visit.code, visit.jar)).await?;
    shown.ok_or(Kind::UNKNOWN_CODE.into())
}

/// Ends the visit in this browser.
#[utoipa::path(delete, path = "/receipts", tag = "pubblico",
    responses((status = 204, description = "Il codice non è più in questo browser")))]
pub async fn leave_receipt(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> ApiResult<(SetCookie, NoContent)> {
    Ok((Visit::end(&app, &headers)?, NoContent))
}
