//! What routing knows from the start (`data/routing`), and how a head is made of it. It must never depend on settings:
//! the bundled head is the same for every newsroom.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Config, Department, Memory, Model, smart};
use crate::domain::learn::Sample;
use crate::domain::learn::folds::{self, Confusion, Tested};
use crate::domain::learn::softmax::{Head, Options, Training};

/// Reports of `data/routing/examples.jsonl`, one JSON object a line.
const EXAMPLES: &str = include_str!("../../../data/routing/examples.jsonl");
const TOPICS: &str = include_str!("../../../data/routing/topics.json");
const LEXICON: &str = include_str!("../../../data/routing/lexicon.json");
/// Weights as [`train`] makes them; a test makes them again.
const HEAD: &[u8] = include_bytes!("../../../data/routing/head.bin");

/// Bytes of a head for routing.
pub(super) const HEAD_BYTES: usize = HEAD.len();
/// Names how reports that staff moved are remembered: what was learnt otherwise is to be learnt again.
const MEMORY: &[u8] = b"pieces of six";

/// How [`HEAD`] did; written and checked with it.
const FIGURES: &str = include_str!("../../../data/routing/figures.json");

/// Parts of the cross-validation.
const PARTS: usize = 5;
/// How a head is fitted. Chosen for plainness: figures around these do as well, within what 210 examples can tell.
const OPTIONS: Options = Options {
    classes: Department::ALL.len(),
    dimensions: smart::dimensions(),
    l2: 0.3,
    rounds: 100,
};

/// An invented report.
#[derive(Debug, Clone, Deserialize)]
pub struct Example {
    /// What it says.
    pub text: String,
    /// Where it belongs.
    pub label: Department,
    /// The other department that it touches.
    pub secondary: Option<Department>,
}

/// A head, and how its like did on examples it had not seen.
pub struct Trained {
    /// The head.
    pub head: Head,
    /// The tested examples, in the order of [`examples`] within each part; scores are still to be divided by
    /// [`Trained::temperature`].
    pub tested: Vec<Tested>,
    /// Its temperature.
    pub temperature: f64,
}

impl Trained {
    /// How many of the bundled reports it was tested on, and how many of them it put where they belong.
    pub fn figures(&self) -> Figures {
        let confusion = Confusion::of(OPTIONS.classes, &self.tested);
        Figures {
            tested: confusion.tested(),
            right: confusion.right(),
        }
    }
}

/// How heads of some kind do on bundled reports that they have not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Reports.
    pub tested: u32,
    /// Of these, put where they belong.
    pub right: u32,
}

/// The bundled reports.
pub fn examples() -> Vec<Example> {
    EXAMPLES
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Fits a head to what the program came with and to these further samples, and tests it on the bundled reports.
pub fn train(further: &[Sample]) -> Trained {
    let samples = samples_and(further);
    let training = Training::new(&samples, OPTIONS);
    finish(&training, folds::cross_validate(&training))
}

/// The same, as long as it is wanted: asked several times. `None` when it was given up.
pub(super) fn train_while(further: &[Sample], wanted: &dyn Fn() -> bool) -> Option<Trained> {
    let samples = samples_and(further);
    let training = Training::new(&samples, OPTIONS);
    let tested = folds::cross_validate_while(&training, wanted)?;
    Some(finish(&training, tested))
}

/// The further ones are only learnt from.
fn samples_and(further: &[Sample]) -> Vec<Sample> {
    let mut samples = samples();
    samples.extend(further.iter().map(|sample| Sample {
        fold: None,
        ..sample.clone()
    }));
    samples
}

fn finish(training: &Training<'_>, tested: Vec<Tested>) -> Trained {
    let temperature = folds::temperature(&tested);
    Trained {
        head: training.fit().with_temperature(temperature),
        tested,
        temperature,
    }
}

/// How heads that learnt from nothing but the bundled data do.
pub fn bundled_figures() -> Figures {
    read(FIGURES)
}

/// Names what the program came with: another name after a change of data or training.
pub fn basis() -> String {
    let digest = Sha256::new()
        .chain_update(HEAD)
        .chain_update(MEMORY)
        .finalize();
    hex::encode(&digest[..8])
}

/// What the program came with: a head that remembers nothing.
pub fn bundled() -> &'static Model {
    static BUNDLED: OnceLock<Model> = OnceLock::new();
    BUNDLED.get_or_init(|| Model {
        head: read_head(HEAD).unwrap_or_else(|| Training::new(&[], OPTIONS).fit()),
        memory: Memory::default(),
    })
}

/// A head as [`Head::to_bytes`] wrote it, if it is one for routing.
pub(super) fn read_head(bytes: &[u8]) -> Option<Head> {
    Head::from_bytes(bytes, OPTIONS.classes, OPTIONS.dimensions)
}

/// Department, weight and phrase of each entry of the lexicon.
pub(super) fn lexicon() -> Vec<(Department, f64, String)> {
    let lists: BTreeMap<Department, BTreeMap<u8, Vec<String>>> = read(LEXICON);
    let entries = lists.into_iter().flat_map(|(department, weights)| {
        weights.into_iter().flat_map(move |(weight, phrases)| {
            phrases
                .into_iter()
                .map(move |phrase| (department, f64::from(weight), phrase))
        })
    });
    entries.collect()
}

/// The bundled reports with their part of the cross-validation, then the topics, which are only learnt from.
fn samples() -> Vec<Sample> {
    let lexicon = smart::lexicon_of(&Config::default());
    let sample = |text: &str, label: Department| Sample {
        features: smart::features(&lexicon, text).unwrap_or_default(),
        label: label.class(),
        weight: 1.0,
        fold: None,
    };
    let mut samples: Vec<Sample> = examples()
        .iter()
        .map(|example| sample(&example.text, example.label))
        .collect();
    folds::assign(&mut samples, PARTS);
    let topics: BTreeMap<Department, Vec<String>> = read(TOPICS);
    for (department, phrases) in topics {
        samples.extend(phrases.iter().map(|phrase| sample(phrase, department)));
    }
    samples
}

/// Reads one of the files above. One that is broken reads as empty; the tests count what is in them.
fn read<T: serde::de::DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}
