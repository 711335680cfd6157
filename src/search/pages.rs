//! The matching reports of one snapshot, a page of them or all: from the index, or by opening every report where the index does
//! not reach. Must never return a report that the filter excludes.

use std::sync::Arc;

use super::archive::{ReportReader, RowWithKey, fold_each, parallel_in_order, with_answers};
use super::index::{Room, Segment};
use super::signatures::Signatures;
use super::{Order, Request};
use crate::actions::Result;
use crate::actions::asked::answered_words;
use crate::store::{ListFilter, ListPage, ListRow, Place, SeqRange, Snapshot};
use crate::vault::Vault;

/// Reports opened together at first; doubled each time, so that a common word is answered at once.
const FIRST: usize = 64;
const TOGETHER: usize = 512 * 1024;
/// Limit of the segments in one piece of work. The first piece is one, so that a common word is answered at once.
const SEGMENTS: usize = 16;
/// Above so many hits in a segment, all reports of a status or department are fetched instead of each hit.
const LOOKUPS: usize = 32;

pub(super) enum MatchSource<'s> {
    Index(Vec<Arc<Segment>>),
    /// Every report is opened: contact fields, and the account if asked for.
    Archive(&'s Vault),
}

pub(super) struct MatchPages<'s, 'c> {
    snapshot: &'s Snapshot<'c>,
    request: &'s Request<'s>,
    /// The range of the filter's dates.
    ends: SeqRange,
    source: MatchSource<'s>,
}

impl<'s, 'c> MatchPages<'s, 'c> {
    pub(super) fn new(
        snapshot: &'s Snapshot<'c>,
        request: &'s Request<'s>,
        source: MatchSource<'s>,
    ) -> Result<Self> {
        Ok(Self {
            ends: snapshot.ends(request.filter)?,
            snapshot,
            request,
            source,
        })
    }

    pub(super) fn page(&self, place: Place, limit: usize) -> Result<ListPage> {
        let filter = self.request.filter;
        filter.page(place, limit, |stretch, count| {
            let range = stretch.range.within(self.ends);
            self.rows(&stretch.filter, range, Order::of(stretch.upwards), count)
        })
    }

    /// Those of a part of the list.
    fn rows(
        &self,
        filter: &ListFilter,
        range: SeqRange,
        order: Order,
        count: usize,
    ) -> Result<Vec<ListRow>> {
        let mut rows = Vec::new();
        self.walk(range, order, |seq| {
            rows.extend(self.snapshot.listed_among(filter, seq)?);
            Ok(rows.len() < count)
        })?;
        Ok(rows)
    }

    /// Arrival numbers of all that match, in the filter's order.
    pub(super) fn all(&self) -> Result<Vec<i64>> {
        let mut all = Vec::new();
        let filter = self.request.filter;
        self.walk(self.ends, Order::of(filter.oldest_first), |seq| {
            if self.snapshot.admits(filter, seq)? {
                all.push(seq);
            }
            Ok(true)
        })?;
        Ok(all)
    }

    /// Passes the matches in a range to `take`, until it returns false.
    fn walk(
        &self,
        range: SeqRange,
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let mut apart = [self.named(range)?, self.answered(range)?].concat();
        apart.sort_unstable();
        apart.dedup();
        if order == Order::NewestFirst {
            apart.reverse();
        }
        let mut apart = apart.into_iter().peekable();
        let mut goes_on = true;
        let comes_before = |one: i64, other: i64| match order {
            Order::NewestFirst => one > other,
            Order::OldestFirst => one < other,
        };
        self.walk_source(range, order, |seq| {
            while let Some(one) = apart.next_if(|one| *one == seq || comes_before(*one, seq)) {
                if one != seq && !take(one)? {
                    goes_on = false;
                    return Ok(false);
                }
            }
            goes_on = take(seq)?;
            Ok(goes_on)
        })?;
        for seq in apart {
            if !goes_on || !take(seq)? {
                break;
            }
        }
        Ok(())
    }

    /// The reports whose id begins with the typed text.
    fn named(&self, range: SeqRange) -> Result<Vec<i64>> {
        let Some(id) = &self.request.terms.id else {
            return Ok(Vec::new());
        };
        let mut named = self.snapshot.seqs_of_id(id)?;
        named.retain(|seq| range.contains(*seq));
        Ok(named)
    }

