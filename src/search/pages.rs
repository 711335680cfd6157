//! The matching reports of one snapshot: a page of them, or all. They come from the index, or from opening one report
//! after the other where the index does not reach. Must never answer with a report that the filter keeps out.

use std::sync::Arc;

use super::archive::{Epochs, Part, on_all};
use super::index::{Segment, View};
use super::{CancelToken, Order, Request, Sought};
use crate::actions::Result;
use crate::store::{ListFilter, ListPage, Place, ReportRow, Snapshot};
use crate::vault::Vault;

/// Reports opened together at first; doubled each time, so that a common word is answered at once.
const FIRST_WAVE: usize = 64;
/// Most reports opened together: a few megabytes.
const LARGEST_WAVE: usize = 4096;
/// Above so many hits in a segment, all its reports of a status or department are fetched instead of looking each hit up.
const LOOKUPS: usize = 32;

/// Where matches come from.
pub(super) enum Source {
    /// The index of contact fields.
    Index(View),
    /// Every report, opened: contact fields, and the account where asked for.
    Archive { epochs: Epochs, in_text: bool },
}

impl Source {
    pub(super) fn archive(vault: &Arc<Vault>, in_text: bool) -> Self {
        Self::Archive {
            epochs: Epochs::new(vault),
            in_text,
        }
    }
}

/// One search in one snapshot.
pub(super) struct Pages<'s, 'c> {
    snapshot: &'s Snapshot<'c>,
    filter: &'s ListFilter,
    /// Below this arrival number nothing is recent enough.
    floor: i64,
    sought: Sought,
    source: Source,
    cancel: &'s CancelToken,
}

impl<'s, 'c> Pages<'s, 'c> {
    pub(super) fn new(
        snapshot: &'s Snapshot<'c>,
        request: &Request<'s>,
        source: Source,
    ) -> Result<Self> {
        let Request {
            terms,
            filter,
            cancel,
        } = *request;
        Ok(Self {
            sought: Sought::new(&terms.needles),
            floor: snapshot.floor(filter)?,
            snapshot,
            filter,
            source,
            cancel,
        })
    }

    /// One page, newest first, cut as the plain list is.
    pub(super) fn page(&mut self, place: Place, limit: usize) -> Result<ListPage> {
        match place {
            Place::Top => self.page_below(i64::MAX, limit),
            Place::Before(seq) => self.page_below(seq, limit),
            Place::After(seq) => self.page_above(seq, limit),
        }
    }

    fn page_below(&mut self, seq: i64, limit: usize) -> Result<ListPage> {
        let mut rows = self.below(seq, limit + 1)?;
        let older = rows.len() > limit;
        rows.truncate(limit);
        // Above the top of the archive there is nothing.
        let newer = seq != i64::MAX && {
            let edge = rows
                .first()
                .map_or(seq.saturating_sub(1), |first| first.seq);
            !self.above(edge, 1)?.is_empty()
        };
        Ok(ListPage { rows, newer, older })
    }

    fn page_above(&mut self, seq: i64, limit: usize) -> Result<ListPage> {
        let mut rows = self.above(seq, limit + 1)?;
        if rows.len() < limit {
            // Fewer than a page above: the whole first page rather than a short one.
            return self.page_below(i64::MAX, limit);
        }
        let newer = rows.len() > limit;
        rows.truncate(limit);
        rows.reverse();
        let older = match rows.last() {
            Some(last) => !self.below(last.seq, 1)?.is_empty(),
            None => false,
        };
        Ok(ListPage { rows, newer, older })
    }

    fn below(&mut self, seq: i64, count: usize) -> Result<Vec<ReportRow>> {
        self.rows(
            (self.floor, seq.saturating_sub(1)),
            Order::NewestFirst,
            count,
        )
    }

    fn above(&mut self, seq: i64, count: usize) -> Result<Vec<ReportRow>> {
        let from = self.floor.max(seq.saturating_add(1));
        self.rows((from, i64::MAX), Order::OldestFirst, count)
    }

    fn rows(&mut self, range: (i64, i64), order: Order, count: usize) -> Result<Vec<ReportRow>> {
        let (snapshot, filter) = (self.snapshot, self.filter);
        let mut rows = Vec::new();
        self.walk(range, order, |seq| {
            let row = snapshot.report_at(seq)?;
            rows.extend(row.filter(|row| filter.admits(row)));
            Ok(rows.len() < count)
        })?;
        Ok(rows)
    }

    /// Arrival numbers of all that match, newest first.
    pub(super) fn all(&mut self) -> Result<Vec<i64>> {
        let (snapshot, filter) = (self.snapshot, self.filter);
        let mut all = Vec::new();
        self.walk((self.floor, i64::MAX), Order::NewestFirst, |seq| {
            if snapshot.admits(filter, seq)? {
                all.push(seq);
            }
            Ok(true)
        })?;
        Ok(all)
    }

