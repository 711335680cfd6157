//! Which reports may be alike: hashes of phone and e-mail, and a print of the account, 28 bytes a report in memory. Must never
//! hold a text, nor be taken for more than a hint: two different numbers may have one hash.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::index::Index;
use crate::actions::Result;
use crate::domain::report::{BorrowedReport, own_words};
use crate::domain::siege::alike::{PRINT, are_near, print};

#[derive(Clone)]
pub(super) struct ReportTraits {
    seq: u32,
    phone: u32,
    mail: u32,
    account: [u8; PRINT],
}

impl ReportTraits {
    fn is_like(&self, other: &Self) -> bool {
        self.has_phone_of(other)
            || self.has_mail_of(other)
            || are_near(&self.account, &other.account)
    }

    fn has_phone_of(&self, other: &Self) -> bool {
        self.phone != 0 && self.phone == other.phone
    }

    fn has_mail_of(&self, other: &Self) -> bool {
        self.mail != 0 && self.mail == other.mail
    }

    /// What both have in common, for one that stands in the other's group.
    fn reasons(&self, other: &Self) -> Vec<&'static str> {
        let text = if self.account == other.account {
            "stesso testo"
        } else {
            "testo simile"
        };
        let phone = self.has_phone_of(other).then_some("stesso telefono");
        let mail = self.has_mail_of(other).then_some("stessa email");
        [Some(text), phone, mail].into_iter().flatten().collect()
    }

    pub(super) fn seq(&self) -> i64 {
        self.seq.into()
    }
}

/// Hashes differ from start to start: a reporter cannot prepare two that collide.
#[derive(Default)]
pub(super) struct TraitHasher(RandomState);

impl TraitHasher {
    pub(super) fn of(&self, seq: i64, report: &BorrowedReport<'_>) -> Option<ReportTraits> {
        Some(ReportTraits {
            seq: u32::try_from(seq).ok()?,
            phone: self.hash(&report.telefono),
            mail: self.hash(&report.email.to_lowercase()),
            account: print(&own_words(&report.segnalazione)),
        })
    }

    fn hash(&self, text: &str) -> u32 {
        match u32::try_from(self.0.hash_one(text) >> 32) {
            Ok(hash) if !text.is_empty() => hash.max(1),
            _ => 0,
        }
    }
}

/// Whether the caller may see the report with this arrival number.
pub(super) type IsVisible<'s> = &'s dyn Fn(i64) -> Result<bool>;

/// Arrival numbers of visible reports that may be like this one, newest first.
pub(super) fn like(
    index: &Index,
    seq: i64,
    most: usize,
    is_visible: IsVisible<'_>,
) -> Result<Vec<i64>> {
    let Some(one) = index.find(seq) else {
        return Ok(Vec::new());
    };
    let others = index.about_since(0).rev();
    let alike = others.filter(|other| other.seq != one.seq && one.is_like(other));
    let seen = alike.map(|other| Ok(is_visible(other.seq())?.then(|| other.seq())));
    seen.filter_map(Result::transpose).take(most).collect()
}

/// In which group a report stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The place of the first of its group.
    pub first: usize,
    /// What it has in common with that, in Italian.
    pub reasons: Vec<&'static str>,
}

/// For each of these its group: of those whose accounts are nearly the same, themselves or through others. A phone number joins
/// nothing: one person may tell of many matters.
pub(super) fn groups(traits: &[Option<ReportTraits>]) -> Vec<Membership> {
    let mut firsts: Vec<usize> = (0..traits.len()).collect();
    let known: Vec<(usize, &ReportTraits)> = traits
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, one.as_ref()?)))
        .collect();
    for (place, (at, one)) in known.iter().enumerate() {
        for (other, earlier) in &known[..place] {
            if are_near(&one.account, &earlier.account) {
                join(&mut firsts, *other, *at);
            }
        }
    }
    let membership = |at| {
        let first = first_of(&mut firsts, at);
        let both = traits[first].as_ref().zip(traits[at].as_ref());
        let both = both.filter(|_| first != at);
        let reasons = both.map(|(one, other)| one.reasons(other));
        let reasons = reasons.unwrap_or_default();
        Membership { first, reasons }
    };
    (0..traits.len()).map(membership).collect()
}

fn join(firsts: &mut [usize], one: usize, other: usize) {
    let (one, other) = (first_of(firsts, one), first_of(firsts, other));
    firsts[one.max(other)] = one.min(other);
}

