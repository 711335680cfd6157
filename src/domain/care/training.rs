//! Makes `data/care/head.bin` from the examples, and holds it to its figures. Must never see the held-out set while it fits.
//!
//! After a change of examples, signals or features: `UPDATE_CARE=1 cargo test --lib care::training`.

use serde::Deserialize;

use super::model::{CLASSES, Measure, Model};
use super::passages::passages;
use super::{Concern, concern};
use crate::domain::learn::softmax::{Head, Options, Training};
use crate::domain::learn::{Features, Sample};

static EXAMPLES: &str = include_str!("../../../data/care/examples.jsonl");
static HELD_OUT: &str = include_str!("../../../data/care/held_out.jsonl");
/// Written before the phrases and thresholds of today were chosen, and used for none of them: reports as they come, and
/// urgent ones among them.
static FRESH: &str = include_str!("../../../data/care/fresh.jsonl");
/// Ordinary reports of every department.
static ORDINARY: &str = include_str!("../../../data/routing/examples.jsonl");
/// Ordinary reports that may well be urgent, by their beginning: nothing is learnt from them.
static LEFT_OUT: &str = include_str!("../../../data/care/left_out.json");

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

fn read(jsonl: &str) -> Vec<Example> {
    jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The class of a label.
fn class(label: &str) -> usize {
    Concern::parse(label).map_or(0, |one| {
        1 + Concern::ALL.iter().position(|other| *other == one).unwrap()
    })
}

fn ordinary() -> Vec<Example> {
    let left_out: Vec<String> = serde_json::from_str(LEFT_OUT).unwrap();
    let mut examples = read(ORDINARY);
    let all = examples.len();
    examples.retain(|one| {
        !left_out
            .iter()
            .any(|beginning| one.text.starts_with(beginning))
    });
    assert_eq!(
        examples.len() + left_out.len(),
        all,
        "each beginning is one report's"
    );
    examples
}

/// What a passage of a text without any concern counts beside a text: there are many of them.
const PASSAGE_WEIGHT: f64 = 0.5;

/// The text; and when it holds no concern, its passages as well: none of them does, and each is read by itself.
fn samples_of(measure: &Measure, text: &str, label: usize) -> Vec<Sample> {
    let sample = |features: Features, weight: f64| Sample {
        features,
        label,
        weight,
        fold: None,
    };
    let parts = if label == 0 {
        passages(text)
    } else {
        Vec::new()
    };
    let grave = parts.into_iter().filter_map(|part| {
        let (features, grave) = measure.features(part);
        grave.then(|| sample(features, PASSAGE_WEIGHT))
    });
    [sample(measure.features(text).0, 1.0)]
        .into_iter()
        .chain(grave)
        .collect()
}

fn fitted() -> Head {
    let measure = Measure::bundled().unwrap();
    let own = read(EXAMPLES);
    let ordinary = ordinary();
    let samples: Vec<Sample> = own
        .iter()
        .map(|one| (one, class(&one.label)))
        .chain(ordinary.iter().map(|one| (one, 0)))
        .flat_map(|(one, label)| samples_of(&measure, &one.text, label))
        .collect();
    let options = Options {
        classes: CLASSES,
        dimensions: measure.dimensions(),
        l2: 0.1,
        rounds: 150,
    };
    Training::new(&samples, options).fit()
}

#[test]
fn the_head_is_what_training_makes() {
    let bytes = fitted().to_bytes();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/care/head.bin");
    if std::env::var_os("UPDATE_CARE").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    assert!(
        std::fs::read(path).unwrap() == bytes,
        "data/care/head.bin is not what the examples make; run with UPDATE_CARE=1"
    );
    assert!(Model::bundled().is_some());
}

/// Share of those texts that raise a concern.
fn flagged<'a>(texts: impl IntoIterator<Item = &'a Example>) -> f64 {
    let answers: Vec<bool> = texts
        .into_iter()
        .map(|one| concern(&one.text).is_some())
        .collect();
    let count = |of: usize| f64::from(u32::try_from(of).unwrap());
    count(answers.iter().filter(|flagged| **flagged).count()) / count(answers.len())
}

/// Shares of the urgent ones and of the others that raise a concern.
fn hits_and_alarms(jsonl: &str) -> (f64, f64) {
    let texts = read(jsonl);
    let (urgent, others): (Vec<_>, Vec<_>) = texts.iter().partition(|one| class(&one.label) > 0);
    (flagged(urgent), flagged(others))
}

#[test]
fn held_out_texts_are_told_apart() {
    let (hits, alarms) = hits_and_alarms(HELD_OUT);
    assert!(hits >= 0.85, "{hits}");
    assert!(alarms <= 0.15, "{alarms}");
}

/// A flag that is up on every tenth report is one that nobody looks at.
#[test]
fn ordinary_reports_are_left_alone() {
    let rate = flagged(&ordinary());
    assert!(rate <= 0.03, "{rate}");
    let (hits, alarms) = hits_and_alarms(FRESH);
    assert!(hits >= 0.85, "{hits}");
    assert!(alarms <= 0.03, "{alarms}");
}

#[test]
fn no_text_is_learnt_from_and_tested_on() {
    let learnt = read(EXAMPLES);
    assert!(learnt.len() >= 320);
    for one in read(HELD_OUT).into_iter().chain(read(FRESH)) {
        assert!(
            learnt.iter().all(|other| other.text != one.text),
            "{}",
            one.text
        );
    }
    for one in learnt {
        assert!(class(&one.label) > 0 || one.label == "none");
    }
}
