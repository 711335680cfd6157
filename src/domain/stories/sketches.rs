//! What is known of all accounts: a sketch each, how many have an anchor, and the groups. Accounts are taken in in order of
//! arrival; only the texts of those that share an anchor are asked for.

use std::collections::BTreeMap;

use zeroize::Zeroize;

use super::account::{AnchorKind, ReadAccount};
use super::{WeighedAccount, WeighedKey, Weights, score, whole};
use crate::domain::classify::math::ln;

/// Anchors of a sketch, and bytes of each.
const ANCHORS: usize = 7;
const HASH: usize = 3;
/// A sketch at rest: the anchors, and the number of the first of its group.
pub const SKETCH: usize = (ANCHORS + 1) * HASH;
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
/// What a name written apart is taken for: the rarest word.
const JOINED: f64 = 15.5;

type Hash = [u8; HASH];

#[derive(Clone, Copy, Zeroize)]
struct AnchorSketch {
    seq: u32,
    anchors: [Hash; ANCHORS],
    group: Hash,
}

fn number([one, two, three]: Hash) -> u32 {
    u32::from_le_bytes([one, two, three, 0])
}

/// Of arrival numbers beyond 24 bits there is no group.
fn three(number: u32) -> Hash {
    let [one, two, three, _] = number.to_le_bytes();
    [one, two, three]
}

fn place(hash: Hash) -> usize {
    number(hash) as usize % COUNTS
}

/// Wiped when dropped.
pub struct SketchIndex {
    salt: [u64; 2],
    /// In order of arrival.
    sketches: Vec<AnchorSketch>,
    /// How many accounts have an anchor, by its hash; a few anchors share one.
    counts: Vec<u16>,
}

impl Drop for SketchIndex {
    fn drop(&mut self) {
        self.salt.zeroize();
        self.sketches.zeroize();
        self.counts.zeroize();
    }
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

    /// Zero is no anchor.
    fn hash(&self, key: u64) -> Hash {
        let [one, two] = self.salt;
        let mixed = (key ^ one).wrapping_mul(two | 1);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(one | 1);
        three(u32::try_from(mixed >> 40).unwrap_or(0).max(1))
    }

    fn weight(&self, key: u64, kind: AnchorKind, rarity: f64) -> f64 {
        let count = f64::from(self.counts[place(self.hash(key))].max(1));
        let heft = match kind {
            AnchorKind::Name => 0.3 + 0.7 * ((rarity - 9.0) / 6.0).clamp(0.0, 1.0),
            AnchorKind::Rare => 0.6 * ((rarity - 11.0) / 4.5).clamp(0.0, 1.0),
            AnchorKind::Number => 0.5,
        };
        heft * (COMMON - ln(count + 0.5)).max(0.0)
    }

    /// An account with what its keys weigh now.
    pub fn weigh(&self, account: ReadAccount) -> WeighedAccount {
        let single = account.anchors.iter().map(|anchor| WeighedKey {
            key: anchor.key,
            kind: anchor.kind,
            weight: self.weight(anchor.key, anchor.kind, anchor.rarity),
            joined: false,
            at: anchor.at.clone(),
        });
        let joined = account.joined.iter().map(|(key, at)| WeighedKey {
            key: *key,
            kind: AnchorKind::Name,
            weight: self.weight(*key, AnchorKind::Name, JOINED),
            joined: true,
            at: at.clone(),
        });
        let mut keys: Vec<_> = single.chain(joined).collect();
        keys.sort_by_key(|known| (known.key, known.joined));
        keys.dedup_by_key(|known| known.key);
        WeighedAccount { account, keys }
    }

    /// Arrival numbers of those that share an anchor, by the weight of what they share.
    pub fn candidates(&self, account: &WeighedAccount) -> Vec<i64> {
        let heavy = account.keys.iter().filter(|known| known.weight > 0.0);
        let heavy = heavy.map(|known| (number(self.hash(known.key)), known.weight));
        let mut wanted: Vec<_> = heavy.collect();
        wanted.sort_by_key(|(hash, _)| *hash);
        // Most anchors of the archive are none of these: a bit each tells that at once.
        let mut sieve = [0_u64; 1 << 8];
        let bit = |hash: u32| ((hash >> 6) as usize % (1 << 8), 1 << (hash % 64));
        for (hash, _) in &wanted {
            let (at, bit) = bit(*hash);
            sieve[at] |= bit;
        }
        let weight = |anchor: &Hash| {
            let hash = number(*anchor);
            let (at, bit) = bit(hash);
            let found = (sieve[at] & bit != 0)
                .then(|| wanted.binary_search_by_key(&hash, |(hash, _)| *hash));
            found.and_then(Result::ok).map_or(0.0, |at| wanted[at].1)
        };
        let shared = self.sketches.iter().map(|sketch| {
            let weight: f64 = sketch.anchors.iter().map(weight).sum();
            (weight, i64::from(sketch.seq))
        });
        let mut found: Vec<_> = shared.filter(|(weight, _)| *weight > 0.0).collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        found.into_iter().map(|(_, seq)| seq).collect()
    }

    /// Arrival numbers of so many before one, and so many behind it.
    pub fn around(&self, seq: i64, most: usize) -> Vec<i64> {
        let (Ok(at) | Err(at)) = self.find(seq);
        let ends = at.saturating_sub(most)..self.sketches.len().min(at + most + 1);
        let around = self.sketches[ends].iter().map(|one| one.seq.into());
        around.filter(|one| *one != seq).collect()
    }

