//! Reads and opens sealed reports in quantity, on several threads.
//! Must never write, nor keep a report in the clear longer than it takes to look at it.

use std::borrow::Cow;
use std::num::NonZero;
use std::sync::Arc;

use serde::Deserialize;
use zeroize::Zeroizing;

use super::index::Entry;
use super::{Order, Terms};
use crate::actions::sealing::{CONTENT, epoch};
use crate::actions::{Error, Result};
use crate::domain::text::fold;
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
    /// Name and surname as one, so that a match may run from one into the other; e-mail; phone; the account where asked
    /// for (PRODUCT.md §4).
    fn folded(&self, in_text: bool) -> Zeroizing<Vec<u8>> {
        let mut folded = Zeroizing::new(Vec::new());
        folded.extend_from_slice(fold(&self.nome).as_bytes());
        folded.push(b' ');
        let account = in_text.then_some(&self.segnalazione);
        let fields = [&self.cognome, &self.email, &self.telefono];
        for field in fields.into_iter().chain(account) {
            folded.extend_from_slice(fold(field).as_bytes());
            folded.push(BETWEEN);
        }
        folded
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
    /// Its fields, folded; `None` when it cannot be read.
    fn folded(&self, in_text: bool) -> Option<Zeroizing<Vec<u8>>> {
        let content = open_row(self.epoch.as_ref()?, CONTENT, &self.id, &self.blob).ok()?;
        let content = Zeroizing::new(content);
        let report: Searchable<'_> = serde_json::from_slice(&content).ok()?;
        Some(report.folded(in_text))
    }

    /// What the index holds of it.
    pub(super) fn entry(&self) -> Option<Entry> {
        Some((self.seq, self.folded(false)?))
    }

    pub(super) fn matches(&self, terms: &Terms) -> bool {
        self.folded(terms.in_text)
            .is_some_and(|folded| terms.found_in(&folded))
    }
}

/// Some reports, read together.
pub(super) struct Part {
    pub(super) reports: Vec<Sealed>,
    /// There are no more in the range.
    pub(super) last: bool,
}

impl Part {
    /// The first reports of a range of arrival numbers, both ends included: `limit` of them at most, fewer when they are
    /// long.
    pub(super) fn read(
        snapshot: &Snapshot<'_>,
        vault: &Vault,
        filter: &ListFilter,
        range: (i64, i64),
        order: Order,
        limit: usize,
    ) -> Result<Self> {
        let (mut reports, mut bytes) = (Vec::new(), 0);
        let take = |seq, id: &str, epoch, blob: &[u8]| {
            bytes += blob.len();
            reports.push(Sealed {
                seq,
                id: id.to_owned(),
                epoch: key(snapshot, vault, epoch)?,
                blob: blob.to_vec(),
            });
            Ok::<_, Error>(reports.len() < limit && bytes < PART_BYTES)
        };
        let newest_first = order == Order::NewestFirst;
        let last = snapshot.each_sealed(filter, range, newest_first, take)?;
        Ok(Self { reports, last })
    }
}

fn key(snapshot: &Snapshot<'_>, vault: &Vault, id: i64) -> Result<Option<Arc<Epoch>>> {
    match epoch(snapshot, vault, id) {
        Err(Error::Vault(error)) if error != VaultError::Locked => Ok(None),
        found => found.map(Some),
    }
}

/// What the work makes of each report, in their order, on several threads when there is enough of it.
pub(super) fn on_all<T: Send>(reports: &[Sealed], work: impl Fn(&Sealed) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let each = reports.len().div_ceil(cores.min(THREADS));
    if each < WORTH_A_THREAD {
        return reports.iter().map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let running: Vec<_> = reports
            .chunks(each)
            .map(|some| scope.spawn(move || some.iter().map(work).collect::<Vec<T>>()))
            .collect();
        let done = running.into_iter().flat_map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.collect()
    })
}
