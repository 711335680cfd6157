//! Which accounts tell of the same matter: by the names and rare words that they share, and how alike their wording is. Weights
//! are trained by `tools/train`. Nothing depends on what people decide, nor on the machine: the same accounts in the same order
//! make the same groups.

pub mod account;
pub mod reasons;
pub mod sketches;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::domain::classify::math::ln;

use account::{AnchorKind, ReadAccount};

pub const PAIR: usize = 7;
pub const STORY: usize = 5;
/// By how much the second score of a story with one account is taken to be below the first.
const ALONE: f64 = 2.0;

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../data/stories/weights.json")).unwrap_or_default()
});

/// Two logistic regressions, each with its constant last, and the score from which on an account joins a story.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Weights {
    pub pair: [f64; PAIR + 1],
    pub story: [f64; STORY + 1],
    pub threshold: f64,
    /// From which score with another on an account is shown beside it.
    pub near: f64,
}

impl Weights {
    pub fn bundled() -> &'static Self {
        &WEIGHTS
    }
}

fn sum(weights: &[f64], features: &[f64]) -> f64 {
    let constant = weights.last().copied().unwrap_or_default();
    weights
        .iter()
        .zip(features)
        .map(|(weight, feature)| weight * feature)
        .sum::<f64>()
        + constant
}

/// A key of an account, as it stands in the archive.
#[derive(Clone)]
pub struct WeighedKey {
    pub key: u64,
    pub kind: AnchorKind,
    pub weight: f64,
    /// Neighbouring words written as one: these tell something only where the other account has them as one.
    pub joined: bool,
    pub at: Range<usize>,
}

/// An account with what its keys weigh, in order of keys.
pub struct WeighedAccount {
    pub account: ReadAccount,
    pub keys: Vec<WeighedKey>,
}

/// What two accounts share, as it stands in the first.
pub fn shared<'c>(
    one: &'c WeighedAccount,
    other: &'c WeighedAccount,
) -> Vec<(&'c WeighedKey, &'c WeighedKey)> {
    let (mut rest, mut both) = (other.keys.as_slice(), Vec::new());
    for key in &one.keys {
        let behind = rest.partition_point(|known| known.key < key.key);
        rest = &rest[behind..];
        if let Some(known) = rest.first().filter(|known| known.key == key.key)
            && !(key.joined && known.joined)
        {
            both.push((key, known));
        }
    }
    both
}

pub fn pair_features(one: &WeighedAccount, other: &WeighedAccount) -> [f64; PAIR] {
    let (mut all, mut names, mut numbers, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (key, known) in shared(one, other) {
        let weight = key.weight.max(known.weight);
        match (key.kind, known.kind) {
            (AnchorKind::Number, _) | (_, AnchorKind::Number) => numbers += weight,
            (AnchorKind::Name, _) | (_, AnchorKind::Name) => names += weight,
            _ => all += weight,
        }
        count += if weight > 0.0 { 1.0 } else { 0.0 };
    }
    let shorter = one.account.words.min(other.account.words);
    let same = one.account.department == other.account.department;
    [
        cosine(&one.account.grams, &other.account.grams),
        ln(1.0 + all),
        ln(1.0 + names),
        ln(1.0 + numbers),
        ln(1.0 + count),
        ln(1.0 + whole(shorter)),
        f64::from(u8::from(same)),
    ]
}

/// Both of length 1, in order of dimensions.
fn cosine(one: &[(u32, f64)], other: &[(u32, f64)]) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for (bucket, value) in one {
        while at < other.len() && other[at].0 < *bucket {
            at += 1;
        }
        match other.get(at) {
            Some((same, theirs)) if same == bucket => sum += value * theirs,
            _ => {}
        }
    }
    sum
}

/// How an account stands to those of a story that are candidates: its scores with them, and the weight of all that it shares with
/// one of them.
pub fn story_features(
    weights: &Weights,
    account: &WeighedAccount,
    members: &[&WeighedAccount],
) -> [f64; STORY] {
    let scores = members.iter().map(|one| pair_score(weights, account, one));
    let mut scores: Vec<f64> = scores.collect();
    scores.sort_by(|one, other| other.total_cmp(one));
    let keys = members.iter().flat_map(|one| shared(account, one));
    let mut keys: Vec<_> = keys
        .map(|(key, known)| (key.key, key.weight.max(known.weight)))
        .collect();
    keys.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    keys.dedup_by_key(|(key, _)| *key);
    let weight: f64 = keys.iter().map(|(_, weight)| weight).sum();
    let best = scores.first().copied().unwrap_or_default();
    let second = scores.get(1).copied().unwrap_or(best - ALONE);
    let count = whole(scores.len()).max(1.0);
    let mean = scores.iter().sum::<f64>() / count;
    [best, second, mean, ln(count), ln(1.0 + weight)]
}

pub fn pair_score(weights: &Weights, one: &WeighedAccount, other: &WeighedAccount) -> f64 {
    sum(&weights.pair, &pair_features(one, other))
}

pub fn score(weights: &Weights, account: &WeighedAccount, members: &[&WeighedAccount]) -> f64 {
    sum(&weights.story, &story_features(weights, account, members))
}

fn whole(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
