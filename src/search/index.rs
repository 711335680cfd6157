//! The searchable fields of the archive in memory, folded, in order of arrival: whole segments that nobody changes any
//! more, and a last one that grows. Must never hold a report's account, nor outlive the moment the vault is locked.

use std::collections::VecDeque;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::Terms;

/// Reports to a segment: about 300 KB.
pub(super) const SEGMENT_ROWS: usize = 4096;

/// A report's arrival number and its folded fields.
pub(super) type Entry = (i64, Zeroizing<Vec<u8>>);

/// Some reports, oldest first.
#[derive(Clone, Default)]
pub(super) struct Segment {
    /// The fields of all of them.
    text: Zeroizing<Vec<u8>>,
    /// Each report's arrival number, and where its fields end in `text`.
    rows: Vec<(i64, usize)>,
}

impl Segment {
    fn push(&mut self, seq: i64, fields: &[u8]) {
        self.text.extend_from_slice(fields);
        self.rows.push((seq, self.text.len()));
    }

    fn rows(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let mut start = 0;
        self.rows.iter().map(move |(seq, end)| {
            let fields = &self.text[start..*end];
            start = *end;
            (*seq, fields)
        })
    }

    fn without(&self, erased: &[i64]) -> Self {
        let mut kept = Self::default();
        for (seq, fields) in self.rows().filter(|(seq, _)| !erased.contains(seq)) {
            kept.push(seq, fields);
        }
        kept
    }

    fn holds_one_of(&self, seqs: &[i64]) -> bool {
        let held = |seq: &i64| self.rows.binary_search_by_key(seq, |(seq, _)| *seq).is_ok();
        seqs.iter().any(held)
    }

    /// Whether any of its reports arrived between these two, both included.
    pub(super) fn meets(&self, (oldest, newest): (i64, i64)) -> bool {
        let (first, last) = (self.rows.first(), self.rows.last());
        first.is_some_and(|(seq, _)| *seq <= newest) && last.is_some_and(|(seq, _)| *seq >= oldest)
    }

    /// The reports that match, oldest first.
    pub(super) fn hits(&self, terms: &Terms) -> Vec<i64> {
        let hits = self.rows().filter(|(_, fields)| terms.found_in(fields));
        hits.map(|(seq, _)| seq).collect()
    }
}

/// Reports from the newest of the moment when it was begun, growing both ways.
pub(super) struct Index {
    segments: VecDeque<Arc<Segment>>,
    newest: i64,
}

impl Index {
    /// An empty index in an archive whose newest report is `top`.
    pub(super) fn new(top: i64) -> Self {
        Self {
            segments: VecDeque::new(),
            newest: top,
        }
    }

    pub(super) fn newest(&self) -> i64 {
        self.newest
    }

    pub(super) fn rows(&self) -> u64 {
        let rows = self.segments.iter().map(|segment| segment.rows.len());
        u64::try_from(rows.sum::<usize>()).unwrap_or(u64::MAX)
    }

    /// Adds reports that arrived since, oldest first, up to the arrival number `newest`; those it has already are left.
    pub(super) fn append(&mut self, entries: &[Entry], newest: i64) {
        for (seq, fields) in entries.iter().filter(|(seq, _)| *seq > self.newest) {
            let full = |last: &Arc<Segment>| last.rows.len() >= SEGMENT_ROWS;
            if self.segments.back().is_none_or(full) {
                self.segments.push_back(Arc::default());
            }
            if let Some(last) = self.segments.back_mut() {
                // A search under way keeps the segment as it was; this one goes on with a copy.
                Arc::make_mut(last).push(*seq, fields);
            }
        }
        self.newest = self.newest.max(newest);
    }

    /// Adds older reports as one segment, newest first.
    pub(super) fn prepend(&mut self, entries: &[Entry]) {
        let mut segment = Segment::default();
        for (seq, fields) in entries.iter().rev() {
            segment.push(*seq, fields);
        }
        segment.text.shrink_to_fit();
        segment.rows.shrink_to_fit();
        self.segments.push_front(Arc::new(segment));
    }

    /// Drops reports. A search under way ends with what it began with.
    pub(super) fn remove(&mut self, erased: &[i64]) {
        for segment in &mut self.segments {
            if segment.holds_one_of(erased) {
                *segment = Arc::new(segment.without(erased));
            }
        }
    }

    /// The segments as they stand, oldest first, to be searched without holding anybody up.
    pub(super) fn segments(&self) -> Vec<Arc<Segment>> {
        self.segments.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seq: i64) -> Entry {
        let fields = format!("nome{seq} cognome\u{0}x").into_bytes();
        (seq, Zeroizing::new(fields))
    }

    fn found_among(segments: &[Arc<Segment>], needle: &str) -> Vec<i64> {
        let terms = Terms::new(needle, false).unwrap();
        let hits = segments.iter().map(|segment| segment.hits(&terms));
        hits.flatten().collect()
    }

    fn found(index: &Index, needle: &str) -> Vec<i64> {
        found_among(&index.segments(), needle)
    }

    #[test]
    fn it_grows_both_ways_in_order_and_takes_nothing_twice() {
        let mut index = Index::new(5_000);
        let older: Vec<Entry> = (1..=5_000).rev().map(entry).collect();
        let newer: Vec<Entry> = (5_001..=15_000).map(entry).collect();
        index.append(&newer[..10], 5_010);
        index.prepend(&older[..4_500]);
        let before = index.segments();
        index.append(&newer, 15_000);
        index.prepend(&older[4_500..]);
        assert_eq!(found(&index, "cognome"), (1..=15_000).collect::<Vec<_>>());
        assert_eq!(found(&index, "nome7777 c"), [7_777]);
        assert_eq!((index.rows(), index.newest()), (15_000, 15_000));
        let kept = found_among(&before, "cognome").len();
        assert_eq!(kept, 4_510, "a search under way sees no change");
    }

    #[test]
    fn what_is_erased_is_gone_and_the_rest_is_found_as_before() {
        let mut index = Index::new(0);
        let entries: Vec<Entry> = (1..=9_000).map(entry).collect();
        index.append(&entries, 9_000);
        let before = index.segments();
        let erased = [1, 4_096, 4_097, 5_000, 9_000, 77_000];
        index.remove(&erased);
        let living: Vec<i64> = (1..=9_000).filter(|seq| !erased.contains(seq)).collect();
        assert_eq!(found(&index, "cognome"), living);
        assert_eq!(index.rows(), 8_995);
        index.append(&[entry(9_001)], 9_001);
        assert_eq!(found(&index, "nome9001 c"), [9_001]);
        assert_eq!(found_among(&before, "nome5000 c"), [5_000]);
        // Every report of a segment may go.
        index.remove(&(1..=4_096).collect::<Vec<i64>>());
        assert_eq!(found(&index, "nome4098 c"), [4_098]);
    }
}
