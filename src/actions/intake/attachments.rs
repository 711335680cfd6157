//! A reporter attaches files. A file is begun, completed and its type recognised, or it is dropped. The last turn of the conversation
//! makes the complete ones part of the report (`submit_report`).
//! Must never touch a file's bytes, nor let a conversation have more files than the settings allow. The upload checks, also while it
//! runs, whether files are allowed and how large they may be.

use uuid::Uuid;

use crate::actions::archive::retention::STEP;
use crate::actions::archive::sealing::{epoch, epoch_row, readable};
use crate::actions::settings::sections::load;
use crate::actions::{Act, Error, Result, SENT};
use crate::domain::media::attachment::{AttachmentSummary, clean_name};
use crate::domain::settings::System;
use crate::store::{AttachedBytes, AttachmentRow, Snapshot, WaitingFileRow};
use crate::vault::{FileKey, ReceiptCode, Vault};

/// Associated data of a file's key.
const KEY: &str = "attachments.key";
/// How long a file waits for its report, in ms: a day, less the two minutes that the rounds which drop it may add.
const WAIT_MS: i64 = (24 * 60 - 2) * 60 * 1_000;
/// How much longer the name of a file may be needed after [`WAIT_MS`], in ms: as long as a conversation may go on.
const NAME_MS: i64 = 72 * 60 * 60 * 1_000;
/// The number of files that are dropped at most to make room for one.
const MAX_DROPPED: usize = 1_000;
const UNREADABLE: &str = "(nome non leggibile)";

const TOO_MANY_FILES: Error = Error::conflict("Hai già allegato il numero massimo di file.");

/// A file that will be uploaded.
pub struct AnnouncedFile {
    /// The receipt of the report that it will belong to.
    pub receipt: ReceiptCode,
    /// Whether the report has been sent, and its reporter has returned with the receipt.
    pub after_sending: bool,
    pub name: String,
    pub size: i64,
    /// Whether it comes over the onion socket.
    pub onion: bool,
}

/// Refuses a file whose conversation has ended, or which is one more than the settings allow.
fn admit(act: &Act<'_>, conversation: &str, after_sending: bool) -> Result<()> {
    match act.report(conversation)? {
        Some(_) if after_sending => {}
        None if after_sending => return Err(Error::NotFound),
        None if !act.was_erased(conversation)? => {}
        _ => return Err(SENT),
    }
    let system: System = load(act)?;
    if act.attachments_held(conversation)? >= i64::from(system.attachments_per_report) {
        return Err(TOO_MANY_FILES);
    }
    Ok(())
}

/// The bytes of files that the settings allow in all.
pub fn room_of_files(system: &System) -> i64 {
    i64::from(system.attachments_total_gb) << 30
}

/// The space that files take.
pub struct FileRoom(AttachedBytes);

impl FileRoom {
    pub fn of(snapshot: &Snapshot<'_>) -> Result<Self> {
        Ok(Self(snapshot.attached_bytes()?.unwrap_or_default()))
    }

    /// Whether the bytes that a file asks for fit. Waiting files may take a quarter of the space, those of the onion socket an eighth
    /// of their own, and senders of much may use half of either. Together with the files of reports that are set aside they may take
    /// half of the space. Strangers therefore cannot take the space of reports.
    pub fn fits(&self, request: &RoomRequest) -> bool {
        let RoomRequest {
            capacity,
            more,
            sender,
            ..
        } = *request;
        let waiting = self.waiting_of(sender.onion) + more;
        let share = if sender.onion { 8 } else { 4 };
        let share = if sender.modest { share } else { 2 * share };
        self.0.all + more <= capacity
            && self.0.set_aside + waiting <= capacity / 2
            && waiting <= capacity / share
    }

    /// Bytes that wait, from the onion socket or from all other clients.
    fn waiting_of(&self, onion: bool) -> i64 {
        if onion {
            self.0.onion
        } else {
            self.0.waiting - self.0.onion
        }
    }

    /// Whether administrators should be warned that the space is nearly full.
    pub fn is_nearly_full(&self, capacity: i64) -> bool {
        let kept = self.0.all - self.0.waiting;
        kept >= capacity / 10 * 9 || self.0.set_aside >= capacity / 20 * 9
    }

    /// The space as it would be with that many waiting bytes less.
    fn without(&self, bytes: i64, onion: bool) -> Self {
        let taken = self.0;
        Self(AttachedBytes {
            all: taken.all - bytes,
            waiting: taken.waiting - bytes,
            onion: taken.onion - if onion { bytes } else { 0 },
            ..taken
        })
    }
}

