//! A reporter's file on its way, by tus or in a form: whether there is room for it, and its bytes, sealed as they arrive.
//! Must never acknowledge a byte that is not on disk, nor hold more than a few pieces of a file in memory.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use rustix::io::Errno;

use crate::actions::intake::attachments::{
    AnnouncedFile, FileSender, RoomRequest, begin, forget_waiting, key_by_code, make_room,
    note_arrived, note_whole, room_for, room_of_files, take_back,
};
use crate::actions::intake::converse;
use crate::domain::media::attachment::clean_name;
use crate::domain::media::kind::media_type;
use crate::files::{Incoming, bytes, path};
use crate::http::client_address::Client;
use crate::http::gate::{Proof, Sender};
use crate::http::intake::prove;
use crate::http::limits::Permit;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::state::{Shared, blocking};
use crate::http::uploads::{FileTurn, Upload};
use crate::http::visit::{return_allowed, visited};
use crate::store::{AttachmentRow, LOW_ROOM, free_bytes};
use crate::vault::ReceiptCode;

/// The bytes of a file that are held before they are sealed and written.
const HELD: usize = 256 * 1024;
/// The time within which [`HELD`] bytes must arrive: a slower upload, below two kilobytes a second, must be resumed later.
const PATIENCE: Duration = Duration::from_mins(2);
pub(super) const MB: u64 = 1024 * 1024;
const NO_ROOM: &str =
    "Sul server non c'è abbastanza spazio per gli allegati. La segnalazione può continuare senza.";
pub(super) const UNKNOWN: &str = "Questo allegato non c'è più: allegalo di nuovo.";

/// Whether a file is sent in a visit; refuses a visit that is over.
pub(super) async fn lasts(app: &Shared, visit: Option<bool>) -> ApiResult<bool> {
    if let Some(lasts) = visit {
        return_allowed(app).await?;
        lasts.then_some(()).ok_or(Kind::VISIT_OVER)?;
    }
    Ok(visit.is_some())
}

/// Begins a file if there is space for it; returns its id.
pub(super) async fn begin_file(
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
    let conversation = app.vault.report_id(&announced.receipt)?;
    let client = client.in_conversation(&app.vault, &conversation);
    // Files of others are dropped only once bytes arrive.
    let request = room_request(app, client, conversation, size, announced.size).await?;
    refuse_without_room(app, request).await?;
    if app.siege.is_on() {
        prove_once(app, client, &announced.receipt, proof).await?;
    }
    let quota = &app.quotas.files;
    let charged = quota.charge_file(client);
    charged.map_err(|seconds| Kind::TOO_MANY_FILES.again_in(seconds))?;
    let begun = app.change(move |act| begin(act, &announced)).await;
    begun.inspect_err(|_| quota.refund_file(client))
}

