//! The reporter comes back with the code of a receipt: how far the report has come, what the newsroom writes, an answer, and files
//! that go with it; what of the report is the reporter's; and its withdrawing.
//! Must never keep a code or an address: the cookie holds the one, sealed, and counts of wrong codes are in memory.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::ask_back::{answer_consent, answer_questions};
use crate::actions::intake::attachments::key_by_code;
use crate::actions::reporter::{
    RETURN_MS, ask_withdrawal, count_return, has_worrying, note_seen, receive_message, report_of,
    withdraw_file,
};
use crate::actions::{self, Act, Error};
use crate::domain::asked::AnswerIn;
use crate::domain::message::{ReporterMessageIn, WithdrawalIn};
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::erasing::complete_erasure;
use crate::http::intake::make_room;
use crate::http::missing_files::{named, refuse_missing};
use crate::http::path::{ConsentId, OwnAttachment};
use crate::http::routes::desk::attachments::{handed_out, opened};
use crate::http::routes::{Answer, ApiError, ApiResult, App, Json, Kind, Shared, refusal};
use crate::http::state::wait_for;
use crate::http::visit::{CALLS, SetCookie, Visit, return_allowed};
use crate::readings::desk::attachments::AttachedFile;
use crate::readings::reporter::{self, OwnData, ReportTold, told};
use crate::store::{ReportRow, Snapshot};
use crate::vault::{ReceiptCode, Secret32, VaultError};

const UNREADABLE: &str = "Un codice ha 20 lettere e cifre, in quattro gruppi.";
const SEALED: &str = "I tuoi dati sono chiusi a chiave finché qualcuno della redazione non entra nell'archivio: riprova più tardi, in orario \
     di lavoro. Messaggi e file li apri anche adesso.";

/// The code of a receipt.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiptIn {
    /// The code as it was shown. Case, spaces and dashes make no difference.
    #[schema(max_length = 2000)]
    code: String,
}

/// A report in a visit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    #[serde(flatten)]
    pub told: ReportTold,
    /// The value of `X-Conversation` for attaching files, which are sent with the next message; null if files are not
    /// allowed.
    pub conversation: Option<String>,
    /// Seconds until the visit ends.
    pub seconds_left: i64,
    /// Sources of help, when the wording of a message from the reporter gives cause for concern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
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
    /// The report, where it shows a message to several reporters that was not seen yet.
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
        let told = told(snapshot, &row, &visit.code)?;
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
    work: impl FnOnce(&Act<'_>, &ReportRow, &Secret32) -> actions::Result<usize> + Send + 'static,
) -> ApiResult<Visit> {
    let code = visit.code.clone();
    let queued = app.change(move |act| match report_of(act, act.vault, &code)? {
        Some(row) => work(act, &row, &code.key()?).map(Some),
        None => Ok(None),
    });
    if queued.await?.ok_or(Kind::UNKNOWN_CODE)? > 0 {
        app.dispatcher.wake();
    }
    Ok(visit.renewed(app))
}

/// Opens a report by its code. The right code is never refused, however many wrong codes are tried.
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

/// The one code in a text that opens a report. A text that holds one code only gives that code, known or not.
async fn code_in(app: &Shared, typed: &str) -> ApiResult<ReceiptCode> {
    let mut codes = ReceiptCode::all_in(typed);
    if codes.len() > 1 {
        codes = known(app, codes).await?;
        if codes.is_empty() {
            return Err(Kind::UNKNOWN_CODE.into());
        }
    }
    let code = codes.pop().filter(|_| codes.is_empty());
    code.ok_or_else(|| refusal("code", "format", UNREADABLE))
}

async fn known(app: &Shared, codes: Vec<ReceiptCode>) -> ApiResult<Vec<ReceiptCode>> {
    let _turn = wait_for(&app.turns.receipts).await?;
    let read = app.read(move |app, snapshot| {
        let mut known = Vec::new();
        for code in codes {
            if report_of(snapshot, &app.vault, &code)?.is_some() {
                known.push(code);
            }
        }
        Ok::<_, ApiError>(known)
    });
    read.await
}

pub async fn open_by_code(app: &Shared, client: Client, jar: Jar, typed: &str) -> ApiResult<Shown> {
    let opened = async {
        let code = code_in(app, typed).await?;
        show(app, Visit::begun(app, code, jar)).await
    };
    let mut shown = match opened.await {
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

/// The report whose code was entered in this browser within the last half hour. The visit continues while a file is
/// being uploaded.
#[utoipa::path(get, path = "/receipts", tag = "pubblico", responses((status = 200, body = Receipt)))]
pub async fn receipt(State(app): State<Shared>, visit: Visit) -> ApiResult<Response> {
    answer_visit(&app, visit).await
}

/// Sends a message to the newsroom and returns the updated report. If `attachments` names files that no longer exist,
/// nothing is sent, and the call answers 409 with their names in `missing`.
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
    let report = app.vault.report_id(&code)?;
    app.waiting.spoke(&report);
    refuse_missing(app, &code, &shown).await?;
    let client = client.in_conversation(&app.vault, &report);
    let (bytes, besieged) = (message.text.len(), app.siege.is_on());
    make_room(app, client, bytes, besieged)?;
    let stored = change(app, visit, |act, row, key| {
        receive_message(act, row, key, message)
    });
    let refund = |_: &ApiError| app.quotas.reports.refund(client, bytes, besieged);
    let stored = stored.await.inspect_err(refund);
    named(app, &code, &shown, stored).await
}

/// Answers to the questions of a message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswersIn {
    /// The number of the message.
    message: i64,
    /// An answer for each question that is not skipped.
    #[schema(max_items = 6)]
    answers: Vec<AnswerIn>,
}

