//! What stories are found by: how rare words and n-grams are, and the weights of two logistic regressions. Must never judge an
//! account by weights that were fitted to its own story.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};
use segnalazioni::testing::domain::stories::{
    BUCKETS, CANDIDATES, LEAST, ReadAccount, STEP, SketchIndex, Weights, key, pair_features,
    pair_score, story_features,
};
use segnalazioni::testing::domain::{DepartmentKey, TokenizedText, exp, grams, ln};
use serde::Deserialize;
use serde_json::{Value, json};

const REPORTS: &str = include_str!("../../../models/stories/dev_stories.jsonl");
const WORDS: &str = include_str!("../../../models/stories/word-rarity.tsv");
/// Reports that tell how common words are here.
const OTHERS: [&str; 2] = [
    include_str!("../../../models/routing/examples.jsonl"),
    include_str!("../../../models/care/examples.jsonl"),
];
/// From which score on an account joins a story: at most 6 singles of 100 do. From which one is shown beside another.
const THRESHOLD: f64 = 0.3;
const NEAR: f64 = -3.5;
const PENALTY: f64 = 3.0;
const PARTS: usize = 5;
/// Reports before one that it is compared with in training, whatever they share.
const BEFORE: usize = 20;
/// Buckets' weights are stored as so many steps a unit.
const GRAM_STEPS: f64 = 30.0;

#[derive(Deserialize)]
struct Row {
    id: String,
    #[serde(default)]
    story: Option<String>,
    department: String,
    text: String,
}

fn read(jsonl: &str) -> Result<Vec<Row>> {
    let lines = jsonl.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

impl Row {
    fn account(&self) -> ReadAccount {
        let department = DepartmentKey::parse(&self.department).unwrap_or_default();
        ReadAccount::new(&self.text, department)
    }

    /// What it belongs to: a single to itself.
    fn matter(&self) -> &str {
        self.story.as_deref().unwrap_or(&self.id)
    }
}

/// How rare words are, and how much buckets of n-grams tell.
pub fn tables() -> Result<[Vec<u8>; 2]> {
    let number = |letters: &str| u32::try_from(key(letters) >> 40).unwrap_or(0);
    let (mut chances, mut counts) = (BTreeMap::<u32, f64>::new(), BTreeMap::<u32, f64>::new());
    for line in WORDS.lines().skip(1) {
        let (word, rarity) = line.split_once('\t').context("a word, a tab, a number")?;
        let reading = TokenizedText::new(word);
        let chance = exp(-rarity.parse::<f64>()?);
        *chances.entry(number(reading.all_letters())).or_default() += chance;
    }
    let (mut buckets, mut reports, mut words) = (vec![0.0; BUCKETS], 0.0, 0.0);
    for line in OTHERS.iter().flat_map(|jsonl| jsonl.lines()) {
        let text: Value = serde_json::from_str(line)?;
        let reading = TokenizedText::new(text["text"].as_str().context("a text")?);
        let letters = reading.words.iter().map(|word| reading.letters(word));
        let long = letters.filter(|letters| letters.len() >= 4).map(number);
        for word in long.collect::<BTreeSet<_>>() {
            *counts.entry(word).or_default() += 1.0;
        }
        for (bucket, _) in grams::<BUCKETS>(reading.padded(&reading.words)) {
            buckets[bucket as usize] += 1.0;
        }
        reports += 1.0;
        words += reading.words.iter().map(|_| 1.0).sum::<f64>();
    }
    for (word, count) in counts {
        *chances.entry(word).or_default() += count / words;
    }
    let entry = |(word, chance): (u32, f64)| {
        let [.., one, two, three] = word.to_be_bytes();
        [one, two, three, byte((-ln(chance) - LEAST) / STEP)]
    };
    let tells = |count: f64| byte(ln((reports + 1.0) / (count + 0.5)) * GRAM_STEPS);
    Ok([
        chances.into_iter().flat_map(entry).collect(),
        buckets.into_iter().map(tells).collect(),
    ])
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped"
)]
fn byte(value: f64) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