/// In a siege, the first file of a conversation needs a proof.
pub(super) async fn prove_once(
    app: &Shared,
    client: Client,
    receipt: &ReceiptCode,
    proof: Option<&Proof>,
) -> ApiResult<()> {
    let conversation = app.vault.report_id(receipt)?;
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

pub(super) fn empty(name: &str) -> ApiError {
    let name = clean_name(name);
    Kind::EMPTY_FILE.saying(format!(
        "«{name}» è vuoto: controlla il file e allegalo di nuovo."
    ))
}

pub(super) async fn refuse_unwanted(app: &Shared, name: &str, size: u64) -> ApiResult<()> {
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

/// Asks for space for `more` bytes of a file, of which `remaining` are still to come.
async fn room_request(
    app: &Shared,
    client: Client,
    conversation: String,
    more: u64,
    remaining: i64,
) -> ApiResult<RoomRequest> {
    Ok(RoomRequest {
        conversation,
        sender: FileSender {
            onion: client.is_onion(),
            modest: app.quotas.files.is_modest(client),
        },
        capacity: room_of_files(&app.settings().await?.system),
        more: i64::try_from(more).unwrap_or(i64::MAX / 2),
        remaining,
    })
}

/// Refuses a file for which there is no space. Returns the request if files of others must be dropped for it.
async fn refuse_without_room(app: &Shared, request: RoomRequest) -> ApiResult<Option<RoomRequest>> {
    let decided = app.read(move |app, snapshot| {
        let dropped = room_for(snapshot, &request, |other| app.waiting.is_quiet(other))?;
        let dropped = dropped.ok_or_else(|| Kind::DISK_FULL.saying(NO_ROOM))?;
        Ok::<_, ApiError>((!dropped.is_empty()).then_some(request))
    });
    decided.await
}

pub(super) struct WaitingFile {
    receipt: ReceiptCode,
    data: PathBuf,
    pub(super) row: AttachmentRow,
}

pub(super) async fn waiting(
    app: &Shared,
    receipt: ReceiptCode,
    id: String,
) -> ApiResult<WaitingFile> {
    let conversation = app.vault.report_id(&receipt)?;
    let row = app.read(move |_, snapshot| snapshot.waiting_attachment(&conversation, &id));
    let found = app.data.clone().zip(row.await?);
    let found = found.map(|(data, row)| WaitingFile { receipt, data, row });
    found.ok_or_else(|| ApiError::not_there(UNKNOWN))
}

/// A file that goes on where it was left.
pub(super) struct ResumedFile {
    file: WaitingFile,
    pub(super) incoming: Incoming,
}

/// A file where it was left; `None` for one that is whole.
pub(super) async fn resumed(file: WaitingFile) -> ApiResult<Option<ResumedFile>> {
    if file.row.arrived == file.row.size {
        return Ok(None);
    }
    let key = key_by_code(&file.receipt, &file.row)?;
    let opened = blocking(move || {
        let incoming = Incoming::open(&file.data, &file.row, key)?;
        Ok(Some(ResumedFile { file, incoming }))
    });
    opened.await?.map_err(|error| failed(&error))
}

pub(super) struct Arriving<'a> {
    app: &'a Shared,
    client: Client,
    data: PathBuf,
    row: AttachmentRow,
    pub(super) incoming: Arc<Mutex<Incoming>>,
    place: Permit<Upload>,
}

impl<'a> Arriving<'a> {
    pub(super) fn new(
        app: &'a Shared,
        client: Client,
        ResumedFile { file, incoming }: ResumedFile,
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

    /// Writes the body until it ends, breaks off or is refused.
    pub(super) async fn take(&self, body: &mut Body, turn: &FileTurn<'_>) -> ApiResult<()> {
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

    /// Writes the held bytes; returns the empty buffer.
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

    /// Drops a file that is refused while it arrives, so that it does not count among the files of its report.
    pub(super) async fn drop_file(&self) -> ApiResult<usize> {
        let (conversation, id) = (self.row.conversation.clone(), self.row.id.clone());
        let dropped = self
            .app
            .change(move |act| forget_waiting(act, &conversation, &id));
        dropped.await
    }

    /// Refuses `more` bytes for which there is no space. Drops files of quiet conversations if that is what it takes.
    async fn make_room(&self, more: u64) -> ApiResult<()> {
        let (app, row) = (self.app, &self.row);
        let (conversation, remaining) = (row.conversation.clone(), row.size - row.arrived);
        let request = room_request(app, self.client, conversation, more, remaining).await?;
        let Some(request) = refuse_without_room(app, request).await? else {
            return Ok(());
        };
        let state = Shared::clone(app);
        let made =
            app.change(move |act| make_room(act, &request, |other| state.waiting.is_quiet(other)));
        let dropped = made.await?.ok_or_else(|| Kind::DISK_FULL.saying(NO_ROOM))?;
        app.note_dropped(dropped);
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

    /// Completes the file: brings it to the disk, and records its size and type.
    pub(super) async fn end(&self) -> ApiResult<()> {
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

    /// Brings the bytes that arrived to the disk, also of a body that broke off, and records how many; of a complete file also its type.
    pub(super) async fn flush_and_record(self) -> ApiResult<u64> {
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

pub(super) async fn drop_one(app: &Shared, receipt: &ReceiptCode, id: String) -> ApiResult<usize> {
    let conversation = app.vault.report_id(receipt)?;
    let dropped = app.change(move |act| take_back(act, &conversation, &id));
    dropped.await
}

pub(super) async fn owner_of(
    app: &Shared,
    token: String,
) -> ApiResult<(ReceiptCode, Option<bool>)> {
    if let Some((receipt, lasts)) = visited(app, &token) {
        return Ok((receipt, Some(lasts)));
    }
    let named = app.weigh(token.len(), move |app| {
        converse::receipt_of(&app.vault, &token, app.clock.now_ms())
    });
    Ok((named.await?, None))
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
