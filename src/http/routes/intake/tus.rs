//! Reporters' files over tus 1.0 (core, creation, termination; PRODUCT.md §4). The conversation or the visit in a header says whose
//! they are.
//! Must never answer about the files of another conversation.

use axum::body::Body;
use axum::extract::{Path as Named, Request, State as Of};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::arriving::{
    Arriving, MB, UNKNOWN, WaitingFile, begin_file, drop_one, lasts, owner_of, resumed, waiting,
};
use crate::actions::intake::attachments::AnnouncedFile;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::gate::Proof;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::Shared;
use crate::http::uploads::FileTurn;
use crate::http::{API, BASE};
use crate::vault::ReceiptCode;

const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const PROOF: HeaderName = HeaderName::from_static("x-proof");
const CONVERSATION: HeaderName = HeaderName::from_static("x-conversation");
const BODY: &str = "application/offset+octet-stream";

/// Every answer names the version of the protocol.
fn answered(outcome: ApiResult<Response>) -> Response {
    let mut response = outcome.unwrap_or_else(IntoResponse::into_response);
    response.headers_mut().insert(RESUMABLE, VERSION);
    response
}

/// The versions and extensions of the tus protocol that the server supports.
#[utoipa::path(options, operation_id = "attachment_protocol", path = "/chat/attachments", tag = "pubblico",
    responses((status = 204, description = "tus 1.0.0: creation, termination")))]
pub async fn protocol(Of(app): Of<Shared>) -> Response {
    let most = app.settings().await.map(|settings| {
        let most = u64::from(settings.system.attachment_max_mb) * MB;
        let headers = [
            ("tus-version", "1.0.0".to_owned()),
            ("tus-extension", "creation,termination".to_owned()),
            ("tus-max-size", most.to_string()),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    });
    answered(most)
}

/// Announces a file by `Upload-Length` and `Upload-Metadata` (`filename`); the answer says where its bytes go. Files
/// are accepted from the question for the account on, up to the number that the settings allow. In siege mode the first
/// file of a conversation is refused with 428 and a `challenge` until the proof is sent with it.
#[utoipa::path(post, operation_id = "begin_attachment", path = "/chat/attachments", tag = "pubblico",
    params(("X-Conversation" = String, Header, description = "The token of the conversation, or `conversation` of the receipt"),
        ("Upload-Length" = u64, Header, description = "The length of the file in bytes"),
        ("Upload-Metadata" = Option<String>, Header, description = "tus: filename in base64"),
        ("X-Proof" = Option<String>, Header, description = "The proof that siege mode asks for: salt, colon and number; after the wait the salt alone")),
    responses((status = 201, description = "Begun", headers(("Location" = String, description = "The address to send the bytes to")))))]
pub async fn create(Of(app): Of<Shared>, client: Client, headers: HeaderMap) -> Response {
    answered(announce(&app, client, &headers).await)
}

async fn announce(app: &Shared, client: Client, headers: &HeaderMap) -> ApiResult<Response> {
    let (receipt, visit) = owner(app, headers).await?;
    let announced = AnnouncedFile {
        receipt,
        after_sending: lasts(app, visit).await?,
        name: file_name(headers),
        size: i64::try_from(number(headers, &LENGTH)?).unwrap_or(i64::MAX),
        onion: client.is_onion(),
    };
    let proof = headers.get(PROOF).and_then(|proof| proof.to_str().ok());
    let proof = proof.and_then(Proof::parse);
    let id = begin_file(app, client, announced, proof.as_ref()).await?;
    let location = format!("{BASE}{API}/chat/attachments/{id}");
    Ok((StatusCode::CREATED, [(header::LOCATION, location)]).into_response())
}

/// How many bytes of a file the server has.
#[utoipa::path(head, operation_id = "attachment_offset", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Id of the file"),
        ("X-Conversation" = String, Header, description = "The token of the conversation, or `conversation` of the receipt")),
    responses((status = 200, description = "How much has arrived", headers(("Upload-Offset" = u64, description = "The number of bytes that have arrived")))))]
pub async fn offset(Of(app): Of<Shared>, Named(id): Named<String>, headers: HeaderMap) -> Response {
    answered(answer_offset(&app, &id, &headers).await)
}

async fn answer_offset(app: &Shared, id: &str, headers: &HeaderMap) -> ApiResult<Response> {
    find(app, id, headers).await?;
    let (_turn, file) = taken_over(app, id, headers).await?;
    let size = bytes(file.row.size);
    let offset = resumed(file)
        .await?
        .map_or(size, |begun| begun.incoming.offset());
    Ok([(OFFSET, offset), (LENGTH, size)].into_response())
}

async fn find(app: &Shared, id: &str, headers: &HeaderMap) -> ApiResult<WaitingFile> {
    let (receipt, _) = owner(app, headers).await?;
    waiting(app, receipt, id.to_owned()).await
}

