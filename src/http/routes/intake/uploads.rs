//! Reporters' files over tus 1.0 (core, creation, termination), sealed as they arrive (PRODUCT.md §4). The conversation or the
//! visit in a header says whose they are.
//! Must never acknowledge a byte that is not on disk, hold more than a few pieces of a file in memory, nor answer about the
//! files of another conversation.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path as Named, Request, State as Of};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use rustix::io::Errno;

use crate::actions::intake::attachments::{
    AnnouncedFile, FileSender, Newcomer, begin, forget_waiting, key_by_code, make_room,
    note_arrived, note_whole, room_for, room_of_files, take_back, waiting_files,
};
use crate::actions::intake::converse;
use crate::domain::media::attachment::clean_name;
use crate::domain::media::kind::media_type;
use crate::files::{Incoming, bytes, path};
use crate::http::client_address::Client;
use crate::http::gate::{Proof, Sender};
use crate::http::intake::prove;
use crate::http::limits::Permit;
use crate::http::missing_files::refuse_missing;
use crate::http::plain::{Fields, FormFile, FormFiles};
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::{Shared, blocking};
use crate::http::uploads::{FileTurn, Upload};
use crate::http::visit::{return_allowed, visited};
use crate::http::{API, BASE};
use crate::store::{AttachmentRow, LOW_ROOM, free_bytes};
use crate::vault::ReceiptCode;

const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const PROOF: HeaderName = HeaderName::from_static("x-proof");
const CONVERSATION: HeaderName = HeaderName::from_static("x-conversation");
const BODY: &str = "application/offset+octet-stream";
/// Bytes of a file that are held before they are sealed and written.
const HELD: usize = 256 * 1024;
/// By when so many must have arrived: an upload of less than two kilobytes a second has to go on later.
const PATIENCE: Duration = Duration::from_mins(2);
const MB: u64 = 1024 * 1024;
const NO_ROOM: &str =
    "Sul server non c'è abbastanza spazio per gli allegati. La segnalazione può continuare senza.";
/// Field of a form that names the files which its page shows as attached, with blanks between.
const SHOWN: &str = "attachments";
const UNKNOWN: &str = "Questo allegato non c'è più: allegalo di nuovo.";

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
    params(("X-Conversation" = String, Header, description = "Token della conversazione, o `conversation` della ricevuta"),
        ("Upload-Length" = u64, Header, description = "Byte del file"),
        ("Upload-Metadata" = Option<String>, Header, description = "tus: filename in base64"),
        ("X-Proof" = Option<String>, Header, description = "Prova di un assedio: salt, due punti e numero; dopo l'attesa il solo salt")),
    responses((status = 201, description = "Iniziato", headers(("Location" = String, description = "Dove inviare i byte")))))]
pub async fn create(Of(app): Of<Shared>, client: Client, headers: HeaderMap) -> Response {
    answered(announce(&app, client, &headers).await)
}

