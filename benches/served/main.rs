//! `make bench`: how fast the real executable is, and how near to what this machine can do at all. Every figure that
//! depends on disk or processor stands beside a limit measured in the same round, because the figures alone say more
//! about the machine and its other work than about the program. The method is told in `docs/BENCH.md`.
//! Must never be a gate: it exits 0 whatever the figures are, and fails only when an answer was wrong.

mod alone;
mod figures;
mod hanging;
mod limits;
mod load;
mod parts;
mod rounds;
#[expect(dead_code, reason = "the long tests use the rest of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use tokio::runtime::Runtime;

use figures::{Table, say};
use support::server::Installation;

/// Measures the executable.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// Rounds of which minimum, median and maximum are shown
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each load lasts, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    milliseconds: u64,
    /// Only the chat while mail hangs
    #[arg(long)]
    only_hanging: bool,
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    limits::describe_machine(folder.path())?;
    let span = Duration::from_millis(arguments.milliseconds);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;

    if !arguments.only_hanging {
        measure_others(&arguments, folder.path(), &runtime)?;
    }
    runtime.block_on(hanging::measure(
        &arguments.program,
        folder.path(),
        arguments.rounds,
        span,
    ))?;
    say("");
    Ok(())
}

/// Everything but the chat while mail hangs.
fn measure_others(arguments: &Arguments, folder: &Path, runtime: &Runtime) -> Result<()> {
    let mut parts = Table::new("Parts, one thread", &["min", "median", "max"]);
    parts::measure(&mut parts, arguments.rounds)?;
    parts.print();

    let alone = folder.join("alone");
    std::fs::create_dir(&alone)?;
    let alone = Installation::new(&arguments.program, &alone)?;
    runtime.block_on(alone::measure(&alone, arguments.rounds))?;

    let served = folder.join("served");
    std::fs::create_dir(&served)?;
    let served = Installation::new(&arguments.program, &served)?;
    runtime
        .block_on(rounds::measure(
            &served,
            folder,
            arguments.rounds,
            Duration::from_millis(arguments.milliseconds),
        ))
        .with_context(|| format!("the program said: {}", served.errors()))?;
    Ok(())
}