/// Answers the questions of a message, and returns the updated report. Until the newsroom has read the answers they can be changed,
/// all at once; then the call answers 409.
#[utoipa::path(post, path = "/receipts/answers", tag = "pubblico", request_body = AnswersIn,
    responses((status = 200, body = Receipt)))]
pub async fn answer_newsroom(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    headers: HeaderMap,
    Json(AnswersIn { message, answers }): Json<AnswersIn>,
) -> ApiResult<Response> {
    let visit = Visit::of(&app, jar, &headers).await?;
    let visit = send_answers(&app, client, visit, message, answers).await?;
    answer_visit(&app, visit).await
}

pub async fn send_answers(
    app: &Shared,
    client: Client,
    visit: Visit,
    message: i64,
    answers: Vec<AnswerIn>,
) -> ApiResult<Visit> {
    let report = app.vault.report_id(&visit.code)?;
    let client = client.in_conversation(&app.vault, &report);
    let bytes = answers.iter().map(|one| one.value.to_string().len()).sum();
    let besieged = app.siege.is_on();
    make_room(app, client, bytes, besieged)?;
    let stored = change(app, visit, move |act, row, key| {
        answer_questions(act, row, key, message, &answers)
    });
    let refund = |_: &ApiError| app.quotas.reports.refund(client, bytes, besieged);
    stored.await.inspect_err(refund)
}

/// Whether the reporter agrees.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsentAnswerIn {
    given: bool,
}

/// Gives a consent that was asked for, refuses it, or takes it back, and returns the updated report.
#[utoipa::path(post, path = "/receipts/consents/{id}", tag = "pubblico", request_body = ConsentAnswerIn, params(ConsentId),
    responses((status = 200, body = Receipt)))]
pub async fn decide_consent(
    State(app): State<Shared>,
    jar: Jar,
    headers: HeaderMap,
    ConsentId(id): ConsentId,
    Json(ConsentAnswerIn { given }): Json<ConsentAnswerIn>,
) -> ApiResult<Response> {
    let visit = Visit::of(&app, jar, &headers).await?;
    answer_visit(&app, decide(&app, visit, id, given).await?).await
}

pub async fn decide(app: &Shared, visit: Visit, id: i64, given: bool) -> ApiResult<Visit> {
    change(app, visit, move |act, row, _| {
        answer_consent(act, row, id, given)
    })
    .await
}

/// Asks for the whole report to be withdrawn, and returns the updated report. A repeated call changes nothing until the
/// newsroom has answered.
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
    change(app, visit, |act, row, key| {
        ask_withdrawal(act, row, key, asked)
    })
    .await
}

/// Erases a file at its reporter's request, and returns the updated report.
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
    let taken = change(app, visit, move |act, row, _| withdraw_file(act, row, n)).await;
    let gone = |error: &ApiError| error.is(Kind::ATTACHMENT_GONE);
    if !taken.as_ref().is_err_and(gone) {
        app.store.note_erasure();
        complete_erasure(app).await?;
    }
    taken
}

/// A file of the report, decrypted, as a download.
#[utoipa::path(get, path = "/receipts/attachments/{n}", tag = "pubblico", params(OwnAttachment),
    responses((status = 200, description = "The file", content_type = "application/octet-stream")))]
pub async fn own_attachment(
    State(app): State<Shared>,
    visit: Visit,
    OwnAttachment(n): OwnAttachment,
) -> ApiResult<Response> {
    let data = app.data.clone().ok_or(Kind::ATTACHMENT_GONE)?;
    let found = look(&app, visit, move |_, snapshot, visit, row| {
        let file = snapshot.attachment(&row.id, n)?;
        let file = file.ok_or(Kind::ATTACHMENT_GONE)?;
        opened(AttachedFile::of(&data, file, |file| {
            key_by_code(&visit.code, file)
        })?)
    });
    let (about, file) = found.await?;
    Ok(handed_out(&about, file))
}

/// A copy of all data of the report that belongs to its reporter.
#[utoipa::path(get, path = "/receipts/data", tag = "pubblico", responses((status = 200, body = OwnData)))]
pub async fn own_data(State(app): State<Shared>, visit: Visit) -> Answer<OwnData> {
    let data = look(&app, visit, |app, snapshot, visit, row| {
        let own = reporter::own_data(app.reading(), snapshot, row, &visit.code);
        own.map_err(|error| match error {
            Error::Vault(VaultError::Locked) => Kind::LOCKED.saying(SEALED),
            error => error.into(),
        })
    });
    data.await.map(Json)
}

/// Ends the visit in this browser.
#[utoipa::path(delete, path = "/receipts", tag = "pubblico",
    responses((status = 204, description = "This browser no longer holds the code")))]
pub async fn leave_receipt(
    State(app): State<Shared>,
    jar: Jar,
    headers: HeaderMap,
) -> ApiResult<(SetCookie, NoContent)> {
    Ok((Visit::end(&app, jar, &headers, &CALLS)?, NoContent))
}
