//! How well wording that worries is told from what only sounds like it, on texts that nothing was learnt from.
//! Must never print a text: its figures are enough.

use std::collections::BTreeMap;

use segnalazioni::domain::care::{Concern, concern};
use segnalazioni::domain::routing::seed;
use serde::Deserialize;

/// Texts that were held out of everything: see `data/care/README.md`.
static HELD_OUT: &str = include_str!("../../data/care/held_out.jsonl");
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
    let mut counts = Counts::new();
    for line in HELD_OUT.lines() {
        let example: Example = serde_json::from_str(line).expect("a text with its label");
        *counts
            .entry((example.label, said(&example.text)))
            .or_default() += 1;
    }
    let labels: Vec<&'static str> = Concern::ALL
        .map(Concern::as_str)
        .into_iter()
        .chain([NONE])
        .collect();
    let count = |label: &str, answer: &'static str| {
        let key = (label.to_owned(), answer);
        counts.get(&key).copied().unwrap_or_default()
    };
    let of = |label: &str| -> usize { labels.iter().map(|answer| count(label, answer)).sum() };
    let urgent: usize = labels[..3].iter().map(|label| of(label)).sum();
    let missed: usize = labels[..3].iter().map(|label| count(label, NONE)).sum();
    let alarms = of(NONE) - count(NONE, NONE);
    println!("\nCare, {} texts held out", urgent + of(NONE));
    println!(
        "  urgent seen    {:.3} ({} of {urgent})",
        share(urgent - missed, urgent),
        urgent - missed
    );
    println!(
        "  false alarms   {:.3} ({alarms} of {} look-alikes)",
        share(alarms, of(NONE)),
        of(NONE)
    );
    let ordinary = seed::examples();
    let flagged = ordinary
        .iter()
        .filter(|one| said(&one.text) != NONE)
        .count();
    println!(
        "  flagged among ordinary reports {:.3} ({flagged} of {}; some of them are urgent)",
        share(flagged, ordinary.len()),
        ordinary.len()
    );
    println!("\n  is            said to be {}", labels.join(", "));
    for label in &labels {
        let row = labels.iter().map(|answer| count(label, answer));
        let row = row.fold(String::new(), |row, count| format!("{row}{count:4}"));
        println!("  {label:<13}{row}");
    }
}

/// What is said of a text.
fn said(text: &str) -> &'static str {
    concern(text).map_or(NONE, Concern::as_str)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
