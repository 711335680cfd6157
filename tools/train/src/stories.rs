//! What stories are found by: how rare words and n-grams are, and the weights of two logistic regressions. Must never judge an
//! account by weights that were fitted to its own story.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};
use segnalazioni::testing::domain::stories::{
    BUCKETS, CANDIDATES, LEAST, ReadAccount, STEP, SketchIndex, Weights, key, near, pair_features,
    story_features,
};
use segnalazioni::testing::domain::{DepartmentKey, TokenizedText, exp, grams, ln};
use serde::Deserialize;
use serde_json::{Value, json};

const REPORTS: &str = include_str!("../../../models/stories/dev_stories.jsonl");
/// Of another pen and one town; only measured.
const FRESH: &str = include_str!("../../../models/stories/town.jsonl");
/// What many reporters add at last; what those of one town say of it, the likelier the earlier.
const ANSWERS: &str = include_str!("../../../models/stories/last_answers.txt");
const TOWN: &str = include_str!("../../../models/stories/one_town.txt");
const WORDS: &str = include_str!("../../../models/stories/word-rarity.tsv");
/// Reports that tell how common words are here.
const OTHERS: [&str; 2] = [
    include_str!("../../../models/routing/examples.jsonl"),
    include_str!("../../../models/care/examples.jsonl"),
];
/// From which score on an account joins a story: at most 4 singles of 100 do. From which one it stays in it, is shown beside
/// another.
const STAYS: f64 = -2.5;
const NEAR: f64 = -5.5;
const THRESHOLD: f64 = -1.5;
const PENALTY: f64 = 3.0;
const PARTS: usize = 5;
/// Reports before one that it is compared with in training, whatever they share.
const BEFORE: usize = 20;
const AROUND: usize = 60;
/// Buckets' weights are stored as so many steps a unit.
const GRAM_STEPS: f64 = 30.0;

#[derive(Deserialize, Clone)]
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

/// Reports in order of arrival, each read once.
struct Desk {
    rows: Vec<Row>,
    read: Vec<ReadAccount>,
}

impl Desk {
    fn new(rows: Vec<Row>) -> Self {
        let read = rows.iter().map(Row::account).collect();
        Self { rows, read }
    }

    /// The same reports, so many of nine with one of these sentences behind the account, and one in six in no department.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "less than the number of sentences"
    )]
    fn said_more(&self, sentences: &str, of_nine: u64) -> Self {
        let sentences: Vec<&str> = sentences.lines().collect();
        let more = |(number, row): (u64, &Row)| {
            let chance = mixed(number + of_nine * 100_000);
            let mut row = row.clone();
            if chance % 9 < of_nine {
                // The first ones more often.
                let share = whole(chance >> 8 & 0xffff) / 65_536.0;
                let at = (share * share * count(sentences.iter())) as usize;
                row.text = format!("{}\n{}", row.text, sentences[at]);
            }
            if mixed(chance) % 6 == 0 {
                row.department = "generale".to_owned();
            }
            row
        };
        Self::new((1..).zip(&self.rows).map(more).collect())
    }
}

/// The same bits on every machine (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

