//! Reads sealed reports in quantity and opens them on several threads. Must never write, nor keep
//! a report in the clear longer than it takes to look at it.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{available_parallelism, scope};

use zeroize::Zeroizing;

use super::Order;
use super::contacts::ContactHasher;
use super::form;
use super::index::Segment;
use super::signatures::Signatures;
use crate::actions::archive::sealing::{CONTENT, epoch};
use crate::actions::{Error, Result};
use crate::domain::report::{BorrowedReport, own_words};
use crate::store::{BLOCK, ListFilter, SealedRow, SeqRange, Snapshot, Store};
use crate::vault::{Epoch, Vault, VaultError, open_row_into};

/// Separates two fields. It is no UTF-8, so that no match runs from one field into the next.
pub(super) const BETWEEN: u8 = 0xFF;

/// Limit of the sealed bytes read from one short snapshot.
pub(super) const PART_BYTES: usize = 4 * 1024 * 1024;
/// Candidates at most so far apart are read together.
const NEAR: i64 = 8;
const THREADS: usize = 8;

/// The searched fields: name, surname, e-mail, phone and address; the account when asked for (PRODUCT.md §6).
fn fold_fields(report: &BorrowedReport<'_>, in_text: bool, folded: &mut Vec<u8>) {
    folded.clear();
    let account = in_text.then(|| own_words(&report.segnalazione));
    let fields = [
        &report.nome,
        &report.cognome,
        &report.email,
        &report.telefono,
        &report.indirizzo,
    ];
    let answers = report.risposte.iter().map(|answer| &answer.text);
    let answers = answers.filter(|_| in_text);
    for field in fields.into_iter().chain(&account).chain(answers) {
        folded.extend_from_slice(form(field).as_bytes());
        folded.push(BETWEEN);
    }
}

/// Folded fields with answers behind them.
pub(super) fn with_answers(folded: &[u8], answers: &[String]) -> Zeroizing<Vec<u8>> {
    let mut all = Zeroizing::new(folded.to_vec());
    for answer in answers {
        all.extend_from_slice(form(answer).as_bytes());
        all.push(BETWEEN);
    }
    all
}

/// A sealed report with its key; `None` if the key belongs to another key pair or is damaged.
pub type RowWithKey = (SealedRow, Option<Arc<Epoch>>);

/// Passes the content of each report to `visit`; `None` if it does not open. All share one buffer, which is wiped at the end.
pub fn open_each(reports: &[RowWithKey], mut visit: impl FnMut(&SealedRow, Option<&[u8]>)) {
    let lengths = reports.iter().map(|(row, _)| row.contenuto.len());
    let mut room = Zeroizing::new(Vec::with_capacity(lengths.max().unwrap_or(0)));
    for (row, key) in reports {
        let opened = key.as_ref().is_some_and(|key| {
            open_row_into(key, CONTENT, &row.id, &row.contenuto, &mut room).is_ok()
        });
        visit(row, opened.then_some(room.as_slice()));
    }
}

/// Shows the fields of each report that can be read, folded.
pub(super) fn fold_each(reports: &[RowWithKey], in_text: bool, mut visit: impl FnMut(i64, &[u8])) {
    let mut folded = Zeroizing::new(Vec::new());
    open_each(reports, |row, content| {
        if let Some(Ok(report)) = content.map(serde_json::from_slice) {
            fold_fields(&report, in_text, &mut folded);
            visit(row.seq, &folded);
        }
    });
}

/// Their entries in the index, in order.
pub(super) fn indexed(reports: &[RowWithKey], hasher: &ContactHasher) -> Segment {
    let (mut indexed, mut folded) = (Segment::default(), Zeroizing::new(Vec::new()));
    open_each(reports, |row, content| {
        if let Some(Ok(report)) = content.map(serde_json::from_slice)
            && let Some(contacts) = hasher.of(row.seq, &report)
        {
            fold_fields(&report, false, &mut folded);
            indexed.push(contacts, &folded);
        }
    });
    indexed
}

/// What a reader reads next, in its order.
struct Runs {
    ranges: Vec<SeqRange>,
    /// The arrival number up to which they reach, whether or not that is in one of them.
    reached: i64,
}

/// Reads the reports of a snapshot, some at a time.
pub struct ReportReader<'s, 'c> {
    snapshot: &'s Snapshot<'c>,
    vault: &'s Vault,
    filter: &'s ListFilter,
    order: Order,
    /// What is not read yet.
    pub(super) range: SeqRange,
    /// The signatures, which rule out reports without reading them.
    pub(super) signatures: Option<Signatures>,
    /// The number of the block that is being read, and which of its reports may match.
    block: (i64, Vec<u8>),
}

impl<'s, 'c> ReportReader<'s, 'c> {
    /// Reads those of a filter in a range; the bound of its dates is the caller's.
    pub fn new(
        snapshot: &'s Snapshot<'c>,
        vault: &'s Vault,
        filter: &'s ListFilter,
        range: SeqRange,
        order: Order,
    ) -> Result<Self> {
        Ok(Self {
            snapshot,
            vault,
            filter,
            order,
            range: range.within(SeqRange::of(0, snapshot.newest_seq()?)),
            signatures: None,
            block: (-1, Vec::new()),
        })
    }