async fn announce(app: &Shared, client: Client, headers: &HeaderMap) -> ApiResult<Response> {
    let (receipt, visit) = owner(app, headers).await?;
    let announced = AnnouncedFile {
        receipt,
        later: lasts(app, visit).await?,
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

/// Whether a file is of a visit; refuses one that is over.
async fn lasts(app: &Shared, visit: Option<bool>) -> ApiResult<bool> {
    if let Some(lasts) = visit {
        return_allowed(app).await?;
        lasts.then_some(()).ok_or(Kind::VISIT_OVER)?;
    }
    Ok(visit.is_some())
}

/// Begins a file where there is room for it; answers its id.
async fn begin_file(
    app: &Shared,
    client: Client,
    announced: AnnouncedFile,
    proof: Option<&Proof>,
) -> ApiResult<String> {
    let Some(data) = &app.data else {
        return Err(Kind::DEMO.saying("In modalità demo non si possono allegare file."));
    };
    let size = bytes(announced.size);
    if size == 0 {
        return Err(empty(&announced.name));
    }
    refuse_unwanted(app, &announced.name, size).await?;
    refuse_on_full_disk(app, data, size)?;
    let conversation = app.vault.report_of(&announced.receipt)?;
    let client = client.in_conversation(&app.vault, &conversation);
    let newcomer = newcomer(app, client, conversation, announced.size);
    refuse_without_room(app, newcomer, size).await?;
    if app.siege.is_on() {
        prove_once(app, client, &announced.receipt, proof).await?;
    }
    let quota = &app.quotas.files;
    let charged = quota.charge_file(client);
    charged.map_err(|seconds| Kind::TOO_MANY_FILES.again_in(seconds))?;
    let begun = app.change(move |act| begin(act, &announced)).await;
    begun.inspect_err(|_| quota.refund_file(client))
}

/// Takes a form: its texts, and its files while they arrive; one that it names is taken back, unless it is gone already. Where
/// only that was asked, or a file was refused, behind which no other is taken, the page stays, and the answer says what is wrong
/// with the files: empty for nothing.
pub async fn take_form(
    app: &Shared,
    client: Client,
    request: Request,
    said: &mut Fields,
) -> ApiResult<Option<String>> {
    let (mut files, mut refused) = (FormFiles::of(request, said).await?, None);
    while let Some(coming) = &mut files {
        match coming.next(said).await {
            Ok(None) => break,
            Ok(Some(mut file)) => {
                if refused.is_none() {
                    match take_file(app, client, said, &mut file).await {
                        Ok(id) => said.set(SHOWN, [said.get(SHOWN), &id].join(" ")),
                        Err(broken) => refused = Some(broken),
                    }
                }
                file.skip().await?;
            }
            // What was said so far is there all the same.
            Err(broken) if said.given("conversation").is_some() => {
                refused.get_or_insert(broken);
                break;
            }
            Err(broken) => return Err(broken),
        }
    }
    if let Some(id) = said.given("drop") {
        let (receipt, _) = owner_of(app, said.get("conversation").to_owned()).await?;
        let id = id.to_owned();
        drop_one(app, &receipt, id.clone()).await?;
        let others = said.get(SHOWN).split(' ').filter(|other| *other != id);
        said.set(SHOWN, others.collect::<Vec<_>>().join(" "));
    }
    let stays = said
        .given("drop")
        .or(said.given("attach"))
        .map(|_| String::new());
    Ok(refused.map(|refused| refused.told().to_owned()).or(stays))
}

/// Only the end of a file in a form shows how long it is. One that is refused, or breaks off, is dropped. Answers its id.
async fn take_file(
    app: &Shared,
    client: Client,
    said: &Fields,
    file: &mut FormFile,
) -> ApiResult<String> {
    let (receipt, visit) = owner_of(app, said.get("conversation").to_owned()).await?;
    let most = u64::from(app.settings().await?.system.attachment_max_mb) * MB;
    let announced = AnnouncedFile {
        receipt: receipt.clone(),
        later: lasts(app, visit).await?,
        name: file.name.clone(),
        size: i64::try_from(file.bound.min(most)).unwrap_or(i64::MAX),
        onion: client.is_onion(),
    };
    let client = client.in_conversation(&app.vault, &app.vault.report_of(&receipt)?);
    let place = app.uploads.admit(client)?;
    let proof = said.given("salt").and_then(Proof::parse);
    let id = begin_file(app, client, announced, proof.as_ref()).await?;
    let turn = app.uploads.turn(&id).await?;
    let begun = resumed(waiting(app, receipt, id.clone()).await?).await?;
    let begun = begun.ok_or_else(|| ApiError::not_there(UNKNOWN))?;
    let arriving = Arriving::new(app, client, begun, place);
    let taken = match arriving.take(&mut file.content, &turn).await {
        Ok(()) if arriving.incoming.lock().offset() == 0 => Err(empty(&file.name)),
        Ok(()) => arriving.end().await,
        Err(refused) if refused.is(Kind::TOO_LARGE) => {
            refuse_unwanted(app, &file.name, u64::MAX).await
        }
        refused => refused,
    };
    if taken.is_err() {
        arriving.drop_file().await?;
    }
    taken.map(|()| id)
}

/// The place for files in a form.
pub struct FilesField {
    /// Id, name and bytes of those that wait.
    pub files: Vec<(String, String, i64)>,
    /// Whether others may be attached.
    pub more: bool,
    /// Says, in a siege, since when the sender waits.
    pub salt: String,
}

impl FilesField {
    pub fn ids(&self) -> String {
        let ids: Vec<&str> = self.files.iter().map(|(id, ..)| &**id).collect();
        ids.join(" ")
    }

    /// None without a token, and where files are not taken, unless some are shown already.
    pub async fn of(
        app: &Shared,
        client: Client,
        token: Option<&str>,
        shows: bool,
    ) -> ApiResult<Option<Self>> {
        let allowed = app.data.is_some() && app.settings().await?.system.attachments_enabled;
        let Some(token) = token.filter(|_| allowed || shows) else {
            return Ok(None);
        };
        let (receipt, _) = match owner_of(app, token.to_owned()).await {
            // Not yet, or not in this callout.
            Err(refused) if refused.is(Kind::CONFLICT) => return Ok(None),
            owner => owner?,
        };
        let client = client.in_conversation(&app.vault, &app.vault.report_of(&receipt)?);
        let mut salt = String::new();
        if app.siege.is_on()
            && let Err(asked) = prove_once(app, client, &receipt, None).await
        {
            let challenge = asked.challenge().map(|challenge| challenge.salt.clone());
            salt = challenge.ok_or(asked)?;
        }
        let files = app.read(move |app, snapshot| {
            Ok::<_, ApiError>(waiting_files(snapshot, &app.vault, &receipt)?)
        });
        Ok(Some(Self {
            files: files.await?,
            more: allowed,
            salt,
        }))
    }
}

/// In a siege, the first file of a conversation asks for a proof.
async fn prove_once(
    app: &Shared,
    client: Client,
    receipt: &ReceiptCode,
    proof: Option<&Proof>,
) -> ApiResult<()> {
    let conversation = app.vault.report_of(receipt)?;
    let mark = format!("attachments {conversation}");
    let begun = app.read(move |_, snapshot| snapshot.attachments_begun(&conversation));
    if begun.await? > 0 {
        return Ok(());
    }
    let sender = Sender {
        client,
        conversation: app.vault.fingerprint(mark.as_bytes()),
        first: false,
        now: app.clock.now_ms(),
    };
    prove(app, sender, proof).await
}

fn empty(name: &str) -> ApiError {
    let name = clean_name(name);
    Kind::EMPTY_FILE.saying(format!(
        "«{name}» è vuoto: controlla il file e allegalo di nuovo."
    ))
}

async fn refuse_unwanted(app: &Shared, name: &str, size: u64) -> ApiResult<()> {
    let settings = app.settings().await?;
    let most = u64::from(settings.system.attachment_max_mb);
    if !settings.system.attachments_enabled {
        return Err(Kind::ATTACHMENTS_OFF.into());
    }
    if size > most * MB {
        let name = clean_name(name);
        let text = format!("«{name}» è troppo grande: al massimo {most} MB. Dividilo o riducilo.");
        return Err(Kind::TOO_LARGE.saying(text));
    }
    Ok(())
}

fn refuse_on_full_disk(app: &Shared, data: &Path, size: u64) -> ApiResult<()> {
    if app.store.is_full() || free_bytes(data)? < LOW_ROOM + size {
        return Err(Kind::DISK_FULL.saying(NO_ROOM));
    }
    Ok(())
}

fn newcomer(app: &Shared, client: Client, conversation: String, asks: i64) -> Newcomer {
    let sender = FileSender {
        onion: client.is_onion(),
        modest: app.quotas.files.is_modest(client),
    };
    Newcomer {
        conversation,
        sender,
        asks,
    }
}

/// Bytes that the settings have room for, and so many more.
async fn room_beside(app: &Shared, more: u64) -> ApiResult<(i64, i64)> {
    let room = room_of_files(&app.settings().await?.system);
    Ok((room, i64::try_from(more).unwrap_or(i64::MAX / 2)))
}

/// `None` where there is no room for a file; the newcomer again where others have to make it.
async fn decide_room(
    app: &Shared,
    newcomer: Newcomer,
    room: (i64, i64),
) -> ApiResult<Option<Option<Newcomer>>> {
    let decided = app.read(move |app, snapshot| {
        let gone = room_for(snapshot, &newcomer, room, |other| {
            app.waiting.is_quiet(other)
        })?;
        Ok::<_, ApiError>(gone.map(|gone| (!gone.is_empty()).then_some(newcomer)))
    });
    decided.await
}

/// Refuses a file that there would be no room for. Others make it only once bytes come.
async fn refuse_without_room(app: &Shared, newcomer: Newcomer, size: u64) -> ApiResult<()> {
    let room = room_beside(app, size).await?;
    match decide_room(app, newcomer, room).await? {
        Some(_) => Ok(()),
        None => Err(Kind::DISK_FULL.saying(NO_ROOM)),
    }
}

/// How many bytes of a file the server has.
#[utoipa::path(head, operation_id = "attachment_offset", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Allegato"),
        ("X-Conversation" = String, Header, description = "Token della conversazione, o `conversation` della ricevuta")),
    responses((status = 200, description = "Quanto è arrivato", headers(("Upload-Offset" = u64, description = "Byte arrivati")))))]
