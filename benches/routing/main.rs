//! `make bench`, second part: how fast routing is, and how well wording that worries is told. How well routing does is told by
//! `make models`, because only a head that has not seen a text may be judged by it. Must never be a gate: a unit test holds what
//! must hold.

#![expect(clippy::print_stdout, reason = "it prints its figures")]
#![expect(clippy::expect_used, reason = "a bench stops at damaged data")]

mod care;

use std::time::{Duration, Instant};

use segnalazioni::testing::domain::concern;
use segnalazioni::testing::domain::{Department, Email, Memory, Pieces, Router};
use serde::Deserialize;

/// Moves that are remembered at most.
const MOVES: usize = 500;

/// An invented report.
#[derive(Deserialize)]
pub struct Example {
    /// What it says.
    pub text: String,
}

fn main() {
    let examples = examples();
    let texts: Vec<&str> = examples.iter().map(|example| &*example.text).collect();
    reading(&texts);
    care::print();
}

/// The bundled reports.
pub fn examples() -> Vec<Example> {
    let lines = include_str!("../../data/routing/examples.jsonl").lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a report"))
        .collect()
}

/// What a report costs on its way: department and care together, as its last turn asks for them.
fn reading(texts: &[&str]) {
    let router = Router::new(&Email::default());
    let (empty, full) = (Memory::default(), full(texts));
    println!("\n  milliseconds              p50     p95");
    for (name, characters) in [
        ("330 characters", 330),
        ("3,000 characters", 3_000),
        ("20,000 characters", 20_000),
    ] {
        let long: Vec<String> = (0..100).map(|from| long(texts, from, characters)).collect();
        let texts = &long.iter().map(String::as_str).collect::<Vec<_>>();
        // Once without looking: what is made at the first use is no part of a report's way.
        times(texts, |text| router.route(&empty, text));
        let timed = times(texts, |text| router.route(&empty, text));
        let remembered = times(texts, |text| router.route(&full, text));
        let read = times(texts, concern);
        let together = times(texts, |text| (router.route(&empty, text), concern(text)));
        for (what, times) in [
            ("routing", timed),
            ("500 moves", remembered),
            ("care", read),
            ("together", together),
        ] {
            println!(
                "  {name:<18}{what:<10}{:6.3}  {:6.3}",
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

/// A memory that is full.
fn full(texts: &[&str]) -> Memory {
    let moved = (0..MOVES).zip(texts.iter().cycle());
    let pieces = moved.map(|(at, text)| Pieces::of(&format!("{at} {text}")));
    pieces
        .flatten()
        .map(|pieces| (pieces, Department::default()))
        .collect()
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