/// The file that was found, taken over from a connection that still writes it: that one stops first.
async fn taken_over<'a>(
    app: &'a Shared,
    id: &str,
    headers: &HeaderMap,
) -> ApiResult<(FileTurn<'a>, WaitingFile)> {
    let turn = app.uploads.turn(id).await?;
    Ok((turn, find(app, id, headers).await?))
}

/// Appends bytes at `Upload-Offset`. Bytes that arrived before a connection broke are kept.
#[utoipa::path(patch, operation_id = "send_attachment", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Id of the file"),
        ("X-Conversation" = String, Header, description = "The token of the conversation, or `conversation` of the receipt"),
        ("Upload-Offset" = u64, Header, description = "The number of bytes that have arrived")),
    responses((status = 204, description = "Saved", headers(("Upload-Offset" = u64, description = "The number of bytes that have arrived")))))]
pub async fn send(
    Of(app): Of<Shared>,
    client: Client,
    Named(id): Named<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // It goes on to its end also when the sender hangs up.
    let work = tokio::spawn(async move { receive(&app, client, &id, &parts.headers, body).await });
    let done = work.await.map_err(|error| ApiError::internal(&error));
    answered(done.and_then(|outcome| outcome))
}

async fn receive(
    app: &Shared,
    client: Client,
    id: &str,
    headers: &HeaderMap,
    mut body: Body,
) -> ApiResult<Response> {
    let kind = headers.get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != BODY) {
        return Err(Kind::UNSUPPORTED_TYPE.saying(format!("Il corpo deve essere {BODY}.")));
    }
    let report = find(app, id, headers).await?.row.conversation;
    let client = client.in_conversation(&app.vault, &report);
    let place = app.uploads.admit(client)?;
    let (turn, file) = taken_over(app, id, headers).await?;
    let (before, size) = (number(headers, &OFFSET)?, bytes(file.row.size));
    let Some(begun) = resumed(file).await? else {
        return at_offset(before, size).map(|()| stored(before));
    };
    at_offset(before, begun.incoming.offset())?;
    let arriving = Arriving::new(app, client, begun, place);
    let outcome = arriving.take(&mut body, &turn).await;
    let offset = arriving.flush_and_record().await;
    outcome.and_then(|()| offset.map(stored))
}

fn at_offset(claimed: u64, offset: u64) -> ApiResult<()> {
    if claimed == offset {
        return Ok(());
    }
    Err(Kind::CONFLICT.saying("Upload-Offset non corrisponde a quanto è arrivato."))
}

fn stored(offset: u64) -> Response {
    (StatusCode::NO_CONTENT, [(OFFSET, offset)]).into_response()
}

/// Removes an attached file.
#[utoipa::path(delete, operation_id = "drop_attachment", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Id of the file"),
        ("X-Conversation" = String, Header, description = "The token of the conversation, or `conversation` of the receipt")),
    responses((status = 204, description = "Removed")))]
pub async fn terminate(
    Of(app): Of<Shared>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Response {
    answered(drop_file(&app, id, &headers).await)
}

async fn drop_file(app: &Shared, id: String, headers: &HeaderMap) -> ApiResult<Response> {
    let (receipt, _) = owner(app, headers).await?;
    if drop_one(app, &receipt, id).await? > 0 {
        Ok(StatusCode::NO_CONTENT.into_response())
    } else {
        Err(ApiError::not_there(UNKNOWN))
    }
}

/// The receipt of the report that a request's conversation will become; or that of a visit, and whether this still lasts.
async fn owner(app: &Shared, headers: &HeaderMap) -> ApiResult<(ReceiptCode, Option<bool>)> {
    let said = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if said(&RESUMABLE) != Some("1.0.0") {
        return Err(Kind::TUS_VERSION.into());
    }
    owner_of(app, said(&CONVERSATION).ok_or(Kind::BAD_TOKEN)?.to_owned()).await
}

fn number(headers: &HeaderMap, name: &HeaderName) -> ApiResult<u64> {
    let value = headers
        .get(name)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    value.ok_or_else(|| {
        Kind::BAD_REQUEST.saying(format!("L'intestazione {name} manca o non è un numero."))
    })
}

/// The name in `Upload-Metadata`: pairs of a key and a value in base64, with commas between; empty where it says none.
fn file_name(headers: &HeaderMap) -> String {
    let pairs = headers
        .get("upload-metadata")
        .and_then(|value| value.to_str().ok());
    let mut pairs = pairs.unwrap_or_default().split(',');
    let name = pairs.find_map(|pair| pair.trim().strip_prefix("filename "));
    let name = name.and_then(|name| STANDARD.decode(name.trim()).ok());
    String::from_utf8_lossy(&name.unwrap_or_default()).into_owned()
}
