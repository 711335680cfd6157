//! The head that routes reports: what it learns from, and how its like does on reports that it has not seen.
//! Must never depend on settings: the head is the same for every newsroom.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use segnalazioni::testing::domain::softmax;
use segnalazioni::testing::domain::{DIMENSIONS, Matter, features};
use serde::Deserialize;

use crate::folds::{self, Confusion, Tested};
use crate::math::highest;
use crate::softmax::{Options, Sample, Training};

/// Reports, one JSON object a line.
const EXAMPLES: &str = include_str!("../../../models/routing/examples.jsonl");
/// Phrases by department, which are only learnt from.
const TOPICS: &str = include_str!("../../../models/routing/topics.json");
/// Parts of the cross-validation.
const PARTS: usize = 5;
/// What the cross-validation must reach.
const GOAL: f64 = 0.70;
/// How a head is fitted. Chosen for plainness: figures around these do as well, within what 210 examples can tell.
const OPTIONS: Options = Options {
    classes: Matter::ALL.len() + 1,
    dimensions: DIMENSIONS as usize,
    l2: 0.3,
    rounds: 100,
};

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

/// The number of a class: of a matter, or behind them that of what is none.
fn class(name: &str) -> usize {
    Matter::parse(name).map_or(Matter::ALL.len(), |matter| matter as usize)
}

/// The bytes of the head; prints how its like does.
pub fn head() -> Result<Vec<u8>> {
    let samples = samples()?;
    let training = Training::new(&samples, OPTIONS);
    let tested = folds::cross_validate(&training);
    let temperature = folds::temperature(&tested);
    let confusion = Confusion::of(OPTIONS.classes, &tested);
    print(&confusion, &tested, temperature);
    ensure!(
        confusion.accuracy() >= GOAL && confusion.macro_f1() >= GOAL,
        "accuracy and macro-F1 must reach {GOAL}"
    );
    Ok(training.fit(temperature))
}

/// The reports with their part of the cross-validation, then the topics.
fn samples() -> Result<Vec<Sample>> {
    let lines = EXAMPLES.lines().map(serde_json::from_str);
    let examples: Vec<Example> = lines.collect::<Result<_, _>>().context("examples")?;
    let topics: BTreeMap<String, Vec<String>> = serde_json::from_str(TOPICS).context("topics")?;
    let topics: BTreeMap<usize, &Vec<String>> = topics
        .iter()
        .map(|(name, texts)| (class(name), texts))
        .collect();
    let reports = examples.len();
    let topics = topics
        .iter()
        .flat_map(|(label, texts)| texts.iter().map(|text| (text, *label)));
    let texts: Vec<(&String, usize)> = examples
        .iter()
        .map(|one| (&one.text, class(&one.label)))
        .chain(topics)
        .collect();
    let features = features(texts.iter().map(|(text, _)| text.as_str()));
    let sample = |(features, (_, label)): (_, &(_, usize))| Sample {
        features,
        label: *label,
        weight: 1.0,
        fold: None,
    };
    let mut samples: Vec<Sample> = features.into_iter().zip(&texts).map(sample).collect();
    folds::assign(&mut samples[..reports], PARTS);
    Ok(samples)
}

fn print(confusion: &Confusion, tested: &[Tested], temperature: f64) {
    println!("Routing, {} reports, cross-validated", confusion.tested());
    println!("  accuracy        {:.3}", confusion.accuracy());
    println!("  macro-F1        {:.3}", confusion.macro_f1());
    println!("  first or second {:.3}", among_two(tested, temperature));
    println!("  temperature     {temperature:.2}");
    println!("\n  belongs to    goes to");
    let names = Matter::ALL.map(Matter::as_str).into_iter().chain(["none"]);
    for (label, name) in names.enumerate() {
        let counts = (0..OPTIONS.classes).map(|answer| confusion.count(label, answer));
        let row = counts.fold(String::new(), |row, count| format!("{row}{count:4}"));
        println!(
            "  {name:<13}{row}   F1 {:.2}",
            confusion.f1(label)
        );
    }
}

/// Share of the reports whose department came first or second.
fn among_two(tested: &[Tested], temperature: f64) -> f64 {
    let among = |one: &&Tested| {
        let mut rest = softmax(&one.scores, temperature);
        let first = highest(&rest);
        if let Some(first) = first {
            rest[first] = f64::NEG_INFINITY;
        }
        first == Some(one.label) || highest(&rest) == Some(one.label)
    };
    let right = tested.iter().filter(among).count();
    right as f64 / tested.len() as f64
}
