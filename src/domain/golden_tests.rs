//! What routing and care answer to every text of `data/`, as a digest: a faster way to the same answers must change nothing.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::care::{Measure, concern};
use super::classify::TokenizedText;
use super::routing::{self, Memory, Router};
use super::settings::Email;

#[derive(Deserialize)]
struct Example {
    text: String,
}

/// All texts of `data/`, and behind them accounts of several.
fn texts() -> Vec<String> {
    let files = [
        include_str!("../../models/routing/examples.jsonl"),
        include_str!("../../models/care/examples.jsonl"),
        include_str!("../../models/care/fresh.jsonl"),
        include_str!("../../models/care/held_out.jsonl"),
    ];
    let lines = files.iter().flat_map(|file| file.lines());
    let mut texts: Vec<String> = lines
        .map(|line| serde_json::from_str::<Example>(line).unwrap().text)
        .collect();
    let long: Vec<String> = [7, 40]
        .into_iter()
        .flat_map(|several| texts.chunks(several).map(|some| some.join("\n")))
        .collect();
    texts.extend(long);
    texts
}

/// The whole answer to every text, as lines of a digest.
fn answers<A: Serialize>(answer: impl Fn(&str) -> A) -> String {
    let mut digest = Sha256::new();
    for text in texts() {
        digest.update(serde_json::to_string(&answer(&text)).unwrap());
        digest.update("\n");
    }
    hex::encode(digest.finalize())
}

/// Department, reason, words, scores, the other department.
#[test]
fn every_text_is_routed_as_before() {
    let (router, memory) = (Router::new(&Email::default()), Memory::default());
    assert_eq!(
        answers(|text| router.route(&memory, text)),
        "fdf7b675f93be4229041917bfbddd3faf79fce7fc85c969aa171e210f5d1188c"
    );
}

#[test]
fn every_text_worries_as_before() {
    assert_eq!(
        answers(concern),
        "f12e068d49307f05034c6dc838962f081834d5d577a8a292675dac4f681881e3"
    );
}

/// Weights were fitted to these numbers, to the last bit.
#[test]
fn every_text_is_measured_as_before() {
    let mut digest = Sha256::new();
    let texts = texts();
    let measure = Measure::bundled().unwrap();
    let measured = routing::features(texts.iter().map(String::as_str));
    let of_care = texts.iter().map(|text| {
        let reading = TokenizedText::new(text);
        let signals = measure.signals(&reading, &reading.words);
        Measure::features(&reading, &reading.words, &signals)
    });
    for features in measured.into_iter().chain(of_care) {
        for (dimension, value) in features {
            digest.update(dimension.to_le_bytes());
            digest.update(value.to_bits().to_le_bytes());
        }
    }
    assert_eq!(
        hex::encode(digest.finalize()),
        "a677ed14b912ceab13f5eeb54698f36b0bd8d181b1d8609cdf1d7535100e4ac6"
    );
}