/// Where a file comes from.
#[derive(Debug, Clone, Copy)]
pub struct FileSender {
    /// Over the onion socket.
    pub onion: bool,
    /// From a client that has sent little within a day.
    pub modest: bool,
}

/// A file that needs space, in bytes.
pub struct RoomRequest {
    pub conversation: String,
    pub sender: FileSender,
    /// The space that the settings allow for all files.
    pub capacity: i64,
    /// The bytes for which there must be space now.
    pub more: i64,
    /// The bytes of the file that are still to come.
    pub remaining: i64,
}

/// The files of others that must be dropped for a file to fit; `None` if even that would not be enough. Only
/// quiet conversations lose files, and only those that have at least as much waiting as this one would have; the largest first.
pub fn room_for(
    snapshot: &Snapshot<'_>,
    request: &RoomRequest,
    is_quiet: impl Fn(&str) -> bool,
) -> Result<Option<Vec<WaitingFileRow>>> {
    let taken = FileRoom::of(snapshot)?;
    if taken.fits(request) {
        return Ok(Some(Vec::new()));
    }
    let (conversation, onion) = (&request.conversation, request.sender.onion);
    let own = snapshot.waiting_bytes(conversation)? + request.remaining;
    let others = snapshot.waiting_files_of_others(conversation, onion)?;
    let losing = others
        .into_iter()
        .filter(|file| file.held >= own && is_quiet(&file.conversation));
    let (mut dropped, mut freed) = (Vec::new(), 0);
    for file in losing.take(MAX_DROPPED) {
        freed += file.bytes;
        dropped.push(file);
        if taken.without(freed, onion).fits(request) {
            return Ok(Some(dropped));
        }
    }
    Ok(None)
}

/// Drops the files of others that [`room_for`] names; returns how many. `None` if a file would not fit even so: nothing is dropped.
pub fn make_room(
    act: &Act<'_>,
    request: &RoomRequest,
    is_quiet: impl Fn(&str) -> bool,
) -> Result<Option<usize>> {
    let Some(dropped) = room_for(act, request, is_quiet)? else {
        return Ok(None);
    };
    for file in &dropped {
        act.tx
            .drop_waiting_attachment(&file.conversation, &file.id, true)?;
    }
    Ok(Some(dropped.len()))
}

/// Those of the files `shown` on a page that the conversation has no complete file for.
pub fn missing_of(
    snapshot: &Snapshot<'_>,
    conversation: &str,
    shown: &[String],
) -> Result<Vec<String>> {
    if shown.is_empty() {
        return Ok(Vec::new());
    }
    let whole = snapshot.whole_attachments(conversation)?;
    let missing = |id: &&String| !whole.iter().any(|row| row.id == **id);
    Ok(shown.iter().filter(missing).cloned().collect())
}

/// Refuses a message whose page lists files (`shown`) that are not complete here.
pub(in crate::actions) fn refuse_missing(
    act: &Act<'_>,
    conversation: &str,
    shown: Option<&[String]>,
) -> Result<()> {
    let missing = missing_of(act, conversation, shown.unwrap_or_default())?;
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::FilesMissing(missing))
    }
}

/// Gives a report the complete files of its conversation, or only those that the page listed (`shown`); returns how many.
pub(in crate::actions) fn give(
    act: &Act<'_>,
    report: &str,
    at: i64,
    shown: Option<&[String]>,
) -> Result<usize> {
    Ok(match shown {
        Some(shown) => act.tx.attach_these(report, at, shown)?,
        None => act.tx.attach(report, at)?,
    })
}

/// The name of a file of a conversation, also of a file that was dropped lately.
pub fn name_in(
    snapshot: &Snapshot<'_>,
    conversation: &str,
    code: &ReceiptCode,
    id: &str,
) -> Result<Option<String>> {
    let row = snapshot.attachment_of(conversation, id)?;
    row.map(|row| name_of(key_by_code(code, &row), &row))
        .transpose()
}

/// Begins a file; returns its id.
pub fn begin(act: &Act<'_>, announced: &AnnouncedFile) -> Result<String> {
    let conversation = act.vault.report_id(&announced.receipt)?;
    admit(act, &conversation, announced.after_sending)?;
    let id = Uuid::new_v4().to_string();
    let associated = associated_data(&conversation, &id);
    let key = FileKey::random()?;
    let current = act.vault.current_epoch(act.now)?;
    act.tx
        .ensure_epoch(current.epoch.id, || epoch_row(act.vault, &current))?;
    act.tx.insert_attachment(&AttachmentRow {
        n: act.next_attachment(&conversation)?,
        conversation,
        size: announced.size,
        arrived: 0,
        media_type: None,
        created: act.now,
        sent: None,
        name: key.seal_name(&clean_name(&announced.name))?,
        epoch: current.epoch.id,
        key: key.seal(&current.epoch, (KEY, &associated))?,
        copy: key.seal_for(&announced.receipt.key()?, &associated)?,
        onion: announced.onion,
        id: id.clone(),
    })?;
    Ok(id)
}

