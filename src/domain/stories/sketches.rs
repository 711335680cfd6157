//! The knowledge about all accounts: a sketch of each, the frequency of anchors, and the groups. Accounts are taken in
//! in order of arrival; only the texts of those that share an anchor are asked for.

use std::collections::{BTreeMap, BTreeSet};

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::account::{AnchorKind, ReadAccount};
use super::{Weights, score, whole};
use crate::domain::classify::math::ln;

/// Anchors of an account that are kept, the heaviest, and bytes of each.
const ANCHORS: usize = 7;
const HASH: usize = 3;
/// Accounts whose texts are compared with one, at most.
pub const CANDIDATES: usize = 50;
/// Accounts of a group, at most.
const LARGEST: usize = 80;
const COUNTS: usize = 1 << 18;
/// An anchor that `e` to this power accounts have weighs nothing.
const COMMON: f64 = 5.3;
/// From so many accounts on, the score that joins grows with the logarithm of their number: what few share among few says more
/// than what few share among many, where places have many matters.
const FEW: f64 = 1_000.0;
const STRICTER: f64 = 2.0;

type Hash = [u8; HASH];
/// Hashes of the anchors, zero for none, and the number of the first account of its group.
type Sketch = [Hash; ANCHORS + 1];

fn number([one, two, three]: Hash) -> u32 {
    u32::from_le_bytes([one, two, three, 0])
}

/// Arrival numbers beyond 24 bits have no group.
fn three(number: u32) -> Hash {
    let [one, two, three, _] = number.to_le_bytes();
    [one, two, three]
}

fn place(hash: u32) -> usize {
    hash as usize % COUNTS
}

#[derive(ZeroizeOnDrop)]
pub struct SketchIndex {
    salt: [u64; 2],
    /// In order of arrival, by its number.
    sketches: Vec<(u32, Sketch)>,
    /// How many accounts have an anchor, by its hash; a few anchors share one.
    counts: Vec<u16>,
}

impl SketchIndex {
    /// Nothing is known yet. Without the salt, no hash tells which word it is of.
    pub fn new(salt: [u64; 2]) -> Self {
        Self {
            salt,
            sketches: Vec::new(),
            counts: vec![0; COUNTS],
        }
    }

    fn hash(&self, key: u64) -> u32 {
        let [one, two] = self.salt;
        let mixed = (key ^ one).wrapping_mul(two | 1);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(one | 1);
        u32::try_from(mixed >> 40).unwrap_or(0).max(1)
    }

    /// An account with what its anchors weigh now.
    pub fn weigh(&self, mut account: ReadAccount) -> ReadAccount {
        for anchor in &mut account.anchors {
            let count = f64::from(self.counts[place(self.hash(anchor.key))].max(1));
            anchor.weight *= (COMMON - ln(count + 0.5)).max(0.0);
        }
        account
    }

    /// Arrival numbers of those that share an anchor, by the weight of what they share.
    pub fn candidates(&self, account: &ReadAccount) -> Vec<i64> {
        let heavy = account.anchors.iter().filter(|one| one.weight > 0.0);
        let mut wanted: Vec<_> = heavy.map(|one| (self.hash(one.key), one.weight)).collect();
        wanted.sort_by_key(|(hash, _)| *hash);
        // Most anchors of the archive are none of these: their first bits tell that at once.
        let mut sieve = vec![false; 1 << 16];
        for (hash, _) in &wanted {
            sieve[(hash >> 8) as usize] = true;
        }
        let weight = |anchor: &Hash| {
            let hash = number(*anchor);
            let found = sieve[(hash >> 8) as usize]
                .then(|| wanted.binary_search_by_key(&hash, |(hash, _)| *hash));
            found.and_then(Result::ok).map_or(0.0, |at| wanted[at].1)
        };
        let shared = self.sketches.iter().map(|(seq, [anchors @ .., _])| {
            (anchors.iter().map(weight).sum::<f64>(), i64::from(*seq))
        });
        let mut found: Vec<_> = shared.filter(|(weight, _)| *weight > 0.0).collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        found.into_iter().map(|(_, seq)| seq).collect()
    }

    /// Arrival numbers of so many before one, and so many behind it.
    pub fn around(&self, seq: i64, most: usize) -> Vec<i64> {
        let (Ok(at) | Err(at)) = self.find(seq);
        let ends = at.saturating_sub(most)..self.sketches.len().min(at + most + 1);
        let around = self.sketches[ends].iter().map(|(one, _)| (*one).into());
        around.filter(|one| *one != seq).collect()
    }

