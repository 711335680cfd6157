//! The matching reports of one snapshot: a page of them, or all. They come from the index, or from opening one report
//! after the other where the index does not reach. Must never answer with a report that the filter keeps out.

use std::sync::Arc;

use super::archive::{Part, on_all};
use super::index::Segment;
use super::{Order, Request};
use crate::actions::Result;
use crate::store::{ListPage, Place, ReportRow, Snapshot};
use crate::vault::Vault;

/// Reports opened together at first; doubled each time, so that a common word is answered at once.
const FIRST_WAVE: usize = 64;
/// Most reports opened together: a few megabytes.
const LARGEST_WAVE: usize = 4096;
/// Above so many hits in a segment, all its reports of a status or department are fetched instead of looking each hit up.
const LOOKUPS: usize = 32;

/// Where matches come from.
pub(super) enum Source<'s> {
    /// The index of contact fields.
    Index(Vec<Arc<Segment>>),
    /// Every report, opened: contact fields, and the account where asked for.
    Archive(&'s Arc<Vault>),
}

/// One search in one snapshot.
pub(super) struct Pages<'s, 'c> {
    snapshot: &'s Snapshot<'c>,
    request: &'s Request<'s>,
    /// Below this arrival number nothing is recent enough.
    floor: i64,
    source: Source<'s>,
}

impl<'s, 'c> Pages<'s, 'c> {
    pub(super) fn new(
        snapshot: &'s Snapshot<'c>,
        request: &'s Request<'s>,
        source: Source<'s>,
    ) -> Result<Self> {
        Ok(Self {
            floor: snapshot.floor(request.filter)?,
            snapshot,
            request,
            source,
        })
    }

    /// One page, newest first, cut as the plain list is.
    pub(super) fn page(&self, place: Place, limit: usize) -> Result<ListPage> {
        ListPage::cut(place, limit, |seq, up, count| {
            if up {
                self.above(seq, count)
            } else {
                self.below(seq, count)
            }
        })
    }

    fn below(&self, seq: i64, count: usize) -> Result<Vec<ReportRow>> {
        let range = (self.floor, seq.saturating_sub(1));
        self.rows(range, Order::NewestFirst, count)
    }

    fn above(&self, seq: i64, count: usize) -> Result<Vec<ReportRow>> {
        let from = self.floor.max(seq.saturating_add(1));
        self.rows((from, i64::MAX), Order::OldestFirst, count)
    }

    fn rows(&self, range: (i64, i64), order: Order, count: usize) -> Result<Vec<ReportRow>> {
        let mut rows = Vec::new();
        self.walk(range, order, |seq| {
            let row = self.snapshot.report_at(seq)?;
            rows.extend(row.filter(|row| self.request.filter.admits(row)));
            Ok(rows.len() < count)
        })?;
        Ok(rows)
    }

    /// Arrival numbers of all that match, newest first.
    pub(super) fn all(&self) -> Result<Vec<i64>> {
        let mut all = Vec::new();
        self.walk((self.floor, i64::MAX), Order::NewestFirst, |seq| {
            if self.snapshot.admits(self.request.filter, seq)? {
                all.push(seq);
            }
            Ok(true)
        })?;
        Ok(all)
    }

    /// Shows the matches between two arrival numbers to `take`, until it wants no more.
    fn walk(
        &self,
        range: (i64, i64),
        order: Order,
        take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        match &self.source {
            Source::Index(segments) if order == Order::NewestFirst => {
                self.walk_index(segments.iter().rev(), range, order, take)
            }
            Source::Index(segments) => self.walk_index(segments.iter(), range, order, take),
            Source::Archive(vault) => self.walk_archive(vault, range, order, take),
        }
    }

    fn walk_index<'i>(
        &self,
        segments: impl Iterator<Item = &'i Arc<Segment>>,
        range: (i64, i64),
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        for segment in segments.filter(|segment| segment.meets(range)) {
            self.request.cancel.check()?;
            let mut hits = segment.hits(self.request.terms);
            hits.retain(|seq| (range.0..=range.1).contains(seq));
            self.keep_of_kind(&mut hits)?;
            if order == Order::NewestFirst {
                hits.reverse();
            }
            for seq in hits {
                if !take(seq)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Drops hits of another status or department, where that is cheaper to know for all at once.
    fn keep_of_kind(&self, hits: &mut Vec<i64>) -> Result<()> {
        let filter = self.request.filter;
        if filter.has_kind()
            && hits.len() > LOOKUPS
            && let (Some(oldest), Some(newest)) = (hits.first(), hits.last())
        {
            let ends = (*oldest, *newest);
            let right = self.snapshot.seqs_of_kind(filter, ends)?;
            hits.retain(|seq| right.binary_search(seq).is_ok());
        }
        Ok(())
    }

    fn walk_archive(
        &self,
        vault: &Arc<Vault>,
        range: (i64, i64),
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let Request {
            terms,
            filter,
            cancel,
        } = *self.request;
        let (mut wave, mut next) = (FIRST_WAVE, Some(range));
        while let Some(range) = next {
            cancel.check()?;
            let part = Part::read(self.snapshot, vault, filter, range, order, wave)?;
            let matching = on_all(&part.reports, |report| report.matches(terms));
            let reports = part.reports.iter().zip(matching);
            for (report, _) in reports.filter(|(_, matches)| *matches) {
                if !take(report.seq)? {
                    return Ok(());
                }
            }
            next = rest_of(range, &part, order);
            wave = (wave * 2).min(LARGEST_WAVE);
        }
        Ok(())
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
