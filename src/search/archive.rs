//! Reads and opens sealed reports in quantity: an epoch's key is fetched once, and opening is spread over the processor.
//! Must never write, nor keep a report in the clear longer than it takes to look at it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;

use serde::Deserialize;
use zeroize::Zeroizing;

use super::index::Entry;
use super::{Order, Sought};
use crate::actions::sealing::{CONTENT, epoch};
use crate::actions::{Error, Result};
use crate::domain::text::search_fold;
use crate::store::{ListFilter, Snapshot};
use crate::vault::{Epoch, Vault, VaultError, open_row};

/// Stands between two fields. No text holds it, for it is no UTF-8: a match never runs from one field into the next.
const BETWEEN: u8 = 0xFF;
/// Fewer reports than this for each thread are not worth starting one.
const WORTH_A_THREAD: usize = 128;
/// Sealed bytes read together, at most: a long account takes the place of many short ones.
const PART_BYTES: usize = 4 * 1024 * 1024;
/// Most threads that open reports for one search.
const THREADS: usize = 8;

/// The searchable part of a report's content.
#[derive(Deserialize)]
struct Searchable<'a> {
    #[serde(borrow)]
    nome: Cow<'a, str>,
    #[serde(borrow)]
    cognome: Cow<'a, str>,
    #[serde(borrow)]
    telefono: Cow<'a, str>,
    #[serde(borrow)]
    email: Cow<'a, str>,
    #[serde(borrow)]
    segnalazione: Cow<'a, str>,
}

impl Searchable<'_> {
    /// Appends name and surname as one, so that a match may run from one into the other; e-mail; phone (PRODUCT.md §4).
    fn fold_contact(&self, folded: &mut Vec<u8>) {
        folded.extend_from_slice(search_fold(&self.nome).as_bytes());
        folded.push(b' ');
        folded.extend_from_slice(search_fold(&self.cognome).as_bytes());
        for field in [&self.email, &self.telefono] {
            folded.push(BETWEEN);
            folded.extend_from_slice(search_fold(field).as_bytes());
        }
        folded.push(BETWEEN);
    }
}

/// A report with the key that opens it; no key when it is none of ours (another key pair's, or damaged).
pub(super) struct Sealed {
    pub(super) seq: i64,
    id: String,
    epoch: Option<Arc<Epoch>>,
    blob: Vec<u8>,
}

impl Sealed {
    /// Opens it and shows it to `look`; `None` when it cannot be read.
    fn open<T>(&self, look: impl FnOnce(&Searchable<'_>) -> T) -> Option<T> {
        let content = open_row(self.epoch.as_ref()?, CONTENT, &self.id, &self.blob).ok()?;
        let content = Zeroizing::new(content);
        serde_json::from_slice(&content)
            .ok()
            .map(|report| look(&report))
    }

    /// Its folded fields for the index.
    pub(super) fn entry(&self) -> Option<Entry> {
        self.open(|report| {
            let mut folded = Zeroizing::new(Vec::new());
            report.fold_contact(&mut folded);
            (self.seq, folded)
        })
    }

    /// Whether a contact field matches, or the account where that is asked for.
    pub(super) fn matches(&self, sought: &Sought, in_text: bool) -> bool {
        self.open(|report| {
            let mut folded = Zeroizing::new(Vec::new());
            report.fold_contact(&mut folded);
            if in_text {
                folded.extend_from_slice(search_fold(&report.segnalazione).as_bytes());
            }
            sought.is_in(&folded)
        })
        .unwrap_or(false)
    }
}

/// Some reports, read together.
pub(super) struct Part {
    pub(super) reports: Vec<Sealed>,
    /// There are no more in the range.
    pub(super) last: bool,
}

/// The keys of the epochs met so far.
pub(super) struct Epochs {
    vault: Arc<Vault>,
    known: HashMap<i64, Option<Arc<Epoch>>>,
}

impl Epochs {
    pub(super) fn new(vault: &Arc<Vault>) -> Self {
        Self {
            vault: Arc::clone(vault),
            known: HashMap::new(),
        }
    }

    /// The first reports of a range of arrival numbers, both ends included: `limit` of them at most, fewer when they are
    /// long.
    pub(super) fn part(
        &mut self,
        snapshot: &Snapshot<'_>,
        filter: &ListFilter,
        range: (i64, i64),
        order: Order,
        limit: usize,
    ) -> Result<Part> {
        let (mut reports, mut bytes) = (Vec::new(), 0);
        let take = |seq, id: &str, epoch, blob: &[u8]| {
            bytes += blob.len();
            reports.push(Sealed {
                seq,
                id: id.to_owned(),
                epoch: self.key(snapshot, epoch)?,
                blob: blob.to_vec(),
            });
            Ok::<_, Error>(reports.len() < limit && bytes < PART_BYTES)
        };
        let newest_first = order == Order::NewestFirst;
        let last = snapshot.each_sealed(filter, range, newest_first, take)?;
        Ok(Part { reports, last })
    }

    fn key(&mut self, snapshot: &Snapshot<'_>, id: i64) -> Result<Option<Arc<Epoch>>> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let epoch = match epoch(snapshot, &self.vault, id) {
            Err(Error::Vault(error)) if error != VaultError::Locked => None,
            fetched => Some(fetched?),
        };
        self.known.insert(id, epoch.clone());
        Ok(epoch)
    }
}

/// What the work makes of each report, in their order, on several threads when there is enough of it; and what is done
/// meanwhile on this one.
pub(super) fn on_all<T: Send, M>(
    reports: &[Sealed],
    work: impl Fn(&Sealed) -> T + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<T>, M) {
    let on_some = |some: &[Sealed]| some.iter().map(&work).collect::<Vec<T>>();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (reports.len() / WORTH_A_THREAD).min(cores).min(THREADS);
    if threads < 2 {
        return (on_some(reports), meanwhile());
    }
    let on_some = &on_some;
    std::thread::scope(|scope| {
        let parts = reports.chunks(reports.len().div_ceil(threads));
        let running: Vec<_> = parts
            .map(|some| scope.spawn(move || on_some(some)))
            .collect();
        let meant = meanwhile();
        let done = running.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        (done.flatten().collect(), meant)
    })
}
