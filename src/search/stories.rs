//! Which reports may tell of the same matter, found in order of arrival after they were acknowledged: a sketch of each in memory
//! while the archive is unlocked, sealed on the disk, made anew where it does not open. Texts are opened one report at a time
//! and not kept. Must never let a request wait, nor show of a report what its reader may not see.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::archive::{ReportReader, open_each};
use super::{IndexPhase, Order, Search, is_there};
use crate::actions::{Error, Result};
use crate::domain::report::BorrowedReport;
use crate::domain::routing::Department;
use crate::domain::stories::account::ReadAccount;
use crate::domain::stories::reasons::reasons;
use crate::domain::stories::sketches::{CANDIDATES, SketchIndex};
use crate::domain::stories::{WeighedAccount, Weights, pair_score};
use crate::store::{ListFilter, Snapshot};
use crate::vault::{open_row, seal_row};

/// Associated data of a sealed sketch; the number changes with what makes one.
const TABLE: &str = "sketches 1";
/// Sketches that are taken up in one snapshot.
const PAGE: usize = 4096;
/// Reports that are looked at in one snapshot, and stored in one transaction.
const TOGETHER: usize = 16;
/// Reports before and behind one that are compared with it, though they share no anchor: matters come in waves.
const AROUND: usize = 60;

/// A report with its text and department, as far as it opens.
struct OpenedAccount {
    seq: i64,
    text: String,
    department: Department,
}

impl OpenedAccount {
    fn account(&self) -> ReadAccount {
        ReadAccount::new(&self.text, self.department)
    }
}

/// Sealed sketches, each with the arrival number of its report.
type Sketches = Vec<(i64, Vec<u8>)>;

pub(super) struct Stories {
    index: SketchIndex,
    /// All up to here were looked at.
    newest: i64,
    /// Whether all were looked at once since the archive was unlocked.
    ready: bool,
}

impl Search {
    /// Groups of two and more (all departments), each in order of arrival; `None` until all reports were looked at.
    pub fn story_groups(&self) -> Option<Vec<Vec<i64>>> {
        let stories = self.stories.lock();
        let stories = stories.as_ref().filter(|stories| stories.ready);
        stories.map(|stories| stories.index.groups())
    }

    /// The group that a report stands in, itself included; empty where it is alone.
    pub fn story_group_of(&self, seq: i64) -> Vec<i64> {
        let stories = self.stories.lock();
        let group = stories.as_ref().map(|stories| stories.index.group_of(seq));
        group.filter(|group| group.len() > 1).unwrap_or_default()
    }

    /// The visible reports nearest to this one, best first, one of each group, at most `most`; not those of `without`.
    pub fn story_neighbours(
        &self,
        snapshot: &Snapshot<'_>,
        seq: i64,
        without: &[i64],
        most: usize,
    ) -> Result<Vec<i64>> {
        let Some(own) = self.opened(snapshot, &[seq])?.pop() else {
            return Ok(Vec::new());
        };
        let Some((own, alike, around)) = self.ask_sketches(|index| {
            let own = index.weigh(own.account());
            let alike = index.candidates(&own);
            (own, alike, index.around(seq, AROUND))
        }) else {
            return Ok(Vec::new());
        };
        let mut wanted: BTreeSet<i64> = around.into_iter().collect();
        for other in alike.into_iter().filter(|other| *other != seq) {
            if wanted.len() >= 2 * AROUND + CANDIDATES {
                break;
            }
            if is_there(snapshot, other)? {
                wanted.insert(other);
            }
        }
        wanted.retain(|other| !without.contains(other));
        let read = self.read_each(snapshot, &wanted.into_iter().collect::<Vec<_>>())?;
        let nearest = self.ask_sketches(|index| nearest(index, seq, &own, read));
        let mut nearest = nearest.unwrap_or_default();
        nearest.truncate(most);
        Ok(nearest)
    }

    /// Italian sentences of what weighed among these reports, as far as they are visible.
    pub fn why_together(&self, snapshot: &Snapshot<'_>, seqs: &[i64]) -> Result<Vec<String>> {
        let opened = self.opened(snapshot, seqs)?;
        let read: Vec<_> = opened
            .into_iter()
            .map(|one| (one.account(), one.text))
            .collect();
        let weigh = |index: &SketchIndex| {
            let weighed = read
                .into_iter()
                .map(|(account, text)| (index.weigh(account), text));
            weighed.collect::<Vec<_>>()
        };
        let weighed = self.ask_sketches(weigh).filter(|weighed| weighed.len() > 1);
        Ok(weighed.map(|weighed| reasons(&weighed)).unwrap_or_default())
    }

    /// Looks at the reports that arrived since, in order of arrival, a few at a time and no more than half of the time.
    pub fn settle_stories(self: &Arc<Self>) -> Result<()> {
        let Some(_only) = self.settling.try_lock() else {
            return Ok(());
        };
        loop {
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
            let (search, begun) = (Arc::clone(self), Instant::now());
            let looked_at = self
                .store
                .read(move |snapshot| search.look_at_some(snapshot, generation))?;
            let Some(sealed) = looked_at else {
                return Ok(());
            };
            self.store.write(move |tx| {
                let mut sealed = sealed.iter();
                sealed
                    .try_for_each(|(seq, sketch)| tx.put_sketch(*seq, sketch).map_err(Error::from))
            })?;
            thread::sleep(begun.elapsed());
        }
    }