    /// Takes an account in, given its candidates as they are read; answers those whose group changed, itself first.
    pub fn arrive(
        &mut self,
        weights: &Weights,
        seq: i64,
        account: &ReadAccount,
        candidates: &[(i64, ReadAccount)],
    ) -> Vec<i64> {
        let Ok(own) = u32::try_from(seq) else {
            return Vec::new();
        };
        let mut groups: BTreeMap<u32, Vec<&ReadAccount>> = BTreeMap::new();
        for (other, candidate) in candidates.iter().filter(|(other, _)| *other != seq) {
            if let Some(group) = self.group(*other) {
                groups.entry(group).or_default().push(candidate);
            }
        }
        let joined = self.joined(weights, account, &groups);
        let into = joined.iter().copied().min().unwrap_or(own);
        let (first, mut changed) = (self.first_of(into), vec![seq]);
        for (other, [.., group]) in &mut self.sketches[first..] {
            if number(*group) != into && joined.contains(&number(*group)) {
                *group = three(into);
                changed.push((*other).into());
            }
        }
        let mut heavy: Vec<_> = account.anchors.iter().collect();
        heavy.retain(|one| one.kind != AnchorKind::Joined && one.weight > 0.0);
        heavy.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let mut sketch = [[0; HASH]; ANCHORS + 1];
        for (place, anchor) in sketch[..ANCHORS].iter_mut().zip(heavy) {
            *place = three(self.hash(anchor.key));
        }
        sketch[ANCHORS] = three(into);
        self.insert(own, sketch);
        changed
    }

    /// The groups that an account joins: the best, and those that fit to that as well.
    fn joined(
        &self,
        weights: &Weights,
        account: &ReadAccount,
        groups: &BTreeMap<u32, Vec<&ReadAccount>>,
    ) -> Vec<u32> {
        let threshold =
            weights.threshold + STRICTER * ln(whole(self.sketches.len()).max(FEW) / FEW);
        let scores = groups
            .iter()
            .map(|(group, members)| (score(weights, account, members), *group));
        let mut scores: Vec<_> = scores.filter(|(score, _)| *score >= threshold).collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0));
        let (mut joined, mut room): (Vec<u32>, _) = (Vec::new(), LARGEST - 1);
        for (_, group) in scores {
            let all = self.sketches[self.first_of(group)..].iter();
            let size = all.filter(|(_, [.., of])| number(*of) == group).count();
            let fits = joined.first().is_none_or(|best| {
                let scores = groups[&group]
                    .iter()
                    .map(|one| score(weights, one, &groups[best]) - threshold);
                scores.sum::<f64>() >= 0.0
            });
            if fits && size <= room {
                room -= size;
                joined.push(group);
            }
        }
        joined
    }

    fn insert(&mut self, seq: u32, sketch: Sketch) {
        if let Err(at) = self.find(seq.into()) {
            if self.sketches.len() == self.sketches.capacity() {
                // Doubling would hold twice of what is needed.
                let more = 1_024.max(self.sketches.len() / 16);
                let mut grown = Vec::with_capacity(self.sketches.len() + more);
                grown.extend_from_slice(&self.sketches);
                std::mem::replace(&mut self.sketches, grown).zeroize();
            }
            self.count(&sketch, u16::saturating_add);
            self.sketches.insert(at, (seq, sketch));
        }
    }

    fn count(&mut self, [anchors @ .., _]: &Sketch, by: impl Fn(u16, u16) -> u16) {
        for hash in anchors.map(number).into_iter().filter(|hash| *hash > 0) {
            let count = &mut self.counts[place(hash)];
            *count = by(*count, 1);
        }
    }

    /// An account that was erased takes its counts along.
    pub fn forget(&mut self, seq: i64) {
        if let Ok(at) = self.find(seq) {
            let (_, sketch) = self.sketches.remove(at);
            self.count(&sketch, u16::saturating_sub);
        }
    }

    /// A sketch as it is kept, and taken up again.
    pub fn kept(&self, seq: i64) -> Option<&[u8]> {
        Some(self.sketches[self.find(seq).ok()?].1.as_flattened())
    }

    /// False for other bytes.
    pub fn take_up(&mut self, seq: i64, kept: &[u8]) -> bool {
        let (parts, rest) = kept.as_chunks::<HASH>();
        let (Ok(seq), Ok(sketch), []) = (u32::try_from(seq), parts.try_into(), rest) else {
            return false;
        };
        self.insert(seq, sketch);
        true
    }

    fn find(&self, seq: i64) -> Result<usize, usize> {
        let sketches = &self.sketches;
        sketches.binary_search_by_key(&seq, |(seq, _)| (*seq).into())
    }

    /// The number of its group.
    pub fn group(&self, seq: i64) -> Option<u32> {
        Some(number(self.sketches[self.find(seq).ok()?].1[ANCHORS]))
    }

    /// From where on the accounts of a group stand: it has the number of its first.
    fn first_of(&self, group: u32) -> usize {
        let (Ok(at) | Err(at)) = self.find(group.into());
        at
    }

    /// The groups of two and more that these stand in, each in order of arrival; all groups where none are named.
    pub fn groups(&self, of: Option<&[i64]>) -> Vec<Vec<i64>> {
        let group_of = |seq: &i64| self.group(*seq);
        let wanted = of.map(|of| of.iter().filter_map(group_of).collect::<BTreeSet<_>>());
        let first = wanted.iter().flatten().next();
        let from = first.map_or(0, |group| self.first_of(*group));
        let mut groups: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        for (seq, [.., group]) in &self.sketches[from..] {
            let group = number(*group);
            if wanted.as_ref().is_none_or(|all| all.contains(&group)) {
                groups.entry(group).or_default().push((*seq).into());
            }
        }
        groups.retain(|_, group| group.len() > 1);
        groups.into_values().collect()
    }
}
