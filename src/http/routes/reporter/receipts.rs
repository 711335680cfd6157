//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, an answer, and files
//! that go with it; what of the report is the reporter's; and its withdrawing.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::archive::sealing::open_report;
use crate::actions::intake::attachments::{key_by_code, name_of};
use crate::actions::reporter::{
    RETURN_MS, ask_withdrawal, count_return, has_worrying, messages, note_seen, receive_message,
    report_of, withdraw_file,
};
use crate::actions::{self, Act, Error};
use crate::domain::message::{
    Message, ReportProgress, ReporterMessageIn, Withdrawal, WithdrawalIn,
};
use crate::domain::report::Report;
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::erasing::complete_erasure;
use crate::http::intake::make_room;
use crate::http::path::OwnAttachment;
use crate::http::routes::desk::attachments::{Attachment, handed_out, open_file};
use crate::http::routes::{Answer, ApiError, ApiResult, App, Json, Kind, Shared, refusal, rfc3339};
use crate::http::state::wait_for;
use crate::http::visit::{CALLS, SetCookie, Visit, return_allowed};
use crate::http::waiting_files::{named, refuse_missing};
use crate::store::{AttachmentRow, ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Secret32, VaultError};

const UNREADABLE: &str = "Un codice ha 20 lettere e cifre, in quattro gruppi.";
const SEALED: &str = "I tuoi dati sono chiusi a chiave finché qualcuno della redazione non entra nell'archivio: riprova più tardi, in orario \
     di lavoro. Messaggi e file li apri anche adesso.";

/// The code of a receipt.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiptIn {
    /// As it was shown; upper case, spaces and dashes make no difference.
    #[schema(max_length = 2000)]
    code: String,
}

/// A report, as its reporter follows it. Moments are RFC 3339, UTC.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportTold {
    /// Whether the newsroom has opened it.
    pub opened: bool,
    /// How far it has come.
    pub state: ReportProgress,
    /// When it was received.
    #[serde(rename = "data_creazione")]
    pub data_creazione: String,
    /// When the newsroom first opened it.
    pub opened_at: Option<String>,
    /// When work on it was last taken up.
    pub working_at: Option<String>,
    /// Since when it is concluded.
    pub concluded_at: Option<String>,
    /// By when it was promised to be read.
    pub first_due: Option<String>,
    /// When it was first worked on or its reporter written to, which keeps that promise.
    pub first_kept: Option<String>,
    /// By when its reporter was promised to learn what came of it: kept when it is concluded.
    pub outcome_due: Option<String>,
    /// The last request to withdraw it.
    pub withdrawal: Option<Withdrawal>,
    /// When the newsroom answered that.
    pub withdrawal_answered: Option<String>,
    /// What was written, oldest first.
    pub messages: Vec<Message>,
    /// The files of the report.
    pub attachments: Vec<Attachment>,
}

/// A report in a visit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    #[serde(flatten)]
    pub told: ReportTold,
    /// Stands in `X-Conversation` where files are attached, which go with the next message; null where none may be.
    pub conversation: Option<String>,
    /// For how many seconds the visit lasts.
    pub seconds_left: i64,
    /// Where help is at hand, since a message of the reporter worries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// All of a report that is its reporter's.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnData {
    #[serde(flatten)]
    report: Report,
    /// Version of the privacy notice that was shown.
    privacy_version: String,
    #[serde(flatten)]
    told: ReportTold,
}

/// The report of a visit, what was written about it and its files.
fn told(visit: &Visit, snapshot: &Snapshot<'_>, row: &ReportRow) -> ApiResult<ReportTold> {
    let files = snapshot.attachments_of(&row.id)?.into_iter();
    let file = |row: AttachmentRow| {
        let name = name_of(key_by_code(&visit.code, &row), &row)?;
        Ok(Attachment::of(row, &name))
    };
    let milestones = snapshot.milestones(&row.id)?.unwrap_or_default();
    let (working, concluded, first_kept, asked, answered) = milestones;
    Ok(ReportTold {
        opened: row.aperta.is_some(),
        state: ReportProgress::of(row.stato),
        data_creazione: rfc3339(row.data_creazione),
        opened_at: row.aperta.map(rfc3339),
        working_at: working.map(rfc3339),
        concluded_at: concluded.map(rfc3339),
        first_due: row.prima_entro.map(rfc3339),
        first_kept: first_kept.map(rfc3339),
        outcome_due: row.esito_entro.map(rfc3339),
        withdrawal: asked.map(Withdrawal::asked),
        withdrawal_answered: answered.filter(|_| row.ritiro.is_none()).map(rfc3339),
        messages: messages(snapshot, Some(&visit.code.key()?), &row.id)?,
        attachments: files.map(file).collect::<ApiResult<_>>()?,
    })
}