/// The key of a file is bound to its report and to the file.
fn associated_data(conversation: &str, id: &str) -> String {
    format!("{conversation} {id}")
}

/// The key of a file, opened with the code of the receipt.
pub fn key_by_code(code: &ReceiptCode, row: &AttachmentRow) -> Result<FileKey> {
    let associated = associated_data(&row.conversation, &row.id);
    Ok(FileKey::open_with(&code.key()?, &associated, &row.copy)?)
}

/// The key of a file of a report, as the newsroom opens it.
pub fn key_of(snapshot: &Snapshot<'_>, vault: &Vault, row: &AttachmentRow) -> Result<FileKey> {
    let epoch = epoch(snapshot, vault, row.epoch)?;
    let associated = associated_data(&row.conversation, &row.id);
    Ok(FileKey::open(&epoch, (KEY, &associated), &row.key)?)
}

/// The name that the reporter's computer gave a file. A name that does not open becomes a stand-in, so that other files are still
/// shown.
pub fn name_of(key: Result<FileKey>, row: &AttachmentRow) -> Result<String> {
    let name = key.and_then(|key| Ok(key.open_name(&row.name)?));
    readable(name, &row.id, UNREADABLE)
}

/// The description of a report's files in messages.
pub(in crate::actions) fn summaries(
    snapshot: &Snapshot<'_>,
    report: &str,
) -> Result<Vec<AttachmentSummary>> {
    let files = snapshot.attachments_of(report)?.into_iter();
    let summaries = files.map(|row| AttachmentSummary {
        media_type: row.media_type.unwrap_or_default(),
        size: u64::try_from(row.size).unwrap_or_default(),
    });
    Ok(summaries.collect())
}

/// Notes how much of a file is on disk, and its type once that is known; returns 0 if the file is gone.
pub fn note_arrived(
    act: &Act<'_>,
    id: &str,
    bytes: i64,
    media_type: Option<&str>,
) -> Result<usize> {
    Ok(act.tx.set_arrived(id, bytes, media_type)?)
}

/// Notes that all of a file is on disk, and its type; returns 0 if the file is gone.
pub fn note_whole(act: &Act<'_>, id: &str, size: i64, media_type: &str) -> Result<usize> {
    Ok(act.tx.set_whole(id, size, media_type)?)
}

/// The complete files that wait for the report, or for its next message: id, name and bytes of each.
pub fn waiting_files(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    code: &ReceiptCode,
) -> Result<Vec<(String, String, i64)>> {
    let rows = snapshot.whole_waiting_attachments(&vault.report_id(code)?)?;
    let file = |row: AttachmentRow| {
        let name = name_of(key_by_code(code, &row), &row)?;
        Ok((row.id, name, row.size))
    };
    rows.into_iter().map(file).collect()
}

/// Deletes a waiting file, with its name, that is refused while it arrives.
pub fn forget_waiting(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.forget_waiting_attachment(conversation, id)?)
}

/// Drops a waiting file that its reporter takes back; returns 0 if it is gone. Its name is kept: another page of the reporter may
/// still list the file, and is told which one is gone.
pub fn take_back(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.drop_waiting_attachment(conversation, id, false)?)
}

/// Drops a waiting file whose bytes on the disk are damaged, and counts it as lost.
pub fn drop_damaged(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.drop_waiting_attachment(conversation, id, true)?)
}

/// How many complete files, begun within the last day, were lost before their reports were sent.
pub fn lost_lately(snapshot: &Snapshot<'_>, now: i64) -> Result<i64> {
    Ok(snapshot.lost_attachments(now - WAIT_MS)?)
}

/// Drops every waiting file of a conversation that ends without a report.
pub fn drop_all_waiting(act: &Act<'_>, conversation: &str) -> Result<()> {
    Ok(act.tx.drop_all_waiting(conversation)?)
}

/// Drops files whose report has not come within a day, and deletes the names of those dropped long before, at most [`STEP`] of each;
/// returns how many were dropped.
pub fn drop_abandoned(act: &Act<'_>) -> Result<usize> {
    let abandoned = act.abandoned_attachments(act.now - WAIT_MS, STEP)?;
    for (conversation, id) in &abandoned {
        act.tx.drop_waiting_attachment(conversation, id, false)?;
    }
    let names = act.now - WAIT_MS - NAME_MS;
    act.tx.forget_waiting_attachments(names, STEP)?;
    Ok(abandoned.len())
}