pub async fn offset(Of(app): Of<Shared>, Named(id): Named<String>, headers: HeaderMap) -> Response {
    answered(answer_offset(&app, &id, &headers).await)
}

async fn answer_offset(app: &Shared, id: &str, headers: &HeaderMap) -> ApiResult<Response> {
    find(app, id, headers).await?;
    let (_turn, file) = taken_over(app, id, headers).await?;
    let size = bytes(file.row.size);
    let offset = resumed(file)
        .await?
        .map_or(size, |(_, incoming)| incoming.offset());
    Ok([(OFFSET, offset), (LENGTH, size)].into_response())
}

struct WaitingFile {
    receipt: ReceiptCode,
    data: PathBuf,
    row: AttachmentRow,
}

async fn find(app: &Shared, id: &str, headers: &HeaderMap) -> ApiResult<WaitingFile> {
    let (receipt, _) = owner(app, headers).await?;
    waiting(app, receipt, id.to_owned()).await
}

async fn waiting(app: &Shared, receipt: ReceiptCode, id: String) -> ApiResult<WaitingFile> {
    let conversation = app.vault.report_of(&receipt)?;
    let row = app.read(move |_, snapshot| snapshot.waiting_attachment(&conversation, &id));
    let found = app.data.clone().zip(row.await?);
    let found = found.map(|(data, row)| WaitingFile { receipt, data, row });
    found.ok_or_else(|| ApiError::not_there(UNKNOWN))
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

/// A file where it was left; `None` for one that is whole.
async fn resumed(file: WaitingFile) -> ApiResult<Option<(WaitingFile, Incoming)>> {
    if file.row.arrived == file.row.size {
        return Ok(None);
    }
    let key = key_by_code(&file.receipt, &file.row)?;
    let opened = blocking(move || {
        let incoming = Incoming::open(&file.data, &file.row, key)?;
        Ok(Some((file, incoming)))
    });
    opened.await?.map_err(|error| failed(&error))
}

/// Appends bytes at `Upload-Offset`. Bytes that arrived before a connection broke are kept.
#[utoipa::path(patch, operation_id = "send_attachment", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Allegato"),
        ("X-Conversation" = String, Header, description = "Token della conversazione, o `conversation` della ricevuta"),
        ("Upload-Offset" = u64, Header, description = "Byte già arrivati")),
    responses((status = 204, description = "Salvato", headers(("Upload-Offset" = u64, description = "Byte arrivati")))))]
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
    at_offset(before, begun.1.offset())?;
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

