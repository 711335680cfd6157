//! The head that reads wording that worries. Must never see the held-out texts while it fits.

use anyhow::{Context, Result, ensure};
use segnalazioni::testing::domain::{CLASSES, Concern, Measure, passages};
use segnalazioni::testing::domain::{Features, TokenizedText};
use serde::Deserialize;

use crate::softmax::{Options, Sample, Training};

/// Texts, one JSON object a line.
const EXAMPLES: &str = include_str!("../../../models/care/examples.jsonl");
/// Ordinary reports of every department.
const ORDINARY: &str = include_str!("../../../models/routing/examples.jsonl");
/// Ordinary reports that may well be urgent, by their beginning: nothing is learnt from them.
const LEFT_OUT: &str = include_str!("../../../models/care/left_out.json");

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

fn read(jsonl: &str) -> Result<Vec<Example>> {
    let lines = jsonl.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

/// The class of a label.
fn class(label: &str) -> usize {
    let place = |one| Concern::ALL.iter().position(|other| *other == one);
    Concern::parse(label)
        .and_then(place)
        .map_or(0, |place| 1 + place)
}

fn ordinary() -> Result<Vec<Example>> {
    let left_out: Vec<String> = serde_json::from_str(LEFT_OUT)?;
    let mut examples = read(ORDINARY)?;
    let all = examples.len();
    examples.retain(|one| !left_out.iter().any(|start| one.text.starts_with(start)));
    ensure!(
        examples.len() + left_out.len() == all,
        "each beginning is one report's"
    );
    Ok(examples)
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
    let measured = |text: &str| {
        let reading = TokenizedText::new(text);
        let signals = measure.signals(&reading, &reading.words);
        let features = Measure::features(&reading, &reading.words, &signals);
        (features, measure.is_grave(&signals))
    };
    let grave = parts.into_iter().filter_map(|part| {
        let (features, grave) = measured(&text[part]);
        grave.then(|| sample(features, PASSAGE_WEIGHT))
    });
    [sample(measured(text).0, 1.0)]
        .into_iter()
        .chain(grave)
        .collect()
}

/// The bytes of the head.
pub fn head() -> Result<Vec<u8>> {
    let measure = Measure::bundled().context("signals")?;
    let own = read(EXAMPLES)?;
    let ordinary = ordinary()?;
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
    Ok(Training::new(&samples, options).fit(1.0))
}
