//! Seals what goes into a row and opens what comes out of it, with the epoch key stored beside it in the same transaction.
//! Must never write a sealed row whose epoch might not be on disk.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::actions::{Act, Error, Result};
use crate::domain::callout::{CalloutAnswers, CalloutRef};
use crate::domain::report::{BorrowedReport, Report, own_words};
use crate::domain::routing::Analysis;
use crate::domain::text::{excerpt, is_blank};
use crate::store::{EpochRow, ListRow, ReportRow, Snapshot};
use crate::vault::{
    CurrentEpoch, Epoch, PrivateKey, ReceiptCode, Secret32, SlotKind, Vault, VaultError, open_row,
    seal_row,
};

pub const CONTENT: &str = "segnalazioni";
const ROW: &str = "segnalazioni.riga";
/// Characters of an account that a list shows: as many as find room in a row of a wide screen.
pub const EXCERPT: usize = 240;
const UNREADABLE: &str = "(segnalazione non leggibile)";
const RECEIPT: &str = "segnalazioni.chiave";
pub(in crate::actions) const NOTE: &str = "segnalazioni.note";
pub(in crate::actions) const PIECES: &str = "routing_memory";

/// A sealed value, which is given out only where its epoch is stored.
pub(in crate::actions) struct Sealed {
    under: Arc<CurrentEpoch>,
    blob: Vec<u8>,
}

impl Sealed {
    pub(in crate::actions) fn of(
        vault: &Vault,
        now: i64,
        table: &str,
        id: &str,
        plaintext: &[u8],
    ) -> Result<Self> {
        let under = vault.current_epoch(now)?;
        let blob = seal_row(&under.epoch, table, id, plaintext)?;
        Ok(Self { under, blob })
    }

    /// The number of the epoch, which is stored unless it is already, and the value.
    pub(in crate::actions) fn store(self, act: &Act<'_>) -> Result<(i64, Vec<u8>)> {
        let under = self.under;
        let id = under.epoch.id;
        act.tx.ensure_epoch(id, || epoch_row(act.vault, &under))?;
        Ok((id, self.blob))
    }
}

/// An epoch as it is stored.
pub(in crate::actions) fn epoch_row(vault: &Vault, current: &CurrentEpoch) -> EpochRow {
    EpochRow {
        id: current.epoch.id,
        key_id: vault.key_id(),
        born: current.born_ms,
        sealed: current.sealed.clone(),
    }
}

/// The sealed part of a report: its author's words and the program's analysis. Written with a borrowed report, read
/// with an owned one.
#[derive(Serialize, Deserialize)]
pub struct ReportContent<R, A = Analysis, C = CalloutAnswers> {
    #[serde(flatten)]
    pub report: R,
    /// The analysis; the default for reports received before there was one.
    #[serde(default)]
    pub analysis: A,
    /// The answers to a callout.
    #[serde(flatten)]
    pub callout: C,
}

/// A report, sealed: all of it, and apart from it what a list shows, so that a list opens little.
pub(in crate::actions) struct SealedReport {
    content: Sealed,
    row: Vec<u8>,
    receipt: Option<Vec<u8>>,
}

impl SealedReport {
    /// The row with all that is sealed of it.
    pub(in crate::actions) fn store(self, act: &Act<'_>, row: ReportRow) -> Result<ReportRow> {
        let (epoch, contenuto) = self.content.store(act)?;
        Ok(ReportRow {
            epoch,
            riga: self.row,
            contenuto,
            chiave: self.receipt,
            ..row
        })
    }
}

pub(in crate::actions) fn seal_report(
    vault: &Vault,
    now: i64,
    id: &str,
    content: &ReportContent<&Report, &Analysis, Option<&CalloutAnswers>>,
    receipt: Option<&ReceiptCode>,
) -> Result<SealedReport> {
    let bytes = serde_json::to_vec(content).map_err(|_| VaultError::Damaged)?;
    let sealed = Sealed::of(vault, now, CONTENT, id, &bytes)?;
    let epoch = &sealed.under.epoch;
    let bytes = serde_json::to_vec(&ListItem::of(content.report, content.callout))
        .map_err(|_| VaultError::Damaged)?;
    let key = receipt.map(|code| seal_row(epoch, RECEIPT, id, code.key()?.expose()));
    Ok(SealedReport {
        row: seal_row(epoch, ROW, id, &bytes)?,
        receipt: key.transpose()?,
        content: sealed,
    })
}