async fn look<T: Send + 'static>(
    app: &Shared,
    visit: Visit,
    work: impl FnOnce(&App, &Snapshot<'_>, Visit, ReportRow) -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    // One at a time: guessing codes takes one reader at most.
    let _turn = wait_for(&app.turns.receipts).await?;
    let read = app.read(move |app, snapshot| {
        let row = report_of(snapshot, &app.vault, &visit.code)?;
        work(app, snapshot, visit, row.ok_or(Kind::UNKNOWN_CODE)?)
    });
    read.await
}

/// A visit as it goes on, and what it is shown.
pub struct Shown {
    pub visit: Visit,
    pub receipt: Receipt,
    /// The report, where its code was not used before in the first days.
    returned: Option<String>,
    /// The same where it is shown something that went to many.
    unseen: Option<String>,
}

pub async fn show(app: &Shared, visit: Visit) -> ApiResult<Shown> {
    return_allowed(app).await?;
    let settings = app.settings().await?;
    let attaches = app.data.is_some() && settings.system.attachments_enabled;
    let shown = look(app, visit, move |app, snapshot, visit, row| {
        // While a file of the report arrives the visit goes on.
        let files = snapshot.waiting_attachments(&row.id)?;
        let visit = if files.iter().any(|id| app.uploads.arrives(id)) {
            visit.renewed(app)
        } else {
            visit
        };
        let token = attaches.then(|| visit.token(app));
        let told = told(&visit, snapshot, &row)?;
        let help = has_worrying(&told.messages).then(|| settings.rules.help());
        let receipt = Receipt {
            told,
            help,
            conversation: token.transpose()?,
            seconds_left: visit.seconds_left(app),
        };
        let early = app.clock.now_ms() < row.data_creazione + RETURN_MS;
        Ok(Shown {
            unseen: snapshot.has_unseen(&row.id)?.then(|| row.id.clone()),
            returned: (early && !row.tornata).then_some(row.id),
            visit,
            receipt,
        })
    });
    let mut shown = shown.await?;
    if let Some(id) = shown.unseen.take() {
        let noted = app.change(move |act| note_seen(act, &id)).await;
        noted.or_else(|error| error.tolerated_while_reading("a message stays unread"))?;
    }
    Ok(shown)
}

async fn answer_visit(app: &Shared, visit: Visit) -> ApiResult<Response> {
    let Shown { visit, receipt, .. } = show(app, visit).await?;
    Ok((visit.cookie(app, &CALLS)?, Json(receipt)).into_response())
}

/// Makes a change to the report of a visit, which goes on from now; the key is that of its receipt.
async fn change(
    app: &Shared,
    visit: Visit,
    work: impl FnOnce(&Act<'_>, (&ReportRow, &Secret32)) -> actions::Result<usize> + Send + 'static,
) -> ApiResult<Visit> {
    let code = visit.code.clone();
    let queued = app.change(move |act| match report_of(act, act.vault, &code)? {
        Some(row) => work(act, (&row, &code.key()?)).map(Some),
        None => Ok(None),
    });
    if queued.await?.ok_or(Kind::UNKNOWN_CODE)? > 0 {
        app.dispatcher.wake();
    }
    Ok(visit.renewed(app))
}

/// Opens a report by its code. The right one is never refused, however many wrong ones are tried.
#[utoipa::path(post, path = "/receipts", tag = "pubblico", request_body = ReceiptIn,
    responses((status = 200, body = Receipt)))]
pub async fn open_receipt(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    Json(typed): Json<ReceiptIn>,
) -> ApiResult<Response> {
    let Shown { visit, receipt, .. } = open_by_code(&app, client, jar, &typed.code).await?;
    Ok((visit.cookie(&app, &CALLS)?, Json(receipt)).into_response())
}

pub async fn open_by_code(app: &Shared, client: Client, jar: Jar, typed: &str) -> ApiResult<Shown> {
    let code = ReceiptCode::parse(typed);
    let code = code.ok_or_else(|| refusal("code", "format", UNREADABLE))?;
    let visit = Visit::begun(app, code, jar);
    let mut shown = match show(app, visit).await {
        Err(error) if error.is(Kind::UNKNOWN_CODE) => {
            let charged = app.quotas.codes.charge_code(client);
            let refused = |seconds| Kind::TOO_MANY_CODES.again_in(seconds);
            return Err(charged.map_or_else(refused, |()| error));
        }
        shown => shown?,
    };
    if let Some(id) = shown.returned.take() {
        let counted = app.change(move |act| count_return(act, &id)).await;
        counted.or_else(|error| error.tolerated_while_reading("a return was not counted"))?;
    }
    Ok(shown)
}

/// The report of the code that was given within half an hour. While a file arrives the visit goes on.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(State(app): State<Shared>, visit: Visit) -> ApiResult<Response> {
    answer_visit(&app, visit).await
}

/// Writes to the newsroom; answers the report as it is then. With 409 and their names in `missing` where `attachments` names files
/// that are not there any more: then nothing was written.
#[utoipa::path(post, path = "/receipts/messages", tag = "pubblico", request_body = ReporterMessageIn,
    responses((status = 200, body = Receipt)))]