fn whole(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Each account as it is when it arrives, with those before it that it is compared with.
type Arrival = (ReadAccount, Vec<(usize, ReadAccount)>, usize);

/// A desk with what is compared there.
struct Lesson {
    desk: Desk,
    arrivals: Vec<Arrival>,
}

impl Lesson {
    fn new(desk: Desk) -> Self {
        let mut index = SketchIndex::new([1, 2]);
        let mut arrivals = Vec::new();
        for (at, read) in desk.read.iter().enumerate() {
            let account = index.weigh(read.clone());
            let alike = index.candidates(&account);
            let crowd = alike.len();
            let alike = alike.into_iter().take(CANDIDATES);
            let mut others: BTreeSet<usize> = alike.map(place).collect();
            others.extend(at.saturating_sub(BEFORE)..at);
            let others = others
                .into_iter()
                .map(|other| (other, index.weigh(desk.read[other].clone())));
            let others = others.collect();
            index.arrive(&Weights::default(), number(at), &account, &[], 0);
            arrivals.push((account, others, crowd));
        }
        Self { desk, arrivals }
    }

    /// Accounts of some matters, each with those of them before it that it is compared with, and whether these are of its matter.
    fn compared(
        &self,
        of: &impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&str, &ReadAccount, Vec<(&str, &ReadAccount)>, usize)> {
        let matter = |at: usize| self.desk.rows[at].matter();
        let learnt = self.arrivals.iter().enumerate();
        learnt
            .filter(move |(at, _)| of(matter(*at)))
            .map(move |(at, (account, others, crowd))| {
                let others = others.iter().map(|(other, one)| (matter(*other), one));
                let others = others.filter(|(matter, _)| of(matter)).collect();
                (matter(at), account, others, *crowd)
            })
    }
}

fn number(at: usize) -> i64 {
    i64::try_from(at + 1).unwrap_or(i64::MAX)
}

fn place(number: i64) -> usize {
    usize::try_from(number - 1).unwrap_or(0)
}

/// Weights fitted to the reports of some matters.
fn fitted(lessons: &[Lesson], of: impl Fn(&str) -> bool) -> Weights {
    let mut weights = Weights {
        threshold: THRESHOLD,
        stays: STAYS,
        near: NEAR,
        ..Weights::default()
    };
    let mut samples = Vec::new();
    for (matter, account, others, _) in lessons.iter().flat_map(|lesson| lesson.compared(&of)) {
        let pairs = others.into_iter();
        samples.extend(pairs.map(|(of, one)| (pair_features(account, one), of == matter)));
    }
    weights.pair = fit(&samples);
    let mut samples = Vec::new();
    for (matter, account, others, crowd) in lessons.iter().flat_map(|lesson| lesson.compared(&of)) {
        let mut stories: BTreeMap<&str, Vec<&ReadAccount>> = BTreeMap::new();
        for (of, one) in others {
            stories.entry(of).or_default().push(one);
        }
        for (of, all) in stories {
            // Whole stories, and parts: of a story that begins, few have arrived.
            let odd: Vec<_> = all.iter().step_by(2).copied().collect();
            let part = (odd.len() < all.len()).then_some(odd);
            for members in part.into_iter().chain([all]) {
                samples.push((
                    story_features(&weights, account, &members, crowd),
                    of == matter,
                ));
            }
        }
    }
    weights.story = fit(&samples);
    weights
}

/// Group of each report at last, and what is shown of each on arrival: its group. The three nearest at last.
struct Outcome {
    groups: Vec<Vec<i64>>,
    links: Vec<Vec<i64>>,
    nearest: Vec<Vec<i64>>,
}

/// The group of a report, itself included.
fn group_of(index: &SketchIndex, seq: i64) -> Vec<i64> {
    let found = index.groups(Some(&[seq])).pop();
    found.unwrap_or_else(|| vec![seq])
}

fn run(desk: &Desk, weights: &Weights) -> Outcome {
    let (mut index, mut links) = (SketchIndex::new([1, 2]), Vec::new());
    let read = |index: &SketchIndex, seq: i64| index.weigh(desk.read[place(seq)].clone());
    for at in 0..desk.rows.len() {
        let seq = number(at);
        let account = read(&index, seq);
        let alike = index.candidates(&account);
        let crowd = alike.len();
        let alike = alike.into_iter().take(CANDIDATES);
        let alike: Vec<_> = alike.map(|other| (other, read(&index, other))).collect();
        index.arrive(weights, seq, &account, &alike, crowd);
        let mut own = group_of(&index, seq);
        own.retain(|other| *other != seq);
        links.push(own);
    }
    let all = || (0..desk.rows.len()).map(number);
    let nearest = |seq| {
        let account = read(&index, seq);
        let alike = index.candidates(&account).into_iter().take(CANDIDATES);
        let mut wanted: BTreeSet<i64> = alike.chain(index.around(seq, AROUND)).collect();
        wanted.retain(|other| index.group(*other) != index.group(seq));
        let read = wanted.into_iter().map(|other| (other, read(&index, other)));
        let scores = read.filter_map(|(other, one)| Some((near(weights, &account, &one)?, other)));
        let mut scores: Vec<_> = scores.collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut met = BTreeSet::new();
        scores.retain(|(_, other)| met.insert(index.group(*other)));
        scores.into_iter().map(|(_, other)| other).take(3).collect()
    };
    Outcome {
        nearest: all().map(nearest).collect(),
        groups: all().map(|seq| group_of(&index, seq)).collect(),
        links,
    }
}

/// What is reached, as sums over the accounts of stories, over those from the third on, and over singles.
#[derive(Default, Clone, Copy)]
struct Reached {
    precision: f64,
    recall: f64,
    found: f64,
    accounts: f64,
    joined: f64,
    later: f64,
    wrong: f64,
    singles: f64,
    shown: f64,
}

impl Reached {
    /// Adds what some matters of a desk reach.
    fn add(&mut self, desk: &Desk, weights: &Weights, within: impl Fn(&str) -> bool) {
        let (outcome, rows) = (run(desk, weights), &desk.rows);
        for at in (0..rows.len()).filter(|at| within(rows[*at].matter())) {
            let (own, of) = (&outcome.groups[at], rows[at].matter());
            let is_of = |seq: &&i64| rows[place(**seq)].matter() == of;
            let shown = &outcome.nearest[at];
            self.shown += sure(!shown.is_empty());
            if rows[at].story.is_none() {
                self.singles += 1.0;
                self.wrong += sure(own.len() > 1);
                continue;
            }
            let same = count(own.iter().filter(is_of));
            self.accounts += 1.0;
            self.precision += same / count(own.iter());
            self.recall += same / count(rows.iter().filter(|row| row.matter() == of));
            self.found += sure(same > 1.0 || shown.iter().any(|seq| is_of(&seq)));
            if rows[..at].iter().filter(|row| row.matter() == of).count() >= 2 {
                self.later += 1.0;
                self.joined += sure(outcome.links[at].iter().any(|seq| is_of(&seq)));
            }
        }
    }

    /// Precision, recall and their mean over accounts of stories; joined from the third on; singles joined; accounts with the
    /// right story in their group or among three; reports with anything among three.
    fn figures(&self) -> [f64; 7] {
        let (precision, recall) = (self.precision / self.accounts, self.recall / self.accounts);
        [
            precision,
            recall,
            2.0 * precision * recall / (precision + recall),
            self.joined / self.later,
            self.wrong / self.singles,
            self.found / self.accounts,
            self.shown / (self.accounts + self.singles),
        ]
    }

    fn reaches_its_goals(&self) -> bool {
        let [precision, _, mean, joined, singles, found, _] = self.figures();
        precision >= 0.9 && mean >= 0.65 && joined >= 0.55 && singles <= 0.04 && found >= 0.86
    }

    fn line(&self) -> String {
        self.figures().map(|one| format!(" {one:.3} ")).concat()
    }
}

fn sure(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// Of each matter the part of a cross-validation that it is in: stories and singles are spread evenly.
fn parts(rows: &[Row]) -> HashMap<&str, usize> {
    let (mut parts, mut stories, mut singles) = (HashMap::new(), 0, 0);
    for row in rows {
        let count = match row.story {
            Some(_) => &mut stories,
            None => &mut singles,
        };
        parts.entry(row.matter()).or_insert_with(|| {
            *count += 1;
            *count % PARTS
        });
    }
    parts
}

fn count<T>(items: impl Iterator<Item = T>) -> f64 {
    items.map(|_| 1.0).sum()
}

/// The weights as JSON.
pub fn weights() -> Result<Vec<u8>> {
    let plain = Desk::new(read(REPORTS)?);
    let (more, town) = (plain.said_more(ANSWERS, 4), plain.said_more(TOWN, 7));
    let lessons = [plain, more, town].map(Lesson::new);
    let parts = parts(&lessons[0].desk.rows);
    let fits: Vec<_> = (0..PARTS)
        .map(|part| fitted(&lessons, |matter| parts[matter] != part))
        .collect();
    println!("\nstories    B3-P   B3-R  B3-F1  later singles found  shown");
    for (lesson, name) in lessons.iter().zip(["plain", "more ", "town "]) {
        let mut reached = Reached::default();
        for (part, weights) in fits.iter().enumerate() {
            reached.add(&lesson.desk, weights, |matter| parts[matter] == part);
        }
        println!("{name}    {}", reached.line());
        ensure!(
            name == "town " || reached.reaches_its_goals(),
            "stories miss their goals"
        );
    }
    let weights = fitted(&lessons, |_| true);
    let mut reached = Reached::default();
    reached.add(&Desk::new(read(FRESH)?), &weights, |_| true);
    println!("fresh    {}", reached.line());
    let mut weights = serde_json::to_vec_pretty(&weights)?;
    weights.push(b'\n');
    Ok(weights)
}

/// Groups of the reports of a file, in order of arrival, by the weights that are shipped.
pub fn grouped(jsonl: &str) -> Result<Value> {
    let desk = Desk::new(read(jsonl)?);
    let (rows, outcome) = (&desk.rows, run(&desk, Weights::bundled()));
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
