//! `make bench`, second part: how well and how fast routing is, on the bundled reports, and how well wording that worries is
//! told. Each text is judged by a head that has not seen it. Must never be a gate: a unit test holds what must hold.

#![expect(clippy::print_stdout, reason = "it prints its figures")]
#![expect(clippy::expect_used, reason = "a bench stops at damaged data")]

mod care;

use std::time::{Duration, Instant};

use segnalazioni::domain::care::concern;
use segnalazioni::domain::learn::folds::Confusion;
use segnalazioni::domain::learn::math::{highest, softmax};
use segnalazioni::domain::routing::lessons::{Correction, learn};
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
    let texts: Vec<&str> = examples.iter().map(|example| &*example.text).collect();
    reading(&texts);
    learning(&texts);
    care::print();
}

/// What a report costs on its way: department and care together, as its last turn asks for them.
fn reading(texts: &[&str]) {
    let config = Config::default();
    println!("\n  milliseconds            p50     p95");
    for (name, characters) in [
        ("330 characters", 330),
        ("3,000 characters", 3_000),
        ("20,000 characters", 20_000),
    ] {
        let long: Vec<String> = (0..100).map(|from| long(texts, from, characters)).collect();
        let texts = &long.iter().map(String::as_str).collect::<Vec<_>>();
        // Once without looking: what is made at the first use is no part of a report's way.
        times(texts, |text| route(&config, text));
        let routed = times(texts, |text| route(&config, text));
        let read = times(texts, concern);
        let both = times(texts, |text| (route(&config, text), concern(text)));
        for (what, times) in [("routing", routed), ("care", read), ("both", both)] {
            println!(
                "  {name:<18}{what:<8}{:6.2}  {:6.2}",
                of(&times, 50),
                of(&times, 95)
            );
        }
    }
}

/// Reports behind each other, beginning with another one each time, cut off at so many characters.
fn long(texts: &[&str], from: usize, characters: usize) -> String {
    let mut turned = texts.to_vec();
    turned.rotate_left(from);
    turned.join(" ").chars().take(characters).collect()
}

/// What learning from staff takes, in the background.
fn learning(texts: &[&str]) {
    println!("\n  learning from  takes");
    for count in [1, 100, 500] {
        let corrections: Vec<Correction> = (0..count)
            .map(|at| Correction {
                text: format!("{at} {}", texts[at % texts.len()]),
                department: Department::ALL[at % CLASSES],
            })
            .collect();
        let begun = Instant::now();
        std::hint::black_box(learn(&Config::default(), &corrections, &|| true));
        println!(
            "  {count:3} moves      {:.2} s",
            begun.elapsed().as_secs_f64()
        );
    }
}

/// How long each took, the shortest first.
fn times<T>(texts: &[&str], work: impl Fn(&str) -> T) -> Vec<Duration> {
    let time = |text: &&str| {
        let begun = Instant::now();
        std::hint::black_box(work(std::hint::black_box(text)));
        begun.elapsed()
    };
    let mut times: Vec<Duration> = texts.iter().map(time).collect();
    times.sort();
    times
}

/// A percentile, in milliseconds.
fn of(times: &[Duration], percent: usize) -> f64 {
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times
        .get(at)
        .map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
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