/// The key of a report's receipt; `None` for a report without one.
pub(in crate::actions) fn open_receipt_key(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<Option<Secret32>> {
    let Some(sealed) = &row.chiave else {
        return Ok(None);
    };
    let key = Zeroizing::new(open(snapshot, vault, row.epoch, RECEIPT, &row.id, sealed)?);
    Ok(Some(Secret32::from_slice(&key).ok_or(VaultError::Damaged)?))
}

/// Seals a text, as columns hold one that may be missing: an empty one is stored as none.
pub(in crate::actions) fn seal_text(
    act: &Act<'_>,
    table: &str,
    id: &str,
    text: &str,
) -> Result<(Option<i64>, Option<Vec<u8>>)> {
    if text.is_empty() {
        return Ok((None, None));
    }
    let (epoch, blob) = seal(act, table, id, text.as_bytes())?;
    Ok((Some(epoch), Some(blob)))
}

pub(in crate::actions) fn open_text(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    table: &str,
    id: &str,
    sealed: Option<(i64, &[u8])>,
) -> Result<String> {
    let Some((epoch, text)) = sealed else {
        return Ok(String::new());
    };
    let bytes = open(snapshot, vault, epoch, table, id, text)?;
    String::from_utf8(bytes).map_err(|_| Error::Vault(VaultError::Damaged))
}

/// The part of a report's content that lists show. Lists open nothing else.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ListItem {
    pub nome: String,
    pub cognome: String,
    pub telefono: String,
    pub email: String,
    /// The beginning of what was told.
    pub estratto: String,
    /// The callout that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inchiesta: Option<CalloutRef>,
}

impl ListItem {
    pub fn of(report: &Report, callout: Option<&CalloutAnswers>) -> Self {
        Self {
            nome: report.nome.clone(),
            cognome: report.cognome.clone(),
            telefono: report.telefono.clone(),
            email: report.email.clone(),
            estratto: excerpt(&told(report, callout), EXCERPT),
            inchiesta: callout.and_then(|callout| callout.inchiesta.clone()),
        }
    }
}

/// What the reporter told, in their own words: account and answers to a callout; only where there are none, what they chose there.
pub fn told<'r>(report: &'r Report, callout: Option<&CalloutAnswers>) -> Cow<'r, str> {
    let account = own_words(&report.segnalazione);
    let Some(callout) = callout else {
        return account;
    };
    match format!("{account}\n{}", callout.words()) {
        blank if is_blank(&blank) => callout.told().into(),
        words => words.into(),
    }
}

pub fn open_report(snapshot: &Snapshot<'_>, vault: &Vault, row: &ReportRow) -> Result<Report> {
    open_as(snapshot, vault, row.epoch, CONTENT, &row.id, &row.contenuto)
}

pub fn open_content(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    row: &ReportRow,
) -> Result<ReportContent<Report>> {
    open_as(snapshot, vault, row.epoch, CONTENT, &row.id, &row.contenuto)
}

pub fn open_as<T: DeserializeOwned>(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    epoch_id: i64,
    table: &str,
    id: &str,
    blob: &[u8],
) -> Result<T> {
    let bytes = open(snapshot, vault, epoch_id, table, id, blob)?;
    serde_json::from_slice(&bytes).map_err(|_| Error::Vault(VaultError::Damaged))
}

/// Opens a report for a list: one that is damaged must not hide the others, so words that say so stand in its place. A locked
/// archive is another matter, and stays an error.
pub fn open_listed(snapshot: &Snapshot<'_>, vault: &Vault, row: &ListRow) -> Result<ListItem> {
    let opened = open_as(snapshot, vault, row.epoch, ROW, &row.id, &row.riga);
    or_stand_in(opened, &row.id, || ListItem {
        nome: UNREADABLE.to_owned(),
        ..ListItem::default()
    })
}

/// The report in opened content; where there is none, what stands in its place.
pub fn read_or_stand_in<'c>(id: &str, content: Option<&'c [u8]>) -> BorrowedReport<'c> {
    let report = content.and_then(|content| serde_json::from_slice(content).ok());
    report.unwrap_or_else(|| {
        tracing::error!(id, "what is sealed cannot be opened");
        BorrowedReport {
            nome: UNREADABLE.into(),
            ..BorrowedReport::default()
        }
    })
}

pub fn open_note(snapshot: &Snapshot<'_>, vault: &Vault, row: &ReportRow) -> Result<String> {
    let sealed = row.note_epoch.zip(row.note.as_deref());
    open_text(snapshot, vault, NOTE, &row.id, sealed)
}

