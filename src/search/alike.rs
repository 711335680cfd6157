//! Which reports may be alike: hashes of phone and e-mail, and a few bytes of the account, 32 bytes a report in memory.
//! Must never hold a text, nor be asked for more than a mark: two different numbers may have one hash.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::actions::sealing::Told;
use crate::domain::siege::alike::{PRINT, are_near, print};

/// What is kept of a report. Of `seen` the highest bit says whether another is like it, the others up to which arrival number
/// that was looked for.
#[derive(Clone)]
pub(super) struct Kin {
    seq: u32,
    phone: u32,
    mail: u32,
    seen: u32,
    account: [u8; PRINT],
}

const RELATED: u32 = 1 << 31;

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

/// What is kept of every report of the index, in order of arrival.
#[derive(Default)]
pub(super) struct Alike {
    blocks: VecDeque<Vec<Kin>>,
}

/// Makes what is kept of reports: hashes differ from start to start, so that nobody can prepare two that collide.
#[derive(Default)]
pub(super) struct Maker(RandomState);

impl Maker {
    pub(super) fn of(&self, seq: i64, told: &Told<'_>) -> Option<Kin> {
        Some(Kin {
            seq: u32::try_from(seq).ok().filter(|seq| *seq < RELATED)?,
            phone: self.hash(&told.telefono),
            mail: self.hash(&told.email.to_lowercase()),
            seen: 0,
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

impl Alike {
    /// Adds older reports, newest first.
    pub(super) fn prepend(&mut self, kin: &[Kin]) {
        self.blocks.push_front(kin.iter().rev().cloned().collect());
    }

    /// Adds newer reports, oldest first.
    pub(super) fn append(&mut self, kin: &[Kin], block: usize) {
        for one in kin {
            if self.blocks.back().is_none_or(|last| last.len() >= block) {
                self.blocks.push_back(Vec::new());
            }
            if let Some(last) = self.blocks.back_mut() {
                last.push(one.clone());
            }
        }
    }

    /// Drops reports, and looks anew for what is like those that have had something like them.
    pub(super) fn remove(&mut self, erased: &[i64]) {
        for block in &mut self.blocks {
            block.retain(|one| !erased.contains(&one.seq()));
            for one in block.iter_mut().filter(|one| one.seen & RELATED != 0) {
                one.seen = 0;
            }
        }
    }

    fn find(&mut self, seq: i64) -> Option<&mut Kin> {
        let ends_before = |block: &Vec<Kin>| block.last().is_none_or(|last| last.seq() < seq);
        let block = self.blocks.partition_point(ends_before);
        let block = self.blocks.get_mut(block)?;
        let at = block.binary_search_by_key(&seq, Kin::seq).ok()?;
        block.get_mut(at)
    }

    fn newest(&self) -> u32 {
        let last = self.blocks.iter().rev().find_map(|block| block.last());
        last.map_or(0, |last| last.seq)
    }

    /// Arrival numbers of reports that may be like this one, newest first.
    pub(super) fn like(&mut self, seq: i64, most: usize) -> Vec<i64> {
        let Some(one) = self.find(seq).cloned() else {
            return Vec::new();
        };
        let others = self
            .blocks
            .iter()
            .rev()
            .flat_map(|block| block.iter().rev());
        let alike = others.filter(|other| other.seq != one.seq && one.is_like(other));
        alike.take(most).map(Kin::seq).collect()
    }

    /// For each of these whether another is like it. What was found once is kept: only later ones are looked at again.
    pub(super) fn marks(&mut self, seqs: &[i64]) -> Vec<bool> {
        let newest = self.newest();
        let mut wanted: Vec<Kin> = seqs
            .iter()
            .filter_map(|seq| self.find(*seq).cloned())
            .collect();
        wanted.retain(|one| one.seen & RELATED == 0 && one.seen < newest);
        let from = wanted.iter().map(|one| one.seen).min().unwrap_or(newest);
        let later = |block: &&Vec<Kin>| block.last().is_some_and(|last| last.seq > from);
        for other in self.blocks.iter().filter(later).flatten() {
            for one in &mut wanted {
                // Highest once another was found: there is no need to look further.
                if other.seq > one.seen && other.seq != one.seq && one.is_like(other) {
                    one.seen |= RELATED;
                }
            }
        }
        for one in wanted {
            if let Some(kept) = self.find(one.seq()) {
                kept.seen = newest | (one.seen & RELATED);
            }
        }
        let related = |seq: &i64| self.find(*seq).is_some_and(|one| one.seen & RELATED != 0);
        seqs.iter().map(related).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(phone: &str, account: &str) -> Told<'static> {
        Told {
            telefono: phone.to_owned().into(),
            segnalazione: account.to_owned().into(),
            ..Told::default()
        }
    }

    #[test]
    fn a_report_is_thirty_two_bytes() {
        assert_eq!(size_of::<Kin>(), 32);
    }

    #[test]
    fn marks_are_those_of_a_look_at_all_and_follow_what_comes_and_goes() {
        let maker = Maker::default();
        let kin = |seq: i64| maker.of(seq, &told(&format!("{}", seq % 700), "")).unwrap();
        let older: Vec<Kin> = (1..=500).rev().map(kin).collect();
        let mut alike = Alike::default();
        alike.prepend(&older[..200]);
        alike.prepend(&older[200..]);
        let all: Vec<i64> = (1..=900).collect();
        assert!(!alike.marks(&all).contains(&true));
        let newer: Vec<Kin> = (501..=900).map(kin).collect();
        alike.append(&newer, 150);
        // 1 to 200 have the number of 701 to 900.
        let expected: Vec<bool> = all.iter().map(|seq| *seq <= 200 || *seq > 700).collect();
        assert_eq!(alike.marks(&all), expected);
        assert_eq!(alike.like(30, 9), [730]);
        alike.remove(&[730]);
        assert_eq!(alike.marks(&[30, 31, 730]), [false, true, false]);
    }
}
