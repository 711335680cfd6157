//! Which reports may be alike: hashes of phone and e-mail, and a few bytes of the account, 28 bytes a report in memory.
//! Must never hold a text, nor be asked for more than a mark: two different numbers may have one hash.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::index::Index;
use crate::actions::sealing::Told;
use crate::domain::siege::alike::{PRINT, are_near, print};

/// What is kept of a report.
#[derive(Clone)]
pub(super) struct Kin {
    seq: u32,
    phone: u32,
    mail: u32,
    account: [u8; PRINT],
}

impl Kin {
    fn is_like(&self, other: &Self) -> bool {
        (self.phone != 0 && self.phone == other.phone)
            || (self.mail != 0 && self.mail == other.mail)
            || are_near(&self.account, &other.account)
    }

    pub(super) fn seq(&self) -> i64 {
        self.seq.into()
    }
}

/// Makes what is kept of reports: hashes differ from start to start, so that nobody can prepare two that collide.
#[derive(Default)]
pub(super) struct Maker(RandomState);

impl Maker {
    pub(super) fn of(&self, seq: i64, told: &Told<'_>) -> Option<Kin> {
        Some(Kin {
            seq: u32::try_from(seq).ok()?,
            phone: self.hash(&told.telefono),
            mail: self.hash(&told.email.to_lowercase()),
            account: print(&told.segnalazione),
        })
    }

    fn hash(&self, text: &str) -> u32 {
        match u32::try_from(self.0.hash_one(text) >> 32) {
            Ok(hash) if !text.is_empty() => hash.max(1),
            _ => 0,
        }
    }
}

/// Arrival numbers of reports that may be like this one, newest first.
pub(super) fn like(index: &Index, seq: i64, most: usize) -> Vec<i64> {
    let Some(one) = index.find(seq) else {
        return Vec::new();
    };
    let others = index.about_since(0).rev();
    let alike = others.filter(|other| other.seq != one.seq && one.is_like(other));
    alike.take(most).map(Kin::seq).collect()
}

/// For each of these the first that it belongs to: alike itself, or by others between them.
pub(super) fn groups(kin: &[Option<Kin>]) -> Vec<usize> {
    let mut firsts: Vec<usize> = (0..kin.len()).collect();
    let (mut phones, mut mails) = (HashMap::new(), HashMap::new());
    let known: Vec<(usize, &Kin)> = kin
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, one.as_ref()?)))
        .collect();
    for (place, (at, one)) in known.iter().enumerate() {
        for (seen, hash) in [(&mut phones, one.phone), (&mut mails, one.mail)] {
            if hash != 0 {
                join(&mut firsts, *seen.entry(hash).or_insert(*at), *at);
            }
        }
        for (other, earlier) in &known[..place] {
            if are_near(&one.account, &earlier.account) {
                join(&mut firsts, *other, *at);
            }
        }
    }
    (0..kin.len()).map(|at| first_of(&mut firsts, at)).collect()
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

/// Reports that are remembered, at most: forty pages of the list.
const REMEMBERED: usize = 2_000;

/// Of reports that were shown, whether another is like them, and up to which arrival number that was looked for.
#[derive(Default)]
pub(super) struct Marks(HashMap<i64, (bool, i64)>);

impl Marks {
    /// For each of these whether another is like it. What was found once is kept: only later ones are looked at again.
    pub(super) fn of(&mut self, index: &Index, seqs: &[i64]) -> Vec<bool> {
        if self.0.len() > REMEMBERED {
            self.0.clear();
        }
        let mut wanted = Vec::new();
        for seq in seqs {
            let (related, seen) = self.0.get(seq).copied().unwrap_or_default();
            if !related && seen < index.newest() {
                wanted.extend(index.find(*seq).map(|one| (one, seen, false)));
            }
        }
        let from = wanted.iter().map(|(_, seen, _)| *seen).min();
        let from = from.unwrap_or(i64::MAX);
        for other in index.about_since(from) {
            for (one, seen, related) in wanted.iter_mut().filter(|(.., related)| !related) {
                *related = other.seq() > *seen && other.seq != one.seq && one.is_like(other);
            }
        }
        for (one, _, related) in wanted {
            self.0.insert(one.seq(), (related, index.newest()));
        }
        let related = |seq: &i64| self.0.get(seq).is_some_and(|(related, _)| *related);
        seqs.iter().map(related).collect()
    }

    /// After an erasure: what one was like may be gone.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::search::index::Segment;

    impl Kin {
        /// Of a report that nothing is known of.
        pub(in crate::search) fn numbered(seq: i64) -> Self {
            Maker::default().of(seq, &Told::default()).unwrap()
        }
    }

    #[test]
    fn a_report_is_twenty_eight_bytes() {
        assert_eq!(size_of::<Kin>(), 28);
    }

    #[test]
    fn marks_are_those_of_a_look_at_all_and_follow_what_comes_and_goes() {
        let maker = Maker::default();
        let some = |seqs: &mut dyn Iterator<Item = i64>| {
            let mut some = Segment::default();
            for seq in seqs {
                let told = Told {
                    telefono: format!("{}", seq % 700).into(),
                    ..Told::default()
                };
                some.push(maker.of(seq, &told).unwrap(), b"");
            }
            some
        };
        let (mut index, mut marks) = (Index::new(500), Marks::default());
        let none = HashSet::new();
        index.prepend(&some(&mut (301..=500).rev()), &none);
        index.prepend(&some(&mut (1..=300).rev()), &none);
        let all: Vec<i64> = (1..=900).collect();
        assert!(!marks.of(&index, &all).contains(&true));
        index.append(&some(&mut (501..=900)), 900, &none);
        // 1 to 200 have the number of 701 to 900.
        let expected: Vec<bool> = all.iter().map(|seq| *seq <= 200 || *seq > 700).collect();
        assert_eq!(marks.of(&index, &all), expected);
        assert_eq!(like(&index, 30, 9), [730]);
        let kin = [900, 899, 200, 999, 199].map(|seq| index.find(seq).cloned());
        assert_eq!(groups(&kin), [0, 1, 0, 3, 1]);
        index.remove(&[730]);
        marks.forget();
        assert_eq!(marks.of(&index, &[30, 31, 730]), [false, true, false]);
    }
}
