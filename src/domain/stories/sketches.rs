//! The knowledge about all accounts: a sketch of each, the frequency of anchors, and the groups. Accounts are taken in
//! in order of arrival; only the texts of those that share an anchor are asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::account::{AnchorKind, ReadAccount};
use super::{Weights, is_evident, score, stays, whole};
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
/// A name of a place, a street or an office weighs less by this.
const CIVIC: f64 = 2.3;
/// Where more accounts than so many share an anchor with one, the score that joins grows with the logarithm of their number:
/// what few share among few says more than what few share among many, where names have many matters.
const FEW: f64 = 6.0;
const STRICTER: f64 = 4.0;
/// From so many accounts on, it grows with the logarithm of their number.
const MANY: f64 = 1_000.0;

/// What an anchor weighs by the number of accounts that have it; those that more have weigh nothing.
static BY_COUNT: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let weights = (0..).map(|count: u32| COMMON - ln(f64::from(count) + 0.5));
    weights.take_while(|weight| *weight > 0.0).collect()
});

pub(super) fn by_count(count: usize) -> f64 {
    BY_COUNT.get(count).copied().unwrap_or(0.0)
}

/// Accounts that were read, by their groups, with their arrival numbers.
type Members<'r> = BTreeMap<u32, Vec<(i64, &'r ReadAccount)>>;
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
            anchor.count = self.counts[place(self.hash(anchor.key))].max(1);
            let less = if anchor.civic { CIVIC } else { 0.0 };
            let weight = by_count(anchor.count.into()) - less;
            anchor.weight = anchor.tells * weight.max(0.0);
        }
        account
    }

    /// Arrival numbers of those that share an anchor, by the weight of what they share.
    pub fn candidates(&self, account: &ReadAccount) -> Vec<i64> {
        let heavy = account.anchors.iter();
        let heavy = heavy.filter(|one| one.kind != AnchorKind::Phrase && one.weight > 0.0);
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

    /// Those with one of these keys among the anchors that are kept of them: arrival number and key.
    pub fn holders(&self, keys: &[u64]) -> Vec<(i64, u64)> {
        let mut wanted: Vec<_> = keys.iter().map(|key| (self.hash(*key), *key)).collect();
        wanted.sort_unstable();
        let key_of = |hash: u32| {
            let found = wanted.binary_search_by_key(&hash, |(hash, _)| *hash);
            Some(wanted[found.ok()?].1)
        };
        let held = self.sketches.iter().flat_map(|(seq, [anchors @ .., _])| {
            let keys = anchors.iter().filter_map(|hash| key_of(number(*hash)));
            keys.map(move |key| (i64::from(*seq), key))
        });
        held.collect()
    }

    /// Whether two of these share one of the anchors that are kept of them, if it weighs anything now.
    pub fn share_something(&self, seqs: &[i64]) -> bool {
        let found = seqs.iter().filter_map(|seq| self.find(*seq).ok());
        let hashes = found.flat_map(|at| {
            let (_, [anchors @ .., _]) = &self.sketches[at];
            anchors.iter().map(|hash| number(*hash))
        });
        let tells = |hash: &u32| *hash > 0 && by_count(self.counts[place(*hash)].into()) > 0.0;
        let mut hashes: Vec<_> = hashes.filter(tells).collect();
        hashes.sort_unstable();
        hashes.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Arrival numbers of so many before one, and so many behind it.
    pub fn around(&self, seq: i64, most: usize) -> Vec<i64> {
        let (Ok(at) | Err(at)) = self.find(seq);
        let ends = at.saturating_sub(most)..self.sketches.len().min(at + most + 1);
        let around = self.sketches[ends].iter().map(|(one, _)| (*one).into());
        around.filter(|one| *one != seq).collect()
    }

    /// Takes an account in, given its candidates as they are read, and how many there are beyond these; answers those whose group
    /// changed, itself first.
    pub fn arrive(
        &mut self,
        weights: &Weights,
        seq: i64,
        account: &ReadAccount,
        candidates: &[(i64, ReadAccount)],
        crowd: usize,
    ) -> Vec<i64> {
        let Ok(own) = u32::try_from(seq) else {
            return Vec::new();
        };
        let mut changed = vec![seq];
        changed.extend(self.look_again(weights, candidates));
        let joined = self.joined(weights, account, &self.by_group(candidates), crowd);
        let into = joined.iter().copied().min().unwrap_or(own);
        let first = self.first_of(into);
        for (other, [.., group]) in &mut self.sketches[first..] {
            if number(*group) != into && joined.contains(&number(*group)) {
                *group = three(into);
                changed.push((*other).into());
            }
        }
        let mut heavy: Vec<_> = account.anchors.iter().collect();
        let is_word = |kind| !matches!(kind, AnchorKind::Joined | AnchorKind::Phrase);
        heavy.retain(|one| is_word(one.kind) && one.weight > 0.0);
        heavy.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let mut sketch = [[0; HASH]; ANCHORS + 1];
        for (place, anchor) in sketch[..ANCHORS].iter_mut().zip(heavy) {
            *place = three(self.hash(anchor.key));
        }
        sketch[ANCHORS] = three(into);
        self.insert(own, sketch);
        changed
    }

    fn by_group<'r>(&self, read: &'r [(i64, ReadAccount)]) -> Members<'r> {
        let mut groups = Members::new();
        for (seq, account) in read {
            if let Some(group) = self.group(*seq) {
                groups.entry(group).or_default().push((*seq, account));
            }
        }
        groups
    }

    /// Accounts that tell too little of what the others tell go out of a group, if all of it was read: names become common.
    /// Answers those whose group changed.
    fn look_again(&mut self, weights: &Weights, read: &[(i64, ReadAccount)]) -> Vec<i64> {
        let mut groups = self.by_group(read);
        groups.retain(|_, members| members.len() > 1);
        let sizes = self.sizes(&groups);
        groups.retain(|group, members| sizes.get(group) == Some(&members.len()));
        let mut changed = Vec::new();
        for members in groups.values() {
            let fits = |(seq, account): &(i64, &ReadAccount)| {
                let others = members.iter().filter(|(other, _)| other != seq);
                let others: Vec<_> = others.map(|(_, other)| *other).collect();
                stays(weights, account, &others)
            };
            let (stay, mut out): (Vec<_>, Vec<_>) = members.iter().copied().partition(fits);
            if out.is_empty() {
                continue;
            }
            let first = stay.iter().map(|(seq, _)| *seq).min().unwrap_or_default();
            let of_out = out.iter().map(|(seq, _)| (*seq, *seq));
            self.put(
                &of_out
                    .chain(stay.iter().map(|(seq, _)| (*seq, first)))
                    .collect::<Vec<_>>(),
            );
            out.extend(stay);
            changed.extend(out.iter().map(|(seq, _)| *seq));
        }
        changed
    }

    /// Puts accounts into the groups that begin with an account.
    fn put(&mut self, accounts: &[(i64, i64)]) {
        for (seq, first) in accounts {
            if let (Ok(at), Ok(first)) = (self.find(*seq), u32::try_from(*first)) {
                self.sketches[at].1[ANCHORS] = three(first);
            }
        }
    }

    /// The groups that an account joins: the best, and those that fit to that as well.
    fn joined(
        &self,
        weights: &Weights,
        account: &ReadAccount,
        groups: &Members<'_>,
        crowd: usize,
    ) -> Vec<u32> {
        let all = ln(whole(self.sketches.len()).max(MANY) / MANY);
        let threshold = weights.threshold + all + STRICTER * ln(whole(crowd).max(FEW) / FEW);
        let sizes = self.sizes(groups);
        let mut found: Vec<_> = groups
            .iter()
            .map(|(group, members)| {
                let members: Vec<_> = members.iter().map(|(_, one)| *one).collect();
                (score(weights, account, &members, crowd), *group, members)
            })
            .collect();
        found.retain(|(score, group, members)| {
            *score >= threshold && is_evident(account, members, sizes[group])
        });
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        let (mut joined, mut together, mut size) = (Vec::new(), Vec::new(), 0);
        let mut best: Option<&[&ReadAccount]> = None;
        for (_, group, members) in &found {
            let (both, large) = ([&*together, &**members].concat(), size + sizes[group]);
            let fits = best.is_none_or(|best| {
                let mutual = members
                    .iter()
                    .map(|one| score(weights, one, best, crowd) - threshold);
                mutual.sum::<f64>() >= 0.0 && is_evident(account, &both, large)
            });
            if fits && large < LARGEST {
                joined.push(*group);
                best = best.or(Some(members));
                (together, size) = (both, large);
            }
        }
        joined
    }

    /// How many accounts these groups have.
    fn sizes(&self, groups: &Members<'_>) -> BTreeMap<u32, usize> {
        let mut sizes: BTreeMap<u32, usize> = groups.keys().map(|group| (*group, 0)).collect();
        let first = groups
            .keys()
            .next()
            .map_or(0, |group| self.first_of(*group));
        for (_, [.., group]) in &self.sketches[first..] {
            if let Some(size) = sizes.get_mut(&number(*group)) {
                *size += 1;
            }
        }
        sizes
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
