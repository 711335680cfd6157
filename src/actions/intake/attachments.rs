//! A reporter attaches files: one is begun, becomes whole and turns out to be what it is, or is dropped. With the last turn those
//! that are whole become part of the report (`submit_report`).
//! Must never touch a file's bytes, nor let a conversation have more of them than the settings allow. Whether files are wanted, and
//! how large, the upload checks: also while it goes on.

use uuid::Uuid;

use crate::actions::archive::retention::STEP;
use crate::actions::archive::sealing::{epoch, epoch_row, readable};
use crate::actions::settings::sections::load;
use crate::actions::{Act, Error, Result, SENT};
use crate::domain::media::attachment::{AttachmentSummary, clean_name};
use crate::domain::settings::System;
use crate::store::{AttachmentRow, Snapshot};
use crate::vault::{FileKey, ReceiptCode, Vault};

/// Associated data of a file's key.
const KEY: &str = "attachments.key";
/// How long files are kept that nothing follows, in ms: with the intervals of what sweeps them, a day.
const WAIT_MS: i64 = (24 * 60 - 2) * 60 * 1_000;
/// How long the name of one that was dropped is kept behind that, in ms: as long as a conversation may go on.
const NAME_MS: i64 = 72 * 60 * 60 * 1_000;
/// Most files that make room for one.
const MOST_DROPPED: usize = 1_000;
const UNREADABLE: &str = "(nome non leggibile)";

const MANY: Error = Error::conflict("Hai già allegato il numero massimo di file.");

/// A file that is to come.
pub struct AnnouncedFile {
    /// The receipt of the report that it will belong to.
    pub receipt: ReceiptCode,
    /// Whether that is there, and its reporter has come back.
    pub later: bool,
    pub name: String,
    pub size: i64,
    /// Whether it comes by the onion socket.
    pub onion: bool,
}

/// Refuses a file that comes after the report was sent, or is one more than the settings allow.
fn admit(act: &Act<'_>, conversation: &str, later: bool) -> Result<()> {
    match act.report(conversation)? {
        Some(_) if later => {}
        None if later => return Err(Error::NotFound),
        None if !act.was_erased(conversation)? => {}
        _ => return Err(SENT),
    }
    let system: System = load(act)?;
    if act.attachments_held(conversation)? >= i64::from(system.attachments_per_report) {
        return Err(MANY);
    }
    Ok(())
}

/// Bytes that the settings have room for.
pub fn room_of_files(system: &System) -> i64 {
    i64::from(system.attachments_total_gb) << 30
}

/// How much of the room for files is taken, in bytes.
pub struct FileRoom {
    all: i64,
    /// Files of reports that are set aside.
    set_aside: i64,
    /// Files that no report follows yet, and those of them that came by the onion socket.
    waiting: i64,
    onion: i64,
}

impl FileRoom {
    pub fn of(snapshot: &Snapshot<'_>) -> Result<Self> {
        let (all, set_aside, waiting, onion) = snapshot.attached_bytes()?.unwrap_or_default();
        Ok(Self {
            all,
            set_aside,
            waiting,
            onion,
        })
    }

    /// Whether so many more bytes fit: what no report follows has a quarter, what came by the onion socket an eighth of its own,
    /// and each of them together with the files of reports that are set aside a half, so that strangers cannot take the room of
    /// reports. Half of what waits is for those who have sent little.
    pub fn fits(&self, room: i64, more: i64, sender: FileSender) -> bool {
        let waiting = self.waiting_beside(sender.onion) + more;
        let share = if sender.onion { 8 } else { 4 };
        let share = if sender.modest { share } else { 2 * share };
        self.all + more <= room && self.set_aside + waiting <= room / 2 && waiting <= room / share
    }

    /// Bytes that wait, from the onion socket or from all other clients.
    fn waiting_beside(&self, onion: bool) -> i64 {
        if onion {
            self.onion
        } else {
            self.waiting - self.onion
        }
    }

    /// Whether it is time to tell those who can make room.
    pub fn is_nearly_full(&self, room: i64) -> bool {
        let kept = self.all - self.waiting;
        kept >= room / 10 * 9 || self.set_aside >= room / 20 * 9
    }

    /// The room as it would be with that many waiting bytes less.
    fn without(&self, bytes: i64, onion: bool) -> Self {
        Self {
            all: self.all - bytes,
            waiting: self.waiting - bytes,
            onion: self.onion - if onion { bytes } else { 0 },
            ..*self
        }
    }
}

/// By which way a file comes, and whether who sends it has sent little within a day.
#[derive(Debug, Clone, Copy)]
pub struct FileSender {
    pub onion: bool,
    pub modest: bool,
}

/// A file that wants room.
pub struct Newcomer {
    pub conversation: String,
    pub sender: FileSender,
    /// Bytes of it that are still to come.
    pub asks: i64,
}

/// Which files of others have to go, with their conversations, so that so many more bytes fit; `None` where there would be no room
/// even so. A conversation loses none while it is not quiet, nor in favour of a newcomer that would then have more waiting; who has
/// most loses first.
pub fn room_for(
    snapshot: &Snapshot<'_>,
    newcomer: &Newcomer,
    (room, more): (i64, i64),
    is_quiet: impl Fn(&str) -> bool,
) -> Result<Option<Vec<(String, String)>>> {
    let (taken, sender) = (FileRoom::of(snapshot)?, newcomer.sender);
    if taken.fits(room, more, sender) {
        return Ok(Some(Vec::new()));
    }
    let conversation = &newcomer.conversation;
    let own = snapshot.waiting_bytes(conversation)? + newcomer.asks;
    let others = snapshot.waiting_beside(conversation, sender.onion)?;
    let losing = others
        .into_iter()
        .filter(|(other, .., held)| *held >= own && is_quiet(other));
    let (mut gone, mut freed) = (Vec::new(), 0);
    for (other, id, bytes, _) in losing.take(MOST_DROPPED) {
        gone.push((other, id));
        freed += bytes;
        if taken.without(freed, sender.onion).fits(room, more, sender) {
            return Ok(Some(gone));
        }
    }
    Ok(None)
}