struct Arriving<'a> {
    app: &'a Shared,
    client: Client,
    data: PathBuf,
    row: AttachmentRow,
    incoming: Arc<Mutex<Incoming>>,
    place: Permit<Upload>,
}

impl<'a> Arriving<'a> {
    fn new(
        app: &'a Shared,
        client: Client,
        (file, incoming): (WaitingFile, Incoming),
        place: Permit<Upload>,
    ) -> Self {
        Self {
            app,
            client,
            data: file.data,
            row: file.row,
            incoming: Arc::new(Mutex::new(incoming)),
            place,
        }
    }

    /// Writes what comes, until the body ends, breaks off, or is refused.
    async fn take(&self, body: &mut Body, turn: &FileTurn<'_>) -> ApiResult<()> {
        let mut held = Vec::with_capacity(HELD);
        loop {
            let filled = tokio::select! {
                filled = tokio::time::timeout(PATIENCE, fill(body, &mut held)) => filled,
                () = turn.wanted() => Ok(Err(Kind::UPLOAD_BUSY.into())),
                () = self.place.holding.sent_away() => Ok(Err(ApiError::busy())),
            };
            if !self.incoming.lock().expects(held.len()) {
                return Err(Kind::TOO_LARGE.saying("Il file è più lungo di quanto annunciato."));
            }
            if !held.is_empty() {
                held = self.write(held).await?;
            }
            if !filled.map_err(|_| Kind::TOO_SLOW)?? {
                return Ok(());
            }
        }
    }