    /// Takes an account in, given its candidates as they are read; answers those whose group changed, itself first.
    pub fn arrive(
        &mut self,
        weights: &Weights,
        seq: i64,
        account: &WeighedAccount,
        opened: &[(i64, WeighedAccount)],
    ) -> Vec<i64> {
        let Ok(own) = u32::try_from(seq) else {
            return Vec::new();
        };
        let mut groups: BTreeMap<u32, Vec<&WeighedAccount>> = BTreeMap::new();
        for (other, candidate) in opened.iter().filter(|(other, _)| *other != seq) {
            if let Some(group) = self.group(*other) {
                groups.entry(group).or_default().push(candidate);
            }
        }
        let joined = self.joined(weights, account, &groups);
        let mut changed = vec![seq];
        let into = joined.iter().copied().min().unwrap_or(own);
        let first = self.first_of(into);
        for sketch in &mut self.sketches[first..] {
            let group = number(sketch.group);
            if group != into && joined.contains(&group) {
                sketch.group = three(into);
                changed.push(sketch.seq.into());
            }
        }
        self.insert(AnchorSketch {
            seq: own,
            anchors: self.anchors(account),
            group: three(into),
        });
        changed
    }

    /// The groups that an account joins: the best, and those that fit to that as well.
    fn joined(
        &self,
        weights: &Weights,
        account: &WeighedAccount,
        groups: &BTreeMap<u32, Vec<&WeighedAccount>>,
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
            let size = self.of_group(group).count();
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

    fn anchors(&self, account: &WeighedAccount) -> [Hash; ANCHORS] {
        let own = account.keys.iter().filter(|known| !known.joined);
        let mut own: Vec<_> = own.filter(|known| known.weight > 0.0).collect();
        own.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let mut anchors = [[0; HASH]; ANCHORS];
        for (anchor, known) in anchors.iter_mut().zip(own) {
            *anchor = self.hash(known.key);
        }
        anchors
    }

    fn insert(&mut self, sketch: AnchorSketch) {
        if let Err(at) = self.find(sketch.seq.into()) {
            // Doubling would hold twice of what is needed.
            let more = 1_024.max(self.sketches.len() / 16);
            if self.sketches.len() == self.sketches.capacity() {
                let mut grown = Vec::with_capacity(self.sketches.len() + more);
                grown.extend_from_slice(&self.sketches);
                std::mem::replace(&mut self.sketches, grown).zeroize();
            }
            self.count(&sketch, u16::saturating_add);
            self.sketches.insert(at, sketch);
        }
    }

    fn count(&mut self, sketch: &AnchorSketch, by: impl Fn(u16, u16) -> u16) {
        for hash in sketch.anchors.iter().filter(|hash| number(**hash) > 0) {
            let count = &mut self.counts[place(*hash)];
            *count = by(*count, 1);
        }
    }

    /// An account that was erased takes its counts along.
    pub fn forget(&mut self, seq: i64) {
        if let Ok(at) = self.find(seq) {
            let sketch = self.sketches.remove(at);
            self.count(&sketch, u16::saturating_sub);
        }
    }

    /// A sketch as it is kept, and taken up again.
    pub fn kept(&self, seq: i64) -> Option<[u8; SKETCH]> {
        let sketch = &self.sketches[self.find(seq).ok()?];
        let mut kept = [0; SKETCH];
        let parts = sketch.anchors.iter().chain([&sketch.group]);
        for (place, part) in kept.chunks_mut(HASH).zip(parts) {
            place.copy_from_slice(part);
        }
        Some(kept)
    }

    /// False for other bytes.
    pub fn take_up(&mut self, seq: i64, kept: &[u8]) -> bool {
        let (Ok(seq), Ok(kept)) = (u32::try_from(seq), <&[u8; SKETCH]>::try_from(kept)) else {
            return false;
        };
        let (parts, _) = kept.as_chunks::<HASH>();
        let (mut anchors, mut group) = ([[0; HASH]; ANCHORS], [0; HASH]);
        for (place, part) in anchors.iter_mut().chain([&mut group]).zip(parts) {
            *place = *part;
        }
        self.insert(AnchorSketch {
            seq,
            anchors,
            group,
        });
        true
    }

    fn find(&self, seq: i64) -> Result<usize, usize> {
        self.sketches
            .binary_search_by_key(&seq, |sketch| sketch.seq.into())
    }

    /// The number of its group.
    pub fn group(&self, seq: i64) -> Option<u32> {
        let at = self.find(seq).ok()?;
        Some(number(self.sketches[at].group))
    }

    /// From where on the accounts of a group stand: it has the number of its first.
    fn first_of(&self, group: u32) -> usize {
        let (Ok(at) | Err(at)) = self.find(group.into());
        at
    }

    fn of_group(&self, group: u32) -> impl Iterator<Item = i64> {
        let from = self.sketches[self.first_of(group)..].iter();
        let of = from.filter(move |sketch| number(sketch.group) == group);
        of.map(|sketch| sketch.seq.into())
    }

    /// Those of the group that an account stands in, itself included.
    pub fn group_of(&self, seq: i64) -> Vec<i64> {
        let group = self.group(seq);
        group.map_or_else(Vec::new, |group| self.of_group(group).collect())
    }

    /// The groups of two and more, each in order of arrival.
    pub fn groups(&self) -> Vec<Vec<i64>> {
        let mut groups: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        for sketch in &self.sketches {
            let group = groups.entry(number(sketch.group)).or_default();
            group.push(sketch.seq.into());
        }
        groups
            .into_values()
            .filter(|group| group.len() > 1)
            .collect()
    }
}
