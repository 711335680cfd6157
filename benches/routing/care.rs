//! How well wording that worries is told from what only sounds like it, on texts that nothing was learnt from.
//! Must never print a text: its figures are enough.

use std::collections::BTreeMap;

use segnalazioni::testing::domain::{Concern, concern};
use serde::Deserialize;

/// Texts that were held out of everything: see `data/care/README.md`.
static HELD_OUT: &str = include_str!("../../data/care/held_out.jsonl");
/// Reports as they come, and urgent ones among them, nothing of which was used for anything.
static FRESH: &str = include_str!("../../data/care/fresh.jsonl");
/// Beginnings of the bundled reports that may well be urgent.
static LEFT_OUT: &str = include_str!("../../data/care/left_out.json");
/// What a text is that suggests nothing.
const NONE: &str = "none";

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

/// Texts by what they are and what was said of them.
type Counts = BTreeMap<(String, &'static str), usize>;

/// Prints the figures.
///
/// # Panics
/// When the texts are damaged.
pub fn print() {
    let counts = of_texts("Care, texts held out", "look-alikes", HELD_OUT);
    println!("\n  is            said to be {}", labels().join(", "));
    for label in labels() {
        let row = labels().map(|answer| count(&counts, label, answer));
        let row = row
            .iter()
            .fold(String::new(), |row, count| format!("{row}{count:4}"));
        println!("  {label:<13}{row}");
    }
    of_texts("Care, reports never used", "ordinary", FRESH);
    base_rate();
}

/// The share of ordinary reports that are flagged: the bundled ones, from which the head learnt that they are ordinary.
fn base_rate() {
    let left_out: Vec<String> = serde_json::from_str(LEFT_OUT).expect("a list of beginnings");
    let mut ordinary = super::examples();
    ordinary.retain(|one| {
        !left_out
            .iter()
            .any(|beginning| one.text.starts_with(beginning))
    });
    let flagged = ordinary
        .iter()
        .filter(|one| said(&one.text) != NONE)
        .count();
    println!("\nCare, bundled reports that are not urgent");
    println!(
        "  base rate      {:.3} ({flagged} of {} flagged)",
        share(flagged, ordinary.len()),
        ordinary.len()
    );
}

/// Prints how many of the urgent ones are seen, and how many of the others are flagged.
fn of_texts(title: &str, others: &str, jsonl: &str) -> Counts {
    let mut counts = Counts::new();
    for line in jsonl.lines() {
        let example: Example = serde_json::from_str(line).expect("a text with its label");
        *counts
            .entry((example.label, said(&example.text)))
            .or_default() += 1;
    }
    let of = |label: &str| -> usize {
        let counts = labels().map(|answer| count(&counts, label, answer));
        counts.iter().sum()
    };
    let concerns = Concern::ALL.map(Concern::as_str);
    let urgent: usize = concerns.map(of).iter().sum();
    let missed: usize = concerns
        .map(|label| count(&counts, label, NONE))
        .iter()
        .sum();
    let alarms = of(NONE) - count(&counts, NONE, NONE);
    println!("\n{title} ({})", urgent + of(NONE));
    println!(
        "  urgent seen    {:.3} ({} of {urgent})",
        share(urgent - missed, urgent),
        urgent - missed
    );
    println!(
        "  false alarms   {:.3} ({alarms} of {} {others})",
        share(alarms, of(NONE)),
        of(NONE)
    );
    counts
}

/// Everything that may be said of a text.
fn labels() -> [&'static str; 4] {
    let [one, two, three] = Concern::ALL.map(Concern::as_str);
    [one, two, three, NONE]
}

fn count(counts: &Counts, label: &str, answer: &'static str) -> usize {
    let key = (label.to_owned(), answer);
    counts.get(&key).copied().unwrap_or_default()
}

/// What is said of a text.
fn said(text: &str) -> &'static str {
    concern(text).map_or(NONE, Concern::as_str)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