/// The opened value, or a stand-in if it is damaged, so that one damaged row hides no others. A locked archive is
/// another matter, and stays an error.
pub fn or_stand_in<T>(opened: Result<T>, id: &str, stand_in: impl FnOnce() -> T) -> Result<T> {
    match opened {
        Err(Error::Vault(error)) if error != VaultError::Locked => {
            tracing::error!(id, %error, "what is sealed cannot be opened");
            Ok(stand_in())
        }
        opened => opened,
    }
}

/// The readable form of a text.
pub(in crate::actions) fn readable(
    opened: Result<Vec<u8>>,
    id: &str,
    stand_in: &str,
) -> Result<String> {
    let text = opened.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    or_stand_in(text, id, || stand_in.to_owned())
}

pub(in crate::actions) fn seal(
    act: &Act<'_>,
    table: &str,
    id: &str,
    plaintext: &[u8],
) -> Result<(i64, Vec<u8>)> {
    Sealed::of(act.vault, act.now, table, id, plaintext)?.store(act)
}

pub(in crate::actions) fn open(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    epoch_id: i64,
    table: &str,
    id: &str,
    blob: &[u8],
) -> Result<Vec<u8>> {
    let epoch = epoch(snapshot, vault, epoch_id)?;
    Ok(open_row(&epoch, table, id, blob)?)
}

/// A change of what is signed. `owner`: the id of a person; empty for the newsroom's own.
pub(in crate::actions) fn put_slot(
    act: &Act<'_>,
    kind: SlotKind,
    owner: &str,
    slot_key: &Secret32,
) -> Result<()> {
    let slot = act.vault.seal_slot(kind, slot_key)?;
    let key_id = act.vault.key_id();
    Ok(act
        .tx
        .put_slot(&key_id, kind.as_str(), owner, &slot, act.now)?)
}

pub(in crate::actions) fn open_slot(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    kind: SlotKind,
    owner: &str,
    slot_key: &Secret32,
) -> Result<PrivateKey> {
    let slot = snapshot.slot(&vault.key_id(), kind.as_str(), owner)?;
    let slot = slot.ok_or(VaultError::WrongSecret)?;
    Ok(vault.open_slot(kind, slot_key, &slot)?)
}

pub fn epoch(snapshot: &Snapshot<'_>, vault: &Vault, id: i64) -> Result<Arc<Epoch>> {
    // A page of the list is mostly of epochs met before: those cost no look into the database.
    if let Some(opened) = vault.opened_epoch(id) {
        return Ok(opened);
    }
    let row = snapshot.epoch(id)?.ok_or(VaultError::Damaged)?;
    Ok(vault.open_epoch(id, &row.key_id, &row.sealed)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report as some version of the program stored it, and what a later one must read.
    #[derive(Deserialize)]
    struct StoredReport {
        about: String,
        key: String,
        id: String,
        content: String,
        list_item: String,
        nome: String,
        telefono: String,
        segnalazione: String,
        eta: u8,
        reason: String,
        excerpt: String,
    }

    fn opened(vector: &StoredReport, table: &str, sealed: &str) -> Vec<u8> {
        let key = Secret32::from_slice(&hex::decode(&vector.key).unwrap()).unwrap();
        let sealed = hex::decode(sealed).unwrap();
        open_row(&Epoch::of_key(key), table, &vector.id, &sealed).unwrap()
    }

    /// A report without fields that came later, and one with fields that this version does not know, open as well.
    #[test]
    fn stored_reports_of_every_version_open() {
        let vectors: Vec<StoredReport> =
            serde_json::from_str(include_str!("../../../tests/vectors/stored_reports.json"))
                .unwrap();
        assert_eq!(vectors.len(), 3);
        for vector in vectors {
            let about = &vector.about;
            let content = opened(&vector, CONTENT, &vector.content);
            let ReportContent {
                report, analysis, ..
            }: ReportContent<Report> = serde_json::from_slice(&content).unwrap();
            let texts = [&report.nome, &report.telefono, &report.segnalazione];
            let expected = [&vector.nome, &vector.telefono, &vector.segnalazione];
            assert_eq!(texts, expected, "{about}");
            assert_eq!(
                (report.eta, analysis.reason),
                (vector.eta, vector.reason.clone()),
                "{about}"
            );
            let borrowed: BorrowedReport<'_> = serde_json::from_slice(&content).unwrap();
            assert_eq!(
                [
                    &*borrowed.nome,
                    &*borrowed.telefono,
                    &*borrowed.segnalazione
                ],
                expected,
                "{about}"
            );
            let listed: ListItem =
                serde_json::from_slice(&opened(&vector, ROW, &vector.list_item)).unwrap();
            assert_eq!(
                (listed.nome, listed.estratto),
                (vector.nome.clone(), vector.excerpt.clone()),
                "{about}"
            );
        }
    }
}
