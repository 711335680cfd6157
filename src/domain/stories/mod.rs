//! Which accounts tell of the same matter: by the names and rare words that they share, and how alike their wording is. Weights
//! are trained by `tools/train`. Nothing depends on what people decide, nor on the machine: the same accounts in the same order
//! make the same groups.

pub mod account;
pub mod passage;
pub mod reasons;
pub mod sketches;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::domain::classify::math::ln;
use crate::domain::routing::DepartmentKey;

use account::{Anchor, AnchorKind, ReadAccount};
use sketches::by_count;

pub const PAIR: usize = 6;
pub const STORY: usize = 3;
/// By how much the second score of a story with one account is taken to be below the first.
const ALONE: f64 = 2.0;
/// From which weight on a name or number is evidence that accounts belong together. Of two rare words, the lighter one counts
/// this many times.
const EVIDENCE: f64 = 1.5;
const RARE_TWICE: f64 = 1.5;
/// The parts of a story's accounts, and of all that have the word, that must share it.
const OF_STORY: f64 = 0.25;
const OF_ALL: f64 = 0.34;

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../models/stories/weights.json")).unwrap_or_default()
});

/// Two logistic regressions, each with its constant last, and the score from which on an account joins a story.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Weights {
    pub pair: [f64; PAIR + 1],
    pub story: [f64; STORY + 1],
    pub threshold: f64,
    /// From which mean of its best two scores on an account stays in its story.
    pub stays: f64,
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

/// The anchors that two accounts share, as written in either.
fn same<'c>(
    one: &'c ReadAccount,
    other: &'c ReadAccount,
) -> impl Iterator<Item = (&'c Anchor, &'c Anchor)> {
    let mut rest = other.anchors.as_slice();
    one.anchors.iter().filter_map(move |anchor| {
        rest = &rest[rest.partition_point(|known| known.key < anchor.key)..];
        let same = rest.first().filter(|known| known.key == anchor.key);
        same.map(|known| (anchor, known))
    })
}

/// Those of them that count.
pub fn shared<'c>(one: &'c ReadAccount, other: &'c ReadAccount) -> Vec<(&'c Anchor, &'c Anchor)> {
    let counts = |anchor: &Anchor| !matches!(anchor.kind, AnchorKind::Joined | AnchorKind::Phrase);
    let both = same(one, other);
    both.filter(|(key, known)| counts(key) || counts(known))
        .collect()
}

pub fn pair_features(one: &ReadAccount, other: &ReadAccount) -> [f64; PAIR] {
    let (mut rare, mut names, mut civic, mut numbers) = (0.0, 0.0, 0.0, 0.0);
    for (key, known) in shared(one, other) {
        let sum = match (key.kind, known.kind) {
            (AnchorKind::Number, _) | (_, AnchorKind::Number) => &mut numbers,
            (AnchorKind::Rare, AnchorKind::Rare) => &mut rare,
            _ if key.civic || known.civic => &mut civic,
            _ => &mut names,
        };
        *sum += key.weight.max(known.weight);
    }
    // 'Generale' is where everything goes that fits no other.
    let same = one.department == other.department && one.department != DepartmentKey::GENERALE;
    [
        cosine(&one.grams, &other.grams),
        ln(1.0 + rare),
        ln(1.0 + names),
        ln(1.0 + civic),
        ln(1.0 + numbers),
        f64::from(u8::from(same)),
    ]
}

/// Whether an account shares a name, a number or two rare words with accounts of a story of some size. What many beyond that
/// story have, or few in it, is none: a town's names join everything.
pub fn is_evident(account: &ReadAccount, members: &[&ReadAccount], size: usize) -> bool {
    let keys = members.iter().flat_map(|one| shared(account, one));
    let mut keys: Vec<_> = keys
        .map(|(key, known)| {
            let rare = (key.kind, known.kind) == (AnchorKind::Rare, AnchorKind::Rare);
            (key.key, key.tells.max(known.tells), rare, key.count)
        })
        .collect();
    keys.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    let (mut best, mut first, mut second) = (0.0_f64, 0.0_f64, 0.0_f64);
    for all in keys.chunk_by(|one, other| one.0 == other.0) {
        let ((_, tells, rare, count), holders) = (all[0], whole(all.len()));
        if holders < OF_STORY * whole(size) || holders < OF_ALL * f64::from(count) {
            continue;
        }
        let beyond = usize::from(count).saturating_sub(all.len());
        let weight = tells * by_count(beyond + 1);
        if rare {
            second = second.max(weight.min(first));
            first = first.max(weight);
        } else {
            best = best.max(weight);
        }
    }
    best.max(second * RARE_TWICE) >= EVIDENCE
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

/// How an account stands to those of a story that are candidates: its best two scores with them, and how many others share an
/// anchor with it. `crowd` counts all that do.
pub fn story_features(
    weights: &Weights,
    account: &ReadAccount,
    members: &[&ReadAccount],
    crowd: usize,
) -> [f64; STORY] {
    let [best, second] = best_scores(weights, account, members);
    let strangers = crowd.saturating_sub(members.len());
    [best, second, ln(1.0 + whole(strangers))]
}

fn best_scores(weights: &Weights, account: &ReadAccount, others: &[&ReadAccount]) -> [f64; 2] {
    let scores = others.iter().map(|one| pair_score(weights, account, one));
    let mut scores: Vec<f64> = scores.collect();
    scores.sort_by(|one, other| other.total_cmp(one));
    let best = scores.first().copied().unwrap_or_default();
    [best, scores.get(1).copied().unwrap_or(best - ALONE)]
}

/// Whether an account of a story still belongs to the others of it.
pub fn stays(weights: &Weights, account: &ReadAccount, others: &[&ReadAccount]) -> bool {
    let [best, second] = best_scores(weights, account, others);
    f64::midpoint(best, second) >= weights.stays
}

pub fn pair_score(weights: &Weights, one: &ReadAccount, other: &ReadAccount) -> f64 {
    sum(&weights.pair, &pair_features(one, other))
}

/// The score of an account that is shown beside another: both name the same.
pub fn near(weights: &Weights, one: &ReadAccount, other: &ReadAccount) -> Option<f64> {
    let named = same(one, other).any(|(key, known)| {
        key.weight.max(known.weight) > 0.0 && (key.is_naming() || known.is_naming())
    });
    let score = pair_score(weights, one, other);
    (named && score >= weights.near).then_some(score)
}

pub fn score(
    weights: &Weights,
    account: &ReadAccount,
    members: &[&ReadAccount],
    crowd: usize,
) -> f64 {
    let features = story_features(weights, account, members, crowd);
    sum(&weights.story, &features)
}

fn whole(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
