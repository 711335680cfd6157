//! Makes `data/care/head.bin` from the examples, and holds it to its figures. Must never see the held-out set while it fits.
//!
//! After a change of examples, signals or features: `UPDATE_CARE=1 cargo test --lib care::training`.

use serde::Deserialize;

use super::model::{CLASSES, Measure, Model};
use super::{Concern, concern};
use crate::domain::learn::Sample;
use crate::domain::learn::softmax::{Head, Options, Training};

static EXAMPLES: &str = include_str!("../../../data/care/examples.jsonl");
static HELD_OUT: &str = include_str!("../../../data/care/held_out.jsonl");
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

fn fitted() -> Head {
    let measure = Measure::bundled().unwrap();
    let sample = |text: &str, label: usize| Sample {
        features: measure.features(text).0,
        label,
        weight: 1.0,
        fold: None,
    };
    let own = read(EXAMPLES);
    let ordinary = ordinary();
    let samples: Vec<Sample> = own
        .iter()
        .map(|one| sample(&one.text, class(&one.label)))
        .chain(ordinary.iter().map(|one| sample(&one.text, 0)))
        .collect();
    let options = Options {
        classes: CLASSES,
        dimensions: measure.dimensions(),
        l2: 0.3,
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

#[test]
fn held_out_texts_are_told_apart() {
    let held_out = read(HELD_OUT);
    let (urgent, lookalikes): (Vec<_>, Vec<_>) =
        held_out.iter().partition(|one| class(&one.label) > 0);
    let (hits, alarms) = (
        flagged(urgent.iter().copied()),
        flagged(lookalikes.iter().copied()),
    );
    assert!(hits >= 0.85, "{hits}");
    assert!(alarms <= 0.25, "{alarms}");
}

#[test]
fn the_two_sets_share_no_text() {
    let learnt = read(EXAMPLES);
    assert!(learnt.len() >= 320);
    for one in read(HELD_OUT) {
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