    /// Shows the matches between two arrival numbers to `take`, until it wants no more.
    fn walk(
        &mut self,
        range: (i64, i64),
        order: Order,
        take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let (snapshot, filter) = (self.snapshot, self.filter);
        match &mut self.source {
            Source::Index(view) => {
                let walk = IndexWalk {
                    snapshot,
                    filter,
                    sought: &self.sought,
                    range,
                    order,
                    cancel: self.cancel,
                };
                walk.run(view, take)
            }
            Source::Archive { epochs, in_text } => {
                let in_text = *in_text;
                let mut walk = ArchiveWalk {
                    snapshot,
                    filter,
                    sought: &self.sought,
                    epochs,
                    in_text,
                    cancel: self.cancel,
                };
                walk.run(range, order, take)
            }
        }
    }
}

struct IndexWalk<'a, 'c> {
    snapshot: &'a Snapshot<'c>,
    filter: &'a ListFilter,
    sought: &'a Sought,
    range: (i64, i64),
    order: Order,
    cancel: &'a CancelToken,
}

impl IndexWalk<'_, '_> {
    fn run(&self, view: &View, mut take: impl FnMut(i64) -> Result<bool>) -> Result<()> {
        let count = view.segments.len();
        for number in 0..count {
            let segment = match self.order {
                Order::NewestFirst => &view.segments[count - 1 - number],
                Order::OldestFirst => &view.segments[number],
            };
            if !self.is_worth_searching(segment)? {
                continue;
            }
            self.cancel.check()?;
            for seq in self.narrowed(segment.hits(self.sought))? {
                if !take(seq)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Whether the filter lets any of a segment's reports through at all.
    fn is_worth_searching(&self, segment: &Segment) -> Result<bool> {
        let Some((oldest, newest)) = segment.ends() else {
            return Ok(false);
        };
        let in_range = newest >= self.range.0 && oldest <= self.range.1;
        if !in_range {
            return Ok(false);
        }
        if !self.filter.has_kind() {
            return Ok(true);
        }
        let one = self
            .snapshot
            .seqs_of_kind(self.filter, (oldest, newest), 1)?;
        Ok(!one.is_empty())
    }

    /// The hits of a segment that are in range and, where that is cheaper to know for all, of the right status,
    /// department and urgency.
    fn narrowed(&self, mut hits: Vec<i64>) -> Result<Vec<i64>> {
        hits.retain(|seq| (self.range.0..=self.range.1).contains(seq));
        if self.filter.has_kind()
            && hits.len() > LOOKUPS
            && let (Some(oldest), Some(newest)) = (hits.first(), hits.last())
        {
            let right = self
                .snapshot
                .seqs_of_kind(self.filter, (*oldest, *newest), usize::MAX)?;
            hits.retain(|seq| right.binary_search(seq).is_ok());
        }
        if self.order == Order::NewestFirst {
            hits.reverse();
        }
        Ok(hits)
    }
}

struct ArchiveWalk<'a, 'c> {
    snapshot: &'a Snapshot<'c>,
    filter: &'a ListFilter,
    sought: &'a Sought,
    epochs: &'a mut Epochs,
    in_text: bool,
    cancel: &'a CancelToken,
}

impl ArchiveWalk<'_, '_> {
    fn run(
        &mut self,
        range: (i64, i64),
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let mut wave = FIRST_WAVE;
        let mut next = Some(self.part(range, order, wave)?);
        while let Some(part) = next {
            self.cancel.check()?;
            let rest = rest_of(range, &part, order);
            wave = (wave * 2).min(LARGEST_WAVE);
            let (sought, in_text) = (self.sought, self.in_text);
            // The next reports are read while these are opened.
            let (matching, read) = on_all(
                &part.reports,
                |report| report.matches(sought, in_text),
                || rest.map(|rest| self.part(rest, order, wave)).transpose(),
            );
            let reports = part.reports.iter().zip(matching);
            for (report, _) in reports.filter(|(_, matches)| *matches) {
                if !take(report.seq)? {
                    return Ok(());
                }
            }
            next = read?;
        }
        Ok(())
    }

    fn part(&mut self, range: (i64, i64), order: Order, limit: usize) -> Result<Part> {
        self.epochs
            .part(self.snapshot, self.filter, range, order, limit)
    }
}

/// What is left of a range after a part of it; `None` when that is nothing.
fn rest_of((oldest, newest): (i64, i64), part: &Part, order: Order) -> Option<(i64, i64)> {
    let last = part.reports.last().filter(|_| !part.last)?;
    Some(match order {
        Order::NewestFirst => (oldest, last.seq.saturating_sub(1)),
        Order::OldestFirst => (last.seq.saturating_add(1), newest),
    })
}