/// A logistic regression with an L2 penalty, by Newton's method; the constant comes last.
fn fit<const N: usize, const M: usize>(samples: &[([f64; N], bool)]) -> [f64; M] {
    let count = samples.iter().map(|_| 1.0).sum::<f64>();
    let mean =
        |of: &dyn Fn(&[f64; N]) -> f64| samples.iter().map(|(x, _)| of(x)).sum::<f64>() / count;
    let means: Vec<f64> = (0..N).map(|at| mean(&|x| x[at])).collect();
    let square = |at: usize| mean(&|x| (x[at] - means[at]) * (x[at] - means[at]));
    let spreads: Vec<f64> = (0..N).map(|at| square(at).sqrt().max(1e-9)).collect();
    let scaled = |x: &[f64; N]| {
        let mut scaled = [1.0; M];
        (0..N).for_each(|at| scaled[at] = (x[at] - means[at]) / spreads[at]);
        scaled
    };
    let scaled: Vec<_> = samples.iter().map(|(x, same)| (scaled(x), *same)).collect();
    let mut weights = [0.0; M];
    for _ in 0..25 {
        let (mut slope, mut bend) = ([0.0; M], [[0.0; M]; M]);
        for (x, same) in &scaled {
            let score: f64 = weights.iter().zip(x).map(|(weight, x)| weight * x).sum();
            let chance = 1.0 / (1.0 + exp(-score));
            for one in 0..M {
                slope[one] += (chance - f64::from(u8::from(*same))) * x[one];
                (0..M).for_each(|two| bend[one][two] += chance * (1.0 - chance) * x[one] * x[two]);
            }
        }
        for at in 0..M {
            let penalty = if at < N { PENALTY } else { 1e-6 };
            slope[at] += penalty * weights[at];
            bend[at][at] += penalty;
        }
        let step = solved(bend, slope);
        (0..M).for_each(|at| weights[at] -= step[at]);
    }
    for at in 0..N {
        weights[at] /= spreads[at];
        weights[N] -= weights[at] * means[at];
    }
    weights.map(|weight| (weight * 1e3).round() / 1e3)
}

/// Gauss and Jordan.
fn solved<const M: usize>(mut rows: [[f64; M]; M], mut right: [f64; M]) -> [f64; M] {
    for pivot in 0..M {
        let by = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|value| *value /= by);
        right[pivot] /= by;
        for other in (0..M).filter(|other| *other != pivot) {
            let by = rows[other][pivot];
            (0..M).for_each(|at| rows[other][at] -= by * rows[pivot][at]);
            right[other] -= by * right[pivot];
        }
    }
    right
}

/// Each account as it is when it arrives, with those before it that it is compared with.
type Arrival = (ReadAccount, Vec<(usize, ReadAccount)>);

fn arrivals(rows: &[Row]) -> Vec<Arrival> {
    let mut index = SketchIndex::new([1, 2]);
    let mut arrived = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let account = index.weigh(row.account());
        let alike = index.candidates(&account).into_iter().take(CANDIDATES);
        let mut others: BTreeSet<usize> = alike.map(place).collect();
        others.extend(at.saturating_sub(BEFORE)..at);
        let others = others
            .into_iter()
            .map(|other| (other, index.weigh(rows[other].account())));
        let others = others.collect();
        index.arrive(&Weights::default(), number(at), &account, &[]);
        arrived.push((account, others));
    }
    arrived
}

fn number(at: usize) -> i64 {
    i64::try_from(at + 1).unwrap_or(i64::MAX)
}

fn place(number: i64) -> usize {
    usize::try_from(number - 1).unwrap_or(0)
}

/// Weights fitted to some of the reports.
fn fitted(rows: &[Row], arrivals: &[Arrival], of: impl Fn(usize) -> bool) -> Weights {
    let mut weights = Weights {
        threshold: THRESHOLD,
        near: NEAR,
        ..Weights::default()
    };
    let learnt = || arrivals.iter().enumerate().filter(|(at, _)| of(*at));
    let pairs = learnt().flat_map(|(at, (account, others))| {
        let others = others.iter().filter(|(other, _)| of(*other));
        others.map(move |(other, one)| {
            (
                pair_features(account, one),
                rows[at].matter() == rows[*other].matter(),
            )
        })
    });
    weights.pair = fit(&pairs.collect::<Vec<_>>());
    let mut samples = Vec::new();
    for (at, (account, others)) in learnt() {
        let mut stories: BTreeMap<&str, Vec<&ReadAccount>> = BTreeMap::new();
        for (other, one) in others.iter().filter(|(other, _)| of(*other)) {
            stories.entry(rows[*other].matter()).or_default().push(one);
        }
        for (matter, all) in stories {
            let same = rows[at].matter() == matter;
            // Whole stories, and parts: of a story that begins, few have arrived.
            let odd: Vec<_> = all.iter().step_by(2).copied().collect();
            let part = (odd.len() < all.len()).then_some(odd);
            for members in part.into_iter().chain([all]) {
                samples.push((story_features(&weights, account, &members), same));
            }
        }
    }
    weights.story = fit(&samples);
    weights
}

/// The group of a report, itself included.
fn group_of(index: &SketchIndex, seq: i64) -> Vec<i64> {
    let found = index.groups(Some(&[seq])).pop();
    found.unwrap_or_else(|| vec![seq])
}

/// Group of each report, and what is shown of each on arrival: its group, and the three nearest.
struct Outcome {
    groups: Vec<Vec<i64>>,
    links: Vec<Vec<i64>>,
    nearest: Vec<Vec<i64>>,
}

