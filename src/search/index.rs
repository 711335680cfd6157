//! The searchable fields of the archive in memory, folded, in order of arrival, each with its [`Contacts`]: packed segments
//! that do not change any more, and a last one that grows. Must never hold an account, nor outlive the locking of the vault.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use zeroize::Zeroizing;

use super::Terms;
use super::contacts::Contacts;
use crate::store::SeqRange;

/// Reports of a segment, about 500 KB before it is packed. Larger pieces waste more memory of the allocator.
pub(super) const SEGMENT_ROWS: usize = 4096;

/// A room grows by so many bytes, since segments have about the same length.
const STEP: usize = 64 * 1024;

/// A buffer for the fields of a packed segment, wiped when dropped.
pub(super) type Room = Zeroizing<Vec<u8>>;

/// Reports, oldest first in the index.
#[derive(Clone, Default)]
pub(super) struct Segment {
    /// The fields of all reports; compressed once the segment is packed.
    text: Zeroizing<Vec<u8>>,
    packed: bool,
    /// Each report, and where its fields end in the text.
    rows: Vec<(Contacts, u32)>,
}

impl Segment {
    /// Adds a report; leaves it out if the segment would exceed four gigabytes.
    pub(super) fn push(&mut self, contacts: Contacts, fields: &[u8]) {
        if let Ok(end) = u32::try_from(self.text.len() + fields.len()) {
            self.text.extend_from_slice(fields);
            self.rows.push((contacts, end));
        }
    }

    /// A segment of these reports. `length` is the most that their fields have together.
    fn of<'r>(rows: impl Iterator<Item = (&'r Contacts, &'r [u8])>, length: usize) -> Self {
        let mut segment = Self::default();
        segment.text.reserve_exact(length);
        rows.for_each(|(contacts, fields)| segment.push(contacts.clone(), fields));
        segment
    }

    /// Compresses the fields of a segment that is complete.
    fn pack(&mut self) {
        let mut worst = Zeroizing::new(vec![0; get_maximum_output_size(self.text.len())]);
        // The buffer has room for the worst case; a segment that stays unpacked is searched as well.
        if let Ok(length) = compress_into(&self.text, &mut worst) {
            self.text = Zeroizing::new(worst[..length].to_vec());
            self.packed = true;
        }
        self.rows.shrink_to_fit();
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The fields of all reports, unpacked into `room` if they are packed.
    fn text<'t>(&'t self, room: &'t mut Room) -> &'t [u8] {
        if !self.packed {
            return &self.text;
        }
        let length = self.rows.last().map_or(0, |(_, end)| *end as usize);
        if room.len() < length {
            *room = Zeroizing::new(vec![0; length.next_multiple_of(STEP)]);
        }
        if decompress_into(&self.text, &mut room[..length]).ok() != Some(length) {
            // Only faulty memory leads here; the content of another segment must not be searched in its place.
            tracing::error!("a part of the search index does not open: its reports are not found");
            room.fill(0);
        }
        &room[..length]
    }

    /// Each report with its fields in this text.
    fn rows<'t>(
        &'t self,
        text: &'t [u8],
    ) -> impl DoubleEndedIterator<Item = (&'t Contacts, &'t [u8])> {
        self.rows.iter().enumerate().map(|(at, (contacts, end))| {
            let start = at.checked_sub(1).map_or(0, |before| self.rows[before].1);
            (contacts, &text[start as usize..*end as usize])
        })
    }

    fn contacts(&self) -> impl DoubleEndedIterator<Item = &Contacts> {
        self.rows.iter().map(|(contacts, _)| contacts)
    }

    fn without(&self, erased: &[i64], room: &mut Room) -> Self {
        let text = self.text(room);
        let rows = self.rows(text);
        let mut left = Self::of(
            rows.filter(|(contacts, _)| !erased.contains(&contacts.seq())),
            text.len(),
        );
        if self.packed {
            left.pack();
        }
        left
    }

    fn newest(&self) -> Option<i64> {
        self.contacts().next_back().map(Contacts::seq)
    }

    fn find(&self, seq: i64) -> Option<&Contacts> {
        let at = self
            .rows
            .binary_search_by_key(&seq, |(contacts, _)| contacts.seq());
        at.ok().map(|at| &self.rows[at].0)
    }

    /// Whether the segment may hold a report of the range.
    pub(super) fn meets(&self, range: SeqRange) -> bool {
        let first = self.contacts().next().map(Contacts::seq);
        first.is_some_and(|seq| seq <= range.newest) && self.newest() >= Some(range.oldest)
    }

    /// The reports that match, oldest first.
    pub(super) fn hits(&self, terms: &Terms, room: &mut Room) -> Vec<i64> {
        let text = self.text(room);
        // Most segments hold no match; one pass over the whole text finds that out.
        if !terms.found_in(text) {
            return Vec::new();
        }
        let hits = self.rows(text).filter(|(_, fields)| terms.found_in(fields));
        hits.map(|(contacts, _)| contacts.seq()).collect()
    }
}

