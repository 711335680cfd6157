//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, and an answer.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, NoContent, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::chat::make_room;
use super::messages::{MessageIn, MessageOut};
use super::{refusal, rfc3339};
use crate::actions::messages::{Message, messages_by_code, receive_message};
use crate::domain::message::{Author, Progress};
use crate::http::admin::cookie_of;
use crate::http::client_address::Client;
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::{App, Shared};
use crate::store::{ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Vault};

/// Name of the cookie; it goes to these calls alone.
const COOKIE: &str = "__Secure-segnalazioni-seguito";
const COOKIE_TAIL: &str = "Path=/paibeta/api/receipts; Secure; HttpOnly; SameSite=Strict";
/// How long one visit lasts after the code, or after the last message, in ms.
const VISIT_MS: i64 = 30 * 60_000;
/// What the cookie is sealed for.
const VISIT: (&str, &str) = ("receipts", "cookie");
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
    state: Progress,
    /// When it was received; RFC 3339, UTC.
    data_creazione: String,
    /// What was written, oldest first.
    messages: Vec<MessageOut>,
}

/// Who comes back: the code out of a cookie that still holds.
struct Visit(ReceiptCode);

impl Visit {
    fn of(app: &App, headers: &HeaderMap) -> ApiResult<Self> {
        let sealed =
            cookie_of(headers, COOKIE).and_then(|value| URL_SAFE_NO_PAD.decode(value).ok());
        let opened = sealed.and_then(|sealed| {
            let opened = app.vault.open_operational(VISIT.0, VISIT.1, &sealed).ok()?;
            let (until, code) = opened.split_first_chunk()?;
            let lasts = i64::from_be_bytes(*until) > app.clock.now_ms();
            ReceiptCode::from_bytes(code).filter(|_| lasts)
        });
        opened.map(Self).ok_or(Kind::VISIT_OVER.into())
    }

    /// `Set-Cookie` for another half an hour; without an age, so that no browser writes it to a disk.
    fn cookie(&self, app: &App) -> ApiResult<HeaderValue> {
        let until = app.clock.now_ms() + VISIT_MS;
        let plain = zeroize::Zeroizing::new([&until.to_be_bytes()[..], self.0.as_bytes()].concat());
        let sealed = app.vault.seal_operational(VISIT.0, VISIT.1, &plain)?;
        set_cookie(&URL_SAFE_NO_PAD.encode(sealed), "")
    }

    /// The report of the code, and what was written about it.
    fn read(&self, snapshot: &Snapshot<'_>, vault: &Vault) -> ApiResult<Option<Receipt>> {
        let Some(row) = self.row(snapshot, vault)? else {
            return Ok(None);
        };
        let messages = messages_by_code(snapshot, &self.0, &row.id)?.into_iter();
        Ok(Some(Receipt {
            opened: row.aperta.is_some(),
            state: Progress::of(row.stato),
            data_creazione: rfc3339(row.data_creazione),
            messages: messages.map(MessageOut::of).collect(),
        }))
    }

    fn row(&self, snapshot: &Snapshot<'_>, vault: &Vault) -> ApiResult<Option<ReportRow>> {
        Ok(snapshot.report_of_receipt(&vault.receipt_hash(&self.0)?)?)
    }
}

fn set_cookie(value: &str, more: &str) -> ApiResult<HeaderValue> {
    let text = format!("{COOKIE}={value}; {COOKIE_TAIL}{more}");
    HeaderValue::try_from(text).map_err(|error| ApiError::internal(&error))
}

fn allowed(app: &App) -> ApiResult<()> {
    let allowed = app.settings()?.system.receipts_enabled;
    allowed.then_some(()).ok_or(Kind::RECEIPTS_OFF.into())
}

/// Reads the report of a visit, one visit at a time: whoever tries codes takes one reader at most.
async fn read(app: &Shared, visit: Visit) -> ApiResult<(Visit, Option<Receipt>)> {
    allowed(app)?;
    let _turn = app.turns.receipt().await?;
    let read = app.read(move |app, snapshot| {
        let receipt = visit.read(snapshot, &app.vault)?;
        Ok::<_, ApiError>((visit, receipt))
    });
    read.await
}

/// Opens a report by its code. The right one is never refused, however many wrong ones are tried.
#[utoipa::path(post, path = "/receipts", tag = "pubblico", request_body = ReceiptIn,
    responses((status = 200, body = Receipt)))]
pub async fn open_receipt(
    State(app): State<Shared>,
    Client(client): Client,
    Json(typed): Json<ReceiptIn>,
) -> ApiResult<Response> {
    let code = ReceiptCode::parse(&typed.code);
    let code = code.ok_or_else(|| refusal("code", "format", UNREADABLE))?;
    let (visit, receipt) = read(&app, Visit(code)).await?;
    let Some(receipt) = receipt else {
        let charged = app.guesses.charge(client, app.clock.now_ms());
        charged.map_err(ApiError::too_many_codes)?;
        return Err(Kind::UNKNOWN_CODE.into());
    };
    let cookie = visit.cookie(&app)?;
    Ok(([(header::SET_COOKIE, cookie)], axum::Json(receipt)).into_response())
}

/// The report of the code that was given within half an hour.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> ApiResult<axum::Json<Receipt>> {
    let (_, receipt) = read(&app, Visit::of(&app, &headers)?).await?;
    receipt.map(axum::Json).ok_or(Kind::UNKNOWN_CODE.into())
}

/// Writes to the newsroom; answers the report as it is then.
#[utoipa::path(post, path = "/receipts/messages", tag = "pubblico", request_body = MessageIn,
    responses((status = 200, body = Receipt)))]
pub async fn write_to_newsroom(
    State(app): State<Shared>,
    Client(client): Client,
    headers: HeaderMap,
    Json(MessageIn { text }): Json<MessageIn>,
) -> ApiResult<Response> {
    allowed(&app)?;
    let visit = Visit::of(&app, &headers)?;
    let (bytes, besieged) = (text.len(), app.siege.is_on());
    make_room(&app, client, bytes, besieged)?;
    let stored = store(&app, visit, text).await;
    let visit = stored.inspect_err(|_| app.budget.refund(client, bytes, besieged))?;
    let (visit, receipt) = read(&app, visit).await?;
    let receipt = receipt.ok_or(Kind::UNKNOWN_CODE)?;
    let cookie = visit.cookie(&app)?;
    Ok(([(header::SET_COOKIE, cookie)], axum::Json(receipt)).into_response())
}

/// Seals and stores what the reporter of this visit wrote.
async fn store(app: &Shared, visit: Visit, text: String) -> ApiResult<Visit> {
    let now = app.clock.now_ms();
    let sealing = app.read(move |app, snapshot| {
        let row = visit.row(snapshot, &app.vault)?.ok_or(Kind::UNKNOWN_CODE)?;
        let message = Message::new(&app.vault, now, &row, (Author::Segnalante, &text))?;
        Ok::<_, ApiError>((visit, message))
    });
    let (visit, message) = sealing.await?;
    let stored = app.change(move |act| receive_message(act, message));
    if stored.await? > 0 {
        app.dispatcher.wake();
    }
    Ok(visit)
}

/// Ends the visit in this browser.
#[utoipa::path(delete, path = "/receipts", tag = "pubblico",
    responses((status = 204, description = "Il codice non è più in questo browser")))]
pub async fn leave_receipt() -> ApiResult<(HeaderMap, NoContent)> {
    let gone = set_cookie("", "; Max-Age=0")?;
    Ok((
        HeaderMap::from_iter([(header::SET_COOKIE, gone)]),
        NoContent,
    ))
}
