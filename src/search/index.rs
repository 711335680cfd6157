//! The searchable fields of the archive in memory, folded, in order of arrival: whole segments that nobody changes any
//! more, and a last one that grows. Must never hold a report's account, nor outlive the moment the vault is locked.

use std::collections::VecDeque;
use std::sync::Arc;

use memchr::memmem::Finder;
use zeroize::Zeroizing;

use super::Sought;

/// Reports to a segment: about 300 KB, which a search crosses in some 30 microseconds.
pub(super) const SEGMENT_ROWS: usize = 4096;
/// A segment is full at this size too, whatever its reports; in bytes.
const SEGMENT_BYTES: usize = 1024 * 1024;

/// A report's arrival number and its folded fields.
pub(super) type Entry = (i64, Zeroizing<Vec<u8>>);

/// Some reports, oldest first.
#[derive(Clone, Default)]
pub(super) struct Segment {
    text: Zeroizing<Vec<u8>>,
    /// Where each report's fields begin in `text`.
    starts: Vec<u32>,
    seqs: Vec<i64>,
}

impl Segment {
    fn push(&mut self, seq: i64, fields: &[u8]) {
        self.starts
            .push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.seqs.push(seq);
        self.text.extend_from_slice(fields);
    }

    /// A copy without some reports.
    fn without(&self, erased: &[i64]) -> Self {
        let place = |start: u32| usize::try_from(start).unwrap_or(usize::MAX);
        let mut kept = Self::default();
        for (number, seq) in self.seqs.iter().enumerate() {
            let end = self.starts.get(number + 1);
            let end = end.map_or(self.text.len(), |end| place(*end));
            let fields = self.text.get(place(self.starts[number])..end);
            if let Some(fields) = fields.filter(|_| !erased.contains(seq)) {
                kept.push(*seq, fields);
            }
        }
        kept
    }

    fn is_full(&self) -> bool {
        self.seqs.len() >= SEGMENT_ROWS || self.text.len() >= SEGMENT_BYTES
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.seqs.shrink_to_fit();
    }

    /// Arrival numbers of its oldest and newest report.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        self.seqs.first().copied().zip(self.seqs.last().copied())
    }

    /// The reports that have what is looked for, oldest first.
    pub(super) fn hits(&self, sought: &Sought) -> Vec<i64> {
        // Each in a pass of its own: one that stands everywhere must not make another be looked for again and again.
        let finders = sought.finders.iter();
        let mut hits: Vec<i64> = finders.flat_map(|finder| self.hits_of(finder)).collect();
        if sought.finders.len() > 1 {
            hits.sort_unstable();
            hits.dedup();
        }
        hits
    }

    fn hits_of(&self, finder: &Finder<'_>) -> Vec<i64> {
        let (mut hits, mut at) = (Vec::new(), 0);
        while let Some(found) = self.text.get(at..).and_then(|rest| finder.find(rest)) {
            let found = at + found;
            let after = self
                .starts
                .partition_point(|start| usize::try_from(*start).unwrap_or(usize::MAX) <= found);
            hits.extend(self.seqs.get(after.wrapping_sub(1)));
            let Some(next) = self.starts.get(after) else {
                break;
            };
            at = usize::try_from(*next).unwrap_or(usize::MAX);
        }
        hits
    }

    fn memory(&self) -> usize {
        let numbers =
            self.starts.capacity() * size_of::<u32>() + self.seqs.capacity() * size_of::<i64>();
        size_of::<Self>() + self.text.capacity() + numbers
    }
}

/// Everything between two arrival numbers, from the newest of the moment when it was begun, growing both ways.
pub(super) struct Index {
    segments: VecDeque<Arc<Segment>>,
    /// Every report from this one on is here.
    oldest: i64,
    /// Every report up to this one is here.
    newest: i64,
    rows: u64,
}

impl Index {
    /// An empty index in an archive whose newest report is `top`.
    pub(super) fn new(top: i64) -> Self {
        Self {
            segments: VecDeque::new(),
            oldest: top.saturating_add(1),
            newest: top,
            rows: 0,
        }
    }

    pub(super) fn oldest(&self) -> i64 {
        self.oldest
    }

    pub(super) fn newest(&self) -> i64 {
        self.newest
    }

    /// Reports taken in.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of memory it takes.
    pub(super) fn memory(&self) -> usize {
        self.segments.iter().map(|segment| segment.memory()).sum()
    }

    /// Adds reports that arrived since, oldest first, up to the arrival number `newest`; those it has already are left.
    pub(super) fn append(&mut self, entries: &[Entry], newest: i64) {
        for (seq, fields) in entries.iter().filter(|(seq, _)| *seq > self.newest) {
            if self.segments.back().is_none_or(|last| last.is_full()) {
                self.segments.push_back(Arc::default());
            }
            if let Some(last) = self.segments.back_mut() {
                // A search under way keeps the segment as it was; this one goes on with a copy.
                let last = Arc::make_mut(last);
                last.push(*seq, fields);
                if last.is_full() {
                    last.shrink();
                }
            }
            self.rows += 1;
        }
        self.newest = self.newest.max(newest);
    }

