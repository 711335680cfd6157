//! Finds reports about the same matter, in order of arrival, after they were acknowledged. Each has a sketch, in memory while the
//! archive is unlocked and sealed on the disk, which is made anew if it does not open. Texts are opened and not kept.
//! Must never delay a request, nor show a reader any part of a report that they may not see.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::archive::{ReportReader, open_each};
use super::{IndexPhase, Order, Search};
use crate::actions::{Error, Result};
use crate::domain::callout::AnswerKind;
use crate::domain::report::{BorrowedReport, own_words};
use crate::domain::stories::account::ReadAccount;
use crate::domain::stories::passage::{Passage, passage};
use crate::domain::stories::reasons::{Reasons, most_named, named_elsewhere, reasons, shared_keys};
use crate::domain::stories::sketches::{CANDIDATES, SketchIndex};
use crate::domain::stories::{Weights, near};
use crate::store::{ListFilter, SeqRange, Snapshot};
use crate::vault::{open_row, seal_row};

/// Associated data of a sealed sketch; the number changes with the making of sketches.
const TABLE: &str = "sketches 3";
/// The number of sketches read in one snapshot.
const PAGE: usize = 4096;
/// The number of reports read in one snapshot and stored in one transaction.
const TOGETHER: usize = 16;
/// The number of neighbours on either side that a report is compared with although they share no anchor: matters come in waves.
const AROUND: usize = 60;

/// What a report may belong with.
#[derive(Default)]
pub struct Near {
    /// The nearest reports, each with what it shares.
    pub nearest: Vec<(i64, Reasons)>,
    /// The names and numbers that the report shares with them, as it writes them.
    pub names: Vec<String>,
    /// How many reports name one of them.
    pub others: usize,
}

pub(super) struct Stories {
    pub(super) index: SketchIndex,
    /// The arrival number up to which all reports were read.
    newest: i64,
}

impl Search {
    /// The groups of two and more (all departments) that these reports are in, each in order of arrival; all groups for `None`.
    pub fn story_groups(&self, of: Option<&[i64]>) -> Vec<Vec<i64>> {
        self.ask(|stories| stories.index.groups(of))
    }

    /// Whether all visible reports were read.
    pub fn has_looked_at_all(&self, snapshot: &Snapshot<'_>) -> Result<bool> {
        let newest = snapshot.newest_seq()?;
        Ok(self.ask(|stories| stories.newest >= newest))
    }