    /// The next reports, limited by number and bytes; none if there are no more.
    pub fn next(&mut self, reports: usize, bytes: usize) -> Result<Vec<RowWithKey>> {
        let (mut read, mut room) = (Vec::new(), bytes);
        while read.len() < reports && room > 0 && !self.range.is_empty() {
            let Runs {
                ranges,
                mut reached,
            } = self.next_runs()?;
            let newest_first = self.order == Order::NewestFirst;
            let visit = |row: SealedRow| {
                let seq = row.seq;
                room = room.saturating_sub(row.contenuto.len());
                self.push_with_key(row, &mut read)?;
                let goes_on = read.len() < reports && room > 0;
                if !goes_on {
                    reached = seq;
                }
                Ok::<_, Error>(goes_on)
            };
            self.snapshot
                .each_sealed(self.filter, &ranges, newest_first, visit)?;
            match self.order {
                Order::NewestFirst => self.range.newest = reached.saturating_sub(1),
                Order::OldestFirst => self.range.oldest = reached.saturating_add(1),
            }
        }
        Ok(read)
    }

    /// The reports with these arrival numbers, in this order.
    pub fn these(&self, seqs: &[i64]) -> Result<Vec<RowWithKey>> {
        let ranges: Vec<_> = seqs.iter().map(|seq| SeqRange::of(*seq, *seq)).collect();
        let mut read = Vec::new();
        let visit = |row| self.push_with_key(row, &mut read).map(|()| true);
        self.snapshot
            .each_sealed(self.filter, &ranges, true, visit)?;
        Ok(read)
    }

    /// Adds a report with its key, which is mostly that of the report before.
    fn push_with_key(&self, row: SealedRow, read: &mut Vec<RowWithKey>) -> Result<()> {
        let key = match read.last() {
            Some((before, key)) if before.epoch == row.epoch => key.clone(),
            _ => match epoch(self.snapshot, self.vault, row.epoch) {
                Err(Error::Vault(error)) if error != VaultError::Locked => None,
                found => Some(found?),
            },
        };
        read.push((row, key));
        Ok(())
    }

    /// What to read next: all that is left, or the candidates left in one block.
    fn next_runs(&mut self) -> Result<Runs> {
        let Some(signatures) = &self.signatures else {
            return Ok(Runs {
                ranges: vec![self.range],
                reached: self.order.last_of(self.range),
            });
        };
        let number = self.order.first_of(self.range) / BLOCK;
        if self.block.0 != number {
            self.block = (number, signatures.candidates(self.snapshot, number)?);
        }
        let first = number * BLOCK;
        let left = self.range.within(SeqRange::of(first, first + BLOCK - 1));
        let mut ranges: Vec<SeqRange> = Vec::new();
        let bits = self
            .block
            .1
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
        let candidates = (first..).zip(bits).filter(|(_, bit)| *bit == 1);
        for (seq, _) in candidates.filter(|(seq, _)| left.contains(*seq)) {
            match ranges.last_mut() {
                Some(run) if seq - run.newest <= NEAR => run.newest = seq,
                _ => ranges.push(SeqRange::of(seq, seq)),
            }
        }
        if self.order == Order::NewestFirst {
            ranges.reverse();
        }
        Ok(Runs {
            ranges,
            reached: self.order.last_of(left),
        })
    }
}

/// Some reports of a range, and what is left of it.
pub(super) struct Part {
    pub(super) reports: Vec<RowWithKey>,
    pub(super) left: SeqRange,
}

/// Reads reports of a range in a short snapshot, `most` or [`PART_BYTES`] at once.
pub(super) fn read_part(
    store: &Store,
    vault: &Arc<Vault>,
    range: SeqRange,
    order: Order,
    most: usize,
) -> Result<Part> {
    let vault = Arc::clone(vault);
    store.read(move |snapshot| {
        let all = ListFilter::default();
        let mut reader = ReportReader::new(snapshot, &vault, &all, range, order)?;
        Ok(Part {
            reports: reader.next(most, PART_BYTES)?,
            left: reader.range,
        })
    })
}

/// Runs `work` on several threads on the pieces that `next` reads until `None`, and passes the outcomes to `take` in the same
/// order until it returns `false`.
pub fn parallel_in_order<P: Send, T: Send, E>(
    mut next: impl FnMut() -> std::result::Result<Option<P>, E>,
    work: impl Fn(&P) -> T + Sync,
    mut take: impl FnMut(T) -> std::result::Result<bool, E>,
) -> std::result::Result<(), E> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(THREADS);
    let work = &work;
    scope(|scope| {
        let (mut running, mut goes_on, mut ahead) = (VecDeque::new(), true, 0);
        loop {
            // One piece at first: often there are no more.
            while goes_on && running.len() <= ahead {
                let piece = next()?;
                goes_on = piece.is_some();
                // It comes back with the outcome: two threads that allocate and free the same memory hold each other up.
                running.extend(piece.map(|piece| scope.spawn(move || (work(&piece), piece))));
            }
            ahead = threads.min(ahead + 1);
            let Some(first) = running.pop_front() else {
                return Ok(());
            };
            let (outcome, _) = first.join().unwrap_or_else(|panic| resume_unwind(panic));
            if !take(outcome)? {
                return Ok(());
            }
        }
    })
}
