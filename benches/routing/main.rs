//! `make bench`, second part: how well and how fast routing is, on the bundled reports. Each is judged by a head that has
//! not seen it. Must never be a gate: a unit test holds what must hold.

#![expect(clippy::print_stdout, reason = "it prints its figures")]

use std::time::{Duration, Instant};

use segnalazioni::domain::learn::folds::Confusion;
use segnalazioni::domain::learn::math::{highest, softmax};
use segnalazioni::domain::routing::{Config, Department, route, seed};

const CLASSES: usize = Department::ALL.len();

fn main() {
    let (examples, trained) = (seed::examples(), seed::train(&[]));
    let confusion = Confusion::of(CLASSES, &trained.tested);
    println!(
        "Routing, {} bundled reports, cross-validated",
        examples.len()
    );
    println!("  accuracy       {:.3}", confusion.accuracy());
    println!("  macro-F1       {:.3}", confusion.macro_f1());
    println!("  first or second {:.3}", among_two(&trained));
    println!("  temperature    {:.2}", trained.temperature);
    println!("\n  belongs to    goes to");
    for (label, department) in Department::ALL.into_iter().enumerate() {
        let counts = (0..CLASSES).map(|answer| confusion.count(label, answer));
        let row = counts.fold(String::new(), |row, count| format!("{row}{count:4}"));
        println!(
            "  {:<13}{row}   F1 {:.2}",
            department.key(),
            confusion.f1(label)
        );
    }
    let config = Config::default();
    let texts: Vec<&str> = examples.iter().map(|example| &*example.text).collect();
    let times = |texts: &[&str]| -> Vec<Duration> {
        let time = |text: &&str| {
            let begun = Instant::now();
            std::hint::black_box(route(&config, text));
            begun.elapsed()
        };
        let mut times: Vec<Duration> = texts.iter().map(time).collect();
        times.sort();
        times
    };
    times(&texts);
    let ordinary = times(&texts);
    let long = texts.join(" ").chars().take(20_000).collect::<String>();
    let longest = times(&[long.as_str(); 20]);
    println!(
        "\n  one report     p50 {:?}, p95 {:?}",
        ordinary[105], ordinary[199]
    );
    println!(
        "  20,000 characters p50 {:?}, p95 {:?}",
        longest[10], longest[18]
    );
}

/// Share of the reports whose department came first or second.
fn among_two(trained: &seed::Trained) -> f64 {
    let among = |scores: &[f64], label: usize| {
        let first = highest(scores);
        let mut rest = scores.to_vec();
        if let Some(first) = first {
            rest[first] = f64::NEG_INFINITY;
        }
        first == Some(label) || highest(&rest) == Some(label)
    };
    let right: f64 = trained
        .tested
        .iter()
        .map(|one| {
            let scores = softmax(&one.scores, trained.temperature);
            if among(&scores, one.label) { 1.0 } else { 0.0 }
        })
        .sum();
    right / trained.tested.iter().map(|_| 1.0).sum::<f64>()
}
