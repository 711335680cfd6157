//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, an answer, and files
//! that go with it.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, NoContent, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attachments::Attachment;
use super::chat::make_room;
use super::messages::{MessageIn, MessageOut};
use super::{refusal, rfc3339};
use crate::actions::attachments::files_by_code;
use crate::actions::messages::{Message, Typed, messages_by_code, receive_message};
use crate::domain::message::{Author, Progress};
use crate::http::client_address::Client;
use crate::http::cookies::{Cookie, Jar};
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::{App, Shared};
use crate::store::{ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Vault};

/// It goes to these calls alone.
const COOKIE: Cookie = Cookie {
    name: "segnalazioni-seguito",
    path: "/paibeta/api/receipts",
};
/// How long one visit lasts after the code, the last message, or a file that was on its way, in ms.
const VISIT_MS: i64 = 30 * 60_000;
/// What the cookie is sealed for, and what names the visit's report where files are sent.
const VISIT: (&str, &str) = ("receipts", "cookie");
const TOKEN: (&str, &str) = ("receipts", "attachments");
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
    /// The files of the report.
    attachments: Vec<Attachment>,
    /// Stands in `X-Conversation` where files are attached, which go with the next message; null where none may be.
    #[schema(required)]
    conversation: Option<String>,
}

/// Who comes back: the code out of a cookie that still holds, until when (ms) it does, and how that cookie is kept.
struct Visit {
    code: ReceiptCode,
    until: i64,
    jar: Jar,
}

/// Whether a visit lasts; one that would last for longer than any was made before the clock was set back.
fn lasts(until: i64, now: i64) -> bool {
    (1..=VISIT_MS).contains(&until.saturating_sub(now))
}

/// What a token of a visit says: the report, and whether the visit lasts; `None` for what is none.
pub(super) fn visited(app: &App, token: &str) -> Option<(String, bool)> {
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    let opened = app.vault.open_operational(TOKEN.0, TOKEN.1, &sealed).ok()?;
    let (until, report) = opened.split_first_chunk()?;
    let report = String::from_utf8(report.to_vec()).ok()?;
    let until = i64::from_be_bytes(*until);
    Some((report, lasts(until, app.clock.now_ms())))
}

impl Visit {
    fn of(app: &App, headers: &HeaderMap) -> ApiResult<Self> {
        let mut values = Jar::of(app, headers).values(headers, &COOKIE);
        let opened = values.find_map(|(jar, value)| {
            let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
            let opened = app.vault.open_operational(VISIT.0, VISIT.1, &sealed).ok()?;
            let (until, code) = opened.split_first_chunk()?;
            let (code, until) = (ReceiptCode::from_bytes(code)?, i64::from_be_bytes(*until));
            lasts(until, app.clock.now_ms()).then_some(Self { code, until, jar })
        });
        opened.ok_or(Kind::VISIT_OVER.into())
    }

    /// One that begins, or goes on, now.
    fn from_now(app: &App, code: ReceiptCode, jar: Jar) -> Self {
        let until = app.clock.now_ms() + VISIT_MS;
        Self { code, until, jar }
    }

