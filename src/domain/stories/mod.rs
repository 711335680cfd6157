//! Which accounts tell of the same matter: by the names and rare words that they share, and how alike their wording is. Weights
//! are trained by `tools/train`. Nothing depends on what people decide, nor on the machine: the same accounts in the same order
//! make the same groups.

pub mod account;
pub mod reasons;
pub mod sketches;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::domain::classify::math::ln;

use account::{Anchor, AnchorKind, ReadAccount};

pub const PAIR: usize = 7;
pub const STORY: usize = 5;
/// By how much the second score of a story with one account is taken to be below the first.
const ALONE: f64 = 2.0;

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../models/stories/weights.json")).unwrap_or_default()
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

/// The anchors that two accounts share, as written in the first.
pub fn shared<'c>(one: &'c ReadAccount, other: &'c ReadAccount) -> Vec<(&'c Anchor, &'c Anchor)> {
    let (mut rest, mut both) = (other.anchors.as_slice(), Vec::new());
    for anchor in &one.anchors {
        rest = &rest[rest.partition_point(|known| known.key < anchor.key)..];
        let same = rest.first().filter(|known| known.key == anchor.key);
        both.extend(
            same.filter(|known| {
                anchor.kind != AnchorKind::Joined || known.kind != AnchorKind::Joined
            })
            .map(|known| (anchor, known)),
        );
    }
    both
}

pub fn pair_features(one: &ReadAccount, other: &ReadAccount) -> [f64; PAIR] {
    let (mut all, mut names, mut numbers, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (key, known) in shared(one, other) {
        let weight = key.weight.max(known.weight);
        match (key.kind, known.kind) {
            (AnchorKind::Number, _) | (_, AnchorKind::Number) => numbers += weight,
            (AnchorKind::Rare, AnchorKind::Rare) => all += weight,
            _ => names += weight,
        }
        count += if weight > 0.0 { 1.0 } else { 0.0 };
    }
    let shorter = one.words.min(other.words);
    let same = one.department == other.department;
    [
        cosine(&one.grams, &other.grams),
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
    account: &ReadAccount,
    members: &[&ReadAccount],
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

pub fn pair_score(weights: &Weights, one: &ReadAccount, other: &ReadAccount) -> f64 {
    sum(&weights.pair, &pair_features(one, other))
}

pub fn score(weights: &Weights, account: &ReadAccount, members: &[&ReadAccount]) -> f64 {
    sum(&weights.story, &story_features(weights, account, members))
}

fn whole(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