/// Makes room for so many more bytes (`room_for`): answers how many files of others went. Where there would be none even so,
/// nothing goes.
pub fn make_room(
    act: &Act<'_>,
    newcomer: &Newcomer,
    room: (i64, i64),
    is_quiet: impl Fn(&str) -> bool,
) -> Result<Option<usize>> {
    let Some(gone) = room_for(act, newcomer, room, is_quiet)? else {
        return Ok(None);
    };
    for (conversation, id) in &gone {
        act.tx.drop_waiting_attachment(conversation, id, true)?;
    }
    Ok(Some(gone.len()))
}

/// Which of these files a conversation does not have whole, waiting or in its report.
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

/// Refuses what is to be sent with files that are not there.
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

/// Gives a report the files of its conversation that are whole, of a page that names them those alone; answers how many.
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

/// The name of a file of a conversation, also of one that was dropped lately.
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

/// Begins a file; answers its id.
pub fn begin(act: &Act<'_>, announced: &AnnouncedFile) -> Result<String> {
    let conversation = act.vault.report_of(&announced.receipt)?;
    admit(act, &conversation, announced.later)?;
    let id = Uuid::new_v4().to_string();
    let place = associated_data(&conversation, &id);
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
        key: key.seal(&current.epoch, (KEY, &place))?,
        copy: key.seal_for(&announced.receipt.key()?, &place)?,
        onion: announced.onion,
        id: id.clone(),
    })?;
    Ok(id)
}

/// Keys are bound to the report and to the file.
fn associated_data(conversation: &str, id: &str) -> String {
    format!("{conversation} {id}")
}

/// The key of a file, opened with the code of the receipt.
pub fn key_by_code(code: &ReceiptCode, row: &AttachmentRow) -> Result<FileKey> {
    let place = associated_data(&row.conversation, &row.id);
    Ok(FileKey::open_with(&code.key()?, &place, &row.copy)?)
}

/// The key of a file of a report, as the newsroom opens it.
pub fn key_of(snapshot: &Snapshot<'_>, vault: &Vault, row: &AttachmentRow) -> Result<FileKey> {
    let epoch = epoch(snapshot, vault, row.epoch)?;
    let place = associated_data(&row.conversation, &row.id);
    Ok(FileKey::open(&epoch, (KEY, &place), &row.key)?)
}

/// The name that a reporter's computer gave a file, opened with its key: one that does not open hides no other.
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

/// Notes how much of a file is on disk, and what it is once it is whole; answers how many files there are of this id.
pub fn note_arrived(
    act: &Act<'_>,
    id: &str,
    bytes: i64,
    media_type: Option<&str>,
) -> Result<usize> {
    Ok(act.tx.set_arrived(id, bytes, media_type)?)
}

/// Notes that all of a file is on disk, and what it is; answers how many files there are of this id.
pub fn note_whole(act: &Act<'_>, id: &str, size: i64, media_type: &str) -> Result<usize> {
    Ok(act.tx.set_whole(id, size, media_type)?)
}

/// The files that came whole and wait to go with a report, or with its next message: id, name and bytes of each.
pub fn waiting_files(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    code: &ReceiptCode,
) -> Result<Vec<(String, String, i64)>> {
    let rows = snapshot.whole_waiting_attachments(&vault.report_of(code)?)?;
    let file = |row: AttachmentRow| {
        let name = name_of(key_by_code(code, &row), &row)?;
        Ok((row.id, name, row.size))
    };
    rows.into_iter().map(file).collect()
}

/// Forgets a file that is refused while it arrives.
pub fn forget_waiting(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.forget_waiting_attachment(conversation, id)?)
}

/// Drops a file that no report has yet, because its reporter takes it back; answers how many there were of this id. Another page
/// that still shows it is told its name.
pub fn take_back(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.drop_waiting_attachment(conversation, id, false)?)
}

/// Drops a file that no report has yet, because what is on disk is not what came.
pub fn drop_damaged(act: &Act<'_>, conversation: &str, id: &str) -> Result<usize> {
    Ok(act.tx.drop_waiting_attachment(conversation, id, true)?)
}

/// How many files that were acknowledged were lost within a day, before their reports were sent.
pub fn lost_lately(snapshot: &Snapshot<'_>, now: i64) -> Result<i64> {
    Ok(snapshot.lost_attachments(now - WAIT_MS)?)
}

/// Drops every file of a conversation that ends without a report.
pub fn drop_all_waiting(act: &Act<'_>, conversation: &str) -> Result<()> {
    Ok(act.tx.drop_all_waiting(conversation)?)
}

/// Drops files that nothing has followed for a day, at most so many, and forgets the names of older ones; answers how many were
/// dropped.
pub fn drop_abandoned(act: &Act<'_>) -> Result<usize> {
    let abandoned = act.abandoned_attachments(act.now - WAIT_MS, STEP)?;
    for (conversation, id) in &abandoned {
        act.tx.drop_waiting_attachment(conversation, id, false)?;
    }
    let names = act.now - WAIT_MS - NAME_MS;
    act.tx.forget_waiting_attachments(names, STEP)?;
    Ok(abandoned.len())
}