/// The reports of the archive, growing at both ends: newer ones arrive, older ones are indexed. A clone shares the segments.
#[derive(Clone)]
pub(super) struct Index {
    /// The segments, none of them empty.
    segments: VecDeque<Arc<Segment>>,
    newest: i64,
}

impl Index {
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
        let rows = self.segments.iter().map(|segment| segment.len());
        u64::try_from(rows.sum::<usize>()).unwrap_or(u64::MAX)
    }

    /// Adds newer reports, oldest first, up to the arrival number `newest`. Known ones, and those erased since they were read,
    /// are left out.
    pub(super) fn append(&mut self, found: &Segment, newest: i64, erased: &HashSet<i64>) {
        for (contacts, fields) in found.rows(found.text(&mut Room::default())) {
            if contacts.seq() <= self.newest || erased.contains(&contacts.seq()) {
                continue;
            }
            let full = |last: &Arc<Segment>| last.packed || last.len() >= SEGMENT_ROWS;
            if self.segments.back().is_none_or(full) {
                self.segments.push_back(Arc::default());
            }
            if let Some(last) = self.segments.back_mut() {
                // A search that is running keeps the segment as it was.
                let last = Arc::make_mut(last);
                last.push(contacts.clone(), fields);
                if last.len() >= SEGMENT_ROWS {
                    last.pack();
                }
            }
        }
        self.newest = self.newest.max(newest);
    }

    /// Adds older reports, newest first, as one segment, without those erased since they were read.
    pub(super) fn prepend(&mut self, found: &Segment, erased: &HashSet<i64>) {
        let mut room = Room::default();
        let text = found.text(&mut room);
        let living = found.rows(text).rev();
        let living = living.filter(|(contacts, _)| !erased.contains(&contacts.seq()));
        let mut segment = Segment::of(living, text.len());
        segment.pack();
        if segment.len() > 0 {
            self.segments.push_front(Arc::new(segment));
        }
    }

    /// Removes erased reports. A running search still finds them.
    pub(super) fn remove(&mut self, erased: &[i64]) {
        let mut room = Room::default();
        for segment in &mut self.segments {
            if erased.iter().any(|seq| segment.find(*seq).is_some()) {
                *segment = Arc::new(segment.without(erased, &mut room));
            }
        }
        self.segments.retain(|segment| segment.len() > 0);
    }

    /// The segments, oldest first, to be searched without a lock.
    pub(super) fn segments(&self) -> Vec<Arc<Segment>> {
        self.segments.iter().cloned().collect()
    }

    pub(super) fn find(&self, seq: i64) -> Option<&Contacts> {
        let ends_before = |segment: &Arc<Segment>| segment.newest() < Some(seq);
        let at = self.segments.partition_point(ends_before);
        self.segments.get(at)?.find(seq)
    }

    /// The contacts of all reports from an arrival number on, oldest first, with some older ones.
    pub(super) fn contacts_from(&self, seq: i64) -> impl DoubleEndedIterator<Item = &Contacts> {
        let later = move |segment: &&Arc<Segment>| segment.newest() > Some(seq);
        let segments = self.segments.iter().filter(later);
        segments.flat_map(|segment| segment.contacts())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment(seqs: impl IntoIterator<Item = i64>) -> Segment {
        let mut segment = Segment::default();
        for seq in seqs {
            let fields = format!("nome{seq} cognome\u{0}x");
            segment.push(Contacts::numbered(seq), fields.as_bytes());
        }
        segment
    }

    fn found_among(segments: &[Arc<Segment>], needle: &str) -> Vec<i64> {
        let terms = Terms::new(needle, false).unwrap();
        let mut room = Room::default();
        let hits = segments
            .iter()
            .map(|segment| segment.hits(&terms, &mut room));
        hits.flatten().collect()
    }

    fn found(index: &Index, needle: &str) -> Vec<i64> {
        found_among(&index.segments(), needle)
    }

    #[test]
    fn it_grows_both_ways_in_order_and_takes_nothing_twice() {
        let (mut index, none) = (Index::new(5_000), HashSet::new());
        index.append(&segment(5_001..=5_010), 5_010, &none);
        index.prepend(&segment((501..=5_000).rev()), &none);
        let before = index.segments();
        index.append(&segment(5_001..=15_000), 15_000, &none);
        index.prepend(&segment((1..=500).rev()), &none);
        assert_eq!(found(&index, "cognome"), (1..=15_000).collect::<Vec<_>>());
        assert_eq!(found(&index, "nome7777 c"), [7_777]);
        assert_eq!((index.rows(), index.newest()), (15_000, 15_000));
        let kept = found_among(&before, "cognome").len();
        assert_eq!(kept, 4_510, "a search under way sees no change");
    }

    #[test]
    fn what_is_erased_is_gone_and_the_rest_is_found_as_before() {
        let (mut index, none) = (Index::new(0), HashSet::new());
        index.append(&segment(1..=9_000), 9_000, &none);
        let before = index.segments();
        let erased = [1, 4_096, 4_097, 5_000, 9_000, 77_000];
        index.remove(&erased);
        let living: Vec<i64> = (1..=9_000).filter(|seq| !erased.contains(seq)).collect();
        assert_eq!(found(&index, "cognome"), living);
        assert_eq!(index.rows(), 8_995);
        index.append(&segment(9_001..=9_002), 9_002, &HashSet::from([9_002]));
        assert_eq!(found(&index, "nome900"), [900, 9_001]);
        assert_eq!(found_among(&before, "nome5000 c"), [5_000]);
        // Every report of a segment may go.
        index.remove(&(1..=4_096).collect::<Vec<i64>>());
        assert_eq!(found(&index, "nome4098 c"), [4_098]);
        assert_eq!(index.find(4_098).map(Contacts::seq), Some(4_098));
    }

    #[test]
    fn a_part_that_does_not_open_finds_nothing_of_another() {
        let (whole, mut room) = (segment(1..=9), Room::default());
        let mut packed = whole.clone();
        packed.pack();
        let terms = Terms::new("nome7", false).unwrap();
        assert_eq!(packed.hits(&terms, &mut room), [7]);
        packed.text.truncate(5);
        assert!(packed.hits(&terms, &mut room).is_empty());
        assert_eq!(whole.hits(&terms, &mut room), [7]);
    }

    proptest! {
        #[test]
        fn packing_changes_no_field(fields in prop::collection::vec("[a-c@. ]{0,40}", 0..60)) {
            let (mut plain, mut room) = (Segment::default(), Room::default());
            for (seq, fields) in (1..).zip(&fields) {
                plain.push(Contacts::numbered(seq), fields.as_bytes());
            }
            plain.pack();
            let packed = plain.without(&[], &mut room);
            let text = packed.text(&mut room);
            let unpacked: Vec<&[u8]> = packed.rows(text).map(|(_, fields)| fields).collect();
            prop_assert_eq!(unpacked, fields.iter().map(String::as_bytes).collect::<Vec<_>>());
        }
    }
}