    /// What it says until its end, sealed for a purpose.
    fn sealed(&self, app: &App, (table, id): (&str, &str), says: &[u8]) -> ApiResult<String> {
        let plain = zeroize::Zeroizing::new([&self.until.to_be_bytes()[..], says].concat());
        let sealed = app.vault.seal_operational(table, id, &plain)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// `Set-Cookie` until its end; without an age, so that no browser writes it to a disk.
    fn cookie(&self, app: &App) -> ApiResult<HeaderValue> {
        let value = self.sealed(app, VISIT, self.code.as_bytes())?;
        self.jar.set(&COOKIE, &value, None)
    }

    /// Its report, what was written about it and its files; further ones where they may be attached.
    fn read(
        &self,
        snapshot: &Snapshot<'_>,
        app: &App,
        row: &ReportRow,
        attaches: bool,
    ) -> ApiResult<Receipt> {
        let messages = messages_by_code(snapshot, &self.code, &row.id)?.into_iter();
        let files = files_by_code(snapshot, &self.code, &row.id)?.into_iter();
        let token = attaches.then(|| self.sealed(app, TOKEN, row.id.as_bytes()));
        Ok(Receipt {
            opened: row.aperta.is_some(),
            state: Progress::of(row.stato),
            data_creazione: rfc3339(row.data_creazione),
            messages: messages.map(MessageOut::of).collect(),
            attachments: files
                .map(|(row, name)| Attachment::of(row, &name))
                .collect(),
            conversation: token.transpose()?,
        })
    }

    fn row(&self, snapshot: &Snapshot<'_>, vault: &Vault) -> ApiResult<Option<ReportRow>> {
        let row = snapshot.report(&vault.report_of(&self.code)?)?;
        Ok(row.filter(|row| row.chiave.is_some()))
    }
}

pub(super) fn allowed(app: &App) -> ApiResult<()> {
    let allowed = app.settings()?.system.receipts_enabled;
    allowed.then_some(()).ok_or(Kind::RECEIPTS_OFF.into())
}

/// Reads the report of a visit, one visit at a time: whoever tries codes takes one reader at most.
async fn read(app: &Shared, visit: Visit) -> ApiResult<(Visit, Option<Receipt>)> {
    allowed(app)?;
    let attaches = app.data.is_some() && app.settings()?.system.attachments_enabled;
    let _turn = app.turns.receipt().await?;
    let read = app.read(move |app, snapshot| {
        let Some(row) = visit.row(snapshot, &app.vault)? else {
            return Ok((visit, None));
        };
        // While a file of the report arrives the visit goes on.
        let files = snapshot.waiting_attachments(&row.id)?;
        let visit = if files.iter().any(|id| app.uploads.arrives(id)) {
            Visit::from_now(app, visit.code, visit.jar)
        } else {
            visit
        };
        let receipt = visit.read(snapshot, app, &row, attaches)?;
        Ok::<_, ApiError>((visit, Some(receipt)))
    });
    read.await
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
    let (visit, receipt) = read(&app, Visit::from_now(&app, code, Jar::of(&app, &headers))).await?;
    let Some(receipt) = receipt else {
        let charged = app.guesses.charge(client, app.clock.now_ms());
        charged.map_err(ApiError::too_many_codes)?;
        return Err(Kind::UNKNOWN_CODE.into());
    };
    let cookie = visit.cookie(&app)?;
    Ok(([(header::SET_COOKIE, cookie)], axum::Json(receipt)).into_response())
}

/// The report of the code that was given within half an hour. While a file arrives the visit goes on.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    let visit = Visit::of(&app, &headers)?;
    let until = visit.until;
    let (visit, receipt) = read(&app, visit).await?;
    let receipt = axum::Json(receipt.ok_or(Kind::UNKNOWN_CODE)?);
    if visit.until == until {
        return Ok(receipt.into_response());
    }
    Ok(([(header::SET_COOKIE, visit.cookie(&app)?)], receipt).into_response())
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
    allowed(&app)?;
    let visit = Visit::of(&app, &headers)?;
    let (bytes, besieged) = (message.text.len(), app.siege.is_on());
    make_room(&app, client, bytes, besieged)?;
    let stored = store(&app, visit, message).await;
    let visit = stored.inspect_err(|_| app.budget.refund(client, bytes, besieged))?;
    let (visit, receipt) = read(&app, Visit::from_now(&app, visit.code, visit.jar)).await?;
    let receipt = receipt.ok_or(Kind::UNKNOWN_CODE)?;
    let cookie = visit.cookie(&app)?;
    Ok(([(header::SET_COOKIE, cookie)], axum::Json(receipt)).into_response())
}

/// Seals and stores what the reporter of this visit wrote.
async fn store(app: &Shared, visit: Visit, message: MessageIn) -> ApiResult<Visit> {
    let now = app.clock.now_ms();
    let sealing = app.read(move |app, snapshot| {
        let row = visit.row(snapshot, &app.vault)?.ok_or(Kind::UNKNOWN_CODE)?;
        let typed = Typed {
            author: Author::Segnalante,
            text: &message.text,
            key: message.key,
        };
        let message = Message::new(&app.vault, now, (&row.id, visit.code.key()?), typed)?;
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
pub async fn leave_receipt(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> ApiResult<(HeaderMap, NoContent)> {
    let gone = Jar::of(&app, &headers).set(&COOKIE, "", Some(0))?;
    Ok((
        HeaderMap::from_iter([(header::SET_COOKIE, gone)]),
        NoContent,
    ))
}