    /// Takes up the sketches that are kept; where one does not open, all are made anew, because groups come by order.
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
            let take_up = |(seq, sealed): (i64, Vec<u8>)| {
                let sketch = open_row(&key, TABLE, &seq.to_string(), &sealed);
                sketch.is_ok_and(|sketch| index.take_up(seq, &sketch))
            };
            if !page.into_iter().all(take_up) {
                self.store.write(|tx| tx.drop_sketches())?;
                index = SketchIndex::new(salt);
                break;
            }
        }
        let mut stories = Stories {
            index,
            newest: 0,
            ready: false,
        };
        self.change(generation, |state| {
            state
                .erased
                .iter()
                .for_each(|seq| stories.index.forget(*seq));
            *self.stories.lock() = Some(stories);
        });
        Ok(())
    }

    /// The next reports that have no sketch; answers the sealed sketches of those and of whose group changed, `None` at the end.
    fn look_at_some(&self, snapshot: &Snapshot<'_>, generation: u64) -> Result<Option<Sketches>> {
        let Some(newest) = self.stories.lock().as_ref().map(|stories| stories.newest) else {
            return Ok(None);
        };
        let next = snapshot.unsketched(newest, TOGETHER)?;
        let mut changed = BTreeSet::new();
        for one in self.opened(snapshot, &next)? {
            changed.extend(self.look_at(snapshot, generation, &one)?);
        }
        let key = self.vault.derived_epoch()?;
        let mut stories = self.stories.lock();
        let Some(stories) = stories.as_mut() else {
            return Ok(None);
        };
        let Some(last) = next.last() else {
            stories.ready = true;
            return Ok(None);
        };
        stories.newest = *last;
        let kept = changed
            .iter()
            .filter_map(|seq| Some((*seq, stories.index.kept(*seq)?)));
        let sealed = kept.map(|(seq, kept)| {
            let sealed = seal_row(&key, TABLE, &seq.to_string(), &kept);
            Ok((seq, sealed?))
        });
        sealed.collect::<Result<_>>().map(Some)
    }

    /// Finds the place of a report; answers those whose group changed.
    fn look_at(
        &self,
        snapshot: &Snapshot<'_>,
        generation: u64,
        one: &OpenedAccount,
    ) -> Result<Vec<i64>> {
        let Some((account, alike)) = self.ask_sketches(|index| {
            let account = index.weigh(one.account());
            let alike = index.candidates(&account).into_iter().take(CANDIDATES);
            (account, alike.collect::<Vec<_>>())
        }) else {
            return Ok(Vec::new());
        };
        let read = self.read_each(snapshot, &alike)?;
        let weighed = self.ask_sketches(|index| {
            let weighed = read
                .into_iter()
                .map(|(seq, account)| (seq, index.weigh(account)));
            weighed.collect::<Vec<_>>()
        });
        let mut changed = Vec::new();
        self.change(generation, |state| {
            if let (Some(stories), Some(weighed)) = (&mut *self.stories.lock(), weighed)
                && !state.erased.contains(&one.seq)
            {
                let (index, weights) = (&mut stories.index, Weights::bundled());
                changed = index.arrive(weights, one.seq, &account, &weighed);
            }
        });
        Ok(changed)
    }

    fn ask_sketches<T>(&self, ask: impl FnOnce(&SketchIndex) -> T) -> Option<T> {
        self.stories
            .lock()
            .as_ref()
            .map(|stories| ask(&stories.index))
    }

    fn read_each(&self, snapshot: &Snapshot<'_>, seqs: &[i64]) -> Result<Vec<(i64, ReadAccount)>> {
        let opened = self.opened(snapshot, seqs)?;
        Ok(opened.iter().map(|one| (one.seq, one.account())).collect())
    }

    /// The visible ones of these reports, in this order; one that does not open has no text.
    fn opened(&self, snapshot: &Snapshot<'_>, seqs: &[i64]) -> Result<Vec<OpenedAccount>> {
        let (all, order) = (ListFilter::default(), Order::OldestFirst);
        let reader = ReportReader::new(snapshot, &self.vault, &all, (0, i64::MAX), order)?;
        let rows = reader.these(seqs)?;
        let mut opened = Vec::with_capacity(rows.len());
        open_each(&rows, |row, content| {
            let report = content.map(serde_json::from_slice::<BorrowedReport<'_>>);
            let report = report.and_then(std::result::Result::ok).unwrap_or_default();
            let answers = report.risposte.iter().map(|answer| &*answer.text);
            let text = [&*report.segnalazione].into_iter().chain(answers);
            opened.push(OpenedAccount {
                seq: row.seq,
                text: text.collect::<Vec<_>>().join("\n"),
                department: row.department,
            });
        });
        Ok(opened)
    }
}

/// Those that are near enough, the best of each group.
fn nearest(
    index: &SketchIndex,
    seq: i64,
    own: &WeighedAccount,
    read: Vec<(i64, ReadAccount)>,
) -> Vec<i64> {
    let weights = Weights::bundled();
    let scores = read
        .into_iter()
        .map(|(other, account)| (pair_score(weights, own, &index.weigh(account)), other));
    let mut scores: Vec<_> = scores.filter(|(score, _)| *score >= weights.near).collect();
    scores.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    let mut groups = HashSet::new();
    scores.retain(|(_, other)| *other != seq && groups.insert(index.group(*other)));
    scores.into_iter().map(|(_, other)| other).collect()
}

impl Stories {
    pub(super) fn forget(&mut self, erased: &[i64]) {
        for seq in erased {
            self.index.forget(*seq);
        }
    }
}