pub async fn write_to_newsroom(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    headers: HeaderMap,
    Json(message): Json<ReporterMessageIn>,
) -> ApiResult<Response> {
    let visit = Visit::of(&app, jar, &headers).await?;
    let visit = send_message(&app, client, visit, message).await?;
    answer_visit(&app, visit).await
}

pub async fn send_message(
    app: &Shared,
    client: Client,
    visit: Visit,
    message: ReporterMessageIn,
) -> ApiResult<Visit> {
    let code = visit.code.clone();
    let shown = message.attachments.clone().unwrap_or_default();
    let report = app.vault.report_of(&code)?;
    app.waiting.spoke(&report);
    refuse_missing(app, &code, &shown).await?;
    let client = client.in_conversation(&app.vault, &report);
    let (bytes, besieged) = (message.text.len(), app.siege.is_on());
    make_room(app, client, bytes, besieged)?;
    let stored = change(app, visit, |act, report| {
        receive_message(act, report, message)
    });
    let refund = |_: &ApiError| app.quotas.reports.refund(client, bytes, besieged);
    let stored = stored.await.inspect_err(refund);
    named(app, &code, &shown, stored).await
}

/// Asks that the whole report be withdrawn; asked again before the newsroom has answered, nothing changes. Answers the report as it
/// is then.
#[utoipa::path(post, path = "/receipts/withdrawal", tag = "pubblico", request_body = WithdrawalIn,
    responses((status = 200, body = Receipt)))]
pub async fn request_withdrawal(
    State(app): State<Shared>,
    jar: Jar,
    headers: HeaderMap,
    Json(asked): Json<WithdrawalIn>,
) -> ApiResult<Response> {
    let visit = Visit::of(&app, jar, &headers).await?;
    answer_visit(&app, withdraw(&app, visit, asked).await?).await
}

pub async fn withdraw(app: &Shared, visit: Visit, asked: WithdrawalIn) -> ApiResult<Visit> {
    change(app, visit, |act, report| ask_withdrawal(act, report, asked)).await
}

/// Takes a file of the report back: it is erased. Answers the report as it is then.
#[utoipa::path(delete, path = "/receipts/attachments/{n}", tag = "pubblico", params(OwnAttachment),
    responses((status = 200, body = Receipt)))]
pub async fn withdraw_attachment(
    State(app): State<Shared>,
    visit: Visit,
    OwnAttachment(n): OwnAttachment,
) -> ApiResult<Response> {
    answer_visit(&app, take_back(&app, visit, n).await?).await
}

pub async fn take_back(app: &Shared, visit: Visit, n: i64) -> ApiResult<Visit> {
    let taken = change(app, visit, move |act, (row, _)| withdraw_file(act, row, n)).await;
    let gone = |error: &ApiError| error.is(Kind::ATTACHMENT_GONE);
    if !taken.as_ref().is_err_and(gone) {
        app.store.note_erasure();
        complete_erasure(app).await?;
    }
    taken
}

/// A file of the report, opened, as a download.
#[utoipa::path(get, path = "/receipts/attachments/{n}", tag = "pubblico", params(OwnAttachment),
    responses((status = 200, description = "Il file", content_type = "application/octet-stream")))]
pub async fn own_attachment(
    State(app): State<Shared>,
    visit: Visit,
    OwnAttachment(n): OwnAttachment,
) -> ApiResult<Response> {
    let data = app.data.clone().ok_or(Kind::ATTACHMENT_GONE)?;
    let opened = look(&app, visit, move |_, snapshot, visit, row| {
        let file = snapshot
            .attachment(&row.id, n)?
            .ok_or(Kind::ATTACHMENT_GONE)?;
        open_file(&data, file, |file| key_by_code(&visit.code, file))
    });
    let (about, file) = opened.await?;
    Ok(handed_out(&about, file))
}

/// All of the report that is its reporter's.
#[utoipa::path(get, path = "/receipts/data", tag = "pubblico", responses((status = 200, body = OwnData)))]
pub async fn own_data(State(app): State<Shared>, visit: Visit) -> Answer<OwnData> {
    let data = look(&app, visit, |app, snapshot, visit, row| {
        let report = match open_report(snapshot, &app.vault, &row) {
            Err(Error::Vault(VaultError::Locked)) => return Err(Kind::LOCKED.saying(SEALED)),
            report => report?,
        };
        Ok(OwnData {
            report,
            told: told(&visit, snapshot, &row)?,
            privacy_version: row.privacy_version,
        })
    });
    data.await.map(Json)
}

/// Ends the visit in this browser.
#[utoipa::path(delete, path = "/receipts", tag = "pubblico",
    responses((status = 204, description = "Il codice non è più in questo browser")))]
pub async fn leave_receipt(
    State(app): State<Shared>,
    jar: Jar,
    headers: HeaderMap,
) -> ApiResult<(SetCookie, NoContent)> {
    Ok((Visit::end(&app, jar, &headers, &CALLS)?, NoContent))
}
