//! Which reports may come from the same reporter, by their [`Contacts`]. This is only a hint: two different numbers may have one
//! hash.

use std::collections::HashMap;

use super::contacts::Contacts;
use super::index::Index;
use crate::actions::Result;

/// Whether the caller may see the report with this arrival number.
pub(super) type IsVisible<'s> = &'s dyn Fn(i64) -> Result<bool>;

/// The arrival numbers of visible reports that share a phone number or an e-mail address with this one, newest first.
pub(super) fn same_reporter(
    index: &Index,
    seq: i64,
    most: usize,
    is_visible: IsVisible<'_>,
) -> Result<Vec<i64>> {
    let Some(one) = index.find(seq) else {
        return Ok(Vec::new());
    };
    let others = index.contacts_from(0).rev();
    let same = others.filter(|other| one.shares_contact_with(other));
    let seen = same.map(|other| Ok(is_visible(other.seq())?.then(|| other.seq())));
    seen.filter_map(Result::transpose).take(most).collect()
}

/// A report without a known match, and the arrival number up to which it was compared.
struct Wanted<'k> {
    contacts: &'k Contacts,
    compared_to: i64,
    found: bool,
}

/// For each hash, the indexes in `wanted` of the reports that have it.
type Holders = HashMap<u32, Vec<usize>>;

/// A table by the lower half of a hash, which rules out most reports without a look-up of the hash.
fn sieve_of(holders: &Holders) -> Vec<bool> {
    let mut sieve = vec![false; 1 << 16];
    for hash in holders.keys() {
        sieve[usize::from(lower(*hash))] = true;
    }
    sieve
}

