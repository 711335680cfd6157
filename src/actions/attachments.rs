//! A reporter attaches files: one is begun, turns out to be what it is, becomes whole, or is dropped. With the last turn those
//! that are whole become part of the report (`submit_report`).
//! Must never touch a file's bytes, nor let a conversation have more, or larger ones, than the settings allow.

use uuid::Uuid;
use zeroize::Zeroizing;

use super::sealing::{epoch, epoch_row};
use super::settings::load;
use super::{Act, Error, Result};
use crate::domain::attachment::{Told, clean_name};
use crate::domain::settings::System;
use crate::store::{AttachmentRow, Snapshot, Tx};
use crate::vault::{
    FileKey, ReceiptCode, Secret32, Vault, VaultError, open_row, open_with_receipt,
    seal_for_receipt, seal_row,
};

/// Associated data of a file's name, and of its key.
const NAME: &str = "attachments.name";
const KEY: &str = "attachments.key";
/// How long files are kept that nothing follows, in ms: with the intervals of what sweeps them, a day.
const WAIT_MS: i64 = (24 * 60 - 2) * 60 * 1_000;
const UNREADABLE: &str = "(nome non leggibile)";

const SENT: Error = Error::Conflict("Questa segnalazione è già stata inviata.");
const OFF: Error =
    Error::Conflict("Al momento non si possono allegare file. La segnalazione può continuare.");
const MANY: Error = Error::Conflict("Hai già allegato il numero massimo di file.");

/// A file that is to come.
pub struct Announced {
    /// Id of the report that it is to belong to.
    pub conversation: String,
    /// Whether that is there, and its reporter has come back.
    pub later: bool,
    pub name: String,
    pub size: i64,
}

/// Refuses what the settings do not allow; else answers the number of the file in its report.
fn admit(act: &Act<'_>, conversation: &str, later: bool) -> Result<i64> {
    match act.report(conversation)? {
        Some(_) if later => {}
        None if later => return Err(Error::NotFound),
        None if !act.was_erased(conversation)? => {}
        _ => return Err(SENT),
    }
    let (begun, last) = act.attachments_begun(conversation)?;
    let system: System = load(act)?;
    if !system.attachments_enabled {
        return Err(OFF);
    }
    if begun >= i64::from(system.attachments_per_report) {
        return Err(MANY);
    }
    Ok(last + 1)
}

/// Begins a file; answers its id.
pub fn begin(act: &Act<'_>, announced: &Announced) -> Result<String> {
    let Announced {
        conversation,
        later,
        name,
        size,
    } = announced;
    let n = admit(act, conversation, *later)?;
    let id = Uuid::new_v4().to_string();
    let place = place(conversation, &id);
    let (key, name) = (FileKey::random()?, clean_name(name));
    let current = act.vault.current_epoch(act.now)?;
    act.ensure_epoch(current.epoch.id, || epoch_row(act.vault, &current))?;
    act.insert_attachment(&AttachmentRow {
        conversation: conversation.clone(),
        n,
        size: *size,
        arrived: 0,
        media_type: None,
        created: act.now,
        sent: None,
        epoch: current.epoch.id,
        name: seal_row(&current.epoch, NAME, &place, name.as_bytes())?,
        copy: Some(act.vault.seal_operational(NAME, &place, name.as_bytes())?),
        key: key.seal(&current.epoch, (KEY, &place))?,
        lent: Some(key.lend(act.vault, (KEY, &place))?),
        id: id.clone(),
    })?;
    Ok(id)
}

/// Names and keys are bound to the report and to the file.
fn place(conversation: &str, id: &str) -> String {
    format!("{conversation} {id}")
}

/// The key of a file that arrives; `None` once it is whole.
pub fn lent_key(vault: &Vault, row: &AttachmentRow) -> Result<Option<FileKey>> {
    let place = place(&row.conversation, &row.id);
    let lent = row.lent.as_deref();
    Ok(lent
        .map(|lent| FileKey::borrow(vault, (KEY, &place), lent))
        .transpose()?)
}

/// The key of a file of a report.
pub fn key_of(snapshot: &Snapshot<'_>, vault: &Vault, row: &AttachmentRow) -> Result<FileKey> {
    let epoch = epoch(snapshot, vault, row.epoch)?;
    let place = place(&row.conversation, &row.id);
    Ok(FileKey::open(&epoch, (KEY, &place), &row.key)?)
}

/// The name that a reporter's computer gave it.
pub fn name_of(snapshot: &Snapshot<'_>, vault: &Vault, row: &AttachmentRow) -> Result<String> {
    let epoch = epoch(snapshot, vault, row.epoch)?;
    let place = place(&row.conversation, &row.id);
    let name = open_row(&epoch, NAME, &place, &row.name)?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}

/// Gives a report, which is there, the files that wait for it and are whole; its receipt's code opens their names. Answers whether
/// there are any.
pub(super) fn give(
    act: &Act<'_>,
    report: &str,
    sent: i64,
    receipt: Option<&Secret32>,
) -> Result<bool> {
    let files = act.whole_attachments(report)?;
    for file in &files {
        let copy = receipt.map(|key| copy_for(act.vault, key, file));
        act.attach(&file.id, sent, copy.transpose()?.as_deref())?;
    }
    Ok(!files.is_empty())
}

/// The name of a file that waits, sealed for a receipt. One that does not open must not keep the file from arriving.
fn copy_for(vault: &Vault, receipt: &Secret32, file: &AttachmentRow) -> Result<Vec<u8>> {
    let place = place(&file.conversation, &file.id);
    let name = vault.open_operational(NAME, &place, file.copy.as_deref().unwrap_or_default());
    let name = name.or_else(|error| unreadable(error).map(Zeroizing::new))?;
    Ok(seal_for_receipt(receipt, &place, &name)?)
}

/// What stands in the place of a name that does not open.
fn unreadable(error: VaultError) -> Result<Vec<u8>> {
    if error == VaultError::Damaged {
        tracing::error!("the name of an attachment cannot be opened");
        return Ok(UNREADABLE.into());
    }
    Err(error.into())
}

/// The files of a report with their names, as whoever has the code reads them.
pub fn files_by_code(
    snapshot: &Snapshot<'_>,
    code: &ReceiptCode,
    report: &str,
) -> Result<Vec<(AttachmentRow, String)>> {
    let key = code.key()?;
    let files = snapshot.attachments_of(report)?.into_iter();
    let named = files.map(|file| {
        let place = place(&file.conversation, &file.id);
        let copy = file.copy.as_deref().unwrap_or_default();
        let name = open_with_receipt(&key, &place, copy).or_else(unreadable)?;
        Ok((file, String::from_utf8_lossy(&name).into_owned()))
    });
    named.collect()
}

/// What messages say of the files of a report.
pub(super) fn told(snapshot: &Snapshot<'_>, report: &str) -> Result<Vec<Told>> {
    let files = snapshot.attachments_of(report)?.into_iter();
    let told = files.map(|row| Told {
        media_type: row.media_type.unwrap_or_default(),
        size: u64::try_from(row.size).unwrap_or_default(),
    });
    Ok(told.collect())
}

/// Forgets files that nothing has followed for a day, at most so many; answers how many.
pub fn drop_abandoned(tx: &Tx<'_>, now: i64) -> Result<usize> {
    Ok(tx.drop_waiting_attachments(now - WAIT_MS, super::retention::STEP)?)
}