    /// The reports nearest to this one, as lists show them, best first, one of each group, at most `most`; without those of `without`.
    pub fn story_neighbours(
        &self,
        snapshot: &Snapshot<'_>,
        seq: i64,
        without: &[i64],
        most: usize,
    ) -> Result<Near> {
        let own = self.accounts(snapshot, &ListFilter::default(), &[seq])?;
        let [(_, own)] = &own[..] else {
            return Ok(Near::default());
        };
        let mut wanted = self.looked_at_beside(snapshot, seq, own)?;
        wanted.retain(|other| *other != seq && !without.contains(other));
        let read = self.accounts(snapshot, &ListFilter::usual(), &Vec::from_iter(wanted))?;
        let weights = Weights::bundled();
        let scores = read.iter();
        let scores = scores.filter_map(|one| Some((near(weights, own, &one.1)?, one)));
        let mut scores: Vec<_> = scores.collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.0.cmp(&one.1.0)));
        let all: Vec<_> = scores.iter().map(|(_, (_, account))| account).collect();
        let shared = named_elsewhere(own, &all);
        let mut groups = HashSet::new();
        let mut is_new = |seq| groups.insert(self.ask(|stories| stories.index.group(seq)));
        let nearest = scores.into_iter().filter(|(_, (other, _))| is_new(*other));
        let told = nearest.map(|(_, (other, account))| (*other, reasons(&[own, account])));
        let told = told.filter(|(_, why)| !why.names.is_empty()).take(most);
        let nearest = told.collect();
        let mut without: HashSet<i64> = without.iter().copied().collect();
        without.insert(seq);
        let (names, others) = self.told_of(snapshot, shared, &read, &without)?;
        Ok(Near {
            nearest,
            names,
            others,
        })
    }

    /// Those of these names that are told, and how many reports name one of them: of those that were read, and of those whose sketch
    /// says so.
    fn told_of(
        &self,
        snapshot: &Snapshot<'_>,
        shared: Vec<(u64, String)>,
        read: &[(i64, ReadAccount)],
        without: &HashSet<i64>,
    ) -> Result<(Vec<String>, usize)> {
        let keys: Vec<u64> = shared.iter().map(|(key, _)| *key).collect();
        let mut holders: BTreeSet<(i64, u64)> = BTreeSet::new();
        holders.extend(self.ask(|stories| stories.index.holders(&keys)));
        for (seq, account) in read {
            let held = account.anchors.iter().map(|one| one.key);
            holders.extend(held.filter(|key| keys.contains(key)).map(|key| (*seq, key)));
        }
        let seqs: Vec<i64> = holders.iter().map(|(seq, _)| *seq).collect();
        let listed: HashSet<i64> = snapshot.without_aside(&seqs)?.into_iter().collect();
        holders.retain(|(seq, _)| listed.contains(seq) && !without.contains(seq));
        let others = |key: u64| holders.iter().filter(|(_, held)| *held == key).count();
        let (keys, names): (Vec<_>, Vec<_>) = most_named(shared, others).into_iter().unzip();
        let told = holders.iter().filter(|(_, key)| keys.contains(key));
        let told: BTreeSet<_> = told.map(|(seq, _)| *seq).collect();
        Ok((names, told.len()))
    }

    /// The reports whose accounts are read to find the nearest: those that arrived around it, and those whose sketch shares something.
    fn looked_at_beside(
        &self,
        snapshot: &Snapshot<'_>,
        seq: i64,
        own: &ReadAccount,
    ) -> Result<BTreeSet<i64>> {
        let (around, listed) = (
            self.ask(|stories| stories.index.around(seq, AROUND)),
            ListFilter::usual(),
        );
        let mut wanted = BTreeSet::from_iter(around);
        for other in self.ask(|stories| stories.index.candidates(own)) {
            if wanted.len() < 2 * AROUND + CANDIDATES && snapshot.admits(&listed, other)? {
                wanted.insert(other);
            }
        }
        Ok(wanted)
    }

    /// Why these reports belong together, as far as they are visible, with the passage of each that holds what it shares.
    pub fn why_together(
        &self,
        snapshot: &Snapshot<'_>,
        seqs: &[i64],
        characters: usize,
    ) -> Result<(Reasons, HashMap<i64, Passage>)> {
        let read = self.accounts(snapshot, &ListFilter::default(), seqs)?;
        let all: Vec<_> = read.iter().map(|(_, account)| account).collect();
        let (why, shared) = (reasons(&all), shared_keys(&all));
        let passage =
            |(seq, one): &(i64, ReadAccount)| Some((*seq, passage(one, &shared, characters)?));
        Ok((why, read.iter().filter_map(passage).collect()))
    }

    /// Whether two of these reports share a name, a number or a rare word, as far as their sketches tell.
    pub fn share_something(&self, seqs: &[i64]) -> bool {
        self.ask(|stories| stories.index.share_something(seqs))
    }

    /// Reads the reports that arrived since, in order of arrival, a few at a time, for at most a fifth of the time.
    pub fn settle_stories(self: &Arc<Self>) -> Result<()> {
        let Some(_only) = self.settling.try_lock() else {
            return Ok(());
        };
        let (phase, generation) = {
            let state = self.state.read();
            (state.phase, state.generation)
        };
        if phase != IndexPhase::Ready {
            return Ok(());
        }
        if self.stories.lock().is_none() {
            self.take_up(generation)?;
        }
        loop {
            let (search, begun) = (Arc::clone(self), Instant::now());
            let looked_at = self
                .store
                .read(move |snapshot| search.look_at_some(snapshot))?;
            if looked_at.is_empty() {
                return Ok(());
            }
            self.store.write(move |tx| {
                let mut sealed = looked_at.iter();
                sealed
                    .try_for_each(|(seq, sketch)| tx.put_sketch(*seq, sketch).map_err(Error::from))
            })?;
            thread::sleep(4 * begun.elapsed());
        }
    }

    /// Reads the stored sketches. If one does not open, all are made anew, because groups depend on the order.
    fn take_up(&self, generation: u64) -> Result<()> {
        let (key, salt) = (self.vault.derived_epoch()?, self.vault.derived_salt()?);
        let (mut index, mut last) = (SketchIndex::new(salt), 0);
        loop {
            let page = self
                .store
                .read(move |snapshot| snapshot.sketches(last, PAGE))?;
            let Some((end, _)) = page.last() else {
                break;
            };
            last = *end;
            let is_known = |(seq, sealed): (i64, Vec<u8>)| {
                let sketch = open_row(&key, TABLE, &seq.to_string(), &sealed);
                sketch.is_ok_and(|sketch| index.take_up(seq, &sketch))
            };
            if !page.into_iter().all(is_known) {
                self.store.write(|tx| tx.drop_sketches())?;
                index = SketchIndex::new(salt);
                break;
            }
        }
        self.change(generation, |state| {
            state.erased.iter().for_each(|seq| index.forget(*seq));
            *self.stories.lock() = Some(Stories { index, newest: 0 });
        });
        Ok(())
    }

    /// Makes the sketches of the next reports; returns them sealed, with those whose group changed.
    fn look_at_some(&self, snapshot: &Snapshot<'_>) -> Result<Vec<(i64, Vec<u8>)>> {
        let (newest, all) = (self.ask(|stories| stories.newest), ListFilter::default());
        let (next, mut changed) = (snapshot.unsketched(newest, TOGETHER)?, BTreeSet::new());
        for seq in next.iter().copied() {
            let own = self.accounts(snapshot, &all, &[seq])?;
            let [(_, own)] = &own[..] else {
                continue;
            };
            let mut alike = self.ask(|stories| stories.index.candidates(own));
            let crowd = alike.len();
            alike.truncate(CANDIDATES);
            let alike = self.accounts(snapshot, &all, &alike)?;
            let state = self.state.read();
            if let Some(stories) = &mut *self.stories.lock() {
                // A report that was read before its erasure must not come back.
                if !state.erased.contains(&seq) {
                    let index = &mut stories.index;
                    changed.extend(index.arrive(Weights::bundled(), seq, own, &alike, crowd));
                }
                stories.newest = seq;
            }
        }
        let key = self.vault.derived_epoch()?;
        let mut stories = self.stories.lock();
        let Some(stories) = &mut *stories else {
            return Ok(Vec::new());
        };
        if next.is_empty() {
            stories.newest = snapshot.newest_seq()?;
        }
        let of = |seq: &i64| Some((*seq, stories.index.kept(*seq)?));
        let seal =
            |(seq, kept): (i64, _)| Ok((seq, seal_row(&key, TABLE, &seq.to_string(), kept)?));
        changed.iter().filter_map(of).map(seal).collect()
    }

    /// The stories, if the archive is unlocked.
    fn ask<T: Default>(&self, ask: impl FnOnce(&Stories) -> T) -> T {
        let stories = self.stories.lock();
        stories.as_ref().map(ask).unwrap_or_default()
    }

    /// The visible ones of these reports that a filter lets through, in this order, with their present weights. A report that does
    /// not open has no text.
    fn accounts(
        &self,
        snapshot: &Snapshot<'_>,
        filter: &ListFilter,
        seqs: &[i64],
    ) -> Result<Vec<(i64, ReadAccount)>> {
        let order = Order::OldestFirst;
        let reader = ReportReader::new(snapshot, &self.vault, filter, SeqRange::ALL, order)?;
        let mut read = Vec::new();
        open_each(&reader.these(seqs)?, |row, content| {
            let report = content.map(serde_json::from_slice::<BorrowedReport<'_>>);
            let report = report.and_then(std::result::Result::ok).unwrap_or_default();
            // The words of options are the newsroom's own.
            let written = report.risposte.iter();
            let written = written.filter(|answer| answer.kind == AnswerKind::Text.as_str());
            let answers = written.map(|answer| &*answer.text);
            let account = own_words(&report.segnalazione);
            let text = [&*account].into_iter().chain(answers);
            let text = text.collect::<Vec<_>>().join("\n");
            read.push((row.seq, ReadAccount::new(&text, row.department)));
        });
        Ok(self.ask(|stories| {
            let weigh = |(seq, account)| (seq, stories.index.weigh(account));
            read.into_iter().map(weigh).collect()
        }))
    }
}
