//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, an answer, and files
//! that go with it.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, NoContent, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::intake::attachments::{key_by_code, name_of};
use crate::actions::reporter::{messages, receive_message, report_of};
use crate::domain::message::{Message, MessageIn, Progress};
use crate::http::client_address::Client;
use crate::http::cookies::{Cookie, Jar};
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::routes::desk::attachments::Attachment;
use crate::http::routes::intake::chat::make_room;
use crate::http::routes::{refusal, rfc3339};
use crate::http::state::{App, Shared, wait_for};
use crate::store::{AttachmentRow, ReportRow, Snapshot};
use crate::vault::ReceiptCode;

/// It goes to these calls alone.
const COOKIE: Cookie = Cookie {
    name: "segnalazioni-seguito",
    path: "/paibeta/api/receipts",
};
/// How long one visit lasts after the code, the last message, or a file that was on its way, in ms.
const VISIT_MS: i64 = 30 * 60_000;
/// What the code of a visit is sealed for: its cookie, and the token that files are sent with.
const VISIT: &str = "cookie";
const TOKEN: &str = "attachments";
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
    messages: Vec<Message>,
    /// The files of the report.
    attachments: Vec<Attachment>,
    /// Stands in `X-Conversation` where files are attached, which go with the next message; null where none may be.
    #[schema(required)]
    conversation: Option<String>,
}

/// Who comes back: the code, until when (ms) the visit lasts, and how its cookie is kept.
struct Visit {
    code: ReceiptCode,
    until: i64,
    jar: Jar,
    /// Whether the browser has a cookie that says so.
    kept: bool,
}

/// Whether a visit lasts; one that would last for longer than any was made before the clock was set back.
fn lasts(app: &App, until: i64) -> bool {
    (1..=VISIT_MS).contains(&until.saturating_sub(app.clock.now_ms()))
}

/// The code and the end (ms) of a visit, sealed for a purpose; `None` for what is none.
fn opened(app: &App, purpose: &str, value: &str) -> Option<(ReceiptCode, i64)> {
    let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
    let opened = app
        .vault
        .open_operational("receipts", purpose, &sealed)
        .ok()?;
    let (until, code) = opened.split_first_chunk()?;
    Some((ReceiptCode::from_bytes(code)?, i64::from_be_bytes(*until)))
}

/// The code that a token of a visit says, and whether the visit lasts.
pub(in crate::http::routes) fn visited(app: &App, token: &str) -> Option<(ReceiptCode, bool)> {
    let (code, until) = opened(app, TOKEN, token)?;
    Some((code, lasts(app, until)))
}

impl Visit {
    fn of(app: &App, headers: &HeaderMap) -> ApiResult<Self> {
        let mut values = Jar::of(app, headers).values(headers, &COOKIE);
        let visit = values.find_map(|(jar, value)| {
            let (code, until) = opened(app, VISIT, value)?;
            lasts(app, until).then_some(Self {
                code,
                until,
                jar,
                kept: true,
            })
        });
        visit.ok_or(Kind::VISIT_OVER.into())
    }

    /// One that begins, or goes on, now.
    fn from_now(app: &App, code: ReceiptCode, jar: Jar) -> Self {
        Self {
            code,
            until: app.clock.now_ms() + VISIT_MS,
            jar,
            kept: false,
        }
    }

    fn sealed(&self, app: &App, purpose: &str) -> ApiResult<String> {
        let says = [&self.until.to_be_bytes()[..], self.code.as_bytes()];
        let plain = zeroize::Zeroizing::new(says.concat());
        let sealed = app.vault.seal_operational("receipts", purpose, &plain)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// `Set-Cookie` until its end, where the browser has none; without an age, so that no browser writes it to a disk.
    fn cookie(&self, app: &App) -> ApiResult<Option<[(HeaderName, HeaderValue); 1]>> {
        if self.kept {
            return Ok(None);
        }
        let cookie = self.jar.set(&COOKIE, &self.sealed(app, VISIT)?, None)?;
        Ok(Some([(header::SET_COOKIE, cookie)]))
    }

    /// Its report, what was written about it and its files; further ones where they may be attached.
    fn read(
        &self,
        snapshot: &Snapshot<'_>,
        app: &App,
        row: &ReportRow,
        attaches: bool,
    ) -> ApiResult<Receipt> {
        let files = snapshot.attachments_of(&row.id)?.into_iter();
        let file = |row: AttachmentRow| {
            let name = name_of(key_by_code(&self.code, &row), &row)?;
            Ok(Attachment::of(row, &name))
        };
        let token = attaches.then(|| self.sealed(app, TOKEN));
        Ok(Receipt {
            opened: row.aperta.is_some(),
            state: Progress::of(row.stato),
            data_creazione: rfc3339(row.data_creazione),
            messages: messages(snapshot, Some(&self.code.key()?), &row.id)?,
            attachments: files.map(file).collect::<ApiResult<_>>()?,
            conversation: token.transpose()?,
        })
    }
}

pub(in crate::http::routes) async fn allowed(app: &Shared) -> ApiResult<()> {
    let allowed = app.settings().await?.system.receipts_enabled;
    allowed.then_some(()).ok_or(Kind::RECEIPTS_OFF.into())
}

/// The answer to a visit, `None` where its code is none; one at a time: whoever tries codes takes one reader at most.
async fn shown(app: &Shared, visit: Visit) -> ApiResult<Option<Response>> {
    allowed(app).await?;
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
        let receipt = visit.read(snapshot, app, &row, attaches)?;
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
    if let Some(answer) = shown(&app, visit).await? {
        return Ok(answer);
    }
    let charged = app.guesses.charge_code(client, app.clock.now_ms());
    charged.map_err(ApiError::too_many_codes)?;
    Err(Kind::UNKNOWN_CODE.into())
}

/// The report of the code that was given within half an hour. While a file arrives the visit goes on.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    let shown = shown(&app, Visit::of(&app, &headers)?).await?;
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
    allowed(&app).await?;
    let visit = Visit::of(&app, &headers)?;
    let (bytes, besieged) = (message.text.len(), app.siege.is_on());
    make_room(&app, client, bytes, besieged)?;
    let code = visit.code.clone();
    let stored = app.change(move |act| receive_message(act, &code, message));
    let queued = stored
        .await
        .and_then(|queued| queued.ok_or(Kind::UNKNOWN_CODE.into()));
    if queued.inspect_err(|_| app.budget.refund(client, bytes, besieged))? > 0 {
        app.dispatcher.wake();
    }
    let shown = shown(&app, Visit::from_now(&app, visit.code, visit.jar)).await?;
    shown.ok_or(Kind::UNKNOWN_CODE.into())
}

/// Ends the visit in this browser.
#[utoipa::path(delete, path = "/receipts", tag = "pubblico",
    responses((status = 204, description = "Il codice non è più in questo browser")))]
pub async fn leave_receipt(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> ApiResult<([(HeaderName, HeaderValue); 1], NoContent)> {
    let gone = Jar::of(&app, &headers).set(&COOKIE, "", Some(0))?;
    Ok(([(header::SET_COOKIE, gone)], NoContent))
}