fn lower(hash: u32) -> u16 {
    let [low, high, ..] = hash.to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// Compares each wanted report with the visible reports that arrived after `compared_to`, in one pass over the archive.
fn compare(index: &Index, wanted: &mut [Wanted<'_>], is_visible: IsVisible<'_>) -> Result<()> {
    let mut holders = Holders::new();
    for (at, Wanted { contacts, .. }) in wanted.iter().enumerate() {
        contacts
            .hashes()
            .for_each(|hash| holders.entry(hash).or_default().push(at));
    }
    let sieve = sieve_of(&holders);
    let from = wanted.iter().map(|one| one.compared_to).min();
    for other in index.contacts_from(from.unwrap_or(i64::MAX)) {
        let likely = other
            .hashes()
            .filter(|hash| sieve[usize::from(lower(*hash))]);
        let matches = likely.filter_map(|hash| holders.get(&hash)).flatten();
        // Visibility is looked up once per report: thousands of hidden copies may match a whole page.
        let mut visible = None;
        for at in matches {
            let Wanted {
                contacts,
                compared_to,
                found,
            } = &mut wanted[*at];
            if !*found && other.seq() > *compared_to && contacts.shares_contact_with(other) {
                if visible.is_none() {
                    visible = Some(is_visible(other.seq())?);
                }
                *found = visible == Some(true);
            }
        }
    }
    Ok(())
}

/// Limit of the reports whose marks are kept: forty pages of fifty.
const REMEMBERED: usize = 2_000;

/// For reports that were listed: whether a match is known, and the arrival number up to which they were compared.
#[derive(Default)]
pub(super) struct SameReporterMarks {
    known: HashMap<i64, (bool, i64)>,
    /// Counts erasures, so that the results of a comparison that began before one are discarded.
    erasures: u64,
}

impl SameReporterMarks {
    /// A copy of the marks of these reports.
    pub(super) fn copy_of(&self, seqs: &[i64]) -> Self {
        let known = seqs
            .iter()
            .filter_map(|seq| Some((*seq, *self.known.get(seq)?)));
        Self {
            known: known.collect(),
            erasures: self.erasures,
        }
    }

    /// Adds marks found meanwhile, unless reports were erased since.
    pub(super) fn take_in(&mut self, found: Self) {
        if found.erasures != self.erasures {
            return;
        }
        if self.known.len() > REMEMBERED {
            self.known.clear();
        }
        self.known.extend(found.known);
    }

    /// Whether each of these reports has a visible match. Only reports that arrived since the last call are compared.
    pub(super) fn of(
        &mut self,
        index: &Index,
        seqs: &[i64],
        is_visible: IsVisible<'_>,
    ) -> Result<Vec<bool>> {
        let unknown = |seq: &i64| {
            let (found, compared_to) = self.known.get(seq).copied().unwrap_or_default();
            let contacts = index
                .find(*seq)
                .filter(|_| !found && compared_to < index.newest())?;
            Some(Wanted {
                contacts,
                compared_to,
                found,
            })
        };
        let mut wanted: Vec<_> = seqs.iter().filter_map(unknown).collect();
        compare(index, &mut wanted, is_visible)?;
        for Wanted {
            contacts, found, ..
        } in wanted
        {
            self.known.insert(contacts.seq(), (found, index.newest()));
        }
        let found = |seq: &i64| self.known.get(seq).is_some_and(|(found, _)| *found);
        Ok(seqs.iter().map(found).collect())
    }

    /// Drops all marks, since after an erasure a match may be gone.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.erasures += 1;
    }
}

#[cfg(test)]
impl SameReporterMarks {
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::report::BorrowedReport;
    use crate::search::contacts::ContactHasher;
    use crate::search::index::Segment;

    const EVERYTHING: IsVisible<'static> = &|_| Ok(true);

    /// Reports by these phone numbers, from an arrival number on.
    fn segment(hasher: &ContactHasher, from: i64, phones: &[String]) -> Segment {
        let mut segment = Segment::default();
        for (seq, phone) in (from..).zip(phones) {
            let report = BorrowedReport {
                telefono: phone.into(),
                ..BorrowedReport::default()
            };
            segment.push(hasher.of(seq, &report).unwrap(), b"");
        }
        segment
    }

    #[test]
    fn who_does_not_see_the_other_report_gets_no_mark_and_an_erasure_takes_it_back() {
        let hasher = ContactHasher::default();
        let phones = ["1", "2", "1", "3"].map(str::to_owned);
        let mut index = Index::new(0);
        index.append(&segment(&hasher, 1, &phones), 4, &HashSet::new());
        assert_eq!(same_reporter(&index, 1, 9, EVERYTHING).unwrap(), [3]);
        let is_visible: IsVisible<'_> = &|seq| Ok(seq != 3);
        assert!(same_reporter(&index, 1, 9, is_visible).unwrap().is_empty());
        let mut marks = SameReporterMarks::default();
        let seen = SameReporterMarks::default().of(&index, &[1, 3], is_visible);
        assert_eq!(seen.unwrap(), [false, true]);
        let all = [1, 2, 3, 4];
        let found = marks.of(&index, &all, EVERYTHING).unwrap();
        assert_eq!(found, [true, false, true, false]);
        index.remove(&[3]);
        marks.forget();
        let found = marks.of(&index, &all, EVERYTHING).unwrap();
        assert_eq!(found, [false; 4]);
    }

    #[test]
    fn a_copy_out_of_sight_is_looked_up_once_for_a_whole_page() {
        let phones = vec!["3331234567".to_owned(); 300];
        let mut index = Index::new(0);
        let found = segment(&ContactHasher::default(), 1, &phones);
        index.append(&found, 300, &HashSet::new());
        let lookups = Cell::new(0);
        let is_visible: IsVisible<'_> = &|_| {
            lookups.set(lookups.get() + 1);
            Ok(false)
        };
        let page: Vec<i64> = (251..=300).collect();
        let marks = SameReporterMarks::default().of(&index, &page, is_visible);
        assert!(!marks.unwrap().contains(&true));
        assert_eq!(lookups.get(), 300);
    }

    /// Often no hash; else hashes of which many share the lower half.
    fn hashes() -> impl Strategy<Value = [u32; 2]> {
        let hash = prop_oneof![4 => Just(0), 1 => (1..200u32).prop_map(|n| (n << 16) | (n % 3))];
        prop::array::uniform2(hash)
    }

    proptest! {
        #[test]
        fn marks_are_those_of_comparing_each_with_each_and_follow_what_comes(
            known in prop::collection::vec(hashes(), 1..300), before in any::<prop::sample::Index>(),
        ) {
            let contacts: Vec<Contacts> = (1..).zip(known).map(|(seq, hashes)| Contacts::hashed(seq, hashes)).collect();
            let (mut index, mut marks) = (Index::new(0), SameReporterMarks::default());
            // Some are looked at before the others come.
            for among in [&contacts[..before.index(contacts.len())], &contacts] {
                let mut segment = Segment::default();
                for one in among {
                    segment.push(one.clone(), b"");
                }
                let newest = among.last().map_or(0, Contacts::seq);
                index.append(&segment, newest, &HashSet::new());
                let seqs: Vec<i64> = among.iter().map(Contacts::seq).collect();
                let has_other = |one: &Contacts| among.iter().any(|other| one.shares_contact_with(other));
                let plain: Vec<bool> = among.iter().map(has_other).collect();
                prop_assert_eq!(marks.of(&index, &seqs, EVERYTHING).unwrap(), plain);
            }
        }
    }
}