fn first_of(firsts: &mut [usize], at: usize) -> usize {
    let mut at = at;
    while firsts[at] != at {
        firsts[at] = firsts[firsts[at]];
        at = firsts[at];
    }
    at
}

/// Reports that are compared in one pass: a bit each.
const TOGETHER: usize = 64;

type Holders = [u64; 256];

/// Tells with a few look-ups which of some reports another may be like.
struct TraitFilter {
    prints: Vec<Holders>,
    /// By the two lowest bytes of the hashes of phone and e-mail.
    hashes: Vec<[Holders; 2]>,
}

impl TraitFilter {
    fn of<'k>(wanted: impl Iterator<Item = &'k ReportTraits>) -> Self {
        let mut sieve = Self {
            prints: vec![[0; 256]; PRINT],
            hashes: vec![[[0; 256]; 2]; 2],
        };
        for (at, one) in wanted.enumerate() {
            let bytes = sieve.prints.iter_mut().zip(one.account);
            for (holders, byte) in bytes.filter(|(_, byte)| *byte != 0) {
                holders[usize::from(byte)] |= 1 << at;
            }
            let hashes = sieve.hashes.iter_mut().zip([one.phone, one.mail]);
            for (holders, hash) in hashes.filter(|(_, hash)| *hash != 0) {
                let [low, high, ..] = hash.to_le_bytes();
                holders[0][usize::from(low)] |= 1 << at;
                holders[1][usize::from(high)] |= 1 << at;
            }
        }
        sieve
    }

    /// Reports that share half of a hash, or three bytes of the print: near ones share more.
    fn lets_through(&self, other: &ReportTraits) -> u64 {
        let (mut once, mut twice, mut thrice) = (0, 0, 0);
        for (holders, byte) in self.prints.iter().zip(other.account) {
            let holders = holders[usize::from(byte)];
            thrice |= twice & holders;
            twice |= once & holders;
            once |= holders;
        }
        let hashes = self.hashes.iter().zip([other.phone, other.mail]);
        hashes.fold(thrice, |through, (holders, hash)| {
            let [low, high, ..] = hash.to_le_bytes();
            through | holders[0][usize::from(low)] & holders[1][usize::from(high)]
        })
    }
}

/// Whether another report is like one, and how many others say nearly the same, at most [`MOST_ALIKE`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct RelatedMark {
    pub related: bool,
    pub alike: usize,
}

/// Copies that are counted, at most.
const MOST_ALIKE: usize = 99;

/// A report, the arrival number up to which it was compared, and what was found by then.
type Wanted<'k> = (&'k ReportTraits, i64, RelatedMark);

/// Compares these, at most [`TOGETHER`], with the visible reports in one pass over the archive.
fn mark_related(index: &Index, wanted: &mut [Wanted<'_>], is_visible: IsVisible<'_>) -> Result<()> {
    let sieve = TraitFilter::of(wanted.iter().map(|(one, ..)| *one));
    let from = wanted.iter().map(|(_, seen, _)| *seen).min();
    let mut open = u64::MAX;
    index
        .about_since(from.unwrap_or(i64::MAX))
        .try_for_each(|other| {
            let (mut through, mut known) = (sieve.lets_through(other) & open, false);
            while through != 0 {
                let at = through.trailing_zeros();
                through &= through - 1;
                let (one, seen, mark) = &mut wanted[at as usize];
                let later = other.seq() > *seen && other.seq != one.seq;
                if later && one.is_like(other) {
                    // One look-up for all reports that it is like: thousands of copies may be out of sight.
                    if !(known || is_visible(other.seq())?) {
                        break;
                    }
                    known = true;
                    mark.related = true;
                    mark.alike += usize::from(are_near(&one.account, &other.account));
                    if mark.alike >= MOST_ALIKE {
                        open &= !(1 << at);
                    }
                }
            }
            Ok(())
        })
}

/// Forty pages of the list.
const REMEMBERED: usize = 2_000;

/// What is known of reports that were shown, and up to which arrival number that was looked for.
#[derive(Default)]
pub(super) struct RelatedMarks {
    known: HashMap<i64, (RelatedMark, i64)>,
    /// Grows with each erasure.
    erasures: u64,
}

impl RelatedMarks {
    /// A copy of what is known of these.
    pub(super) fn copy_of(&self, seqs: &[i64]) -> Self {
        let known = seqs
            .iter()
            .filter_map(|seq| Some((*seq, *self.known.get(seq)?)));
        Self {
            known: known.collect(),
            erasures: self.erasures,
        }
    }

    /// Adds what was found meanwhile, unless reports were erased since.
    pub(super) fn take_in(&mut self, found: Self) {
        if found.erasures != self.erasures {
            return;
        }
        if self.known.len() > REMEMBERED {
            self.known.clear();
        }
        self.known.extend(found.known);
    }

    /// What is known of each of these among the visible reports. Only reports that arrived since the last look are compared.
    pub(super) fn of(
        &mut self,
        index: &Index,
        seqs: &[i64],
        is_visible: IsVisible<'_>,
    ) -> Result<Vec<RelatedMark>> {
        let mut wanted = Vec::new();
        for seq in seqs {
            let (mark, seen) = self.known.get(seq).copied().unwrap_or_default();
            if mark.alike < MOST_ALIKE && seen < index.newest() {
                wanted.extend(index.find(*seq).map(|one| (one, seen, mark)));
            }
        }
        for some in wanted.chunks_mut(TOGETHER) {
            mark_related(index, some, is_visible)?;
        }
        for (one, _, mark) in wanted {
            self.known.insert(one.seq(), (mark, index.newest()));
        }
        let mark = |seq: &i64| self.known.get(seq).map(|(mark, _)| *mark);
        Ok(seqs
            .iter()
            .map(|seq| mark(seq).unwrap_or_default())
            .collect())
    }

    /// After an erasure the report that another was like may be gone.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.erasures += 1;
    }
}