fn run(rows: &[Row], weights: &Weights) -> Outcome {
    let mut index = SketchIndex::new([1, 2]);
    let (mut links, mut nearest) = (Vec::new(), Vec::new());
    let candidates = |index: &SketchIndex, seqs: Vec<i64>| -> Vec<(i64, ReadAccount)> {
        let read = seqs
            .into_iter()
            .map(|seq| (seq, index.weigh(rows[place(seq)].account())));
        read.collect()
    };
    for (at, row) in rows.iter().enumerate() {
        let (seq, account) = (number(at), index.weigh(row.account()));
        let alike = index
            .candidates(&account)
            .into_iter()
            .take(CANDIDATES)
            .collect();
        let alike = candidates(&index, alike);
        let mut around = index.around(seq, 60);
        around.retain(|other| alike.iter().all(|(known, _)| known != other));
        let around = candidates(&index, around);
        let scores = alike.iter().chain(&around);
        let scores = scores.map(|(other, one)| (pair_score(weights, &account, one), *other));
        let mut scores: Vec<_> = scores.filter(|(score, _)| *score >= weights.near).collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut met = BTreeSet::new();
        scores.retain(|(_, other)| met.insert(index.group(*other)));
        nearest.push(scores.into_iter().map(|(_, other)| other).take(3).collect());
        index.arrive(weights, seq, &account, &alike);
        let mut own = group_of(&index, seq);
        own.retain(|other| *other != seq);
        links.push(own);
    }
    let groups = (0..rows.len())
        .map(|at| group_of(&index, number(at)))
        .collect();
    Outcome {
        groups,
        links,
        nearest,
    }
}

/// What a cross-validation with so many parts reaches: precision, recall and their mean over accounts of stories, singles that
/// were joined, accounts with the right story among three, from the second on.
fn measured(rows: &[Row], arrivals: &[Arrival], parts: usize) -> [f64; 5] {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let (mut stories, mut singles) = (0, 0);
    for row in rows {
        let count = if row.story.is_some() {
            &mut stories
        } else {
            &mut singles
        };
        numbers.entry(row.matter()).or_insert_with(|| {
            *count += 1;
            *count % parts
        });
    }
    let (mut sums, mut all, mut alone, mut later) = ([0.0; 4], 0.0, 0.0, 0.0);
    for part in 0..parts {
        let within = |at: usize| numbers[rows[at].matter()] == part;
        let outcome = run(rows, &fitted(rows, arrivals, |at| !within(at)));
        for at in (0..rows.len()).filter(|at| within(*at)) {
            let (own, of) = (&outcome.groups[at], rows[at].matter());
            let is_of = |seq: &&i64| rows[place(**seq)].matter() == of;
            if rows[at].story.is_none() {
                alone += 1.0;
                sums[2] += if own.len() > 1 { 1.0 } else { 0.0 };
                continue;
            }
            let same = count(own.iter().filter(is_of));
            all += 1.0;
            sums[0] += same / count(own.iter());
            sums[1] += same / count(rows.iter().filter(|row| row.matter() == of));
            if rows[..at].iter().any(|row| row.matter() == of) {
                later += 1.0;
                sums[3] += if outcome.nearest[at].iter().any(|seq| is_of(&seq)) {
                    1.0
                } else {
                    0.0
                };
            }
        }
    }
    let (precision, recall) = (sums[0] / all, sums[1] / all);
    let mean = 2.0 * precision * recall / (precision + recall);
    [precision, recall, mean, sums[2] / alone, sums[3] / later]
}

fn count<T>(items: impl Iterator<Item = T>) -> f64 {
    items.map(|_| 1.0).sum()
}

/// The weights as JSON.
pub fn weights() -> Result<Vec<u8>> {
    let rows = read(REPORTS)?;
    let arrivals = arrivals(&rows);
    println!("\nstories     B3-P   B3-R  B3-F1 singles nearest");
    for parts in [PARTS, 20] {
        let reached = measured(&rows, &arrivals, parts);
        println!(
            "{parts:2} parts  {}",
            reached.map(|one| format!(" {one:.3} ")).concat()
        );
        ensure!(
            reached[2] >= 0.75 && reached[3] <= 0.06,
            "stories miss their goals"
        );
    }
    let mut weights = serde_json::to_vec_pretty(&fitted(&rows, &arrivals, |_| true))?;
    weights.push(b'\n');
    Ok(weights)
}

/// Groups of the reports of a file, in order of arrival, by the weights that are shipped.
pub fn grouped(jsonl: &str) -> Result<Value> {
    let rows = read(jsonl)?;
    let outcome = run(&rows, Weights::bundled());
    let named = |seqs: &[i64]| {
        seqs.iter()
            .map(|seq| rows[place(*seq)].id.clone())
            .collect::<Vec<_>>()
    };
    let ids = || rows.iter().map(|row| row.id.clone());
    let of = |all: &[Vec<i64>]| {
        ids()
            .zip(all.iter().map(|seqs| named(seqs)))
            .collect::<HashMap<_, _>>()
    };
    let clusters: HashMap<_, _> = ids()
        .zip(outcome.groups.iter().map(|own| own.first()))
        .collect();
    Ok(json!({"clusters": clusters, "links": of(&outcome.links), "nearest": of(&outcome.nearest)}))
}
