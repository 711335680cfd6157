//! The long tests of durability, on the real executable: `powercut` replays what it wrote to the disk as if the power had gone,
//! `replace` kills restores and backups at every kind of step. Both prove, with a control that loses or mixes on purpose, that
//! they would notice. Not part of `cargo test`: run with `--test soak`, see `docs/BENCH.md`.
//! Must never talk to anything but the program it started, nor leave its data behind.

mod powercut;
mod replace;
#[expect(dead_code, reason = "the bench uses the rest of it")]
#[path = "../../benches/support/mod.rs"]
mod support;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

use support::person::{LONG, SHORT};

/// Proves that what was acknowledged is kept.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    test: Test,
}

#[derive(Subcommand)]
enum Test {
    /// Power cuts, replayed from a record of every write and sync (needs strace)
    Powercut {
        /// Executable to test
        #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
        program: PathBuf,
        /// Reports to acknowledge; the power goes at each of them, and at each sync
        #[arg(long, default_value_t = 500)]
        reports: usize,
        /// Where the random choices start from
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// `kill -9` of restores and backups (needs strace)
    Replace {
        /// Executable to test
        #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
        program: PathBuf,
        /// How often each is killed
        #[arg(long, default_value_t = 100)]
        kills: u64,
        /// Where the random choices start from
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().test {
        Test::Powercut {
            program,
            reports,
            seed,
        } => powercut::run(&program, reports, Dice(seed)),
        Test::Replace {
            program,
            kills,
            seed,
        } => replace::run(&program, kills, Dice(seed)),
    }
}

/// Says how far a test has come.
#[expect(clippy::print_stdout, reason = "this is the test's output")]
fn say(text: &str) {
    println!("{text}");
}

/// How long an account is: one in four fills several pages of the database.
fn length_of(number: usize) -> usize {
    if number.is_multiple_of(4) {
        LONG
    } else {
        SHORT
    }
}

/// Random numbers that come again with the same seed (`SplitMix64`, public domain, by S. Vigna).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True once in `times`.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