    /// Adds older reports, newest first, down to the arrival number `oldest`.
    pub(super) fn prepend(&mut self, entries: &[Entry], oldest: i64) {
        let mut segment = Segment::default();
        let mut older = VecDeque::new();
        for (seq, fields) in entries.iter().rev() {
            segment.push(*seq, fields);
            if segment.is_full() {
                segment.shrink();
                older.push_back(Arc::new(std::mem::take(&mut segment)));
            }
            self.rows += 1;
        }
        if !segment.seqs.is_empty() {
            segment.shrink();
            older.push_back(Arc::new(segment));
        }
        older.append(&mut self.segments);
        self.segments = older;
        self.oldest = self.oldest.min(oldest);
    }

    /// Wipes reports. A search under way ends with what it began with.
    pub(super) fn remove(&mut self, erased: &[i64]) {
        for segment in &mut self.segments {
            let hit = |seq: &i64| segment.seqs.binary_search(seq).is_ok();
            if erased.iter().any(hit) {
                let kept = segment.without(erased);
                self.rows -=
                    u64::try_from(segment.seqs.len() - kept.seqs.len()).unwrap_or_default();
                *segment = Arc::new(kept);
            }
        }
    }

    /// The index as it stands, to be searched without holding anybody up.
    pub(super) fn view(&self) -> View {
        View {
            segments: self.segments.iter().cloned().collect(),
        }
    }
}

/// The index at one moment.
#[derive(Default)]
pub(super) struct View {
    /// Oldest first.
    pub(super) segments: Vec<Arc<Segment>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seq: i64) -> Entry {
        let fields = format!("nome{seq} cognome\u{0}x").into_bytes();
        (seq, Zeroizing::new(fields))
    }

    fn found(index: &Index, needle: &str) -> Vec<i64> {
        let view = index.view();
        let sought = Sought::new(&[needle.to_owned()]);
        let hits = view.segments.iter().map(|segment| segment.hits(&sought));
        hits.flatten().collect()
    }

    #[test]
    fn it_grows_both_ways_and_stays_in_order() {
        let mut index = Index::new(5_000);
        let older: Vec<Entry> = (1..=5_000).rev().map(entry).collect();
        let newer: Vec<Entry> = (5_001..=15_000).map(entry).collect();
        index.append(&newer[..10], 5_010);
        index.prepend(&older[..4_500], 501);
        let before = index.view();
        index.append(&newer, 15_000);
        index.prepend(&older[4_500..], i64::MIN);
        assert_eq!(found(&index, "cognome"), (1..=15_000).collect::<Vec<_>>());
        assert_eq!(found(&index, "nome7777 "), [7_777]);
        assert_eq!(
            (index.rows(), index.oldest(), index.newest()),
            (15_000, i64::MIN, 15_000)
        );
        let kept: usize = before
            .segments
            .iter()
            .map(|segment| segment.seqs.len())
            .sum();
        assert_eq!(kept, 4_510, "a view does not change");
    }

    #[test]
    fn what_several_needles_find_is_found_once_and_in_order() {
        let mut index = Index::new(0);
        let entries: Vec<Entry> = (1..=9_000).map(entry).collect();
        index.append(&entries, 9_000);
        let view = index.view();
        let needles = ["nome12", "e120"].map(str::to_owned);
        let sought = Sought::new(&needles);
        let hits: Vec<i64> = view
            .segments
            .iter()
            .flat_map(|segment| segment.hits(&sought))
            .collect();
        let expected = (1..=9_000).filter(|seq| seq.to_string().starts_with("12"));
        assert_eq!(hits, expected.collect::<Vec<i64>>());
    }

    #[test]
    fn what_it_has_is_not_added_twice() {
        let mut index = Index::new(0);
        index.append(&[entry(1), entry(2)], 2);
        index.append(&[entry(1), entry(2), entry(3)], 3);
        assert_eq!(found(&index, "nome"), [1, 2, 3]);
        assert_eq!(index.rows(), 3);
    }

    #[test]
    fn what_is_erased_is_gone_and_the_rest_is_found_as_before() {
        let mut index = Index::new(0);
        let entries: Vec<Entry> = (1..=9_000).map(entry).collect();
        index.append(&entries, 9_000);
        let before = index.view();
        let erased = [1, 4_096, 4_097, 5_000, 9_000, 77_000];
        index.remove(&erased);
        let living: Vec<i64> = (1..=9_000).filter(|seq| !erased.contains(seq)).collect();
        assert_eq!(found(&index, "cognome"), living);
        assert_eq!(index.rows(), 8_995);
        assert!(found(&index, "nome5000 ").is_empty());
        assert_eq!(found(&index, "nome4999 "), [4_999]);
        index.append(&[entry(9_001)], 9_001);
        assert_eq!(found(&index, "nome9001 "), [9_001]);
        let sought = Sought::new(&["nome5000 ".to_owned()]);
        let hits = before
            .segments
            .iter()
            .flat_map(|segment| segment.hits(&sought));
        assert_eq!(
            hits.collect::<Vec<i64>>(),
            [5_000],
            "a view does not change"
        );
        // Every report of a segment may go.
        index.remove(&(1..=4_096).collect::<Vec<i64>>());
        assert_eq!(found(&index, "nome4098 "), [4_098]);
    }
}
