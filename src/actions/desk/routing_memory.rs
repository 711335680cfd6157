//! Memory of the reports that staff moved, from which routing learns (`PRODUCT.md §11`): noted, opened, applied,
//! forgotten. Must never keep pieces in the clear once the archive is locked, or once their report is erased.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::actions::archive::sealing::{PIECES, open, open_content, seal};
use crate::actions::{Act, Error, Result};
use crate::domain::report::own_words;
use crate::domain::routing::{DepartmentKey, Memory, Pieces};
use crate::store::{Action, ReportRow, Snapshot};
use crate::vault::{Vault, VaultError};

/// Takes down that staff moved a report, in place of an earlier move of it. Back where it arrived there is nothing to
/// remember.
pub(in crate::actions) fn note_move(
    act: &Act<'_>,
    row: &ReportRow,
    department: DepartmentKey,
) -> Result<()> {
    let content = open_content(act, act.vault, row)?;
    if content.analysis.department == department {
        return Ok(act.tx.drop_move(&row.id)?);
    }
    remember(act, act.now, &row.id, &content.report.segnalazione)
}

/// Remembers a report, by its account, that was moved at this time. A text that says too little to be told from another is not remembered.
pub(in crate::actions) fn remember(act: &Act<'_>, moved: i64, id: &str, text: &str) -> Result<()> {
    let Some(pieces) = Pieces::of(&own_words(text)) else {
        return Ok(act.tx.drop_move(id)?);
    };
    let (epoch, blob) = seal(act, PIECES, id, &pieces.to_bytes())?;
    Ok(act.tx.put_move(id, moved, epoch, &blob)?)
}

pub fn forget_moves(act: &Act<'_>) -> Result<()> {
    act.tx.drop_moves()?;
    act.log(Action::SettingsChanged, None)
}

#[derive(Default)]
pub struct OpenedMemory(Mutex<(u64, Option<Arc<Memory>>)>);

impl OpenedMemory {
    /// The memory at a revision of the store, if it was opened since.
    pub fn held(&self, revision: u64) -> Option<Arc<Memory>> {
        let (of, memory) = &*self.0.lock();
        memory.clone().filter(|_| *of == revision)
    }

    /// The memory; empty while the archive is locked, because its pieces are sealed like their reports. The revision is
    /// one that was asked for before the snapshot was taken.
    pub fn get(
        &self,
        revision: u64,
        snapshot: &Snapshot<'_>,
        vault: &Vault,
    ) -> Result<Arc<Memory>> {
        if !vault.is_unlocked() {
            return Ok(Arc::default());
        }
        if let Some(memory) = self.held(revision) {
            return Ok(memory);
        }
        let memory = Arc::new(open_moves(snapshot, vault)?);
        let mut held = self.0.lock();
        if revision >= held.0 {
            *held = (revision, Some(Arc::clone(&memory)));
        }
        drop(held);
        // Where the archive was locked meanwhile, the lock found nothing to wipe.
        self.follow_vault(vault);
        Ok(memory)
    }

    /// Drops what is held, because something of it is forgotten as of this revision; also what is being opened meanwhile.
    pub fn forget(&self, revision: u64) {
        *self.0.lock() = (revision, None);
    }

    pub fn follow_vault(&self, vault: &Vault) {
        if !vault.is_unlocked() {
            self.0.lock().1 = None;
        }
    }
}

/// The moves that can be opened. One that cannot must not block the others, or a report.
fn open_moves(snapshot: &Snapshot<'_>, vault: &Vault) -> Result<Memory> {
    let mut memory = Vec::new();
    for row in snapshot.moves()? {
        match open(snapshot, vault, row.epoch, PIECES, &row.report, &row.pieces) {
            Ok(pieces) => memory.push((Pieces::from_bytes(&pieces), row.department)),
            Err(Error::Vault(VaultError::Locked)) => return Ok(Memory::default()),
            Err(Error::Vault(error)) => {
                tracing::error!(report = %row.report, %error, "what routing remembers of a report cannot be opened");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(memory.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use crate::actions::desk::edit_reports::{
        ExpectedVersion, ReportPatch, erase_reports, update_report,
    };
    use crate::actions::desk::routing_memory::*;
    use crate::actions::intake::submit_report::{Submission, submit_report};
    use crate::domain::report::{Origine, Report};
    use crate::domain::routing::{Analysis, Matter};
    use crate::newsroom::{Newsroom, open_with};
    use crate::vault::KeyFile;

    #[test]
    fn pieces_of_an_erased_report_are_let_go_of() {
        let folder = tempfile::tempdir().unwrap();
        let Newsroom { store, vault } =
            open_with(folder.path(), &mut KeyFile::generate().unwrap(), 0, false).unwrap();
        let store = Arc::new(store);
        let memory = Arc::new(OpenedMemory::default());
        let remembered = || {
            let revision = store.revision();
            let (memory, vault) = (Arc::clone(&memory), Arc::clone(&vault));
            let opened = store.read(move |snapshot| memory.get(revision, snapshot, &vault));
            format!("{:?}", opened.unwrap())
        };
        let nothing = format!("{:?}", Memory::default());
        let (id, keys) = ("uno".to_owned(), Arc::clone(&vault));
        let ids = [id.clone()];
        let moved = store.write(move |tx| {
            let act = Act::unattended(tx, &keys, 1);
            let report = Report {
                segnalazione: "Il cantiere del ponte scarica veleno nel fiume da mesi.".to_owned(),
                ..Report::default()
            };
            let submission = Submission {
                impronta: [0; 16],
                urgente: None,
                privacy_version: String::new(),
                receipt: None,
                origine: Origine::Chat,
                routed: None,
                callout: crate::domain::callout::CalloutAnswers::default(),
                shown: None,
                report,
                id,
            };
            submit_report(&act, &submission, &Analysis::default())?;
            let change = ReportPatch {
                inoltrata: None,
                department: Some(Matter::Ambiente.key()),
                stato: None,
                urgente: None,
                labels: None,
                assegnata: None,
                note: None,
            };
            update_report(&act, &submission.id, &ExpectedVersion::Any, &change)
        });
        moved.unwrap();
        assert_ne!(remembered(), nothing);
        // The memory is opened while the report is being erased.
        let (keys, opened, writing) = (Arc::clone(&vault), Arc::clone(&memory), Arc::clone(&store));
        let before = store.revision();
        let reading = store.read_apart(move |snapshot| {
            snapshot.move_count()?;
            let erasing = Arc::clone(&keys);
            writing.write(move |tx| erase_reports(&Act::unattended(tx, &erasing, 2), &ids))?;
            opened.forget(writing.revision());
            opened.get(before, snapshot, &keys)
        });
        assert_ne!(format!("{:?}", reading.unwrap()), nothing);
        assert!(memory.0.lock().1.is_none());
        assert_eq!(remembered(), nothing);
    }
}