#[cfg(test)]
impl RelatedMarks {
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
    use crate::search::index::Segment;

    const EVERYTHING: IsVisible<'static> = &|_| Ok(true);

    impl ReportTraits {
        /// Of a report that nothing is known of.
        pub(in crate::search) fn numbered(seq: i64) -> Self {
            TraitHasher::default()
                .of(seq, &BorrowedReport::default())
                .unwrap()
        }
    }

    #[test]
    fn a_report_is_twenty_eight_bytes() {
        assert_eq!(size_of::<ReportTraits>(), 28);
    }

    #[test]
    fn marks_are_those_of_a_look_at_all_and_follow_what_comes_and_goes() {
        let hasher = TraitHasher::default();
        let some = |seqs: &mut dyn Iterator<Item = i64>| {
            let mut some = Segment::default();
            for seq in seqs {
                let report = BorrowedReport {
                    telefono: format!("{}", seq % 700).into(),
                    ..BorrowedReport::default()
                };
                some.push(hasher.of(seq, &report).unwrap(), b"");
            }
            some
        };
        let (mut index, mut marks) = (Index::new(500), RelatedMarks::default());
        let none = HashSet::new();
        index.prepend(&some(&mut (301..=500).rev()), &none);
        index.prepend(&some(&mut (1..=300).rev()), &none);
        let all: Vec<i64> = (1..=900).collect();
        let related = |marks: Vec<RelatedMark>| -> Vec<bool> {
            marks.iter().map(|mark| mark.related).collect()
        };
        let found = marks.of(&index, &all, EVERYTHING).unwrap();
        assert!(!related(found).contains(&true));
        index.append(&some(&mut (501..=900)), 900, &none);
        // 1 to 200 have the number of 701 to 900.
        let expected: Vec<bool> = all.iter().map(|seq| *seq <= 200 || *seq > 700).collect();
        let found = marks.of(&index, &all, EVERYTHING).unwrap();
        assert!(found.iter().all(|mark| mark.alike == 0));
        assert_eq!(related(found), expected);
        assert_eq!(like(&index, 30, 9, EVERYTHING).unwrap(), [730]);
        // To who does not see the other report of that phone, none is like it.
        let is_visible: IsVisible<'_> = &|seq| Ok(seq != 730);
        assert!(like(&index, 30, 9, is_visible).unwrap().is_empty());
        let seen = RelatedMarks::default().of(&index, &[30, 31], is_visible);
        assert_eq!(related(seen.unwrap()), [false, true]);
        // A phone number joins nothing.
        let traits = [900, 899, 200, 999, 199].map(|seq| index.find(seq).cloned());
        let firsts: Vec<usize> = groups(&traits).iter().map(|one| one.first).collect();
        assert_eq!(firsts, [0, 1, 2, 3, 4]);
        index.remove(&[730]);
        marks.forget();
        let found = marks.of(&index, &[30, 31, 730], EVERYTHING).unwrap();
        assert_eq!(related(found), [false, true, false]);
    }