    /// Writes what is held; gives its room back.
    async fn write(&self, mut held: Vec<u8>) -> ApiResult<Vec<u8>> {
        if let Err(refused) = refuse_unwanted(self.app, "", bytes(self.row.size)).await {
            self.drop_file().await?;
            return Err(refused);
        }
        refuse_on_full_disk(self.app, &self.data, 0)?;
        let quota = &self.app.quotas.files;
        let charged = quota.charge_part(self.client, held.len());
        charged.map_err(|seconds| Kind::TOO_MANY_FILES.again_in(seconds))?;
        let more = self.place.holding.count(held.len() as u64);
        self.make_room(more).await?;
        self.app.waiting.sent(&self.row.conversation);
        self.on_disk(move |incoming| {
            incoming.write(&held)?;
            held.clear();
            Ok(held)
        })
        .await
    }

    /// Drops a file that is refused while it arrives, so that it holds no place of its report's.
    async fn drop_file(&self) -> ApiResult<usize> {
        let (conversation, id) = (self.row.conversation.clone(), self.row.id.clone());
        let dropped = self
            .app
            .change(move |act| forget_waiting(act, &conversation, &id));
        dropped.await
    }

    /// Refuses so many more bytes where the settings have no room for them, beside what is on the disk; quiet conversations of
    /// others make room.
    async fn make_room(&self, more: u64) -> ApiResult<()> {
        let (app, row) = (self.app, &self.row);
        let newcomer = newcomer(
            app,
            self.client,
            row.conversation.clone(),
            row.size - row.arrived,
        );
        let room = room_beside(app, more).await?;
        let looked = decide_room(app, newcomer, room).await?;
        let Some(newcomer) = looked.ok_or_else(|| Kind::DISK_FULL.saying(NO_ROOM))? else {
            return Ok(());
        };
        let state = Shared::clone(app);
        let made = app.change(move |act| {
            make_room(act, &newcomer, room, |other| state.waiting.is_quiet(other))
        });
        let gone = made.await?.ok_or_else(|| Kind::DISK_FULL.saying(NO_ROOM))?;
        app.note_dropped(gone);
        Ok(())
    }

    /// Works on the file off the event loop.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Incoming) -> io::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        let incoming = Arc::clone(&self.incoming);
        blocking(move || work(&mut incoming.lock()))
            .await?
            .map_err(|error| failed(&error))
    }

    /// All of it has come: brings it to the disk, and records how much that is, and what.
    async fn end(&self) -> ApiResult<()> {
        let ended = self.on_disk(|incoming| {
            incoming.end()?;
            let size = incoming.flush()?;
            Ok((size, media_type(incoming, size)?))
        });
        let (size, found) = ended.await?;
        let (id, size) = (self.row.id.clone(), i64::try_from(size).unwrap_or(i64::MAX));
        let noted = self
            .app
            .change(move |act| note_whole(act, &id, size, found));
        match noted.await? {
            0 => Err(ApiError::not_there(UNKNOWN)),
            _ => Ok(()),
        }
    }

    /// Brings to the disk what came, also of a body that broke off, and records how much that is; of a whole file also what it is.
    async fn flush_and_record(self) -> ApiResult<u64> {
        let arrived = self.row.arrived;
        let flushed = self.on_disk(move |incoming| {
            let flushed = incoming.flush();
            let offset = flushed.or_else(|error| incoming.undo(arrived).and(Err(error)))?;
            let whole = incoming.is_whole();
            let found = whole.then(|| media_type(incoming, offset));
            Ok((offset, found.transpose()?))
        });
        let (offset, found) = flushed.await?;
        let id = self.row.id.clone();
        let noted = i64::try_from(offset).unwrap_or(i64::MAX);
        let there = self
            .app
            .change(move |act| note_arrived(act, &id, noted, found));
        if there.await? > 0 {
            return Ok(offset);
        }
        // It was dropped meanwhile, and the file may have been made anew since.
        let path = path(&self.data, &self.row.id);
        blocking(move || std::fs::remove_file(path))
            .await?
            .or_else(|error| match error.kind() {
                ErrorKind::NotFound => Ok(()),
                _ => Err(failed(&error)),
            })?;
        Err(ApiError::not_there(UNKNOWN))
    }
}