    /// The reports that match with what their reporters answered to questions: that is in no signature, and is opened for each
    /// search in accounts.
    fn answered(&self, range: SeqRange) -> Result<Vec<i64>> {
        let Request {
            terms,
            filter,
            cancel,
        } = *self.request;
        let MatchSource::Archive(vault) = &self.source else {
            return Ok(Vec::new());
        };
        let mut matching = Vec::new();
        if !terms.in_text {
            return Ok(matching);
        }
        let reader = ReportReader::new(self.snapshot, vault, filter, range, Order::OldestFirst)?;
        for seq in self.snapshot.answered_between(range)? {
            cancel.check()?;
            let Some(row) = self.snapshot.report_at(seq)? else {
                continue;
            };
            let answers = answered_words(self.snapshot, vault, &row)?;
            fold_each(&reader.these(&[seq])?, true, |seq, folded| {
                let found = terms.found_in(&with_answers(folded, &answers));
                matching.extend(found.then_some(seq));
            });
        }
        Ok(matching)
    }

    fn walk_source(
        &self,
        range: SeqRange,
        order: Order,
        take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        match &self.source {
            MatchSource::Index(segments) if order == Order::NewestFirst => {
                self.walk_index(segments.iter().rev(), range, order, take)
            }
            MatchSource::Index(segments) => self.walk_index(segments.iter(), range, order, take),
            MatchSource::Archive(vault) => self.walk_archive(vault, range, order, take),
        }
    }

    fn walk_index<'i>(
        &self,
        segments: impl Iterator<Item = &'i Arc<Segment>>,
        range: SeqRange,
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let mut segments = segments.filter(|segment| segment.meets(range));
        let mut together = 1;
        let next = || {
            self.request.cancel.check()?;
            let some: Vec<_> = segments.by_ref().take(together).collect();
            together = SEGMENTS.min(together * 2);
            Ok((!some.is_empty()).then_some(some))
        };
        let matching = |segments: &Vec<&Arc<Segment>>| {
            let mut room = Room::default();
            let hits = segments
                .iter()
                .map(|segment| segment.hits(self.request.terms, &mut room));
            hits.collect::<Vec<_>>()
        };
        parallel_in_order(next, matching, |found| {
            for mut hits in found {
                self.request.cancel.check()?;
                hits.retain(|seq| range.contains(*seq));
                self.keep_of_kind(&mut hits)?;
                if order == Order::NewestFirst {
                    hits.reverse();
                }
                for seq in hits {
                    if !take(seq)? {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        })
    }

    /// Drops hits that the filter excludes or the caller may not see, if that is cheaper for all at once.
    fn keep_of_kind(&self, hits: &mut Vec<i64>) -> Result<()> {
        let filter = self.request.filter;
        if (filter.has_kind() || !self.snapshot.visible_departments().is_all())
            && hits.len() > LOOKUPS
            && let (Some(oldest), Some(newest)) = (hits.first(), hits.last())
        {
            let range = SeqRange::of(*oldest, *newest);
            let right = self.snapshot.seqs(filter, range)?;
            hits.retain(|seq| right.binary_search(seq).is_ok());
        }
        Ok(())
    }

    fn walk_archive(
        &self,
        vault: &Vault,
        range: SeqRange,
        order: Order,
        mut take: impl FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let Request {
            terms,
            filter,
            cancel,
        } = *self.request;
        let mut reader = ReportReader::new(self.snapshot, vault, filter, range, order)?;
        reader.signatures = Signatures::of(vault, terms)?;
        let mut reports = FIRST / 2;
        let next = || {
            cancel.check()?;
            reports = reports.saturating_mul(2);
            let read = reader.next(reports, TOGETHER)?;
            Ok((!read.is_empty()).then_some(read))
        };
        let matching = |reports: &Vec<RowWithKey>| {
            let mut matching = Vec::new();
            fold_each(reports, terms.in_text, |seq, folded| {
                matching.extend(terms.found_in(folded).then_some(seq));
            });
            matching
        };
        parallel_in_order(next, matching, |found| {
            for seq in found {
                if !take(seq)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}