    #[test]
    fn groups_are_of_accounts_and_say_what_else_is_the_same() {
        let hasher = TraitHasher::default();
        let told = "Nel deposito di via Larga scaricano di notte fusti senza etichetta, tre camion ogni martedì.";
        let of = |seq: i64, account: &str, telefono: &str, email: &str| {
            let report = BorrowedReport {
                segnalazione: account.to_owned().into(),
                telefono: telefono.to_owned().into(),
                email: email.to_owned().into(),
                ..BorrowedReport::default()
            };
            hasher.of(seq, &report)
        };
        let traits = [
            of(1, told, "3331234567", "a@b.it"),
            of(
                2,
                "Mi hanno minacciato di morte per il posto al mercato.",
                "3331234567",
                "",
            ),
            of(3, told, "3331234567", "A@B.it"),
            of(4, told, "", ""),
        ];
        let found = groups(&traits);
        let firsts: Vec<usize> = found.iter().map(|one| one.first).collect();
        assert_eq!(firsts, [0, 1, 0, 0]);
        assert!(found[0].reasons.is_empty() && found[1].reasons.is_empty());
        assert_eq!(
            found[2].reasons,
            ["stesso testo", "stesso telefono", "stessa email"]
        );
        assert_eq!(found[3].reasons, ["stesso testo"]);
    }

    #[test]
    fn a_copy_out_of_sight_is_looked_up_once_for_a_whole_page() {
        let report = BorrowedReport {
            telefono: "3331234567".into(),
            ..BorrowedReport::default()
        };
        let (hasher, mut segment) = (TraitHasher::default(), Segment::default());
        for seq in 1..=300 {
            segment.push(hasher.of(seq, &report).unwrap(), b"");
        }
        let mut index = Index::new(0);
        index.append(&segment, 300, &HashSet::new());
        let lookups = Cell::new(0);
        let is_visible: IsVisible<'_> = &|_| {
            lookups.set(lookups.get() + 1);
            Ok(false)
        };
        let page: Vec<i64> = (251..=300).collect();
        let marks = RelatedMarks::default()
            .of(&index, &page, is_visible)
            .unwrap();
        assert!(!marks.iter().any(|mark| mark.related));
        assert_eq!(lookups.get(), 300);
    }

    /// Hashes of which many have the same lower half, prints that differ in a few bytes from one of three, and empty places.
    fn traits() -> impl Strategy<Value = (u32, u32, [u8; PRINT])> {
        let hash = || prop_oneof![4 => Just(0), 1 => (1..200u32).prop_map(|n| (n << 16) | (n % 3))];
        let own = prop::array::uniform16((any::<bool>(), 0..9u8));
        let account = (1..4u8, own)
            .prop_map(|(kind, own)| own.map(|(own, byte)| if own { byte } else { kind }));
        (hash(), hash(), account)
    }

    proptest! {
        #[test]
        fn marks_are_those_of_comparing_each_with_each(
            known in prop::collection::vec(traits(), 1..300), before in any::<prop::sample::Index>(),
        ) {
            let traits: Vec<ReportTraits> = (1..).zip(known).map(|(seq, (phone, mail, account))| ReportTraits { seq, phone, mail, account }).collect();
            let mark = |one: &ReportTraits, among: &[ReportTraits]| {
                let others = || among.iter().filter(|other| other.seq != one.seq);
                let alike = others().filter(|other| are_near(&one.account, &other.account)).count();
                RelatedMark { related: others().any(|other| one.is_like(other)), alike: alike.min(MOST_ALIKE) }
            };
            let (mut index, mut marks) = (Index::new(0), RelatedMarks::default());
            // Some are looked at before the others come.
            for among in [&traits[..before.index(traits.len())], &traits] {
                let mut segment = Segment::default();
                for one in among {
                    segment.push(one.clone(), b"");
                }
                let newest = among.last().map_or(0, ReportTraits::seq);
                index.append(&segment, newest, &HashSet::new());
                let seqs: Vec<i64> = among.iter().map(ReportTraits::seq).collect();
                let plain: Vec<RelatedMark> = among.iter().map(|one| mark(one, among)).collect();
                prop_assert_eq!(marks.of(&index, &seqs, EVERYTHING).unwrap(), plain);
            }
        }
    }
}