/// Reads on until enough is held; `false` behind the end.
async fn fill(body: &mut Body, held: &mut Vec<u8>) -> ApiResult<bool> {
    while held.len() < HELD {
        match body.frame().await {
            None => return Ok(false),
            Some(Err(_)) => return Err(Kind::BAD_REQUEST.saying("L'invio si è interrotto.")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    held.extend_from_slice(&data);
                }
            }
        }
    }
    Ok(true)
}

/// Removes an attached file.
#[utoipa::path(delete, operation_id = "drop_attachment", path = "/chat/attachments/{id}", tag = "pubblico",
    params(("id" = String, Path, description = "Allegato"),
        ("X-Conversation" = String, Header, description = "Token della conversazione, o `conversation` della ricevuta")),
    responses((status = 204, description = "Tolto")))]
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

async fn drop_one(app: &Shared, receipt: &ReceiptCode, id: String) -> ApiResult<usize> {
    let conversation = app.vault.report_of(receipt)?;
    let dropped = app.change(move |act| take_back(act, &conversation, &id));
    dropped.await
}

/// The receipt of the report that a request's conversation will become; or that of a visit, and whether this still lasts.
async fn owner(app: &Shared, headers: &HeaderMap) -> ApiResult<(ReceiptCode, Option<bool>)> {
    let said = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if said(&RESUMABLE) != Some("1.0.0") {
        return Err(Kind::TUS_VERSION.into());
    }
    owner_of(app, said(&CONVERSATION).ok_or(Kind::BAD_TOKEN)?.to_owned()).await
}

/// What is told of files that a form shows and that are not there any more; `None` where all are.
pub async fn told_missing(app: &Shared, said: &Fields) -> ApiResult<Option<String>> {
    let Some(shown) = shown_in(said) else {
        return Ok(None);
    };
    let (receipt, _) = owner_of(app, said.get("conversation").to_owned()).await?;
    match refuse_missing(app, &receipt, &shown).await {
        Err(refused) if refused.is(Kind::FILES_MISSING) => Ok(Some(refused.told().to_owned())),
        refused => refused.map(|()| None),
    }
}

/// What a form says its page shows; `None` where it says nothing.
pub fn shown_in(said: &Fields) -> Option<Vec<String>> {
    let ids = said.given(SHOWN)?.split_whitespace();
    Some(ids.map(str::to_owned).collect())
}

async fn owner_of(app: &Shared, token: String) -> ApiResult<(ReceiptCode, Option<bool>)> {
    if let Some((receipt, lasts)) = visited(app, &token) {
        return Ok((receipt, Some(lasts)));
    }
    let named = app.weigh(token.len(), move |app| {
        converse::receipt_of(&app.vault, &token, app.clock.now_ms())
    });
    Ok((named.await?, None))
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

/// A file that cannot be written or read: the disk is full, fails, or has no handle to give (errno(3)).
pub(in crate::http::routes) fn failed(error: &io::Error) -> ApiError {
    let fails = |code| matches!(code, Errno::IO | Errno::NFILE | Errno::MFILE);
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Kind::DISK_FULL.saying(NO_ROOM),
        _ if Errno::from_io_error(error).is_some_and(fails) => {
            tracing::error!(%error, "the file of an attachment cannot be used");
            Kind::DISK_FAILS.into()
        }
        _ => ApiError::internal(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_errors_are_told_apart() {
        let status = |code: Errno| failed(&code.into()).status().as_u16();
        assert_eq!(status(Errno::NOSPC), 507);
        assert_eq!([Errno::IO, Errno::MFILE].map(status), [503, 503]);
        assert_eq!(status(Errno::INVAL), 500);
    }
}
